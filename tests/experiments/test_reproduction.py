"""The plan of chapter 18 trains nothing and knows the papers."""

from __future__ import annotations

import pytest

from grokbook.errors import ParameterError
from grokbook.experiments.reproduction import PAPERS, reproduction_report


@pytest.mark.parametrize("paper", ["all", *PAPERS])
def test_nothing_is_trained(paper):
    assert reproduction_report(paper, False) == reproduction_report(paper, True) == {}


def test_another_paper_is_refused_with_the_nearest():
    with pytest.raises(ParameterError, match="paper = 'gu2023' has no claims; the nearest is 'gu202"):
        reproduction_report("gu2023", True)
