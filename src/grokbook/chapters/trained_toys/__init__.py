"""Chapter 11a: trained toys beside the effective theory of Liu et al. 2022, with the authors' own draws."""

from __future__ import annotations

from grokbook.chapters.trained_toys.runs import config
from grokbook.errors import ParameterError
from grokbook.runs.experiment import Experiment
from grokbook.training.schedule import Schedule

EVERY = 5
"""Updates between the logged steps of the run that the page trains."""


def plan(samples: int, seed: int, steps: int) -> dict[str, Experiment]:
    """The run that the page trains: by default that of the paper's Fig. 4d.

    Raises ParameterError for no pair, or no test pair.

    Example:
        >>> plan(45, 58, 100)["live"].config.n_train
        45
    """
    if not 1 <= samples <= 54:
        raise ParameterError(f"samples = {samples} must be 1 to 54: of the 55 pairs one has to be left to test.")
    run = config(samples, steps, Schedule(dense_until=steps, dense_every=EVERY))
    return {"live": Experiment("small/toy", run, (seed,))}
