"""Fig. 2 of Gu et al. 2025: what more layers do to the test accuracy and to MED, as numbers of recorded runs."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import xarray as xr

from grokbook.claims.finding import Finding
from grokbook.claims.legacy import Claim
from grokbook.claims.recorded import ENOUGH
from grokbook.experiments.base import Experiment, available
from grokbook.experiments.depth import LAYERS, by_depth, causes, disjoint, fig2
from grokbook.measures.delay import grok_time
from grokbook.measures.oscillation import falls

MEASURES = ("med", "med_gu2024", "med_code_base", "normalised_med", "embedding_norm")
"""What is read at the end of each run: every form of MED that runs log, and the mean norm of the embedding."""

VIOLENT = 0.1
"""Our reading of "violently": a median largest fall of at least ten points of accuracy in the deepest network."""

STEPS = ("fit_step", "grok_step", "delay")


def there(experiments: Mapping[object, Experiment]) -> dict[object, xr.Dataset]:
    """What is recorded of some experiments, under their names; those without a recorded seed are left out."""
    found = {name: available(experiment) for name, experiment in experiments.items()}
    return {name: dataset for name, dataset in found.items() if dataset is not None}


def recorded_depths() -> dict[int, xr.Dataset]:
    """The recorded runs of the small study: number of layers -> dataset of the seeds that are there."""
    return there(by_depth())


def recorded_causes() -> dict[str, xr.Dataset]:
    """Four layers as they are and with one thing changed, as far as recorded."""
    return there({"as they are": by_depth()[4]} | causes())


def one_run(run: xr.Dataset) -> dict[str, float | int | None]:
    """One run (dims: step) as a row: when it fits and generalises, how far it falls, and where MED ends.

    Falls are those of the raw accuracies from the fit step on (from the start where the run does not fit).
    `med over norm` is MED divided by the mean norm of the embedding.
    """
    run = run.dropna("step", subset=["test_accuracy"])
    timed = grok_time(run.step, run.train_accuracy, run.test_accuracy)
    later = run.sel(step=slice(timed.fit_step or 0, None))
    test, train = falls(later.test_accuracy), falls(later.train_accuracy)
    end = run.isel(step=-1)
    ending = {name: float(end[name]) for name in MEASURES if name in end}
    return {
        **{name: getattr(timed, name) for name in STEPS},
        "final test accuracy": float(end.test_accuracy),
        "largest fall": test.largest,
        "total fall": test.total,
        "largest fall, training": train.largest,
        **ending,
        "med over norm": ending["med"] / ending["embedding_norm"],
        "last_step": int(end.step),
    }


def depth_table(runs: Mapping[object, xr.Dataset], name: str = "layers") -> pd.DataFrame:
    """`one_run` of every seed of several datasets: columns `name`, seed and those of `one_run`; one row a run."""
    rows = [
        {name: label, "seed": int(seed), **one_run(dataset.sel(seed=seed))}
        for label, dataset in runs.items()
        for seed in dataset.seed.values
    ]
    columns = [name, "seed", *STEPS, "final test accuracy", "largest fall", "total fall", "med", "med over norm"]
    frame = pd.DataFrame(rows, columns=None if rows else columns)
    return frame.astype(dict.fromkeys(STEPS, "Int64"))


def summary(table: pd.DataFrame, name: str = "layers") -> pd.DataFrame:
    """One row a depth (or cause): seeds, how many fit and generalise, and medians with their range over seeds."""
    return pd.DataFrame([{name: label, **_row(part)} for label, part in table.groupby(name, sort=False)])


def _row(part: pd.DataFrame) -> dict[str, object]:
    count = f"of {len(part)}"
    return {
        "seeds": len(part),
        "fit": f"{part.fit_step.notna().sum()} {count}{_when(part.fit_step)}",
        "generalise": f"{part.grok_step.notna().sum()} {count}{_when(part.grok_step)}",
        "final test accuracy": band(part["final test accuracy"], ".2f"),
        "largest fall": band(part["largest fall"], ".3f"),
        "total fall": band(part["total fall"], ".2f"),
        "largest fall, training": band(part["largest fall, training"], ".2f"),
        "final MED": band(part["med"], ".3f"),
        "MED over norm": band(part["med over norm"], ".3f"),
    }


def _when(steps: pd.Series) -> str:
    known = steps.dropna()
    return f" (step {band(known.astype(float), ',.0f')})" if len(known) else ""


def band(values: pd.Series, form: str) -> str:
    """Median and range over seeds, as text: `0.50 (0.40 to 0.70)`; one number alone without a range.

    Example:
        >>> band(pd.Series([0.4, 0.5, 0.7]), ".2f")
        '0.50 (0.40 to 0.70)'
    """
    middle = format(values.median(), form)
    return middle if len(values) < 2 else f"{middle} ({values.min():{form}} to {values.max():{form}})"


def grows(table: pd.DataFrame, column: str, *, falling: bool = False) -> bool:
    """Whether the median over seeds of a column grows (or falls) at each further layer."""
    medians = table.groupby("layers")[column].median().sort_index()
    steps = medians.diff().dropna()
    return bool(len(steps) and ((steps < 0) if falling else (steps > 0)).all())


def judge(table: pd.DataFrame) -> tuple[str, str]:
    """Verdict and evidence on the two sentences of Fig. 2: accuracy fluctuates violently with depth, final MED falls.

    "holds": the largest fall grows and the final MED falls at every further layer (medians over the seeds that all
    depths have), and the largest fall of the deepest network is at least `VIOLENT`; "fails": any of the three does
    not. With fewer than three common seeds nothing is decided.
    """
    seeds = set.intersection(*(set(part.seed) for _, part in table.groupby("layers")))
    table = table[table.seed.isin(seeds)] if seeds else table
    columns = ["largest fall", "med", "med over norm", "largest fall, training"]
    medians = table.groupby("layers")[columns].median().sort_index()
    grown, lower = grows(table, "largest fall"), grows(table, "med", falling=True)
    violent = bool(medians["largest fall"].iloc[-1] >= VIOLENT)
    fall, ending, ratio, training = (" to ".join(f"{v:.2f}" for v in medians[column]) for column in medians)
    evidence = (
        f"{', '.join(map(str, medians.index))} layers, {_seeds(table)} each: the largest fall of the test accuracy "
        f"{'grows' if grown else 'does not grow'} at every further layer ({fall}) and is "
        f"{'not ' if not violent else ''}violent at the last (limit {VIOLENT:g}); the final MED "
        f"{'falls' if lower else 'does not fall'} at every one ({ending}), over the mean norm it is {ratio}; "
        f"the largest fall of the training accuracy is {training}"
    )
    if len(seeds) < ENOUGH:
        return "not run", evidence
    return ("holds" if grown and violent and lower else "fails"), evidence


def _seeds(table: pd.DataFrame) -> str:
    counts = table.groupby("layers").seed.count()
    most = f"{counts.max()} seed{'s' if counts.max() > 1 else ''}"
    return most if counts.min() == counts.max() else f"{counts.min()} to {most}"


def told(table: pd.DataFrame) -> str:
    """What the runs of several depths show, in a sentence for the page; without two depths, that there are too few."""
    return judge(table)[1] if table.layers.nunique() > 1 else "too few depths are recorded to compare them"


def told_causes(table: pd.DataFrame, name: str = "what differs") -> str:
    """Largest fall, final test accuracy and runs that generalise of each variant, in words; medians over seeds.

    Example:
        >>> told_causes(depth_table({}, "what differs"))
        'too few of these runs are recorded to compare them'
    """
    if table[name].nunique() < 2:
        return "too few of these runs are recorded to compare them"
    return "; ".join(_variant(str(label), part) for label, part in table.groupby(name, sort=False))


def told_disjoint() -> str:
    """What one layer with disjoint tokens does at the small size, in words; that it is not run where it is not."""
    label = "one layer with disjoint tokens"
    table = depth_table(there({label: disjoint()}), "what differs")
    return _variant(label, table) if len(table) else f"{label} is not run"


def _variant(label: str, part: pd.DataFrame) -> str:
    fall, end = part["largest fall"].median(), part["final test accuracy"].median()
    rose = part.grok_step.notna().sum()
    return f"{label}, largest fall {fall:.2f}, final test accuracy {end:.2f}, {rose} of {len(part)} generalise"


def figure_2(runs: Mapping[int, xr.Dataset] | None = None, small: Mapping[int, xr.Dataset] | None = None) -> Finding:
    """GF02: Fig. 2 on its recorded runs; without all four depths "not run", with the cost and the small study."""
    published = "accuracy fluctuates violently with more layers, MED falls"
    runs = there({n: fig2(n) for n in LAYERS}) if runs is None else runs
    if set(runs) == set(LAYERS):
        table = depth_table(runs)
        verdict, evidence = judge(table)
        return Finding(verdict, evidence, float(table["largest fall"].max()), None, None, published)
    seconds = sum(fig2(n).predicted().seconds for n in LAYERS if n not in runs)
    small = recorded_depths() if small is None else small
    said = f"the missing runs at width 512 would take about {seconds / 3600:,.0f} core hours on this machine"
    if len(small) > 1:
        p = by_depth()[1].config.task.p
        said += f"; at p = {p} and width {by_depth()[1].config.model.d_model}: {judge(depth_table(small))[1]}"
    return Finding("not run", said, published=published)


CLAIMS = (
    Claim(
        "GF02",
        "gu2025",
        "Fig. 2 (Gu 2024, Fig. 6)",
        "With more layers the test accuracy fluctuates violently and the final MED is smaller.",
        "observation",
        "07_separability_and_depth: What more layers do",
        figure_2,
    ),
)
