"""The code of a run of which a reader wrote a part: known by its source, as far as that is the code that runs, or not.

The fingerprint of a run of the library's own classes is that of their modules. Where a class or a function is not the
library's, it also covers the source of that class, its bases, the functions and values that it takes from outside, and
every module reached that is neither of Python nor installed (an editable one is the reader's own). Source counts only
where it compiles to the code that runs: a file that was changed and not loaded again is not known.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterator
from contextlib import ContextDecorator, _GeneratorContextManager
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cached_property, partial
from pathlib import Path
from types import (
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np
import torch

from grokbook.fingerprint import code_digest, fingerprint, imported_by, parsed
from grokbook.own_source import (
    Unknown,
    cell_digest,
    cells_of,
    codes_of,
    full_name,
    functions_in,
    globals_of,
    is_filed,
    is_generated,
    is_installed,
    module_source,
    of_library,
    placed,
    spec_of,
    verify,
    whose,
)

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_ABOUT = ("module", "doc", "dict", "weakref", "annotations", "match_args", "dataclass_fields", "dataclass_params")
_ABOUT += ("static_attributes", "firstlineno", "abstractmethods")


@dataclass(frozen=True)
class Code:
    """The code of a run: its `digest`, 16 hexadecimal digits, None where `why` says that it is not known.

    `parts` are what a record names of it: modules of the library, full names of classes and functions of a reader's own
    (`own`: whether there are any, or a watch of theirs). `probe` is a digest of what own code computes with seed 0.
    """

    digest: str | None
    parts: tuple[str, ...]
    own: bool = False
    why: str = ""
    probe: str | None = None


def spelled(value: Any) -> Any:
    """A value that is no plain one as a key has it: names of functions and classes, arrays by all of their numbers.

    Example:
        >>> spelled(partial(spelled, 1))
        {'partial': 'grokbook.own_code.spelled', 'given': [1], 'named': {}}
        >>> spelled(torch.nn.functional.gelu)
        'torch._C._nn.gelu'
    """
    if isinstance(value, partial):
        named = {name: spelled(part) for name, part in sorted(value.keywords.items())}
        return {"partial": spelled(value.func), "given": [spelled(part) for part in value.args], "named": named}
    if isinstance(value, np.ndarray | torch.Tensor):
        table = np.asarray(value.detach().cpu() if isinstance(value, torch.Tensor) else value)
        digest = hashlib.sha256(np.ascontiguousarray(table).tobytes()).hexdigest()
        return [type(value).__name__, str(table.dtype), list(table.shape), digest]
    if isinstance(value, FunctionType | type):
        return full_name(value)
    return _by_name(value) or value


def code_behind(*parts: Any) -> Code:
    """The code behind the parts of a run (task, network, optimiser): their classes, and what their fields hold."""
    walk, names = _Walk(), {kind.__module__ for part in parts for kind in held(part) if of_library(kind)}
    try:
        own = sorted({id(root): root for part in parts for root in _roots(part)}.values(), key=full_name)
        for root in own:
            walk.value(root)
    except Unknown as error:
        return Code(None, tuple(sorted(names)), True, str(error))
    return _known(names, own, walk)


def code_named(parts: list[str]) -> Code | None:
    """The present code of what `Code.parts` names; None where a part is not there or not known."""
    walk, own = _Walk(), [_named(name) for name in parts if not of_library(name)]
    try:
        for root in own:
            walk.value(root)
    except Unknown:
        return None
    return None if None in own else _known({name for name in parts if of_library(name)}, own, walk)


def _known(names: set[str], own: list[Any], walk: _Walk) -> Code:
    library = fingerprint(*sorted(names | walk.library))
    lines = [library, *sorted(walk.lines)]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16] if own else library
    return Code(digest, tuple(sorted(names | {full_name(root) for root in own})), bool(own))


def _named(name: str) -> Any:
    """The class or function of a full name, where its module is loaded."""
    pieces = name.split(".")
    for end in range(len(pieces) - 1, 0, -1):
        if found := sys.modules.get(".".join(pieces[:end])):
            for piece in pieces[end:]:
                found = getattr(found, piece, None)
            return found
    return None


def held(value: Any) -> Iterator[Any]:
    """The class of a part of a run, and what its fields hold that is no plain value, classes of parts in it too.

    Example:
        >>> [kind.__name__ for kind in held(Code(None, ()))]
        ['Code']
    """
    if is_dataclass(value) and not isinstance(value, type):
        yield type(value)
        yield from held([getattr(value, field.name) for field in fields(value)])
    elif isinstance(value, partial):
        yield from held([value.func, *value.args, *value.keywords.values()])
    elif isinstance(value, tuple | list | set | frozenset | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from held(inner)
    elif not isinstance(value, (*_PLAIN, np.ndarray, np.generic, torch.Tensor, torch.dtype)):
        yield value


def is_own(watch: Any) -> bool:
    """Whether a function, or what it was given by `functools.partial`, is not of the library.

    Example:
        >>> is_own(partial(spelled, 1)), is_own(partial(len))
        (False, True)
    """
    return not all(of_library(value) for value in held(watch))


def _roots(part: Any) -> Iterator[Any]:
    """The classes and functions of a reader's own in a part of a run; raises Unknown for what has no name."""
    for value in held(part):
        if isinstance(value, FunctionType):
            _refuse_nameless(value)
        elif not isinstance(value, type | Enum) and not _by_name(value):
            raise Unknown(f"a field holds an object of {full_name(type(value))}, which cannot be written down")
        root = type(value) if isinstance(value, Enum) else value
        if isinstance(root, FunctionType | type) and not of_library(root):
            yield root


def _by_name(value: Any) -> str | None:
    """The name of a callable that is installed and no method of some object; None for anything else."""
    holder = getattr(value, "__self__", None)
    module = getattr(value, "__module__", None) or getattr(holder, "__name__", None)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if callable(value) and module and name and isinstance(holder, ModuleType | type | None):
        return f"{module}.{name}" if whose(module) == "installed" else None
    return None


def _refuse_nameless(function: FunctionType) -> None:
    """Refuse a function that its name does not tell from another one."""
    if "<lambda>" in function.__qualname__:
        raise Unknown(f"a lambda of {function.__module__} has no name; give it one with def")
    values = [name for name, cell in cells_of(function) if not _tells(cell.cell_contents)]
    if values:
        raise Unknown(f"{full_name(function)} is a closure over {values[0]}; give it that with functools.partial")


def _tells(held: Any) -> bool:
    """Whether what a function holds of those around it is code, or a context that decorates it.

    torch.no_grad() leaves a method of one of its objects there, contextlib the context itself.
    """
    return isinstance(held, FunctionType | type | MethodType | ContextDecorator)


class _Walk:
    """Goes through what own code reaches, and notes a line for each class, function and module."""

    def __init__(self) -> None:
        self.library: set[str] = set()
        self.lines: set[str] = set()
        self.seen: dict[int, Any] = {}  # the objects themselves, so that no number is used twice

    def value(self, value: Any) -> str:
        """A value as it is written down; what it reaches is noted. Raises Unknown."""
        if isinstance(value, _PLAIN):
            return repr(value)
        if isinstance(value, ModuleType):
            return self.module(value.__name__)
        if isinstance(value, type):
            return self.kind(value)
        if isinstance(value, FunctionType):
            return self.function(value)
        if isinstance(value, tuple | list | set | frozenset):
            inner = [self.value(part) for part in value]
            return f"{type(value).__name__}{sorted(inner) if isinstance(value, set | frozenset) else inner}"
        if isinstance(value, dict):
            return f"dict{[(self.value(name), self.value(part)) for name, part in value.items()]}"
        if isinstance(value, partial):
            return f"partial{self.value((value.func, value.args, value.keywords))}"
        if isinstance(value, np.ndarray | torch.Tensor):
            return str(spelled(value))
        if isinstance(value, np.generic | torch.dtype | torch.device | Path):
            return repr(value)
        if isinstance(value, Enum):
            return f"{self.kind(type(value))}.{value.name}"
        return self.other(value)

    def other(self, value: Any) -> str:
        """A value of a rarer kind."""
        if isinstance(value, staticmethod | classmethod):
            return self.value(value.__func__)
        if isinstance(value, MethodType) and whose(type(value.__self__).__module__) == "installed":
            return f"{full_name(value.__func__)}{self.value(vars(value.__self__))}"
        if isinstance(value, _GeneratorContextManager):
            return self.value((value.func, value.args, value.kwds))
        if isinstance(value, property):
            return self.value((value.fget, value.fset, value.fdel))
        if isinstance(value, cached_property):
            return self.value(value.func)
        if isinstance(wrapped := getattr(value, "__wrapped__", None), FunctionType):
            return f"{full_name(type(value))}({self.value(wrapped)})"
        if is_dataclass(value):
            return f"{self.kind(type(value))}{[self.value(getattr(value, f.name)) for f in fields(value)]}"
        if named := _by_name(value):
            return named
        if type(value).__module__ == "typing" or isinstance(value, MemberDescriptorType | GetSetDescriptorType):
            return repr(value)
        raise Unknown(f"it takes an object of {full_name(type(value))} from outside, which cannot be written down")

    def kind(self, kind: type) -> str:
        """A class, its bases and what its functions reach."""
        name, place = full_name(kind), whose(placed(kind))
        if place == "library":
            self.library.add(kind.__module__)
        if place != "own" or id(kind) in self.seen:
            return name
        self.seen[id(kind)] = kind
        about = {"_abc_impl", *(f"__{n}__" for n in _ABOUT)}
        members = {n: m for n, m in vars(kind).items() if n not in about and not is_generated(kind, m)}
        code = [function.__code__ for member in members.values() for function in functions_in(member)]
        filed = is_filed(kind.__module__, code)
        bases = [self.kind(base) for base in (*kind.__bases__, type(kind))]
        if filed:
            self.module(kind.__module__)
            verify(kind.__module__, code)
            found = {n: repr(m) for n, m in members.items() if isinstance(m, _PLAIN)}
        else:
            found = {n: self.value(m) for n, m in members.items()}
        self.lines.add(f"{name}:{bases}:{sorted(found.items())}")
        return name

    def function(self, function: FunctionType) -> str:
        """A function: its source, defaults, and the globals that it uses."""
        name, place = full_name(function), whose(placed(function))
        if place == "library":
            self.library.add(function.__module__)
        if place != "own" or id(function) in self.seen:
            return name
        self.seen[id(function)] = function
        _refuse_nameless(function)
        cells = [cell.cell_contents for n, cell in cells_of(function) if n != "__class__"]
        defaults = [function.__defaults__, function.__kwdefaults__]
        if is_filed(function.__module__, [function.__code__]):
            self.module(function.__module__)
            verify(function.__module__, [function.__code__])
            source = ""
        else:
            source = cell_digest(function)
            for used in globals_of(function):
                self.lines.add(f"{name}:{used}={self.value(function.__globals__[used])}")
        self.lines.add(f"{name}:{source}:{self.value(defaults)}:{[self.value(content) for content in cells]}")
        return name

    def module(self, name: str) -> str:
        """A module, and where it is the reader's own its source and what it imports."""
        place = whose(name)
        if place == "library":
            self.library.add(name)
            values = vars(sys.modules[name]).values() if hasattr(sys.modules.get(name), "__path__") else ()
            for value in (one for one in values if not isinstance(one, str)):
                self.library |= {value.__module__} if of_library(value) else set()
        if place != "own" or name in self.seen:
            return name
        self.seen[name] = name
        module = sys.modules[name]
        self.reach(name.rpartition(".")[0])
        if getattr(module, "__file__", None) is None and hasattr(module, "__path__"):
            return name  # a folder without code
        source, _ = module_source(name)
        written = {n for node in ast.walk(parsed(source)) if isinstance(node, ast.Global) for n in node.names}
        values = {
            n: repr(v) for n, v in vars(module).items()
            if isinstance(v, _PLAIN) and n not in written and not n.startswith("__")
        }  # fmt: skip
        verify(name, [code for value in vars(module).values() for code in codes_of(value, name)])
        self.lines.add(f"{name}:{code_digest(source)}:{sorted(values.items())}")
        package = name if hasattr(module, "__path__") else name.rpartition(".")[0]
        for imported in sorted(imported_by(source, package)):
            self.reach(imported)
        return name

    def reach(self, name: str) -> None:
        """A name that own code imports, which may be a module or something in one."""
        holder, _, piece = name.rpartition(".")
        if name in sys.modules:
            self.module(name)
        elif holder in sys.modules:
            if of_library(found := getattr(sys.modules[holder], piece, None)):
                self.library.add(found.__module__)
        elif name and "." not in name and (spec := spec_of(name)) and spec.origin and not is_installed(spec.origin):
            source = Path(spec.origin).read_text(encoding="utf-8") if spec.origin.endswith(".py") else ""
            self.lines.add(f"{name}, not loaded yet:{code_digest(source)}")
