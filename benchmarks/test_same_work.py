"""What is compared does the same work: equal losses, equal products."""

from __future__ import annotations

import dataclasses

import pytest
from plain import PlainTraining
from torch.utils.flop_counter import FlopCounterMode
from work import (
    BETWEEN,
    Files,
    image_run,
    network_run,
    our_stack,
    our_step,
    paper_run,
    plain_images,
    plain_network,
    products,
)

from grokbook.training.loop import advance, log, losses_and_gradient
from grokbook_chapters.gu2025 import modular_run


def test_the_plain_training_has_our_losses():
    config = modular_run(13, 0.5, d_model=32)
    plain, stack = PlainTraining(config), our_stack(config)
    for _ in range(30):
        plain.epoch()
        log(stack)
        advance(stack)
    for name in ("train_loss", "test_loss", "train_accuracy", "test_accuracy"):
        assert [row[name] for row in plain.history] == pytest.approx(
            stack.history[0][name], abs=1e-3
        ), name
    assert plain.history[0]["med"] == pytest.approx(stack.history[0]["med"][0])


def test_the_plain_networks_have_our_losses():
    config = network_run()
    plain, stack = plain_network(config), our_stack(config)
    plain()
    for _ in range(BETWEEN):
        log(stack)
        advance(stack)
    ours = stack.history[0]["train_loss"]
    assert plain.losses == pytest.approx(ours, rel=1e-3)


def test_the_plain_loop_over_files_has_our_losses(tmp_path):
    """On files of the network's own size the first epoch is ours but for the order and JPEG's
    rounding."""
    config = dataclasses.replace(image_run(), batch_size=250)
    files, stack = Files(config, tmp_path, size=16), our_stack(config)
    plain = plain_images(config, files)
    for _ in range(3):
        plain()
        stack.history[0].setdefault("loss", []).append(
            float(losses_and_gradient(stack, stack.batch())[0])
        )
        advance(stack)
    assert plain.losses == pytest.approx(stack.history[0]["loss"], rel=0.05)


@pytest.mark.parametrize("make", [paper_run, network_run, image_run])
def test_the_products_are_those_of_a_step(make):
    counted = []
    for work in (our_step(make()), products(make())):
        with FlopCounterMode(display=False) as counter:
            work()
        counted.append(counter.get_total_flops())
    assert counted[0] == counted[1] > 0
