"""The record store under faults: never a wrong number, never a good record harmed, each message
names file and cure."""

import errno
import os
import re
import shutil
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from made_up import MadeUp

from grokbook.errors import RecordError
from grokbook.own_code import Code
from grokbook.runs import load_or_run
from grokbook.runs.store import MANIFEST, RecordWarning, Store

SEEDS = st.lists(st.integers(0, 2), unique=True, min_size=1)
CALLS = ("open", "mkdir", "fsync", "chmod", "replace", "unlink")
FAULTS = {
    "killed": None,
    "full disk": errno.ENOSPC,
    "read-only": errno.EROFS,
    "failing disk": errno.EIO,
}
CURE = re.compile(
    r"(MANIFEST\.json|\.nc(\.next)?) was not written: .*; what was there before is untouched\.$"
    r"|^the store \S+ cannot be written: .*\.$"
)
ASIDE = re.compile(
    r"^the record made/up/0123456789abcdef\.nc is (missing|damaged \(its sha256 .*\); set aside as \S+\.corrupt"
    r"|missing or damaged, and this store cannot be written); it will be computed again\.$"
)


class Killed(BaseException):
    """The process ends here: no call of the system is made after it."""


@contextmanager
def failing(number: int, kind: str):
    """The system call of this number, of those that change a disk, fails, and all later ones;
    counts those made."""
    made = [0]

    def failed(call):
        def instead(*args, **kwargs):
            changes = (
                call is not real["open"] or len(args) > 1 and args[1] & (os.O_WRONLY | os.O_RDWR)
            )
            made[0] += bool(changes)
            if changes and made[0] > number:
                raise (
                    Killed if kind == "killed" else OSError(FAULTS[kind], os.strerror(FAULTS[kind]))
                )
            return call(*args, **kwargs)

        return instead

    real = {name: getattr(os, name) for name in CALLS}
    with mock.patch.multiple(os, **{name: failed(call) for name, call in real.items()}):
        yield made


class Versioned(MadeUp):
    """Curves that depend on the code that made them; no checkpoints."""

    def run(self, seeds, *, checkpoints, progress):
        with self.journal.open("a") as stream:
            stream.write(" ".join(map(str, seeds)) + "\n")
        return self.dataset(seeds)

    def forget(self, seeds, checkpoints, rows=None):
        pass

    def dataset(self, seeds):
        made = super().dataset(seeds)
        return made.assign(train_loss=made.train_loss + ord(self.code.digest[0]))


def experiment(folder: Path, version: str = "a") -> Versioned:
    return Versioned(folder / "trained", code=Code(version * 16, True))


def asked(store: Store, made: MadeUp, *seeds: int):
    made.seeds = seeds
    return load_or_run(made, store, progress=False)


def same(found, made: MadeUp, seeds) -> bool:
    """Whether a dataset holds the numbers of these seeds, bit for bit."""
    expected = made.dataset(tuple(seeds))
    return all(
        found[name].values.tobytes() == expected[name].values.tobytes()
        for name in expected.variables
    )


@pytest.mark.parametrize("kind", ["killed", "full disk"])
def test_a_write_that_fails_at_any_system_call_harms_nothing_and_the_next_one_mends_it(
    tmp_path, kind
):
    """At each call in turn; afterwards the old record is whole, or the new one, and it can be added
    to."""
    (before := experiment(tmp_path)).seeds = (0,)
    asked(Store(tmp_path / "kept"), before, 0)
    for number in range(100):
        shutil.copytree(tmp_path / "kept", tmp_path / str(number))
        store, made = Store(tmp_path / str(number)), experiment(tmp_path)
        try:
            with failing(number, kind) as calls:
                assert same(asked(store, made, 0, 1), made, (0, 1))
        except Killed:
            pass
        except RecordError as error:
            assert (
                CURE.search(str(error)) and str(store.path) in str(error) and "\n" not in str(error)
            )
            assert kind != "full disk" or "full" in str(error) or "No space left" in str(error)
        assert store.verify() == [] and set(store.seeds(made.key)) >= {0}
        assert same(store.load(made.key), made, store.seeds(made.key))
        assert same(asked(store, made, 0, 1), made, (0, 1)) and store.seeds(made.key) == (0, 1)
        if calls[0] <= number:
            break
    assert number > 8, "the faults were not reached"


class Faults(RuleBasedStateMachine):
    """One record, asked for by one reader while everything happens to it."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.store, self.made = Store(self.folder / "store"), experiment(self.folder)
        # code -> seeds that are kept whatever happens; damage nobody has met yet
        self.sure, self.spoilt = ({}, False)

    def teardown(self):
        shutil.rmtree(self.folder)

    @property
    def file(self) -> Path:
        return self.store.path / "made" / "up" / "0123456789abcdef.nc"

    def ask(self, seeds):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RecordWarning)
            found = asked(self.store, self.made, *seeds)
        for warning in caught:
            assert self.spoilt and ASIDE.match(str(warning.message)), warning.message
        self.sure, self.spoilt = {} if caught else self.sure, self.spoilt and not caught
        assert same(found, self.made, seeds)

    @rule(seeds=SEEDS)
    def is_asked(self, seeds):
        self.ask(seeds)
        code = self.made.code.digest
        # another code's record made room
        self.sure = {code: self.sure.get(code, set()) | set(seeds)}

    @rule(seeds=SEEDS, number=st.integers(0, 14), kind=st.sampled_from([*FAULTS]))
    def is_asked_while_the_system_fails(self, seeds, number, kind):
        wrote = len(self.made.trained())
        try:
            with failing(number, kind):
                self.ask(seeds)
        except Killed:
            pass
        except RecordError as error:
            assert CURE.search(str(error)) and str(self.store.path) in str(error), error
        if len(self.made.trained()) > wrote or self.spoilt:
            self.sure = (
                {}
                if self.spoilt
                else {c: s for c, s in self.sure.items() if c == self.made.code.digest}
            )

    @precondition(lambda self: self.file.is_file() and self.file.stat().st_size)
    @rule(at=st.floats(0, 1, exclude_max=True), flip=st.booleans())
    def the_file_is_damaged(self, at, flip):
        content = self.file.read_bytes()
        place = int(at * len(content))
        changed = (
            content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
            if flip
            else content[:place]
        )
        self.file.write_bytes(changed)
        self.spoilt = True

    @rule(
        name=st.sampled_from(
            ["README", "made/up/other.nc", "made/up/0123456789abcdef.nc.old", ".partial/x/y"]
        )
    )
    def a_foreign_file_appears(self, name):
        (path := self.store.path / name).parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"foreign")

    @rule(version=st.sampled_from("ab"))
    def the_code_changes(self, version):
        self.made.code = Code(version * 16, True)

    @precondition(lambda self: (self.store.path / MANIFEST).is_file())
    @rule(seconds=st.sampled_from([0, 1, 10**9]))
    def the_clock_is_turned_back(self, seconds):
        os.utime(self.store.path / MANIFEST, (seconds, seconds))

    @precondition(lambda self: (self.store.path / MANIFEST).is_file())
    @rule()
    def a_later_version_of_the_library_was_here(self):
        manifest = self.store.path / MANIFEST
        text = manifest.read_text()
        manifest.write_text(text.replace('"format": 1', '"format": 2'))
        with pytest.raises(
            RecordError,
            match=rf"^{manifest} has format 2, .* reads format 1; update grokbook, or na",
        ):
            asked(self.store, self.made, 0)
        assert manifest.read_text().startswith('{\n "format": 2')
        manifest.write_text(text)

    @invariant()
    def what_was_kept_is_there(self):
        code = self.made.code
        assert set(self.store.seeds(self.made.key, code)) >= self.sure.get(code.digest, set())
        assert self.spoilt or self.store.verify() == []


def test_no_order_of_faults_serves_a_wrong_number_or_harms_a_good_record():
    run_state_machine_as_test(
        Faults, settings=settings(max_examples=10, stateful_step_count=12, deadline=None)
    )
