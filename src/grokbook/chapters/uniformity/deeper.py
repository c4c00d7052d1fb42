"""Uniformity behind the embedding: do the unseen cells of one class come together in the layers that follow?"""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch
import xarray as xr

from grokbook.claims import Finding, Runs, claim, judge
from grokbook.claims.finding import ENOUGH
from grokbook.models.activations import SUM, activations
from grokbook.runs.delay import grok_time
from grokbook.runs.lead_tasks import FEW, ORDERED, P_TASKS, watched_run
from grokbook.runs.observing import Observed, listed_as
from grokbook.theory.uniformity import label_share
from grokbook.training.watching import View

HALF = 0.5
"""Our bar: at least half of the variance between the classes."""

CONCLUSION = (
    "So the sentence stands, with this reading: what sums of embeddings cannot do for a class, the layers behind them "
    "do. Being right on these cells is close to it, so it does not say what causes what."
)
OPEN = "So with what is recorded the sentence is neither borne out nor refuted here."


def unseen_share(view: View, stage: str, shuffled: bool = False) -> float:
    """Share of the variance of the cells outside the training set that the class explains at one stage of the network.

    `stage` is a name of `activations`; `shuffled` gives the cells the labels of others, which is what chance reaches.
    """
    inputs, labels = view.task.inputs[view.task.test_index], view.task.labels[view.task.test_index]
    rows = activations(view.weights, torch.from_numpy(inputs), view.config.model)[stage].double().numpy()
    return label_share(rows, np.random.default_rng(0).permutation(labels) if shuffled else labels)


@listed_as("a759ea13969138f4")
def share_sums(view: View) -> float:
    """Of the sum of embeddings."""
    return unseen_share(view, SUM)


@listed_as("f32ed99db1c7a1da")
def share_attention(view: View) -> float:
    """Of the read-out row after attention."""
    return unseen_share(view, "attention 1")


@listed_as("fce9d70e098de903")
def share_mlp(view: View) -> float:
    """Of the read-out row after the MLP."""
    return unseen_share(view, "MLP 1")


@listed_as("3101a860e2b11c8b")
def share_null(view: View) -> float:
    """Of the read-out row after the MLP, with the labels of other cells."""
    return unseen_share(view, "MLP 1", shuffled=True)


WATCHED = {watch.__name__: watch for watch in (share_sums, share_attention, share_mlp, share_null)}
"""The stages looked at: the sum of embeddings, the read-out row after attention and after the MLP, and chance."""


def deeper(n_seeds: int = 3) -> dict[str, Observed]:
    """Addition modulo 47, each operand with its own tokens: with enough cells to generalise, and with too few.

    Example:
        >>> [run.config.task.train_fraction for run in deeper().values()]
        [0.75, 0.15]
    """
    same = {"shift": P_TASKS, "steps": 2_000, "points": 100, "n_seeds": n_seeds, "observers": WATCHED}
    return {
        "learned": watched_run(P_TASKS, label="deeper layers", train_fraction=ORDERED, **same),
        "memorised": watched_run(P_TASKS, label="deeper layers, few cells", train_fraction=FEW, **same),
    }


RUNS = (deeper,)


def share_table(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a seed: grok step, and each share of `WATCHED` at the fit step, when it generalises, and at the end.

    Columns: grok_step (NaN if never; then the end stands for it), `{share}_fit`, `{share}_grok`, `{share}_end`, and of
    the logged steps from the grok step on at which 95 % of the test cells are right, `right`, those with a share after
    the MLP below `HALF`, `below`.
    """

    def row(run: xr.Dataset) -> dict[str, float]:
        timed, last = grok_time(run.step, run.train_accuracy, run.test_accuracy), int(run.step[-1])
        when = {"fit": timed.fit_step, "grok": timed.grok_step, "end": last}
        at = {name: run.sel(step=last if step is None else step) for name, step in when.items()}
        shares = {f"{share}_{name}": float(there[share]) for share in WATCHED for name, there in at.items()}
        after = run.sel(step=slice(last if timed.grok_step is None else timed.grok_step, None))
        right = after.test_accuracy >= 0.95
        counts = {"right": int(right.sum()), "below": int((right & (after.share_mlp < HALF)).sum())}
        return {"grok_step": np.nan if timed.grok_step is None else timed.grok_step, **shares, **counts}

    return pd.DataFrame([row(dataset.sel(seed=seed)) for seed in dataset.seed.values])


@claim("G54", "gu2025", "conclusion; appendix B.3", section="Uniformity behind the embedding", runs=deeper,
       through=share_table, published="in the deeper layers", bars={"half": (0.25, 0.75)},
       says=("{learned} runs generalise and {memorised} only memorise. From fitting to generalisation the class ",
             "explains {shares} (medians); after the MLP {reached} of {learned} come above {half:.0%} there (other ",
             "bars: {bars}). Afterwards it can fall below again while 95 % of the test cells stay right: at {below} ",
             "logged steps; at the last step the median is {end:.2f}. Runs that memorise end at ",
             "{idle:.2f} at most (chance there: {few:.2f}). 'Uniform' is our reading: unseen cells of a class close ",
             "beside the spread of all"))  # fmt: skip
def deeper_layers(runs: Runs, *, half: float = HALF) -> Finding:
    """Uniformity is to be interpreted as representation uniformity, not restricted to the embedding: it is deeper.

    Do unseen cells of one class come together behind the embedding between fitting and generalising, in every run that
    generalises, and not in runs that only memorise? The bar of one half was set before runs of this setting were made,
    and so was the moment: at generalisation, not ever after.
    """
    table = pd.concat(runs.values())
    late = table.grok_step.notna()
    learned, memorised = table[late], table[~late]
    told = "; ".join(
        f"{learned[f'{share}_fit'].median():.2f} to {learned[f'{share}_grok'].median():.2f} {words}"
        for share, words in zip(WATCHED, ("of sums", "after attention", "after the MLP", "by chance"), strict=True)
    )
    reached, idle = int((learned.share_mlp_grok >= half).sum()), memorised.share_mlp_end.max()
    rises = learned.share_mlp_grok > learned.share_mlp_fit
    tells = len(learned) >= ENOUGH and len(memorised) >= ENOUGH and idle < half
    holds = True if rises.all() and reached == len(learned) else None if rises.any() else False
    return judge(holds if tells else None, value=learned.share_mlp_grok.median(), low=learned.share_mlp_grok.min(),
                 high=learned.share_mlp_grok.max(), shares=told, reached=reached, half=half, idle=idle,
                 few=memorised.share_null_end.median(), end=learned.share_mlp_end.median(),
                 below=", ".join(f"{row.below:.0f} of {row.right:.0f}" for row in learned.itertuples()),
                 learned=len(learned), memorised=len(memorised))  # fmt: skip
