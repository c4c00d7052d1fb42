"""By what rule a claim sorts runs: a fingerprint of its check, so that no rule changes unseen after its runs."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator
from functools import lru_cache, partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

from grokbook.claims.ledger import Claim
from grokbook.fingerprint import code_digest
from grokbook.project import current


@lru_cache(maxsize=1)
def rooms() -> tuple[str, ...]:
    """Rooms whose functions are part of a rule: what a check calls there sorts runs as much as the check does."""
    return f"{current().chapters}.", "grokbook.measures.", "grokbook.runs."


def rule_fingerprint(claim: Claim) -> str:
    """16 hexadecimal digits over a check, its bars, what it looks `through` and all that these call in `rooms`.

    Comments, docstrings and layout do not matter; the values of module constants that are read do.
    """
    seen: dict[str, str] = {}
    waiting: list[Any] = [claim.check, claim.through]
    while waiting:
        waiting += _enter(waiting.pop(), seen)
    lines = [*(f"{name}:{said}" for name, said in sorted(seen.items())), repr(sorted(claim.bars.items()))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _enter(part: Any, seen: dict[str, str]) -> list[Any]:
    """Note one part of a rule by its name; what it calls is returned, to be entered next."""
    if isinstance(part, Claim):
        return [part.check]
    if isinstance(part, partial):
        seen[f"{part.func.__qualname__}({_plain(part.args)}, {_plain(part.keywords)})"] = ""
        return [part.func, *part.args, *part.keywords.values()]
    part = inspect.unwrap(part) if callable(part) else part
    name = f"{getattr(part, '__module__', '')}.{getattr(part, '__qualname__', '')}"
    if not isinstance(part, FunctionType | type) or not name.startswith(rooms()) or name in seen:
        return []
    seen[name] = _code(part)
    functions = vars(part).values() if isinstance(part, type) else [part]
    inner = [f for f in functions if isinstance(f, FunctionType)]
    return [value for function in inner for value in _read(function, seen)]


def _read(function: FunctionType, seen: dict[str, str]) -> Iterator[Any]:
    """What a function reads of its module and of modules that it names; constants are noted by value."""
    names, known = _names(function.__code__), function.__globals__
    modules = [known[n] for n in names if isinstance(known.get(n), ModuleType)]
    own = [m for m in modules if f"{m.__name__}.".startswith(rooms())]
    for name in names:
        for space in (known, *map(vars, own)):
            if callable(value := space.get(name)) or isinstance(value, Claim):
                yield value
            elif name in space and not isinstance(value, ModuleType):
                seen[f"{function.__module__}:{name}"] = repr(_plain(value))
    yield from (cell.cell_contents for cell in function.__closure__ or ())
    yield from function.__defaults__ or ()


def _names(code: CodeType) -> set[str]:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _plain(value: Any) -> Any:
    """A value as it can be compared between processes: numbers and words, also in collections; else its type."""
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        return sorted(map(repr, map(_plain, value))) if isinstance(value, set | frozenset) else [*map(_plain, value)]
    return value if isinstance(value, int | float | str | bool | None) else type(value).__name__


@lru_cache(maxsize=4096)
def _code(part: Any) -> str:
    """The code of a function or class without comments, docstrings and layout."""
    try:
        return code_digest(inspect.cleandoc("\n" + inspect.getsource(part)))
    except (SyntaxError, OSError, TypeError):
        return part.__qualname__
