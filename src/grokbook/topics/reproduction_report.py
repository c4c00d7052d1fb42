"""Chapter 18, which trains nothing: it runs the checks of the claim ledger and counts what came out."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from grokbook.claims.finding import VERDICTS, Finding, judge
from grokbook.claims.ledger import KINDS, claim
from grokbook.plotting.style import panels, styled


@claim("G39", "gu2025", "section 6.3", section="The ledger", kind="number", published="14641",
       says=("{entries}^{places} = {value:.0f} samples, {trained} for training, in {classes} classes; the largest, ",
             "sum {mode}, has {most} ({share:.1%}): the accuracy of always answering it"))  # fmt: skip
def dictionary_sums(entries: int = 11, places: int = 4, train_fraction: float = 0.25) -> Finding:
    """A dictionary of 11 pictures in four places generates 14,641 samples, 25 % of them for training."""
    counts = Counter(sum(choice) for choice in product(range(1, entries + 1), repeat=places))
    total = sum(counts.values())
    mode, most = counts.most_common(1)[0]
    return judge(total == 14_641, value=float(total), low=14_641, high=14_641, entries=entries, places=places,
                 trained=int(train_fraction * total), classes=len(counts), mode=mode, most=most,
                 share=most / total)  # fmt: skip


@styled
def verdicts_by_kind(table: pd.DataFrame) -> Figure:
    """The counts of verdicts by kind as a grid of numbers, darker for more claims; totals at the margins."""
    counts = pd.crosstab(table.verdict, table.kind).reindex(index=VERDICTS, columns=KINDS, fill_value=0)
    said = counts.astype(str).mask(counts == 0, "")
    kinds = [f"{kind}\n({total})" for kind, total in counts.sum().items()]
    verdicts = [f"{verdict} ({total})" for verdict, total in counts.sum(axis=1).items()]
    fig, ((ax,),) = panels(1, 1, height=3.6)
    most = 2 * max(1, counts.to_numpy().max())
    sns.heatmap(counts, vmin=0, vmax=most, cmap="Greys", annot=said, fmt="", cbar=False, ax=ax,
                     xticklabels=kinds, yticklabels=verdicts)  # fmt: skip
    ax.set(xlabel="", ylabel="")
    ax.tick_params(length=0)
    return fig
