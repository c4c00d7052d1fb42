"""Chapter 08: its plan, checks in other worlds, and figures that draw what the library computes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.quiver import Quiver

from grokbook.chapters.lyapunov_phase_portrait import answer, cube, matrices, plan, portraits, stability
from grokbook.errors import ParameterError
from grokbook.plotting import COLOURS
from grokbook.theory.cube_limits import cube_limits, largest_distance
from grokbook.theory.matrix_flow import MatrixState, idle_equilibrium, matrix_velocity, softmax
from grokbook.theory.triple_product import explain, flow, limit_point, velocity
from grokbook.theory.triple_stability import lyapunov_rate, printed_v, v_rate


@pytest.mark.parametrize("start", [(0.2, 0.5, 0.9), (0.0, 0.5, 0.5), (-0.8, -0.5, 0.3), (2.0, -2.0, 0.1)])
def test_a_start_that_reaches_the_surface_needs_no_training(start):
    assert plan(*start) == {}


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ((0.0, 0.0, 0.7), "the start lies on the u-axis"),
        ((1.0, 1.0, 1.0), "the start lies on the surface"),
        ((0.5, -0.5, 1.2), "is drawn to the u-axis, a saddle"),
        ((0.2, float("nan"), 0.9), "must be finite"),
        ((0.05, 0.05, 0.05), "is too slow: after 12 units of time its product is"),
        ((0.01, 0.01, 0.01), "is too slow"),
    ],
)
def test_what_shows_nothing_is_refused_with_its_reason(start, words):
    with pytest.raises(ParameterError, match=words):
        plan(*start)


def scaled(state, by):
    return MatrixState(*(by * part for part in vars(state).values()))


WORLDS = [
    (matrices.matrix_equations, "holds",
     {"matrix_velocity": lambda state, c, **_: matrices.descent(state, c, soft=True, bias=1.0)}),
    (matrices.matrix_equations, "fails",
     {"matrix_velocity": lambda state, c, **options: scaled(matrix_velocity(state, c, **options), 2)}),
    (matrices.equilibria_with_error, "holds", {"idle_equilibrium": lambda **sizes: matrices.some_state()}),
    (matrices.equilibria_with_error, "holds",
     {"idle_equilibrium": lambda **sizes: scaled(idle_equilibrium(**sizes), 0)}),
    (matrices.equilibria_with_error, "fails", {"matrix_flow": lambda state, c, times, **_: [state, state]}),
    (matrices.maps_exist, "holds", {"velocity": lambda point: velocity(point) + 1}),
    (matrices.maps_exist, "fails", {"velocity": lambda point: velocity(point) + 1,
                                     "flow": lambda start, times, target: flow(start, times, target=target - 0.1)}),
    (matrices.three_definitions, "holds",
     {"residual": lambda state, c: c - softmax(state.W_U @ (state.hidden + 1))}),
    (matrices.three_definitions, "fails", {"residual": lambda state, c: c}),
    (stability.wrong_answers_rest, "holds", {"velocity": lambda point: 0 * np.asarray(point)}),
    (stability.wrong_answers_rest, "fails", {"velocity": lambda point: 1 + np.asarray(point)}),
    (stability.stable_equilibria, "holds", {"limit_point": lambda start, target: start}),
    (stability.stable_equilibria, "fails", {"limit_point": lambda start, target: np.ones(3) + 0 * start + 1000}),
    (stability.stable_equilibria, "fails", {"limit_point": lambda start, target: limit_point(start)}),
    (stability.urysohn_follows, "holds", {"flow": lambda start, times: np.array([start, start, np.ones(3)])}),
    (stability.v_rate_is_positive, "holds", {"v_rate": lambda point: -v_rate(point)}),
    (stability.v_rate_is_positive, "fails", {"v_rate": lambda point: np.asarray(point)[..., 0] - 0.4}),
    (stability.printed_derivative, "holds", {"printed_v_rate": v_rate}),
    (stability.printed_derivative, "fails", {"printed_v_rate": lambda point: np.asarray(point)[..., 0]}),
    (stability.minors_and_stability, "fails", {"v_rate": lambda point: -v_rate(point)}),
    (stability.minors_and_stability, "holds with correction", {}),
    (stability.minors_and_stability, "holds",
     {"v_rate": lyapunov_rate, "leading_principal_minors": lambda matrix: [np.linalg.eigvalsh(matrix).max()]}),
    (stability.cube_moves_to_one, "holds", {}),
    (stability.cube_moves_to_one, "fails", {"printed_v": lambda point: 20 - printed_v(point)}),
    (stability.lyapunov_theorem, "fails", {"flow": lambda start, times: np.linspace(0, 5, 40)[:, None] + start}),
    (stability.lyapunov_theorem, "fails", {"lyapunov_rate": v_rate}),
    (stability.poincare_sections, "holds",
     {"flow": lambda start, times, rtol: start * np.cos(times * np.pi / 10)[:, None] ** 2}),
    (stability.poincare_sections, "fails", {"adamw_paths": lambda starts: starts[:, None].repeat(3, axis=1)}),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "verdict", "world"), WORLDS)
def test_a_check_comes_out_otherwise_in_another_world(claim, verdict, world, elsewhere):
    assert elsewhere(claim, **world) == verdict


@given(st.tuples(*[st.floats(0, 2)] * 3).filter(lambda start: np.prod(start) <= 1))
@settings(max_examples=40)
def test_below_the_surface_the_distance_to_one_never_grows(start):
    """Where x, w, u >= 0 and x w u <= 1: no coordinate falls, the product stays below 1, and V never grows."""
    path = flow(start, np.linspace(0, 6, 40), rtol=1e-10)
    assert np.diff(path, axis=0).min() >= -1e-8
    assert path.prod(axis=1).max() <= 1 + 1e-8
    assert np.diff(printed_v(path)).max() <= 1e-8


def test_a_held_out_copy_of_the_trained_sample_is_learned():
    assert matrices.guarantees_grokking(overlap=1.0).verdict == "holds"


WORDS = "no coordinate changes its sign", "goes through 0", "a saddle", "it falls to 0"


def test_each_start_is_of_its_case_and_its_curves_end_near_their_dashed_limits():
    fig = portraits.kinds_of_start()
    for ax, words, (name, start, target, _) in zip(fig.axes, WORDS, portraits.CASES, strict=True):
        assert ax.get_title("left") == name and words in explain(start, target=target)
        solid = [line.get_ydata() for line in ax.lines if len(line.get_xdata()) > 2]
        dashed = [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "--"]
        assert np.allclose(dashed, limit_point(start, target=target))
        assert np.allclose([values[-1] for values in solid], dashed, atol=0.02)
    first, second = (limit_point(start) for _, start, *_ in portraits.CASES[:2])
    assert np.allclose(np.square(first), np.square(second), rtol=1e-12)


@pytest.mark.parametrize("ends", ["holds", "fails"])
def test_the_answer_is_whole_sentences_at_every_outcome(ends):
    text = answer({"G47": ends, "G44": ends, "P01": "holds"})
    assert text.startswith("> **Answer.**") and text.count(". ") == 3


def test_only_the_printed_v_grows_somewhere():
    """The left panel has a region of positive rate, the right one none (Equation 17 against the loss)."""
    axes = portraits.v_and_loss_rates().axes
    left, right = (np.asarray(ax.collections[0].get_array()) for ax in axes[:2])
    assert left.max() > 0
    assert right.max() <= 0


def test_streams_on_both_planes():
    """Arrows lie on drawn curves, point along the velocity, and are tangent to the curve."""
    fig = portraits.plane_streams()
    for ax, on_plane in zip(fig.axes[:2], (lambda a, b: (a, a, b), lambda a, b: (a, b, np.ones_like(a))), strict=True):
        arrows = next(drawn for drawn in ax.collections if isinstance(drawn, Quiver))
        first, second = np.asarray(arrows.X), np.asarray(arrows.Y)
        level = first**2 - second**2
        assert np.abs(level[:, None] - portraits.LEVELS).min(axis=1).max() < 1e-9
        assert np.allclose(first * arrows.U - second * arrows.V, 0, atol=1e-9)
        speed = velocity(np.stack(on_plane(first, second), axis=-1))
        parts = speed[:, [0, 2]] if ax is fig.axes[0] else speed[:, :2]
        assert (parts[:, 0] * arrows.U + parts[:, 1] * arrows.V > 0).all()


def test_trajectories_start_and_end_where_the_library_says():
    limits = cube_limits(4, seed=2)
    flat, right = cube.trajectories(n=4, seed=2).axes
    for meaning, points in (("train", limits.starts), ("test", limits.limits)):
        dots = next(m for m in flat.lines if m.get_marker() == "o" and m.get_color() == COLOURS[meaning])
        assert np.allclose(dots.get_xydata(), points[:, :2])
    ends = [line.get_xydata()[-1] for line in flat.lines if len(line.get_xdata()) > 9]
    assert np.allclose(ends, limits.limits[:, :2], atol=1e-5)
    assert all(np.diff(line.get_ydata()).max() < 1e-6 for line in right.lines)  # towards (1, 1, 1), and never away


def test_distribution_marks_the_mean_and_the_bound():
    limits = cube_limits(300)
    left = cube.limit_distribution(limits).axes[0]
    assert [line.get_xdata()[0] for line in left.lines] == pytest.approx([limits.mean_distance[0], largest_distance()])
    assert sum(patch.get_height() * patch.get_width() for patch in left.patches) == pytest.approx(1)
