"""A transplant beside that of `grokbook.training.interventions`, from a donor that is stopped on
its way."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from torch import Tensor

from grokbook.errors import ParameterError, checked_call
from grokbook.models.intervened import Around
from grokbook.training.interventions import Transplanted, trained

TABLES = ("W_E", "W_U")
"""Parameters with a row a symbol, or some ranges of them, and with a row a class."""


@checked_call
@dataclass(frozen=True)
class HandedOver(Transplanted):
    r"""`Transplanted` from a donor that is stopped after `steps[s]` updates (s: its seed); the rest
    is drawn anew.

    The donor of a run has the run's seed plus `other`, modulo the number of `steps`. What is not
    handed over is drawn with the run's seed plus `fresh`: with `fresh` = 0 it is what the donor
    itself started from. `renaming` = 0 shuffles rows of `W_U` (classes) as it does those of `W_E`,
    by one permutation drawn from the run's seed.

    Raises ParameterError for no steps, or another renaming than 0 or 1.

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> from grokbook.tasks import ModularTask
        >>> from grokbook.training.config import RunConfig
        >>> donor = RunConfig(ModularTask(5, train_fraction=0.5), Shape(5, d_model=8), steps=3)
        >>> early, late = (
        ...     HandedOver(donor.model, donor, ("W_E",), steps=steps).draw(0)["W_E"]
        ...     for steps in ((1,), (2,))
        ... )
        >>> bool((early == late).all())
        False
    """

    steps: tuple[int, ...] = ()
    fresh: int = 1_000
    kind: str = field(default="handed_over", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "steps", tuple(self.steps))
        if not self.steps:
            raise ParameterError("steps is empty, but must say when each donor is stopped.")
        if self.renaming not in (0, 1):
            raise ParameterError(
                f"renaming = {self.renaming} must be 1 (rows as they are) or 0 (shuffled)."
            )

    def draw(self, seed: int, start: str = "normal") -> dict[str, Tensor]:
        """Initial parameters: the named ones the donor's, the others drawn anew."""
        of = (seed + self.other) % len(self.steps)
        given = trained(dataclasses.replace(self.donor, steps=self.steps[of]), of)
        taken = {name: given[name] for name in self.names}
        if self.renaming == 0:
            for name in set(TABLES) & set(taken):
                taken[name] = taken[name][self._rows(seed, len(taken[name]))]
        return Around.draw(self, seed + self.fresh, start) | taken
