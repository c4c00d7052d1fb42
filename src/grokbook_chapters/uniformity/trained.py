"""Trained networks: what the classes explain of sums and of products, and of the layers behind the
embedding (G54)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims import Finding, Runs, claim, judge
from companion.claims.finding import ENOUGH, Part, band
from companion.claims.runs import every_run
from grokbook.curves.delay import grok_time
from grokbook.measures import circle_projection, dominant_frequencies
from grokbook.theory.one_frequency import products
from grokbook.theory.uniformity import class_sums
from grokbook_chapters.labelled import Row
from grokbook_chapters.uniformity.class_shares import class_share
from grokbook_chapters.uniformity.runs import WATCHED, deeper

HALF = 0.5  # our bar: at least half of the variance between the classes

STAGES = {
    "share_sums": "of sums",
    "share_attention": "after attention",
    "share_mlp": "after the MLP",
    "share_null": "by chance",
}
"""The stages of `WATCHED` in words."""


def share_table(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a seed: grok step, and each share of `WATCHED` at the fit step, when it generalises,
    and at the end.

    Columns: grok_step (NaN if never; then the end stands for it), `{share}_fit`, `{share}_grok`,
    `{share}_end`, and of the logged steps from the grok step on at which 95 % of the test cells are
    right, `right`, those with a share after the MLP below `HALF`, `below`.
    """
    rows = []
    for _, _, run in every_run({"": dataset}):
        timed = grok_time(run.step, run.train_accuracy, run.test_accuracy)
        last = int(run.step[-1])
        fit = last if timed.fit_step is None else timed.fit_step
        grok = last if timed.grok_step is None else timed.grok_step
        row: Row = {}
        for name, step in (("fit", fit), ("grok", grok), ("end", last)):
            moment = run.sel(step=step)
            row |= {f"{share}_{name}": float(moment[share]) for share in WATCHED}
        after = run.sel(step=slice(grok, None))
        right = after.test_accuracy >= 0.95
        row["right"] = int(right.sum())
        row["below"] = int((right & (after.share_mlp < HALF)).sum())
        row["grok_step"] = np.nan if timed.grok_step is None else timed.grok_step
        rows.append(row)
    return pd.DataFrame(rows)


def embedding_shares(runs: Runs) -> pd.DataFrame:
    """What the class explains of the sums and the products of trained embeddings: a row a modulus,
    seed and kept step, with the test accuracy there.

    The products are those of the plane of the embedding's strongest frequency. Choosing the
    strongest lifts the share of a table of noise.
    """
    rows = []
    for p, seed, run in every_run(runs):
        for step in run.snapshot.values.tolist():
            phi = run.embedding.sel(snapshot=step).values.astype(float)
            plane = circle_projection(phi, dominant_frequencies(phi, 1)[0])
            row = {
                "modulus": p,
                "seed": seed,
                "step": step,
                "sums": class_share(class_sums(phi)),
                "products": class_share(products(plane)),
                "test_accuracy": float(run.test_accuracy.sel(step=step, method="nearest")),
            }
            rows.append(row)
    return pd.DataFrame(rows)


@claim(
    "G54",
    "gu2025",
    "conclusion; appendix B.3",
    section="Uniformity behind the embedding",
    runs=deeper,
    also=("GR5",),
    through=share_table,
    published="in the deeper layers",
    bars={"half": (0.25, 0.75)},
    says=(
        "{learned} runs generalise and {memorised} only memorise. From fitting to generalisation "
        "the class explains {shares} (medians); after the MLP {reached} of {learned} come above "
        "{half:.0%} there (other bars: {bars}). Afterwards it can fall below again while 95 % of "
        "the test cells stay right: at {below} logged steps; at the last step the median is "
        "{end:.2f}. Runs that memorise end at {idle:.2f} at most (chance there: {few:.2f})"
    ),
)
def deeper_layers(runs: Runs, *, half: float = HALF) -> Finding:
    """Uniformity is to be interpreted as representation uniformity, not restricted to the
    embedding: it is deeper.

    Our reading: unseen cells of one class come together behind the embedding, close beside the
    spread of all, between fitting and generalising, in every run that generalises, and not in runs
    that only memorise. Separate tokens for the operands leave no unseen cell a mirror image among
    the trained ones; the labels of other cells show what chance gives. The bar of one half was set
    before runs of this setting were made, and so was the moment, at generalisation and not ever
    after: in trials at modulus 31 the share of a run that stayed right fell again late.

    The sentence is general and the size is ours: runs that do otherwise refute nothing, and where
    they do so it holds with a correction, for this size. (Before, these same runs gave "holds".)
    """
    table = pd.concat(runs.values())
    late = table.grok_step.notna()
    learned = table[late]
    memorised = table[~late]
    middle = learned.median()
    shares = []
    for share, stage in STAGES.items():
        shares.append(f"{middle[f'{share}_fit']:.2f} to {middle[f'{share}_grok']:.2f} {stage}")
    reached = (learned.share_mlp_grok >= half).sum()
    idle = memorised.share_mlp_end.max()
    rises = learned.share_mlp_grok > learned.share_mlp_fit
    tells = len(learned) >= ENOUGH and len(memorised) >= ENOUGH and idle < half
    deeper_here: Part = None if rises.any() else False
    if rises.all() and reached == len(learned):
        deeper_here = True
    is_known = tells and deeper_here is not None
    below = [f"{row.below:.0f} of {row.right:.0f}" for row in learned.itertuples()]
    return judge(
        False if is_known else None,
        corrected=deeper_here if is_known else None,
        elsewhere=True,
        **band(learned.share_mlp_grok),
        shares="; ".join(shares),
        reached=reached,
        half=half,
        idle=idle,
        few=memorised.share_null_end.median(),
        end=middle.share_mlp_end,
        learned=len(learned),
        below=", ".join(below),
        memorised=len(memorised),
    )
