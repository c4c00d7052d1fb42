"""The runs of Table 1 and Fig. 4 as configurations, and the plan of chapter 04."""

from __future__ import annotations

import pytest

from grokbook.errors import ParameterError
from grokbook.experiments.data_distribution import all_runs, data_distribution, fig_4_run, table_1_run
from grokbook.experiments.published import TABLE_1

PLAN = {"p": 47, "k": 4, "train_fraction": 0.3, "draws": 50, "example": 11}


def test_every_row_of_the_table_has_a_run_of_its_own():
    runs = all_runs()
    rows = [run for name, run in runs.items() if "table1" in name]
    assert len(rows) == len(TABLE_1) and len({run.key for run in runs.values()}) == len(runs)
    assert all(run.name == name and run.statement and run.source for name, run in runs.items())


@pytest.mark.parametrize(("rule", "n_train"), [("code", 2822), ("text", 1338)])
def test_a_strip_by_each_rule(rule, n_train):
    run = table_1_run("strip", 50, rule=rule)
    assert run.config.n_train == n_train and run.config.task.rule == rule and run.config.task.hole == 50


def test_figure_4_trains_the_quadratic_form_on_random_splits():
    task = fig_4_run(0.6).config.task
    assert (task.operation, task.split, task.train_fraction) == ("x2_plus_xy_plus_y2", "random", 0.6)


def test_the_plan_trains_nothing_in_this_half():
    assert data_distribution(**PLAN) == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 25}, "k = 25 makes a disc of width 49 overlap itself on a torus of side 47; the largest k is 24."),
        ({"k": 0}, "k = 0 is not a whole number of 1 or more; the smallest k is 1."),
        ({"p": 48}, "p = 48 is not prime; the nearest primes are 47 and 53."),
        ({"draws": 0}, "draws = 0 is not a whole number of 1 or more; the smallest draws is 1."),
        ({"example": 4}, "k = 3 makes a disc of width 5 overlap itself on a torus of side 4; the largest k is 2."),
        ({"train_fraction": 1.0}, "train_fraction = 1.0 is not a number in the open interval (0, 1)."),
    ],
)
def test_the_plan_refuses_what_does_not_fit(change, message):
    with pytest.raises(ParameterError) as caught:
        data_distribution(**PLAN | change)
    assert str(caught.value) == message
