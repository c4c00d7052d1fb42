"""The code of a run of which a reader wrote a part: the files it stands in (`training.identity`:
what it computes).

The library's own classes are known by their names, and by `NUMBERS` (`grokbook.training.config`). A
class or function of a reader's own is known by the bytes of its module's file and of the reader's
modules that are reached from it, in a notebook by the text of its cells. Where there is no source,
or the file is not what runs, nothing is known.
"""

from __future__ import annotations

import hashlib
import inspect
import io
import linecache
import pickle
import re
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
import torch

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
PACKAGES = ("grokbook", "companion", "grokbook_chapters")
"""The packages of this distribution: what stands in them is the library's."""
_WRITTEN = 1 << 9
"""CPython's flag of classes that are made while a program runs (Py_TPFLAGS_HEAPTYPE)."""
_PYTHON = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib"))


class Unknown(Exception):
    """Code that cannot be known again, and why."""


@dataclass(frozen=True)
class Code:
    """The code of a run: its `digest`, 16 hexadecimal digits, None where `why` says that it is not
    known.

    It is empty where no part is a reader's `own`. `probe` is a digest of what own code computes
    with seed 0.
    """

    digest: str | None = ""
    own: bool = False
    why: str = ""
    probe: str | None = None


def of_library(thing: Any) -> bool:
    """Whether a class or function, or a module by its name, is the library's.

    Example:
        >>> of_library(Unknown), of_library(Path), of_library("grokbook.tasks")
        (True, False, True)
    """
    module = thing if isinstance(thing, str) else getattr(thing, "__module__", None) or ""
    return module.partition(".")[0] in PACKAGES


def full_name(thing: Any) -> str:
    """Module and qualified name of a class or function.

    Example:
        >>> full_name(Path)
        'pathlib.Path'
    """
    return f"{thing.__module__}.{thing.__qualname__}"


def spelled(value: Any) -> Any:
    """A value that is no plain one as a key has it: names of functions and classes, arrays by all
    of their numbers.

    Example:
        >>> spelled(partial(spelled, 1))
        {'partial': 'grokbook.own_code.spelled', 'given': [1], 'named': {}}
        >>> spelled(torch.nn.functional.gelu)
        'torch._C._nn.gelu'
    """
    if isinstance(value, partial):
        named = {name: spelled(part) for name, part in sorted(value.keywords.items())}
        return {
            "partial": spelled(value.func),
            "given": [spelled(part) for part in value.args],
            "named": named,
        }
    if isinstance(value, np.ndarray | torch.Tensor):
        table = np.asarray(value.detach().cpu() if isinstance(value, torch.Tensor) else value)
        digest = hashlib.sha256(np.ascontiguousarray(table).tobytes()).hexdigest()
        return [type(value).__name__, str(table.dtype), list(table.shape), digest]
    if isinstance(value, FunctionType | type):
        return full_name(value)
    return _installed_name(value) or value


def held(value: Any) -> Iterator[Any]:
    """The class of a part of a run, and what its fields hold that is no plain value, classes of
    parts in it too.

    Example:
        >>> [kind.__name__ for kind in held(Code())]
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
    elif not isinstance(value, (*PLAIN, np.ndarray, np.generic, torch.Tensor, torch.dtype)):
        yield value


def is_own(watch: Any) -> bool:
    """Whether a function, or what it was given by `functools.partial`, is not of the library.

    Example:
        >>> is_own(partial(spelled, 1)), is_own(partial(len))
        (False, True)
    """
    return not all(of_library(value) for value in held(watch))


def code_behind(*parts: Any, watches: Mapping[str, Any] | None = None) -> Code:
    """The code behind the parts of a run (task, network, optimiser): their classes, and what their
    fields hold.

    Beside these what looks into it, by name: `watches` may be lambdas, closures, methods and
    objects.
    """
    sources = _Sources()
    roots: list[Any] = []
    try:
        sources.lines.add(_content(list(held(parts)), roots))
        for name, watch in (watches or {}).items():
            sources.lines.add(f"{name}: {_content(watch, roots)}")
        for root in roots:
            sources.enter(root)
    except (Unknown, RecursionError) as error:  # a table may hold itself
        return Code(None, True, str(error))
    if not roots and not watches:
        return Code()
    lines = "\n".join(sorted(sources.lines))
    return Code(hashlib.sha256(lines.encode()).hexdigest()[:16], True)


class _Pickler(pickle.Pickler):
    """Pickles functions by their places in their files and by what they were given, tables by their
    numbers; notes the functions and classes that are not the library's in `roots`."""

    def __init__(self, stream: io.BytesIO, roots: list[Any]) -> None:
        super().__init__(stream)
        self.fast = True  # equal values give equal bytes, whether or not they are one object
        self.roots = roots

    def reducer_override(self, value: Any) -> Any:
        """How a value is pickled: NotImplemented for the usual way."""
        if isinstance(value, ModuleType):
            return str, (value.__name__,)
        if isinstance(value, torch.Tensor | np.ndarray):
            return tuple, (spelled(value),)
        if not isinstance(value, FunctionType | type) or is_builtin(value):
            return NotImplemented
        if not of_library(value):
            self.roots.append(value)
        if isinstance(value, type) or of_library(value):
            return str, (full_name(value),)
        # two functions of one line differ in their places
        given: list[Any] = [full_name(value), list(value.__code__.co_positions())]
        given += [value.__defaults__, value.__kwdefaults__]
        for cell in value.__closure__ or ():
            content = cell.cell_contents
            # the order of a set is another one in another process
            is_set = isinstance(content, set | frozenset)
            given.append(sorted(map(repr, content)) if is_set else content)
        return list, (given,)


def _content(value: Any, roots: list[Any]) -> str:
    """A digest of parts of a run, or of a watch, and all that they hold. Raises Unknown for what
    cannot be written down, such as an open file."""
    stream = io.BytesIO()
    try:
        _Pickler(stream, roots).dump(value)
    except (TypeError, AttributeError, ValueError, RecursionError, pickle.PicklingError) as error:
        raise Unknown(f"it holds what cannot be written down ({error})") from None
    return hashlib.sha256(stream.getvalue()).hexdigest()


def _installed_name(value: Any) -> str | None:
    """The name of a callable that is installed and no method of some object; None for anything
    else."""
    holder = getattr(value, "__self__", None)
    module = getattr(value, "__module__", None) or getattr(holder, "__name__", None)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    free = callable(value) and isinstance(holder, ModuleType | type | None)
    return f"{module}.{name}" if free and module and name and _is_installed(module) else None


def _is_installed(module: str) -> bool:
    """Whether a module is Python's own or of a distribution that is not editable; one that an
    extension made, too."""
    loaded = sys.modules.get(module)
    file = getattr(loaded, "__file__", None)
    if file is None and "." in module and getattr(loaded, "__spec__", None) is None:
        return _is_installed(module.rpartition(".")[0])
    if file is None:
        return module.partition(".")[0] in {*sys.stdlib_module_names} - {"__main__"}
    path = Path(file).resolve()
    return bool({"site-packages", "dist-packages"} & set(path.parts)) or any(
        map(path.is_relative_to, _PYTHON)
    )


def is_builtin(kind: Any) -> bool:
    """Whether a class is the interpreter's own: what `exec` makes without a `__name__` says that it
    is, too.

    Example:
        >>> is_builtin(dict), is_builtin(type("Made", (), {"__module__": "builtins"}))
        (True, False)
    """
    return isinstance(kind, type) and not kind.__flags__ & _WRITTEN


class _Sources:
    """The sources that own code is reached in: a line for each file, cell, and plain value that is
    set beside them."""

    def __init__(self) -> None:
        self.lines: set[str] = set()
        self.entered: dict[int, Any] = {}  # the objects themselves, so that no number is used twice

    def enter(self, thing: Any) -> None:
        """Note the sources of a module, class or function, and of what it reaches. Raises
        Unknown."""
        if not isinstance(thing, ModuleType | type | FunctionType):
            return
        is_module = isinstance(thing, ModuleType)
        module = thing.__name__ if is_module else thing.__module__ or ""
        if id(thing) in self.entered or of_library(module):
            return
        self.entered[id(thing)] = thing
        if module == "builtins" and not is_module and not is_builtin(thing):
            raise Unknown(
                f"{thing.__qualname__} was made by exec without a __name__, so has no source"
            )
        if _is_installed(module):
            return
        if isinstance(thing, ModuleType):
            self.module(thing)
        elif _of_cell(thing):
            self.cell(thing)
        else:
            self.enter(sys.modules[module])
        if isinstance(thing, type):
            for base in (*thing.__bases__, type(thing)):
                self.enter(base)

    def module(self, module: ModuleType) -> None:
        """Note the file of a module, the plain values in it, and go on to what it names."""
        name = module.__name__
        file = getattr(module, "__file__", None)
        if file is None:
            return  # a folder without code, or the cells of a notebook, which are noted one by one
        try:
            source = Path(file).read_bytes()
            compiled = set(_inside(compile(source, file, "exec", dont_inherit=True)))
        except (OSError, SyntaxError, ValueError):
            raise Unknown(f"the module {name} has no source") from None
        self.lines.add(f"{name}:{hashlib.sha256(source).hexdigest()}")
        text = source.decode(errors="replace")
        self.values(name, vars(module), text)
        for value in vars(module).values():
            if getattr(value, "__module__", None) != name:  # its own are in the file
                self.enter(value)
            elif isinstance(value, type):
                self.values(full_name(value), vars(value), text)
            for function in _functions(value, name):
                _refuse_not_loaded(function, file, compiled)
        self.imported(text)
        self.enter(sys.modules.get(name.rpartition(".")[0]))

    def cell(self, thing: type | FunctionType) -> None:
        """Note the cell of a class or function of a notebook, and go on to what it names."""
        if isinstance(thing, type):
            self.values(full_name(thing), vars(thing))
        for function in _functions(thing, thing.__module__):
            file = function.__code__.co_filename
            linecache.checkcache(file)
            source = "".join(linecache.getlines(file, function.__globals__))
            if not source:
                raise Unknown(f"the source of {full_name(thing)} is not there")
            self.lines.add(f"{full_name(thing)}:{source}")
            names: set[str] = set()
            for code in _inside(function.__code__):
                names.update(code.co_names)
            used = {name: function.__globals__.get(name) for name in names}
            for value in used.values():
                self.enter(value)
            for free in function.__closure__ or ():
                self.enter(free.cell_contents)
            self.values(full_name(function), used, source)
            self.imported(source)

    def values(self, where: str, values: Mapping[str, Any], source: str = "") -> None:
        """Note plain values and tables of them, which act late perhaps, where
        `training.identity.probe` does not see them; not what the source itself counts or fills."""
        for name, value in values.items():
            noted = None if name.startswith("__") else _as_noted(value)
            if noted is not None and not _is_changed_by(source, name):
                self.lines.add(f"{where}.{name} = {noted}")

    def imported(self, source: str) -> None:
        """Go on to the loaded modules that a source imports, in its functions too; those of its
        own package are reached from that."""
        for line in re.findall(r"\b(?:from|import)\s.*", source):
            for name in re.findall(r"[\w.]+", line):
                self.enter(sys.modules.get(name))


def _as_noted(value: Any) -> str | None:
    """How a plain value or a table, a container or array, is noted; None for anything else, and for
    None, which waits to be set."""
    if value is None:
        return None
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, np.ndarray | torch.Tensor):
        return repr(spelled(value))
    if isinstance(value, dict):
        value = list(value.items())
    if isinstance(value, set | frozenset):
        # the order of a set is another one in another process
        return repr(sorted(map(_entry, value)))
    return repr([_entry(entry) for entry in value]) if isinstance(value, list | tuple) else None


def _entry(value: Any) -> str:
    """How an entry of a table is noted: what is no plain value or table by the name of its kind."""
    noted = _as_noted(value)
    if noted is not None:
        return noted
    is_named = isinstance(value, FunctionType | type)
    return full_name(value if is_named else type(value))


_FILLING = "append|add|update|setdefault|extend|insert|pop|popitem|clear|remove|discard"


def _is_changed_by(source: str, name: str) -> bool:
    """Whether a source changes what has this name while it runs, as a count or a cache is."""
    called = re.escape(name)
    ways = (
        rf"^\s*global .*\b{called}\b",
        rf"\b{called}\s*\[[^]\n]*\]\s*[-+*/|&^%@]*=(?!=)",
        rf"\b{called}\s*[-+*/|&^%@]+=",
        rf"\b{called}\.({_FILLING})\(",
        rf"\.{called}\s*=(?!=)",
    )
    return re.search("|".join(ways), source, re.MULTILINE) is not None


def _functions(value: Any, module: str) -> Iterator[FunctionType]:
    """The functions of a class or function of a module, as they are written: not those that
    `dataclass` wrote."""
    if getattr(value, "__module__", None) != module:
        return
    for member in vars(value).values() if isinstance(value, type) else [value]:
        parts = [member]
        for wrapped in ("__func__", "fget", "fset", "func"):
            parts.append(getattr(member, wrapped, None))
        for part in parts:
            function = inspect.unwrap(part) if isinstance(part, FunctionType) else None
            if function and not _is_generated(value, function):
                yield function


def _is_generated(kind: Any, function: FunctionType) -> bool:
    """Whether a function of a class was written by `dataclass`, from the fields alone."""
    return (
        is_dataclass(kind)
        and function.__code__.co_filename == "<string>"
        and function.__name__[:2] == "__"
    )


def _of_cell(written: Any) -> bool:
    """Whether a class or function is of no file of its module's name: written in a notebook, or in
    a text."""
    file = getattr(sys.modules.get(written.__module__), "__file__", None)
    if not file:
        return True
    names = [Path(f.__code__.co_filename).name for f in _functions(written, written.__module__)]
    return bool(names) and Path(file).name not in names


def _refuse_not_loaded(function: FunctionType, file: str, compiled: set[CodeType]) -> None:
    """Raise Unknown where a function of a file is not what the file compiles to."""
    code = function.__code__
    is_of_file = Path(code.co_filename).name == Path(file).name
    # a runner of tests rewrites what asserts
    if is_of_file and code not in compiled and "@py" not in str(code.co_names):
        raise Unknown(
            f"{file} is not the source of the {function.__module__} that runs: it was changed"
            " and not loaded again"
        )


def _inside(code: CodeType) -> Iterator[CodeType]:
    """A code and those of the functions inside it."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _inside(part)
