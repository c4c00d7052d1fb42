"""What becomes of an embedding in each run, a row a run; and the controls of what is seen in a plane of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas as pd
import torch
import xarray as xr

from grokbook.chapters.transformer_representations.projected import AXES
from grokbook.measures import dominant_frequencies, fourier_power, mean_norm
from grokbook.measures.principal import on_axes, ring_share
from grokbook.models.encoder import Encoder
from grokbook.runs.delay import grok_times
from grokbook.tasks.arithmetic import ModularTask

DRAWS = 10
"""Random embeddings, starts or planes of which a control is the mean."""

FRESH = 5
"""Fresh decoders that an embedding is put in front of."""

RANKED = 100
"""Random starts with which a start's rank is compared."""

NULL = 0.95
"""A ring share above this quantile of those of random embeddings is not chance."""


def tables(run: xr.Dataset) -> list[np.ndarray]:
    """The kept embeddings (p, d) of one run."""
    return [table.astype(float) for table in run.embedding.values]


def without_start(start: np.ndarray, end: np.ndarray, each: bool = False) -> tuple[np.ndarray, np.ndarray]:
    r"""How much of its start an embedding still is, $a = \langle E_T, E_0\rangle / \lVert E_0\rVert_F^2$, and the rest.

    The rest, $E_T - a E_0$, is what training has put there. With `each`, a is a complex number for each Fourier
    component of the columns, 0, ..., floor(p/2): the start is kept in some frequencies and lost in others.

    Example:
        >>> without_start(np.eye(2), np.array([[0.5, 2.0], [0.0, 0.5]]))[1].tolist()
        [[0.0, 2.0], [0.0, 0.0]]
    """
    if not each:
        left = np.array((start * end).sum() / (start * start).sum())
        return left, end - left * start
    first, last = np.fft.rfft(start, axis=0), np.fft.rfft(end, axis=0)
    left = (last * first.conj()).sum(axis=1) / (np.abs(first) ** 2).sum(axis=1)
    return left, end - kept(start, left)


def kept(start: np.ndarray, left: np.ndarray) -> np.ndarray:
    """What is left of a start (p, d) by `without_start`: one share of all, or one of each Fourier component."""
    if not left.shape:
        return left * start
    return np.fft.irfft(left[:, None] * np.fft.rfft(start, axis=0), n=len(start), axis=0)


def strangers(
    start: np.ndarray, end: np.ndarray, draws: int = DRAWS, each: bool = False
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Starts that had no part in the training, each with the end that has its share in place of the true start's.

    Everything that training has put there stays as it was (`without_start`).
    """
    left, rest = without_start(start, end, each)
    rng = np.random.default_rng(0)
    for _ in range(draws):
        other = rng.normal(size=start.shape)
        yield other, kept(other, left) + rest


def shown_by_strangers(start: np.ndarray, end: np.ndarray, each: bool = False) -> float:
    """Mean ring share of a stranger's start on the first two axes of its end (`strangers`)."""
    return float(np.mean([ring_share(other, of=its) for other, its in strangers(start, end, each=each)]))


def drawn_rank(start: np.ndarray, end: np.ndarray) -> float:
    """Share of the other frequencies that are weaker at the start than the one that is strongest at the end.

    Example:
        >>> wave = np.cos(2 * np.pi * np.arange(7)[:, None] / 7)
        >>> drawn_rank(wave, wave)
        1.0
    """
    power, k = fourier_power(start)[1:], dominant_frequencies(end, 1)[0]
    return float((power < power[k - 1]).sum() / (power.size - 1))


def lives(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a run: when it generalises, effective dimension and ring share on the way, what its start shows.

    `grok` is the step at which the test accuracy reaches 95 % for good, `strict` the one for 99 %, the paper's bar (NaN
    where it does not). `length` is that of the embedding at the end as a part of its first one (mean over rows).
    `at_start`, `peak`, `peak_step`, `at_grok`, `at_strict` and `at_end` are of the effective dimension,
    `ring_start`, `ring_grok` (at the snapshot nearest to `grok`) and `ring_end` of the plane of the first two principal
    axes; `plane_grok` and `plane` are its shares of the variance then, `roundness` the second axis's part of the first.
    `seen` is the ring share of the start on the axes of the end, `strange` and `alike` the same for `strangers`
    of one share and of a share for each frequency, `others` on the axes of the next run's end (NaN for one run);
    `rank` is `drawn_rank`, `drawn` what it is for strangers of one share: the end has some of its start, whoever's.
    """
    grok, strict = grok_times(dataset), grok_times(dataset, threshold=0.99)
    runs = [dataset.isel(seed=n) for n in range(dataset.sizes["seed"])]
    ends = [tables(run)[-1] for run in runs]
    rows = []
    for n, run in enumerate(runs):
        other = ends[(n + 1) % len(ends)] if len(ends) > 1 else None
        step = float(grok.grok_step.iloc[n]) if pd.notna(grok.grok_step.iloc[n]) else np.nan
        late = float(strict.grok_step.iloc[n]) if pd.notna(strict.grok_step.iloc[n]) else np.nan
        length = mean_norm(ends[n]) / mean_norm(tables(run)[0])
        head = {"seed": int(run.seed), "fit": grok.fit_step.iloc[n], "grok": step, "strict": late, "length": length}
        rows.append({**head, **_dimension(run, step, late), **_rings(run, step, other)})
    return pd.DataFrame(rows)


def _dimension(run: xr.Dataset, grok: float, strict: float) -> dict[str, float]:
    values, steps = run.effective_dimension.values, run.step.values
    at = [np.nan if np.isnan(step) else values[np.abs(steps - step).argmin()] for step in (grok, strict)]
    peak = {"peak": values.max(), "peak_step": steps[values.argmax()]}
    return {"at_start": values[0], **peak, "at_grok": at[0], "at_strict": at[1], "at_end": values[-1]}


def _rings(run: xr.Dataset, grok: float, other: np.ndarray | None) -> dict[str, float | list[float]]:
    shots = tables(run)
    start, end = shots[0], shots[-1]
    at = 0 if np.isnan(grok) else int(np.abs(run.snapshot.values - grok).argmin())
    rings, variances = [ring_share(shot) for shot in shots], [on_axes(shot, 2).var(axis=0) for shot in shots]
    planes = [axes.sum() / shot.var(axis=0).sum() for axes, shot in zip(variances, shots, strict=True)]
    grown = (np.nan, np.nan) if np.isnan(grok) else (rings[at], planes[at])
    return {"ring_start": rings[0], "ring_grok": grown[0], "ring_end": rings[-1], "plane_grok": grown[1],
            "plane": planes[-1], "roundness": variances[-1][1] / variances[-1][0],
            "seen": ring_share(start, of=end), "strange": shown_by_strangers(start, end),
            "alike": shown_by_strangers(start, end, each=True), "rank": drawn_rank(start, end),
            "drawn": [drawn_rank(*pair) for pair in strangers(start, end, RANKED)],
            "others": np.nan if other is None else ring_share(start, of=other)}  # fmt: skip


def circles(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a run: the steps of 95 % and of 99 % test accuracy (`grok`, `strict`), and `rings`, ring share by step.

    The ring share is that recorded at each logged step, in other runs that of the kept embeddings.
    """
    grok, strict = (grok_times(dataset, threshold=bar).grok_step.astype(float) for bar in (0.95, 0.99))
    rows = []
    for seed, run in ((int(seed), dataset.sel(seed=seed)) for seed in dataset.seed):
        kept = "ring_share" not in run
        rings = pd.Series(map(ring_share, tables(run)), run.snapshot.values) if kept else run.ring_share.to_series()
        rows.append({"seed": seed, "grok": grok[seed], "strict": strict[seed], "rings": rings})
    return pd.DataFrame(rows)


def step_of(values: pd.Series, bar: float) -> float:
    """The step from which a value first has the bar, on straight lines between its steps; NaN where it never has.

    Example:
        >>> step_of(pd.Series([0.0, 0.4, 0.3, 0.8], [0, 10, 20, 30]), 0.6)
        25.0
    """
    top = np.maximum.accumulate(values.to_numpy())
    return float(np.interp(bar, top, values.index)) if top[-1] >= bar else np.nan


def reduced(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a run: what its network answers with the embedding on n principal axes.

    `best_n` is the best test accuracy on the n axes of the end, `gain` how much better these are than the axes of the
    moment, on average over n and over the logged steps from fitting on (NaN where the run does not fit); `grok`
    as in `lives`.
    """
    times = grok_times(dataset)
    best = {f"best_{n}": dataset[f"end_{n}"].max("step").values for n in AXES}
    ahead = sum(dataset[f"end_{n}"] - dataset[f"now_{n}"] for n in AXES) / len(AXES)
    gain = [float(ahead.isel(seed=n).sel(step=slice(fit, None)).mean()) if pd.notna(fit) else np.nan
            for n, fit in enumerate(times.fit_step)]  # fmt: skip
    return pd.DataFrame({"grok": times.grok_step.astype(float).values, "gain": gain, **best})


def pruned(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a run: variance at the end as a part of that at the start, on the end's first axes and `outside` them.

    `null` is `outside` for random tables as long as the end; `grok` as in `lives`.
    """
    rows, rng = [], np.random.default_rng((0, 1))
    for n, grok in enumerate(grok_times(dataset).grok_step.astype(float)):
        start, *_, end = tables(dataset.isel(seed=n))
        drawn = rng.normal(size=end.shape)
        drawn *= np.sqrt(end.var(axis=0).sum() / drawn.var(axis=0).sum())
        outside, null = (_left(start, table)[1] for table in (end, drawn))
        rows.append({"grok": grok, "inside": _left(start, end)[0], "outside": outside, "null": null})
    return pd.DataFrame(rows)


def _left(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Variance of an end over that of its start, on the end's first `AXES` and off them."""
    shown = np.array([[on_axes(table, AXES[-1], of=end).var(axis=0).sum(), table.var(axis=0).sum()]
                      for table in (end, start)])  # fmt: skip
    return np.divide(*np.stack([shown[:, 0], shown[:, 1] - shown[:, 0]], axis=1))


def chance_ring(p: int, d: int, draws: int = 200) -> float:
    """The ring share that 5 % of random embeddings (p, d) exceed on their own first two axes.

    Example:
        >>> 0.15 < chance_ring(31, 64) < 0.4
        True
    """
    rng = np.random.default_rng(0)
    return float(np.quantile([ring_share(rng.normal(size=(p, d))) for _ in range(draws)], NULL))


# ------------------------------------------------------------------------------------------- controls of a ring


def asked(embedding: np.ndarray, d_mlp: int, seed: int = 0) -> float:
    """Accuracy on all pairs of a network with this embedding (p, d) and everything else as it is drawn."""
    p, d = embedding.shape
    net, task = Encoder(p, d_model=d, d_mlp=d_mlp), ModularTask(p)
    weights = net.draw(seed) | {"W_E": torch.as_tensor(embedding, dtype=torch.float32)}
    with torch.no_grad():
        answers = net.forward(weights, torch.from_numpy(task.inputs)).argmax(dim=-1).numpy()
    return float((answers == task.labels).mean())


def ring_of(p: int, d: int) -> np.ndarray:
    """A perfect circle of p points in d dimensions, as long as random vectors."""
    angle = 2 * np.pi * np.arange(p) / p
    return np.stack([np.cos(angle), np.sin(angle)], axis=1) @ np.eye(2, d) * np.sqrt(d)


def control_table(run: xr.Dataset, others: Mapping[str, xr.Dataset]) -> pd.DataFrame:
    """The ring share of one run's last embedding beside controls, with the accuracy of the network each is in.

    `others` are runs (dim `seed`), of which the medians at the end are taken. Accuracies are those of the test set;
    with a fresh decoder, means over all pairs. NaN stands where no network goes with an embedding.
    """
    end = tables(run)[-1]
    p, d = end.shape
    rng = np.random.default_rng(0)
    centred = end - end.mean(axis=0)
    sizes = np.linalg.svd(centred, compute_uv=False)[: p - 1]
    noise = [np.linalg.qr(rng.normal(size=(p, p - 1)))[0][:, : sizes.size] * sizes for _ in range(DRAWS)]
    planes = [centred @ np.linalg.qr(rng.normal(size=(d, 2)))[0] for _ in range(DRAWS)]
    rows = [
        ("the trained network", ring_share(end), float(run.test_accuracy[-1])),
        ("its embedding, a fresh decoder", ring_share(end), _fresh(end)),
        ("a perfect circle, a fresh decoder", ring_share(ring_of(p, d)), _fresh(ring_of(p, d))),
        ("its symbols renamed at random", _mean(end[rng.permutation(p)] for _ in range(DRAWS)), np.nan),
        ("noise with its principal variances", _mean(noise), np.nan),
        ("a plane of it drawn at random", _mean(planes), np.nan),
    ]
    for name, data in others.items():
        rows.append((name, float(np.median(last_rings(data))), float(data.test_accuracy[:, -1].median())))
    return pd.DataFrame(rows, columns=["embedding", "ring share", "accuracy"])


def last_rings(data: xr.Dataset) -> list[float]:
    """The ring share of each run (dim `seed`) at its end."""
    return [ring_share(tables(data.isel(seed=n))[-1]) for n in range(data.sizes["seed"])]


def _mean(found: Iterable[np.ndarray]) -> float:
    return float(np.mean([ring_share(table) for table in found]))


def _fresh(table: np.ndarray) -> float:
    return float(np.mean([asked(table, 64, seed) for seed in range(FRESH)]))


def stages(run: xr.Dataset) -> dict[str, np.ndarray]:
    """The panels of Fig. 1 on the own axes of each step, and one between: name -> coordinates (p, 2).

    The start, the first kept step with all training pairs right, the one nearest to 99 % test accuracy, the end.
    """
    times, kept = grok_times(run, threshold=0.99).iloc[0], run.snapshot.values
    fit, grok = (kept[0] if pd.isna(step) else step for step in (times.fit_step, times.grok_step))
    near = [0, int(np.searchsorted(kept, fit)), int(np.abs(kept - grok).argmin()), len(kept) - 1]
    return {f"step {kept[n]:,}": on_axes(tables(run)[n], 2) for n in near}


def planes(run: xr.Dataset) -> dict[str, np.ndarray]:
    """The panels of Fig. 21, and a control: name -> coordinates (p, 2)."""
    shots = tables(run)
    start, end = shots[0], shots[-1]
    other, its = next(strangers(start, end))
    return {
        "end, its own axes": on_axes(end, 2),
        "start, its own axes": on_axes(start, 2),
        "start, axes of the end": on_axes(start, 2, of=end),
        "a stranger's start": on_axes(other, 2, of=its),
    }
