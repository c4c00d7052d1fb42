"""Chapter 04a: coverage, exact and simulated; the claims of section 3.3 come out either way."""

import numpy as np
import pandas as pd
import pytest

from companion.claims import Runs
from grokbook.errors import ParameterError
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory import coverage as discs
from grokbook_chapters.coverage import (
    claims,
    farthest_cells,
    figures,
    numbers,
    plan,
    simulated,
    thresholds,
)
from written_pages import functions, names_used

PLAN = {"p": 47, "k": 4, "train_fraction": 0.3, "draws": 50}


@pytest.mark.parametrize(
    ("check", "changes", "verdict"),
    [
        # Theorem 3.10 (i): with D1 = 5 a sum computed exactly is right far from the training set
        (claims.a_cell_of_the_class_is_near, {"p": 23, "radius": 5}, "fails"),
        # appendix B.5 with |i - i'| + |j - j'| and the largest step
        (claims.neighbour_inequality, {"p": 11, "printed": False}, "holds"),
        (claims.fraction_is_necessary, {"largest": 47, "least_k": 3}, "holds"),
        (claims.fraction_is_necessary, {"largest": 47}, "holds with correction"),
        # section 6.1, "a certain threshold": nothing is said until it is named
        (claims.certain_above_the_threshold, {"p": 23}, "vacuous"),
        (
            claims.certain_above_the_threshold,
            {"p": 23, "k": 3, "size": discs.guaranteed_size},
            "holds",
        ),
        (
            claims.certain_above_the_threshold,
            {"p": 23, "k": 3, "size": claims.training_size},
            "fails",
        ),
    ],
)
def test_checks_come_out_either_way(check, changes, verdict):
    assert check(**changes).verdict == verdict


@pytest.mark.parametrize(
    ("check", "args", "changes", "verdict"),
    [
        (
            claims.a_cell_of_the_class_is_near,
            (23, 5),
            {"logits": lambda p, k: np.zeros((p, p, p))},
            "holds",
        ),
        (claims.fraction_is_necessary, (47,), {"guaranteed_size": lambda *_, torus: 1}, "fails"),
    ],
)
def test_checks_in_another_world(elsewhere, check, args, changes, verdict):
    assert elsewhere(check, *args, **changes) == verdict


def arrived(at_47: int, at_97: int, last: int, of: int = 3) -> Runs:
    """Runs of two moduli of which some generalise."""
    steps = {47: at_47, 97: at_97}
    return Runs(
        {
            p: pd.DataFrame({"grok_step": [9.0] * n + [np.nan] * (of - n), "last_step": last})
            for p, n in steps.items()
        }
    )


@pytest.mark.parametrize(
    ("at_47", "at_97", "last", "fraction", "verdict"),
    [
        (3, 3, 10_000, 0.3, "holds"),
        (3, 0, 60_000, 0.32, "holds"),
        (3, 0, 60_000, 0.3, "fails"),
        (0, 3, 60_000, 0.3, "fails"),
        (0, 3, 30_000, 0.3, "undecided"),
        (0, 0, 60_000, 0.3, "holds"),
    ],
)
def test_a_fraction_at_which_only_one_modulus_generalises_refutes_radii(
    at_47, at_97, last, fraction, verdict
):
    """G24: at k = 4 the bounds are .308 and .366; a short run that has not generalised says
    nothing."""
    there = arrived(at_47, at_97, last)
    assert claims.fraction_for_grokking(there, train_fraction=fraction).verdict == verdict
    alone = Runs({97: there[97]}, claims.two_moduli())
    assert claims.fraction_for_grokking(alone, train_fraction=fraction).verdict == "undecided"


def test_pairs_of_one_class_by_counting():
    """Cells (i + s, j) and (i, j + s): (p - s)^2 of them for each s from 1 to p - 1."""
    assert claims.neighbour_inequality(7).numbers["total"] == sum(n * n for n in range(1, 7))


def test_a_class_without_training_cells_has_no_radius():
    found = farthest_cells(23, 0.01, 5)
    assert (found["own class"] == np.inf).all() and (found["any class"] < np.inf).all()
    more, fewer = (farthest_cells(23, fraction, 20).max() for fraction in (0.9, 0.5))
    assert (more < fewer).all()


def test_simulated_coverage_lies_on_the_exact_curve_and_above_markovs_bound():
    found = simulated(13, 2, 300)
    torus = found[found.grid == "torus"]
    exact = [discs.expected_uncovered(13, 2, int(a * 169), torus=True) for a in torus.fraction]
    assert torus.expected.tolist() == exact
    assert (
        np.abs(found.uncovered - found.expected) < 4 * np.sqrt(found.expected.max() / 300) + 0.2
    ).all()
    assert (torus.covered.diff().dropna() >= 0).all() and (found.covered >= found.bound - 0.1).all()
    left = figures.coverage(found, 13, 2).axes[0]
    drawn = next(line for line in left.lines if line.get_label() == "torus").get_ydata()
    assert drawn.tolist() == exact


def test_own_class_needs_a_larger_radius_than_any_class():
    found = farthest_cells(23, 0.3, 30)
    assert (found["any class"] <= found["own class"]).all()
    mask = ModularTask(23, train_fraction=0.3, seed=29).train_mask
    assert found["own class"].iloc[-1] == discs.same_class_distance(mask, torus=True).max()


def test_cells_are_drawn_by_kind():
    """The diagonal is trained; cells two steps or more off it are uncovered, and all of them by
    their own class but every other one of the diagonal's neighbours."""
    mask = np.eye(7, dtype=bool)
    near = discs.distance_to_training(mask)
    fig = figures.uncovered(mask, near, np.full((7, 7), np.inf), 2)
    shown = [np.asarray(ax.images[0].get_array()) for ax in fig.axes]
    assert (shown[0] == 2).all()
    assert (shown[1] == np.where(near >= 2, 2, mask)).all()


def test_the_numbers_of_the_prose_follow_the_draws():
    far = np.zeros((13, 13))
    near = far.copy()
    near[0, 0] = 5
    own = far + 5
    draws = pd.DataFrame({"any class": [2.0, 3.0], "own class": [7.0, np.inf]})
    written = numbers(13, 5, 0.3, near, own, draws)
    assert (written["near"], written["alone"], written["far_apart"].holds) == ("1", "100%", True)
    assert written["any_from"] == "4" and not written["own_reached"].holds
    assert not written["own_later"].holds
    assert (written["disc"], written["own"], written["corner"]) == (41, 5, 15)
    assert written.keys() == names_used("04a")


def test_the_functions_of_the_page_are_the_library_s():
    disc, missed, sufficient = functions("04a", "disc", "missed", "sufficient_fraction")
    for k in (1, 2, 5):
        assert len(disc(k)) == discs.disc_size(k)
        assert sum(s + t == 0 for s, t in disc(k)) == discs.same_class_size(k)
    assert 169 * missed(13, 20, 169) == pytest.approx(
        discs.expected_uncovered(13, 3, 20, torus=True)
    )
    assert sufficient(97, 41) == pytest.approx(discs.required_fraction(97, 5))


def test_thresholds_are_ordered_and_the_last_is_certain():
    found = thresholds(23, 4, 50)
    cells = found.cells.str.replace(",", "").astype(int)
    assert cells["expectation below 1"] <= cells["printed"] < cells["certain"] == 529 - 25 + 1
    assert found.loc["certain", "covered, torus"] == "1.00"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"k": 25},
            "k = 25 makes a disc of width 49 overlap itself on a torus of side 47; the largest k is 24.",
        ),
        ({"k": 0}, "k is 0, but must be a whole number at least 1."),
        ({"p": 48}, "p = 48 is not prime; the nearest primes are 47 and 53."),
        ({"draws": 0}, "draws is 0, but must be a whole number at least 1."),
        (
            {"train_fraction": 1.0},
            "train_fraction = 1.0 is not a number in the open interval (0, 1).",
        ),
    ],
)
def test_the_plan_refuses_what_does_not_fit(change, message):
    with pytest.raises(ParameterError) as caught:
        plan(**PLAN | change)
    assert str(caught.value) == message
