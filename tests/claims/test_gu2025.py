"""Checks of Gu et al. 2025 can come out either way."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.claims import gu2025
from grokbook.claims.tracking import tracking_table

from .runs import hump, made_run, noise, rise


def test_a_wrong_closed_form_is_seen(monkeypatch):
    monkeypatch.setattr(gu2025, "quadratic_class_sizes", lambda p: np.full(p, p))
    assert gu2025.quadratic_form_classes(11).verdict == "fails"


def test_a_wrong_med_is_seen(monkeypatch):
    monkeypatch.setattr(gu2025, "circle_med", lambda p, k: 1.0)
    assert gu2025.med_closed_forms(11).verdict == "fails"


@pytest.mark.parametrize(("half", "verdict"), [(5000, "holds"), (3000, "fails"), (99999, "fails")])
def test_onset_near_5000(half, verdict, monkeypatch):
    """Section 6.1: "around epoch 5000"; five per cent of the unmirrored cells, a range over seeds."""
    runs = made_run(noise(1), hump(3000, 0.5), rise(half))
    monkeypatch.setattr(gu2025, "recorded_table", lambda p: tracking_table(runs))
    assert gu2025.onset_of_random_split().verdict == verdict


def test_onset_without_runs_is_not_run(monkeypatch):
    monkeypatch.setattr(gu2025, "recorded_table", lambda p: None)
    assert gu2025.onset_of_random_split().verdict == "not run"


def test_random_sets_are_not_products_and_a_full_one_would_be():
    found = gu2025.products(11, splits=5)
    assert found.verdict == "fails"
    assert found.low > 1


def test_shuffled_columns_are_no_translates_and_shuffled_rows_are():
    """Section 6.1, Y_mn = X_m + n: renaming i keeps the classes translates along j, renaming j does not."""
    table = np.add.outer(np.arange(11), np.arange(11)) % 11
    order = np.random.default_rng(0).permutation(11)
    assert gu2025.not_translates(table[order]) == 0
    assert gu2025.not_translates(table[:, order]) > 0


@pytest.mark.parametrize(("p", "verdict"), [(3, "holds"), (5, "fails"), (97, "fails")])
def test_one_frequency_leaves_nothing_to_rename(p, verdict):
    assert gu2025.same_function_other_med(p).verdict == verdict
