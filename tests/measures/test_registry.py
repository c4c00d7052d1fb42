"""The registry of measures and what training logs."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from grokbook import measures
from grokbook.errors import ParameterError
from grokbook.experiments.observing import OBSERVERS
from grokbook.experiments.progress_measures import watched_run
from grokbook.measures import embedding_measures, registry
from grokbook.measures.registry import claimed_directions, measure_table

from .tables import circles, gaussian


def test_every_entry_is_complete_and_under_its_own_name():
    for name, measure in registry().items():
        assert measure.name == name
        assert callable(measure.function)
        assert measure.of in ("embedding", "weights", "network", "curves")
        assert measure.direction in ("falls", "rises", "rises then falls", "none")
        assert all((measure.symbol, measure.formula, measure.source, measure.unit, measure.range))
        assert measure.formula.count("{") == measure.formula.count("}")


def test_every_watched_run_records_every_measure_of_the_registry():
    """What training logs and what the book's observers add are together the registry's curves, once each."""
    config = watched_run(5, d_model=8, steps=10, points=2, n_seeds=1)
    assert set(claimed_directions()) <= set(config.run(progress=False).data_vars)
    assert set(OBSERVERS) <= set(registry())
    assert set(claimed_directions().values()) == {"rises", "falls"}


def test_the_printed_table_has_a_row_a_measure_and_no_empty_cell():
    table = measure_table()
    assert [row["measure"] for row in table] == list(registry())
    assert all(all(row.values()) for row in table)


def test_a_caller_cannot_change_the_registry():
    registry().clear()
    assert "med" in registry()


def test_what_is_logged_is_the_registry():
    table = gaussian(11, 6)
    logged = embedding_measures(table)
    entries = {name: m for name, m in registry().items() if m.of == "embedding"}
    assert list(logged) == list(entries)
    for name, value in logged.items():
        assert type(value) is float
        assert value == pytest.approx(entries[name].function(table), rel=1e-12)


def test_the_second_operand_enters_only_the_two_range_forms():
    first, second = gaussian(11, 6, 1), gaussian(11, 6, 2)
    alone, both = embedding_measures(first), embedding_measures(first, second)
    assert {name for name in alone if alone[name] != both[name]} == {"med_gu2024", "med_code_base"}
    assert both["med_gu2024"] == pytest.approx(
        measures.med(first, cyclic=False, reduction="sum") + measures.med(second, cyclic=False, reduction="sum")
    )
    assert both["med_code_base"] == pytest.approx((measures.med(first[:-1], cyclic=False) + _coded(second)) / 2)


def _coded(table: np.ndarray) -> float:
    return measures.med(table[:-1], cyclic=False)


def test_a_circle_reads_as_one():
    logged = embedding_measures(torch.tensor(circles(97, [5], 2.0), requires_grad=True))
    assert logged["fourier_ipr"] == pytest.approx(1.0)
    assert logged["effective_dimension"] == pytest.approx(2.0)
    assert logged["embedding_norm"] == pytest.approx(2.0)
    assert logged["normalised_med"] == pytest.approx(measures.circle_med(97, [5]))


def test_a_collapsed_table_has_no_shape_but_a_run_goes_on():
    logged = embedding_measures(np.ones((5, 3)))
    assert logged["med"] == 0
    assert np.isnan([logged["fourier_ipr"], logged["effective_dimension"]]).all()
    assert np.isnan(embedding_measures(np.zeros((5, 3)))["normalised_med"])
    assert np.isnan(embedding_measures(np.eye(2))["med_code_base"])


def test_bad_tables_are_named():
    with pytest.raises(ParameterError, match="first has p = 1 rows"):
        embedding_measures(np.ones((1, 3)))
    with pytest.raises(ParameterError, match="second has a value that is not finite"):
        embedding_measures(np.eye(3), np.full((3, 3), np.inf))
    with pytest.raises(ParameterError, match="second has shape"):
        embedding_measures(np.eye(3), np.eye(4))
