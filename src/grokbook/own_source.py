"""Source of a reader's own classes and functions, as far as it compiles to the code that runs."""

from __future__ import annotations
import __future__

import ast
import dis
import importlib.util
import linecache
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from grokbook.fingerprint import code_digest

_FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names} - {0x10})
_PYTHON = tuple({Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")})
_WRITTEN = 1 << 9  # Py_TPFLAGS_HEAPTYPE: no class of the interpreter itself
_MADE = ("init", "repr", "eq", "hash", "setattr", "delattr", "lt", "le", "gt", "ge", "replace")


class Unknown(Exception):
    """What has no fingerprint, and why."""


def of_library(thing: Any) -> bool:
    """Whether a class or function, or a module by its name, is the library's.

    Example:
        >>> of_library(Unknown), of_library(Path), of_library("grokbook.tasks")
        (True, False, True)
    """
    module = thing if isinstance(thing, str) else getattr(thing, "__module__", None) or ""
    return f"{module}.".startswith("grokbook.")


def full_name(thing: Any) -> str:
    """Module and qualified name of a class or function.

    Example:
        >>> full_name(Path)
        'pathlib.Path'
    """
    return f"{thing.__module__}.{thing.__qualname__}"


def placed(thing: Any) -> str:
    """The module of a class or function.

    Raises Unknown for one that `exec` made where no `__name__` was: Python takes it for a builtin.
    """
    module = thing.__module__ or ""
    written = isinstance(thing, FunctionType) or thing.__flags__ & _WRITTEN
    if module == "builtins" and written:
        raise Unknown(f"{thing.__qualname__} was made by exec without a __name__, so has no source")
    return module


def whose(module: str) -> str:
    """Whose a module is: "library", "installed" (Python's own or a distribution that is not editable), or "own"."""
    if of_library(module):
        return "library"
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        spec = getattr(sys.modules.get(module), "__spec__", None)
        path = list(getattr(spec, "submodule_search_locations", None) or ())
        if spec is None and "." in module and module in sys.modules:  # made by an extension, as torch._C._nn is
            return whose(module.rpartition(".")[0])
        builtin = module.partition(".")[0] in sys.stdlib_module_names and module != "__main__"
        return "installed" if builtin or path and is_installed(path[0]) else "own"
    return "installed" if is_installed(file) else "own"


def is_installed(file: str) -> bool:
    """Whether a file is Python's own, or of a distribution that is not editable."""
    path = Path(file).resolve()
    return bool({"site-packages", "dist-packages"} & set(path.parts)) or any(map(path.is_relative_to, _PYTHON))


def is_generated(kind: type, member: Any) -> bool:
    """Whether a member of a class was written by `dataclass`, from the fields alone."""
    made = isinstance(member, FunctionType) and member.__name__ in {f"__{n}__" for n in _MADE}
    file = member.__code__.co_filename if made else ""
    return made and is_dataclass(kind) and (file == "<string>" or is_installed(file))


def functions_in(member: Any) -> Iterator[FunctionType]:
    """The functions in a member of a class."""
    if isinstance(member, FunctionType):
        yield member
    for inner in ("__func__", "fget", "fset", "fdel", "func", "__wrapped__"):
        if isinstance(found := getattr(member, inner, None), FunctionType):
            yield found


def codes_of(value: Any, module: str) -> list[CodeType]:
    """The code of a function or class that a module defines."""
    if getattr(value, "__module__", None) != module:
        return []
    members = vars(value).values() if isinstance(value, type) else [value]
    return [f.__code__ for member in members if not is_generated(value, member) for f in functions_in(member)]


def globals_of(function: FunctionType) -> list[str]:
    """The names that a function takes from its module."""
    done = (i for code in _inside(function.__code__) for i in dis.get_instructions(code))
    return sorted({i.argval for i in done if "_GLOBAL" in i.opname} & set(function.__globals__))


def _inside(code: CodeType) -> list[CodeType]:
    """A code and those of the functions inside it."""
    return [code, *(found for part in code.co_consts if isinstance(part, CodeType) for found in _inside(part))]


def is_filed(module: str, codes: list[CodeType]) -> bool:
    """Whether a module has a file and these codes are of it: not a notebook's cells."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return bool(file) and (not codes or any(Path(code.co_filename).name == Path(file).name for code in codes))


def module_source(module: str) -> tuple[str, Path]:
    """The source of an own module's file."""
    path = Path(getattr(sys.modules[module], "__file__", None) or "none")
    try:
        if path.suffix == ".py":
            return path.read_text(encoding="utf-8"), path
    except OSError:
        pass
    raise Unknown(f"the module {module} has no source")


def verify(module: str, codes: list[CodeType]) -> None:
    """Raise Unknown where one of these codes of a module is not what its file compiles to."""
    source, path = module_source(module)
    for code in codes:
        rewritten = any(name.startswith("@py") for name in code.co_names)  # by a runner of tests
        if rewritten or Path(code.co_filename).name != path.name:
            continue
        if _form(code) not in _forms(source, code.co_flags & _FUTURE):
            raise Unknown(f"{path} is not the source of the {module} that runs: it was changed and not loaded again")


@lru_cache(maxsize=256)
def _forms(source: str, flags: int) -> frozenset[tuple]:
    """What the functions of some source compile to, whole, or as a notebook's kernel does it, one statement at a time.

    A method of a module that is imported in the same piece is called by another instruction (CPython 3.11).
    """
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        tree = compile(source, "<source>", "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
        pieces = [source, *(ast.Module([node], []) for node in tree.body)]
        made = [compile(piece, "<source>", "exec", flags, dont_inherit=True) for piece in pieces]
    except SyntaxError:
        return frozenset()
    return frozenset(_form(code) for whole in made for code in _inside(whole))


def _form(code: CodeType) -> tuple:
    """What a code does, without file and lines."""
    constants = tuple(_form(c) if isinstance(c, CodeType) else (type(c).__name__, repr(c)) for c in code.co_consts)
    return code.co_qualname, code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants


def cell_digest(function: FunctionType) -> str:
    """The digest of the source of a function of a notebook's cell, as far as it is the code that runs."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    source = "".join(linecache.getlines(code.co_filename, function.__globals__))
    if source and _form(code) in _forms(source, code.co_flags & _FUTURE):
        flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        for node in ast.walk(compile(source, code.co_filename, "exec", flags, dont_inherit=True)):
            named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == code.co_name
            if named and min(part.lineno for part in (node, *node.decorator_list)) == code.co_firstlineno:
                return code_digest(ast.unparse(node))
    raise Unknown(f"the source of {full_name(function)} is not there, or is not the code that runs")


def cells_of(function: FunctionType) -> list[tuple[str, Any]]:
    """The names and cells of what a function takes from the functions around it."""
    return list(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def spec_of(name: str) -> Any:
    """Where a module that is not loaded would come from; None where this is not known."""
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
