"""Ways to train: what is measured, and which is taken."""

import dataclasses

from grokbook.runs.gu2025 import modular_run
from grokbook.training import ways
from grokbook.training.ways import Way

RUN = modular_run(5, 0.5, d_model=8, steps=1_000)


def test_the_way_with_the_shortest_whole_is_taken(monkeypatch):
    """Compilation pays when it saves more than it takes: 20 s for 10 ms an update is worth it after 2,000 updates."""
    known = {False: Way(False, 0.0, 0.030), True: Way(True, 20, 0.020)}
    monkeypatch.setattr(ways, "compiles", lambda config: True)
    monkeypatch.setattr(ways, "measured", lambda configs, compiled, seconds: known[compiled])
    long = dataclasses.replace(RUN, steps=3_000)
    assert [way.compiled for way in ways.fastest([RUN])] == [False, True]
    assert [way.compiled for way in ways.fastest([long])] == [True, False]
    monkeypatch.setattr(ways, "compiles", lambda config: False)
    assert ways.fastest([long]) == [known[False]]


def test_a_measurement_counts_updates_after_the_first_two_and_leaves_the_runs_alone(monkeypatch):
    clock, moved = iter(range(1_000)), []
    monkeypatch.setattr(ways.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(ways, "advance", moved.append)
    assert ways.measured([RUN, RUN.with_seed(1)], False, seconds=3) == Way(False, 1, 4 / 3) and len(moved) == 5
