"""Checks of Gu 2024 that need no runs."""

from __future__ import annotations

import pytest

from grokbook.claims import gu2024
from grokbook.claims.gu2024 import two_range_relation


@pytest.mark.parametrize(("p", "d"), [(5, 2), (11, 3), (97, 16)])
def test_conversion_of_equation_12(p, d):
    assert two_range_relation(p, d).verdict == "holds with correction"


def test_a_wrong_conversion_is_seen(monkeypatch):
    monkeypatch.setattr(gu2024, "med", lambda phi: 1.0)
    assert two_range_relation(11, 3).verdict == "fails"
