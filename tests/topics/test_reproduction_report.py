"""The plan of chapter 18 trains nothing and knows the papers."""

from __future__ import annotations

import pytest

from grokbook.claims.ledger import PAPERS
from grokbook.errors import ParameterError
from grokbook.topics.reproduction_report import plan


@pytest.mark.parametrize("paper", ["all", *PAPERS])
def test_nothing_is_trained(paper):
    assert plan(paper, False) == plan(paper, True) == {}


def test_another_paper_is_refused_with_the_nearest():
    with pytest.raises(ParameterError, match="paper = 'gu2023' has no claims; the nearest is 'gu202"):
        plan("gu2023", True)
