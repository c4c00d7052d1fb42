"""The runs on depth: the published setting, and a small study in which one thing differs at a time."""

from __future__ import annotations

import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.experiments.depth import LAYERS, by_depth, causes, depth_run, depth_runs, fig2
from grokbook.models.activations import activations
from grokbook.models.transformer import Shape, initialise
from grokbook.tasks import ModularTask


def test_figure_2_is_at_the_predecessors_setting():
    config = fig2(3).config
    assert (config.task.p, config.task.shift, config.model.d_model, config.model.n_layers) == (97, 97, 512, 3)
    assert config.task.train_fraction == 0.3


def _settings(experiment):
    values = experiment.configuration()
    return values | {f"{part}.{name}": v for part in ("task", "model", "optimizer") for name, v in values[part].items()}


def _differ(one, other):
    first, second = _settings(one), _settings(other)
    return {name for name in first if "." in name and first[name] != second[name]}


def test_the_depths_differ_in_their_layers_alone():
    runs = by_depth()
    assert list(runs) == list(LAYERS) and [e.config.model.n_layers for e in runs.values()] == list(LAYERS)
    assert all(_differ(runs[1], runs[n]) == {"model.n_layers"} for n in LAYERS[1:])


def test_each_cause_changes_one_thing_of_four_layers():
    base = depth_run(4)
    changed = [_differ(base, e) for e in causes().values()]
    assert changed == [{"model.d_mlp"}, {"optimizer.learning_rate"}, {"optimizer.weight_decay"}]


def _growth(d_mlp):
    """Length of the read-out row after four layers over that after one, fresh weights."""
    shape = Shape(37, d_model=24, n_layers=4, d_mlp=d_mlp)
    rows = activations(initialise(shape, 0), torch.from_numpy(ModularTask(37).pairs), shape)
    return float(rows["MLP 4"].norm(dim=1).mean() / rows["MLP 1"].norm(dim=1).mean())


def test_narrow_mlps_keep_the_residual_stream_short():
    assert _growth(24) < _growth(96) / 2


def test_the_width_leaves_separability_something_to_say():
    assert all(e.config.model.d_model < e.config.task.p - 1 for e in depth_runs().values())


def test_names_and_keys_are_unique():
    runs = depth_runs()
    assert list(runs) == [e.name for e in runs.values()] and len({e.key for e in runs.values()}) == len(runs)
    assert depth_run(2, shift=37).name == "gu2025/depth[layers=2, p=37, k=37]"


def test_refusal():
    with pytest.raises(ParameterError, match="n_layers = 0"):
        depth_run(0)
