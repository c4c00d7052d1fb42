"""Sentences of chapter 15 that depend on what came out."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import xarray as xr

_DELAY = {
    "holds": "their delay is real, and torch's usual start does not show it",
    "fails": "the delay did not come, or came with the usual start too",
    "undecided": "whether the delay is real is not decided yet",
    "not run": "the runs at the paper's own size are not made yet",
}
_SMALL = {
    "holds": "On small digits the same delay is made in seconds on this page.",
    "fails": "On small digits the delay does not come in this way.",
}


def answer(verdicts: Mapping[str, str]) -> str:
    """The chapter's answer in a box, from the verdicts of LM1, LM2, LM7 and L32.

    Example:
        >>> given = {"LM1": "not run", "LM2": "holds", "LM7": "needs an assumption", "L32": "fails"}
        >>> answer(given).split(". ")[-1]
        'It collapses any labels, those dealt out at random too, so by itself it learns nothing about images.'
    """
    claimed = "Liu et al. make a network grok on handwritten digits by starting it with large weights"
    small = _SMALL.get(verdicts["LM2"], "On small digits it is not decided.")
    scale = {"fails": "does not by itself keep the classes apart", "holds": "keeps the classes apart"}[verdicts["L32"]]
    any_label = {
        "holds": "It collapses the images' own classes and not labels dealt out at random.",
        "needs an assumption": "It collapses any labels, those dealt out at random too, so by itself it learns nothing "
        "about images.",
    }.get(verdicts["LM7"], "It does not collapse the classes of digits.")
    return (
        f"> **Answer.** {claimed}; {_DELAY[verdicts['LM1']]}. {small} Their effective loss for classes keeps its "
        f"scale, which {scale}. {any_label}"
    )


def turning(large: xr.Dataset, times: pd.DataFrame) -> pd.DataFrame:
    """Weight norm (part of its start) and variance within classes at fitting, at generalisation and at the end.

    A row a run that generalises; `times` has columns fit_step and grok_step, index seed.

    Example:
        >>> turning(xr.Dataset(coords={"seed": []}), pd.DataFrame({"fit_step": [], "grok_step": []})).empty
        True
    """
    rows = []
    for seed, row in times.dropna(subset=["fit_step", "grok_step"]).iterrows():
        run = large.sel(seed=seed)
        norm = run.weight_norm / run.weight_norm.isel(step=0)
        for name, at in (("fits", row.fit_step), ("generalises", row.grok_step), ("end", int(run.step[-1]))):
            rows.append({"seed": seed, "at": name, "step": int(at), "norm": float(norm.sel(step=at)),
                         "within classes": float(run.within_class_share.sel(step=at)),
                         "test accuracy": float(run.test_accuracy.sel(step=at))})  # fmt: skip
    return pd.DataFrame(rows)


def waited(predicted: float, rows: pd.DataFrame) -> str:
    """What the steps of decay alone say beside the steps and norms of `turning`.

    Example:
        >>> rows = pd.DataFrame({"at": ["generalises"] * 2, "step": [4000, 4200], "norm": [0.5, 0.5]})
        >>> waited(10_000, rows)[:60]
        'The test set is reached at step 4,100 already (median of 2 r'
    """
    there = rows[rows["at"] == "generalises"] if len(rows) else rows
    if there.empty:
        return "No run has generalised within its steps, so that there is nothing to compare."
    step, norm = there.step.median(), there.norm.median()
    word = "already" if step < predicted else "only"
    return (
        f"The test set is reached at step {step:,.0f} {word} (median of {len(there)} runs), when the weights have "
        f"{norm:.0%} of their first norm. So decay sets the pace, and where on its way a network generalises is not "
        "said by this estimate."
    )


def collapse_table(runs: Mapping[str, xr.Dataset]) -> pd.DataFrame:
    """Both measures of neural collapse at the start and at the end of some runs, medians of their seeds.

    Example:
        >>> rise = xr.DataArray([[0.5, 0.1]], dims=("seed", "step"))
        >>> collapse_table({"a": xr.Dataset({"within_class_share": rise, "simplex_distance": rise})}).shape
        (1, 5)
    """
    rows = []
    for name, data in runs.items():
        row: dict[str, object] = {"runs": name}
        for measure, said in (("within_class_share", "within classes"), ("simplex_distance", "from a simplex")):
            middle = data[measure].median("seed" if "seed" in data.dims else "run")
            row |= {f"{said}, start": float(middle[0]), f"{said}, end": float(middle[-1])}
        rows.append(row)
    return pd.DataFrame(rows)
