"""Predicted cost: what is missing, seeds side by side on the cores there are."""

from types import SimpleNamespace

import pytest

from companion.page import costs


def experiment(missing):
    predicted = lambda count: SimpleNamespace(seconds=100.0 * count, memory_mb=50.0)  # noqa: E731
    return SimpleNamespace(
        name="x",
        key="k",
        seeds=range(4),
        predicted=predicted,
        missing_seeds=lambda store=None: missing,
    )


@pytest.mark.parametrize(("cores", "alone", "memory"), [(1, 300, 50), (2, 150, 100), (8, 100, 150)])
def test_missing_seeds_share_the_cores(monkeypatch, cores, alone, memory):
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    seconds = alone * (costs.SIDE_BY_SIDE if cores > 1 else 1)
    assert costs.estimate([experiment((0, 1, 2))]) == costs.Estimate(pytest.approx(seconds), memory)


def test_experiments_follow_each_other_and_their_memory_does_not_add(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert costs.estimate([experiment((0,)), experiment((1, 2))]) == costs.Estimate(300, 50)


def page(preset, missing=()):
    chapter = SimpleNamespace(seconds={"laptop": 30})
    return SimpleNamespace(
        chapter=chapter, preset=preset, experiments=lambda: {"e": experiment(missing)}
    )


def test_what_is_there_costs_only_the_page_and_other_values_what_they_train(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    alone = costs.Estimate(costs.OVERHEAD_SECONDS, costs.OVERHEAD_MB)
    assert costs.page_estimate(page("smoke")) == alone
    assert costs.page_estimate(page("laptop")).seconds == alone.seconds + 30
    assert costs.page_estimate(page("smoke", (0,))).seconds > 100


def test_what_the_chapter_s_own_page_trains_costs_a_set_nothing(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    default = page("smoke", (0, 1))
    assert costs.page_estimate(page("smoke", (0, 1)), None, default) == costs.page_estimate(
        page("smoke")
    )
    for change in ({"key": "another"}, {"seeds": range(5)}):
        more = SimpleNamespace(**vars(experiment((0, 1))) | change)
        mine = SimpleNamespace(**vars(default) | {"experiments": lambda run=more: {"e": run}})
        assert costs.page_estimate(mine, None, default) == costs.page_estimate(mine)


def test_a_real_experiment_is_understood(monkeypatch):
    from grokbook_chapters.gu2025 import fig5

    monkeypatch.setattr("os.cpu_count", lambda: 1)
    one = fig5(11, n_seeds=1, steps=50)
    two = fig5(11, n_seeds=2, steps=50)
    assert 0 < costs.estimate([one]).seconds < costs.estimate([two]).seconds
