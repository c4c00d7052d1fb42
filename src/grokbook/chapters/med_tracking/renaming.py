"""The best renaming of the symbols: the least MED over i -> c i, against shuffled names and moved frequencies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import sympy
import xarray as xr
from matplotlib.figure import Figure
from scipy.spatial.distance import cdist
from scipy.stats import binom

from grokbook.claims import load
from grokbook.measures import least_med, mean_norm
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.runs.delay import grok_time
from grokbook.runs.gu2025 import operations
from grokbook.runs.lead_tasks import lead_tasks, short_name

FEW = "add, few cells"


def best_shape(phi: np.ndarray) -> float:
    r"""The least MED over the renamings $i \mapsto ci$ over the mean length of a vector; `phi` has shape (p, d).

    Example:
        >>> round(best_shape(np.eye(5)), 6)
        1.414214
    """
    return least_med(phi)[0] / mean_norm(phi)


def frequencies_moved(phi: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same waves at other frequencies: the Fourier coefficients of `phi` (p, d), p odd, in random order.

    Mean, powers and covariance stay as they are.

    Example:
        >>> phi = np.eye(5)
        >>> moved = frequencies_moved(phi, np.random.default_rng(0))
        >>> bool(np.allclose(moved.T @ moved, phi.T @ phi))
        True
    """
    waves = np.fft.rfft(phi, axis=0)
    order = 1 + rng.permutation(len(waves) - 1)
    return np.fft.irfft(waves[[0, *order]], n=len(phi), axis=0)


def by_powers(phi: np.ndarray) -> np.ndarray:
    """Rows of the non-zero symbols of a table (p, d) in the order $1, g, g^2, ...$ of a primitive root g: (p - 1, d).

    Example:
        >>> by_powers(np.arange(5.0)[:, None]).ravel().tolist()
        [1.0, 2.0, 4.0, 3.0]
    """
    p = len(phi)
    root = sympy.primitive_root(p)
    return phi[[pow(root, n, p) for n in range(p - 1)]]


def _best(between: np.ndarray) -> float:
    """Least MED over all renamings, p prime, from the distances (p, p): the least mean distance of i and i + c."""
    i, c = np.arange(len(between)), np.arange(1, len(between) // 2 + 1)[:, None]
    return between[i, (i + c) % len(i)].mean(axis=1).min()


def renaming_table(dataset: xr.Dataset, draws: int = 99) -> pd.DataFrame:
    """One row a seed of a recorded dataset: `best_shape` at the first and the last snapshot, and its two nulls.

    Columns: seed, p, grok_step (NaN if never), `start` and `end`; of the last table with its rows in random order the
    least of `draws` values (`shuffled`); of `frequencies_moved` the 5 and 95 % quantiles and the median (`low`,
    `high`, `moved`).
    """
    rng = np.random.default_rng(0)

    def row(seed: int) -> dict[str, float]:
        run = dataset.sel(seed=seed)
        first, last = (run.embedding.isel(snapshot=n).values.astype(float) for n in (0, -1))
        between, orders = cdist(last, last), [rng.permutation(len(last)) for _ in range(draws)]
        shuffled = min(_best(between[np.ix_(o, o)]) for o in orders) / mean_norm(last)
        waves = [frequencies_moved(last, rng) for _ in range(draws)]
        low, moved, high = np.quantile([_best(cdist(w, w)) / mean_norm(w) for w in waves], [0.05, 0.5, 0.95])
        step = grok_time(run.step, run.train_accuracy, run.test_accuracy).grok_step
        return {"seed": int(seed), "p": len(last), "grok_step": np.nan if step is None else step,
                "start": best_shape(first), "end": best_shape(last), "shuffled": shuffled,
                "low": low, "moved": moved, "high": high}  # fmt: skip

    return pd.DataFrame([row(seed) for seed in dataset.seed.values])


def small_tables() -> dict[str, pd.DataFrame]:
    """`renaming_table` of the recorded small networks of chapter 6 that add or subtract, by short name."""
    tasks = {short_name(task): task for task in lead_tasks().values()}
    sums = {name: task for name, task in tasks.items() if task.config.task.operation in ("add", "subtract")}
    return dict(load(sums, renaming_table))


def _range(values: pd.Series) -> str:
    return " to ".join(dict.fromkeys(f"{end:.2f}" for end in (values.min(), values.max())))


def _outcomes(table: pd.DataFrame) -> str:
    """Where the runs that generalise end and where the others do, and at which moduli with both the two overlap."""
    there = table.grok_step.notna()
    learned, others = table.end[there], table.end[~there]
    if learned.empty or others.empty:
        outcome = "generalise" if others.empty else "fail to generalise"
        return f"all {len(table)} {outcome} and end at {_range(table.end)}"
    mixed = [one for _, one in table.groupby("p") if one.grok_step.notna().nunique() > 1]
    both = {one.p.iloc[0]: (one.end[one.grok_step.notna()], one.end[one.grok_step.isna()]) for one in mixed}
    within = [
        f"at p = {p}, {len(a)} against {len(b)}, they {'do not ' if a.max() < b.min() else ''}overlap"
        for p, (a, b) in both.items()
    ]
    ends = f"{len(learned)} generalise and end at {_range(learned)}, {len(others)} do not and end at {_range(others)}"
    return f"{ends}; {'; '.join(within) or 'no modulus has both'}"


def found(pages: pd.DataFrame, small: pd.DataFrame, few: pd.DataFrame) -> str:
    """What the best renaming does, in sentences, from three `renaming_table`s: this page's runs, small ones, few cells.

    Example:
        >>> one = pd.DataFrame({"p": 97, "grok_step": [9.0, np.nan], "start": 1.4, "end": [0.9, 1.2]})
        >>> found(one, one.iloc[:0], one.iloc[:0]).partition("; ")[2]
        'of 2 runs 1 generalise and end at 0.90, 1 do not and end at 1.20; at p = 97, 1 against 1, they do not overlap.'
    """
    falls = "It falls in every run of this page" if (pages.end < pages.start).all() else "It does not fall in every run"
    told = [f"{falls}. It begins at {_range(pages.start)}; of {len(pages)} runs {_outcomes(pages)}"]
    if len(small):
        told.append(f"Of the {len(small)} small networks of chapter 6 that add or subtract, {_outcomes(small)}")
    if len(few):
        told.append(f"The {len(few)} that memorise a few cells end at {_range(few.end)}")
    return ". ".join(told) + "."


WORSE = "The run's own frequencies are, if anything, worse than moved ones."
NARROW = "So how few frequencies hold the spectrum accounts for it; that the run's own are good ones is not seen."
CHOSEN = "So there is more in it than a narrow spectrum: which frequencies hold it counts too."


def reads(table: pd.DataFrame) -> str:
    """What the two nulls say of the best renaming, in sentences chosen by what came out, from `renaming_table`."""
    named, below = table.end < table.shuffled, int((table.end < table.low).sum())
    above = int((table.end > table.high).sum())
    names = "in every run" if named.all() else f"in {named.sum()} of {len(table)} runs"
    waves = f"{below} of {len(table)} runs" if below else "no run"
    told = f"The best of the run's own names beats all shuffled ones {names}. Below the middle nine tenths of the "
    told += f"values at other frequencies lies {waves}, above it {above or 'none'} of {len(table)} "
    told += "(one in twenty on each side by chance)."
    many = binom.sf(above - 1, len(table), 0.05)
    told += f" So many above or more have a probability of {many:.3f}. {WORSE}" if many <= 0.05 else ""
    return f"{told} {NARROW if below <= len(table) / 10 else CHOSEN}"


def multiplied() -> str:
    """The best renaming of the runs that multiply (Fig. 13), by i -> c i and in the order of powers; or nothing."""
    made = load({"fig13": operations()["gu2025/fig13"]}, lambda run: (run.test_accuracy[:, -1], run.embedding))
    if not made:
        return ""
    accuracy, (begin, *_, end) = made["fig13"][0], made["fig13"][1].transpose("snapshot", ...).values.astype(float)
    before, after, powers = (pd.Series(map(best_shape, t)) for t in (begin, end, map(by_powers, end)))
    return (
        f"Of the {len(accuracy)} runs of Figure 13, which multiply, {int((accuracy >= 0.95).sum())} generalise; over "
        f"$i \\mapsto ci$ they begin at {_range(before)} and end at {_range(after)}. In the order of the powers of a "
        f"primitive root, where products are sums modulo $p - 1$, the same tables end at {_range(powers)}."
    )


@styled
def best_and_moved(pages: pd.DataFrame, small: pd.DataFrame) -> Figure:
    """The best renaming of each run's last table against the same waves at other frequencies; dashed: equal.

    Circles: `pages`, squares: `small` (both from `renaming_table`); filled where the run generalises. Grey ticks: the
    least value with shuffled names.
    """
    fig, ((ax,),) = panels(1, 1, height=4.2)
    for table, marker, size in ((small, "s", 4.5), (pages, "o", 7)):
        around = [table.moved - table.low, table.high - table.moved]
        ax.errorbar(table.moved, table.end, xerr=around, fmt="none", lw=0.8, color=COLOURS["quiet"], alpha=0.6)
        ax.plot(table.moved, table.shuffled, "_", ms=7, color=COLOURS["quiet"])
        there = table.grok_step.notna()
        for part, face in ((table[there], COLOURS["measure"]), (table[~there], "white")):
            ax.plot(part.moved, part.end, marker, ms=size, mfc=face, mec=COLOURS["measure"], ls="none")
    ax.axline((1, 1), slope=1, ls="--", lw=1, color=COLOURS["theory"], label="equal")
    for face, label in ((COLOURS["measure"], "generalises"), ("white", "does not")):
        ax.plot([], [], "o", mfc=face, mec=COLOURS["measure"], label=label)
    ax.plot([], [], "_", ms=7, color=COLOURS["quiet"], label="names shuffled")
    ax.set(xlabel="the same waves at other frequencies", ylabel="best renaming, MED / mean length")
    ax.legend(loc="lower right")
    return fig
