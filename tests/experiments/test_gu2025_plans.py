"""The experiments of Gu et al. 2025: the paper's settings, and the plans of the chapters."""

from __future__ import annotations

import inspect

import pytest

from grokbook.errors import ParameterError
from grokbook.experiments import Experiment, gu2025
from grokbook.experiments.gu2025 import fig5, med_tracking, modular_run, task_and_model, what_is_grokking
from grokbook.training import AdamW

LIVE = {"p": 59, "train_fraction": 0.5, "d_model": 64, "steps": 3000, "n_seeds": 2}


def test_a_run_has_the_settings_of_the_paper():
    """One layer, d 128, 4 heads, AdamW 1e-3, betas (0.9, 0.98), decay 1 on everything, 10 warm-up steps."""
    config = modular_run(97, 0.3)
    assert config.optimizer == AdamW(1e-3, 0.9, 0.98, 1e-8, 1.0, 10)
    m = config.model
    assert (m.d_model, m.n_heads, m.n_layers, m.d_mlp, m.positional, m.vocabulary) == (128, 4, 1, 512, True, 98)
    assert (config.n_train, config.task.operation, config.task.split) == (2822, "add", "random")
    assert (config.dtype, config.stop) == ("float32", None)


def test_model_and_task_share_the_shift():
    config = modular_run(43, 0.3, shift=43, d_model=64)
    assert config.task.shift == config.model.shift == 43 and config.model.vocabulary == 87


@pytest.mark.parametrize("p", [47, 97, 211, 379])
def test_figure_5_at_each_of_its_moduli(p):
    experiment = fig5(p)
    assert experiment.seeds == (0, 1, 2, 3, 4) and experiment.name == f"gu2025/fig5[p={p}]"
    assert experiment.config.task.p == p and experiment.config.n_train == int(0.3 * p * p)
    assert experiment.statement and "Fig. 5" in experiment.source


def test_the_plan_of_chapter_05_asks_for_the_records_of_figure_5():
    plan = med_tracking(p=97, steps=10_000, p_other=47, steps_other=20_000, train_fraction=0.3, d_model=128, n_seeds=5)
    assert {name: e.key for name, e in plan.items()} == {"p": fig5(97).key, "p_other": fig5(47).key}


def test_the_plan_of_chapter_01_has_two_live_runs_and_the_recorded_one():
    plan = what_is_grokking(**LIVE)
    assert set(plan) == {"live", "symmetric", "paper"} and plan["paper"].key == fig5(97).key
    live, symmetric = plan["live"].config, plan["symmetric"].config
    assert (live.task.split, symmetric.task.split) == ("random", "symmetric")
    assert live.task.train_fraction == 0.5 and plan["live"].seeds == (0, 1)


@pytest.mark.parametrize(
    ("plan", "values", "message"),
    [
        (what_is_grokking, LIVE | {"p": 58}, "p = 58 is not prime; the nearest primes are 53 and 59."),
        (what_is_grokking, LIVE | {"d_model": 66}, "d_model = 66 is not a multiple of n_heads = 4; the nearest is 64."),
        (what_is_grokking, LIVE | {"steps": 0}, "steps = 0 must be an integer of 1 or more."),
        (what_is_grokking, LIVE | {"n_seeds": 0}, "seeds = () must be one or more different integers of 0 or more."),
        (
            task_and_model,
            {"p": 13, "train_fraction": 0.3, "square": 12, "strip": 4, "shift": 0},
            "hole = 12 is larger than the grid of p = 13 allows: the largest hole is 11.",
        ),
        (
            task_and_model,
            {"p": 13, "train_fraction": 0.3, "square": 4, "strip": 4, "shift": -1},
            "shift = -1 is negative; the smallest valid shift is 0.",
        ),
    ],
)
def test_a_plan_refuses_values_that_do_not_fit(plan, values, message):
    with pytest.raises(ParameterError) as caught:
        plan(**values)
    assert str(caught.value) == message


def test_a_chapter_that_trains_nothing_has_an_empty_plan():
    assert task_and_model(p=13, train_fraction=0.3, square=4, strip=4, shift=3) == {}


def test_every_plan_takes_keywords_and_returns_experiments():
    for plan in (what_is_grokking, med_tracking):
        assert all(p.kind == p.POSITIONAL_OR_KEYWORD for p in inspect.signature(plan).parameters.values())
    assert all(isinstance(e, Experiment) for e in what_is_grokking(**LIVE).values())


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.5, 0.8])
def test_the_share_of_unordered_pairs_is_that_of_pairs_seen_in_one_order_at_least(alpha):
    """1 - (1 - alpha)^2 when each order is shown independently with probability alpha."""
    both, once = alpha * alpha, 2 * alpha * (1 - alpha)
    assert gu2025.unordered_share(alpha) == pytest.approx(both + once)
