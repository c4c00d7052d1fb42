"""Whether trained networks hold their classes apart where they were not trained: a linear probe beside pairs and nulls.

That pairs of classes are convexly separable tells nothing: they are so with a wrong class on every cell that was not
trained. A probe fitted on training cells and scored on the others can fail, and is watched while the networks learn.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.errors import ParameterError
from grokbook.measures.separability import class_separability, linear_probe
from grokbook.models.activations import activations
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import live_run
from grokbook.tasks import ModularTask
from grokbook.training.schedule import Schedule
from grokbook.training.watching import View, Watch

CHECKPOINTS = 20
"""Looks into a run after its start, evenly spread."""

PAIRS = 12
"""Pairs of classes drawn for each share of separable pairs."""

HALF, RIGHT, NOISE = 0.5, 0.9, 0.1
"""Score that counts as "readable", least accuracy of networks that generalise, largest score of a control."""

STAGES = {"attention": "attention 1", "mlp": "MLP 1"}
VERSION = 1  # of the watches: raised when what one of them computes changes


@dataclass(frozen=True)
class Probed(Experiment):
    """An experiment whose networks are probed at every logged step, each of `watches` a variable (seed, step)."""

    def configuration(self) -> dict[str, Any]:
        """The configuration without its seeds; `observed` names what is watched."""
        return super().configuration() | {"observed": dict.fromkeys(watches(), VERSION)}

    def run(self, seeds: tuple[int, ...] | None = None, **options: Any) -> xr.Dataset:
        """Train and probe the seeds (default: all); options and dataset as those of `Experiment.run`."""
        return super().run(seeds, watch=watches(), **options)


def plan(p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int) -> dict[str, Experiment]:
    """Plan of chapter 07: networks that are probed while they learn addition, the split symmetric.

    With this split the transpose of a test cell is a test cell. Two classes of the full grid have 2p points, and by
    Cover's count more than half of the ways to label n points in general position in d dimensions are separable as
    soon as n < 2(d + 1). So the width must be below p - 1.

    Raises ParameterError for a wider network.

    Example:
        >>> [run.name for run in plan(31, 0.5, 16, 20, 1).values()]
        ['live/probe[p=31, 0.5]']

    Source: Gu et al. 2025, section 5; Cover's count of 1965 is the reason for the width.
    """
    if d_model >= p - 1:
        raise ParameterError(
            f"d_model = {d_model} must be below p - 1 = {p - 1}: in more dimensions shuffled classes are separable too."
        )
    run = live_run(p, train_fraction, d_model, steps, n_seeds, split="symmetric")
    config = dataclasses.replace(run.config, log=Schedule(dense_until=0, points=CHECKPOINTS))
    return {"probed": Probed(f"live/probe[p={p}, {train_fraction:g}]", config, run.seeds)}


def sparse() -> dict[str, Experiment]:
    """The same where little is trained: modulus 59, 40 % of the cells, width 32, for 14,000 steps.

    Example:
        >>> [run.name for run in sparse().values()]
        ['gu2025/probe[p=59]']
    """
    run = plan(59, 0.4, 32, 14_000, 3)["probed"]
    said = "The transformer tends to encode the knowledge of the training set in a projected convex separable form."
    words = {"statement": said, "source": "Gu et al. 2025, section 1"}
    return {"sparse": dataclasses.replace(run, name="gu2025/probe[p=59]", **words)}


RUNS = (sparse,)


# --------------------------------------------------------------------------------------------- what is measured


def wrong_labels(task: ModularTask) -> np.ndarray:
    """The labels with a wrong class on every test cell, drawn at random (seeded), the same on (i, j) and (j, i).

    Training cells keep their class, so nothing of what the network was trained on is changed.

    Example:
        >>> task = ModularTask(7, train_fraction=0.5, split="symmetric")
        >>> np.array_equal(np.flatnonzero(wrong_labels(task) != task.labels), task.test_index)
        True
    """
    rng = np.random.default_rng([task.seed, 7])
    drawn = np.triu(rng.integers(1, task.p, (task.p, task.p)))
    shift = (drawn + np.triu(drawn, 1).T).ravel()
    wrong = (task.labels + shift) % task.p
    return np.where(task.train_mask.ravel(), task.labels, wrong)


def dealt_labels(task: ModularTask) -> np.ndarray:
    """The labels with those of the training cells dealt out among them at random (seeded)."""
    labels = task.labels.copy()
    labels[task.train_index] = np.random.default_rng([task.seed, 8]).permutation(labels[task.train_index])
    return labels


def watches() -> dict[str, Watch]:
    """What is watched, by name: for both stages the probe's score on test cells and the share of separable pairs.

    `probe_wrong` scores the probe after the MLP against `wrong_labels`, `probe_dealt` fits it to `dealt_labels`;
    `pairs_attention_wrong` and `pairs_mlp_wrong` are shares of separable pairs with `wrong_labels`.
    """
    latest: dict[str, Any] = {}

    def stages(view: View) -> dict[str, np.ndarray]:
        if latest.get("view") is not view:
            found = activations(dict(view.weights), torch.from_numpy(view.task.pairs), view.config.model)
            latest.update(view=view, rows={name: found[stage].double().numpy() for name, stage in STAGES.items()})
        return latest["rows"]

    def probe(stage: str, fitted: Callable = _labels, right: Callable = _labels) -> Watch:
        return lambda view: probe_score(stages(view)[stage], view.task, fitted(view.task), right(view.task))

    def pairs(stage: str, labels: Callable) -> Watch:
        return lambda view: _share(stages(view)[stage], labels(view.task), view.task.seed)

    found = {f"probe_{stage}": probe(stage) for stage in STAGES}
    found |= {"probe_wrong": probe("mlp", right=wrong_labels), "probe_dealt": probe("mlp", dealt_labels)}
    found |= {f"pairs_{stage}": pairs(stage, _labels) for stage in STAGES}
    return found | {f"pairs_{stage}_wrong": pairs(stage, wrong_labels) for stage in STAGES}


def _labels(task: ModularTask) -> np.ndarray:
    return task.labels


def _share(points: np.ndarray, labels: np.ndarray, seed: int) -> float:
    return class_separability(points, labels, pairs=PAIRS, seed=seed).share


def probe_score(points: np.ndarray, task: ModularTask, fitted: np.ndarray, right: np.ndarray) -> float:
    """Share of the test cells to which a linear probe, fitted to `fitted` on the training cells, gives `right`.

    `points` (p*p, d); `fitted` and `right` (p*p,), usually both the task's labels.

    Example:
        >>> task = ModularTask(7, train_fraction=0.5)
        >>> probe_score(np.eye(7)[task.labels], task, task.labels, task.labels)
        1.0
    """
    test = task.test_index
    return float((linear_probe(points, fitted, task.train_index)[test] == right[test]).mean())


ROWS = {
    "the network itself (oracle)": "test_accuracy",
    "probe after the MLP": "probe_mlp",
    "probe after the attention": "probe_attention",
    "labels dealt out (control)": "probe_dealt",
    "wrong classes (null)": "probe_wrong",
}


def reached(series: xr.DataArray) -> np.ndarray:
    """First logged step of each seed at which a score is at least `HALF`; NaN where it never is."""
    high = (series >= HALF).transpose("seed", "step").values
    return np.where(high.any(axis=1), series.step.values[high.argmax(axis=1)], np.nan)


def scores(data: xr.Dataset) -> pd.DataFrame:
    """Scores on test cells at the start, once fitted and at the end, and the step of one half; medians over seeds.

    "fitted" is the first logged step at which a seed has all but 1 % of its training cells right.
    """
    fit = (data.train_accuracy >= 0.99).transpose("seed", "step")
    at = fit.argmax("step").where(fit.any("step"), data.sizes["step"] - 1).astype(int)
    rows = {}
    for label, name in ROWS.items():
        series, steps = data[name], reached(data[name])
        known = steps[~np.isnan(steps)]
        ends = [series.isel(step=0), series.isel(step=at), series.isel(step=-1)]
        when = f"{np.median(known):,.0f} ({known.size} of {steps.size})" if known.size else "never"
        rows[label] = [*(float(end.median()) for end in ends), when]
    columns = ["at the start", "once fitted", "at the end", "one half"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("who answers")


def told_pairs(data: xr.Dataset) -> str:
    """Separable pairs at the end with true classes and with wrong ones on the test cells, and whether they differ."""
    end = data.isel(step=-1)
    true, wrong = ({stage: float(end[f"pairs_{stage}{null}"].median()) for stage in STAGES} for null in ("", "_wrong"))
    said = "on all cells {attention:.0%} of the pairs are separable after the attention and {mlp:.0%} after the MLP"
    more = max(true[stage] - wrong[stage] for stage in STAGES)
    kind = "at least as many" if more <= 0 else "nearly as many" if more <= NOISE else "fewer"
    null = f"with a wrong class on every test cell there are {kind}, {wrong['attention']:.0%} and {wrong['mlp']:.0%}"
    tells = "tells more than its null" if more > NOISE else "cannot tell a network with the rule from one without"
    return f"At the end, {said.format(**true)}; {null}. So the share of separable pairs {tells}"


def told(data: xr.Dataset) -> str:
    """What the probe shows, in whole sentences, once its controls are passed; else that it shows nothing here."""
    own, control = (float(data[name].isel(step=-1).median()) for name in ("test_accuracy", "probe_dealt"))
    probed = {stage: float(data[f"probe_{stage}"].isel(step=-1).median()) for stage in STAGES}
    if own < RIGHT:
        return (
            f"At the end the networks answer {own:.0%} of the test cells themselves, so there is little of the rule to "
            f"be read, and the probe reads {probed['mlp']:.0%} after the MLP"
        )
    if control > NOISE or probed["mlp"] < RIGHT:
        return f"The probe fails a control ({control:.0%} with labels dealt out, {probed['mlp']:.0%} at the end)"
    leads = reached(data.test_accuracy) - reached(data.probe_mlp)
    low, high = np.nanmin(leads), np.nanmax(leads)
    ends = [f"{lead:,.0f}" for lead in sorted((abs(low), abs(high)))]
    when = f"{' to '.join(dict.fromkeys(ends))} steps {'before' if high > 0 else 'after'}"
    when = f"from {-low:,.0f} steps after to {high:,.0f} before" if low < 0 < high else when
    when += " the network's own answers"
    early = "not linear yet" if probed["attention"] < HALF else "linear already"
    return (
        f"After the MLP the probe reaches one half {when} (networks one by one); after the attention the rule is "
        f"{early}: at the end it is right on {probed['attention']:.0%} of the test cells"
    )


def told_sparse(runs: Mapping[str, xr.Dataset]) -> str:
    """What `sparse` shows where it is recorded, in whole sentences; else that it is not."""
    task = sparse()["sparse"].config.task
    where = f"At modulus {task.p} with {task.train_fraction:.0%} of the cells trained"
    if "sparse" not in runs:
        return f"{where}, where there is less to learn from, the probe has not been recorded."
    data = runs["sparse"]
    return f"{where} (networks: {data.sizes['seed']}): {told_pairs(data)}. {told(data)}."


# ------------------------------------------------------------------------------------------------------- pictures


def _line(ax: Axes, series: xr.DataArray, colour: str, label: str, style: str = "-") -> None:
    """Every seed thin, the median thick with a mark at each look."""
    table = series.transpose("step", "seed")
    ax.plot(series.step, table, style, color=colour, lw=0.6, alpha=0.4)
    fill = {} if style == "-" else {"mfc": "none"}
    ax.plot(series.step, table.median("seed"), f"o{style}", color=colour, ms=3.5, label=label, **fill)


@styled
def pairs_and_probe(data: xr.Dataset) -> Figure:
    """Left: separable pairs with true classes and wrong ones; right: a probe on test cells, the network, a control."""
    fig, axes = panels(1, 2, height=4.4, sharey=True)
    left, right = axes[0]
    for stage, colour, words in (("attention", "norm", "after the attention"), ("mlp", "measure", "after the MLP")):
        _line(left, data[f"pairs_{stage}"], COLOURS[colour], words)
        _line(left, data[f"pairs_{stage}_wrong"], COLOURS[colour], f"{words}, wrong classes", ":")
        _line(right, data[f"probe_{stage}"], COLOURS[colour], f"probe {words}")
    _line(right, data.test_accuracy, COLOURS["test"], "the network itself", "--")
    _line(right, data.probe_dealt, COLOURS["quiet"], "probe, labels dealt out", ":")
    for ax, title in ((left, "separable pairs of classes, all cells"), (right, "right answers on test cells")):
        ax.set(title=title, ylim=(-0.03, 1.05), xlabel="optimiser step")
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), fontsize=8)
    left.set_ylabel("share")
    return fig
