"""Times of each piece of work with pytest-benchmark; nothing is asserted. The ratios are measured
by `run.py`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from work import EPOCHS, our_epochs, our_step, paper_run, plain_epoch, products


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("group", "name", "make"),
    [
        ("epoch", f"ours, {EPOCHS} epochs", our_epochs),
        ("epoch", "plain, 1 epoch", plain_epoch),
        ("step", "training step", our_step),
        ("step", "its matrix products", products),
    ],
)
def test_time(benchmark, group, name, make):
    benchmark.group, benchmark.name = group, name
    benchmark.pedantic(make(paper_run()), rounds=5, warmup_rounds=1)
