"""The comparison of two phase diagrams: agreement and kappa."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score

from grokbook.errors import ParameterError
from grokbook_chapters.phase_diagrams import agreement as ag

DIAGRAMS = arrays("U1", (4, 6), elements=st.sampled_from("CGMX"))


@given(DIAGRAMS)
def test_a_diagram_agrees_with_itself(diagram):
    assert ag.agreement(diagram, diagram) == 1
    assert ag.kappa(diagram, diagram) == 1 or len(np.unique(diagram)) == 1


@given(DIAGRAMS, DIAGRAMS)
def test_kappa_is_the_closed_form_and_does_not_depend_on_order_or_names(one, other):
    found = ag.kappa(one, other)
    if not np.isnan(found):
        assert found == pytest.approx(cohen_kappa_score(one.ravel(), other.ravel()), abs=1e-12)
        renamed = [np.char.translate(d, str.maketrans("CGMX", "MXCG")) for d in (other, one)]
        assert ag.kappa(*renamed) == pytest.approx(found, abs=1e-12)
        assert ag.agreement(one, other) >= found - 1e-12


def test_a_shuffled_diagram_has_kappa_0_in_the_mean():
    rng = np.random.default_rng(0)
    diagram = np.array(list("CCCCGGGGGGMMMMMMMMMX" * 5))
    found = [ag.kappa(diagram, rng.permutation(diagram)) for _ in range(2_000)]
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(2_000)


def test_agreement_among_seeds_has_a_row_a_pair():
    phase = xr.DataArray(
        [list("CGM"), list("CGM"), list("CXM")], dims=("seed", "lr"), coords={"seed": [0, 1, 5]}
    )
    table = ag.among_seeds(phase)
    assert table["first"].tolist() == [0, 0, 1] and table.agreement.tolist() == pytest.approx(
        [1, 2 / 3, 2 / 3]
    )
    assert ag.among_seeds(phase.isel(seed=[0])).empty


def test_diagrams_of_other_cells_are_refused():
    with pytest.raises(ParameterError):
        ag.kappa([["C"]], [["C", "C"]])
