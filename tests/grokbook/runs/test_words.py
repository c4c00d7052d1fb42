"""What is asked in other words than ours: a sentence with the value, the rule and what was
meant."""

import inspect
import math
from functools import partial
from types import ModuleType

import numpy as np
import pytest
import torch
from torch import nn

import grokbook as gb
from grokbook import training
from grokbook.errors import OTHER_WORDS, ParameterError
from grokbook.training import accelerators
from refusals import refusals

TASK, NET = gb.ModularTask(5), gb.Transformer(5, d_model=8)
QUIET = {"progress": False, "store": False}
PUBLIC = {name: getattr(gb, name) for name in gb.__all__}
LONG = sorted({*training.__all__} - {"split_weights"})
PUBLIC |= {f"training.{name}": getattr(training, name) for name in LONG}
PUBLIC |= {"Grokfast": accelerators.Grokfast, "Clipped": accelerators.Clipped}
train = partial(gb.train, TASK, model=NET)


@pytest.mark.parametrize("name", PUBLIC)
def test_an_unknown_argument_of_every_public_name_is_a_sentence(name):
    said = r"^of_mine = 1 is no argument of \w+; (it takes|did you mean) [^\n]+$"
    with pytest.raises(ParameterError, match=said):
        PUBLIC[name](of_mine=1)


FUNCTIONS = sorted(name for name, of in PUBLIC.items() if not isinstance(of, ModuleType))


def test_a_word_of_another_library_leads_to_one_that_is_here():
    words = {word for here in OTHER_WORDS.values() for word in here}
    there = {*training.losses.LOSSES}
    for name in FUNCTIONS:
        there |= {*inspect.signature(PUBLIC[name]).parameters}
    assert words <= there


@pytest.mark.parametrize("rule", [{"threshold": math.nan}, {"threshold": math.inf}])
def test_a_rule_that_no_run_meets_is_refused(rule):
    with pytest.raises(ParameterError, match="must be a finite number"):
        gb.StopRule(**rule)


test_it_is_said_what_was_meant = refusals(
    (
        lambda: gb.AdamW(betas=(0, 0.9)),
        r"^betas = \(0, 0.9\) is no arg.*; did you mean beta1, beta2",
    ),
    (lambda: training.AdamW(lr=1), "^lr = 1 is no argument of AdamW; did you mean learning_rate"),
    (
        lambda: gb.AdamW(1e-3, 0.9),
        "^AdamW cannot be .*, too many positional arguments; it takes lr, ",
    ),
    (lambda: gb.train(TASK), "^model is missing: a task is trained with one"),
    (lambda: train(betas=(0, 1)), "but of its optimizer: AdamW takes beta1, beta2"),
    (lambda: train(d_model=8), "but of its model: Shape takes d_model"),
    (lambda: train(seed=3), "did you mean seeds"),
    (lambda: gb.from_torch_optim(torch.optim.Adam, learning_rate=1), "of Adam; did you mean lr"),
    (lambda: train(loss=nn.MSELoss()), r"^loss = MSELoss\(\) is .*; did you mean squared_error"),
    (
        lambda: train(loss=np.hypot),
        "^loss = <ufunc 'hypot'> is unknown; .* train in a loop of torch",
    ),
    (
        lambda: train(dtype="float64"),
        "^dtype = 'float64' is .* checkpoints and records are float32",
    ),
)


test_a_module_of_other_numbers_hears_why = refusals(
    (
        lambda: train(model=gb.from_module(lambda: nn.Linear(2, 2).double())),
        "weight as torch.float64 .* records",
    ),
    (
        lambda: gb.from_module(nn.ReLU),
        "^factory gives a ReLU without parameters; a run trains some",
    ),
)


def test_records_of_one_default_name_are_told_apart_by_their_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path))
    short = {"seeds": 1, "progress": False}
    two = [gb.train(TASK, NET, gb.AdamW(lr=lr), steps=2, **short) for lr in (0.5, 0.25)]
    one, other = (runs.attrs["key"] for runs in two)
    with pytest.raises(ParameterError, match="give one of their keys: ") as refused:
        gb.load("own/ModularTask-Shape")
    for key, rate in ((one, 0.5), (other, 0.25)):
        assert f"{key} (optimizer.learning_rate = {rate})" in str(refused.value)
    assert gb.load(one).name == "own/ModularTask-Shape"
