"""Chapter 04c: the symmetric form of Fig. 4 as counts of cells, the memoriser beside it, and the three networks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from grokbook.chapters.symmetric_form import answer, claims, figures, plan
from grokbook.claims import Runs
from grokbook.errors import ParameterError
from grokbook.runs.recording import catalogue
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.memorisers import transpose_accuracy

STEPS = np.arange(0, 6001, 20)
PLAN = {"p": 7, "train_fraction": 0.6, "d_model": 8, "steps": 20, "n_seeds": 1}


@pytest.mark.parametrize(
    ("check", "changes", "verdict"),
    [
        (claims.constant_product, {}, "needs an assumption"),
        (claims.constant_product, {"fractions": (0.5, 0.51, 0.52)}, "holds"),
        (claims.quadratic_growth, {}, "fails"),
    ],
)
def test_checks_come_out_either_way(check, changes, verdict):
    assert check(**changes).verdict == verdict


def test_a_sum_that_grows_like_p_squared_would_bear_the_predecessor_out(elsewhere):
    assert elsewhere(claims.quadratic_growth, lattice_sum=lambda p: 0.3 * p * p) == "holds"


def test_every_run_has_a_name_a_key_and_a_source_of_its_own():
    runs = [run for group in claims.RUNS for run in group().values()]
    assert len({run.key for run in runs}) == len({run.name for run in runs}) == len(runs) == 5 + 10
    assert {run.name for run in runs} <= set(catalogue())


def form(p: int, fraction: float, mirrored: float, unmirrored: float, seeds=(0,)) -> xr.Dataset:
    """Runs that answer these shares of the test cells with and without a trained transpose, at once and for good."""
    curves = {"test_accuracy": [], "test_accuracy_mirrored": [], "test_accuracy_unmirrored": []}
    for seed in seeds:
        groups = ModularTask(p, claims.FORM, fraction, seed=seed).groups()
        counts = np.array([groups["mirrored"].sum(), groups["unmirrored"].sum()])
        total = counts @ [mirrored, unmirrored] / counts.sum()
        for name, value in zip(curves, (total, mirrored, unmirrored), strict=True):
            curves[name].append(np.full(STEPS.size, value))
    data = {name: (("seed", "step"), np.array(values)) for name, values in curves.items()}
    return xr.Dataset(data, {"seed": [*seeds], "step": STEPS})


def test_the_product_is_the_sum_of_both_kinds_of_cells_and_the_accuracies_come_back():
    """Acc (1 - frac) = right test cells / N, each of them with a trained transpose or without."""
    table = claims.counted_cells({f: form(23, f, 0.8, 0.3, (0, 1)) for f in (0.3, 0.6)}, p=23)
    assert table["product"].values == pytest.approx((table.mirrored + table.unmirrored).values, abs=1e-12)
    assert not table.truncated.any() and table.seed.tolist() == [0, 1, 0, 1]
    assert np.allclose(table[["accuracy mirrored", "accuracy unmirrored"]], [0.8, 0.3])
    groups = ModularTask(23, claims.FORM, 0.3).groups()
    assert table.unmirrored[0] == pytest.approx(0.3 * groups["unmirrored"].mean(), rel=1e-9)


def test_a_memoriser_that_swaps_has_exactly_the_memoriser_s_product():
    table = claims.counted_cells({0.5: form(23, 0.5, 1.0, 0.0, (0, 1))}, p=23)
    assert table["product"].values == pytest.approx(table.memoriser.values, abs=1e-12)
    expected = transpose_accuracy(23, int(0.5 * 23**2)) * (1 - int(0.5 * 23**2) / 23**2)
    assert table.memoriser.mean() == pytest.approx(expected, abs=0.02)


def test_a_row_a_fraction_with_the_range_over_seeds():
    runs = {0.5: form(23, 0.5, 1.0, 0.0, seeds=(0, 1, 2)), 0.7: form(23, 0.7, 1.0, 0.0)}
    table = claims.by_fraction(claims.counted_cells(runs, p=23))
    assert table.seeds.tolist() == [3, 1] and table.index.tolist() == [0.5, 0.7]
    assert table.low[0.5] < table["product"][0.5] < table.high[0.5] and table.low[0.7] == table.high[0.7]
    assert claims.by_fraction(claims.counted_cells({})).empty


SWAPPED = {0.5: (1.0, 0.01), 0.6: (1.0, 0.01), 0.7: (1.0, 0.01)}
PERFECT = dict.fromkeys((0.5, 0.7), (1.0, 1.0))


@pytest.mark.parametrize(
    ("accuracies", "seeds", "verdict", "bars"),
    [
        (SWAPPED, 3, "holds", "25%; at 0.1 fails, at 0.5 holds"),
        # the example of G38: fresh cells are learned, and the product is the same to three digits
        ({0.5: (1.0, 0.0), 0.6: (1.0, 0.0612), 0.7: (1.0, 0.4295)}, 3, "holds", "25%; at 0.1 holds"),
        (PERFECT, 3, "fails", "25%; at 0.1 fails, at 0.5 undecided"),
        (PERFECT, 2, "undecided", "25%; at 0.1 undecided"),
        (dict(list(SWAPPED.items())[:2]), 3, "undecided", "25%; at 0.1 undecided"),
        ({0.5: (1.0, 0.0)}, 3, "undecided", "a memoriser that swaps"),
    ],
)
def test_the_claim_on_figure_4_judges_from_three_seeds_at_two_fractions(accuracies, seeds, verdict, bars):
    runs = {fraction: form(97, fraction, *values, seeds=range(seeds)) for fraction, values in accuracies.items()}
    found = claims.product_is_constant(Runs(runs))
    assert found.verdict == verdict and bars in found.evidence


def test_a_rising_run_refutes_no_constant_product():
    runs = {fraction: form(97, fraction, 1.0, 1.0, seeds=range(3)) for fraction in (0.5, 0.7)}
    runs[0.7] = runs[0.7] * xr.DataArray(np.linspace(0.3, 1, STEPS.size), dims="step")
    assert claims.product_is_constant(Runs(runs)).verdict == "undecided"


def test_the_memorisers_products_are_independent_numbers():
    """Independent computation (project oracle transpose_memoriser): Acc (1 - frac) at 0.5, 0.6, 0.7 and p = 97."""
    expected = (0.24744897959183673, 0.23755102040816328, 0.20785714285714288)
    assert all(f"{value:.3f}" in claims.constant_product().evidence for value in expected)


def test_the_lattice_sum_by_plain_counting():
    around = [(s, t) for s in range(-3, 4) for t in range(-3, 4) if s and t]
    assert claims.lattice_sum(7) == pytest.approx(sum(1 / (s * s + t * t) for s, t in around), rel=1e-12)


def test_the_networks_share_task_and_optimiser():
    configs = [claims.network_run(name, "add", p=7, d_model=8).config for name in claims.NETWORKS]
    assert {(config.task.operation, config.optimizer.weight_decay) for config in configs} == {("add", 1.0)}
    assert [config.loss == "squared_error" for config in configs] == [False, False, True]
    with pytest.raises(ParameterError, match=r"^network = .cnn. is unknown; choose one of transformer, "):
        claims.network_run("cnn", "add")


def test_the_plan_trains_the_small_networks_and_its_defaults_are_recorded():
    runs = plan(**PLAN)
    assert len(runs) == len(claims.NETWORKS) * len(claims.FORMS)
    assert {(run.config.task.p, run.config.steps, run.seeds) for run in runs.values()} == {(7, 20, (0,))}
    assert {run.name for run in plan(**claims.SMALL).values()} <= set(claims.recorded_networks())


@pytest.mark.parametrize(
    ("fresh", "said"),
    [
        ([0.02, 0.3], "by step 4,000, at most 30.0% of the cells"),
        ([], "not measured here yet"),
    ],
)
def test_what_is_said_of_cells_that_cannot_be_copied_is_what_came_out(fresh, said):
    table = pd.DataFrame({"accuracy unmirrored": fresh}, [0.5, 0.7][: len(fresh)])
    assert said in claims.beyond_the_swap(table)


@pytest.mark.parametrize(
    ("swapping", "said"),
    [(["transformer"], ": transformer."), ([], ": none."), (["transformer", "quadratic DNN"], ", quadratic DNN.")],
)
def test_who_swaps_is_read_off_the_runs(swapping, said):
    runs = {f"{name}, {claims.FORMS[claims.FORM]}": form(7, 0.5, 0.9 if name in swapping else 0.1, 0.05)
            for name in claims.NETWORKS}  # fmt: skip
    assert said in claims.swap_told(runs)


@pytest.mark.parametrize(("right", "said"), [(0.9, "in 2 of 2 runs"), (0.1, "in 0 of 2 runs")])
def test_what_a_dnn_learns_of_a_sum_is_counted(right, said):
    assert said in claims.linear_told({"embedding DNN, x + y": form(7, 0.5, 0.9, right, (0, 1))})


@pytest.mark.parametrize(
    ("embedding", "quadratic", "seeds", "verdict"),
    [
        (0.01, 0.01, 3, "holds"),
        (0.3, 0.3, 1, "fails"),
        (0.01, 0.3, 3, "undecided"),
        (0.01, 0.01, 1, "undecided"),
        (0.01, None, 3, "undecided"),
    ],
)
def test_two_dnns_that_answer_refute_and_two_that_guess_bear_out(embedding, quadratic, seeds, verdict):
    accuracies = dict(zip(claims._dnns_on_the_form(), (embedding, quadratic), strict=True))
    runs = {name: form(7, 0.5, a, a, range(seeds)) for name, a in accuracies.items() if a is not None}
    assert claims.dnns_stay_at_guessing(Runs(runs)).verdict == verdict


@pytest.mark.parametrize("fractions", [(), (0.5, 0.7)])
def test_recorded_products_are_drawn_on_the_arch_of_the_memoriser(fractions):
    runs = {fraction: form(23, fraction, 1.0, 0.1, seeds=(0, 1)) for fraction in fractions}
    table = claims.by_fraction(claims.counted_cells(runs, p=23))
    exact = claims.swapped(23, np.linspace(0.02, 0.98, 100))
    ax = figures.swapping_memoriser(exact, claims.swapped_splits(23, 2), table).axes[0]
    arch = ax.lines[0]
    assert abs(arch.get_xdata()[np.argmax(arch.get_ydata())] - 0.5) < 0.02
    assert len(ax.containers) == bool(fractions)
    if fractions:
        assert ax.containers[0].lines[0].get_ydata().tolist() == table["product"].tolist()
        assert claims.as_percent(table)["transpose trained"].tolist() == ["100.0%"] * 2


def test_the_last_accuracies_have_a_row_a_network_and_the_range_over_seeds():
    runs = {name: form(7, 0.5, 0.9, 0.05, seeds=(0, 1)) for name in plan(**PLAN)}
    table = claims.last_accuracies(runs)
    assert table.network.tolist() == list(claims.NETWORKS) * 2 and set(table["transpose trained"]) == {"90"}
    assert table.operation.unique().tolist() == ["x² + xy + y²", "x + y"]


@pytest.mark.parametrize(
    ("form_is", "said"),
    [("holds", "that product is nearly constant; either way it decides nothing"), ("not run", "is open here; either")],
)
def test_the_answer_is_what_the_ledger_says(form_is, said):
    assert said in answer(pd.DataFrame({"verdict": [form_is]}, index=["GF04"]), pd.DataFrame())
