"""What training asks of a task, a network, an optimiser and a watch, checked before anything is
trained.

Here no number of a run is made. Parts of a reader's own are looked at when a configuration is made,
once for each value: a network is drawn and sent two samples, an optimiser makes one update of
zeros, a task shows its data, unless it says its `sizes()`, which lets its data wait for `train`. No
generator of the process is moved.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from grokbook.errors import ParameterError, nearest, shown
from grokbook.machine import generators_kept, plain_torch
from grokbook.own_code import held, of_library
from grokbook.training.optim import Columns
from grokbook.training.samples import SAME, array_of, check_index, check_part, tried

ASKED = {
    "task": ("inputs", "targets", "train_index", "groups"),
    "model": ("shapes", "draw", "forward"),
    "optimizer": ("init", "numbers", "update"),
}
"""What each part of a run must have."""

_FORMS = {Callable: "a function", tuple: "a tuple", (int, float): "a number"}
_OPTIONAL: dict[str, dict[str, Any]] = {
    "task": {"sizes": Callable, "show": Callable},
    "model": (
        dict.fromkeys(("groups", "embeddings", "check", "settle", "products"), Callable)
        | dict.fromkeys(("starts", "statistics"), tuple)
        | dict.fromkeys(("dropout", "activations"), (int, float))
    ),
    "optimizer": {"groups": tuple},
}
"""What a part may have beside that (`grokbook.models.networks`, `grokbook.tasks.task`), and what it
then is."""

TRIED = 3
"""Updates after which an optimiser is compared with itself: with the third both moments of Adam
have shaped weights."""

LONGER = 100
"""Updates in which an optimiser must have moved something."""

_INSTEAD = {"task": "ModularTask(97)", "model": "MLP((64, 16, 10))", "optimizer": "AdamW()"}
_OPTIMIZERS = ("AdamW", "Adam", "Sgd", "Muon")
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
            _check_network(config.model, config.start)
        if "optimizer" in own:
            _check_optimizer(config)
        if "task" in own and not hasattr(config.task, "sizes"):
            _check_data(config)
        elif "model" in own:
            _outputs(config)
    _known[key] = things


def own_parts(config: Any) -> list[str]:
    """The parts of a run that a reader wrote, or made of what is no part of the library
    (`adapted`)."""
    return [
        n
        for n in ASKED
        if not of_library(type(part := getattr(config, n))) or hasattr(part, "adapted")
    ]


def called(part: Any) -> str:
    """How a sentence calls a part of a run: by its class, or where it adapts something by that."""
    return getattr(part, "adapted", type(part).__name__)


@plain_torch()
def check_runs(configs: Sequence[Any]) -> None:
    """The same of what `check_parts` left for later: the data of every task, and the outputs for
    two of its samples."""
    for config in configs:
        own = own_parts(config)
        key, things = _named(config, own, "data")
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
    inputs = as_tensor(some)
    return task.show(inputs) if hasattr(task, "show") else inputs


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
    if not isinstance(drawn, Mapping) or set(drawn) != set(shapes):
        names = list(drawn) if isinstance(drawn, Mapping) else drawn
        raise ParameterError(
            f"{by} of {kind} gives {shown(names)}, but must give what shapes() names,"
            f" {list(shapes)}."
        )
    for name, shape in shapes.items():
        value = drawn[name]
        if (
            not isinstance(value, Tensor)
            or tuple(value.shape) != tuple(shape)
            or value.dtype != torch.float32
        ):
            is_ = (
                f"{value.dtype} {tuple(value.shape)}"
                if isinstance(value, Tensor)
                else f"no tensor, {shown(value)}"
            )
            raise ParameterError(
                f"{by} of {kind} gives {name} as {is_}, but shapes() says {tuple(shape)}, in"
                " torch.float32."
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
    named = {name: values.get(name) for name in (*ASKED, "loss", "start", "batch_size")}
    things = tuple(thing for name in own for thing in held(getattr(config, name)))
    return json.dumps([what, named, list(map(id, things))], sort_keys=True, default=str), things


def _check_form(name: str, part: Any) -> None:
    """Refuse what is no dataclass, or lacks something; nothing of it is computed."""
    asked, kind = ASKED[name], type(part).__name__
    if isinstance(part, torch.optim.Optimizer | torch.nn.Module):
        what = (
            "an optimiser of torch"
            if isinstance(part, torch.optim.Optimizer)
            else "a torch.nn.Module"
        )
        instead = (
            f"{nearest(kind, _OPTIMIZERS, 0) or 'AdamW'}()"
            if name == "optimizer"
            else _INSTEAD[name]
        )
        rule = f"must be a frozen dataclass with {', '.join(asked)}, such as {instead}"
        raise ParameterError(f"{name} = {kind}(...) is {what}, but {rule}.")
    if isinstance(part, type) or not dataclasses.is_dataclass(part):
        made = f", {part.__name__}(...)," if isinstance(part, type) else ""
        said = f"the class {part.__name__}" if isinstance(part, type) else shown(part)
        raise ParameterError(
            f"{name} = {said} must be an instance{made} of a frozen dataclass with"
            f" {', '.join(asked)}, such as {_INSTEAD[name]}."
        )
    has = dir(part)
    for wanted in asked:
        if wanted not in has:
            like = nearest(wanted, [n for n in has if not n.startswith("_")])
            instead = f"it has {like}" if like else f"it needs {', '.join(asked)}"
            empty = (
                "; where the test set has no named parts it returns {}"
                if wanted == "groups"
                else ""
            )
            raise ParameterError(f"{name} = {kind}(...) has no {wanted}: {instead}{empty}.")
    for wanted, form in _OPTIONAL[name].items():
        value = getattr(part, wanted, None)
        if value is not None and not isinstance(value, form):
            rule = (
                f"where a {name} has {wanted}, it must be {_FORMS[form]}; give yours another name"
            )
            raise ParameterError(f"{name} = {kind}(...) has {wanted} = {shown(value)}, but {rule}.")
    groups = getattr(part, "groups", ())
    if name == "optimizer" and not all(hasattr(group, "name") for group in groups):
        rule = "they must be Group(name, ...) of the network's; give yours another name"
        raise ParameterError(f"optimizer = {kind}(...) has groups = {shown(groups)}, but {rule}.")
    if (
        name == "task"
        and hasattr(part, "seed")
        and "seed" not in {f.name for f in dataclasses.fields(part) if f.init}
    ):
        rule = (
            "each run has a task of its own seed, so it must be a field that can be set; give yours"
            " another name"
        )
        raise ParameterError(f"task = {kind}(...) has seed = {shown(part.seed)}, but {rule}.")
    if name == "model" and getattr(part, "solved", False) and "settle" not in has:
        raise ParameterError(
            f"model = {kind}(...) has solved, but no settle(weights, inputs, targets) that solves."
        )


def _check_network(model: Any, start: str) -> None:
    kind, choice = called(model), () if start == "normal" else (start,)
    shapes = tried(f"shapes of {kind}", model.shapes)
    good = isinstance(shapes, Mapping) and all(
        isinstance(shape, tuple | list | torch.Size) and all(isinstance(n, int) for n in shape)
        for shape in shapes.values()
    )
    if not good or not shapes:
        rule = "must give the shape of each name, {'W': (3, 2)}"
        raise ParameterError(f"shapes of {kind} gives {shown(shapes)}, but {rule}.")
    first, again, other = (
        laid_out(model, tried(f"draw of {kind}", partial(model.draw, n, *choice)))
        for n in (0, 0, 1)
    )
    rule = "must draw by its seed alone, with torch.Generator().manual_seed(seed)"
    if hasattr(model, "adapted"):
        rule = (
            "must draw by torch's own generator alone, which has each run's seed when the module is"
            " made"
        )
    if not torch.equal(first, again):
        raise ParameterError(
            f"draw of {kind} gives other weights when it is called again with seed 0, but {rule}."
        )
    if torch.equal(first, other) and any(
        part.unique().numel() > 1 for part in first.split([*_sizes(shapes)])
    ):
        raise ParameterError(
            f"draw of {kind} gives the same weights for seeds 0 and 1, but {rule}."
        )
    named: Mapping[str, Sequence[str]] = getattr(model, "groups", dict)()
    for unknown in sorted({n for names in named.values() for n in names} - set(shapes)):
        raise ParameterError(
            f"groups of {kind} names {unknown!r}, but shapes() has {', '.join(shapes)}."
        )
    last = list(getattr(model, "statistics", ()))
    if last and list(shapes)[-len(last) :] != last:
        raise ParameterError(
            f"statistics of {kind} are {last}, but must be the last of shapes(), {list(shapes)}."
        )
    if hasattr(model, "embeddings"):
        empty = {name: torch.empty(shape, device="meta") for name, shape in shapes.items()}
        tables = tried(f"embeddings of {kind}", lambda: model.embeddings(empty))
        good = isinstance(tables, tuple) and len(tables) in (1, 2)
        if not good or not all(isinstance(table, Tensor) and table.ndim == 2 for table in tables):
            rule = "must give a tuple of one or two tensors (n, d), a token a row"
            form = (
                type(tables).__name__
                if not isinstance(tables, tuple)
                else [tuple(t.shape) for t in tables]
            )
            raise ParameterError(f"embeddings of {kind} gives {form}, but {rule}.")


def _sizes(shapes: Mapping[str, Sequence[int]]) -> list[int]:
    return [torch.Size(shape).numel() for shape in shapes.values()]


def _check_numbers(config: Any) -> None:
    """Refuse an optimiser whose numbers end before the run does, or that are other ones when they
    are asked again."""
    kind, steps = called(config.optimizer), config.steps
    last = steps - 1 if isinstance(steps, int) and steps > 0 else 0
    found: dict[int, dict[str, float]] = {}
    for step in (0, last, 0):
        numbers = tried(
            f"numbers of {kind} at step {step}", partial(config.optimizer.numbers, step)
        )
        if not isinstance(numbers, dict) or not all(
            isinstance(value, int | float) for value in numbers.values()
        ):
            rule = "must give a dictionary of numbers"
            raise ParameterError(
                f"numbers of {kind} at step {step} gives {shown(numbers)}, but {rule}."
            )
        if found and set(numbers) != set(found[0]):
            names = f"{list(numbers)} at step {step} and {list(found[0])} at step 0"
            raise ParameterError(
                f"numbers of {kind} gives {names}, but must give the same names always."
            )
        if found.get(step, numbers) != numbers:
            rule = "must depend on the step alone"
            raise ParameterError(
                f"numbers of {kind} gives other ones when they are asked for again, but {rule}."
            )
        found[step] = dict(numbers)


def _check_optimizer(config: Any) -> None:
    """Refuse an optimiser that keeps what no state holds, draws at random, or moves nothing."""
    optimizer, shapes, kind = config.optimizer, config.model.shapes(), called(config.optimizer)
    state = tried(
        f"init of {kind}", lambda: optimizer.init(torch.zeros(2, sum(_sizes(shapes))), shapes)
    )
    if not isinstance(state, dict) or not all(
        isinstance(value, Tensor) for value in state.values()
    ):
        raise ParameterError(
            f"init of {kind} gives {shown(state)}, but must give a dictionary of tensors."
        )
    for name, value in state.items():
        if value.ndim < 1 or len(value) != 2:
            rule = "must have a row for each run: of 2 runs (2, ...)"
            raise ParameterError(
                f"init of {kind} gives {name} as {tuple(value.shape)}, but {rule}."
            )
    first = _moved(config, TRIED)
    again = _moved(config, TRIED)
    if not torch.allclose(first, again, rtol=0, atol=0, equal_nan=True):
        rule = "must keep all that it needs in state, and draw nothing at random"
        raise ParameterError(
            f"update of {kind} moves weights otherwise when it begins anew, but {rule}."
        )
    both = _moved(config, TRIED, runs=2)
    if (
        not torch.allclose(both[:1], first, rtol=1e-4, atol=1e-7, equal_nan=True)
        or both.any(1).unique().numel() > 1
    ):
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
    start = torch.randn(1, sum(_sizes(shapes)), generator=generator).repeat(runs, 1)
    weights = start.clone()
    state = optimizer.init(weights, shapes)
    groups: Mapping[str, Sequence[str]] = getattr(config.model, "groups", dict)()
    columns = Columns([optimizer] * runs, shapes, groups, weights)
    larger = 10.0 ** torch.arange(runs)[:, None]
    for step in range(updates):
        slopes = [
            torch.zeros(n) if name in still else torch.randn(n, generator=generator)
            for name, n in zip(shapes, _sizes(shapes), strict=True)
        ]
        before = {name: (value.shape, value.dtype) for name, value in state.items()}
        numbers = columns(min(step, config.steps - 1))
        slope = torch.cat(slopes) * larger
        move = partial(optimizer.update, weights, slope, state, numbers, shapes)
        given = tried(f"update of {kind}", move)
        if given is not None:
            what = f"update of {kind} gives a {type(given).__name__}"
            raise ParameterError(f"{what}, but must move weights and state in place.")
        after = {name: (value.shape, value.dtype) for name, value in state.items()}
        if after != before:
            rule = "must keep the names, shapes and types that init gave"
            raise ParameterError(
                f"update of {kind} makes the state {list(after)} of {list(before)}, but {rule}."
            )
    return weights - start


def _check_data(config: Any) -> None:
    """Refuse data that cannot be trained on: samples, answers, the training set, the parts of the
    test set."""
    task, kind = config.task, type(config.task).__name__
    inputs, targets, index = [array_of(config, name) for name in ASKED["task"][:3]]
    if len(inputs) != len(targets):
        raise ParameterError(
            f"targets of {kind} are {len(targets)}, but must be as many as inputs, {len(inputs)}."
        )
    if targets.dtype != np.int64 and not np.issubdtype(targets.dtype, np.floating):
        raise ParameterError(
            f"targets of {kind} are {targets.dtype}, but must be int64 labels or floats."
        )
    if targets.dtype == np.int64 and targets.ndim != 1:
        rule = f"labels are one for each sample, ({len(inputs)},)"
        raise ParameterError(f"targets of {kind} have shape {targets.shape}, but {rule}.")
    if not index.size:
        rule = f"must be different numbers from 0 to {len(inputs) - 1}, one or more"
        raise ParameterError(f"train_index of {kind} has shape {index.shape}, but {rule}.")
    check_index(index, len(inputs), f"train_index of {kind}")
    groups = tried(f"groups of {kind}", task.groups)
    if not isinstance(groups, Mapping):
        raise ParameterError(
            f"groups of {kind} gives {shown(groups)}, but must give a dictionary, {{}} for no"
            " parts."
        )
    again = tried(f"groups of {kind}", task.groups)
    for name, part in groups.items():
        said = f"the part {name!r} of groups of {kind}"
        check_part(np.asarray(part), len(inputs), index, said)
        if not np.array_equal(part, again.get(name)):
            raise ParameterError(f"{said} is another one when it is asked for again, but {SAME}.")
    outputs = _outputs(config)
    if np.issubdtype(targets.dtype, np.floating):
        if config.loss != "squared_error":
            raise ParameterError(
                f"targets of {kind} are {targets.dtype}, but loss = {config.loss!r} needs labels; "
                "for real targets choose squared_error, for labels targets.astype(np.int64)."
            )
        wanted = tuple(targets.shape[1:])
        if tuple(outputs.shape[1:]) != wanted:
            raise ParameterError(
                f"forward of {type(config.model).__name__} gives {tuple(outputs.shape[1:])} for"
                f" each sample, but the targets of {kind} are {wanted}."
            )
    elif outputs.ndim != 2 or not 0 <= targets.min() <= targets.max() < outputs.shape[1]:
        raise ParameterError(
            f"targets of {kind} are labels from {targets.min()} to {targets.max()}, but forward of"
            f" {type(config.model).__name__} gives {tuple(outputs.shape[1:])} for each sample; it"
            f" must give ({max(int(targets.max()), 0) + 1},) or more, and labels begin at 0."
        )


def _outputs(config: Any) -> Tensor:
    """What a network puts out for the first two samples, drawn where it is a reader's own, else of
    zeros."""
    model, task, kind = config.model, config.task, called(config.model)
    two = as_read(task, task.inputs[:2])
    own = "model" in own_parts(config)
    weights = (
        model.draw(0) if own else {n: torch.zeros(shape) for n, shape in model.shapes().items()}
    )
    said = f"forward of {kind} on inputs {tuple(two.shape)}, {two.dtype},"
    before = [part.clone() for part in (two, *weights.values())]
    states = _generators()
    with torch.no_grad():
        found = tried(said, lambda: model.forward({**weights}, two))
    if (
        not isinstance(found, Tensor)
        or found.ndim < 2
        or len(found) != len(two)
        or not found.is_floating_point()
    ):
        form = f"{found.dtype} {tuple(found.shape)}" if isinstance(found, Tensor) else shown(found)
        raise ParameterError(
            f"{said} gives {form}, but must give floats ({len(two)}, ...), a row for each sample."
        )
    if not own:
        return found
    for name, part, old in zip(
        ("its inputs", *weights), (two, *weights.values()), before, strict=True
    ):
        if not torch.equal(part, old):
            raise ParameterError(
                f"{said} writes {name} over, but must leave what it is given as it is."
            )
    with torch.no_grad():
        again = tried(said, lambda: model.forward({**weights}, two))
    if states != _generators() or not torch.allclose(found, again, rtol=0, atol=0, equal_nan=True):
        rule = "leave out dropout, noise and what counts calls"
        raise ParameterError(f"{said} gives other numbers when it is called again; {rule}.")
    names = [name for name in ("dropout", "statistics") if getattr(model, name, ())]
    more = [{"dropout": Tensor.clone, "statistics": {}}[name] for name in names]
    said = (
        f"forward of {kind}, which is given more arguments where a network has"
        f" {' and '.join(names)},"
    )
    with torch.no_grad():
        tried(said, lambda: model.forward({**weights}, two, *more))
    _check_apart(config, weights)
    _check_slopes(config, weights, two)
    return found


def _generators() -> str:
    """The state of every generator of the process."""
    key = np.random.get_state(legacy=False)["state"]["key"]
    return repr([random.getstate(), key.tolist(), torch.get_rng_state().tolist()])


def _check_apart(config: Any, weights: Mapping[str, Tensor]) -> None:
    """Refuse a network whose output for a sample depends on which other ones it is sent with."""
    model, inputs, kind = config.model, config.task.inputs, called(config.model)
    some = inputs[np.unique(np.linspace(0, len(inputs) - 1, 8).astype(int))]
    if len(some) < 4:
        return
    said = f"forward of {kind} on {len(some)} samples"

    def answers(part: np.ndarray) -> Tensor:
        return tried(said, lambda: model.forward({**weights}, as_read(config.task, part)))

    with torch.no_grad():
        whole, *halves = map(answers, (some, some[:4], some[4:]))
    near = 1e-5 * max(1.0, float(whole.abs().max()))
    if not torch.allclose(whole, torch.cat(halves), rtol=1e-3, atol=near, equal_nan=True):
        rule = (
            "what is logged is of all samples together, so each must be answered by itself (no mean"
            " over samples)"
        )
        raise ParameterError(
            f"forward of {kind} answers a sample by those it is sent with, but {rule}."
        )


def _check_slopes(config: Any, weights: Mapping[str, Tensor], inputs: Tensor) -> None:
    """Refuse outputs without slopes, and a parameter that has none and yet is moved, by decay."""
    model, kind = config.model, called(config.model)
    if getattr(model, "solved", False):
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
    found = dict(zip(leaves, slopes, strict=True))
    for name, slope in found.items():
        if slope is not None and slope.layout != torch.strided:
            raise ParameterError(
                f"forward of {kind} gives {name} a sparse slope, but runs need dense ones."
            )
    learned = set(weights) - set(getattr(model, "statistics", ()))
    still = [name for name in model.shapes() if found[name] is None and name in learned]
    if not still:
        return
    moved = _moved(config, TRIED, still).split(_sizes(model.shapes()), dim=1)
    for name, part in zip(model.shapes(), moved, strict=True):
        if name in still and part.any():
            why = (
                f"{name} has no slope in forward of {kind}, but {called(config.optimizer)} moves"
                " it, by its decay"
            )
            raise ParameterError(f"{why}; leave it out, or give it a group of weight_decay = 0.")
