"""Fig. 2 of Liu et al. 2022 again: two numbers a symbol, and what the decoder says at every point of the plane."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import torch
import xarray as xr
from matplotlib.figure import Figure

from grokbook.chapters.trained_toys.runs import TOLERANCE
from grokbook.claims import Finding, Runs, claim, judge
from grokbook.claims.finding import some
from grokbook.claims.words import spread
from grokbook.measures.fourier import energy_share
from grokbook.models.midpoint import MidpointToy
from grokbook.plotting.plane import numbered, window
from grokbook.plotting.style import panels, styled
from grokbook.runs.experiment import Experiment
from grokbook.runs.lead import rank_test
from grokbook.runs.liu2022 import rates
from grokbook.tasks.sums import SumTask
from grokbook.theory.parallelograms import closed_set, nullity, permissible_set, representation_quality_index
from grokbook.training.config import RunConfig
from grokbook.training.forward import split_weights
from grokbook.training.optim import AdamW
from grokbook.training.schedule import Schedule

P, SIDE = 11, 64
"""Symbols of the figure; points of the recorded plane in each direction."""

STORED = {"rqi": 0.619, "test": 0.88, "modular": 0.917, "modular_bad": 0.077}
"""RQI and test accuracies that are stored with the programs of the figure: its good runs, and the bad modular one."""

EXAMPLE = ((5, 9), (6, 8))
"""The paper's example of Fig. 2: two pairs of one label."""

SECTION = "Two dimensions: what the decoder does"
LEVEL = 0.05


@dataclass(frozen=True)
class Decoded(Experiment):
    """An experiment that also records what its decoder says at the end.

    Variables `answered` (seed, sample): the label that each pair of the task is given; `decoded` (seed, row, column):
    that of `SIDE` x `SIDE` points of `window`, from its lower left corner, rows upwards.
    """

    def run(self, seeds: tuple[int, ...] | None = None, **options: Any) -> xr.Dataset:
        """Train the seeds (default: all); options and dataset as those of `Experiment.run`."""
        found = super().run(seeds, keep_weights=True, **options)
        each = [self._said(torch.from_numpy(row)) for row in found.weights.values]
        return found.drop_vars("weights").merge(xr.concat(each, found.seed), combine_attrs="override")

    def _said(self, row: torch.Tensor) -> xr.Dataset:
        weights, model = split_weights(self.config, row), self.config.model
        left, right, low, high = window(weights["W_E"].numpy())
        x, y = np.meshgrid(np.linspace(left, right, SIDE), np.linspace(low, high, SIDE))
        points = torch.from_numpy(np.stack([x, y], axis=-1)).to(row.dtype)
        with torch.no_grad():
            answered = model.forward(weights, torch.from_numpy(self.config.task.inputs)).argmax(dim=-1)
            decoded = model.decode(weights, points).argmax(dim=-1)
        said = {"answered": ("sample", answered), "decoded": (("row", "column"), decoded)}
        return xr.Dataset({name: (dims, labels.numpy().astype(np.int8)) for name, (dims, labels) in said.items()})


def _run(task: SumTask, model: MidpointToy, optimizer: AdamW, steps: int, loss: str) -> RunConfig:
    log = Schedule(dense_until=0, points=100)
    return RunConfig(task, model, optimizer, steps=steps, log=log, snapshots=2, loss=loss)


@lru_cache(maxsize=1)
def fig2() -> dict[str, Experiment]:
    """The four settings of the figure, ten seeds each, and variants: unordered pairs, a decoder of the sum.

    The good run of addition is on ordered pairs in the authors' program, and the modular ones are of the sum there.
    Ours: a ReLU for a leaky one in the modular runs; our seeds draw splits and first weights; (0, 0) and (0, 1) are not
    put into every training set.

    Example:
        >>> {name: run.config.n_train for name, run in fig2().items()}["addition"]
        97
    """
    good, ordered = MidpointToy(P, outputs=2 * P - 1, centre=1.0), SumTask(P, 0.8, ordered=True)
    slow, unordered = rates(9e-5, 5.0), dataclasses.replace(ordered, ordered=False)
    deep = dataclasses.replace(good, hidden=(256, 256), repeats=6, centre=0.0)
    modular, one = SumTask(P, 0.8, modular=True), dataclasses.replace(good, hidden=(128,), outputs=P, centre=0.0)
    large = dataclasses.replace(deep, repeats=4, outputs=P)
    fast, still = rates(2e-4, 5.0), rates(1e-5, 10.0)
    configs = {
        "addition": _run(ordered, good, slow, 20_000, "squared_error"),
        "addition, unordered": _run(unordered, good, slow, 20_000, "squared_error"),
        "addition, bad": _run(SumTask(P, 0.7), deep, rates(1e-3, 0.0, 2e-4), 401, "squared_error"),
        "modular": _run(modular, one, fast, 20_000, "cross_entropy"),
        "modular, sum": _run(modular, dataclasses.replace(one, gain=2.0), fast, 20_000, "cross_entropy"),
        "modular, bad": _run(modular, large, still, 20_000, "cross_entropy"),
        "modular, bad, sum": _run(modular, dataclasses.replace(large, gain=2.0), still, 20_000, "cross_entropy"),
    }
    return {name: Decoded(f"liu2022/fig2[{name}]", config, tuple(range(10))) for name, config in configs.items()}


RUNS = (fig2,)


def table(runs: Mapping[str, xr.Dataset]) -> pd.DataFrame:
    """A row a run: `kind`, `seed`, the accuracies `train` and `test`, what its pairs force and what its embedding is.

    `mirrored` is the share of the test pairs whose mirror image was trained, `free` the accuracy on these (NaN where
    there are none), `new` that on the `others`, a number of pairs; `shown` is the number of unordered pairs trained.
    `nullity` is that of the training pairs, 2 where they force a line (not used for sums modulo p), `rqi` the
    representation quality index at tolerance 0.1, `closed` the same of the parallelograms of training pairs alone,
    `ring` the share of the embedding's variance at its strongest frequency.
    """
    rows = []
    for kind, data in runs.items():
        for seed in data.seed.values.tolist():
            run, task = data.sel(seed=seed), fig2()[kind].config.with_seed(seed).task
            right, points = run.answered.values == task.targets, embedding(run)
            tested = ~np.isin(np.arange(task.samples), task.train_index)
            told = sorted({tuple(sorted(pair)) for pair in task.inputs[task.train_index].tolist()})
            seen = set(permissible_set(told))
            rows.append({
                "kind": kind, "seed": seed, "train": right[task.train_index].mean(), "test": right[tested].mean(),
                "mirrored": task.mirrored.sum() / tested.sum(), "new": right[tested & ~task.mirrored].mean(),
                "others": int((tested & ~task.mirrored).sum()), "shown": len(told),
                "free": right[task.mirrored].mean() if task.mirrored.any() else np.nan, "nullity": nullity(told, P),
                "rqi": representation_quality_index(points, TOLERANCE), "ring": energy_share(points, 1),
                "closed": len(seen & set(closed_set(points, TOLERANCE))) / len(seen),
            })  # fmt: skip
    return pd.DataFrame(rows)


NAMES = {"train": "training set", "test": "test set", "mirrored": "mirror images in it", "new": "the others right",
         "rqi": "RQI", "closed": "RQI of training pairs", "ring": "at one frequency"}  # fmt: skip
"""How the columns of `table` are called on the page."""


def overview(rows: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """The medians of some columns of `table` by setting, in per cent, with the range over the seeds; a dash for zeros.

    Example:
        >>> rows = pd.DataFrame({"kind": "a", "test": [0.5, 1.0], "mirrored": [0.0, 0.0]})
        >>> overview(rows, ["test", "mirrored"]).iloc[0].tolist()[2:]
        ['75 % (50 to 100)', '–']
    """
    found = []
    for kind, own in rows.groupby("kind", sort=False):
        shown = {}
        for name, share in (100 * own[[*columns]]).items():
            shown[NAMES[name]] = f"{share.median():.0f} % ({spread(share, '.0f')})" if share.any() else "–"
        found.append({"setting": kind, "runs": len(own)} | shown)
    return pd.DataFrame(found)


def settings() -> pd.DataFrame:
    """What differs between the runs of `fig2`, a row a setting.

    Example:
        >>> settings().set_index("setting")["decoder decay"].tolist()
        [5.0, 5.0, 0.0, 5.0, 5.0, 10.0, 10.0]
    """
    rows = []
    for kind, run in fig2().items():
        config, (encoder, decoder) = run.config, (run.config.optimizer.of(part) for part in ("encoder", "decoder"))
        model, task = config.model, config.task
        width, inner = model.hidden[0], len(model.hidden) - 1
        rows.append({
            "setting": kind, "pairs": "ordered" if task.ordered else "unordered",
            "trained": f"{task.train_fraction:.0%}", "updates": config.steps,
            "embedding rate": encoder.learning_rate, "decoder rate": decoder.learning_rate,
            "decoder decay": decoder.weight_decay, "width": width, "inner layer, applied": inner * model.repeats,
            "decoder sees": "sum" if model.gain == 2 else "midpoint",
        })  # fmt: skip
    return pd.DataFrame(rows)


def embedding(run: xr.Dataset) -> np.ndarray:
    """The vectors of one run's symbols at its end, (p, 2)."""
    return run.embedding.isel(snapshot=-1).to_numpy().astype(float)


@lru_cache(maxsize=1)
def chance_ring(draws: int = 2_000) -> float:
    """The share of variance at the strongest frequency that 5 % of normal tables (11, 2) exceed."""
    rng = np.random.default_rng(0)
    return float(np.quantile([energy_share(rng.normal(size=(P, 2)), 1) for _ in range(draws)], 0.95))


@styled
def regions(runs: Mapping[str, xr.Dataset], addition: tuple[int, int], modular: tuple[int, int]) -> Figure:
    """Fig. 2: symbols and the label of every midpoint, addition above, modular below; the good setting with two seeds.

    The bad one has the first of these.

    In the panels of addition the pairs of symbols of the paper's example are joined; at their midpoints stand the
    answers to them.
    """
    fig, axes = panels(2, 3, height=5)
    shown = {"addition": ("viridis", addition), "modular": ("twilight", modular)}
    for row, (task, (colours, seeds)) in zip(axes, shown.items(), strict=True):
        columns = (("bad", seeds[0]), ("good", seeds[0]), ("good", seeds[1]))
        for ax, (setting, seed) in zip(row, columns, strict=True):
            kind = f"{task}, bad" if setting == "bad" else task
            run, task_of = runs[kind].sel(seed=seed), fig2()[kind].config.task
            points, labels = embedding(run), task_of.outputs
            image = ax.imshow(run.decoded, origin="lower", extent=window(points), interpolation="nearest", alpha=0.8,
                      cmap=colours, vmin=0, vmax=labels - (task == "addition"))  # fmt: skip
            for ends in EXAMPLE if task == "addition" else ():
                ax.plot(*points[list(ends)].T, color="white", lw=1.6)
                said = run.answered.values[(task_of.inputs == ends).all(axis=1).argmax()]
                ax.text(*points[list(ends)].mean(axis=0), str(said), ha="center", va="center", fontsize=9, zorder=3,
                        bbox={"boxstyle": "square,pad=0.2", "fc": "white", "ec": "black"})  # fmt: skip
            numbered(ax, points)
            ax.set_title(f"{task}, {setting}, seed {seed}: {float(run.test_accuracy[-1]):.0%}")
        fig.colorbar(image, ax=list(row), shrink=0.8, label="label", ticks=range(0, labels, labels // 5))
    return fig


def linked(rows: pd.DataFrame, measure: str, accuracy: str) -> tuple[float, float]:
    """Somers' D of a measure and the accuracy over runs of one kind, all kinds joined, and its p-value (`rank_test`).

    Runs of one seed share draws, so that the seeds of all kinds are permuted together; a seed that a kind lacks is left
    out.

    Example:
        >>> rows = pd.DataFrame({"kind": "a", "seed": range(6), "rqi": range(6), "new": range(6)})
        >>> linked(rows, "rqi", "new")[0]
        1.0
    """
    both = rows.groupby("seed").kind.transform("nunique") == rows.kind.nunique()
    kinds = rows[both].sort_values("seed").groupby("kind")
    test = rank_test([(-of[measure], -of[accuracy]) for _, of in kinds], together=True)
    return test.tau, test.p_value


@claim("LF1", "liu2022", "section 3, Fig. 2 (a, b)", section=SECTION, runs=fig2,
       published="stored: RQI 0.62, test 0.88", says="{told}")  # fmt: skip
def parallelograms_where_it_generalises(runs: Runs) -> Finding:
    """In toy addition "generalization appears to be linked to the emergence of highly-structured embeddings": Fig. 2
    "shows parallelograms".

    Our reading: among runs of one setting those with the larger RQI answer more of the test pairs whose mirror image
    was not trained (Somers' D above zero, the seeds of all settings permuted together, at 5 %).
    """
    return _link(_rows(runs, "addition"), "rqi", "RQI")


@claim("LF2", "liu2022", "section 3, Fig. 2 (c, d)", section=SECTION, runs=fig2, published="stored: test 0.917",
       rule_changed="2026-11-24 1db7ca3", says="{told}")  # fmt: skip
def circle_where_it_generalises(runs: Runs) -> Finding:
    """In toy modular addition too "generalization appears to be linked to the emergence of highly-structured
    embeddings": Fig. 2 "shows a circle".

    Our reading: as in LF1, with the share of the embedding's variance at one frequency and the test set, and by more
    than the training accuracy does, which knows no circle.
    """
    if (rows := _rows(runs, "modular")).empty:
        return judge(None, told="not run")
    circles = (rows.ring > chance_ring()).groupby(rows.kind, sort=False)
    seen = "; ".join(f"{kind}: {some(int(own.sum()), len(own))}" for kind, own in circles)
    right = some(int((rows.new >= 0.9).sum()), len(rows))
    more = f"; {right} answer 90 %; above the variance of 95 % of random tables ({chance_ring():.0%}): {seen}"
    return _link(rows, "ring", "variance at one frequency", more, beside=True)


def _rows(runs: Runs, task: str) -> pd.DataFrame:
    return table({kind: data for kind, data in runs.items() if kind.startswith(task)})


def _link(rows: pd.DataFrame, measure: str, called: str, more: str = "", *, beside: bool = False) -> Finding:
    if rows.empty:
        return judge(None, told="not run")
    (tau, p_value), (blind, _) = (linked(rows, of, "new") for of in (measure, "train"))
    link = None if min(p_value, 1 - p_value) > LEVEL or (beside and 0 < tau <= blind) else tau > 0
    told = (f"{called} and answers, within settings: Somers' D {tau:.2f} (p = {p_value:.4f}, {len(rows)} runs); "
            f"training accuracy and answers: {blind:.2f}")  # fmt: skip
    return judge(link, value=tau, told=told + more)
