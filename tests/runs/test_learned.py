"""Costs that are learned from records: nearest kind first, nothing of continued programs, errors by
hand."""

import importlib.util
import json
import re

import pandas as pd
import pytest

from grokbook.paths import project_root
from grokbook.runs import learned as module
from grokbook.runs.experiment import Experiment, load_or_run
from grokbook.runs.learned import Times, learned
from grokbook.runs.recording import records_table
from grokbook.runs.store import Store
from grokbook.training.cost import Cost
from grokbook_chapters.gu2025 import modular_run

spec = importlib.util.spec_from_file_location(
    "predictions", project_root() / "benchmarks" / "predictions.py"
)
table = importlib.util.module_from_spec(spec)
spec.loader.exec_module(table)


def made(name, p=5):
    return Experiment(name, modular_run(p, 0.5, d_model=8, steps=4), (0, 1))


@pytest.fixture
def counted(monkeypatch):
    """Ten seconds are counted for each run."""
    monkeypatch.setattr(Experiment, "predicted", lambda self, n=None: Cost(10.0 * n, 1.0))


def store_with(monkeypatch, tmp_path, *parts):
    """A store in which each of these experiments has programs of these provenances."""
    entries = {str(n): {"key": e.key, "provenance": made} for n, (e, made) in enumerate(parts)}
    monkeypatch.setattr(Store, "entries", lambda self: entries)
    return Store(tmp_path)


def test_own_records_are_asked_before_those_of_the_family_and_these_before_the_network(
    counted, monkeypatch, tmp_path
):
    """Ratios 2, 4 and 8; a run that is like none of them costs what is counted."""
    first, second, third = made("made/up[p=5]"), made("made/up[p=7]", 7), made("made/other", 11)
    seconds = (first, 20.0), (second, 40.0), (third, 80.0)
    parts = [(e, [{"seconds": took, "seeds": [0]}]) for e, took in seconds]
    times = learned(store_with(monkeypatch, tmp_path, *parts), [first, second, third])
    assert times.predicted(first, 3).seconds == 60
    assert times.predicted(made("made/up[p=13]", 13), 1).seconds == 30, "the median of 2 and 4"
    assert times.predicted(made("made/third", 13), 1).seconds == 40, "the median of 2, 4 and 8"
    assert Times({}).predicted(first, 1).seconds == 10


def test_seconds_of_the_processor_count_and_a_continued_program_does_not(
    counted, monkeypatch, tmp_path
):
    """Two seeds in one program: half its seconds each. Of two processors this one's programs
    count."""
    one = made("made/up[p=5]")
    parts = [
        {"seconds": 500.0, "cpu_seconds": 40.0, "seeds": [0, 1], "processor": module.processor()},
        {"seconds": 0.1, "seeds": [2], "resumed": True, "processor": module.processor()},
        {"seconds": 900.0, "seeds": [3], "processor": "another"},
    ]
    times = learned(store_with(monkeypatch, tmp_path, (one, parts)), [one])
    assert times.predicted(one, 1).seconds == 20


def test_seconds_that_passed_are_an_upper_limit_for_what_is_like_a_run_measured_here(
    counted, monkeypatch, tmp_path
):
    """A family of which 80 s passed, and a run of another kind that took the processor 20 s here:
    20, not 80 (of 10 counted). Where no more than 15 s passed the processor was not busy for
    longer."""
    slow, quick, here = (
        made("made/slow[p=5]"),
        made("made/quick[p=7]", 7),
        made("other/here[p=11]", 11),
    )
    parts = [(slow, [{"seconds": 80.0, "seeds": [0]}]), (quick, [{"seconds": 15.0, "seeds": [0]}])]
    parts += [
        (
            here,
            [{"seconds": 90.0, "cpu_seconds": 20.0, "seeds": [0], "processor": module.processor()}],
        )
    ]
    times = learned(store_with(monkeypatch, tmp_path, *parts), [slow, quick, here])
    assert [times.predicted(one, 1).seconds for one in (slow, quick, here)] == [20, 15, 20]
    assert table.predictions(times, [slow, quick, here]).off.tolist() == [2.375], (
        "only what was measured"
    )


def test_what_is_written_down_predicts_as_the_records_do(counted, monkeypatch, tmp_path):
    """The medians alone; of a run with no record by its family, 3, or by the network, 4."""
    one, other, third = made("made/up[p=5]"), made("made/up[p=7]", 7), made("made/other", 11)
    parts = [(one, [{"seconds": 10.0, "seeds": [0]}, {"seconds": 30.0, "seeds": [1]}])]
    parts += [(e, [{"seconds": took, "seeds": [0]}]) for e, took in ((other, 40.0), (third, 80.0))]
    times = learned(store_with(monkeypatch, tmp_path, *parts), [one, other, third])
    monkeypatch.setattr(module, "WRITTEN", tmp_path / "learned.json")
    module.WRITTEN.write_text(json.dumps(times.medians()))
    module._written.cache_clear()
    asked = [one, other, third, made("made/up[p=13]", 13), made("new/one", 13)]
    assert [module.expected(e, 2).seconds for e in asked] == [40, 80, 160, 60, 80]
    assert [times.predicted(e, 2).seconds for e in asked] == [40, 80, 160, 60, 80]
    module._written.cache_clear()


def test_every_kind_of_run_that_is_recorded_has_its_ratio_written_down():
    """`benchmarks/predictions.py` writes them anew; experiments of a known kind may be added
    meanwhile."""
    tables = json.loads(module.WRITTEN.read_text(encoding="utf-8")), table.now()[0].medians()
    written, now = (
        {kind for kind in one["ratios"] if not re.fullmatch("[0-9a-f]{16}", kind)} for one in tables
    )
    assert written == now, "run benchmarks/predictions.py"


def test_errors_are_those_of_records_that_are_left_out(counted, monkeypatch, tmp_path):
    """Programs of 10, 10 and 30 s of one, of 20 s of another. Others' medians: 20, 20, 10; similar:
    20 and 10."""
    one, other = made("made/up[p=5]"), made("made/up[p=7]", 7)
    took = [(one, [{"seconds": s, "seeds": [n]} for n, s in enumerate((10.0, 10.0, 30.0))])]
    took += [(other, [{"seconds": 20.0, "seeds": [0]}])]
    found = table.predictions(
        learned(store_with(monkeypatch, tmp_path, *took), [one, other]), [one, other]
    )
    by = {known: sorted(rows.off.round(3)) for known, rows in found.groupby("known")}
    assert by == {"other seeds": [0.333, 2, 2], "similar runs": [0.5, 2]}
    rows = table.off_by(found)
    assert rows.loc["similar runs", ["error", "near", "twice", "worst"]].tolist() == [
        75,
        0,
        100,
        2.0,
    ]
    assert rows.loc["other seeds", ["twice", "worst"]].tolist() == [67, 3.0]
    assert "| similar runs | 2 | 75 % | 0 % | 100 % | 2 |" in table.as_markdown(rows)


def test_a_record_says_the_seconds_of_its_processor_and_the_list_is_learned_from_it(
    tmp_path, monkeypatch
):
    one = made("made/up[p=5]")
    load_or_run(one, store := Store(tmp_path), progress=False)
    (part, *_) = json.loads((tmp_path / "MANIFEST.json").read_text())["records"].popitem()[1][
        "provenance"
    ]
    assert part["processor"] == module.processor()
    monkeypatch.setattr("grokbook.runs.recording.catalogue", lambda: {one.name: one})
    load_or_run(Experiment(one.name, one.config, (3,)), store, progress=False)
    (entry,) = store.entries().values()
    assert entry["provenance"][-1]["cpu_seconds"] > 0
    monkeypatch.setattr(Experiment, "predicted", lambda self, n=None: Cost(1e6 * n, 1.0))
    wanted = Experiment(one.name, one.config, (0, 1, 2, 3))
    monkeypatch.setattr("grokbook.runs.recording.catalogue", lambda: {one.name: wanted})
    assert records_table(store=store)["core minutes"].tolist()[0] < 1e3


def test_the_page_shows_what_the_records_say(monkeypatch):
    """To five of a hundred, since records are added: `benchmarks/predictions.py` writes the table
    anew.

    Of the records those of one kind of processor count, wherever the test runs.
    """
    monkeypatch.setattr("grokbook.runs.learned.processor", lambda: "AVX512")
    page = (project_root() / "book" / "how_to_rerun.md").read_text(encoding="utf-8")
    rows = page.split(table.MARK)[1].strip().splitlines()[2:]
    shown = [[float(n) for n in re.findall(r"[\d.]+", row)] for row in rows]
    _, now = table.now()
    assert len(shown) == len(now) == 2
    for row, said in zip(now.itertuples(), shown, strict=True):
        assert said[1:4] == pytest.approx([row.error, row.near, row.twice], abs=5)
        assert said[0] == pytest.approx(row.predictions, rel=0.5)


def test_the_table_of_errors_takes_any_number_of_rows():
    assert table.as_markdown(table.off_by(pd.DataFrame({"known": [], "off": []}))).count("\n") == 2
