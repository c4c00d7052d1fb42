"""A module of torch as the network of a run: its parameters by their names, its forward pass as a
function of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

from grokbook.errors import ParameterError, checked_call, shown
from grokbook.machine import plain_torch
from grokbook.models.networks import Parameters, Shapes
from grokbook.training.contract import as_read


@dataclass(frozen=True)
class TorchModule:
    """A torch.nn.Module as a network: its parameters by their names, its forward pass as a function
    of them.

    Made by `from_module`, which says what is refused.
    """

    factory: Callable[[], nn.Module]

    @property
    def adapted(self) -> str:
        """What it is made of, as a sentence calls it."""
        maker = self.factory.func if isinstance(self.factory, partial) else self.factory
        return f"from_module({getattr(maker, '__name__', type(maker).__name__)})"

    def shapes(self) -> Shapes:
        """Name and shape of every parameter, in the order of the module."""
        return {name: tuple(part.shape) for name, part in _made(self.factory).named_parameters()}

    def draw(self, seed: int) -> dict[str, Tensor]:
        """The parameters of a fresh module, made after torch.manual_seed(seed); torch's generator
        is put back."""
        drawn = _fresh(self.factory, seed).named_parameters()
        return {name: part.detach().clone() for name, part in drawn}

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """What the module puts out with these parameters (torch.func.functional_call)."""
        return functional_call(_made(self.factory), dict(weights), (inputs,))

    @plain_torch()
    def check(self, task: Any) -> None:
        """Raise ParameterError where runs would lose a part of the module.

        That it can answer the task is known before (`grokbook.training.contract`).
        """
        _made.cache_clear()  # what the factory reads may have been set to another value
        x = as_read(task, task.inputs[:2])
        for seed in (0, 1):
            self._check_whole(seed, x)

    def _check_whole(self, seed: int, x: Tensor) -> None:
        """Compare outputs and slopes with those of the module itself, and the module with what a
        call leaves of it."""
        kind = self.adapted
        module = _fresh(self.factory, seed)
        before = _state(module)
        alone = module(x)
        for name, value in _state(module).items():
            if name not in before or not torch.equal(value, before[name]):
                raise ParameterError(
                    f"a call of {kind} changes its {name}, but runs share one; leave that out."
                )
        weights = {name: part.requires_grad_() for name, part in self.draw(seed).items()}
        outputs = self.forward(weights, x)
        if not torch.allclose(alone, outputs, rtol=1e-4, atol=1e-6):
            raise ParameterError(
                f"{kind} gives other outputs than the module itself for seed {seed}: it has random"
                " state that is no parameter, which runs lose."
            )
        alone.square().sum().backward()
        outputs.square().sum().backward()
        for name, part in module.named_parameters():
            if not torch.allclose(_slope(weights[name]), _slope(part), rtol=1e-3, atol=1e-6):
                raise ParameterError(
                    f"{kind} has a hook that changes the slope of {name}, which runs lose."
                )
        module.eval()
        with torch.no_grad():
            evaluated = module(x)
        if not torch.allclose(alone, evaluated, rtol=1e-4, atol=1e-6):
            rule = "runs stay in the mode for training; leave out what depends on self.training"
            raise ParameterError(f"{kind} gives other outputs after .eval(), but {rule}.")


def _slope(part: Tensor) -> Tensor:
    return torch.zeros_like(part) if part.grad is None else part.grad


@dataclass(frozen=True)
class EmbeddingModule(TorchModule):
    """A torch.nn.Module whose parameter `embedding` holds a token a row: its measures are logged,
    its table is kept."""

    embedding: str

    def embeddings(self, weights: Mapping[str, Any]) -> tuple[Any, ...]:
        """The table (n, d)."""
        return (weights[self.embedding],)


@checked_call
@plain_torch()
def from_module(factory: Callable[[], nn.Module], *, embedding: str | None = None) -> TorchModule:
    """Any torch.nn.Module as a network that `train` takes: several seeds of it are one program
    where that pays.

    Args:
        factory: what makes a fresh module: a class, a function, or functools.partial of one. Give
            it a name (no lambda), so that its runs can be kept.
        embedding: the name of a parameter (n, d) with a token a row, such as "embed.weight"; then
            every measure of an embedding is logged and tables are kept.

    Raises ParameterError for a module in place of what makes one; no parameters, frozen or lazy
    ones; and buffers that differ between seeds. A run refuses parameters that are not float32,
    dropout, and layers that take statistics of batches, such as BatchNorm.

    Example:
        >>> from functools import partial
        >>> from_module(partial(nn.Linear, 3, 2)).shapes()
        {'weight': (2, 3), 'bias': (2,)}
    """
    if isinstance(factory, nn.Module) or not callable(factory):
        rule = "must be what makes a module: a class, a function, or functools.partial(Net, 64)"
        given = (
            f"{type(factory).__name__}(...)" if isinstance(factory, nn.Module) else shown(factory)
        )
        raise ParameterError(f"factory = {given} {rule}.")
    _made.cache_clear()  # what the factory reads may have been set to another value
    try:
        module = _made(factory)
    except Exception as error:  # whatever a reader's factory raises
        raise ParameterError(
            f"factory fails: {type(error).__name__}: {str(error).partition(chr(10))[0]}."
        ) from error
    if not isinstance(module, nn.Module):
        raise ParameterError(f"factory gives {shown(module)}, but must give a torch.nn.Module.")
    parts = dict(module.named_parameters())
    if not parts:
        raise ParameterError(
            f"factory gives a {type(module).__name__} without parameters; a run trains some."
        )
    _refuse_what_is_not_carried(module, factory)
    if embedding is None:
        return TorchModule(factory)
    if embedding not in parts or parts[embedding].ndim != 2:
        tables = [name for name, part in parts.items() if part.ndim == 2]
        raise ParameterError(
            f"embedding = {shown(embedding)} is no table of the module's; choose of"
            f" {', '.join(tables)}."
        )
    return EmbeddingModule(factory, embedding)


def _refuse_what_is_not_carried(module: nn.Module, factory: Callable[[], nn.Module]) -> None:
    """Refuse what a run would lose: frozen or lazy parameters, and buffers that each seed draws
    anew.

    A run carries parameters alone, all of them trained; everything else of the module is that of
    seed 0 in every run.
    """
    for name, part in module.named_parameters():
        if isinstance(part, nn.parameter.UninitializedParameter):
            raise ParameterError(
                f"{name} has no shape yet, but runs need it; give the layer its sizes."
            )
        if not part.requires_grad:
            raise ParameterError(
                f"{name} does not require a gradient, but runs train all of them; make it a buffer."
            )
    places = []
    for name, part in module.named_parameters():
        if part.numel():
            places.append((part.data_ptr(), part.data_ptr() + 4 * part.numel(), name))
    for (_, end, name), (begin, _, another) in pairwise(sorted(places)):
        if begin < end:
            rule = "make them one parameter"
            raise ParameterError(
                f"{name} and {another} are two parameters of the same numbers; {rule}."
            )
    other = _fresh(factory, 1)
    theirs = dict(other.named_parameters())
    for name, part in module.named_parameters():
        if theirs.get(name) is part:
            raise ParameterError(
                f"{name} is one object in every module of factory; let it make one each time."
            )
    tables = dict(other.named_buffers())
    for name, table in module.named_buffers():
        if name not in tables or not torch.equal(table, tables[name]):
            raise ParameterError(
                f"the buffer {name} differs between seeds, but runs share one; make it fixed."
            )


@lru_cache(maxsize=64)
def _made(factory: Callable[[], nn.Module]) -> nn.Module:
    """The module whose forward pass is used, with any parameters."""
    return _fresh(factory, 0)


def _state(module: nn.Module) -> dict[str, Tensor]:
    """Buffers and numbers of a module and of those in it, by name."""
    state = {f"buffer {name}": table.clone() for name, table in module.named_buffers()}
    for inside, part in module.named_modules():
        for name, value in vars(part).items():
            if isinstance(value, int | float):
                state[f"{inside}.{name}".lstrip(".")] = torch.tensor(float(value)).nan_to_num()
    return state


@plain_torch()
def _fresh(factory: Callable[[], nn.Module], seed: int) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return factory()
