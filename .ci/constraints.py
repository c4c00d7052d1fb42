"""Print exact versions of everything that grokbook with its `EXTRAS` needs, as installed here, one
a line.

`make constraints` runs this in a fresh environment that has them.
"""

from __future__ import annotations

import importlib.metadata as metadata
from collections.abc import Iterator

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

EXTRAS = frozenset({"book", "dev"})
"""What is installed with grokbook; other extras are for other machines."""


def needed(name: str, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """The requirements of `name[extras]` that apply on this machine, each with the extras it asks
    for."""
    for line in metadata.requires(name) or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""}):
            yield canonicalize_name(requirement.name), frozenset(requirement.extras)


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


if __name__ == "__main__":
    for name in sorted(closure("grokbook", EXTRAS)):
        # without a local version (`+cpu`) the same pin serves every build
        print(f"{name}=={metadata.version(name).partition('+')[0]}")
