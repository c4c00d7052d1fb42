"""Chapter 04c: the symmetric form of Fig. 4 as counts of cells, the memoriser beside it, and the
three networks."""

import numpy as np
import pytest
import xarray as xr

from companion.claims import Runs
from companion.claims.finding import ENOUGH
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.memorisers import transpose_accuracy
from grokbook_chapters.symmetric_form import claims, numbers, plan, runs
from grokbook_chapters.symmetric_form.numbers import hidden_shares
from written_pages import functions, names_used

STEPS = np.arange(0, 6001, 20)
PLAN = {"p": 7, "train_fraction": 0.6, "d_model": 8, "steps": 20, "n_seeds": 1}


def test_a_sum_may_grow_like_the_square(elsewhere):
    """A sum that grows like p squared would bear the predecessor out."""
    assert elsewhere(claims.quadratic_growth, lattice_sum=lambda p: 0.3 * p * p) == "holds"


def form(p: int, fraction: float, mirrored: float, unmirrored: float, seeds=(0,)) -> xr.Dataset:
    """Runs that answer these shares of the test cells with and without a trained transpose, at once
    and for good."""
    curves = {"test_accuracy": [], "test_accuracy_mirrored": [], "test_accuracy_unmirrored": []}
    for seed in seeds:
        groups = ModularTask(p, runs.FORM, fraction, seed=seed).groups()
        counts = np.array([groups["mirrored"].sum(), groups["unmirrored"].sum()])
        total = counts @ [mirrored, unmirrored] / counts.sum()
        for name, value in zip(curves, (total, mirrored, unmirrored), strict=True):
            curves[name].append(np.full(STEPS.size, value))
    data = {name: (("seed", "step"), np.array(values)) for name, values in curves.items()}
    return xr.Dataset(data, {"seed": [*seeds], "step": STEPS})


def test_the_product_is_the_sum_of_both_kinds_of_cells_and_the_accuracies_come_back():
    """Acc (1 - frac) = right test cells / N, each of them with a trained transpose or without."""
    table = claims.counted_cells({f: form(23, f, 0.8, 0.3, (0, 1)) for f in (0.3, 0.6)}, p=23)
    assert table["product"].values == pytest.approx(
        (table.mirrored + table.unmirrored).values, abs=1e-12
    )
    assert not table.truncated.any() and table.seed.tolist() == [0, 1, 0, 1]
    assert np.allclose(table[["accuracy mirrored", "accuracy unmirrored"]], [0.8, 0.3])
    groups = ModularTask(23, runs.FORM, 0.3).groups()
    assert table.unmirrored[0] == pytest.approx(0.3 * groups["unmirrored"].mean(), rel=1e-9)


def test_a_memoriser_that_swaps_has_exactly_the_memoriser_s_product():
    table = claims.counted_cells({0.5: form(23, 0.5, 1.0, 0.0, (0, 1))}, p=23)
    assert table["product"].values == pytest.approx(table.memoriser.values, abs=1e-12)
    expected = transpose_accuracy(23, int(0.5 * 23**2)) * (1 - int(0.5 * 23**2) / 23**2)
    assert table.memoriser.mean() == pytest.approx(expected, abs=0.02)


def test_a_row_a_fraction_with_the_range_over_seeds():
    made = {0.5: form(23, 0.5, 1.0, 0.0, seeds=(0, 1, 2)), 0.7: form(23, 0.7, 1.0, 0.0)}
    table = claims.by_fraction(claims.counted_cells(made, p=23))
    assert table.seeds.tolist() == [3, 1] and table.index.tolist() == [0.5, 0.7]
    assert (
        table.low[0.5] < table["product"][0.5] < table.high[0.5]
        and table.low[0.7] == table.high[0.7]
    )


SWAPPED = {0.5: (1.0, 0.01), 0.6: (1.0, 0.01), 0.7: (1.0, 0.01)}
PERFECT = dict.fromkeys((0.5, 0.7), (1.0, 1.0))


@pytest.mark.parametrize(
    ("accuracies", "seeds", "verdict", "bars"),
    [
        (SWAPPED, 3, "undecided", "25%; at 0.1 fails, at 0.5 holds"),
        # fresh cells are learned, and the product is the same to three digits
        (
            {0.5: (1.0, 0.0), 0.6: (1.0, 0.0612), 0.7: (1.0, 0.4295)},
            3,
            "holds",
            "25%; at 0.1 holds",
        ),
        (PERFECT, 3, "undecided", "25%; at 0.1 fails, at 0.5 undecided"),
        (PERFECT, 2, "undecided", "25%; at 0.1 undecided"),
        (dict(list(SWAPPED.items())[:2]), 3, "undecided", "25%; at 0.1 undecided"),
        ({0.5: (1.0, 0.0)}, 3, "undecided", "a memoriser that swaps"),
    ],
)
def test_the_claim_on_figure_4_judges_from_three_seeds_at_two_fractions(
    accuracies, seeds, verdict, bars
):
    made = {
        fraction: form(97, fraction, *values, seeds=range(seeds))
        for fraction, values in accuracies.items()
    }
    found = claims.product_is_constant(Runs(made))
    assert found.verdict == verdict and bars in found.evidence


def test_a_rising_run_refutes_no_constant_product():
    made = {fraction: form(97, fraction, 1.0, 1.0, seeds=range(3)) for fraction in (0.5, 0.7)}
    made[0.7] = made[0.7] * xr.DataArray(np.linspace(0.3, 1, STEPS.size), dims="step")
    assert claims.product_is_constant(Runs(made)).verdict == "undecided"


@pytest.mark.parametrize(("p", "step"), [(31, (1, -1)), (31, (1, 0)), (31, (2, 3)), (13, (5, 1))])
def test_a_step_keeps_the_class_of_a_cell_on_one_line_of_the_grid(p, step):
    """p cells, at most two of each class but that of 0; for addition a step of (1, -1) keeps
    all."""
    values = ModularTask(p, runs.FORM).labels.reshape(p, p)
    kept = values[values == np.roll(values, step, (0, 1))]
    assert kept.size == p and np.bincount(kept[kept > 0]).max() <= 2


def test_the_lattice_sum_grows_like_a_logarithm():
    grown = claims.lattice_sum(3201) - claims.lattice_sum(1601)
    assert grown / np.log(3200 / 1600) == pytest.approx(2 * np.pi, rel=2e-3)


def test_the_lattice_sum_by_plain_counting():
    around = [(s, t) for s in range(-3, 4) for t in range(-3, 4) if s and t]
    assert claims.lattice_sum(7) == pytest.approx(
        sum(1 / (s * s + t * t) for s, t in around), rel=1e-12
    )


def test_the_networks_share_task_and_optimiser():
    configs = [runs.network_run(name, "add", p=7, d_model=8).config for name in runs.NETWORKS]
    assert {(config.task.operation, config.optimizer.weight_decay) for config in configs} == {
        ("add", 1.0)
    }
    assert [config.loss == "squared_error" for config in configs] == [False, False, True]


def test_the_plan_trains_the_small_networks_and_its_defaults_are_recorded():
    planned = plan(**PLAN)
    assert len(planned) == len(runs.NETWORKS) * len(runs.FORMS)
    assert {(run.config.task.p, run.config.steps, run.seeds) for run in planned.values()} == {
        (7, 20, (0,))
    }
    assert {run.name for run in plan(**runs.SMALL).values()} <= set(runs.recorded_networks())
    assert all(
        len(runs.dnns()[name, runs.FORMS[runs.FORM]].seeds) == ENOUGH for name in runs.NETWORKS[1:]
    )


@pytest.mark.parametrize(
    ("embedding", "quadratic", "seeds", "verdict"),
    [
        (0.01, 0.01, 3, "holds"),
        (0.3, 0.3, 1, "fails"),
        (0.01, 0.3, 3, "undecided"),
        (0.03, 0.03, 3, "undecided"),  # at half the bar they answer
        (0.01, 0.01, 1, "undecided"),
        (0.01, None, 3, "undecided"),
    ],
)
def test_two_dnns_that_answer_refute_and_two_that_guess_bear_out(
    embedding, quadratic, seeds, verdict
):
    wanted = runs.networks(runs.NETWORKS[1:], (runs.FORM,))
    accuracies = dict(zip(wanted, (embedding, quadratic), strict=True))
    made = {
        name: form(7, 0.5, a, a, range(seeds)) for name, a in accuracies.items() if a is not None
    }
    assert claims.dnns_stay_at_guessing(Runs(made)).verdict == verdict


def test_the_prose_uses_the_numbers_that_there_are():
    wanted = plan(**PLAN)
    networks = {key: form(7, 0.6, 1.0, 0.0).isel(step=[0, -1]) for key in wanted}
    for name, data in networks.items():
        networks[name] = data.assign(train_accuracy=data.test_accuracy)
    recorded = {0.5: form(97, 0.5, 1.0, 0.0, seeds=range(2))}
    made = numbers(7, networks, recorded, claims.by_fraction(claims.counted_cells(recorded)), {})
    assert set(made) == names_used("04c")
    assert made["only_swapped"].holds and made["on_arch"].holds
    assert not made["only_transformer_swaps"].holds  # all three do


def test_the_memoriser_of_the_page_is_the_library_s():
    (copied,) = functions("04c", "copied")
    for fraction in (0.5, 0.6, 0.7):
        n = int(fraction * 97**2)
        assert copied(97, fraction) == pytest.approx(transpose_accuracy(97, n) * (1 - n / 97**2))


def test_a_network_that_answers_the_hidden_share_too_has_the_memoriser_s_product():
    (copied,) = functions("04c", "copied")
    for fraction, share in zip(runs.PAPER, hidden_shares(), strict=True):
        tested = 1 - int(fraction * 97**2) / 97**2
        only_copied = copied(97, fraction)
        assert only_copied + share * (tested - only_copied) == pytest.approx(copied(97, 0.5))
