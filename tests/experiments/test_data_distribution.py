"""The runs of Table 1 and Fig. 4 as configurations, and the plan of chapter 04."""

from __future__ import annotations

import pytest

from grokbook.errors import ParameterError
from grokbook.experiments.data_distribution import (
    FORMS,
    NETWORKS,
    SMALL,
    all_runs,
    data_distribution,
    fig_4_run,
    network_run,
    network_runs,
    table_1_run,
    table_1_variants,
)
from grokbook.experiments.published import TABLE_1

PLAN = {"p": 47, "k": 4, "train_fraction": 0.3, "draws": 50, "example": 11}
PLAN |= {"p_small": 7, "fraction_small": 0.6, "d_small": 8, "steps_small": 20, "n_seeds": 1}


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


def test_the_plan_trains_the_small_networks_and_no_row_of_the_table():
    plan = data_distribution(**PLAN)
    assert len(plan) == len(NETWORKS) * len(FORMS)
    assert {(run.config.task.p, run.config.steps, run.seeds) for run in plan.values()} == {(7, 20, (0,))}


def test_the_plan_s_defaults_are_the_recorded_companions():
    small = {"p": "p_small", "train_fraction": "fraction_small", "d_model": "d_small", "steps": "steps_small"}
    sizes = {small.get(name, name): value for name, value in SMALL.items()}
    planned = {run.key for run in data_distribution(**PLAN | sizes).values()}
    assert planned == {run.key for run in network_runs(**SMALL).values()} <= {run.key for run in all_runs().values()}


def test_a_variant_changes_one_thing_of_a_row():
    plain = {run.key for run in all_runs().values()}
    for name, run in table_1_variants().items():
        task = run.config.task
        base = table_1_run(task.split, task.hole).config
        changed = [run.config.steps != base.steps, task.rule != base.task.rule, task.shift != base.task.shift]
        assert run.name == name and sum(changed) == 1 and run.key not in plain and run.seeds == (0,)


def test_the_default_length_and_offset_keep_a_row_s_key():
    assert table_1_run("strip", 50).key == table_1_run("strip", 50, shift=0, steps=6_000).key
    assert table_1_run("strip", 50, shift=60).config.model.vocabulary == 97 + 60 + 1


@pytest.mark.parametrize("network", NETWORKS)
def test_the_networks_share_task_and_optimiser(network):
    run = network_run(network, "add", p=7, d_model=8)
    assert (run.config.task.operation, run.config.optimizer.weight_decay) == ("add", 1.0)
    assert (run.config.loss == "squared_error") == (network == "quadratic DNN")


def test_an_unknown_network_is_refused():
    with pytest.raises(ParameterError, match=r"^network = .cnn. is unknown; choose one of transformer, "):
        network_run("cnn", "add")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 25}, "k = 25 makes a disc of width 49 overlap itself on a torus of side 47; the largest k is 24."),
        ({"k": 0}, "k is 0, but must be a whole number at least 1."),
        ({"p": 48}, "p = 48 is not prime; the nearest primes are 47 and 53."),
        ({"draws": 0}, "draws is 0, but must be a whole number at least 1."),
        ({"example": 4}, "k = 3 makes a disc of width 5 overlap itself on a torus of side 4; the largest k is 2."),
        ({"p_small": 9}, "p = 9 is not prime; the nearest primes are 7 and 11."),
        ({"train_fraction": 1.0}, "train_fraction = 1.0 is not a number in the open interval (0, 1)."),
    ],
)
def test_the_plan_refuses_what_does_not_fit(change, message):
    with pytest.raises(ParameterError) as caught:
        data_distribution(**PLAN | change)
    assert str(caught.value) == message
