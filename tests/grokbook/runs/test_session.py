"""Whatever a session has set before, runs are the same, and the session is as it was afterwards."""

import contextlib
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

import grokbook as gb
from grokbook.training.loop import train_stack


@contextlib.contextmanager
def as_set(read, write, value):
    """A setting of the process that has another value inside."""
    before = read()
    write(value)
    try:
        yield
    finally:
        write(before)


dtype = partial(as_set, torch.get_default_dtype, torch.set_default_dtype)
slopes = partial(as_set, torch.is_grad_enabled, torch.set_grad_enabled)
precision = partial(as_set, torch.get_float32_matmul_precision, torch.set_float32_matmul_precision)
device = partial(as_set, torch.get_default_device, torch.set_default_device)
SETTINGS = {
    "float64": partial(dtype, torch.float64),
    "bfloat16": partial(dtype, torch.bfloat16),
    "a default device": partial(device, "meta"),
    "a device": partial(torch.device, "meta"),
    "no slopes": partial(slopes, False),
    "no_grad": torch.no_grad,
    "inference mode": torch.inference_mode,
    "autocast": partial(torch.autocast, "cpu", torch.bfloat16),
    "rounded products": partial(precision, "medium"),
    "errors of numpy": partial(np.errstate, all="raise"),
}


def state():
    """What the settings are now."""
    modes = (
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.is_autocast_enabled("cpu"),
    )
    found = (
        torch.get_default_dtype(),
        str(torch.get_default_device()),
        torch.get_float32_matmul_precision(),
    )
    return modes, found, torch.random.get_rng_state().tolist()


def trained():
    """Runs of a network of ours and of a module with an optimiser of torch, and what is taken of
    them."""
    quiet = {"seeds": 2, "steps": 12, "store": False, "progress": False}
    ours = gb.train(gb.ModularTask(5), gb.Transformer(5, d_model=8), watch={"norm": norm}, **quiet)
    table = gb.task(np.eye(12), np.arange(12) % 3, 0.5)
    module = gb.from_module(partial(nn.Linear, 12, 3))
    theirs = gb.sweep(
        table, module, gb.from_torch_optim(torch.optim.RMSprop), grid={"lr": [1e-3, 1e-2]}, **quiet
    )
    return ours, theirs


def norm(view):
    """A watch that makes a tensor itself."""
    return float(torch.ones(5) @ torch.as_tensor(view.embedding).sum(1))


@pytest.fixture(scope="module")
def plain():
    return trained()


@pytest.mark.parametrize("name", SETTINGS)
def test_runs_are_the_same_whatever_a_session_has_set(plain, name):
    with SETTINGS[name]():
        before = state()
        found = trained()
        assert state() == before
    assert all(one.identical(other) for one, other in zip(plain, found, strict=True))


@pytest.mark.parametrize(
    ("at", "store", "said"),
    [
        (0, False, "store = False keeps nothing of it"),
        (0, None, "before its first checkpoint, so nothing of it is kept"),
        (
            20,
            None,
            "finished runs and the others up to their last checkpoint are in .*: the same call",
        ),
    ],
)
def test_ctrl_c_ends_training_with_what_is_kept_and_no_trace_of_torch(
    monkeypatch, tmp_path, at, store, said
):
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path))

    def stopped(stack, save_now, **_options):
        if at:
            train_stack(stack, save_now=save_now, steps=at)
        raise KeyboardInterrupt

    monkeypatch.setattr("grokbook.training.ensemble.train_stack", stopped)
    monkeypatch.setattr("grokbook.training.ensemble.time.monotonic", iter(range(10**6)).__next__)
    ask = partial(gb.train, gb.ModularTask(5), gb.Transformer(5, d_model=8), progress=False)
    with pytest.raises(KeyboardInterrupt, match=said) as raised:
        ask(seeds=1, steps=40, store=store)
    assert raised.value.__suppress_context__ and len(raised.traceback) < 8
