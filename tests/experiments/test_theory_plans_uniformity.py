"""The plan of chapter 03 asks for the runs of Fig. 5 and refuses what its theorems cannot use."""

from __future__ import annotations

import pytest

from grokbook.errors import ParameterError
from grokbook.experiments.theory_plans_uniformity import uniformity

GOOD = {"p": 13, "p_recorded": 97, "p_other": 47, "d": 32, "n_random": 10, "n_seeds": 5}


def test_it_asks_for_the_runs_of_figure_5():
    runs = uniformity(**GOOD)
    assert {e.name for e in runs.values()} == {"gu2025/fig5[p=97]", "gu2025/fig5[p=47]"}
    assert all(e.seeds == (0, 1, 2, 3, 4) and not e.missing_seeds() for e in runs.values())


@pytest.mark.parametrize(
    ("change", "words"),
    [({"p": 9}, "p = 9 must be a prime of 5 or more; the next one is 11"),
     ({"p": 3}, "the next one is 5"), ({"p_other": 48}, "p_other = 48 must be a prime"),
     ({"d": 6}, "d = 6 is too small for p = 13: Lemma B.1 needs p // 2 \\+ 1 = 7 or more"),
     ({"p_other": 97}, "two different moduli"), ({"n_random": 0}, "n_random = 0"), ({"n_seeds": 0}, "n_seeds = 0")],
)  # fmt: skip
def test_inconsistent_parameters_are_refused(change, words):
    with pytest.raises(ParameterError, match=words):
        uniformity(**(GOOD | change))
