"""The record store: results by configuration. Atomic, verified, one trainer at a time, seeds added
as needed."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import xarray as xr
from filelock import BaseFileLock, Timeout

from grokbook.errors import ParameterError, RecordError, shown
from grokbook.fetch import fetched
from grokbook.files import PLAIN, atomic_write, given, inside, is_plain, locked, unreadable, whole
from grokbook.machine import check_fits, say
from grokbook.own_code import Code
from grokbook.training.config import NUMBERS, digest

if TYPE_CHECKING:
    from grokbook.runs.experiment import Experiment

MANIFEST, FORMAT = "MANIFEST.json", 1
NETCDF = (
    "CLASS",
    "NAME",
    "REFERENCE_LIST",
    "DIMENSION_LIST",
    "_Netcdf4Dimid",
    "_Netcdf4Coordinates",
    "_NCProperties",
)
NO_VARIABLE = b"This is a netCDF dimension but not a netCDF variable"
"""How the name begins of a table that gives a dimension its length and holds nothing."""


MOST_BYTES = 10**15
"""What no record has, whatever a manifest says."""


class RecordWarning(UserWarning):
    """A record was damaged and has been set aside."""


def family(name: str) -> str:
    """The folder of an experiment's records: its name without the bracketed arguments."""
    return name.split("[")[0]


def to_bytes(dataset: xr.Dataset) -> bytes:
    """The dataset as one netCDF-4 file, every variable deflated."""
    encoding = {name: {"zlib": True, "complevel": 4} for name in dataset.data_vars}
    buffer = io.BytesIO()
    dataset.to_netcdf(buffer, engine="h5netcdf", encoding=encoding)
    return buffer.getvalue()


def from_bytes(content: bytes) -> xr.Dataset:
    """The dataset that `to_bytes` wrote, in memory; equal to what `xarray.open_dataset` makes of
    it, at less cost.

    Nothing is read but the bytes given: a variable that names another file is refused, and one that
    does not fit into memory. Raises ValueError for these, OSError, KeyError or TypeError for what
    is no such dataset.

    Example:
        >>> dataset = xr.Dataset(
        ...     {"loss": ("step", [2.0, 1.0])}, {"step": [0, 10]}, {"device": "cpu"}
        ... )
        >>> from_bytes(to_bytes(dataset)).identical(dataset)
        True

    Source: dimensions as netCDF-4 keeps them in HDF5, scales that each variable names in
    DIMENSION_LIST.
    """
    with h5py.File(io.BytesIO(content)) as file:
        variables = {}
        for name, table in _tables(file, len(content)).items():
            words = h5py.check_string_dtype(table.dtype)
            values = table.asstr()[...].astype(str) if words else table[...]
            variables[name] = xr.Variable(_dims(file, name, table), values, _attributes(table))
        return xr.decode_cf(xr.Dataset(variables, attrs=_attributes(file)))


def _tables(file: h5py.File, length: int) -> dict[str, h5py.Dataset]:
    """The variables of a file of so many bytes, each of which lies in the file itself and fits into
    memory.

    HDF5 can name other files: by links, by external storage, by virtual datasets. None is followed.
    Raises ValueError.
    """
    tables, needed = {}, 0
    for name in file:
        if file.id.links.get_info(name.encode()).type != h5py.h5l.TYPE_HARD or not is_plain(name):
            raise ParameterError(f"{shown(name)} is a link, or no name of a variable")
        table = file[name]
        if not isinstance(table, h5py.Dataset) or h5py.h5o.get_info(table.id).rc != 1:
            raise ParameterError(f"{shown(name)} is no variable of its own")
        layout = table.id.get_create_plist()
        if layout.get_layout() == h5py.h5d.VIRTUAL or layout.get_external_count():
            raise ParameterError(f"{shown(name)} is kept in another file")
        if bytes(table.attrs.get("NAME", b"")).startswith(NO_VARIABLE):
            continue
        needed += table.nbytes
        if table.dtype.hasobject:  # each word may be all of the file
            needed += table.size * length
        tables[name] = table
    check_fits(needed)
    return tables


def _dims(file: h5py.File, name: str, table: h5py.Dataset) -> tuple[str, ...]:
    """The dimensions of a variable. Raises ValueError where it does not name one scale for each of
    its axes."""
    # a scale, the coordinate of its own dimension, names none
    if "DIMENSION_LIST" not in table.attrs:
        return (name,) * table.ndim
    if table.attrs.get_id("DIMENSION_LIST").shape != (table.ndim,):
        raise ParameterError(f"{shown(name)} has not as many dimensions as axes")
    return tuple(file[of[0]].name[1:] for of in table.attrs["DIMENSION_LIST"])


def _attributes(of: h5py.HLObject) -> dict[str, Any]:
    """Attributes without those that netCDF-4 keeps for itself; those of one entry are numbers, or
    one text.

    Raises ValueError for several texts.
    """
    attrs = {}
    for name in of.attrs:
        if name in NETCDF:
            continue
        about = of.attrs.get_id(name)
        if about.dtype.hasobject and prod(about.shape or ()) != 1:
            raise ParameterError(f"the attribute {shown(name)} is no text")
        value = of.attrs[name]
        attrs[name] = value[0] if about.shape == (1,) else value
    return attrs


class Store:
    """A folder of records, `<experiment>/<key>.nc` each, with sha256, provenance and cost in
    MANIFEST.json.

    The key of a record is the experiment's configuration and version; its seeds can be added to
    later. Reading verifies the sha256: a file that does not match is reported by name
    (RecordWarning), set aside as `*.corrupt` and computed again. Writing is atomic, and a lock
    keeps two processes from training one record. A run with classes of a reader's own is answered
    with runs of their present code alone; where that code is not known (no source, a lambda in a
    field) nothing is kept.

    Args:
        path: the folder; made when first written to.
        fallbacks: stores that are only read, asked before anything is trained.
        read_only: whether nothing in the folder may be made, changed, renamed or removed.

    Example:
        >>> import tempfile
        >>> Store(tempfile.mkdtemp()).entries()
        {}
    """

    def __init__(
        self,
        path: str | Path,
        *,
        fallbacks: tuple[Store, ...] = (),
        read_only: bool = False,
    ) -> None:
        self.path, self.read_only = Path(path), read_only
        self.fallbacks = tuple(Store(s.path, read_only=True) for s in fallbacks)

    def file(self, name: str) -> Path:
        """The file of a name such as `family/key.nc`; ParameterError for one that leads anywhere
        else."""
        return inside(self.path, name)

    def entries(self) -> dict[str, dict[str, Any]]:
        """The manifest's entries, file name (relative, posix) -> entry. Raises RecordError if it is
        unreadable."""
        path = self.path / MANIFEST
        try:
            now = path.stat()
            return dict(_records_in(path, (now.st_ino, now.st_mtime_ns, now.st_size)))
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise unreadable(path, error) from error

    def find(self, key: str, code: Code | None = None) -> tuple[str, dict[str, Any]] | None:
        """File name and manifest entry of the record with this key, if this store has one it may
        answer with.

        `code` is that of who asks: where a part of it is a reader's own, only runs of the same code
        are an answer.
        """
        for name, entry in self.entries().items():
            if entry["key"] == key and (code is None or not code.own or _made_by(entry, code)):
                return name, entry
        return None

    def place(self, key: str, code: Code | None = None) -> Path | None:
        """The file of the record with this key, here or in a store behind this one."""
        for store in (self, *self.fallbacks):
            if record := store.find(key, code):
                return store.path / record[0]
        return None

    def load(self, key: str, code: Code | None = None) -> xr.Dataset | None:
        """The verified record with this key, None when there is none (or it was damaged: see the
        class).

        Raises RecordError for a file that has the sha256 of the manifest and yet is no dataset, or
        whose configuration is not that of the key.
        """
        record = self.find(key, code)
        if record is None:
            return None
        name, entry = record
        content = self._verified(name, entry)
        if content is None:
            content = self._second_look(key, name, code)
        if content is None:
            return None
        try:
            dataset = from_bytes(content)
            configuration = _configuration(dataset)
        except Exception as error:  # HDF5 and xarray raise many kinds
            raise unreadable(self.path / name, error) from error
        if configuration is not None and "version" in entry:
            other = digest({"version": entry["version"], "configuration": configuration})
            if other != key:
                raise RecordError(
                    f"the record {self.path / name} has key {other}, not {key}: the manifest gives"
                    " it to another run; remove its entry, and it is computed again."
                )
        return dataset

    def _verified(self, name: str, entry: dict[str, Any]) -> bytes | None:
        """The bytes of a record's file, or of the one about to take its place, if they have the
        manifest's sha256.

        Those of a record that a wheel did not bring are fetched.
        """
        for path in (self.file(name), _next(self.file(name))):
            with contextlib.suppress(OSError):
                content = given(path, entry["bytes"])
                if hashlib.sha256(content).hexdigest() == entry["sha256"]:
                    return content
        return fetched(self.path, name, entry)

    def _second_look(self, key: str, name: str, code: Code | None) -> bytes | None:
        """Read a record again while nobody writes to the store; set it aside if it is still
        damaged.

        A store that is only read is read again, and no more.
        """
        state = "missing or damaged, and this store cannot be written"
        try:
            with contextlib.nullcontext() if self.read_only else self.manifest_lock():
                record = self.find(key, code)
                content = self._verified(*record) if record else None
                if content is None and not self.read_only:
                    state = self._set_aside(record[0]) if record else "set aside by another process"
        except (OSError, RecordError):
            content = None
        if content is None:
            warnings.warn(
                f"the record {name} is {state}; it will be computed again.",
                RecordWarning,
                stacklevel=4,
            )
        return content

    def _set_aside(self, name: str) -> str:
        """Take a record out of the manifest, keeping its file as `*.corrupt`; says what was
        found."""
        path, state = self.file(name), "missing"
        if path.exists():
            aside = path.with_name(path.name + ".corrupt")
            os.replace(path, aside)
            state = f"damaged (its sha256 is not the manifest's); set aside as {aside.name}"
        entries = self.entries()
        entries.pop(name, None)
        self._write_manifest(entries)
        return state

    def verify(self) -> list[str]:
        """One sentence for every record whose file is missing or differs from the manifest; nothing
        is changed."""
        problems = []
        for name, entry in self.entries().items():
            if self._verified(name, entry) is None:
                exists = self.file(name).exists()
                what = "does not have the sha256 of the manifest" if exists else "is missing"
                problems.append(f"the record {name} {what}.")
        return problems

    def seeds(self, key: str, code: Code | None = None) -> tuple[int, ...]:
        """Seeds this store and its fallbacks hold for a key, by their manifests (files are not
        read)."""
        seeds: set[int] = set()
        for store in (self, *self.fallbacks):
            if record := store.find(key, code):
                seeds.update(record[1]["seeds"])
        return tuple(sorted(seeds))

    def checkpoints(self, experiment: Experiment) -> Path:
        """The folder of what an interrupted call left of an experiment's runs.

        Raises RecordError where another folder stands in the place of its record.
        """
        if (place := self.file(_name(experiment))).is_dir():
            raise RecordError(f"the record {place} cannot be written: it is a folder.")
        return inside(self._of_its_own(".partial"), experiment.trained_key)

    def _of_its_own(self, name: str) -> Path:
        """A folder of the store with what is no record. Raises RecordError where a link leads out
        of the store."""
        folder = self.path / name
        if not folder.resolve().is_relative_to(self.path.resolve()):
            raise RecordError(
                f"the store {self.path} cannot be written: its {name} is a link that leads out"
                " of it."
            )
        return folder

    def add(self, experiment: Experiment, fresh: xr.Dataset, code: Code | None = None) -> None:
        """Add seeds to an experiment's record; `attrs["provenance"]` says how they were made,
        `code` by which code.

        File, manifest, name, in this order: whenever it is killed, the manifest's sha256 is that of
        a whole file.
        """
        dataset = fresh
        earlier = self.load(experiment.key, code or experiment.code)
        if earlier is not None:
            seeds = {*earlier.seed.values.tolist(), *fresh.seed.values.tolist()}
            dataset = select([earlier, fresh], sorted(seeds))
        content = to_bytes(dataset)
        name = _name(experiment)
        origins = json.loads(dataset.attrs["provenance"])
        entry = {
            "experiment": experiment.name,
            "version": experiment.version + NUMBERS,
            "key": experiment.key,
            "seeds": [int(s) for s in dataset.seed.values],
            "sha256": hashlib.sha256(content).hexdigest(),
            "bytes": len(content),
            "cost": {"seconds": round(sum(p["seconds"] for p in origins), 2)},
            "provenance": origins,
            "configuration": experiment.configuration(),
        }
        with self.manifest_lock():
            entries = self.entries()
            # there if a process was killed before it gave this file its name
            waiting = _next(self.file(name))
            left = waiting.read_bytes() if name in entries and waiting.is_file() else b""
            if left and hashlib.sha256(left).hexdigest() == entries[name]["sha256"]:
                atomic_write(self.file(name), left)
            atomic_write(waiting, content)
            # the same configuration, under another experiment's name perhaps
            before = {n for n, other in entries.items() if other["key"] == experiment.key}
            for old in before:
                del entries[old]
            self._write_manifest(entries | {name: entry})
            # the record is whole, and is read under the name that it waits with
            with contextlib.suppress(OSError):
                os.replace(waiting, self.file(name))
                for old in before - {name}:
                    self.file(old).unlink(missing_ok=True)

    def _write_manifest(self, entries: dict[str, Any]) -> None:
        text = json.dumps({"format": FORMAT, "records": dict(sorted(entries.items()))}, indent=1)
        atomic_write(self.path / MANIFEST, (text + "\n").encode())

    def manifest_lock(self) -> contextlib.AbstractContextManager[BaseFileLock]:
        """What is held while the manifest is read, changed and written."""
        held = self._acquired("manifest")
        # another process may have written in the same moment, to the same inode
        _records_in.cache_clear()
        return held

    def _lock_path(self, name: str) -> Path:
        return inside(self._of_its_own(".locks"), f"{name}.lock")

    def _acquired(
        self, name: str, timeout: float = -1
    ) -> contextlib.AbstractContextManager[BaseFileLock]:
        """A lock, held on return. Raises Timeout, and RecordError where the store cannot be
        written."""
        if self.read_only:
            raise RecordError(f"the store {self.path} is only read.")
        return locked(self._lock_path(name), f"the store {self.path}", timeout)

    def lock(self, key: str) -> contextlib.AbstractContextManager[BaseFileLock]:
        """The lock of one record, held on return; says so when another process is training it."""
        try:
            return self._acquired(key, 0.2)
        except Timeout:
            say(f"another process is working on record {key}; waiting for it.")
            return self._acquired(key)


@lru_cache(maxsize=8)
def _records_in(path: Path, state: tuple[int, int, int]) -> dict[str, dict[str, Any]]:
    """The entries of a manifest; `state`, its inode, time and size, tells one version of the file
    from the next."""
    manifest = json.loads(whole(path))
    records = manifest["records"]
    if (version := manifest.get("format", FORMAT)) != FORMAT:
        problem = f"has format {shown(version)}, and this version of grokbook reads format {FORMAT}"
        raise RecordError(f"{path} {problem}; update grokbook, or name another store.")
    for name, entry in records.items():
        if not _is_entry(name, entry):
            raise unreadable(path, f"the entry of {shown(name)} is damaged")
    return records


def _is_entry(name: str, entry: Any) -> bool:
    """Whether an entry of a manifest has what is asked of it, and its name is `family/key.nc`."""
    match entry:
        case {
            "experiment": str(called),
            "key": str(key),
            "sha256": str(sha256),
            "bytes": int(size),
            "seeds": [*seeds],
            "provenance": [_, *_] as made,
        }:
            return bool(
                _is_record(name, key)
                and re.fullmatch(r"[0-9a-f]{64}", sha256)
                and called.isprintable()
                and 0 <= size < MOST_BYTES
                and all(isinstance(seed, int) for seed in seeds)
                and all(map(_is_origin, made))
            )
    return False


def _is_origin(part: Any) -> bool:
    """Whether a part of a provenance can say when runs were made."""
    return isinstance(part, dict) and isinstance(part.get("recorded_on", ""), str)


def _configuration(dataset: xr.Dataset) -> Any:
    """The configuration that a record says, None where it says none; its seeds and its provenance
    are those of one.

    Raises ValueError for what no record of ours has.
    """
    if dataset.seed.ndim != 1 or dataset.seed.dtype.kind not in "iu":
        raise ParameterError("its seeds are no whole numbers in a row")
    seeds = dataset.seed.values.tolist()
    if len(set(seeds)) != len(seeds):
        raise ParameterError("it has a seed twice")
    for part in json.loads(dataset.attrs["provenance"]):
        if not all(isinstance(seed, int) for seed in part["seeds"]):
            raise ParameterError("its provenance has seeds that are no whole numbers")
        if not isinstance(part["seconds"], int | float):
            raise ParameterError("its provenance does not say what its runs cost")
    if "dtype" not in dataset.attrs:
        raise ParameterError("it does not say in which numbers it was computed")
    return json.loads(dataset.attrs.get("configuration", "null"))


def _made_by(entry: Mapping[str, Any], code: Code) -> bool:
    """Whether code of a reader's own, which computes the same as now, made all runs of an entry."""
    if code.digest is None:
        return False
    for part in entry["provenance"]:
        if (part.get("fingerprint"), part.get("probe")) != (code.digest, code.probe):
            return False
    return bool(entry["provenance"])


def _is_record(name: str, key: str) -> bool:
    """Whether a name is that of the record with this key, `family/key.nc`."""
    folder, _, file = name.rpartition("/")
    ours = re.fullmatch(r"[0-9a-f]{16}", key) and file == f"{key}.nc"
    return bool(ours) and all(map(is_plain, folder.split("/")))


def _name(experiment: Experiment) -> str:
    """The file of an experiment's record in the folder of the store. Raises ParameterError where it
    cannot be there."""
    name = f"{family(experiment.name)}/{experiment.key}.nc"
    if not _is_record(name, experiment.key) or not experiment.name.isprintable():
        raise ParameterError(
            f"{shown(name)} names no record, FAMILY/KEY.nc; a part of a name has {PLAIN}."
        )
    return name


def _next(path: Path) -> Path:
    """Where the file that will take the place of a record's is written first."""
    return path.with_name(path.name + ".next")


def select(parts: Sequence[xr.Dataset], seeds: Sequence[int]) -> xr.Dataset:
    """The wanted seeds in order, each from the first part that has it; provenance of the parts
    used."""
    chosen: list[xr.Dataset] = []
    origins: list[dict[str, Any]] = []
    left = set(seeds)
    for part in parts:
        new = [seed for seed in part.seed.values.tolist() if seed in left]
        if not new:
            continue
        left -= set(new)
        chosen.append(part.sel(seed=new))
        for origin in json.loads(part.attrs["provenance"]):
            if not set(origin["seeds"]).isdisjoint(new):
                origins.append(origin)
    joined = xr.concat(chosen, dim="seed", data_vars="all") if len(chosen) > 1 else chosen[0]
    joined = joined.sel(seed=list(seeds))
    joined.attrs = dict(chosen[0].attrs) | {"provenance": json.dumps(origins)}
    return joined
