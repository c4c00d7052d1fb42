"""Figs 5 and 12 to 19: the verdict follows the runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from grokbook.claims import operations
from grokbook.claims.operations import (
    generalises,
    low_ceiling,
    moves_together,
    operation_figure,
    status_table,
    stays_partial,
    tracking_of,
)
from grokbook.experiments.figures import OPERATIONS
from grokbook.experiments.figures import operations as operation_runs

from .runs import hump, made_run, noise, rise

EXPERIMENTS = [replace(operation_runs()["gu2025/fig12"], seeds=(1001, 1002, 1003))]  # seeds nobody records


def together(count: int, *, apart: bool = False, accuracy: float = 1.0) -> xr.Dataset:
    """Runs in which the measure is the test loss, or has nothing to do with it."""
    walks = [hump(3000, 0.5) + 0.1 * noise(s) for s in range(count)]
    parts = [made_run(w, noise(99 + s) if apart else 2 * w, accuracy * rise(3000)) for s, w in enumerate(walks)]
    return xr.concat([p.assign_coords(seed=[s]) for s, p in enumerate(parts)], "seed")


@pytest.fixture
def there(monkeypatch):
    """Set what is recorded."""

    def put(dataset):
        monkeypatch.setattr(operations, "recorded_runs", lambda es: {} if dataset is None else {es[0].name: dataset})
        monkeypatch.setattr(operations, "complete", lambda es: dataset is not None and dataset.sizes["seed"] >= 3)

    return put


@pytest.mark.parametrize("judge", [moves_together, low_ceiling, generalises, stays_partial])
def test_without_runs_nothing_is_decided(there, judge):
    there(None)
    assert judge(EXPERIMENTS).verdict == "not run"


@pytest.mark.parametrize(("count", "verdict"), [(1, "not run"), (3, "holds")])
def test_three_runs_bear_out_that_curves_move_together(there, count, verdict):
    there(together(count))
    finding = moves_together(EXPERIMENTS)
    assert finding.verdict == verdict
    assert "100%" in finding.evidence


def test_one_run_refutes_it(there):
    there(together(1, apart=True))
    finding = moves_together(EXPERIMENTS)
    assert finding.verdict == "fails" and finding.high < 0.9
    assert "one run" in finding.evidence and "not made" not in finding.evidence
    unmade = replace(EXPERIMENTS[0], name="gu2025/made_up")
    assert moves_together([*EXPERIMENTS, unmade]).evidence.endswith("not made: gu2025/made_up")


@pytest.mark.parametrize(
    ("count", "accuracy", "verdict"), [(1, 1.0, "fails"), (1, 0.2, "not run"), (3, 0.2, "holds"), (3, 0.5, "fails")]
)
def test_a_low_ceiling(there, count, accuracy, verdict):
    there(together(count, accuracy=accuracy))
    assert low_ceiling(EXPERIMENTS).verdict == verdict


@pytest.mark.parametrize(
    ("figure", "apart", "accuracy", "verdict"),
    [
        ("fig12", False, 1.0, "holds"),
        ("fig12", False, 0.2, "not run"),  # a run that has not generalised may only be slow
        ("fig12", True, 1.0, "fails"),
        ("fig13", False, 1.0, "fails"),
        ("fig13", False, 0.2, "holds"),
        ("fig14", False, 0.2, "holds"),
        ("fig16", False, 0.2, "holds"),
        ("fig16", True, 0.2, "fails"),
        ("fig16", False, 1.0, "fails"),
        ("fig19", False, 0.2, "holds"),
        ("fig19", True, 0.2, "fails"),
    ],
)
def test_every_part_of_a_statement_is_judged(there, figure, apart, accuracy, verdict):
    there(together(3, apart=apart, accuracy=accuracy))
    assert operation_figure(figure).verdict == verdict


def test_a_statement_of_two_parts_without_runs_names_its_cost_once(there):
    there(None)
    finding = operation_figure("fig16")
    assert finding.verdict == "not run" and finding.evidence.count("predicted") == 1
    assert "a low ceiling" in finding.published and "at least 90%" in finding.published


@pytest.mark.parametrize("judge", [generalises, stays_partial])
def test_too_few_runs_bear_nothing_out(there, judge):
    there(together(1, accuracy=1.0 if judge is generalises else 0.2))
    assert judge(EXPERIMENTS).verdict == "not run"


def test_a_row_for_what_was_made_and_one_for_what_was_not(there):
    there(together(3, apart=True))
    row = status_table(EXPERIMENTS).iloc[0]
    assert (row.seeds, row.generalise) == (3, 3)
    assert np.isclose(row["best accuracy"], 1.0)
    there(None)
    row = status_table(EXPERIMENTS).iloc[0]
    assert (row.seeds, row.missing) == (0, 3) and row["core min"] > 0


def test_tracking_of_keeps_the_names_of_the_settings():
    table = tracking_of({"a": together(2), "b": together(1)})
    assert table.experiment.tolist() == ["a", "a", "b"]


def test_every_operation_has_a_row_of_the_ledger():
    assert [c.id for c in operations.CLAIMS] == ["GF05", *(f"GF{f[3:]}" for f in OPERATIONS)]
