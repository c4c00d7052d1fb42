"""Chapter 08: checks in other worlds, and figures that draw what the library computes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.theory.triple_product import flow, limit_point, velocity
from grokbook_chapters.lyapunov_phase_portrait import (
    claims,
    cube_limits,
    matrices,
    numbers,
    two_samples,
)
from grokbook_chapters.lyapunov_phase_portrait.matrix_flow import MatrixState, matrix_velocity
from grokbook_chapters.lyapunov_phase_portrait.triple_stability import (
    lyapunov_rate,
    printed_v,
    v_rate,
)
from written_pages import functions, names_used


def scaled(state, by):
    return MatrixState(*(by * part for part in vars(state).values()))


NO_MINORS = {"leading_principal_minors": lambda matrix: [np.linalg.eigvalsh(matrix).max()]}
WORLDS = [
    (
        matrices.matrix_equations,
        "holds",
        {"matrix_velocity": lambda state, c, **_: matrices.descent(state, c, soft=True, bias=1.0)},
    ),
    (
        matrices.matrix_equations,
        "fails",
        {
            "matrix_velocity": lambda state, c, **options: scaled(
                matrix_velocity(state, c, **options), 2
            )
        },
    ),
    (matrices.maps_exist, "holds", {"velocity": lambda point: velocity(point) + 1}),
    (
        matrices.maps_exist,
        "fails",
        {
            "velocity": lambda point: velocity(point) + 1,
            "flow": lambda start, times, target: flow(start, times, target=target - 0.1),
        },
    ),
    (claims.wrong_answers_rest, "holds", {"velocity": lambda point: 0 * np.asarray(point)}),
    (claims.wrong_answers_rest, "fails", {"velocity": lambda point: 1 + np.asarray(point)}),
    (claims.v_rate_is_positive, "holds", {"v_rate": lambda point: -v_rate(point)}),
    (claims.v_rate_is_positive, "fails", {"v_rate": lambda point: np.asarray(point)[..., 0] - 0.4}),
    (claims.printed_derivative, "holds", {"printed_v_rate": v_rate}),
    (
        claims.printed_derivative,
        "fails",
        {"printed_v_rate": lambda point: np.asarray(point)[..., 0]},
    ),
    (claims.stable_equilibria, "fails", {"v_rate": lambda point: -v_rate(point)}),
    (
        claims.stable_equilibria,
        "fails",
        {"limit_point": lambda start: np.ones(3) + 0 * start + 1000},
    ),
    (
        claims.stable_equilibria,
        "holds",
        {"v_rate": lyapunov_rate, "limit_point": lambda start: start, **NO_MINORS},
    ),
    (
        claims.stable_equilibria,
        "holds with correction",
        {"v_rate": lyapunov_rate, **NO_MINORS},
    ),  # axes are saddles
    (
        claims.lyapunov_theorem,
        "fails",
        {"flow": lambda start, times: np.linspace(0, 5, 40)[:, None] + start},
    ),
    (claims.lyapunov_theorem, "fails", {"lyapunov_rate": lambda points: -lyapunov_rate(points)}),
]


@pytest.mark.parametrize(("claim", "verdict", "world"), WORLDS)
def test_a_check_comes_out_otherwise_in_another_world(claim, verdict, world, elsewhere):
    assert elsewhere(claim, **world) == verdict


@given(st.tuples(*[st.floats(0, 2)] * 3).filter(lambda start: np.prod(start) <= 1))
@settings(max_examples=40)
def test_below_the_surface_the_distance_to_one_never_grows(start):
    """Where x, w, u >= 0 and x w u <= 1: no coordinate falls, the product stays below 1, and V
    never grows."""
    path = flow(start, np.linspace(0, 6, 40), rtol=1e-12)
    assert np.diff(path, axis=0).min() >= -1e-8
    assert path.prod(axis=1).max() <= 1 + 1e-8
    assert np.diff(printed_v(path)).max() <= 1e-8


def test_a_held_out_copy_of_the_trained_sample_is_learned():
    assert matrices.guarantees_grokking(overlap=1.0).verdict == "holds"


def test_the_numbers_of_the_prose_are_those_of_the_limits():
    few = cube_limits(200, seed=1)
    written = numbers([0.0, 0.5**0.5, 1.5**0.5], few)
    assert written["end"] == "(0.7071, 1.0000, 1.4142)"
    assert (written["n_starts"], written["largest_distance"]) == ("200", "0.435")
    assert written["near"] == f"{(few.distance <= 0.1).mean():.1%}"
    assert written.keys() == names_used("08")


def test_the_functions_of_the_page_are_the_library_s():
    """Equations (8.1) and (8.11) and the cubic root, as the page writes them in sight."""
    speed, rate, square = functions("08", "velocity", "v_rate", "smallest_square")
    point = [0.8, 1.8, -1.9]
    assert speed(*point, target=2) == pytest.approx(velocity(point, target=2))
    assert rate(*point) == pytest.approx(v_rate(point))
    start = np.array([0.3, 0.8, 1.1])
    gaps = np.diff(start**2)
    end = limit_point(start)
    assert square(gaps[0], gaps.sum()) == pytest.approx(end[0] ** 2)


def test_another_sample_keeps_its_loss_while_the_trained_one_is_fitted():
    table = two_samples([0.2, 0.5, 0.9])
    assert table.loc["trained"].tolist() == pytest.approx([(1 - 0.09) ** 2 / 2, 0], abs=1e-12)
    assert table.loc["another"].tolist() == [0.5, 0.5]
