"""The record store: equal after a round trip, verified, one trainer at a time, damage reported and
mended."""

import contextlib
import json
import os
import time
import warnings
from pathlib import Path

import pytest
from filelock import FileLock
from made_up import MadeUp

from grokbook.errors import RecordError, TrainingError
from grokbook.paths import records_path
from grokbook.runs import Experiment, load_or_run, provenance
from grokbook.runs.store import MANIFEST, RecordWarning, Store
from grokbook_chapters.gu2025 import modular_run
from processes import forked

FILE = "made/up/0123456789abcdef.nc"


@pytest.fixture(autouse=True)
def no_surprises(monkeypatch):
    """Nothing was used before; a warning that a test does not expect fails it."""
    monkeypatch.setattr(provenance, "USED", [])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RecordWarning)
        yield


@pytest.fixture
def made(tmp_path):
    return MadeUp(tmp_path / "trained")


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def ask(store, experiment, *seeds):
    """The dataset of these seeds."""
    experiment.seeds = seeds
    return load_or_run(experiment, store, progress=False)


def without_attrs(dataset):
    return dataset.drop_attrs(deep=False)


def test_what_is_loaded_is_what_was_trained(store, made):
    trained = ask(store, made, 0, 1)
    loaded = ask(Store(store.path), made, 0, 1)
    expected = made.dataset((0, 1))
    for dataset in (trained, loaded):
        assert without_attrs(dataset).identical(without_attrs(expected))
        assert {n: v.dtype for n, v in dataset.data_vars.items()} == {
            n: v.dtype for n, v in expected.items()
        }
    assert (trained.attrs["origin"], loaded.attrs["origin"]) == ("trained", "cached")
    assert made.trained() == ["0 1"]


def test_only_missing_seeds_are_trained_and_the_record_grows(store, made):
    ask(store, made, 1)
    ask(store, made, 0, 1, 5)
    assert made.trained() == ["1", "0 5"]
    assert store.seeds(made.key) == (0, 1, 5)
    assert without_attrs(store.load(made.key)).identical(without_attrs(made.dataset((0, 1, 5))))
    assert list(store.entries()) == [FILE] and store.verify() == []


def test_one_configuration_under_two_names_is_one_record(store, made):
    ask(store, made, 0)
    made.name = "other/name[p=5]"
    dataset = ask(store, made, 0, 1)
    assert made.trained() == ["0", "1"] and dataset.attrs["experiment"] == "other/name[p=5]"
    assert list(store.entries()) == ["other/name/0123456789abcdef.nc"]
    assert [path.name for path in store.path.rglob("*.nc")] == [
        "0123456789abcdef.nc"
    ] and store.verify() == []


def test_a_fallback_is_asked_before_anything_is_trained(tmp_path, store, made):
    behind = Store(tmp_path / "behind")
    ask(behind, made, 0, 1)
    manifest = (behind.path / MANIFEST).read_bytes()
    front = Store(store.path, fallbacks=(behind,))
    assert ask(front, made, 1, 0).attrs["origin"] == "recorded"
    mixed = ask(front, made, 2, 1)
    assert mixed.attrs["origin"] == "trained" and made.trained() == ["0 1", "2"]
    assert without_attrs(mixed).identical(without_attrs(made.dataset((2, 1))))
    assert (behind.path / MANIFEST).read_bytes() == manifest
    assert Store(store.path).seeds(made.key) == (2,) and front.seeds(made.key) == (0, 1, 2)


def test_provenance_is_that_of_the_seeds_in_the_dataset(store, made):
    for asked, told in (([0], [[0]]), ([1], [[1]]), ([0, 1], [[0], [1]]), ([1], [[1]])):
        assert [
            row["seeds"] for row in json.loads(ask(store, made, *asked).attrs["provenance"])
        ] == told


def test_numbers_of_another_version_have_another_key(tmp_path, monkeypatch):
    """`NUMBERS` is raised when the library computes something else: no record of before is an
    answer."""
    run = Experiment("made/run", modular_run(5, 0.5, d_model=8, steps=20), (0,))
    before = run.key
    load_or_run(run, Store(tmp_path), progress=False)
    for module in ("grokbook.runs.experiment", "grokbook.runs.store"):
        monkeypatch.setattr(f"{module}.NUMBERS", 1)
    assert run.key != before and Store(tmp_path).load(run.key) is None
    assert load_or_run(run, Store(tmp_path), progress=False).attrs["origin"] == "trained"
    assert load_or_run(run, Store(tmp_path), progress=False).attrs["origin"] == "cached"


class Slow(Store):
    """Waits between reading the manifest and writing it."""

    def _write_manifest(self, entries):
        time.sleep(0.3)
        super()._write_manifest(entries)


def test_a_new_record_moves_no_other_in_the_committed_manifest(store):
    """It is written as a store writes it: else git would show all of it as changed."""
    committed = Store(records_path())
    store._write_manifest(committed.entries())
    assert (store.path / MANIFEST).read_bytes() == (committed.path / MANIFEST).read_bytes()


def test_two_processes_that_write_two_records_at_once_lose_neither(store):
    """Without the lock the later one forgets the other's record."""
    keys = [letter * 16 for letter in "abc"]
    running = [
        forked(ask, Slow(store.path), MadeUp(store.path.parent / key, key=key), 0) for key in keys
    ]
    assert [process.join(120) or process.exitcode for process in running] == [0, 0, 0]
    assert (
        sorted(entry["key"] for entry in store.entries().values()) == keys and store.verify() == []
    )


def test_only_a_run_with_something_left_of_it_says_that_it_was_continued(store, made):
    (left := store.path / ".partial" / made.key).mkdir(parents=True)
    assert "resumed" not in json.loads(ask(store, made, 0).attrs["provenance"])[0]
    (left / "1.pt").write_text("")
    assert json.loads(ask(store, made, 1).attrs["provenance"])[0]["resumed"]


def test_a_record_that_is_gone_is_named_and_computed_again(store, made):
    ask(store, made, 0)
    (store.path / FILE).unlink()
    with pytest.warns(RecordWarning) as caught:
        assert ask(store, made, 0).attrs["origin"] == "trained"
    assert [str(w.message) for w in caught] == [
        f"the record {FILE} is missing; it will be computed again."
    ]


def test_verifying_names_each_record_that_is_damaged_or_gone_and_changes_nothing(store, made):
    ask(store, made, 0)
    content = (store.path / FILE).read_bytes()
    (store.path / FILE).write_bytes(content[:-1])
    assert store.verify() == [f"the record {FILE} does not have the sha256 of the manifest."]
    (store.path / FILE).unlink()
    assert store.verify() == [f"the record {FILE} is missing."] and list(store.entries()) == [FILE]
    (store.path / FILE).write_bytes(content)
    assert store.verify() == []


def test_a_damaged_file_is_named_set_aside_and_computed_again(store, made):
    before = ask(store, made, 0)
    damaged = (store.path / FILE).read_bytes()[:-200]
    (store.path / FILE).write_bytes(damaged)
    with pytest.warns(RecordWarning) as caught:
        again = ask(store, made, 0)
    (warning,) = caught
    assert str(warning.message) == (
        f"the record {FILE} is damaged (its sha256 is not the manifest's); set aside as "
        "0123456789abcdef.nc.corrupt; it will be computed again."
    )
    assert without_attrs(again).identical(without_attrs(before)) and made.trained() == ["0", "0"]
    assert (store.path / (FILE + ".corrupt")).read_bytes() == damaged and store.verify() == []


def test_a_record_that_is_being_replaced_is_not_taken_for_damaged(store, made, monkeypatch):
    """A reader holds the old manifest entry while a writer puts the new file and its sha256 in
    place."""
    ask(store, made, 0)
    stale = store.find(made.key)
    ask(store, made, 0, 1)
    reader = Store(store.path)
    found = iter([stale])
    monkeypatch.setattr(
        reader, "find", lambda *asked: next(found, None) or Store(store.path).find(*asked)
    )
    assert reader.load(made.key).seed.values.tolist() == [0, 1]
    assert store.verify() == [] and not list(store.path.rglob("*.corrupt"))


def test_a_complete_record_is_loaded_where_nothing_can_be_written(store, made, monkeypatch):
    ask(store, made, 0, 1)
    monkeypatch.setattr(store, "_lock_path", lambda _: pytest.fail("a lock was wanted"))
    assert ask(store, made, 1).attrs["origin"] == "cached"


@pytest.mark.parametrize(
    "content",
    [
        '{"format": 1, "records": {"made/up',
        "{}",
        '{"records": []}',
        '{"records": {"a.nc": "key"}}',
        '{"records": {"a.nc": {"key": "k", "sha256": "", "seeds": [0], "provenance": [{}]}}}',
    ],
)
def test_a_half_written_manifest_is_one_sentence(store, made, content):
    ask(store, made, 0)
    (store.path / MANIFEST).write_text(content)
    for use in (
        store.entries,
        store.verify,
        lambda: store.seeds(made.key),
        lambda: ask(store, made, 0),
    ):
        with pytest.raises(RecordError) as caught:
            use()
        message = str(caught.value)
        assert (
            message.startswith(f"{store.path / MANIFEST} cannot be read (") and "\n" not in message
        )
        assert message.endswith("; restore it from version control.")
    assert made.trained() == ["0"]


IN_THE_WAY = {
    "the store": ("{0}", "the store .* cannot be written: Not a directory"),
    "a lock": ("{0}/.locks/{1}.lock/x", "the store .* cannot be written: Is a directory"),
    "a record": ("{0}/made/up/{1}.nc/x", "the record .*nc cannot be written: it is a folder"),
}


@pytest.mark.parametrize(("place", "said"), IN_THE_WAY.values(), ids=IN_THE_WAY)
def test_what_stands_in_the_way_is_one_sentence_before_anything_is_trained(
    store, made, place, said
):
    file = Path(place.format(store.path, made.key))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("")
    with pytest.raises(RecordError, match=rf"^{said}\.$"):
        ask(store, made, 0)
    assert made.trained() == [] and not list(store.path.rglob("*.next"))


def test_each_dataset_that_is_handed_out_is_noted_with_who_made_its_seeds(tmp_path, store, made):
    ask(store, made, 0, 1)
    ask(store, made, 1)
    ask(Store(tmp_path / "front", fallbacks=(store,)), made, 1, 0)
    (entry,) = store.entries().values()
    known = {
        "experiment": made.name,
        "key": made.key,
        "dtype": "float32",
        "provenance": entry["provenance"],
    }
    asked = [("trained", [0, 1]), ("cached", [1]), ("recorded", [1, 0])]
    assert [
        known | {"origin": origin, "seeds": seeds} for origin, seeds in asked
    ] == provenance.USED


def told(path, experiment):
    """Ask the store for both seeds, in a process of its own; the dataset's origin and what was said
    are in files."""
    with path.with_suffix(".err").open("w", buffering=1) as said, contextlib.redirect_stderr(said):
        origin = ask(Store(path.parent / "store"), experiment, 0, 1).attrs["origin"]
    path.write_text(origin)


@pytest.mark.timeout(120)
def test_two_processes_that_want_one_run_train_it_once(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    experiment = MadeUp(tmp_path / "trained", seconds=100)
    trains = forked(told, one, experiment)
    while not (tmp_path / "trained").exists():
        assert trains.is_alive()
        time.sleep(0.02)
    waits = forked(told, two, experiment)
    while not (
        two.with_suffix(".err").exists() and two.with_suffix(".err").read_text().endswith("\n")
    ):
        assert waits.is_alive()
        time.sleep(0.02)
    (tmp_path / "release").touch()
    assert [process.join(60) or process.exitcode for process in (trains, waits)] == [0, 0]
    assert (one.read_text(), two.read_text()) == ("trained", "cached")
    said = "grokbook: another process is working on record 0123456789abcdef; waiting for it.\n"
    assert [path.with_suffix(".err").read_text() for path in (one, two)] == ["", said]
    assert (tmp_path / "trained").read_text().splitlines() == ["0 1"]
    assert Store(tmp_path / "store").verify() == []


def test_the_lock_is_released_after_an_error(store, made):
    made.fails = True
    with pytest.raises(TrainingError):
        ask(store, made, 0)
    with FileLock(store._lock_path(made.key)).acquire(timeout=0.1):
        assert os.path.exists(store._lock_path(made.key))
