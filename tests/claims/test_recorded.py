"""What the checks of figures share: which runs are there, what is missing, what it costs."""

from __future__ import annotations

import pytest

from grokbook.claims.recorded import band, complete, cost, in_words, not_run, recorded_runs
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import modular_run
from grokbook.paths import project_root
from grokbook.records import Store
from grokbook.training import cost as training_cost

TINY = Experiment("made/up[p=5]", modular_run(5, 0.5, d_model=8, steps=4), seeds=(0, 1, 2))


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """An empty checkout, a machine of 10^9 multiply-adds a second."""
    for name in ("notebooks", "book"):
        (tmp_path / name).mkdir()
    (tmp_path / "book" / "_config.yml").write_text("")
    monkeypatch.setenv("GROKBOOK_HOME", str(tmp_path))
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path / "local"))
    monkeypatch.setattr(training_cost, "product_rate", lambda: 1e9)
    project_root.cache_clear() if hasattr(project_root, "cache_clear") else None
    return Store(tmp_path / "data" / "records")


def test_nothing_recorded_is_not_run_and_has_its_cost(checkout):
    finding = not_run([TINY], "50 %")
    assert (finding.verdict, finding.value, finding.published) == ("not run", None, "50 %")
    assert finding.evidence == "made/up[p=5]: 3 runs, predicted 1 minutes on one core"
    assert recorded_runs([TINY]) == {} and not complete([TINY])


def test_the_runs_that_are_there_are_used_and_the_others_counted(checkout):
    checkout.load_or_run(TINY.with_seeds(2), progress=False)
    runs = recorded_runs([TINY])
    assert runs["made/up[p=5]"].seed.values.tolist() == [0, 1]
    assert cost([TINY]).startswith("1 runs")
    assert complete([TINY], 2) and not complete([TINY])
    checkout.load_or_run(TINY, progress=False)
    assert complete([TINY]) and cost([TINY]) == "nothing is missing"


@pytest.mark.parametrize(("seconds", "words"), [(1, "1 minutes"), (7199, "120 minutes"), (7200, "2 hours")])
def test_costs_in_words(seconds, words):
    assert in_words(seconds) == words


def test_the_band_is_the_range():
    assert band([4.0, 1.0, 2.0]) == (2.0, 1.0, 4.0)
