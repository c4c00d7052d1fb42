"""What is asked in other words than ours: a sentence with the value, the rule and what was
meant."""

import inspect
import math
from functools import partial
from types import ModuleType

import numpy as np
import pytest
import torch
import xarray as xr
from torch import nn

import grokbook as gb
from grokbook import training
from grokbook.errors import OTHER_WORDS, ParameterError
from grokbook.training import accelerators
from refusals import refusals

TASK, NET = gb.ModularTask(5), gb.Transformer(5, d_model=8)
QUIET = {"progress": False, "store": False}
ACCURACY = ("seed", "step"), [[0.1, 1.0, 1.0]]
CURVES = xr.Dataset(
    {"train_accuracy": ACCURACY, "test_accuracy": ACCURACY}, {"seed": [0], "step": [0, 1, 2]}
)
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


VALUES = {
    "a text": "x" * 200,
    "nothing": None,
    "not a number": math.nan,
    "infinity": math.inf,
    "below zero": -3,
    "above all floats": 10**400,
    "a list": [1, 2],
    "a table": {},
    "numbers": np.array([1.0, 2.0]),
    "a dataset": xr.Dataset({"a": ("b", [1.0])}, {"b": [0]}, {"long": "a\nb"}),
    "complex": 1j,
    "bytes": b"x",
    "a class": int,
    "an object": object(),
}
NEEDED = {
    "MLP": {"sizes": (3, 4, 2)},
    "ModularTask": {"p": 5},
    "Transformer": {"p": 5},
    "GroupTask": {},
    "RunConfig": {"task": TASK, "model": NET},
    "Experiment": {"name": "a/b", "config": training.RunConfig(TASK, NET, steps=2)},
    "from_torch_optim": {"cls": torch.optim.Adam},
    "from_module": {"factory": partial(nn.Linear, 2, 2)},
    "task": {"inputs": np.eye(12), "targets": np.arange(12) % 3, "train_fraction": 0.5},
    "med": {"embedding": np.eye(5)},
    "fourier_power": {"embedding": np.eye(5)},
    "measure": {"name": "med", "data": np.eye(5)},
    "weight_norm": {"parameters": [np.eye(3)]},
    "train": {"task": TASK, "model": NET, "steps": 2, "seeds": 1, **QUIET},
    "phases": {"dataset": CURVES},
    "grok_times": {"dataset": CURVES},
    "load": {"name": CURVES},
}
PLAIN = ("AdamW", "Sgd", "Muon", "Schedule", "StopRule", "PhaseRule", "training.Sgd", "Clipped")
CALLS = []
for name in (*PLAIN, *NEEDED):
    CALLS += [(name, argument) for argument in inspect.signature(PUBLIC[name]).parameters]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "argument"), CALLS)
def test_an_argument_of_another_kind_is_taken_or_one_sentence_names_it(
    tmp_path, monkeypatch, name, argument
):
    """No error of Python's or torch's own, whatever stands for a number, a text or a part."""
    monkeypatch.chdir(tmp_path)
    for value in VALUES.values():
        try:
            PUBLIC[name](**{**NEEDED.get(name, {}), argument: value})
        except ParameterError as error:
            assert str(error).isprintable() and len(str(error)) < 600


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
