"""What becomes of an embedding in each run, a row a run; and the controls of what is seen in a
plane of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
import torch
import xarray as xr

from grokbook.curves.delay import grok_times
from grokbook.measures import dominant_frequencies, fourier_power, mean_norm
from grokbook.measures.principal import on_axes, ring_share
from grokbook.models.encoder import Encoder
from grokbook.tasks import ModularTask
from grokbook.theory.linear_probability import crossing
from grokbook_chapters.transformer_representations.runs import AXES

# ring share from which a plane counts as showing a circle: half for one frequency; two others
BARS = (0.5, 0.4, 0.6)
# random tables that a control is the mean of, starts for a rank
DRAWS = 10
RANKED = 100


def tables(run: xr.Dataset) -> np.ndarray:
    """The kept embeddings of one run, (snapshot, p, d)."""
    return run.embedding.values.astype(float)


# -------------------------------------------------------------------------- what is left of a start


def share_left(start: np.ndarray, end: np.ndarray, each: bool = False) -> np.ndarray:
    r"""How much of its start an embedding (p, d) still is, $a = \langle E_T, E_0\rangle / \lVert
    E_0\rVert_F^2$.

    With `each`, a complex number for each Fourier component of the columns, 0, ..., floor(p/2): the
    start is kept in some frequencies and lost in others.
    """
    if not each:
        return (start * end).sum() / (start * start).sum()
    first = np.fft.rfft(start, axis=0)
    last = np.fft.rfft(end, axis=0)
    return (last * first.conj()).sum(axis=1) / (np.abs(first) ** 2).sum(axis=1)


def kept(start: np.ndarray, left: np.ndarray) -> np.ndarray:
    """What is left of a start (p, d) by `share_left`: one share of all, or one of each Fourier
    component."""
    if not left.shape:
        return left * start
    return np.fft.irfft(left[:, None] * np.fft.rfft(start, axis=0), n=len(start), axis=0)


def strangers(
    start: np.ndarray, end: np.ndarray, draws: int, each: bool = False
) -> Iterator[tuple[np.ndarray, ...]]:
    """Starts that had no part in the training, each with the end that has its share in place of the
    true start's.

    Everything that training has put there, the end less what is `kept` of the start, stays as it
    was.
    """
    left = share_left(start, end, each)
    rng = np.random.default_rng(0)
    rest = end - kept(start, left)
    for _ in range(draws):
        other = rng.normal(size=start.shape)
        yield other, kept(other, left) + rest


def shown_by_strangers(start: np.ndarray, end: np.ndarray, each: bool = False) -> float:
    """Mean ring share of a stranger's start on the first two axes of its end."""
    return float(
        np.mean([ring_share(other, of=its) for other, its in strangers(start, end, DRAWS, each)])
    )


def drawn_rank(start: np.ndarray, end: np.ndarray) -> float:
    """Share of the other frequencies that are weaker at the start than the one that is strongest at
    the end."""
    power = fourier_power(start)[1:]
    k = dominant_frequencies(end, 1)[0]
    return float((power < power[k - 1]).sum() / (power.size - 1))


# -------------------------------------------------------------------------------- the table of runs


def lives(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a run, a column for each quantity that is judged of it; NaN for what it has not.

    `fit`, `grok` and `strict` are the steps of 95 % of the training set, and of 95 and 99 % of the
    test set; `length` is that of the embedded vectors at the end as a part of their first one. The
    other columns are those of `dimension`, `plane`, `start_shown`, `pruned` and `few_axes`.
    """
    times = grok_times(dataset)[["fit_step", "grok_step"]].astype(float)
    strict = grok_times(dataset, threshold=0.99).grok_step.astype(float)
    runs = [dataset.isel(seed=n) for n in range(dataset.sizes["seed"])]
    rng = np.random.default_rng((0, 1))
    ends = [tables(run)[-1] for run in runs]
    rows = []
    for n, run in enumerate(runs):
        fit, grok = times.iloc[n]
        late = float(strict.iloc[n])
        start = tables(run)[0]
        other = ends[(n + 1) % len(ends)] if len(ends) > 1 else None
        head = {"seed": int(run.seed), "fit": fit, "grok": grok, "strict": late}
        rows.append(
            {
                **head,
                "length": mean_norm(ends[n]) / mean_norm(start),
                **dimension(run, grok, late),
                **plane(run, grok, late),
                **start_shown(start, ends[n], other),
                **pruned(start, ends[n], rng),
                **few_axes(run, fit),
            }
        )
    return pd.DataFrame(rows)


def dimension(run: xr.Dataset, grok: float, strict: float) -> dict[str, float]:
    """Effective dimension: its highest value `rise`, those at both steps `kept` and `left`, and the
    last, `end`.

    These are parts of the first value; `turn` is the step of the highest as a part of `strict`,
    `turn_95` of `grok`.
    """
    size = run.effective_dimension.values
    top = run.step.values[size.argmax()]
    at = [
        np.nan if np.isnan(step) else size[np.abs(run.step.values - step).argmin()]
        for step in (grok, strict)
    ]
    return {
        "rise": size.max() / size[0],
        "kept": at[0] / size[0],
        "left": at[1] / size[0],
        "end": size[-1] / size[0],
        "turn": top / strict,
        "turn_95": top / grok,
    }


def plane(run: xr.Dataset, grok: float, strict: float) -> dict[str, float]:
    """The plane of the first two principal axes: `ring_start`, `ring_grok` and `ring_end` are its
    ring shares.

    `plane_grok` and `plane_end` are its shares of the variance, `second_axis` the variance of the
    second axis as a part of the first's; `round_b` is the step from which the ring share is b,
    `at_b` that as a part of `strict`, `read` the last step at which it is known: at each logged
    step where that was recorded, else of the kept embeddings.
    """
    shots = tables(run)
    kept = pd.Series([*map(ring_share, shots)], run.snapshot.values)
    rings = run.ring_share.to_series() if "ring_share" in run else kept
    found = {"ring_start": kept.iloc[0], "read": rings.index[-1]}
    near = len(shots) if np.isnan(grok) else int(np.abs(kept.index - grok).argmin())
    for name, n in (("grok", near), ("end", len(shots) - 1)):
        ring = share = second = np.nan
        if n < len(shots):
            axes = on_axes(shots[n], 2).var(axis=0)
            ring = kept.iloc[n]
            share = axes.sum() / shots[n].var(axis=0).sum()
            second = axes[1] / axes[0]
        found |= {f"ring_{name}": ring, f"plane_{name}": share, "second_axis": second}
    for bar in BARS:
        found[f"round_{bar}"] = crossing(rings.to_numpy(), bar, rings.index)
        found[f"at_{bar}"] = found[f"round_{bar}"] / strict
    return found


def start_shown(
    start: np.ndarray, end: np.ndarray, other: np.ndarray | None
) -> dict[str, float | list[float]]:
    """What a start shows on the axes of the end: its ring share `seen`, and `others`, on those of
    another run's end.

    `strange` and `alike` are the same for `strangers` with one share and with a share for each
    frequency; `rank` is `drawn_rank`, `drawn` what it is for strangers with one share: the end has
    some of its start, whoever's.
    """
    return {
        "seen": ring_share(start, of=end),
        "strange": shown_by_strangers(start, end),
        "alike": shown_by_strangers(start, end, each=True),
        "rank": drawn_rank(start, end),
        "drawn": [drawn_rank(*pair) for pair in strangers(start, end, RANKED)],
        "others": np.nan if other is None else ring_share(start, of=other),
    }


def outside(table: np.ndarray, start: np.ndarray) -> float:
    """Variance of a table outside its own first `AXES`, as a part of a start's outside these
    axes."""
    left = []
    for part in (table, start):
        shown = on_axes(part, AXES[-1], of=table).var(axis=0).sum()
        left.append(part.var(axis=0).sum() - shown)
    return float(left[0] / left[1])


def pruned(start: np.ndarray, end: np.ndarray, rng: np.random.Generator) -> dict[str, float]:
    """What an end has `outside` its first axes; `null` is the same for a random table as long as
    the end."""
    drawn = rng.normal(size=end.shape)
    drawn *= np.sqrt(end.var(axis=0).sum() / drawn.var(axis=0).sum())
    return {"outside": outside(end, start), "null": outside(drawn, start)}


def few_axes(run: xr.Dataset, fit: float) -> dict[str, float]:
    """What the network answers with the embedding on n axes: `best_n`, the best test accuracy on
    those of the end.

    `gain` is how much better these are than the axes of the moment, on average over n and the
    logged steps from fitting on (NaN where the run does not fit). Nothing where that was not
    recorded.
    """
    if "end_2" not in run:
        return {}
    ahead = sum(run[f"end_{n}"] - run[f"now_{n}"] for n in AXES) / len(AXES)
    gain = np.nan if np.isnan(fit) else float(ahead.sel(step=slice(fit, None)).mean())
    return {"gain": gain} | {f"best_{n}": float(run[f"end_{n}"].max()) for n in AXES}


# ------------------------------------------------------------------------------- controls of a ring


def last_rings(data: xr.Dataset) -> list[float]:
    """The ring share of each run (dim `seed`) at its end."""
    return [ring_share(table) for table in tables(data.isel(snapshot=-1))]


def beside_a_ring(run: xr.Dataset, others: Mapping[str, xr.Dataset]) -> pd.DataFrame:
    """Ring share and accuracy of a trained network, of embeddings that are made of its last one,
    and of other trained networks (medians): a row an embedding (index).

    A fresh decoder is everything behind the embedding as it is drawn, the mean of five seeds.
    """
    end = tables(run)[-1]
    p, width = end.shape
    rng = np.random.default_rng(0)
    angle = 2 * np.pi * np.arange(p) / p
    circle = np.zeros((p, width))
    circle[:, 0] = np.sqrt(width) * np.cos(angle)
    circle[:, 1] = np.sqrt(width) * np.sin(angle)
    renamed = np.mean([ring_share(end[rng.permutation(p)]) for _ in range(DRAWS)])
    rows = {
        "the trained network": (ring_share(end), float(run.test_accuracy[-1])),
        "its embedding, a fresh decoder": (ring_share(end), fresh_accuracy(end)),
        "a perfect circle, a fresh decoder": (ring_share(circle), fresh_accuracy(circle)),
        "its symbols renamed at random": (renamed, np.nan),
    }
    for name, data in others.items():
        right = float(data.test_accuracy[:, -1].median())
        rows[name] = (float(np.median(last_rings(data))), right)
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["ring share", "accuracy"])
    return table.rename_axis("embedding")


def fresh_accuracy(table: np.ndarray) -> float:
    """The share of all pairs that networks answer whose embedding is given (p, d) and all else as
    it is drawn, the mean of five seeds."""
    p, width = table.shape
    network = Encoder(p, d_model=width, d_mlp=64)
    task = ModularTask(p)
    inputs = torch.from_numpy(task.inputs)
    right = []
    for seed in range(5):
        weights = network.draw(seed) | {"W_E": torch.from_numpy(table).float()}
        with torch.no_grad():
            answers = network.forward(weights, inputs).argmax(-1)
        right.append(float((answers.numpy() == task.labels).mean()))
    return float(np.mean(right))


def chance_of_rank(rows: pd.DataFrame, draws: int = 20_000) -> float:
    """How often strangers' starts rank the winning frequency as high, on average over runs, as
    their own starts do; rows of `lives`."""
    rng = np.random.default_rng(0)
    drawn = np.mean([rng.choice(ranks, draws) for ranks in rows.drawn], axis=0)
    higher = int((drawn >= rows["rank"].mean() - 1e-9).sum())
    return (1 + higher) / (draws + 1)
