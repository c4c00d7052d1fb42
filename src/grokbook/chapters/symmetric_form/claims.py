"""x^2 + xy + y^2: Fig. 4 of Gu et al. 2025 as counts of cells, a memoriser beside it, the networks of section 6.1."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims import Finding, Runs, claim, judge
from grokbook.claims.finding import ENOUGH, enough
from grokbook.claims.words import spread
from grokbook.errors import ParameterError
from grokbook.models.mlp import EmbeddingMLP, QuadraticMLP
from grokbook.models.transformer import Shape
from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import modular_run
from grokbook.runs.limits import LimitRule, limits, moving_mean
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.memorisers import transpose_accuracy
from grokbook.training.schedule import Schedule

FORM = "x2_plus_xy_plus_y2"
STEPS = 4_000
"""Optimiser steps of a run of Fig. 4: our choice."""

PAPER = (0.5, 0.6, 0.7)
FRACTIONS = (0.3, 0.4, *PAPER)
"""Training fractions at which the paper compares Acc (1 - frac), and all at which x^2 + xy + y^2 is trained here."""

NEARLY_CONSTANT = 0.25
"""Our reading of "approximately constant": a range of at most this part of the mean."""

RISEN = 0.05
"""Rise of the accuracy on cells without a trained transpose from which generalisation counts as improved."""

APART = 0.5
"""Difference of two accuracies from which the cells they are on count as far apart."""

NETWORKS = ("transformer", "embedding DNN", "quadratic DNN")
"""The networks of section 6.1: the transformer, the DNN of the authors' programs, and Gromov's, which it cites."""

FORMS = {FORM: "x^2 + xy + y^2", "add": "x + y"}
"""The two operations on which the networks are compared: the paper's quadratic form and a linear one."""

NETWORK_STEPS = 30_000
"""Optimiser steps of a run of the DNNs: those of the authors' program."""

SMALL = {"p": 23, "train_fraction": 0.6, "d_model": 32, "steps": 6_000, "n_seeds": 3}
"""Size of the companions on which chapter 04 compares the networks."""


# ------------------------------------------------------------------------------------------------------ the runs


def fig_4(fractions: Iterable[float] = FRACTIONS) -> dict[float, Experiment]:
    """Fig. 4 of Gu et al. 2025: x^2 + xy + y^2 modulo 97 on random splits, training fraction -> experiment.

    Example:
        >>> fig_4()[0.5].name
        'gu2025/fig4[frac=0.5]'
    """
    runs = {fraction: modular_run(97, fraction, operation=FORM, steps=STEPS) for fraction in fractions}
    return {fraction: Experiment(f"gu2025/fig4[frac={fraction:g}]", run) for fraction, run in runs.items()}


def network_run(
    network: str, operation: str, *, p: int = 97, train_fraction: float = PAPER[0], steps: int = NETWORK_STEPS,
    d_model: int = 128, n_seeds: int = 1,
) -> Experiment:  # fmt: skip
    """One of `NETWORKS` on an operation modulo p: cross entropy, and the squared error for the quadratic network.

    Hidden layers are 4 d wide (512 at the authors' d = 128). Raises ParameterError for an unknown network.

    Example:
        >>> run = network_run("quadratic DNN", "add", p=7, d_model=4)
        >>> run.name, run.config.model.width, run.config.loss
        ('small/network[quadratic DNN, x + y, p=7, frac=0.5]', 16, 'squared_error')

    Source: Gu et al. 2025, section 6.1 ("2-layer DNN"), and its programs, which are another network than the one cited.
    """
    models = {
        "transformer": Shape(p, d_model=d_model),
        "embedding DNN": EmbeddingMLP(p, d_model=d_model, width=4 * d_model),
        "quadratic DNN": QuadraticMLP(p, width=4 * d_model),
    }
    if network not in models:
        raise ParameterError(f"network = {network!r} is unknown; choose one of {', '.join(NETWORKS)}.")
    plain = modular_run(p, train_fraction, operation=operation, d_model=d_model, steps=steps)
    loss = "squared_error" if network == "quadratic DNN" else "cross_entropy"
    where = "gu2025" if p == 97 else "small"
    return Experiment(
        f"{where}/network[{network}, {FORMS.get(operation, operation)}, p={p}, frac={train_fraction:g}]",
        dataclasses.replace(plain, model=models[network], loss=loss, log=Schedule(points=200), snapshots=2),
        seeds=tuple(range(n_seeds)),
    )


def network_runs(networks: Iterable[str] = NETWORKS, **settings: int | float) -> dict[str, Experiment]:
    """Networks on both forms, by "network, form"; `settings` as in `network_run`.

    Example:
        >>> list(network_runs(p=7))[3]
        'transformer, x + y'
    """
    pairs = [(network, form) for form in FORMS for network in networks]
    return {f"{network}, {FORMS[form]}": network_run(network, form, **settings) for network, form in pairs}


def recorded_networks() -> dict[str, Experiment]:
    """The two DNNs on both forms at the paper's size (one seed), and the companions of all three networks.

    Example:
        >>> len(recorded_networks())
        10
    """
    runs = (*network_runs(NETWORKS[1:]).values(), *network_runs(**SMALL).values())
    return {run.name: run for run in runs}


RUNS = (fig_4, recorded_networks)


# ------------------------------------------------------------------------------------------ right answers, counted


def counted_cells(
    runs: Mapping[float, xr.Dataset], p: int = 97, rule: LimitRule | None = None, operation: str = FORM
) -> pd.DataFrame:
    """One row a run: where its right answers on the test set are, at its upper limit, as shares of all N = p^2 cells.

    Columns: fraction, seed, `accuracy` (the upper limit, see `limits`), `truncated`, `product` = accuracy * (1 - frac),
    `memoriser` = share of cells that are test cells with a trained transpose, `mirrored` and `unmirrored` = shares of
    cells answered with and without a trained transpose, and the `accuracy mirrored` and `accuracy unmirrored`.
    product = mirrored + unmirrored, since every test cell is of one kind.
    """
    rows = [
        {"fraction": fraction, "seed": int(seed)}
        | _count(data.sel(seed=seed), ModularTask(p, operation, fraction, seed=int(seed)), rule or LimitRule())
        for fraction, data in runs.items()
        for seed in data.seed.values
    ]
    return pd.DataFrame(rows)


def _count(run: xr.Dataset, task: ModularTask, rule: LimitRule) -> dict[str, float | bool]:
    """The numbers of one run (dims: step) on its task."""
    curve = run.test_accuracy.dropna("step")
    top = limits(curve.step.values, curve.values, rule)
    test = 1 - task.train_index.size / task.p**2
    row = {"accuracy": top.upper, "truncated": top.truncated, "product": top.upper * test}
    for name in ("mirrored", "unmirrored"):
        share, part = task.groups()[name].mean(), run[f"test_accuracy_{name}"].dropna("step")
        right = float(np.interp(top.upper_step, *moving_mean(part.step.values, part.values, rule.window)))
        row |= {"memoriser": share} if name == "mirrored" else {}
        row |= {name: share * right, f"accuracy {name}": right}
    return row


def by_fraction(cells: pd.DataFrame) -> pd.DataFrame:
    """`counted_cells` summarised: a row a fraction, medians over `seeds`, range of the product, runs still rising."""
    if not len(cells):
        return cells
    groups = cells.groupby("fraction")
    median = groups.median(numeric_only=True).drop(columns=["seed", "truncated"], errors="ignore")
    rising = groups.truncated.sum().astype(int)
    return median.assign(low=groups["product"].min(), high=groups["product"].max(), seeds=groups.size(), rising=rising)


def swapped(p: int, fractions: np.ndarray | Iterable[float]) -> pd.DataFrame:
    """The memoriser that swaps the operands, expected: by fraction its accuracy Acc and `product` = Acc (1 - frac).

    Example:
        >>> swapped(97, [0.5]).round(3).values.tolist()
        [[0.5, 0.495, 0.247]]
    """
    fractions = np.array([*fractions])
    accuracy = np.array([transpose_accuracy(p, int(fraction * p * p)) for fraction in fractions])
    return pd.DataFrame({"fraction": fractions, "accuracy": accuracy, "product": accuracy * (1 - fractions)})


def swapped_splits(p: int, draws: int = 5) -> pd.DataFrame:
    """The same memoriser on `draws` random splits at each of nine fractions, in the columns of `swapped`.

    Example:
        >>> len(swapped_splits(7, 2))
        18
    """
    tasks = [ModularTask(p, train_fraction=f, seed=s) for f in np.linspace(0.1, 0.9, 9) for s in range(draws)]
    rows = [(task.train_fraction, task.transposed_mask.sum() / task.test_index.size) for task in tasks]
    frame = pd.DataFrame(rows, columns=["fraction", "accuracy"])
    return frame.assign(product=frame.accuracy * (1 - frame.fraction))


def beyond_the_swap(table: pd.DataFrame) -> str:
    """How many of the cells that cannot be copied `by_fraction` has right, at the fraction with most of them."""
    if not len(table):
        return "Whether a transformer does more than swap is not measured here yet."
    fresh = table["accuracy unmirrored"].max()
    right = f"at most {fresh:.1%} of the cells without a trained transpose right"
    return f"Our transformers have, by step {STEPS:,}, {right}."


def as_percent(table: pd.DataFrame) -> pd.DataFrame:
    """`by_fraction` as a table of the page: accuracies as text in percent, the products as they are."""
    names = {"accuracy": "Acc", "accuracy mirrored": "transpose trained", "accuracy unmirrored": "not trained"}
    shown = table.reset_index()[["fraction", "seeds", *names, "product", "memoriser", "rising"]]
    parts = {name: shown[name].map("{:.1%}".format) for name in names}
    return shown.assign(**parts).rename(columns=names | {"rising": "still rising"})


def last_accuracies(networks: Mapping[str, xr.Dataset]) -> pd.DataFrame:
    """What each network has right at its last step, in percent over seeds, by whether the transpose was trained."""
    parts = {"transpose trained": "test_accuracy_mirrored", "not trained": "test_accuracy_unmirrored"}
    rows = []
    for name, data in networks.items():
        network, operation = name.split(", ")
        last = {part: 100 * data[variable].isel(step=-1).to_series() for part, variable in parts.items()}
        right = {part: spread(values, ".0f", "no such cell") for part, values in last.items()}
        rows.append({"network": network, "operation": operation.replace("^2", "²")} | right)
    return pd.DataFrame(rows)


def swap_told(networks: Mapping[str, xr.Dataset]) -> str:
    """Which of `NETWORKS` answers swapped cells of the form and not others, `APART` between them at the last step."""
    last = {name: networks[f"{name}, {FORMS[FORM]}"].isel(step=-1) for name in NETWORKS}
    apart = {name: run.test_accuracy_mirrored - run.test_accuracy_unmirrored for name, run in last.items()}
    swaps = [name for name, difference in apart.items() if float(difference.median()) >= APART]
    return f"Networks with {APART:.0%} or more between the two numbers here: {', '.join(swaps) or 'none'}."


def linear_told(networks: Mapping[str, xr.Dataset]) -> str:
    """In how many runs the embedding DNN has half or more of the cells without a trained transpose right on x + y."""
    right = networks[f"{NETWORKS[1]}, {FORMS['add']}"].test_accuracy_unmirrored.isel(step=-1) >= APART
    said = "On x + y the embedding DNN has half or more of the cells without a trained transpose right in"
    return f"{said} {int(right.sum())} of {right.size} runs."


# --------------------------------------------------------------------------------------------------------- claims


def _dnns_on_the_form() -> dict[str, Experiment]:
    return {name: run for name, run in network_runs(NETWORKS[1:]).items() if name.endswith(FORMS[FORM])}


@claim("G6.1", "gu2025", "section 6.1", section="Three networks and one symmetry", runs=_dnns_on_the_form, seconds=3,
       published="around 0.01",
       says="highest test accuracy on x^2 + xy + y^2 at p = 97, half of the cells trained: {seen}")
def dnns_stay_at_guessing(runs: Runs) -> Finding:
    """With a 2-layer DNN in place of the transformer "the test accuracy will always remain around 0.01".

    Read as at most `RISEN` at every logged step. Which DNN is meant is open: borne out where both stay, three runs
    each, and refuted where neither does.
    """
    best = {name: float(run.test_accuracy.max()) for name, run in runs.items()}
    stay = [high <= RISEN and enough(runs[name]) for name, high in best.items()]
    part = True if len(best) > 1 and all(stay) else False if len(best) > 1 and min(best.values()) > RISEN else None
    seen = ", ".join(f"{high:.3f} ({name.partition(',')[0]})" for name, high in best.items())
    return judge(part, value=max(best.values()), low=0, high=RISEN, seen=seen)


def _values(values: Iterable[float], form: str) -> str:
    return ", ".join(format(value, form) for value in values)


@claim("GF04", "gu2025", "Fig. 4", section="Figure 4 measured", runs=lambda: fig_4(PAPER), seconds=3,
       published="constant", bars={"bar": (0.1, 0.5)},
       says=("at frac = {fractions} (seeds: {seeds}; runs still rising: {rising}) Acc is {accuracies} and ",
             "Acc (1 - frac) {products}, a range of {value:.0%} of the mean (constant is up to {high:.0%}; {bars}); a ",
             "memoriser that swaps the operands has {memoriser}; of the test cells without a trained transpose ",
             "{fresh} are right"))
def product_is_constant(runs: Runs, *, bar: float = NEARLY_CONSTANT) -> Finding:
    """For x^2 + xy + y^2 at frac = 0.5, 0.6, 0.7, "the relationship Acc (1 - frac) = Constant holds approximately".

    Read as a range within `bar` of its mean. Refuted where two fractions with three seeds each, none of them still
    rising, are further apart; borne out by three such fractions.
    """
    table = by_fraction(counted_cells(runs))
    sure = table[(table.seeds >= ENOUGH) & (table.rising == 0)]["product"]
    far = len(sure) > 1 and np.ptp(sure) > bar * sure.mean()
    width = float(np.ptp(table["product"]) / table["product"].mean())
    words = {"accuracies": _values(table.accuracy, ".3f"), "products": _values(table["product"], ".3f")}
    words |= {"memoriser": _values(table.memoriser, ".3f"), "fractions": _values(table.index, "g")}
    words |= {"seeds": spread(table.seeds, ".0f"), "rising": int(table.rising.sum())}
    words |= {"fresh": _values(table["accuracy unmirrored"], ".3f")}
    return judge(False if far else True if len(sure) == len(PAPER) else None, value=width, low=0, high=bar, **words)


@claim("G38", "gu2025", "section 6.1, Fig. 4", section="A memoriser that swaps the operands", kind="formula",
       shown_by="counterexample", published="constant, approximately",
       says=("the caption of Fig. 4 counts samples, and so counted it follows; a memoriser ",
             "that swaps the operands has accuracies {accuracies} and products {products} at frac = {fractions}, a ",
             "range of {width:.0%} of the mean; answers that are right on the swapped cells and on {fresh} of the ",
             "others have the product {first:.3f} at every fraction"))
def constant_product(p: int = 97, fractions: tuple[float, ...] = PAPER) -> Finding:
    """As Acc (1 - frac) is constant, "the generalization ability of the model has not improved".

    It needs the assumption that this ability is a number of cells: the share of those that cannot be copied may rise
    by more than `RISEN` while the product stays what a memoriser has at the first fraction.
    """
    sizes = np.array([int(fraction * p * p) for fraction in fractions])
    accuracy, tested = np.array([transpose_accuracy(p, int(m)) for m in sizes]), 1 - sizes / p**2
    products = accuracy * tested
    fresh = (products[0] - products) / (tested - products)
    words = {"accuracies": _values(accuracy, ".2f"), "products": _values(products, ".3f"), "first": products[0]}
    words |= {"fractions": _values(fractions, "g"), "width": np.ptp(products) / products.mean()}
    rise = float(fresh[-1] - fresh[0])
    return judge(rise <= RISEN, assumed=True, value=rise, low=-RISEN, high=RISEN, fresh=_values(fresh, ".1%"), **words)


def lattice_sum(p: int) -> float:
    r"""Sum of 1 / (t1^2 + t2^2) over the cells of a p x p grid around its middle one, both t1 and t2 non-zero.

    p must be odd, so that there is a middle cell.

    Example:
        >>> round(lattice_sum(97), 2)
        21.17

    Source: Gu 2024, section 5.2.2, with every norm and both factors set to 1.
    """
    t = np.arange(1, (p - 1) // 2 + 1, dtype=float)
    return float(4 * (1 / (t[:, None] ** 2 + t**2)).sum())


@claim("P05", "gu2024", "section 5.2.2", section="A sum that was taken for p²", kind="formula",
       published="bounded below",
       says=("with influences of one size (our reading; the paper bounds none) the sum is {sums} at p = {sides}: it ",
             "grows by {slope:.3f} times 2 pi for each unit of ln p, and sum / p^2 falls by a factor of {factor:.0f}; ",
             "the upper bound is true, the lower one would need influences that grow like p^2 / ln p"))
def quadratic_growth(sides: tuple[int, ...] = (47, 97, 397, 997)) -> Finding:
    """The influences, weighted by 1 / (t1^2 + t2^2), sum to between multiples of p^2 with c, C that "are constants"."""
    sums = np.array([lattice_sum(p) for p in sides])
    ratio = sums / np.array(sides) ** 2
    slopes = np.diff(sums) / np.diff(np.log(sides))
    words = {"sums": ", ".join(f"{s:.1f}" for s in sums), "sides": ", ".join(map(str, sides))}
    numbers = {"value": float(ratio.min() / ratio.max()), "slope": slopes[-1] / (2 * np.pi)}
    held = bool(ratio.min() > 0.5 * ratio.max())
    return judge(held, low=0.5, high=1, factor=ratio[0] / ratio[-1], **numbers, **words)
