"""Seven definitions of MED on one table (Gu et al. 2025, Def. 4.2 and Fig. 5; Gu 2024, Eq. 12; the programs)."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.measures import MED_DEFINITIONS, definition_table, med, med_as


def test_values_are_those_of_the_named_definitions():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(11, 4)), rng.normal(size=(11, 4))
    table = definition_table(first, second).set_index("name")
    assert list(table.index) == list(MED_DEFINITIONS)
    for name, value in table["value"].items():
        assert value == med_as(name, first, second)
    assert table.loc["gu2025_fig_5", "value / MED"] == pytest.approx(11)
    assert table.loc["gu2025_def_4_2", "value"] == med(first)


def test_expected_value_at_the_start_is_met_by_normal_tables():
    rng = np.random.default_rng(1)
    drawn = [definition_table(rng.normal(size=(31, 64)) / 8).set_index("name") for _ in range(30)]
    for name in MED_DEFINITIONS:
        mean = np.mean([t.loc[name, "value"] for t in drawn])
        assert mean == pytest.approx(drawn[0].loc[name, "expected at start"], rel=0.01)
