"""Networks whose layers can have rates of their own."""

from __future__ import annotations

from dataclasses import dataclass, field

from grokbook.errors import checked_call
from grokbook.models.intervened import Around


@checked_call
@dataclass(frozen=True)
class Layered(Around):
    """The same network whose embedding, hidden and output parameters are groups that can have rates
    of their own.

    The embedding is `W_E` with `W_pos`, the output `W_U`, hidden is all else.

    Example:
        >>> from grokbook.models.quadratic import Quadratic
        >>> Layered(Quadratic(5, 8)).groups()
        {'embedding': ('W_E',), 'hidden': (), 'output': ('W_U',)}
    """

    kind: str = field(default="layered", init=False)

    def groups(self) -> dict[str, tuple[str, ...]]:
        """Names of the parameters of each layer."""
        layers = {"W_E": "embedding", "W_pos": "embedding", "W_U": "output"}
        groups: dict[str, tuple[str, ...]] = {"embedding": (), "hidden": (), "output": ()}
        for name in self.shapes():
            groups[layers.get(name, "hidden")] += (name,)
        return groups
