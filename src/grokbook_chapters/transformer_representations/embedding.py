"""What becomes of an embedding in each run, a row a run; and the controls of what is seen in a
plane of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
import xarray as xr

from grokbook.curves.delay import grok_times
from grokbook.measures import dominant_frequencies, fourier_power
from grokbook.measures.principal import on_axes, ring_share
from grokbook.models.encoder import Encoder
from grokbook.tasks import ModularTask
from grokbook.theory.linear_probability import crossing
from grokbook_chapters.labelled import Datasets, Row
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


def share_left(start: np.ndarray, end: np.ndarray, by_frequency: bool = False) -> np.ndarray:
    r"""How much of its start an embedding (p, d) still is, $a = \langle E_T, E_0\rangle / \lVert
    E_0\rVert_F^2$.

    With `by_frequency`, a complex number for each Fourier component of the columns, 0, ...,
    floor(p/2): the start is kept in some frequencies and lost in others.
    """
    if not by_frequency:
        return (start * end).sum() / (start * start).sum()
    first = np.fft.rfft(start, axis=0)
    last = np.fft.rfft(end, axis=0)
    return (last * first.conj()).sum(axis=1) / (np.abs(first) ** 2).sum(axis=1)


def remains(start: np.ndarray, left: np.ndarray) -> np.ndarray:
    """What is left of a start (p, d) by `share_left`: one share of all, or one of each Fourier
    component."""
    if not left.shape:
        return left * start
    spectrum = left[:, None] * np.fft.rfft(start, axis=0)
    return np.fft.irfft(spectrum, n=len(start), axis=0)


class Stranger(NamedTuple):
    """A start that had no part in the training, and the end that has its share in place of the true
    start's, (p, d) both."""

    start: np.ndarray
    end: np.ndarray


def strangers(
    start: np.ndarray, end: np.ndarray, draws: int, by_frequency: bool = False
) -> Iterator[Stranger]:
    """Strangers of an embedding. Everything that training has put there, the end less what
    `remains` of the start, stays as it was."""
    left = share_left(start, end, by_frequency)
    rng = np.random.default_rng(0)
    rest = end - remains(start, left)
    for _ in range(draws):
        other = rng.normal(size=start.shape)
        yield Stranger(other, remains(other, left) + rest)


def shown_by_strangers(start: np.ndarray, end: np.ndarray, by_frequency: bool = False) -> float:
    """Mean ring share of a stranger's start on the first two axes of its end."""
    others = strangers(start, end, DRAWS, by_frequency)
    return float(np.mean([ring_share(other.start, of=other.end) for other in others]))


def drawn_rank(start: np.ndarray, end: np.ndarray) -> float:
    """Share of the other frequencies that are weaker at the start than the one that is strongest at
    the end."""
    power = fourier_power(start)[1:]
    k = dominant_frequencies(end, 1)[0]
    return (power < power[k - 1]).sum() / (power.size - 1)


# -------------------------------------------------------------------------------- the table of runs


def lives(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a run, a column for each quantity that is judged of it; NaN for what it has not.

    `grok` and `strict` are the steps of 95 and 99 % of the test set. The other columns are those of
    `dimension`, `plane`, `start_shown`, `pruned` and `few_axes`.
    """
    times = grok_times(dataset).astype({"fit_step": float, "grok_step": float})
    strict = grok_times(dataset, threshold=0.99).grok_step.astype(float)
    runs = [dataset.isel(seed=n) for n in range(dataset.sizes["seed"])]
    ends = [tables(run)[-1] for run in runs]
    rng = np.random.default_rng((0, 1))
    rows = []
    for n, run in enumerate(runs):
        late = float(strict.iloc[n])
        start = tables(run)[0]
        end = ends[n]
        other = ends[(n + 1) % len(ends)] if len(ends) > 1 else None
        row = {
            "seed": int(run.seed),
            "grok": times.grok_step.iloc[n],
            "strict": late,
            **dimension(run, late),
            **plane(run, late),
            **start_shown(start, end, other),
            **pruned(start, end, rng),
            **few_axes(run, times.fit_step.iloc[n]),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def dimension(run: xr.Dataset, strict: float) -> Row:
    """Effective dimension: its highest value `rise`, that at step `strict`, `left`, and the last,
    `end`, as parts of the first; `turn` is the step of the highest as a part of `strict`."""
    steps = run.step.values
    size = run.effective_dimension.values
    parts = size / size[0]
    at = np.abs(steps - strict).argmin()
    return {
        "rise": parts.max(),
        "left": np.nan if np.isnan(strict) else parts[at],
        "end": parts[-1],
        "turn": steps[size.argmax()] / strict,
    }


def plane(run: xr.Dataset, strict: float) -> Row:
    """The plane of the first two principal axes: `ring_start` is its first ring share, `round_b`
    the step from which that is b, `at_b` that as a part of `strict`.

    `read` is the last step at which it is known: at each logged step where that was recorded, else
    of the kept embeddings.
    """
    if "ring_share" in run:
        rings = run.ring_share.to_series()
    else:
        rings = pd.Series([ring_share(table) for table in tables(run)], run.snapshot.values)
    columns = {"ring_start": ring_share(tables(run)[0]), "read": rings.index[-1]}
    for bar in BARS:
        step = crossing(rings.to_numpy(), bar, rings.index)
        columns[f"round_{bar}"] = step
        columns[f"at_{bar}"] = step / strict
    return columns


def start_shown(start: np.ndarray, end: np.ndarray, other: np.ndarray | None) -> Row:
    """What a start shows on the axes of the end: its ring share `seen`, and `others`, on those of
    another run's end.

    `strange` and `alike` are the same for `strangers` with one share and with a share for each
    frequency; `rank` is `drawn_rank`, `drawn` what it is for strangers with one share: the end has
    some of its start, whoever's.
    """
    return {
        "seen": ring_share(start, of=end),
        "strange": shown_by_strangers(start, end),
        "alike": shown_by_strangers(start, end, by_frequency=True),
        "rank": drawn_rank(start, end),
        "drawn": [drawn_rank(*other) for other in strangers(start, end, RANKED)],
        "others": np.nan if other is None else ring_share(start, of=other),
    }


def outside(table: np.ndarray, start: np.ndarray) -> float:
    """Variance of a table outside its own first `AXES`, as a part of a start's outside these
    axes."""

    def left(part: np.ndarray) -> float:
        return variance(part) - variance(on_axes(part, AXES[-1], of=table))

    return left(table) / left(start)


def variance(table: np.ndarray) -> float:
    """Variance of the rows of a table about their mean, over all columns together."""
    return table.var(axis=0).sum()


def pruned(start: np.ndarray, end: np.ndarray, rng: np.random.Generator) -> Row:
    """What an end has `outside` its first axes; `null` is the same for a random table as long as
    the end."""
    drawn = rng.normal(size=end.shape)
    drawn *= np.sqrt(variance(end) / variance(drawn))
    return {"outside": outside(end, start), "null": outside(drawn, start)}


def few_axes(run: xr.Dataset, fit: float) -> Row:
    """What the network answers with the embedding on n axes: `best_n`, the best test accuracy on
    those of the end.

    `gain` is how much better these are than the axes of the moment, on average over n and the
    logged steps from fitting on (NaN where the run does not fit). Nothing where that was not
    recorded.
    """
    if "end_2" not in run:
        return {}
    ahead = sum(run[f"end_{n}"] - run[f"now_{n}"] for n in AXES) / len(AXES)
    fitted = ahead.sel(step=slice(fit, None))
    columns = {"gain": np.nan if np.isnan(fit) else float(fitted.mean())}
    for n in AXES:
        columns[f"best_{n}"] = float(run[f"end_{n}"].max())
    return columns


# ------------------------------------------------------------------------------- controls of a ring


def beside_a_ring(run: xr.Dataset, others: Datasets) -> pd.DataFrame:
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
    renamed = [ring_share(end[rng.permutation(p)]) for _ in range(DRAWS)]
    ring = ring_share(end)
    rows = {
        "the trained network": (ring, float(run.test_accuracy[-1])),
        "its embedding, a fresh decoder": (ring, fresh_accuracy(end)),
        "a perfect circle, a fresh decoder": (ring_share(circle), fresh_accuracy(circle)),
        "its symbols renamed at random": (np.mean(renamed), np.nan),
    }
    for name, data in others.items():
        rings = [ring_share(table) for table in tables(data.isel(snapshot=-1))]
        rows[name] = (np.median(rings), float(data.test_accuracy[:, -1].median()))
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
        right.append((answers.numpy() == task.labels).mean())
    return np.mean(right)


def chance_of_rank(rows: pd.DataFrame) -> float:
    """How often strangers' starts rank the winning frequency as high, on average over runs, as
    their own starts do; rows of `lives`."""
    rng = np.random.default_rng(0)
    drawn = np.mean([rng.choice(ranks, 20_000) for ranks in rows.drawn], axis=0)
    higher = int((drawn >= rows["rank"].mean() - 1e-9).sum())
    return (1 + higher) / (len(drawn) + 1)
