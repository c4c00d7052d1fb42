"""An experiment is a frozen configuration with seeds; running it gives a dataset with dims `seed`
and `step`."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar

import torch
import xarray as xr

from grokbook.errors import ParameterError, RecordError, check_choice, checked_call, shown
from grokbook.files import PLAIN, is_plain, sweep
from grokbook.machine import say
from grokbook.own_code import Code, is_own, spelled
from grokbook.paths import local_store_path, records_path
from grokbook.runs.provenance import note, provenance
from grokbook.runs.ratios import ratio
from grokbook.runs.snapshots import WeightSnapshots
from grokbook.runs.store import Store, family, select
from grokbook.training.config import NUMBERS, RunConfig, canonical, digest
from grokbook.training.contract import check_watches
from grokbook.training.cost import Cost, predict
from grokbook.training.ensemble import checkpoint_path, groups, train
from grokbook.training.forward import split_weights
from grokbook.training.identity import ReadAtEnd, code_and_probe
from grokbook.training.watching import Watch

KEPT = ("embedding", "weights")
"""What of a network is kept at the snapshots of a run."""


def which_seeds(seeds: int | Sequence[int]) -> tuple[int, ...]:
    """The seeds 0, 1, ... of so many, or those that are named.

    Raises ParameterError for none, repeated or negative ones, and what is no whole number.

    Example:
        >>> which_seeds(3), which_seeds([4, 7])
        ((0, 1, 2), (4, 7))
    """
    named: tuple[Any, ...] = ()
    if isinstance(seeds, Integral):
        named = () if isinstance(seeds, bool) else tuple(range(int(seeds)))
    elif isinstance(seeds, Iterable):
        named = tuple(seeds)
    are_numbers = all(isinstance(s, Integral) and not isinstance(s, bool) for s in named)
    if not named or not are_numbers or min(named) < 0 or len(set(named)) < len(named):
        raise ParameterError(
            f"seeds = {shown(seeds)} must be how many, 1 or more, or which, such as (0, 1, 2)."
        )
    return tuple(map(int, named))


@checked_call
@dataclass(frozen=True)
class Experiment:
    """One configuration, run with several seeds.

    A seed draws both the split and the initial weights. `key` identifies configuration and
    `version`, not the seeds and not the name.

    Args:
        name: folder of its records, and what tells it from others there in brackets.
        config: the run; its seed does not count.
        together: whether the seeds share a program on a CPU too, which pays for small networks.
        watch: name -> function of a `View` of the network at a logged step; each is a variable
            (seed, step).
        read_at_end: function of a run (whose seed is that of the row) and its parameters after the
            last step; its variables are recorded for each seed.
        in_key: what the key has of `watch` and `read_at_end`. Default: their names. Watches of a
            reader's own are in it by their names in any case.
        kept: the variables that are kept, in single precision. Default: all, as they are logged.
        keep: "weights" keeps all parameters at the `snapshots` steps too; "embedding" the tables
            alone.

    Raises ParameterError for no seeds, repeated or negative ones, a name whose parts between / name
    no folders, a watch that is no function under a name, and weights that are to be kept at no
    step.

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> from grokbook.tasks.arithmetic import ModularTask
        >>> config = RunConfig(ModularTask(5, train_fraction=0.5), Shape(5, d_model=8), steps=20)
        >>> Experiment("made/up", config, seeds=(3,)).run(progress=False).seed.values.tolist()
        [3]
    """

    name: str
    config: RunConfig
    seeds: tuple[int, ...] = (0, 1, 2)
    version: int = 1
    together: bool = False
    watch: Mapping[str, Watch] = field(default_factory=dict, hash=False)
    read_at_end: ReadAtEnd | None = None
    in_key: Mapping[str, Any] | None = field(default=None, hash=False)
    kept: tuple[str, ...] = ()
    keep: str = "embedding"
    rows: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "seeds", which_seeds(self.seeds))
        if not self.name.isprintable() or not all(map(is_plain, family(self.name).split("/"))):
            raise ParameterError(
                f"name = {shown(self.name)} names no folder of a store; a part of it has {PLAIN}."
            )
        check_watches(self.watch)
        check_choice("keep", self.keep, KEPT)
        if self.keep == "weights" and self.config.snapshots < 1:
            raise ParameterError(
                f"snapshots = {self.config.snapshots} keeps no weights; keep = 'weights' needs 1 or"
                " more."
            )

    def trained(self) -> dict[str, Any]:
        """What is trained, without its seeds, as plain values."""
        values = self.config.as_dict()
        del values["seed"]
        values["task"].pop("seed", None)
        return values

    def configuration(self) -> dict[str, Any]:
        """The configuration without its seeds, as plain values, and what is recorded beside what
        training logs."""
        values = self.trained() | dict(self.in_key or {})
        named = []
        for name, watch in self.watch.items():
            if self.in_key is None or is_own(watch):
                named.append(name)
        if named:
            values["watch"] = named
        if self.read_at_end is not None and self.in_key is None:
            values["read_at_end"] = spelled(self.read_at_end)
        if self.keep != "embedding":
            values["keep"] = self.keep
        return values

    @property
    def key(self) -> str:
        """16 hexadecimal digits of the configuration and the version, the experiment's and that of
        all `NUMBERS`."""
        return digest({"version": self.version + NUMBERS, "configuration": self.configuration()})

    @property
    def trained_key(self) -> str:
        """By what checkpoints of its runs are found: with a mended watch they are found again."""
        if not self.watch:
            return self.key
        return digest({"watched": self.trained(), "version": self.version})

    @property
    def code(self) -> Code:
        """The code that its numbers go through, and what it computes where a reader wrote a part of
        it."""
        return code_and_probe(self.config, self.watch, self.read_at_end)

    def with_seeds(self, count: int) -> Experiment:
        """The same experiment with seeds 0 .. count-1."""
        if count < 1:
            raise ParameterError(f"n_seeds = {count} must be 1 or more.")
        return dataclasses.replace(self, seeds=tuple(range(count)))

    def to_train(self, seeds: Sequence[int]) -> list[RunConfig]:
        """What is trained, a configuration a seed."""
        return [self.config.with_seed(seed) for seed in seeds]

    def run(self, seeds: tuple[int, ...] | None = None, **options: Any) -> xr.Dataset:
        """Train the seeds (default: all of the experiment's) and return the dataset, dims `seed`
        and `step`.

        `options` are those of `grokbook.training.train`.
        """
        seeds = self.seeds if seeds is None else seeds
        configs = self.to_train(seeds)
        if self.together:
            options = {"rows": len(configs)} | options
        watch = dict(self.watch)
        snapshots = WeightSnapshots(self.config)
        if self.keep == "weights":
            watch[snapshots.name] = snapshots
        reads = self.read_at_end is not None
        dataset = train(configs, watch=watch or None, keep_weights=reads, **options)
        attributes = dataset.attrs
        dataset = dataset.swap_dims(run="seed")
        if reads:
            dataset = dataset.drop_vars("weights").merge(self.ends(dataset, configs, "seed"))
        if self.keep == "weights":
            dataset = dataset.drop_vars(snapshots.name).merge(snapshots.table(seeds), join="outer")
        if self.kept:
            dataset = dataset[list(self.kept)].astype("float32")
        return self.described(dataset, attributes)

    def ends(self, dataset: xr.Dataset, configs: Sequence[RunConfig], dim: str) -> xr.Dataset:
        """What is read of the parameters (run, parameter) at the end of each run, along a dimension
        `dim`."""
        assert self.read_at_end is not None  # whoever calls this has looked
        ends = []
        for config, row in zip(configs, dataset.weights.values, strict=True):
            ends.append(self.read_at_end(config, split_weights(config, torch.from_numpy(row))))
        return xr.concat(ends, dataset[dim])

    def described(self, dataset: xr.Dataset, origin: Mapping[str, Any]) -> xr.Dataset:
        """The dataset with what a record says of itself: configuration, and on what it was
        `made`."""
        attributes = {"configuration": canonical(self.configuration()), "dtype": self.config.dtype}
        dataset.attrs = attributes | {
            "device": origin["device"],
            "update": origin.get("update", "eager"),
        }
        return dataset

    def chunks(self, seeds: Sequence[int]) -> list[list[RunConfig]]:
        """The runs of these seeds by programs, as they are trained on a CPU where nobody asks for
        other ones."""
        return _by_programs(self.to_train(seeds), self.rows)

    def forget(self, seeds: tuple[int, ...], checkpoints: Path, rows: int | None = None) -> None:
        """Remove checkpoints of finished seeds, trained alone, together or `rows` at a time, and an
        empty folder.

        What writers that were killed left there goes too.
        """
        configs = self.to_train(seeds)
        for size in {1, self.rows, rows, None}:
            for group in _by_programs(configs, size):
                for keep in (False, True):
                    Path(checkpoint_path(checkpoints, group, keep)).unlink(missing_ok=True)
        sweep(checkpoints)
        if checkpoints.is_dir() and not any(checkpoints.iterdir()):
            checkpoints.rmdir()

    def counted(self, seeds: int) -> Cost:
        """Seconds on one core of this machine by the work that is counted in `seeds` runs, and
        memory of one."""
        cost = predict(self.config, max(seeds, 1) if self.together else 1)
        return Cost(cost.seconds * seeds, cost.memory_mb)

    def predicted(self, seeds: int | None = None) -> Cost:
        """Predicted seconds on one core of this machine for `seeds` runs (default: all), and memory
        of one program.

        What is counted, times the ratio that was measured for this kind of run.
        """
        counted = self.counted(len(self.seeds) if seeds is None else seeds)
        return Cost(counted.seconds * ratio(self.name, self.config), counted.memory_mb)

    def missing_seeds(self, store: Store | None = None) -> tuple[int, ...]:
        """Seeds that neither `store` (default: the project's) nor its fallbacks hold."""
        have = (store or default_store()).seeds(self.key, self.code)
        return tuple(seed for seed in self.seeds if seed not in have)


Experiments = dict[Any, Experiment]
"""Experiments by a label of the chapter that plans them."""


def _by_programs(configs: list[RunConfig], rows: int | None) -> list[list[RunConfig]]:
    """These runs by programs of at most `rows` of them (None: any number)."""
    return [[configs[i] for i in group] for group in groups(configs, rows)]


def default_store() -> Store:
    """The local store of this machine, with the committed records behind it."""
    return Store(local_store_path(), fallbacks=(Store(records_path()),))


def load_or_run(
    experiment: Experiment, store: Store | None = None, *, progress: bool = True, **options: Any
) -> xr.Dataset:
    """The experiment's dataset, dims `seed` (in the order asked for) and `step`: loaded, or trained
    and kept.

    Seeds that the store (default: the project's) or a fallback holds are loaded; the others are
    trained here, checkpointed, and added to the store's record; `options` are those of
    `grokbook.training.train`. `attrs["origin"]` says "recorded" (from a fallback), "cached" or
    "trained".

    Raises:
        TrainingError: a loss became NaN or infinite (nothing is recorded, finished seeds stay
            checkpointed).
        RecordError: the record could not be written (the checkpoints stay, so nothing is lost).
    """
    store = store or default_store()
    code = experiment.code
    if code.digest is None:
        say(f"nothing of {experiment.name} is kept: {code.why}.")
        fresh = _trained(experiment, code, experiment.seeds, None, progress, options)
        return _handed_out(experiment, [fresh], "trained")
    parts, origin, missing = _gathered(experiment, code, store)
    if missing:  # else not even a lock is written
        with store.lock(experiment.key):
            parts, origin, missing = _gathered(experiment, code, store)
            if missing:
                folder = store.checkpoints(experiment)
                fresh = _trained(experiment, code, missing, folder, progress, options)
                store.add(experiment, fresh, code)
                experiment.forget(missing, folder, options.get("rows"))
                parts.append(fresh)
                origin = "trained"
    else:
        _clear(experiment, store, parts)
    return _handed_out(experiment, parts, origin)


def _clear(experiment: Experiment, store: Store, parts: list[xr.Dataset]) -> None:
    """Remove checkpoints of recorded programs: a process that was killed after its record was
    written left them."""
    with suppress(OSError, RecordError):  # whoever cannot write here can still load
        folder = store.checkpoints(experiment)
        if not folder.is_dir():
            return
        for part in parts:
            for origin in json.loads(part.attrs["provenance"]):
                experiment.forget(tuple(origin["seeds"]), folder, origin.get("rows"))


def recorded(experiment: Experiment, store: Store | None = None) -> xr.Dataset | None:
    """The experiment's dataset if all its runs were made and are whole; None otherwise. Nothing is
    trained."""
    parts, origin, missing = _gathered(experiment, experiment.code, store or default_store())
    return None if missing else _handed_out(experiment, parts, origin)


def available(experiment: Experiment) -> xr.Dataset | None:
    """The dataset of those of the experiment's seeds whose runs were made and are whole; None if
    there is none.

    Nothing is trained. `attrs["missing"]` names the seeds that were not made.
    """
    missing = experiment.missing_seeds()
    present = tuple(seed for seed in experiment.seeds if seed not in missing)
    if not present:
        return None
    dataset = recorded(dataclasses.replace(experiment, seeds=present))
    return None if dataset is None else dataset.assign_attrs(missing=list(missing))


def _gathered(
    experiment: Experiment, code: Code, store: Store
) -> tuple[list[xr.Dataset], str, tuple[int, ...]]:
    """The parts of an experiment's dataset that a store and its fallbacks have, where from, and the
    missing seeds."""
    parts: list[xr.Dataset] = []
    origin = "cached"
    missing = experiment.seeds
    for where in (store, *store.fallbacks):
        part = where.load(experiment.key, code) if missing else None
        if part is not None:
            parts.append(part)
            origin = "cached" if where is store else "recorded"
            missing = tuple(seed for seed in missing if seed not in part.seed.values)
    return parts, origin, missing


def _trained(
    experiment: Experiment,
    code: Code,
    seeds: tuple[int, ...],
    folder: Path | None,
    progress: bool,
    options: dict[str, Any],
) -> xr.Dataset:
    """The dataset of these seeds, trained now, with its provenance."""
    resumed = folder is not None and folder.is_dir() and any(folder.iterdir())
    began = time.monotonic()
    used = sum(os.times()[:4])
    fresh = experiment.run(seeds, checkpoints=folder, progress=progress, **options)
    origin = provenance(fresh.attrs["device"], fresh.attrs["dtype"], code)
    origin["update"] = fresh.attrs.pop("update", "eager")
    if options.get("rows"):
        origin["rows"] = options["rows"]
    origin["seeds"] = list(seeds)
    origin["seconds"] = round(time.monotonic() - began, 2)
    # of this process and of those it has waited for
    origin["cpu_seconds"] = round(sum(os.times()[:4]) - used, 2)
    if resumed:
        origin["resumed"] = True
    fresh.attrs["provenance"] = json.dumps([origin])
    return fresh


def _handed_out(experiment: Experiment, parts: list[xr.Dataset], origin: str) -> xr.Dataset:
    """The wanted seeds of the parts, with where they are from noted, in the dataset and for the
    page."""
    dataset = select(parts, experiment.seeds)
    dataset.attrs |= {"origin": origin, "key": experiment.key, "experiment": experiment.name}
    note(dataset)
    return dataset
