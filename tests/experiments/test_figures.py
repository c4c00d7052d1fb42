"""Figs 12 to 19 as configurations."""

from __future__ import annotations

import dataclasses

import pytest

from grokbook.experiments.figures import operations


def test_every_figure_says_what_the_paper_says_where_and_what_is_left_open():
    for name, run in operations().items():
        assert run.name == name and run.statement and run.source and run.choices, name
        assert run.seeds == (0, 1, 2)


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
