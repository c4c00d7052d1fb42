"""Print exact versions of everything that grokbook with all its extras needs, as installed here,
one a line.

`make constraints` runs this in a fresh environment that has all extras.
"""

from __future__ import annotations

import importlib.metadata as metadata
import re
from collections.abc import Iterator

from packaging.requirements import Requirement


def normal(name: str) -> str:
    """The name as requirement files write it: lower case, one hyphen for each run of `-`, `_` and
    `.`."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(name: str, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """The requirements of `name[extras]` that apply on this machine, each with the extras it asks
    for."""
    for line in metadata.requires(name) or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""}):
            yield normal(requirement.name), frozenset(requirement.extras)


def closure(root: str, extras: frozenset[str]) -> set[str]:
    """Every distribution that `root[extras]` needs, directly or not, without `root` itself."""
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(root, extras)]
    while waiting:
        item = waiting.pop()
        if item not in seen:
            seen.add(item)
            waiting.extend(needed(*item))
    return {name for name, _ in seen} - {root}


def main() -> None:
    """Write the constraints; a local version (`+cpu`) is left out so that the same pin serves every
    build."""
    extras = frozenset(metadata.metadata("grokbook").get_all("Provides-Extra"))
    for name in sorted(closure("grokbook", extras)):
        print(f"{name}=={metadata.version(name).split('+')[0]}")


if __name__ == "__main__":
    main()
