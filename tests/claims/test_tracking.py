"""Gu 2024, section 5.1: the three observations on made runs, both ways."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from grokbook.claims import gu2024
from grokbook.claims.tracking import together, track, tracking_table
from grokbook.errors import ParameterError

from .runs import hump, made_run, noise, rise


def _table(loss, measure, accuracy):
    return tracking_table(made_run(loss, measure, accuracy))


def test_identical_curves_agree_everywhere():
    table = _table(noise(1), 3 * noise(1) + 7, rise(3000))
    assert table.agreement.tolist() == [1.0]
    assert table.p_value.iloc[0] < 0.01
    assert gu2024.same_sign_everywhere(table).verdict == "holds"
    assert gu2024.almost_identical(table).verdict == "holds"


def test_unrelated_curves_do_not():
    table = _table(noise(1), noise(2), rise(3000))
    assert 0.35 < table.agreement.iloc[0] < 0.65
    assert gu2024.same_sign_everywhere(table).verdict == "fails"
    assert gu2024.almost_identical(table).verdict == "fails"


@pytest.mark.parametrize(
    ("down", "floor", "grok", "verdict"),
    [
        (3000, 0.5, 3000, "holds"),  # falls below where it generalises
        (3000, 1.5, 3000, "vacuous"),  # generalises, never below: the implication is not tested
        (1000, 0.5, 4500, "fails"),  # below long before
        (3000, 0.5, 9999, "fails"),  # below, never generalises
        (3000, 1.5, 9999, "vacuous"),  # neither
    ],
)
def test_second_observation(down, floor, grok, verdict):
    table = _table(noise(1), hump(down, floor), rise(grok))
    assert gu2024.below_initial_means_grokking(table).verdict == verdict


@pytest.mark.parametrize(("down", "verdict"), [(3000, "holds"), (1000, "fails")])
def test_third_observation(down, verdict):
    table = _table(noise(1), hump(down, 0.5), rise(3000))
    assert gu2024.settle_together(table).verdict == verdict


def test_third_observation_is_vacuous_where_nothing_settles():
    falling = np.linspace(2, 0, noise(1).size)
    table = _table(noise(1), falling, 0.1 + 0.05 * (2 - falling))
    assert gu2024.settle_together(table).verdict == "vacuous"


def test_columns_are_whole_numbers_or_missing():
    table = _table(noise(1), hump(3000, 1.5), rise(9999))
    assert table.below_step.isna().all()
    assert table.grok_step.isna().all()
    assert table.fit_step.tolist() == [50]
    assert str(table.below_step.dtype) == "Int64"


def test_together_counts_missing_as_apart():
    first, second = pd.Series([100, None, 100], dtype="Int64"), pd.Series([190, 100, 300], dtype="Int64")
    assert together(first, second, pd.Series([1000] * 3, dtype="Int64")).tolist() == [True, False, False]


def test_an_unknown_measure_is_named():
    with pytest.raises(ParameterError, match="no measure 'rqi'"):
        track(made_run(noise(1), noise(2), rise(3000)).isel(seed=0), "rqi")


def test_nothing_is_claimed_without_runs(monkeypatch):
    monkeypatch.setattr(gu2024, "recorded_table", lambda p: None)
    assert gu2024.on_records(gu2024.almost_identical).verdict == "not run"


def test_two_moduli_are_stacked():
    one = _table(noise(1), noise(2), rise(3000))
    assert gu2024.stack({5: one, 7: one}).index.tolist() == [(5, 0), (7, 0)]
    assert np.isclose(gu2024.stack({5: one, 7: one}).agreement.iloc[1], one.agreement.iloc[0])
