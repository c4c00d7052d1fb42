"""Predicted costs: what is counted, times the ratio of the nearest kind of run; how the ratios are
measured."""

import importlib.util
import json
import re

import pytest

from grokbook.paths import project_root
from grokbook.runs import ratios as module
from grokbook.runs.experiment import Experiment, load_or_run
from grokbook.runs.provenance import processor
from grokbook.runs.store import Store
from grokbook.training.cost import Cost
from grokbook_chapters.gu2025 import modular_run

spec = importlib.util.spec_from_file_location(
    "predictions", project_root() / "benchmarks" / "predictions.py"
)
table = importlib.util.module_from_spec(spec)
spec.loader.exec_module(table)


def made(name):
    return Experiment(name, modular_run(5, 0.5, d_model=8, steps=4), (0, 1))


@pytest.fixture
def counted(monkeypatch):
    """Ten seconds are counted for each run."""
    monkeypatch.setattr(Experiment, "counted", lambda self, seeds: Cost(10.0 * seeds, 1.0))


def test_a_family_is_nearer_than_a_network_and_what_was_never_recorded_costs_what_is_counted(
    counted, monkeypatch
):
    monkeypatch.setattr(module, "_table", lambda: {"made/up": 2.0, "Shape": 3.0})
    assert made("made/up[p=5]").predicted(3).seconds == 60
    assert made("made/other").predicted(1).seconds == 30
    monkeypatch.setattr(module, "_table", dict)
    assert made("made/up[p=5]").predicted() == Cost(20.0, 1.0)


def test_programs_of_the_processor_count_by_run_and_continued_ones_and_a_gpu_s_do_not(counted):
    """Two seeds of one program took 40 s of the processor, an older one's passed 30 s."""
    programs = [
        {"seconds": 500.0, "cpu_seconds": 40.0, "seeds": [0, 1]},
        {"seconds": 30.0, "seeds": [2], "device": "CPU (x86_64)"},
        {"seconds": 0.1, "seeds": [3], "resumed": True},
        {"seconds": 0.1, "seeds": [4], "device": "NVIDIA H100"},
    ]
    kinds = ("made/up", "Shape")
    assert table.measured_of(made("made/up"), programs) == (kinds, 2.0, True)
    assert table.measured_of(made("made/up"), programs[1:]) == (kinds, 3.0, False)
    assert table.measured_of(made("made/up"), programs[2:]) is None


def test_each_kind_has_the_median_of_its_experiments_and_the_page_says_how_far_it_is_off():
    rows = [table.Measured(("made/up", "Shape"), ratio, False) for ratio in (1.0, 1.0, 4.0)]
    rows.append(table.Measured(("made/other", "Network"), 0.333, False))
    found = table.ratios(rows)
    assert found == {"Network": 0.33, "Shape": 1.0, "made/other": 0.33, "made/up": 1.0}
    assert "| 4 | 2 | 75 % | 75 % | 4 |" in table.as_markdown(rows, found)


def test_where_a_kind_has_seconds_of_the_processor_those_that_passed_do_not_count():
    """A busy machine had made the older runs of one kind five times as long."""
    rows = [table.Measured(("made/up", "Shape"), ratio, False) for ratio in (5.0, 5.0, 5.0)]
    rows.append(table.Measured(("made/up", "Shape"), 1.0, True))
    rows.append(table.Measured(("made/other", "Shape"), 4.0, False))
    found = table.ratios(rows)
    assert found == {"Shape": 1.0, "made/other": 4.0, "made/up": 1.0}
    assert "| 2 | 2 | 100 % | 100 % | 1 |" in table.as_markdown(rows, found)


def test_every_kind_of_run_that_is_recorded_has_its_ratio_and_the_page_says_how_far_they_are_off():
    """`benchmarks/predictions.py` writes both anew; rates of this machine move them a little."""
    rows, now = table.now()
    assert set(json.loads(module.TABLE.read_text(encoding="utf-8"))) == set(now), (
        "run benchmarks/predictions.py"
    )
    page = (
        (project_root() / "book" / "machinery.md").read_text(encoding="utf-8").split(table.MARK)[1]
    )
    written, fresh = (
        [float(number) for number in re.findall(r"[\d.]+", text.strip().splitlines()[-1])]
        for text in (page, table.as_markdown(rows, now))
    )
    assert written[:2] == fresh[:2] and written[2:4] == pytest.approx(fresh[2:4], abs=8)


def test_a_record_says_the_seconds_of_its_processor(tmp_path):
    one = made("made/up[p=5]")
    load_or_run(one, Store(tmp_path), progress=False)
    (entry,) = Store(tmp_path).entries().values()
    (part,) = entry["provenance"]
    assert part["processor"] == processor() and part["cpu_seconds"] > 0
