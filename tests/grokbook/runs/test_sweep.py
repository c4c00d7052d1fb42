"""A grid of settings times seeds: what a cell is, what is kept of it, and that each cell is the run
alone."""

import dataclasses

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook.models.toy import Toy
from grokbook.models.transformer import Shape
from grokbook.runs.experiment import load_or_run
from grokbook.runs.store import Store
from grokbook.runs.sweep import Axis, Sweep, with_value
from grokbook.tasks import ModularTask
from grokbook.training import Schedule, train
from grokbook_chapters.gu2025 import modular_run
from grokbook_chapters.liu2022 import addition
from grokbook_chapters.resnet_grokking.runs import run as small_run

SMALL = dataclasses.replace(
    addition(steps=40), model=Toy(10, hidden=(8,)), log=Schedule(0, 10, 4), stop=None
)
AXES = (Axis("decoder_lr", (1e-3, 1e-2)), Axis("decoder_weight_decay", (0.0, 1.0, 5.0)))
SWEEP = Sweep("made/sweep", SMALL, (0, 3), axes=AXES)


def test_a_cell_is_the_run_alone(tmp_path):
    dataset = load_or_run(SWEEP, Store(tmp_path), progress=False, device="cpu", rows=12)
    assert dict(dataset.sizes) == {
        "seed": 2,
        "decoder_lr": 2,
        "decoder_weight_decay": 3,
        "step": 5,
        "token": 10,
        "feature": 1,
    }
    one = dataclasses.replace(SMALL.with_seed(3), optimizer=SWEEP.cells(3)[4].optimizer)
    assert (
        one.optimizer.of("decoder").learning_rate == 1e-2
        and one.optimizer.of("decoder").weight_decay == 1.0
    )
    alone = train([one], progress=False, device="cpu", keep_weights=True)
    cell = dataset.sel(seed=3, decoder_lr=1e-2, decoder_weight_decay=1.0)
    for name in ("train_loss", "test_loss", "train_accuracy", "test_accuracy"):
        np.testing.assert_allclose(cell[name], alone[name][0], rtol=1e-5, err_msg=name)
    np.testing.assert_allclose(cell.embedding.values.ravel(), alone.weights[0, :10], atol=1e-5)


def test_a_chunk_that_was_finished_is_not_trained_again(tmp_path, monkeypatch):
    """Six cells in chunks of four and two: what is kept of the first call is all that the second
    needs."""
    whole = SWEEP.run((0,), checkpoints=tmp_path, progress=False, device="cpu")
    assert len(list(tmp_path.glob("*.pt"))) == 2
    monkeypatch.setattr(
        "grokbook.training.loop.advance", lambda stack: pytest.fail("a step was made")
    )
    assert SWEEP.run((0,), checkpoints=tmp_path, progress=False, device="cpu").equals(whole)
    SWEEP.forget((0,), tmp_path)
    assert not tmp_path.exists()


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
def test_a_cell_that_diverges_is_missing_from_there_on_and_the_others_are_whole():
    axes = (Axis("decoder_lr", (1e-3, 1e30)),)
    dataset = Sweep("made/sweep", SMALL, (0,), axes=axes).run(progress=False, device="cpu", rows=12)
    assert dataset.train_loss.isnull().any("step").values.tolist() == [[False, True]]


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("spread", 0.5, lambda c: c.model.spread),
        ("train_fraction", 0.5, lambda c: c.task.train_fraction),
        ("batch_size", 9, lambda c: c.batch_size),
        ("beta1", 0.5, lambda c: c.optimizer.beta1),
        ("encoder_weight_decay", 2.0, lambda c: c.optimizer.of("encoder").weight_decay),
        ("encoder_lr", 0.25, lambda c: c.optimizer.of("encoder").learning_rate),
    ],
)
def test_a_setting_is_found_where_it_stands(name, value, found):
    assert found(with_value(SMALL, name, float(value))) == value
    assert found(SMALL) != value


def test_what_follows_from_a_setting_follows_it_and_what_was_chosen_stays():
    """d_mlp is 4 d_model where nothing else is said; a flag is a flag."""
    usual, chosen = (
        modular_run(97, 0.3),
        dataclasses.replace(modular_run(97, 0.3), model=Shape(97, 128, d_mlp=100)),
    )
    assert with_value(usual, "d_model", 64.0) == modular_run(97, 0.3, d_model=64)
    assert with_value(chosen, "d_model", 64.0).model.d_mlp == 100
    assert with_value(with_value(usual, "d_mlp", 64.0), "n_heads", 2.0).model.d_mlp == 64
    assert with_value(small_run(), "faithful", 1.0).task.faithful is True
    hole = dataclasses.replace(usual, task=ModularTask(97, split="square", hole=7))
    assert with_value(hole, "train_fraction", hole.task.train_fraction) == hole


def test_a_sweep_over_the_width_ends():
    """Embeddings of two shapes are not kept, and no snapshots of them are either."""
    axes = (Axis("d_model", (8.0, 16.0)),)
    config = modular_run(5, 0.5, d_model=8, steps=20)
    run = Sweep("made/width", config, (0,), axes=axes).run(progress=False, device="cpu")
    assert (
        run.sizes["d_model"] == 2 and "embedding" not in run and not run.train_loss.isnull().any()
    )


REFUSED = {
    "'decoder_rate' is no setting": lambda: with_value(SMALL, "decoder_rate", 1.0),
    "weight_decay = -1.0 must be zero or more": lambda: with_value(
        modular_run(5, 0.5), "weight_decay", -1.0
    ),
    "weight_decay reaches no parameter.*; vary encoder_weight_decay or": lambda: with_value(
        SMALL, "weight_decay", 1.0
    ),
    "none the seed": lambda: Sweep("x", SMALL, axes=(Axis("seed", (0.0, 1.0)),)),
    "must have different finite values, not .1.0": lambda: Axis("decoder_lr", (1.0, 1.0)),
    "finite values, not .nan": lambda: Axis("d_model", (float("nan"),)),
    "faithful = 2 must be 0 or 1": lambda: with_value(small_run(), "faithful", 2.0),
}


@pytest.mark.parametrize(("message", "make"), REFUSED.items(), ids=REFUSED)
def test_what_a_grid_cannot_be_is_refused_before_anything_is_trained(message, make):
    with pytest.raises(ParameterError, match=message):
        make()
