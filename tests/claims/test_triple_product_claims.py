"""Checks of the claims about the dynamical system can come out either way."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.claims import triple_product as claims
from grokbook.theory.matrix_flow import MatrixState

EXPECTED = {
    "G40": "holds with correction", "G41": "fails", "G42": "vacuous", "G43": "fails", "G44": "holds with correction",
    "G45": "holds with correction", "G46": "fails", "G47": "fails", "G48": "holds", "G49": "fails",
    "P01": "needs an assumption", "P13": "fails",
}  # fmt: skip


@pytest.mark.parametrize("claim", claims.CLAIMS, ids=lambda claim: claim.id)
def test_verdicts(claim):
    found = claim.finding()
    assert found.verdict == EXPECTED[claim.id]
    assert found.value is not None and found.evidence


def test_all_are_here():
    assert [claim.id for claim in claims.CLAIMS] == list(EXPECTED)


def test_cross_entropy_equations_for_the_printed_network_would_hold(monkeypatch):
    monkeypatch.setattr(claims, "matrix_velocity", lambda state, c, **_: claims.descent(state, c, soft=True, bias=1.0))
    assert claims.matrix_equations().verdict == "holds"


def test_other_equations_would_fail(monkeypatch):
    wrong = claims.matrix_velocity
    monkeypatch.setattr(
        claims, "matrix_velocity",
        lambda state, c, **options: MatrixState(*(2 * v for v in vars(wrong(state, c, **options)).values())),
    )  # fmt: skip
    assert claims.matrix_equations().verdict == "fails"


def test_an_idle_state_that_moves_would_be_none(monkeypatch):
    monkeypatch.setattr(claims, "idle_equilibrium", lambda **sizes: claims.some_state())
    assert claims.equilibria_with_error().verdict == "holds"
    zero = MatrixState(*(0 * part for part in vars(claims.some_state()).values()))
    monkeypatch.setattr(claims, "idle_equilibrium", lambda **sizes: zero)
    assert claims.equilibria_with_error().verdict == "holds"


def test_maps_without_a_constant_solution_are_judged_by_the_reduction(monkeypatch):
    moving = claims.velocity
    monkeypatch.setattr(claims, "velocity", lambda point: moving(point) + 1)
    assert claims.maps_exist().verdict == "holds"
    monkeypatch.setattr(claims, "reduction_error", lambda: 0.3)
    assert claims.maps_exist().verdict == "fails"


def test_a_reduction_to_another_flow_is_seen(monkeypatch):
    right = claims.flow
    monkeypatch.setattr(claims, "flow", lambda start, times, target: right(start, times, target=target - 0.1))
    assert claims.reduction_error() > 1e-2


def test_wrong_answers_at_rest_would_hold(monkeypatch):
    monkeypatch.setattr(claims, "velocity", lambda point: 0 * np.asarray(point))
    assert claims.wrong_answers_rest().verdict == "holds"


@pytest.mark.parametrize(
    ("limit", "verdict"),
    [(lambda start: start, "holds"), (lambda start: np.ones(3) + 0 * start + 1000, "fails")],
)
def test_stability_is_read_off_the_limits(monkeypatch, limit, verdict):
    monkeypatch.setattr(claims, "limit_point", limit)
    assert claims.stable_equilibria().verdict == verdict


def test_a_right_printed_derivative_would_hold_and_another_would_fail(monkeypatch):
    monkeypatch.setattr(claims, "printed_v_rate", claims.v_rate)
    assert claims.printed_derivative().verdict == "holds"
    monkeypatch.setattr(claims, "printed_v_rate", lambda point: np.asarray(point)[..., 0])
    assert claims.printed_derivative().verdict == "fails"


def test_a_v_that_falls_would_hold(monkeypatch):
    monkeypatch.setattr(claims, "v_rate", claims.lyapunov_rate)
    assert claims.minors_and_stability().verdict == "holds"


def test_a_cube_that_ends_at_one_would_hold(monkeypatch):
    from grokbook.theory.cube_limits import CubeLimits

    monkeypatch.setattr(claims, "cube_limits", lambda n: CubeLimits(np.zeros((n, 3)), np.ones((n, 3))))
    assert claims.cube_moves_to_one(50).verdict == "holds"


def test_a_theorem_with_an_escaping_start_would_fail(monkeypatch):
    monkeypatch.setattr(claims, "flow", lambda start, times: np.linspace(0, 5, 40)[:, None] + start)
    assert claims.lyapunov_theorem(3).verdict == "fails"


def test_a_function_that_grows_is_no_lyapunov_function(monkeypatch):
    monkeypatch.setattr(claims, "lyapunov_rate", claims.v_rate)
    assert claims.lyapunov_theorem(3).verdict == "fails"


def test_a_held_out_copy_of_the_trained_sample_is_learned():
    assert claims.guarantees_grokking(overlap=1.0).verdict == "holds"


def test_an_error_with_softmax_would_hold(monkeypatch):
    monkeypatch.setattr(claims, "residual", lambda state, c: c - claims.softmax(state.W_U @ (state.hidden + 1)))
    assert claims.three_definitions().verdict == "holds"
    monkeypatch.setattr(claims, "residual", lambda state, c: c)
    assert claims.three_definitions().verdict == "fails"


def test_trajectories_that_return_would_be_seen(monkeypatch):
    def circle(start, times, rtol):
        turn = np.asarray(times)[:, None]
        return start * np.cos(turn) + np.roll(start, 1) * np.sin(turn)

    monkeypatch.setattr(claims, "flow", circle)
    assert claims.poincare_sections(5).verdict == "holds"
