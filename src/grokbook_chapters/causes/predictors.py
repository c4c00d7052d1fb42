r"""Predictors at the fit step: which quantity foretells the wait of a run within its setting?

Runs of one setting differ in start and split alone, and wait for different lengths. Each predictor
is read at the fit step of a run, and is set against the wait (grok minus fit step) of the runs of
its setting.

- `weight_norm`, `hidden_norm`, `readout_norm`: the norm of all weights, of the hidden layers, of
  the read-out.
- `fresh_readout`: what a fresh read-out of the features has right of the test set.
- `effective_rank`: the exponential of the entropy of the variances of the features.
- `fourier_share`: the share of the power of the embedding in its `STRONGEST` frequencies.
- `test_loss`, `test_accuracy`.
- `commutator_defect` (arXiv 2602.16746, with the definition of its code): of two batches A and B
  and steps of plain gradient descent with rate $\eta$, the distance of the two orders over the
  lengths of both steps, $\lVert\theta_{AB} - \theta_{BA}\rVert / (\lVert\eta g_A\rVert
  \lVert\eta g_B\rVert)$, median of nine pairs of batches. A batch is a fifth of the training set,
  as there; $\eta = 10^{-3}$.

What came of it: on T and Q most of what was predicted of the losses, the read-out and (T) of norms
and spectra, on R nothing; the commutator defect is not seen to foretell the wait on any bench.

Not run: the local learning coefficient (arXiv 2603.01192), whose closed form for quadratic
networks is not at hand.

The rule, fixed before the first of these runs. In each setting predictor and wait are ranked, and
freed of the rank of the fit step by least squares; what is left is compared by Kendall's tau, and
the taus of a bench's settings are averaged. Its p value is that of predictors dealt anew within
their settings (`DRAWS` times, two-sided), corrected by Holm's rule over the rows of the bench. A
predictor is "sooner" where p <= 0.05 and larger values go with shorter waits, "later" where they go
with longer ones, else "not seen". Controls: the fit step itself, by its plain tau. A sham: the
fresh read-out dealt anew among the runs of a setting. An oracle: the test accuracy at the grok step
of the first run of the setting. A run that does not generalise by the last step is ranked last
where it was followed after its fit for at least the longest wait of the others, else left out; so
is one that does not fit by step `LATEST`. Power: with 48 seeds in each of three settings a
predictor is seen with a chance of 0.8 or more where its tau is -.21 or .21, with two settings where
it is .26 (simulated normal pairs, the least of twelve p values by Holm's rule).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
import xarray as xr
from scipy.stats import rankdata
from torch import Tensor
from torch.nn import functional as F

from companion.claims import Finding, Runs, claim, enough, judge
from companion.claims.finding import Part
from grokbook.curves.delay import ROUNDING, THRESHOLD, grok_times
from grokbook.measures.fourier import energy_share
from grokbook.measures.geometry import effective_dimension
from grokbook.measures.norms import weight_norm
from grokbook.models.networks import parts_of
from grokbook.runs.experiment import Experiment, Experiments, recorded
from grokbook.runs.instruments import fresh
from grokbook.training.watching import View, Watch
from grokbook_chapters.causes.effects import LEVEL, holm, texts
from grokbook_chapters.causes.laws import until_it_stays
from grokbook_chapters.labelled import Row, Tables

SEEDS = tuple(range(30, 78))
"""Seeds that no arm, search or grid has."""

LATEST = 150
"""The last step at which a predictor is read."""

STRONGEST = 3
"""Frequencies whose share of the power is read."""

SETTINGS: dict[str, tuple[tuple[float, float], ...]] = {
    "Q": ((0.005, 0.3), (0.005, 0.15), (0.0025, 0.3)),
    "T": ((0.004, 1.4), (0.008, 0.7), (0.008, 1.4)),
    "R": ((0.005, 1.0), (0.0025, 1.0)),
}
"""Rates and decays, by bench; on Q and T of the grid of `laws`."""

STEPS = {"Q": 5_000, "T": 4_000, "R": 5_000}
VERSION = 1


def _norm(part: str, view: View) -> float:
    """The norm of the parameters of a group."""
    network: Any = view.config.model
    return weight_norm([view.weights[name] for name in network.groups()[part]])


class Step(NamedTuple):
    """A step of gradient descent on a batch, as a function of the weights."""

    inputs: Tensor
    targets: Tensor
    rate: float

    def __call__(self, view: View, row: Tensor) -> Tensor:
        """The update, minus the rate times the gradient of the mean cross entropy."""
        network = view.config.model
        point = row.detach().requires_grad_()
        outputs = network.forward(parts_of(point, network.shapes()), self.inputs)
        (gradient,) = torch.autograd.grad(F.cross_entropy(outputs, self.targets), point)
        return -self.rate * gradient


def commutator_defect(
    view: View, *, pairs: int = 9, share: float = 0.2, rate: float = 1e-3
) -> float:
    r"""How far two steps of gradient descent are from commuting, median over pairs of batches.

    .. math:: \lVert\theta_{AB} - \theta_{BA}\rVert / (\lVert\eta g_A\rVert \lVert\eta g_B\rVert)

    Args:
        view: a network that answers with logits, on a task with a training set.
        pairs: pairs of batches, drawn by seed and step of the view.
        share: of the training set, in a batch.
        rate: $\eta$.

    Source: Xu 2026, arXiv:2602.16746, by the definition of its code (rate 1e-3, nine pairs, batches
    of 512 of 2,822 pairs).
    """
    task: Any = view.task
    rng = np.random.default_rng([view.config.seed, view.step])
    inputs = torch.as_tensor(task.inputs)
    targets = torch.as_tensor(task.targets)
    names = view.config.model.shapes()
    row = torch.cat([view.weights[name].reshape(-1) for name in names]).double()
    size = round(share * len(task.train_index))
    defects = []
    for _ in range(pairs):
        steps = []
        for _ in "AB":
            batch = torch.as_tensor(rng.choice(task.train_index, size, replace=False))
            steps.append(Step(inputs[batch], targets[batch], rate))
        first, second = (step(view, row) for step in steps)
        there = first + steps[1](view, row + first)
        back = second + steps[0](view, row + second)
        defects.append(float((there - back).norm() / (first.norm() * second.norm())))
    return np.median(defects)


def _fourier(view: View) -> float:
    return energy_share(view.embedding, STRONGEST)


def _rank(view: View) -> float:
    return effective_dimension(view.features)


def early(measure: Watch, view: View) -> float:
    """A measure where the training set is fitted, up to step `LATEST`; NaN elsewhere."""
    if view.step > LATEST:
        return np.nan
    task: Any = view.task
    right = view.logits.argmax(axis=1) == np.asarray(task.targets)
    is_fitted = right[task.train_index].mean() >= THRESHOLD - ROUNDING
    return measure(view) if is_fitted else np.nan


WATCHED: dict[str, Watch] = {
    "hidden_norm": partial(_norm, "hidden"),
    "readout_norm": partial(_norm, "output"),
    "fresh_readout": fresh,
    "effective_rank": _rank,
    "fourier_share": _fourier,
    "commutator_defect": commutator_defect,
}
"""What training does not log itself."""

LOGGED = ("weight_norm", "test_loss", "test_accuracy")
PREDICTORS = (*LOGGED, *WATCHED)


def settings(bench: str) -> Experiments:
    """The free runs of a bench at each of its rates and decays, with what is read at the fit."""
    config = until_it_stays(bench, STEPS[bench])
    watch = {name: partial(early, measure) for name, measure in WATCHED.items()}
    in_key = {"read at the fit": dict.fromkeys(WATCHED, VERSION)}
    kept = ("train_accuracy", *LOGGED, *WATCHED)
    experiments = {}
    for rate, decay in SETTINGS[bench]:
        optimizer = dataclasses.replace(config.optimizer, learning_rate=rate, weight_decay=decay)
        name = f"causes/predictors[{bench} rate={rate:g} decay={decay:g}]"
        own = dataclasses.replace(config, optimizer=optimizer)
        experiments[rate, decay] = Experiment(
            name, own, SEEDS, together=True, watch=watch, in_key=in_key, kept=kept
        )
    return experiments


RUNS = tuple(partial(settings, bench) for bench in SETTINGS)


def predictions() -> pd.DataFrame:
    """The word that is predicted of each row on each bench, whose idea it is, and what it says if
    it comes out otherwise."""
    return texts("predictors")


def at_the_fit(data: xr.Dataset) -> pd.DataFrame:
    """A row a run of one setting: `wait`, infinite where it did not generalise, `fit_step`, each
    of `PREDICTORS` at the fit step, `later_accuracy` and `shuffled`.

    Runs that do not fit by step `LATEST` are left out, and late ones that were followed for less
    than the longest wait of the others.
    """
    times = grok_times(data)
    times = times[times.fit_step.notna() & (times.fit_step <= LATEST).fillna(False)]
    wait = times.delay.astype(float)
    followed = (times.last_step - times.fit_step).astype(float)
    is_known = wait.notna() | (followed >= wait.max())
    times = times[is_known]
    first = times.grok_step.min()
    rows = []
    for seed, run in times.iterrows():
        own = data.sel(seed=seed)
        row = own.sel(step=int(run.fit_step))
        values = {name: float(row[name]) for name in PREDICTORS}
        values["later_accuracy"] = np.nan
        if pd.notna(first):
            values["later_accuracy"] = float(own.test_accuracy.sel(step=int(first)))
        rows.append(values)
    table = pd.DataFrame(rows, times.index).assign(
        fit_step=times.fit_step.astype(float), wait=wait[is_known].fillna(np.inf)
    )
    dealt = np.random.default_rng(0).permutation(len(table))
    return table.assign(shuffled=table.fresh_readout.to_numpy()[dealt])


DRAWS = 1_999
SMALL = 0.1
"""A tau below this foretells nothing that would be of use."""


class Foretold(NamedTuple):
    """Kendall's tau of a predictor with the wait on a bench: `plain`, and `tau` freed of the fit
    step, with the ends of its 95 % interval, its corrected p value and its word."""

    plain: float
    tau: float
    low: float
    high: float
    p: float
    word: str


def freed(values: np.ndarray, of: np.ndarray) -> np.ndarray:
    """The ranks of some values (n,), less what is linear in the ranks of others.

    Example:
        >>> freed(np.array([1, 5, 3]), np.array([10, 30, 20])).tolist()
        [0.0, 0.0, 0.0]
    """
    ranks = rankdata(values) - (len(values) + 1) / 2
    others = rankdata(of) - (len(of) + 1) / 2
    square = others @ others
    return ranks - others * (ranks @ others / square) if square else ranks


def _signs(values: np.ndarray) -> np.ndarray:
    """Signs of the differences of all pairs (n, n), of those that differ by more than rounding."""
    differences = values[:, None] - values[None, :]
    return np.sign(np.where(np.abs(differences) < 1e-9, 0.0, differences))


@dataclasses.dataclass(frozen=True)
class Order:
    """Predictor and wait in all pairs of runs of a setting: 1 where the first of a pair has more,
    -1 where it has less, (n, n) each."""

    predictor: np.ndarray
    wait: np.ndarray

    @cached_property
    def pairs(self) -> float:
        """The number of pairs of which tau is a mean, 0 where predictor or wait does not vary."""
        return np.sqrt(np.abs(self.predictor).sum() * np.abs(self.wait).sum())

    def tau(self, dealt: np.ndarray | None = None) -> float:
        """Kendall's tau-b, of the predictor in another order of the runs; 0 where one of the two
        does not vary."""
        own = self.predictor if dealt is None else self.predictor[dealt[:, None], dealt]
        return float(np.vdot(own, self.wait) / self.pairs) if self.pairs else 0.0


def ordered(table: pd.DataFrame, name: str, *, free_of_fit: bool) -> Order:
    """The order of a setting's runs by a predictor and by their wait, as they are or freed of the
    fit step."""
    values = rankdata(table[name])
    wait = rankdata(table.wait)
    if free_of_fit:
        values = freed(values, table.fit_step.to_numpy())
        wait = freed(wait, table.fit_step.to_numpy())
    return Order(_signs(values), _signs(wait))


def dealt_taus(orders: Sequence[Order]) -> np.ndarray:
    """Mean taus of predictors that are dealt anew within their settings, `DRAWS` of them."""
    rng = np.random.default_rng(3)
    taus = np.zeros((DRAWS, len(orders)))
    for draw in range(DRAWS):
        for number, order in enumerate(orders):
            taus[draw, number] = order.tau(rng.permutation(len(order.wait)))
    means: np.ndarray = taus.mean(axis=1)
    return means


def foretold(tables: Sequence[pd.DataFrame]) -> dict[str, Foretold]:
    """What each row of `predictions` says of the wait, from the settings of a bench.

    The interval is tau and twice the spread of the dealt taus, near enough where tau is small.
    """
    rows: dict[str, Row] = {}
    for name in predictions().predictor:
        as_they_are = [ordered(table, name, free_of_fit=False) for table in tables]
        freed_orders = as_they_are
        if name != "fit_step":
            freed_orders = [ordered(table, name, free_of_fit=True) for table in tables]
        tau = np.mean([order.tau() for order in freed_orders])
        dealt = dealt_taus(freed_orders)
        as_large = np.count_nonzero(np.abs(dealt) >= abs(tau) - 1e-12)
        rows[name] = {
            "plain": float(np.mean([order.tau() for order in as_they_are])),
            "tau": tau,
            "low": tau - 2 * float(dealt.std()),
            "high": tau + 2 * float(dealt.std()),
            "p": (1 + as_large) / (1 + DRAWS),
        }
    corrected = holm([row["p"] for row in rows.values()])
    found = {}
    for (name, row), p in zip(rows.items(), corrected, strict=True):
        word = "not seen"
        if p <= LEVEL:
            word = "sooner" if row["tau"] < 0 else "later"
        found[name] = Foretold(**row | {"p": float(p), "word": word})
    return found


def as_predicted(row: Foretold, predicted: str) -> Part:
    """Whether a predictor came out "sooner" or "later" as predicted; False where it came out
    otherwise, or where all of its interval is on the other side of a `SMALL` tau of that sign."""
    if row.word == predicted:
        return True
    sign = -1 if predicted == "sooner" else 1
    most = max(sign * row.low, sign * row.high)
    return False if row.word != "not seen" or most < SMALL else None


def asked() -> Experiments:
    """The runs of benches Q and T by bench and setting."""
    experiments = {}
    for bench in "QT":
        experiments |= {(bench, at): run for at, run in settings(bench).items()}
    return experiments


def of_bench(runs: Runs | Tables, bench: str) -> list[pd.DataFrame] | None:
    """The tables of a bench's settings; None where one was not run with all its seeds."""
    tables = [runs[bench, at] for at in SETTINGS[bench]]
    return tables if enough(*tables, least=MOST) else None


MOST = 2 * len(SEEDS) // 3
"""Runs of a setting that must be left for it to count."""


def recorded_predictors(bench: str) -> dict[str, Foretold]:
    """`foretold` of what is recorded of a bench; empty where a setting was not run."""
    tables = {}
    for at, experiment in settings(bench).items():
        data = recorded(experiment)
        tables[bench, at] = None if data is None else at_the_fit(data)
    known = of_bench(tables, bench)
    return {} if known is None else foretold(known)


@claim(
    "W02",
    "liu2022",
    "chapter 19, on section 4.1",
    section="How long, and does it stay?",
    rule_changed="2026-11-30T13:47:48 e07faff2",
    origin="ours",
    runs=asked,
    through=at_the_fit,
    says="Kendall's tau with the wait, freed of the fit step, with its 95 % interval: {said}",
)
def read_out_foretells(runs: Runs) -> Finding:
    """Within a setting, what a fresh read-out has right at the fit step foretells the wait on
    benches Q and T: more right, sooner."""
    parts: list[Part] = []
    said = []
    for bench in "QT":
        tables = of_bench(runs, bench)
        if tables is None:
            parts.append(None)
            continue
        row = foretold(tables)["fresh_readout"]
        parts.append(as_predicted(row, "sooner"))
        said.append(f"{bench} {row.tau:.2f} [{row.low:.2f}, {row.high:.2f}], {row.word}")
    return judge(*parts, said="; ".join(said))
