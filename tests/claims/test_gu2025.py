"""Checks of Gu et al. 2025 can come out either way."""

from __future__ import annotations

import pytest

from grokbook.claims import gu2025


def test_a_wrong_med_is_seen(monkeypatch):
    monkeypatch.setattr(gu2025, "circle_med", lambda p, k: 1.0)
    assert gu2025.med_closed_forms(11).verdict == "fails"


@pytest.mark.parametrize(("p", "verdict"), [(3, "holds"), (5, "fails"), (97, "fails")])
def test_one_frequency_leaves_nothing_to_rename(p, verdict):
    assert gu2025.same_function_other_med(p).verdict == verdict
