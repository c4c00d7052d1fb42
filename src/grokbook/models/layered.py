"""Networks whose layers can have rates of their own."""

from __future__ import annotations

from dataclasses import dataclass, field

from grokbook.errors import checked_call
from grokbook.models.intervened import Around
from grokbook.models.networks import layer_groups


@checked_call
@dataclass(frozen=True)
class Layered(Around):
    """The same network whose embedding, hidden and output parameters are groups that can have rates
    of their own (`layer_groups`)."""

    kind: str = field(default="layered", init=False)

    def groups(self) -> dict[str, tuple[str, ...]]:
        """Names of the parameters of each layer."""
        return layer_groups(self.shapes())
