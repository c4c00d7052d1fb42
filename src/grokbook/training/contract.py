"""Checks of a reader's own task, network, optimiser and watch before anything is trained.

Here no number of a run is made. Parts of a reader's own are looked at when a configuration is made,
once for each value: a network is drawn and sent two samples, an optimiser makes some updates, a
task shows its data, unless it says its `sizes()`, which lets its data wait for `train`. What would
end in an error later is tried now; what would train, and train something else than was written,
is compared with itself. No generator of the process is moved.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from grokbook.errors import ParameterError, line, shown
from grokbook.machine import generators_kept, plain_torch
from grokbook.models.networks import sizes_of
from grokbook.own_code import held, of_library
from grokbook.tasks.task import what_is_read
from grokbook.training.optim import Columns
from grokbook.training.samples import array_of, check_groups, check_index, tried

REQUIRED = {
    "task": ("inputs", "targets", "train_index", "groups"),
    "model": ("shapes", "draw", "forward"),
    "optimizer": ("init", "numbers", "update"),
}
"""What each part of a run must have."""

EXAMPLES = {
    "task": "ModularTask(97) or gb.task(inputs, targets, train_fraction)",
    "model": "MLP((64, 16, 10)) or gb.from_module(factory)",
    "optimizer": "AdamW() or gb.from_torch_optim(cls)",
}

TRIED = 3
"""Updates after which an optimiser is compared with itself: with the third both moments of Adam
have shaped weights."""

LONGER = 100
"""Updates in which an optimiser must have moved something."""

# what was looked at, with the classes, so that no other one gets their number
_known: dict[str, tuple[Any, ...]] = {}


def check_parts(config: Any) -> None:
    """Refuse parts of a run that training could not use, or would use wrongly, in one sentence
    (ParameterError)."""
    if own := own_parts(config):
        _check_own(config, own)


@plain_torch()
def _check_own(config: Any, own: Sequence[str]) -> None:
    """Refuse the parts of a reader's own; what was looked at once and found good is not looked at
    again."""
    for name in own:
        _check_form(name, getattr(config, name))
    if "optimizer" in own:
        _check_numbers(config)
    key, things = _named(config, own, "")
    if key in _known:
        return
    with generators_kept():
        if "model" in own:
            tried(f"model = {called(config.model)}", lambda: _check_network(config))
        if "optimizer" in own:
            tried(f"optimizer = {called(config.optimizer)}", lambda: _check_optimizer(config))
        if "task" in own and not hasattr(config.task, "sizes"):
            _check_data(config)
        elif "model" in own:
            _check_answers(config, config.task.targets, _outputs(config))
    _known[key] = things


def own_parts(config: Any) -> list[str]:
    """The parts of a run that a reader wrote, or made of what is no part of the library
    (`adapted`)."""
    own = []
    for name in REQUIRED:
        part = getattr(config, name)
        if not of_library(type(part)) or hasattr(part, "adapted"):
            own.append(name)
    return own


def called(part: Any) -> str:
    """How a sentence calls a part of a run: by its class, or where it adapts something by that."""
    return getattr(part, "adapted", type(part).__name__)


@plain_torch()
def check_runs(configs: Sequence[Any]) -> None:
    """The same of what `check_parts` left for later: the data of every task, and the outputs for
    two of its samples."""
    for config in configs:
        key, things = _named(config, own_parts(config), "data")
        if key not in _known:
            with generators_kept():
                _check_data(config)
            _known[key] = things


def check_watches(watches: Mapping[str, Any]) -> None:
    """Refuse what is no function under a name."""
    for name, watch in watches.items():
        if not isinstance(name, str) or not name.isidentifier() or not callable(watch):
            rule = "a function of a View under a name made of letters, digits and _"
            raise ParameterError(f"watch {name!r} = {shown(watch)} must be {rule}.")


def as_tensor(array: np.ndarray) -> Tensor:
    """An array of a task as a tensor of its own: integers as they are, real numbers in float32.

    Example:
        >>> as_tensor(np.arange(3)[::-1]), as_tensor(np.ones(1, ">f8")).dtype
        (tensor([2, 1, 0]), torch.float32)
    """
    kind = np.float32 if np.issubdtype(array.dtype, np.floating) else array.dtype.newbyteorder("=")
    return torch.from_numpy(np.array(array, kind, order="C"))


def as_read(task: Any, some: np.ndarray) -> Tensor:
    """Some samples of a task as a network reads them."""
    return what_is_read(task, as_tensor(some))


def laid_out(model: Any, drawn: Mapping[str, Tensor], by: str = "draw") -> Tensor:
    """The tensors of a network as one row (P,), in the order of `shapes`; refuses others than
    those.

    Example:
        >>> from grokbook.models.mlp import MLP
        >>> net = MLP((1, 2))
        >>> laid_out(net, {"b.1": torch.zeros(2), "W.1": torch.ones(2, 1)}).tolist()
        [1.0, 1.0, 0.0, 0.0]
    """
    shapes, kind = model.shapes(), called(model)
    names = list(drawn)
    if set(names) != set(shapes):
        raise ParameterError(
            f"{by} of {kind} gives {shown(names)}, but must give what shapes() names,"
            f" {list(shapes)}."
        )
    for name, shape in shapes.items():
        value = drawn[name]
        if tuple(value.shape) != tuple(shape) or value.dtype != torch.float32:
            raise ParameterError(
                f"{by} of {kind} gives {name} as {value.dtype} {tuple(value.shape)}, but shapes()"
                f" says {tuple(shape)}, in torch.float32, as records are."
            )
        if by == "draw" and not torch.isfinite(value).all():
            raise ParameterError(
                f"{by} of {kind} gives {name} with numbers that are not finite, but all must be."
            )
    return torch.cat([drawn[name].reshape(-1) for name in shapes])


def _named(config: Any, own: Sequence[str], what: str) -> tuple[str, tuple[Any, ...]]:
    """By what a look at parts of these values is remembered, once nothing was refused, and the
    classes behind them.

    Of the library's tasks one seed stands for all.
    """
    values = config.as_dict()
    if "task" not in own:
        values["task"].pop("seed", None)
    named = {name: values.get(name) for name in (*REQUIRED, "loss", "start", "batch_size")}
    things: list[Any] = []
    for name in own:
        things += held(getattr(config, name))
    key = json.dumps([what, named, list(map(id, things))], sort_keys=True, default=str)
    return key, tuple(things)


def _check_form(name: str, given: object) -> None:
    """Refuse what is no dataclass, or lacks something; nothing of it is computed."""
    rule = f"a frozen dataclass with {', '.join(REQUIRED[name])}, such as {EXAMPLES[name]}"
    if isinstance(given, type) or not dataclasses.is_dataclass(given):
        raise ParameterError(f"{name} = {line(shown(given))} must be {rule}.")
    part: Any = given
    for required in REQUIRED[name]:
        if required not in dir(part):
            raise ParameterError(
                f"{name} = {called(part)}(...) has no {required}; it must be {rule}."
            )
    if name == "task" and hasattr(part, "seed"):
        # each run has a task of its own seed
        tried(f"task = {called(part)} with another seed", lambda: dataclasses.replace(part, seed=0))


def _check_network(config: Any) -> None:
    """Refuse a network whose weights are not its seed's, or whose names are not its parameters'."""
    model, kind = config.model, called(config.model)
    shapes = model.shapes()
    choice = () if config.start == "normal" else (config.start,)
    rows = []
    for seed in (0, 0, 1):
        drawn = tried(f"draw of {kind}", partial(model.draw, seed, *choice))
        rows.append(laid_out(model, drawn))
    first, again, other = rows
    rule = (
        "must draw by its seed alone: with torch.Generator().manual_seed(seed), a module of torch"
        " with torch's own generator"
    )
    if not torch.equal(first, again):
        raise ParameterError(
            f"draw of {kind} gives other weights when it is called again with seed 0, but {rule}."
        )
    is_drawn = any(part.unique().numel() > 1 for part in first.split(sizes_of(shapes)))
    if is_drawn and torch.equal(first, other):
        raise ParameterError(
            f"draw of {kind} gives the same weights for seeds 0 and 1, but {rule}."
        )
    for group, names in getattr(model, "groups", dict)().items():
        if unknown := set(names) - set(shapes):
            raise ParameterError(
                f"the group {group!r} of {kind} names {min(unknown)!r}, but shapes() has"
                f" {', '.join(shapes)}."
            )
    if hasattr(model, "embeddings"):
        for table in model.embeddings({name: torch.zeros(shape) for name, shape in shapes.items()}):
            if table.ndim != 2:
                raise ParameterError(
                    f"embeddings of {kind} must give a tuple of tensors (n, d), a token a row."
                )


def _check_numbers(config: Any) -> None:
    """Refuse an optimiser whose numbers end before the run does, or that are other ones when they
    are asked again."""
    kind, steps = called(config.optimizer), config.steps
    last = steps - 1 if isinstance(steps, int) and steps > 0 else 0
    looks = []
    for step in (0, last, 0):
        call = partial(config.optimizer.numbers, step)
        looks.append(dict(tried(f"numbers of {kind} at step {step}", call)))
    first, end, again = looks
    if set(end) != set(first):
        names = f"{list(end)} at step {last} and {list(first)} at step 0"
        raise ParameterError(
            f"numbers of {kind} gives {names}, but must give the same names always."
        )
    if again != first:
        raise ParameterError(
            f"numbers of {kind} gives other ones when they are asked for again, but must depend on"
            " the step alone."
        )


def _check_optimizer(config: Any) -> None:
    """Refuse an optimiser that keeps what no state holds, draws at random, or moves nothing."""
    shapes, kind = config.model.shapes(), called(config.optimizer)
    two_rows = torch.zeros(2, sum(sizes_of(shapes)))
    for name, value in config.optimizer.init(two_rows, shapes).items():
        if value.ndim < 1 or len(value) != 2:
            raise ParameterError(
                f"init of {kind} gives {name} as {tuple(value.shape)}, but must have a row for each"
                " run: of 2 runs (2, ...)."
            )
    first = _moved(config, TRIED)
    if not torch.allclose(first, _moved(config, TRIED), rtol=0, atol=0, equal_nan=True):
        rule = "must keep all that it needs in state, and draw nothing at random"
        raise ParameterError(
            f"update of {kind} moves weights otherwise when it begins anew, but {rule}."
        )
    both = _moved(config, TRIED, runs=2)
    is_alone = torch.allclose(both[:1], first, rtol=1e-4, atol=1e-7, equal_nan=True)
    if not is_alone or both.any(1).unique().numel() > 1:
        rule = "must move each row of weights by that row alone, as several runs share a program"
        raise ParameterError(
            f"update of {kind} moves a run otherwise where another one is beside it, but {rule}."
        )
    if not first.any() and not _moved(config, LONGER).any():
        rule = "must move weights in place: weights.sub_(...), not weights = weights - ..."
        raise ParameterError(f"update of {kind} moves nothing in {LONGER} updates, but {rule}.")


def _moved(config: Any, updates: int, still: Sequence[str] = (), runs: int = 1) -> Tensor:
    """Where updates with drawn slopes move weights, (runs, P); the parameters `still` have slopes
    of 0.

    Each further run begins where the first does, and has slopes ten times as large.
    """
    optimizer, shapes, kind = config.optimizer, config.model.shapes(), called(config.optimizer)
    generator = torch.Generator().manual_seed(0)
    start = torch.randn(1, sum(sizes_of(shapes)), generator=generator).repeat(runs, 1)
    weights = start.clone()
    state = optimizer.init(weights, shapes)
    before = _forms(state)
    groups: Mapping[str, Sequence[str]] = getattr(config.model, "groups", dict)()
    columns = Columns([optimizer] * runs, shapes, groups, weights)
    larger = 10.0 ** torch.arange(runs)[:, None]
    for step in range(updates):
        slopes = []
        for name, size in zip(shapes, sizes_of(shapes), strict=True):
            is_still = name in still
            slopes.append(torch.zeros(size) if is_still else torch.randn(size, generator=generator))
        numbers = columns(min(step, config.steps - 1))
        slope = torch.cat(slopes) * larger
        move = partial(optimizer.update, weights, slope, state, numbers, shapes)
        tried(f"update of {kind}", move)
        if _forms(state) != before:
            rule = "must keep the names, shapes and types that init gave"
            raise ParameterError(
                f"update of {kind} makes the state {list(state)} of {list(before)}, but {rule}."
            )
    return weights - start


def _forms(state: Mapping[str, Tensor]) -> dict[str, Any]:
    return {name: (value.shape, value.dtype) for name, value in state.items()}


def _check_data(config: Any) -> None:
    """Refuse data that cannot be trained on: samples, answers, the training set, the parts of the
    test set."""
    kind = type(config.task).__name__
    inputs, targets, index = [array_of(config, name) for name in REQUIRED["task"][:3]]
    if len(inputs) != len(targets):
        raise ParameterError(
            f"targets of {kind} are {len(targets)}, but must be as many as inputs, {len(inputs)}."
        )
    is_real = np.issubdtype(targets.dtype, np.floating)
    if targets.dtype != np.int64 and not is_real:
        raise ParameterError(
            f"targets of {kind} are {targets.dtype}, but must be int64 labels or floats."
        )
    if not is_real and targets.ndim != 1:
        rule = f"labels are one for each sample, ({len(inputs)},)"
        raise ParameterError(f"targets of {kind} have shape {targets.shape}, but {rule}.")
    if is_real and config.loss != "squared_error":
        raise ParameterError(
            f"targets of {kind} are {targets.dtype}, but loss = {shown(config.loss)} needs labels; "
            "for real targets choose squared_error, for labels targets.astype(np.int64)."
        )
    if not index.size:
        raise ParameterError(f"train_index of {kind} is empty, but a run needs one sample or more.")
    check_index(index, len(inputs), f"train_index of {kind}")
    check_groups(config.task, len(inputs), index)
    _check_answers(config, targets, _outputs(config))


def _check_answers(config: Any, targets: np.ndarray, outputs: Tensor) -> None:
    """Refuse targets that the outputs of the network cannot be."""
    kind = type(config.task).__name__
    gives = f"forward of {called(config.model)} gives {tuple(outputs.shape[1:])}"
    if np.issubdtype(targets.dtype, np.floating):
        if outputs.shape[1:] != targets.shape[1:]:
            raise ParameterError(
                f"{gives} for each sample, but the targets of {kind} are {targets.shape[1:]}."
            )
    elif outputs.ndim != 2 or not 0 <= targets.min() <= targets.max() < outputs.shape[1]:
        raise ParameterError(
            f"targets of {kind} are labels from {targets.min()} to {targets.max()}, but {gives} for"
            f" each sample; it must give ({max(int(targets.max()), 0) + 1},) or more, and labels"
            " begin at 0."
        )


def _outputs(config: Any) -> Tensor:
    """What a network puts out for the first two samples, drawn where it is a reader's own, else of
    zeros."""
    model, kind = config.model, called(config.model)
    two = as_read(config.task, config.task.inputs[:2])
    is_own = "model" in own_parts(config)
    weights = {name: torch.zeros(shape) for name, shape in model.shapes().items()}
    if is_own:
        weights = model.draw(0)
    call = f"forward of {kind} on inputs {tuple(two.shape)}, {two.dtype},"

    def answer(*more: Any) -> Tensor:
        with torch.no_grad():
            return tried(call, lambda: model.forward({**weights}, two, *more))

    before = {name: part.clone() for name, part in weights.items()} | {"its inputs": two.clone()}
    states = _generators()
    outputs = answer()
    if outputs.ndim < 2 or len(outputs) != len(two) or not outputs.is_floating_point():
        raise ParameterError(
            f"{call} gives {outputs.dtype} {tuple(outputs.shape)}, but must give floats"
            f" ({len(two)}, ...), a row for each sample."
        )
    if not is_own:
        return outputs
    for name, part in {**weights, "its inputs": two}.items():
        if not torch.equal(part, before[name]):
            raise ParameterError(
                f"{call} writes {name} over, but must leave what it is given as it is."
            )
    again = answer()
    is_same = torch.allclose(outputs, again, rtol=0, atol=0, equal_nan=True)
    if states != _generators() or not is_same:
        rule = "leave out dropout, noise and what counts calls"
        raise ParameterError(f"{call} gives other numbers when it is called again; {rule}.")
    more: list[Any] = [Tensor.clone] if getattr(model, "dropout", 0) else []
    if getattr(model, "statistics", ()):
        more.append({})
    answer(*more)
    _check_apart(config, weights)
    tried(f"model = {kind}", lambda: _check_slopes(config, weights, two))
    return outputs


def _generators() -> str:
    """The state of every generator of the process."""
    key = np.random.get_state(legacy=False)["state"]["key"]
    return repr([random.getstate(), key.tolist(), torch.get_rng_state().tolist()])


def _check_apart(config: Any, weights: Mapping[str, Tensor]) -> None:
    """Refuse a network whose output for a sample depends on which other ones it is sent with."""
    inputs, kind = config.task.inputs, called(config.model)
    some = inputs[np.unique(np.linspace(0, len(inputs) - 1, 8).astype(int))]
    if len(some) < 4:
        return

    def answers(part: np.ndarray) -> Tensor:
        read = as_read(config.task, part)
        call = f"forward of {kind} on {len(part)} samples"
        return tried(call, lambda: config.model.forward({**weights}, read))

    with torch.no_grad():
        whole = answers(some)
        halves = torch.cat([answers(some[:4]), answers(some[4:])])
    near = 1e-5 * max(1.0, float(whole.abs().max()))
    if not torch.allclose(whole, halves, rtol=1e-3, atol=near, equal_nan=True):
        raise ParameterError(
            f"forward of {kind} answers a sample by those it is sent with, but what is logged is of"
            " all samples together, so each must be answered by itself (no mean over samples)."
        )


def _check_slopes(config: Any, weights: Mapping[str, Tensor], inputs: Tensor) -> None:
    """Refuse outputs without slopes, and a parameter that has none and yet is moved, by decay."""
    model, kind = config.model, called(config.model)
    if getattr(model, "solved", False) and model.settle:
        return
    leaves = {name: part.clone().requires_grad_() for name, part in weights.items()}
    with torch.enable_grad():
        outputs = model.forward(leaves, inputs)
    if not outputs.requires_grad:
        rule = "leave out detach, no_grad and numpy"
        raise ParameterError(
            f"forward of {kind} gives numbers without a slope, of which nothing is learned; {rule}."
        )
    slopes = torch.autograd.grad(outputs.sum(), list(leaves.values()), allow_unused=True)
    still: list[str] = []
    for name, slope in zip(leaves, slopes, strict=True):
        if slope is not None and slope.layout != torch.strided:
            raise ParameterError(
                f"forward of {kind} gives {name} a sparse slope, but runs need dense ones."
            )
        if slope is None and name not in getattr(model, "statistics", ()):
            still.append(name)
    if not still:
        return
    moved = _moved(config, TRIED, still).split(sizes_of(model.shapes()), dim=1)
    for name, part in zip(model.shapes(), moved, strict=True):
        if name in still and part.any():
            raise ParameterError(
                f"{name} has no slope in forward of {kind}, but {called(config.optimizer)} moves"
                " it, by its decay; leave it out, or give it a group of weight_decay = 0."
            )
