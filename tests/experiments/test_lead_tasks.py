"""The ten watched tasks of chapters 05 and 06."""

from __future__ import annotations

import numpy as np

from grokbook.experiments.lead_tasks import SEEDS, lead_tasks


def test_ten_tasks_with_three_seeds_or_many_and_different_keys():
    tasks = lead_tasks()
    assert len(tasks) == len({task.key for task in tasks.values()}) == 10
    assert sorted(len(task.seeds) for task in tasks.values()) == [3] * 8 + [SEEDS] * 2
    assert all(task.seeds == tuple(range(len(task.seeds))) and task.name == name for name, task in tasks.items())
    assert {"measures/lead[add, p=59]", "measures/lead[x2_plus_xy_plus_y2, p=47]"} <= set(tasks)
    for task in tasks.values():  # logged at evenly spaced steps from zero
        steps = task.config.log.steps(task.config.steps)
        assert steps[0] == 0 and steps[-1] == task.config.steps and len(set(np.diff(steps))) == 1


def test_separate_tokens_share_none():
    config = lead_tasks()["measures/lead[add, separate tokens, p=47]"].config
    assert config.task.shift == config.task.p == config.model.shift
