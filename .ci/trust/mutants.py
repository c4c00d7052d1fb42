"""Can the tests fail? One small change of the library at a time; the tests that execute it must notice.

    python .ci/trust/mutants.py --sample 20 --write         a sample by room, its table into book/how_to_rerun.md
    python .ci/trust/mutants.py --sample 20 --budget 0      the table of what was tried before, kept in build/
    python .ci/trust/mutants.py --rooms theory --sample 50  one room
    python .ci/trust/mutants.py --only runs/store.py        every change whose name holds this text
    python .ci/trust/mutants.py --semantic                  ten changes that would make the book lie, each with its test

The changes (`changes.py`) are made in a copy of the checkout. Which test calls which function is found once, by a trace
of calls of the test files that use it, and kept in build/mutants.json. The quickest tests go first, last the examples
of the changed module and tests that start another process, whose calls no trace sees; without --quick, a change that
survives these meets the tests of its whole room, and of files elsewhere, that call it. `mutants.json` holds the
survivors that were judged, with the reason, and the ten changes of `--semantic`.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import multiprocessing.popen_fork
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from itertools import zip_longest
from pathlib import Path

import pytest
import tables
from changes import Change, changes

from grokbook.files import atomic_write

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KNOWN = json.loads((HERE / "mutants.json").read_text(encoding="utf-8"))
CACHE = ROOT / "build" / "mutants.json"
DONE = CACHE.with_name("mutants_done.json")
STARTS = (subprocess.Popen.__init__.__code__, multiprocessing.popen_fork.Popen.__init__.__code__)
STARTED = "another Python"
ROOMS = ("theory", "measures", "models", "tasks", "training", "runs", "claims", "chapters")
VERDICT = "tests/claims/test_verdicts.py::test_a_check_finds_the_settled_verdict_and_numbers"
GUARDS = "locks, fsync, checksums, censoring, seeds"
PLUGINS = ("-p", "no:cacheprovider", "-p", "no:randomly", "-m", "not slow and not browser", "-q", "--no-header",
           "--deselect", "tests/claims/test_rules.py::test_the_checks_are_the_settled_ones")  # fmt: skip
"""Without the test that any change of a check's text fails: it compares the code, not what the code does."""
SECONDS, SLOWER = 30.0, 5.0
"""Seconds of tests that a change meets at once, and how many times longer they may take before it counts as hanging."""


class Trace:
    """A pytest plugin: of each test whether it passes, its seconds, and the library's functions that it calls."""

    def __init__(self, source: Path) -> None:
        self.source, self.tests, self.fixtures, self.called = f"{source}/", {}, {}, {}
        self.imported: set[str] = set()

    def _call(self, frame, event, argument):
        if frame.f_code not in STARTS or sys.executable in frame.f_locals.get("args", sys.executable):
            self.called[id(frame.f_code)] = frame.f_code  # kept, so that no other code gets its id

    def _names(self) -> set[str]:
        called, self.called = self.called, {}
        codes = [code for code in called.values() if code.co_filename.startswith(self.source)]
        started = {STARTED for start in STARTS if id(start) in called}
        return started | {f"{c.co_filename[len(self.source) :]} {c.co_qualname.split('.<locals>')[0]}" for c in codes}

    def pytest_sessionstart(self) -> None:
        sys.settrace(self._call)
        threading.settrace(self._call)

    def pytest_runtestloop(self) -> None:
        """What the file calls when it is imported, each of its tests may look at."""
        self.imported = self._names()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        """What a shared fixture calls is called by each test that uses it."""
        before, self.called = self.called, {}
        try:
            return (yield)
        finally:
            self.fixtures[id(fixturedef)] = self._names()
            self.called = before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item):
        report = yield
        entry = self.tests.setdefault(report.nodeid, {"seconds": 0.0, "passed": True, "calls": set()})
        entry["seconds"] += report.duration
        entry["passed"] &= report.passed
        entry["calls"] |= self._names() | self.imported
        for definitions in item._fixtureinfo.name2fixturedefs.values():
            entry["calls"] |= set().union(*(self.fixtures.get(id(one), ()) for one in definitions))
        return report


class Copy:
    """A copy of the checkout in which modules are changed, and where pytest runs in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.root, self.source, self.clock = folder / "copy", folder / "copy" / "src" / "grokbook", 0
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for name in listed.decode().split("\0"):
            if (path := ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, self.root / name)

    def write(self, module: str, text: str) -> None:
        """Write a module's text, with a time that no compiled file has."""
        path = self.source / module
        path.write_text(text, encoding="utf-8")
        self.clock += 10
        os.utime(path, (1e9 + self.clock, 1e9 + self.clock))

    def pytest(self, tests: list[str], limit: float, plugin: object = None, first: bool = True) -> int:
        """The exit code of pytest on these tests in a forked process; -9 where it took longer than `limit` seconds."""
        if not (child := os.fork()):
            os.setsid()
            self._child(tests, plugin, first)
        end = time.monotonic() + limit
        try:
            while True:
                done, status = os.waitpid(child, os.WNOHANG)
                if done:
                    return os.waitstatus_to_exitcode(status)
                if time.monotonic() > end:
                    return -9
                time.sleep(0.05)
        finally:
            try:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
            except (ProcessLookupError, ChildProcessError):
                pass
            shutil.rmtree(self.root.parent / "tmp", ignore_errors=True)

    def _child(self, tests: list[str], plugin: object, first: bool) -> None:
        (temporary := self.root.parent / "tmp").mkdir(exist_ok=True)
        home = {"PYTHONPATH": str(self.source.parent), "GROKBOOK_HOME": "", "GROKBOOK_STORE": str(temporary / "store")}
        os.environ.update(home, TMPDIR=str(temporary), OMP_NUM_THREADS="1", GROKBOOK_CORES="1")
        tempfile.tempdir = None
        os.chdir(self.root)
        sys.path[:] = [str(self.source.parent), *(p for p in sys.path if p not in (str(HERE), str(ROOT / "src")))]
        quiet = os.open(os.environ.get("MUTLOG", os.devnull), os.O_RDWR | os.O_CREAT | os.O_APPEND)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        code = 3
        try:
            code = int(pytest.main([*PLUGINS, *(["-x"] if first else []), *tests], [plugin] if plugin else None))
        finally:
            os._exit(code)


def contexts(change: Change, copy: Copy, everywhere: bool) -> dict[str, dict]:
    """Of each passing test of the files that use the changed module or function its seconds and what it calls.

    The files of its own room, others where none of these calls it; `everywhere` all of both, and all of its room. Files
    are traced once and kept by their text. A check of a claim is executed by the test of its verdict.
    """
    own, found = change.module.split("/")[0], of_claims(change, copy)
    files = [f for f in sorted((copy.root / "tests").glob("*/test_*.py")) if f.parent.name in (*ROOMS, "face")]
    for inside in (True, False):
        for file in files:
            named = file.stem == f"test_{Path(change.module).stem}"
            whole = named or everywhere and inside and own != "chapters"
            if (file.parent.name == own) is inside and (whole or uses(file.read_text(encoding="utf-8"), change)):
                found |= kept_trace(copy, file)
        if not everywhere and executing(change, found):
            break
    return found


def kept_trace(copy: Copy, file: Path) -> dict[str, dict]:
    """The trace of a test file: the one that is kept, if the file has not changed since."""
    name, digest = str(file.relative_to(copy.root)), hashlib.sha256(file.read_bytes()).hexdigest()
    kept = read(CACHE).get(name, {})
    if kept.get("sha256") != digest:
        kept = {"sha256": digest, "tests": traced(copy, name)}
        put(CACHE, name, kept)
    return kept["tests"]


def read(path: Path) -> dict[str, object]:
    """What is kept in a file of build/."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def put(path: Path, name: str, value: object) -> None:
    """Keep a value there, beside what other processes have put in the meantime."""
    atomic_write(path, json.dumps(read(path) | {name: value}, indent=0).encode())


def uses(text: str, change: Change) -> bool:
    """Whether a test file imports the changed module, or something of its room and names the changed function."""
    parts = change.module.removesuffix(".py").split("/")
    if parts[0] == "chapters":
        return re.search(rf"grokbook\.chapters(\.| import .*\b){parts[1]}\b", text) is not None
    package, stem = ".".join(["grokbook", *parts[:-1]]), parts[-1]
    function = change.where.removesuffix("()").split(".")[-1]
    named = re.search(rf"{re.escape(package)}(\.| import .*\b){stem}\b", text)
    return bool(named or (package in text and (not function or re.search(rf"\b{function}\b", text))))


def of_claims(change: Change, copy: Copy) -> dict[str, dict]:
    """The tests of the verdicts that a changed check, or another function of a module with checks, is executed by."""
    ids = {}
    for node in ast.parse((copy.source / change.module).read_text(encoding="utf-8")).body:
        for call in getattr(node, "decorator_list", ()):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "claim":
                ids[ast.literal_eval(call.args[0])] = node.name
    where = change.where.removesuffix("()")
    asked = [name for name, function in ids.items() if function == where or where not in ids.values()]
    return {f"{VERDICT}[{name}]": {"seconds": 5.0, "calls": [called(change)]} for name in asked}


def examples(change: Change, copy: Copy) -> dict[str, dict]:
    """The test of the examples in the docstrings of the changed module, if it has any."""
    shown = ">>> " in (copy.source / change.module).read_text(encoding="utf-8")
    return {f"tests/project/test_style.py::test_examples_run[{change.module}]": {"seconds": 5.0}} if shown else {}


def called(change: Change) -> str:
    """How a trace names the changed function; of a line outside functions its module."""
    return f"{change.module} {change.where.removesuffix('()') if change.where.endswith('()') else ''}"


def traced(copy: Copy, name: str) -> dict[str, dict]:
    """One test file run under the trace."""
    out = copy.root.parent / "traced.json"
    out.unlink(missing_ok=True)

    class Written(Trace):
        def pytest_sessionfinish(self) -> None:
            sys.settrace(None)
            passed = {test: told for test, told in self.tests.items() if told.pop("passed")}
            out.write_text(json.dumps(passed, default=sorted))

    begin = time.monotonic()
    copy.pytest([name, "--timeout=60", "-k", f"not {VERDICT.split('::')[1]}"], 900.0, Written(copy.source), first=False)
    tests = json.loads(out.read_text()) if out.is_file() else {}
    print(f"traced {name}: {len(tests)} tests, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return tests


def executing(change: Change, tests: dict[str, dict], name: str = "") -> list[str]:
    """Tests that call the changed function, those of its module's own file and the quickest first.

    Of a line outside functions, those that call the module.
    """
    name = name or called(change)
    outside = name.endswith(" ")
    chosen = [t for t, k in tests.items() if any(c == name or outside and c.startswith(name) for c in k["calls"])]
    own = f"/test_{Path(change.module).stem}.py::"
    return sorted(chosen, key=lambda test: (own not in test, tests[test]["seconds"]))


def tried(change: Change, copy: Copy, quick: bool) -> str:
    """Either "killed", "survived" or "no test executes it": the quickest tests first, then all that can notice."""
    met = {*(settled := of_claims(change, copy))}
    if noticed(change, copy, _portions([*settled], settled), settled):
        return "killed"
    for everywhere in (False,) if quick else (False, True):
        tests = contexts(change, copy, everywhere)
        known = executing(change, tests)
        shown, room = examples(change, copy), f"tests/{change.module.split('/')[0]}/"
        started = [test for test in executing(change, tests, STARTED) if test.startswith(room)]
        chosen = [test for test in dict.fromkeys([*known, *shown, *started]) if test not in met]
        if noticed(change, copy, _portions(chosen, tests | shown)[: 3 if quick else None], tests | shown):
            return "killed"
        met |= {*chosen}
    return "survived" if known else "no test executes it"


def noticed(change: Change, copy: Copy, portions: list[list[str]], tests: dict[str, dict]) -> bool:
    """Whether a test of these portions fails, or hangs, while the change is made."""
    text = (copy.source / change.module).read_text(encoding="utf-8")
    copy.write(change.module, change.applied(text))
    try:
        return any(copy.pytest(some, 60 + SLOWER * sum(tests[t]["seconds"] for t in some)) != 0 for some in portions)
    finally:
        copy.write(change.module, text)


def _portions(chosen: list[str], tests: dict[str, dict]) -> list[list[str]]:
    """The tests in portions of about `SECONDS`."""
    portions, taken = [[]], 0.0
    for test in chosen:
        if portions[-1] and taken + tests[test]["seconds"] > SECONDS:
            portions, taken = [*portions, []], 0.0
        portions[-1].append(test)
        taken += tests[test]["seconds"]
    return [portion for portion in portions if portion]


def modules(room: str) -> list[str]:
    """The modules of a room, below the package; of the chapters those that make claims."""
    package = ROOT / "src" / "grokbook"
    files = sorted((package / room).rglob("*.py")) or [package / room]
    claimed = [f for f in files if room != "chapters" or "\n@claim(" in f.read_text(encoding="utf-8")]
    return [str(f.relative_to(package)) for f in claimed]


def of_room(room: str) -> list[Change]:
    """Every change of a room."""
    return [c for m in modules(room) for c in changes(m, (ROOT / "src/grokbook" / m).read_text(encoding="utf-8"))]


def sampled(found: list[Change], size: int, seed: str) -> list[Change]:
    """`size` changes, of each kind in turn, drawn with a seed."""
    draw, kinds = random.Random(seed), {}
    for change in sorted(found, key=lambda c: c.name):
        kinds.setdefault(change.kind, []).append(change)
    for alike in kinds.values():
        draw.shuffle(alike)
    turns = zip_longest(*kinds.values())
    return [change for turn in turns for change in turn if change is not None][:size]


def rows(results: dict[str, dict[str, str]]) -> list[tuple[str, int, int, int, float]]:
    """Of each room: tried, killed, equivalent, and the share killed of those that are not."""
    made = []
    for room, states in ((room, states) for room, states in results.items() if states):
        killed = sum(state == "killed" for state in states.values())
        judged = [KNOWN["judged"].get(name, "") for name, state in states.items() if state != "killed"]
        alike = sum(reason.startswith(("equivalent", "message")) for reason in judged)
        made.append((room, len(states), killed, alike, killed / max(len(states) - alike, 1)))
    return made


def told(results: dict[str, dict[str, str]], asked: argparse.Namespace) -> str:
    """What stands in how_to_rerun: how it was made, and the table."""
    heads = ("room", "changes tried", "killed", "equivalent", "killed of the others")
    lines = [(room, n, k, e, f"{100 * share:.0f} %") for room, n, k, e, share in rows(results)]
    return f"""One thing of the library is changed at a time: a comparison, a sign, a constant, an index, a lock.
A change is killed where a test fails that calls the changed function. Equivalent ones change no result, or a
message only; `.ci/trust/mutants.json` has the reason for each. A sample, cut off after some minutes, by the command
`{command(asked)}`.

{tables.table(heads, lines)}
"""


def command(asked: argparse.Namespace) -> str:
    """The command that makes the table."""
    said = f"python .ci/trust/mutants.py --sample {asked.sample} --guards {asked.guards} --seed {asked.seed}"
    return f"{said} --budget {asked.budget:g}{' --quick' if asked.quick else ''}"


def semantic(copy: Copy) -> int:
    """Make each change that would let the book lie; its tests must fail then, and pass without it."""
    lost = 0
    for lie in KNOWN["semantic"]:
        text = (copy.source / lie["file"]).read_text(encoding="utf-8")
        passes = copy.pytest(lie["tests"], 600.0) == 0
        copy.write(lie["file"], text.replace(lie["old"], lie["new"], 1))
        caught = [test for test in lie["tests"] if copy.pytest([test], 600.0) == 1]
        copy.write(lie["file"], text)
        good = passes and caught == lie["tests"]
        lost += not good
        print(f"{'caught' if good else 'NOT CAUGHT'}: {lie['lie']} ({', '.join(lie['tests'])})", flush=True)
    return lost


def run(asked: argparse.Namespace, copy: Copy) -> dict[str, dict[str, str]]:
    """Try the changes that were asked for, room by room in turn, while the time lasts."""
    every = {room: of_room(room) for room in asked.rooms}
    guards = [change for found in (*every.values(), of_room("files.py")) for change in found if change.guard]
    plan = {room: sampled(found, asked.sample, f"{asked.seed}:{room}") for room, found in every.items()}
    plan[GUARDS] = sampled(guards, asked.guards, f"{asked.seed}:guards")
    if asked.only:
        plan = {"chosen": [c for found in every.values() for c in found if asked.only in c.name]}
    kept = read(DONE)
    results, end = {room: {} for room in plan}, time.monotonic() + 60 * asked.budget
    for turn in range(max(map(len, plan.values()), default=0)):
        for room, planned in plan.items():
            if turn >= len(planned):
                continue
            change, late = planned[turn], time.monotonic() >= end
            state, digest = kept.get(change.name, ["", ""])
            now = hashlib.sha256((ROOT / "src/grokbook" / change.module).read_bytes()).hexdigest()
            if digest != now or not late and state != "killed" and change.name not in KNOWN["judged"]:
                if late:
                    continue
                state = tried(change, copy, asked.quick)
                put(DONE, change.name, [state, now])
                print(f"{state}: [{change.kind}] line {change.line} {change.name}", flush=True)
            results[room][change.name] = state
    return results


def main() -> int:
    """Make the copy, run what was asked for, print and write the table; 1 where a semantic change was not caught."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", nargs="+", choices=ROOMS, default=ROOMS)
    parser.add_argument("--sample", type=int, default=20, help="changes a room")
    parser.add_argument("--guards", type=int, default=40, help=f"changes of {GUARDS}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=60.0, help="minutes after which nothing is tried any more")
    parser.add_argument("--only", default="", help="every change whose name holds this text")
    parser.add_argument("--semantic", action="store_true", help="the ten changes of `mutants.json`")
    parser.add_argument("--write", action="store_true", help="the table into book/how_to_rerun.md")
    parser.add_argument("--quick", action="store_true", help="the quickest tests of its room alone")
    asked = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    for heavy in ("grokbook.cli", "grokbook.claims", "grokbook.runs", "grokbook.training", "hypothesis"):
        __import__(heavy)  # for the packages that they import: a forked process has these already
    for name in [name for name in sys.modules if name.split(".")[0] == "grokbook"]:
        del sys.modules[name]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Copy(Path(folder))
        if asked.semantic:
            return int(semantic(copy) > 0)
        results = run(asked, copy)
    text = told(results, asked)
    print(text)
    if asked.write:
        tables.write("mutants", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
