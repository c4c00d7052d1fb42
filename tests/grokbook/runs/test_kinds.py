"""Whatever a parameter of an optimiser, a task, a network, a schedule or an intervention is given:
one sentence."""

import dataclasses
import importlib
import inspect
import pkgutil
from functools import partial

import numpy as np
import pytest
import torch
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import grokbook as gb
from grokbook.errors import GrokbookError, ParameterError, _kinds, checked_call
from grokbook.training.interventions import Clamp

INNER = {"Stack", "How", "Cost", "Deviation", "Loss", "View"}
INNER |= {"TableTask", "TorchModule", "EmbeddingModule", "TorchOptim"}
"""What the library makes for itself."""

NEEDED = {"p": 5, "outputs": 3, "names": ("W",), "radius": 1.0, "order": (0, 1), "strength": 1.0}
NEEDED |= {
    "task": gb.ModularTask(5),
    "model": gb.Transformer(5, d_model=8),
    "pairs": ((0, 1),),
    "chosen": ((0, 1),),
}


def settings_of_the_library():
    """Every dataclass of settings of three rooms, and those of the face, by name."""
    found = {
        f"gb.{name}": getattr(gb, name)
        for name in ("AdamW", "Sgd", "Muon", "PhaseRule", "StopRule", "Schedule")
    }
    for room in ("tasks", "models", "training"):
        package = importlib.import_module(f"grokbook.{room}")
        for module in pkgutil.iter_modules(package.__path__):
            loaded = importlib.import_module(f"{package.__name__}.{module.name}")
            for name, made in vars(loaded).items():
                ours = (
                    isinstance(made, type)
                    and made.__module__ == loaded.__name__
                    and not name.startswith("_")
                )
                if ours and dataclasses.is_dataclass(made) and name not in INNER:
                    found[f"{room}.{name}"] = made
    return found


MAKERS = settings_of_the_library()
PARAMETERS = [
    (maker, name) for maker, made in MAKERS.items() for name, kinds in _kinds(made).items() if kinds
]
ANYTHING = [None, {}, b"x", object(), np.ones(2)]
WRONG = {
    "float": [*ANYTHING, "1", True, [1.0], 1j, 10**400, torch.tensor(1.0)],
    "int": [*ANYTHING, "1", True, [1], 1.5, float("nan"), 10**400],
    "str": [*ANYTHING, 3, True, ["x"]],
    "bool": [*ANYTHING, "x", 3, [True]],
    "tuple": [*ANYTHING[:4], "x", 3, np.ones(())],
    "Network": [*ANYTHING, "x", gb.MLP, NEEDED["task"]],
    "RunConfig": [*ANYTHING, "x", gb.RunConfig],
    "Schedule": [*ANYTHING, "x", gb.Schedule],
    "StopRule": [*ANYTHING, "x", gb.StopRule],
}


def needed(made):
    """Arguments that it cannot do without."""
    asked = inspect.signature(made).parameters.values()
    return {
        one.name: NEEDED.get(one.name)
        for one in asked
        if one.default is one.empty and one.name != "cls"
    }


@given(st.sampled_from(PARAMETERS), st.data())
@settings(max_examples=400)
def test_a_value_of_another_kind_is_one_sentence(parameter, data):
    maker, name = parameter
    made = MAKERS[maker]
    kinds = _kinds(made)[name]
    value = data.draw(st.sampled_from(WRONG[kinds[0]]))
    allowed = {type(None): "None", list: "tuple", np.ndarray: "tuple", float: "float", str: "str"}
    if allowed.get(type(value)) in kinds:
        return
    with pytest.raises(ParameterError) as caught:
        made(**needed(made) | {name: value})
    assert str(caught.value).count("\n") == 0 and str(caught.value).endswith((".", "?"))


def test_every_setting_with_a_plain_annotation_is_held_to_it():
    """By the decorator: without it the property above would ask nothing of a class."""
    bare = [
        name
        for name, made in MAKERS.items()
        if not hasattr(getattr(made, "__init__", made), "__wrapped__")
    ]
    assert len(PARAMETERS) > 150 and [name for name in bare if not name.startswith("gb.")] == []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: gb.AdamW(lr="x"), "lr = 'x' must be a number."),
        (
            lambda: gb.AdamW(groups=(1,)),
            "groups has 1, but each must be a Group, such as Group('decoder').",
        ),
        (
            lambda: Clamp((1, 2)),
            r"radius = (1, 2) must be a number, or pairs of a step and a number.",
        ),
        (lambda: gb.grok_times(None), "dataset = None must be a Dataset."),
    ],
)
def test_the_sentence(call, said):
    with pytest.raises(ParameterError, match=said.replace("(", r"\(").replace(")", r"\)")):
        call()


def test_an_error_inside_a_call_with_good_arguments_stays_what_it_is():
    @checked_call
    def fails(steps: int) -> int:
        return len(steps)

    with pytest.raises(TypeError, match="has no len"):
        fails(3)


def called_by_readers():
    """What `gb` has, what two rooms name, and every class of settings."""
    found = {f"gb.{name}": getattr(gb, name) for name in gb.__all__} | MAKERS
    for room in ("tasks", "training"):
        package = importlib.import_module(f"grokbook.{room}")
        found |= {f"{room}.{name}": getattr(package, name) for name in package.__all__}
    return {name: made for name, made in found.items() if name != "training.View"}


READERS = called_by_readers()
ACCURACY = ("seed", "step"), [[0.1, 1.0, 1.0]]
CURVES = xr.Dataset(
    {"train_accuracy": ACCURACY, "test_accuracy": ACCURACY}, {"seed": [0], "step": [0, 1, 2]}
)
OF_NO_KIND = (None, "x" * 200, [1, "a"], [], {}, -1, 1.5, 1j, True, b"x", object(), 10**400)
OF_NO_KIND += (float("nan"), float("inf"), torch.zeros(2), np.ones(2), CURVES, gb.ModularTask)
GOOD = NEEDED | {"network": NEEDED["model"], "sizes": (3, 4, 2), "weights": NEEDED["model"].draw(0)}
GOOD |= {"inputs": np.eye(12), "targets": np.arange(12) % 3, "train_fraction": 0.5}
GOOD |= {"embedding": np.eye(5), "parameters": [np.eye(3)], "dataset": CURVES, "data": np.eye(5)}
GOOD |= {"cls": torch.optim.Adam, "factory": partial(nn.Linear, 2, 2)}
GOOD["config"] = gb.RunConfig(NEEDED["task"], NEEDED["model"], steps=2)
QUICK = {"gb.train": {"steps": 2, "seeds": 1, "progress": False, "store": False}}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READERS)
def test_no_argument_ends_in_an_error_of_python_or_torch(name, tmp_path, monkeypatch):
    """Each argument in turn is given what it cannot be, beside good ones where others are needed
    and, where there is no good one, beside itself: it is accepted, or refused in a sentence."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path / "store"))
    made = READERS[name]
    places = [
        one
        for one in inspect.signature(made).parameters.values()
        if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]
    for place in places:
        for value in OF_NO_KIND:
            asked = {
                one.name: GOOD.get(one.name, value) for one in places if one.default is one.empty
            }
            arguments = asked | QUICK.get(name, {}) | {place.name: value}
            first = [
                arguments.pop(one.name)
                for one in places
                if one.kind is one.POSITIONAL_ONLY and one.name in arguments
            ]
            try:
                made(*first, **arguments)
            except GrokbookError as error:
                assert str(error).isprintable() and len(str(error)) < 600
            except Exception as error:
                pytest.fail(f"{name}({place.name}={value!r}): {type(error).__name__}: {error}")
