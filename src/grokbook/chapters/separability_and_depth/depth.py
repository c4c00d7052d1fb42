"""What depth does: Fig. 2 of Gu et al. 2025 at its own setting, and the same question small enough for this machine."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd
import xarray as xr

from grokbook.claims import Finding, Runs, claim, judge
from grokbook.claims.finding import ENOUGH, UNDECIDED, some
from grokbook.errors import ParameterError
from grokbook.runs.delay import grok_time
from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import modular_run
from grokbook.runs.oscillation import falls
from grokbook.training.accelerators import Clipped
from grokbook.training.optim import AdamW

LAYERS = (1, 2, 3, 4)
"""The depths of Fig. 2."""

SIZE, FRACTION, WIDTH, STEPS = 37, 0.6, 24, 2_000
"""Modulus, training fraction, width and length of the small study; the width is well below p - 1 on purpose."""

VIOLENT = 0.1
"""Our reading of "violently": a median largest fall of ten points of accuracy or more in the deepest network."""

ROOM = 0.2
"""A test accuracy that never reaches this could hardly fall so far if it fell to nothing, so it is not judged."""

CLIPPED = "p = 31, 80 % trained, gradients clipped"
TIMES = ("fit_step", "grok_step", "delay")
STATEMENT = "With more layers the test accuracy fluctuates violently while MED keeps falling."
SOURCE = "Gu et al. 2025, Fig. 2; Gu 2024, Fig. 6"


def fig_2() -> dict[int, Experiment]:
    """Fig. 2 of Gu et al. 2025 at the setting of its predecessor: p = 97, shift 97, width 512, 1 to 4 layers.

    Example:
        >>> fig_2()[4].name, fig_2()[4].config.model.n_layers
        ('gu2025/fig2[layers=4]', 4)
    """
    base = modular_run(97, 0.3, d_model=512, shift=97)
    models = {n: dataclasses.replace(base.model, n_layers=n) for n in LAYERS}
    configs = {n: dataclasses.replace(base, model=model) for n, model in models.items()}
    said = {"statement": STATEMENT, "source": SOURCE}
    said["choices"] = f"{base.steps} steps (the authors' program: 30,000); d_mlp = 4 d (512 there, whatever d is)"
    return {n: Experiment(f"gu2025/fig2[layers={n}]", config, **said) for n, config in configs.items()}


def depth_run(
    n_layers: int, *, p: int = SIZE, train_fraction: float = FRACTION, d_model: int = WIDTH, steps: int = STEPS,
    n_seeds: int = 3, learning_rate: float = 1e-3, weight_decay: float = 1.0, shift: int = 0, d_mlp: int | None = None,
    clip: float | None = None,
) -> Experiment:  # fmt: skip
    """The paper's model with `n_layers` layers on addition modulo a small p; what differs from the base is in the name.

    `train_fraction` of the p*p cells, drawn at random, are trained for `steps` full-batch steps; `shift` tokens lie
    between the two operands' tokens (p: disjoint, as in Gu 2024; 0: shared, as in most of the paper); `d_mlp` hidden
    units in each MLP, by default 4 d_model; `clip` is the largest norm of the gradient, None for any.

    Raises ParameterError for fewer than one layer, and as `grokbook.runs.gu2025.modular_run` does.

    Example:
        >>> depth_run(4, learning_rate=3e-4).name
        'gu2025/depth[layers=4, p=37, lr=0.0003]'
    """
    if n_layers < 1:
        raise ParameterError(f"n_layers = {n_layers} must be 1 or more.")
    config = modular_run(p, train_fraction, d_model=d_model, steps=steps, shift=shift, weight_decay=weight_decay)
    model = dataclasses.replace(config.model, n_layers=n_layers, d_mlp=d_mlp or 4 * d_model)
    optimizer = AdamW(learning_rate, weight_decay=weight_decay)
    if clip is not None:
        optimizer = Clipped(learning_rate, weight_decay=weight_decay, largest=clip)
    config = dataclasses.replace(config, model=model, optimizer=optimizer)
    changed = {"lr": (learning_rate, 1e-3), "wd": (weight_decay, 1.0), "k": (shift, 0), "m": (model.d_mlp, 4 * d_model)}
    changed |= {"clip": (clip, None)}
    extra = "".join(f", {name}={value:g}" for name, (value, base) in changed.items() if value != base)
    name = f"gu2025/depth[layers={n_layers}, p={p}{extra}]"
    return Experiment(name, config, tuple(range(n_seeds)), statement=STATEMENT, source=SOURCE)


def by_depth() -> dict[int, Experiment]:
    """The small study of depth: number of layers -> experiment, all else equal.

    Example:
        >>> [run.config.model.n_layers for run in by_depth().values()]
        [1, 2, 3, 4]
    """
    return {n: depth_run(n) for n in LAYERS}


def causes() -> dict[str, Experiment]:
    """Four layers as they are and with one thing changed: narrow MLPs, smaller learning rate, weaker decay.

    All weights start with variance 1/d, so an MLP of m hidden units adds about m / (2 d) times the square of its
    input's length: with m = 4 d the residual stream grows fast from layer to layer, with m = d much less.

    Example:
        >>> [run.name for run in causes().values()][1:3]
        ['gu2025/depth[layers=4, p=37, m=24]', 'gu2025/depth[layers=4, p=37, lr=0.0003]']
    """
    return {
        "as they are": depth_run(4),
        "narrow MLPs": depth_run(4, d_mlp=WIDTH),
        "learning rate 3e-4": depth_run(4, learning_rate=3e-4),
        "weight decay 0.3": depth_run(4, weight_decay=0.3),
    }


def disjoint() -> dict[str, Experiment]:
    """One layer with disjoint operand tokens, as in Gu 2024, at the size of the small study.

    Example:
        >>> [run.name for run in disjoint().values()]
        ['gu2025/depth[layers=1, p=37, k=37]']
    """
    return {"one layer with disjoint tokens": depth_run(1, shift=SIZE)}


def easier(clip: float | None = None) -> dict[int, Experiment]:
    """The study of depth where every depth has what it needs: modulus 31, 80 % trained, 6,000 steps, five seeds.

    Example:
        >>> [run.name for run in easier(1.0).values()][-1]
        'gu2025/depth[layers=4, p=31, clip=1]'
    """
    return {n: depth_run(n, p=31, train_fraction=0.8, steps=6_000, n_seeds=5, clip=clip) for n in LAYERS}


def studies() -> dict[str, dict[int, Experiment]]:
    """The small studies of depth, the one that decides most first: where it is -> number of layers -> experiment.

    Example:
        >>> list(studies())[-1]
        'p = 37, 60 % trained'
    """
    return {"p = 31, 80 % trained": easier(), CLIPPED: easier(1.0), "p = 37, 60 % trained": by_depth()}


def main_study(recorded: Mapping[str, Mapping[int, object]]) -> str:
    """The first of the studies of which two depths or more are recorded; where there is none, the last.

    Example:
        >>> main_study({"a": {1: "a run"}, "b": {1: "a run", 2: "a run"}})
        'b'
    """
    return next((name for name, runs in recorded.items() if len(runs) > 1), list(recorded)[-1])


RUNS = (fig_2, by_depth, disjoint, causes, easier, partial(easier, 1.0))


# ------------------------------------------------------------------------------------------- what a run shows

FORMS = {
    "highest test accuracy": ".2f",
    "final test accuracy": ".2f",
    "largest fall": ".3f",
    "total fall": ".2f",
    "largest fall, training": ".2f",
    "final MED": ".3f",
    "MED over norm": ".3f",
}
"""What is read off a run, and how the page writes it."""


def one_run(run: xr.Dataset) -> dict[str, float | int | None]:
    """One run (dims: step) as a row: when it fits and generalises, how far it falls, and where MED ends.

    Falls are those of the raw accuracies from the fit step on (from the start where the run does not fit).
    "MED over norm" is MED divided by the mean norm of the embedding.
    """
    run = run.dropna("step", subset=["test_accuracy"])
    timed = grok_time(run.step, run.train_accuracy, run.test_accuracy)
    later, end = run.sel(step=slice(timed.fit_step or 0, None)), run.isel(step=-1)
    test = falls(later.test_accuracy)
    return {
        **{name: getattr(timed, name) for name in TIMES},
        "highest test accuracy": float(run.test_accuracy.max()),
        "final test accuracy": float(end.test_accuracy),
        "largest fall": test.largest,
        "total fall": test.total,
        "largest fall, training": falls(later.train_accuracy).largest,
        "final MED": float(end.med),
        "MED over norm": float(end.med) / float(end.embedding_norm),
    }


def depth_table(runs: Mapping[object, xr.Dataset], name: str = "layers") -> pd.DataFrame:
    """`one_run` of every seed of several datasets: columns `name`, seed and those of `one_run`; one row a run."""
    rows = [
        {name: label, "seed": int(seed), **one_run(dataset.sel(seed=seed))}
        for label, dataset in runs.items()
        for seed in dataset.seed.values
    ]
    columns = [name, "seed", *TIMES, *FORMS]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(TIMES, "Int64"))


def summary(table: pd.DataFrame, name: str = "layers") -> pd.DataFrame:
    """One row a depth (or cause): seeds, how many fit and generalise, and medians with their range over seeds."""
    return pd.DataFrame([{name: label, **_row(part)} for label, part in table.groupby(name, sort=False)])


def _row(part: pd.DataFrame) -> dict[str, object]:
    reached = {}
    for word, steps in (("fit", part.fit_step.dropna()), ("generalise", part.grok_step.dropna())):
        when = f" (step {with_range(steps.astype(float), ',.0f')})" if len(steps) else ""
        reached[word] = f"{len(steps)} of {len(part)}{when}"
    ends = {name: with_range(part[name], form) for name, form in FORMS.items()}
    return {"seeds": len(part)} | reached | ends


def with_range(values: pd.Series, form: str) -> str:
    """Median and range over seeds, as text: `0.50 (0.40 to 0.70)`; one number alone without a range.

    Example:
        >>> with_range(pd.Series([0.4, 0.5, 0.7]), ".2f")
        '0.50 (0.40 to 0.70)'
    """
    middle = format(values.median(), form)
    return middle if len(values) < 2 else f"{middle} ({values.min():{form}} to {values.max():{form}})"


# ------------------------------------------------------------------------------------------- depths compared

GROWN = {
    True: "The largest fall of the test accuracy grows at every further layer: {largest_fall}.",
    False: "The largest fall of the test accuracy does not grow at every further layer: {largest_fall}.",
    None: "The largest fall of the test accuracy does not grow at every further layer ({largest_fall}), where not all "
    "depths had room to fall.",
}
AT_LAST = {
    True: "At the last layer it is violent, {limit:g} or more.",
    False: "At the last layer it is not violent, less than {limit:g}.",
    None: "The deepest networks are without room to be violent: test accuracies are {highest_test_accuracy} at best.",
}
LOWER = {
    True: "The final MED falls at every further layer ({final_MED}); over the norm it is {MED_over_norm}.",
    False: "The final MED does not fall at every further layer ({final_MED}); over the norm it is {MED_over_norm}.",
}
"""What `compared` found of three parts, a whole sentence for each outcome (None: not judged)."""


def compared(table: pd.DataFrame) -> Finding:
    """The two sentences of Fig. 2 on some depths: accuracy fluctuates violently with depth, and the final MED falls.

    "holds": the largest fall grows and the final MED falls at every further layer (medians over the seeds that all
    depths have), and the largest fall of the deepest network is at least `VIOLENT`; "fails": any of the three does
    not, where the test accuracy had `ROOM` to fall. With fewer than three common seeds nothing is decided.
    """
    depths = table.groupby("seed").layers.nunique()
    seeds = depths.index[depths == table.layers.nunique()]
    common = table[table.seed.isin(seeds)] if len(seeds) else table
    medians = common.groupby("layers")[list(FORMS)].median()
    steps, room = medians.diff().dropna(), medians["highest test accuracy"] >= ROOM
    lower = bool((steps["final MED"] < 0).all())
    grown = bool((steps["largest fall"] > 0).all()) or (False if room.all() else None)
    violent = bool(medians["largest fall"].iloc[-1] >= VIOLENT) or (False if room.iloc[-1] else None)
    layers, count = ", ".join(map(str, medians.index)), f"{len(seeds)} seed{'' if len(seeds) == 1 else 's'} each"
    numbers = {re.sub(r"\W+", "_", name): ", ".join(f"{v:.2f}" for v in values) for name, values in medians.items()}
    known = (grown, violent, lower) if len(seeds) >= ENOUGH else (None,)
    seen = judge(*known, value=float(table["largest fall"].max()), limit=VIOLENT, **numbers)
    training = "The largest falls of the training accuracy are {largest_fall_training}."
    said = [f"{layers} layers, {count}, medians.", GROWN[grown], AT_LAST[violent], LOWER[lower], training]
    return seen.told(" ".join(said))


HIGHEST = {
    True: "the highest test accuracy falls at every further layer ({levels}, medians)",
    None: "the highest test accuracy falls from the first depth to the last, not at every layer ({levels}, medians)",
    False: "the highest test accuracy does not fall with the layers ({levels}, medians)",
}
"""What `reached` found, for each outcome."""


def reached(table: pd.DataFrame) -> Finding:
    """Does the highest test accuracy fall with depth? Medians over the seeds, three or more of each depth to decide.

    "holds": at every further layer; "fails": the deepest networks are not below the first; else "undecided".
    """
    by = table.groupby("layers")["highest test accuracy"]
    middle = by.median()
    lower = bool((middle.diff().dropna() < 0).all()) or (None if middle.iloc[-1] < middle.iloc[0] else False)
    seen = judge(lower if by.size().min() >= ENOUGH else None, levels=", ".join(f"{v:.2f}" for v in middle))
    return seen.told(HIGHEST[lower])


PUBLISHED = {
    1: "standard grokking was observed",
    2: "overfitting occurred",
    3: "non-fitting was observed",
    4: "non-fitting was observed",
    "largest fall": "the test accuracy fluctuates violently as the number of layers increases",
    "final MED": "the decrease in the final mean value of MED as the number of layers increases",
}
"""What the two papers say of each number of layers, and of the fall and of MED with more of them."""


def beside(table: pd.DataFrame) -> pd.DataFrame:
    """What the papers say of Fig. 2 (index: of what), and what the runs of one small study show; medians over seeds."""
    here = {}
    for n, part in table.groupby("layers"):
        here[n] = f"{some(part.fit_step.count(), len(part))} fit, {some(part.grok_step.count(), len(part))} generalise"
    for name in ("largest fall", "final MED"):
        here[name] = "; ".join(f"{n}: {v:{FORMS[name]}}" for n, v in table.groupby("layers")[name].median().items())
    rows = {n: (said, here[n]) for n, said in PUBLISHED.items() if n in here}
    names = [f"{n} layer{'s' * (n > 1)}" if isinstance(n, int) else f"{n}, by layers" for n in rows]
    columns = ["published, modulus 97 and width 512", "here"]
    return pd.DataFrame(rows.values(), columns=columns, index=names).rename_axis("of")


def told(table: pd.DataFrame, read: Callable[[pd.DataFrame], Finding] = compared) -> str:
    """What `read` finds of the runs of several depths; without two depths, that there are too few."""
    few = "Too few depths are recorded to compare them."
    return read(table).evidence if table.layers.nunique() > 1 else few


def panels_of(recorded: Mapping[str, Mapping[int, xr.Dataset]], main: str) -> dict[str, xr.Dataset]:
    """The recorded depths of the main study as panels, each followed by its run with clipped gradients, if there is."""
    named = {main: "", CLIPPED: ", clipped"} if main == next(iter(recorded)) else {main: ""}
    return {
        f"{n} layer{'s' * (n > 1)}{words}": recorded[name][n]
        for n in LAYERS
        for name, words in named.items()
        if n in recorded[name]
    }


def small() -> dict[tuple[str, int], Experiment]:
    """The runs of the small studies, by study and number of layers."""
    return {(name, n): run for name, study in studies().items() for n, run in study.items()}


def at_any_size(runs: Runs, read: Callable[[pd.DataFrame], Finding]) -> Finding:
    """What `read` finds at all four depths of the paper's size; without them a small study is told, decides nothing."""
    if all(n in runs for n in LAYERS):
        return read(depth_table({n: runs[n] for n in LAYERS}))
    there = {name: {n: runs[name, n] for n in LAYERS if (name, n) in runs} for name in studies()}
    name = main_study(there)
    return Finding(UNDECIDED, f"at {name}, width {WIDTH}: {told(depth_table(there[name]), read)}")


@claim("GF02", "gu2025", "Fig. 2 (Gu 2024, Fig. 6)", section="What more layers do", runs=fig_2, beside=small,
       published="accuracy fluctuates violently with more layers, MED falls")
def figure_2(runs: Runs) -> Finding:
    """As the number of transformer layers increases, the test accuracy fluctuates violently, while the MED keeps
    decreasing.

    See `compared`; without all four depths of the paper's size a small study is told, and decides nothing.
    """
    return at_any_size(runs, compared)


@claim("G55", "gu2025", "section 1", section="What more layers do", runs=fig_2, beside=small)
def diminishes(runs: Runs) -> Finding:
    """The grokking phenomenon diminishes as the number of transformer layers increases.

    Our reading: the highest test accuracy by the last step, see `reached`; a small study decides nothing.
    """
    return at_any_size(runs, reached)
