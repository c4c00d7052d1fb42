"""Chapter 19: the statistics against closed forms, predictions against arms, judgements that come out either way."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.chapters.causes import effects, runs
from grokbook.errors import ParameterError

UNPREDICTED = {
    "T": {"data-balanced"},
    "Q": {"data-balanced", "squared-error"},
    "L": {"decay-on-hidden-alone", "decay-on-output-alone", "decay-not-on-output", "head-handed-over"},
}
"""Arms of which no explanation says anything: baselines, and what theories of other networks would be asked of L."""


def times(groks, fits=10):
    """A table as `grok_times` makes it."""
    return pd.DataFrame(
        {"grok_step": pd.array(groks, dtype="Int64"), "fit_step": pd.array([fits] * len(groks), "Int64")}
    )


@given(st.lists(st.floats(0.01, 3), min_size=1, max_size=10))
@settings(max_examples=40, deadline=None)
def test_equal_signs_have_the_least_p_value_and_flipping_all_changes_nothing(logs):
    """Two of the 2^n patterns have a sum of that size: all plus, all minus."""
    assert effects.flips(logs) == pytest.approx(2 ** (1 - len(logs)))
    mixed = [value * (-1) ** k for k, value in enumerate(logs)]
    assert effects.flips(mixed) == pytest.approx(effects.flips([-value for value in mixed]))


def test_the_test_of_signs_keeps_its_level_where_there_is_no_effect():
    rng = np.random.default_rng(0)
    share = np.mean([effects.flips(rng.normal(size=8)) <= 0.05 for _ in range(2_000)])
    assert share < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 2_000)
    assert share > 0.03  # it is exact, not merely safe


def test_holms_rule_by_hand_and_never_below_the_raw_value():
    """m p_(1), then the larger of the one before and (m - 1) p_(2), and so on (Holm 1979)."""
    np.testing.assert_allclose(effects.holm([0.04, 0.001, 0.02, 0.9]), [0.08, 0.004, 0.06, 0.9])
    p = np.random.default_rng(1).uniform(size=30)
    assert (effects.holm(p) >= p).all() and (effects.holm(p) <= 1).all()


def test_an_effect_is_the_geometric_mean_of_the_ratios_and_a_late_run_stands_at_the_cap():
    base, cap = times([100, 200, 400]), 1_000
    found = effects.effect(times([200, 400, 800]), base, cap)
    assert found["ratio"] == pytest.approx(2) and found["low"] == pytest.approx(2) and found["late"] == 0
    late = effects.effect(times([200, 400, None]), base, cap)
    assert late["ratio"] == pytest.approx((2 * 2 * 2.5) ** (1 / 3)) and late["late"] == 1
    assert effects.effect(times([50, None], None), base, cap)["unfit"] == 2


@pytest.mark.parametrize(("row", "word"), [
    ({"ratio": 2.0, "low": 1.5, "high": 2.5, "holm": 0.03}, "longer"),
    ({"ratio": 0.5, "low": 0.4, "high": 0.6, "holm": 0.03}, "shorter"),
    ({"ratio": 1.0, "low": 0.9, "high": 1.1, "holm": 1.0}, "same"),
    ({"ratio": 1.3, "low": 0.7, "high": 2.1, "holm": 0.3}, "open"),
    ({"ratio": 9.0, "low": 8.0, "high": 9.9, "holm": 0.01, "late": 7}, "never"),
    ({"ratio": 9.0, "low": 8.0, "high": 9.9, "holm": 0.01, "late": 12, "unfit": 7}, "unfit"),
])  # fmt: skip
def test_what_was_observed_in_a_word(row, word):
    assert effects.observed({"runs": 12, "late": 0, "unfit": 0} | row) == word


def test_every_prediction_is_judged_both_ways():
    """Each of the four words has an observation that agrees and one that contradicts; open and unfit decide nothing."""
    for word in ("shorter", "longer", "same", "never"):
        outcomes = {effects.judged(word, seen) for seen in ("shorter", "longer", "same", "never")}
        assert outcomes == {"agrees", "contradicts"}
        assert {effects.judged(word, seen) for seen in ("open", "unfit", "")} == {"open"}


def test_every_prediction_is_of_an_arm_and_says_whose_words_it_rests_on():
    table = effects.predictions()
    for bench in effects.BENCHES:
        there = set(runs.arms(bench))
        assert set(table.arm[table[bench] != ""]) <= there
        assert {effects.against(arm, bench) for arm in there} <= there
        assert there - set(table.arm[table[bench] != ""]) == UNPREDICTED[bench] | {"free"}
        assert set(table[bench]) <= {"shorter", "longer", "same", "never", ""}
    assert table.words.astype(bool).all() and table.refuted_by.astype(bool).all()
    assert not table.duplicated(["explanation", "arm"]).any()
    assert {"sham", "oracle", "test"} == set(table.role)


def test_arms_have_keys_of_their_own_and_differ_from_the_free_run_in_one_thing():
    for bench in runs.BENCH_NAMES:
        arms = runs.arms(bench)
        assert len({arm.key for arm in arms.values()}) == len(arms)
        assert all(arm.config.steps == arms["free"].config.steps and arm.together for arm in arms.values())


def test_a_factor_of_one_and_a_half_is_seen_with_twelve_seeds_at_the_spread_of_the_shams():
    assert effects.power(0.16) > 0.85
    assert effects.power(0.6) < 0.3
    assert effects.power(0.16, factor=1.0) <= 0.01


def test_an_unknown_bench_and_too_many_numbers_are_refused():
    with pytest.raises(ParameterError, match="bench = 'X'"):
        runs.free("X")
    with pytest.raises(ParameterError, match="at most 20"):
        effects.flips(np.ones(21))
