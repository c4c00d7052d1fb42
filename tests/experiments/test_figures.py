"""The figures as configurations: settings by the papers, names, keys."""

from __future__ import annotations

import dataclasses

import pytest

from grokbook.experiments.figures import (
    fig20_run,
    figures,
    operations,
    positions,
    shifts,
    small_accelerators,
    small_run,
    widths,
)
from grokbook.experiments.gu2025 import fig5
from grokbook.experiments.recording import catalogue
from grokbook.training import AdamW


def test_every_figure_says_what_the_paper_says_where_and_what_is_left_open():
    for name, run in figures().items():
        assert run.name == name and run.statement and run.source and run.choices, name
        assert run.seeds == (0, 1, 2)


def test_configurations_differ_except_where_two_figures_share_one():
    """Random start at 30 %, p = 97, is Fig. 5 and a curve of Fig. 20."""
    by_key: dict[str, list[str]] = {}
    for name, run in catalogue().items():
        by_key.setdefault(run.key, []).append(name)
    shared = [names for names in by_key.values() if len(names) > 1]
    assert shared == [["gu2025/fig5[p=97]", "gu2025/fig20[start=normal, frac=0.3]"]]
    assert fig20_run("normal", 0.3).key == fig5(97).key


@pytest.mark.parametrize(
    ("figure", "polynomial", "fraction", "width"),
    [
        ("fig12", "x - y", 0.3, 128),
        ("fig13", "x * y", 0.3, 128),
        ("fig14", "x**2 + y**2", 0.2, 256),
        ("fig17", "x**2 + x*y + y**2", 0.3, 256),
        ("fig18", "x**2 + x*y + y**2", 0.4, 256),
        ("fig19", "x**3 + x*y + y**3", 0.5, 256),
    ],
)
def test_operations_have_the_settings_of_their_figures(figure, polynomial, fraction, width):
    """Gu et al. 2025, captions of Figs 12 to 19: p = 97."""
    config = operations()[f"gu2025/{figure}"].config
    as_written = dataclasses.replace(config.task, operation=polynomial)
    assert (config.task.labels == as_written.labels).all()
    assert (config.task.p, config.task.train_fraction, config.model.d_model) == (97, fraction, width)


def test_widths_and_shifts_of_the_figures():
    """Gu et al. 2025, captions of Figs 9 to 11: (97, 85), (47, 0), (43, 0), (43, 43)."""
    found = {(c.task.p, c.task.shift, c.model.d_model) for c in (run.config for run in widths().values())}
    assert found == {(97, 85, d) for d in (128, 256)} | {(47, 0, d) for d in (64, 256)} | {
        (43, k, d) for k in (0, 43) for d in (256, 512, 1024)} | {(43, 0, 128), (43, 43, 2048)}
    assert all(run.config.model.shift == run.config.task.shift for run in shifts().values())


def test_positions_are_switched_off_where_the_name_says_so():
    for name, run in positions().items():
        assert run.config.model.positional == ("positions=on" in name)
        assert run.config.task.shift == 97


def test_the_accelerators_share_rate_warm_up_and_decay_with_adamw():
    for run in small_accelerators().values():
        o, plain = run.config.optimizer, AdamW()
        assert (o.learning_rate, o.warmup, o.weight_decay) == (plain.learning_rate, plain.warmup, plain.weight_decay)


def test_a_companion_takes_changes_of_every_kind():
    config = small_run("small/x", "s", train_fraction=0.3, start="positive", positional=False, d_model=32).config
    assert (config.start, config.model.positional, config.n_train) == ("positive", False, 1044)
    assert config.model.d_model == 32
