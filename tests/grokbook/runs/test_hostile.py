"""Stores and records that somebody else made: a name leads nowhere else, a fallback stays as it is,
a file is alone."""

import hashlib
import io
import json
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray as xr
from hypothesis import example, given
from hypothesis import strategies as st
from made_up import MadeUp

from grokbook import machine
from grokbook.errors import ParameterError, RecordError
from grokbook.models.transformer import Shape
from grokbook.runs import Experiment, load_or_run
from grokbook.runs import store as stores
from grokbook.runs.results import of_name
from grokbook.runs.store import MANIFEST, Store, from_bytes, to_bytes
from grokbook.tasks import ModularTask
from grokbook.training import RunConfig

KEY = MadeUp.key
FILE = f"made/up/{KEY}.nc"
PARTS = st.text(st.sampled_from("ab./\\~:\0\n\x1b \u00e9"), max_size=6) | st.sampled_from(
    ["..", "", ".locks", "made"]
)
NAMES = st.lists(PARTS, min_size=1, max_size=4).map("/".join)


def recorded(folder: Path) -> Store:
    """A store with one record of two seeds."""
    load_or_run(MadeUp(folder.with_name("trained")), Store(folder), progress=False)
    return Store(folder)


def rewritten(store: Store, content: bytes) -> Store:
    """The store with other bytes for its record, which have the sha256 and size of the manifest."""
    (store.path / FILE).write_bytes(content)
    manifest_says(store, sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))
    return store


def manifest_says(store: Store, **change) -> None:
    """Change the one entry of a manifest."""
    records = {FILE: store.entries()[FILE] | change}
    (store.path / MANIFEST).write_text(json.dumps({"format": 1, "records": records}))


def everything(folder: Path) -> dict[str, tuple]:
    """All files and folders below a folder: time, and what they hold."""
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a store in it, and a file of the reader's beside the store."""
    folder = tmp_path_factory.mktemp("place")
    recorded(folder / "store")
    (folder / f"{KEY}.nc").write_text("the reader's")
    return folder


def uses(store: Store, made: MadeUp):
    """What a store is asked for."""
    load = lambda: load_or_run(made, store, progress=False)  # noqa: E731
    add = lambda: store.add(made, made.dataset((0,)).assign_attrs(provenance="[]"))  # noqa: E731
    return load, add, store.verify, lambda: store.load(made.key), lambda: store.seeds(made.key)


@given(NAMES)
@example("..")
@example("made/../..")
@example("/etc")
@example("made\\..\\..")
def test_a_manifest_with_a_name_that_is_none_of_ours_is_refused_whole_and_nothing_is_touched(
    place, name
):
    """As a store that answers, and as one behind another."""
    store, named = Store(place / "store"), f"{name}/{KEY}.nc"
    entry, good = store.entries()[FILE], (store.path / MANIFEST).read_bytes()
    if stores._is_entry(named, entry):
        assert (place / "store" / named).resolve().is_relative_to(place / "store")
        return
    (store.path / MANIFEST).write_text(json.dumps({"format": 1, "records": {named: entry}}))
    before, made = everything(place), MadeUp(place / "trained")
    try:
        for use in (*uses(store, made), uses(Store(place / "front", fallbacks=(store,)), made)[0]):
            with pytest.raises(RecordError, match="cannot be read") as caught:
                use()
            assert str(caught.value).isprintable()
        assert everything(place) == before
    finally:
        (store.path / MANIFEST).write_bytes(good)


@pytest.mark.parametrize(
    "change",
    [
        {"key": "0" * 16},
        {"key": "../../../../x"},
        {"bytes": -1},
        {"experiment": "a\x1b[2J"},
        {"seeds": ["0"]},
        {"bytes": 10**400},
        {"provenance": []},
        {"provenance": [{"recorded_on": 3}]},
    ],
)
def test_an_entry_that_says_what_none_of_ours_says_is_refused(tmp_path, change):
    store = recorded(tmp_path / "store")
    manifest_says(store, **change)
    with pytest.raises(RecordError, match=f"the entry of '{FILE}' is damaged"):
        store.entries()


CONFIG = RunConfig(ModularTask(5, train_fraction=0.5), Shape(5, d_model=8), steps=20)


@given(NAMES)
def test_an_experiment_has_a_name_that_stays_in_its_store_or_there_is_none(name):
    try:
        made = Experiment(name, CONFIG)
    except ParameterError as error:
        assert str(error).startswith("name = ") and str(error).isprintable()
    else:
        file = Store("/store").file(stores._name(made))
        assert (
            file.parts[:2] == ("/", "store")
            and ".." not in file.parts
            and file.name == f"{made.key}.nc"
        )


DAMAGES = {
    "gone": lambda file: file.unlink(),
    "cut": lambda file: file.write_bytes(b""),
    "a folder": lambda file: (file.unlink(), file.mkdir()),
    "whole": lambda file: None,
}


@pytest.mark.filterwarnings("ignore:the record made/up.* and this store cannot be written")
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("by_name", [False, True])
def test_a_fallback_is_never_written_whatever_is_wrong_with_it(
    tmp_path, damage, by_name, monkeypatch
):
    """Asked for by a run, and by whoever wants a record by its name."""
    behind = recorded(tmp_path / "behind")
    DAMAGES[damage](behind.path / FILE)
    before = everything(behind.path)
    made, front = (
        MadeUp(tmp_path / "trained", (0, 1, 2)),
        Store(tmp_path / "front", fallbacks=(behind,)),
    )
    monkeypatch.setattr("grokbook.runs.results.default_store", lambda: front)
    if not by_name:
        load_or_run(made, front, progress=False)
    elif damage == "whole":
        assert of_name(KEY).sizes["seed"] == 2
    else:
        with pytest.raises(RecordError, match="is damaged, see above"):
            of_name(KEY)
    assert everything(behind.path) == before
    kept = front.fallbacks[0]
    for use in (
        lambda: kept.lock(KEY),
        lambda: kept.add(made, made.dataset((0,)).assign_attrs(provenance="[]")),
    ):
        with pytest.raises(RecordError, match=r"is only read\.$"):
            use()
    assert everything(behind.path) == before


def test_a_record_that_is_larger_than_the_manifest_says_or_never_ends_is_damaged(tmp_path):
    store = recorded(tmp_path / "store")
    path, said = store.path / FILE, [f"the record {FILE} does not have the sha256 of the manifest."]
    path.write_bytes(path.read_bytes() + b"x" * 10**6)
    assert store.verify() == said
    path.unlink()
    path.symlink_to("/dev/zero")
    assert store.verify() == said


# --------------------------------------------------------------------------------- what a file says


def planted(folder: Path, change) -> Store:
    """A store whose record, changed by who made it, has the sha256 and the size that the manifest
    says."""
    store = recorded(folder / "store")
    with h5py.File(store.path / FILE, "r+") as file:
        change(file, folder / "secret")
    return rewritten(store, (store.path / FILE).read_bytes())


def virtual(file, secret):
    layout = h5py.VirtualLayout((6,), "u1")
    layout[:] = h5py.VirtualSource(str(secret.with_suffix(".h5")), "values", (6,), "u1")
    file.create_virtual_dataset("stolen", layout)


def too_many_dimensions(file, secret):
    of = file["train_loss"].attrs
    del of["DIMENSION_LIST"]
    references = np.empty(500, dtype=object)
    for i in range(500):
        references[i] = np.array([file["step"].ref], dtype=h5py.ref_dtype)
    of.create("DIMENSION_LIST", references, dtype=h5py.vlen_dtype(h5py.ref_dtype))


def linked(name, make):
    """A change that gives a name another meaning."""
    return lambda file, secret: file.__setitem__(name, make(file, secret))


def made(name, shape, kind, **options):
    return lambda file, secret: file.create_dataset(name, shape, kind, **options)


CHANGES = {
    "external storage": lambda file, secret: file.create_dataset(
        "stolen", (6,), "u1", external=[(str(secret), 0, 6)]
    ),
    "external link": linked(
        "stolen", lambda _, secret: h5py.ExternalLink(str(secret.with_suffix(".h5")), "/values")
    ),
    "virtual": virtual,
    "hard link": linked("again", lambda file, _: file["train_loss"]),
    "folder": linked("deeper/loss", lambda *_: [1.0]),
    "many numbers": made("zeros", (10**14,), "f4", chunks=(10**6,), compression="gzip"),
    "many words": made("words", (10**9,), h5py.string_dtype(), chunks=(10**6,)),
    "words in an attribute": lambda file, _: file["train_loss"].attrs.__setitem__(
        "many", np.array(["a"] * 1000, dtype=object)
    ),
    "too many dimensions": too_many_dimensions,
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_record_that_names_another_file_or_does_not_fit_into_memory_is_one_sentence(
    tmp_path, change, monkeypatch
):
    (tmp_path / "secret").write_bytes(b"secret")
    with h5py.File(tmp_path / "secret.h5", "w") as other:
        other["values"] = np.frombuffer(b"secret", "u1")
    monkeypatch.setattr(machine, "free_memory_mb", lambda: 1e4)
    store = planted(tmp_path, CHANGES[change])
    with pytest.raises(RecordError) as caught:
        store.load(KEY)
    said = str(caught.value)
    assert (
        f"{FILE} cannot be read (" in said
        and said.isprintable()
        and "secret" not in said.partition("(")[2]
    )


@given(st.data())
def test_what_a_store_writes_it_reads_whatever_its_variables_are(data):
    """The rules that refuse files of others refuse none of ours."""
    sizes = {name: data.draw(st.integers(1, 3)) for name in ("seed", "step", "layer")}
    variables = {}
    names = st.from_regex(r"[a-z][a-z_ 0-9]{0,6}[a-z]", fullmatch=True)
    for name in data.draw(st.lists(names, unique=True, max_size=4)):
        if name in sizes:
            continue
        dims = data.draw(st.lists(st.sampled_from(sorted(sizes)), unique=True))
        kind = data.draw(st.sampled_from(["f4", "f8", "i8", "bool", "words"]))
        shape = [sizes[dim] for dim in dims]
        values = np.full(shape, "word") if kind == "words" else np.ones(shape, kind)
        variables[name] = (
            dims,
            values,
            data.draw(st.dictionaries(st.just("long_name"), st.text("abc", min_size=1))),
        )
    coords = {"seed": range(sizes["seed"]), "layer": [f"part {k}" for k in range(sizes["layer"])]}
    dataset = xr.Dataset(variables, coords, {"device": "cpu"})
    content = to_bytes(dataset)
    assert from_bytes(content).identical(
        xr.open_dataset(io.BytesIO(content), engine="h5netcdf").load()
    )


@given(st.integers(0, 10**6), st.integers(0, 255))
def test_a_file_that_is_no_dataset_any_more_is_one_sentence_or_numbers(place, at, byte):
    """A byte of it changed by who also changed the manifest."""
    shutil.copytree(place / "store", place / "other")
    other = Store(place / "other")
    content = bytearray((other.path / FILE).read_bytes())
    content[at % len(content)] = byte
    rewritten(other, content)
    try:
        assert isinstance(other.load(KEY), xr.Dataset)
    except RecordError as error:
        assert "cannot be read" in str(error) or "has key" in str(error)
    finally:
        shutil.rmtree(place / "other")


def test_a_record_whose_configuration_is_not_its_keys_is_not_handed_out(tmp_path):
    store = recorded(tmp_path / "store")
    other = store.load(KEY).assign_attrs(configuration='{"decay": 5}')
    with pytest.raises(
        RecordError, match=f"has key .*, not {KEY}: the manifest gives it to another"
    ):
        rewritten(store, to_bytes(other)).load(KEY)


# ----------------------------------------------------- a dataset that is no record, and its folders


def test_a_format_of_another_version_says_nothing_to_the_terminal(tmp_path):
    store = recorded(tmp_path / "store")
    text = json.dumps({"format": "\x1b[31m" + "a" * 1000, "records": {}})
    (store.path / MANIFEST).write_text(text)
    with pytest.raises(RecordError, match="has format ") as caught:
        store.entries()
    assert str(caught.value).isprintable() and len(str(caught.value)) < 400


FORMS = {
    "a configuration that is no JSON": lambda made: made.assign_attrs(configuration="{"),
    "no provenance": lambda made: made.drop_attrs(),
    "a provenance of numbers": lambda made: made.assign_attrs(provenance="[1]"),
    "a provenance without seeds": lambda made: made.assign_attrs(provenance="[{}]"),
    "runs of no cost": lambda made: made.assign_attrs(provenance='[{"seeds": [0]}]'),
    "no precision": lambda made: made.drop_attrs(deep=False).assign_attrs(
        provenance=made.attrs["provenance"]
    ),
    "no seed": lambda made: made.isel(seed=0, drop=True),
    "seeds that are none": lambda made: made.assign_coords(seed=[np.nan, 0.0]),
    "a seed twice": lambda made: made.assign_coords(seed=[0, 0]),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_dataset_that_is_no_record_is_one_sentence_whoever_asks_for_it(
    tmp_path, form, monkeypatch
):
    store, made = recorded(tmp_path / "store"), MadeUp(tmp_path / "trained")
    rewritten(store, to_bytes(FORMS[form](store.load(KEY))))
    monkeypatch.setattr("grokbook.runs.results.default_store", lambda: store)
    behind = Store(tmp_path / "front", fallbacks=(store,))
    for use in (
        lambda: store.load(KEY),
        *uses(store, made)[:2],
        uses(behind, made)[0],
        lambda: of_name(KEY),
    ):
        with pytest.raises(RecordError, match=f"{FILE} cannot be read"):
            use()


@pytest.mark.parametrize("name", [".locks", ".partial"])
def test_what_a_store_keeps_beside_its_records_is_in_the_store(tmp_path, name):
    """A link that somebody put there leads a writer to other files."""
    store, other = Store(tmp_path / "store"), tmp_path / "other"
    for folder in (store.path, other):
        folder.mkdir()
    (store.path / name).symlink_to(other)
    with pytest.raises(
        RecordError, match=f"cannot be written: its {name} is a link that leads out of it"
    ):
        load_or_run(MadeUp(tmp_path / "trained"), store, progress=False)
    assert not list(other.iterdir())


def test_a_lock_that_is_a_link_leaves_what_it_leads_to(tmp_path):
    store, other = Store(tmp_path / "store"), tmp_path / "mine"
    other.write_text("mine")
    (store.path / ".locks").mkdir(parents=True)
    (store.path / ".locks" / "manifest.lock").symlink_to(other)
    with pytest.raises(
        RecordError, match="manifest.lock is a link, and what it leads to is left alone"
    ):
        store.manifest_lock()
    assert other.read_text() == "mine"
