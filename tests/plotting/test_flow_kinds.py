"""The figure of the cases of the limit theorem: each start is of its case, and its curves reach the dashed limits."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from grokbook.plotting.flow_kinds import CASES, kinds_of_start
from grokbook.theory.triple_product import explain, limit_point

WORDS = {
    "surface": "no coordinate changes its sign",
    "crossing": "goes through 0",
    "saddle": "a saddle",
    "target zero": "it falls to 0",
}


@pytest.mark.parametrize(("name", "start", "target", "duration"), CASES)
def test_each_start_is_of_its_case(name, start, target, duration):
    assert WORDS[name] in explain(start, target=target)


def test_the_first_two_limits_differ_in_no_square():
    first, second = (limit_point(start) for _, start, *_ in CASES[:2])
    assert np.allclose(np.square(first), np.square(second), rtol=1e-12)


def test_every_curve_is_drawn_and_ends_near_its_dashed_limit():
    fig = kinds_of_start()
    assert [ax.get_title("left") for ax in fig.axes] == [name for name, *_ in CASES]
    for ax, (_, start, target, _) in zip(fig.axes, CASES, strict=True):
        solid = [line.get_ydata() for line in ax.lines if len(line.get_xdata()) > 2]
        dashed = [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "--"]
        assert np.allclose(dashed, limit_point(start, target=target))
        assert np.allclose([values[-1] for values in solid], dashed, atol=0.02)
    plt.close(fig)
