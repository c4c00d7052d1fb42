"""The experiments of Gu et al. 2025, every figure by name; the ten watched tasks of chapters 05 and
06."""

import numpy as np
import pytest

from grokbook.runs.recording import catalogue
from grokbook.training import AdamW
from grokbook_chapters.gu2025 import fig5, modular_run
from grokbook_chapters.lead_tasks import SEEDS, lead_tasks


def test_a_run_has_the_settings_of_the_paper():
    """One layer, d 128, 4 heads, AdamW 1e-3, betas (0.9, 0.98), decay 1 on everything, 10 warm-up
    steps."""
    config = modular_run(97, 0.3)
    assert config.optimizer == AdamW(1e-3, 0.9, 0.98, 1e-8, 1.0, 10)
    m = config.model
    assert (m.d_model, m.n_heads, m.n_layers, m.d_mlp, m.positional, m.vocabulary) == (
        128,
        4,
        1,
        512,
        True,
        98,
    )
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


def test_every_figure_and_table_is_named():
    """Figs 2, 4, 5, 9 to 20 and Table 1 of the paper, and the shift of its predecessor; no small
    companion."""
    every = catalogue()
    named = {name: every[name] for name in every if name.startswith(("gu2025/", "gu2024/"))}
    parts = {name.split("/")[1].split("[")[0] for name in named}
    assert {"fig2", "fig4", "fig5", "table1", "fig3", *(f"fig{n}" for n in range(9, 21))} <= parts
    assert all(e.name == name for name, e in named.items())
    assert sum(name.startswith("gu2025/table1[") and "=12000" not in name for name in named) >= 11


def test_ten_tasks_with_three_seeds_or_many_and_different_keys():
    tasks = lead_tasks()
    assert len(tasks) == len({task.key for task in tasks.values()}) == 10
    assert sorted(len(task.seeds) for task in tasks.values()) == [3] * 8 + [SEEDS] * 2
    assert sorted(len(task.seeds) for task in lead_tasks(1, 2).values()) == [1] * 8 + [2] * 2
    assert all(
        task.seeds == tuple(range(len(task.seeds))) and task.name == name
        for name, task in tasks.items()
    )
    assert {"measures/lead[add, p=59]", "measures/lead[x2_plus_xy_plus_y2, p=47]"} <= set(tasks)
    for task in tasks.values():  # logged at evenly spaced steps from zero
        steps = task.config.log.steps(task.config.steps)
        assert steps[0] == 0 and steps[-1] == task.config.steps and len(set(np.diff(steps))) == 1


def test_separate_tokens_share_none():
    config = lead_tasks()["measures/lead[add, separate tokens, p=47]"].config
    assert config.task.shift == config.task.p == config.model.shift
