"""The runs of chapter 13: networks with trained matrices on S3 (Liu et al. 2022, Figs 17 and
18)."""

from __future__ import annotations

from dataclasses import replace

from grokbook.errors import ParameterError
from grokbook.models.toy import Toy
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.runs.sweep import with_value
from grokbook.tasks.groups import GroupTask, cayley_table
from grokbook.training.config import RunConfig
from grokbook.training.schedule import Schedule
from grokbook_chapters.liu2022 import rates

CELLS = (12, 18, 21, 24, 30)  # training cells of 36 that are recorded

# The weight decay of the matrices: none, and in place of a penalty on their size that the authors'
# program has.
DECAYS = {"as printed": 0.0, "matrices decay": 3.0}

STEPS = 3_000  # of a run
SEEDS = 11  # runs of each setting, as many as the paper has

LARGEST = 12  # elements of the largest group whose deductions a page computes


def run(cells: int, decay: float) -> Experiment:
    """Six 3x3 matrices, trained on so many cells of the table of S3 with this weight decay of the
    matrices."""
    config = RunConfig(
        GroupTask("S3", cells / 36),
        Toy(6, 9, product=True, spread=0.1),
        rates(),
        steps=STEPS,
        log=Schedule(dense_until=STEPS, dense_every=100),
        snapshots=31,
        loss="squared_error",
    )
    label = f"cells={cells}, decay={decay:g}" if decay else f"cells={cells}"
    config = with_value(config, "encoder_weight_decay", decay)
    return Experiment(f"liu2022/fig18[{label}]", config).with_seeds(SEEDS)


def fig18() -> Experiments:
    """The runs of Figs 17 and 18, by decay of the matrices and number of training cells."""
    return {(name, cells): run(cells, decay) for name, decay in DECAYS.items() for cells in CELLS}


def around_half() -> Experiments:
    """As many runs again with decay of the matrices, at sizes below and above half of the cells."""
    seeds = tuple(range(SEEDS, 2 * SEEDS))
    again = {}
    for cells in (14, 16, 17, 21, 24):
        again["again", cells] = replace(run(cells, DECAYS["matrices decay"]), seeds=seeds)
    return again


RUNS = (fig18, around_half)


def plan(group: str, cells: int) -> Experiments:
    """Nothing is trained; a group that is none, or a number of training cells that its table has
    not, is refused.

    Raises ParameterError.
    """
    order = len(cayley_table(group))
    if not 3 <= order <= LARGEST:
        raise ParameterError(
            f"group = {group!r} has {order} elements, but this chapter needs 3 to {LARGEST}."
        )
    if not 1 <= cells < order**2:
        raise ParameterError(
            f"cells = {cells} must be between 1 and {order**2 - 1}: the table has {order**2} cells."
        )
    return {}
