"""Checks on the predecessor's maps and distances can come out either way."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from grokbook.claims import uniformity_maps as maps


def test_the_map_is_one_of_urysohns():
    x = np.random.default_rng(0).normal(size=(500, 2)) * 3
    value = maps.region_map(x, same=True)
    assert (value[x[:, 1] >= x[:, 0]] == 0).all()
    assert (value[np.linalg.norm(x - [2, 0], axis=1) <= 0.5] == 1).all()
    assert (value >= 0).all() and (value <= 1).all()
    assert maps.region_map(x, same=False) == pytest.approx(1 - value)
    assert maps.region_map(x, same=True, root=True) ** 2 == pytest.approx(value)


def test_a_bounded_even_quotient_would_be_accepted(monkeypatch):
    monkeypatch.setattr(maps, "region_map", lambda x, same, root=False: np.zeros(len(x)))
    assert maps.supremum_is_a_norm().verdict == "holds"


@pytest.mark.parametrize(("divisors", "verdict"), [([], "holds"), ([1], "holds with correction")])
def test_divisibility_either_way(divisors, verdict, monkeypatch):
    monkeypatch.setattr(maps.sympy, "divisors", lambda p: divisors)
    assert maps.divisibility((5,)).verdict == verdict


def test_six_shifts_break_the_printed_rule():
    """d1 + d2 = 1 has two solutions for each of three primes."""
    assert maps.divisibility((5, 7, 11)).value == 6


def test_distances_on_a_line_can_be_proportional():
    assert maps.linear_distance(11, cyclic=False).verdict == "holds"
    assert maps.linear_distance(11).verdict == "fails"


def runs(best, late):
    ones = np.ones((len(best), 30))
    columns = {"test_accuracy": best, "med": late}
    series = {name: (("seed", "step"), np.array(values)[:, None] * ones) for name, values in columns.items()}
    return xr.Dataset(series, {"seed": range(len(best)), "step": range(30)})


@pytest.mark.parametrize(
    ("late", "verdict"), [([2.0, 3.0], "vacuous"), ([2.0, np.inf], "holds"), ([np.inf, 2.0], "fails")]
)
def test_a_bound_says_something_only_if_it_tells_runs_apart(late, verdict):
    assert maps.bounded_in_the_end([runs([1.0, 0.4], late)]).verdict == verdict


def test_the_bound_without_runs_is_not_run(monkeypatch):
    monkeypatch.setattr(maps, "recorded_fig5", lambda p: None)
    assert maps.bounded_in_the_end().verdict == "not run"


@pytest.mark.parametrize(("p", "verdict"), [(97, "fails"), (3, "holds")])
def test_half_the_diameter_is_a_circle_only_if_the_modulus_has_one(p, verdict):
    """At p = 3 the only circle has neighbours at its diameter."""
    assert maps.half_the_diameter(p).verdict == verdict
