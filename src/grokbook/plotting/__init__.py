"""Figures from datasets, in one style."""

from grokbook.plotting.coverage import (
    accuracy_against_shares,
    discs,
    expectation_and_probability,
    same_class_coverage,
    swapping_memoriser,
    uncovered_cells,
)
from grokbook.plotting.embeddings import circle_over_training
from grokbook.plotting.grids import operation_tables, splits
from grokbook.plotting.ledger import verdicts_by_kind
from grokbook.plotting.phase_portrait import (
    cube_trajectories,
    invariants_along_flow,
    limit_distribution,
    plane_streams,
    v_and_loss_rates,
)
from grokbook.plotting.style import COLOURS
from grokbook.plotting.theory import med_and_spectral_bound, med_by_frequency
from grokbook.plotting.training import (
    learning_curves,
    measure_curves,
    med_and_loss,
    mirrored_accuracy,
    relative_curves,
)

__all__ = [
    "COLOURS",
    "accuracy_against_shares",
    "circle_over_training",
    "cube_trajectories",
    "discs",
    "expectation_and_probability",
    "invariants_along_flow",
    "learning_curves",
    "limit_distribution",
    "measure_curves",
    "med_and_loss",
    "med_and_spectral_bound",
    "med_by_frequency",
    "mirrored_accuracy",
    "operation_tables",
    "plane_streams",
    "relative_curves",
    "same_class_coverage",
    "splits",
    "swapping_memoriser",
    "uncovered_cells",
    "v_and_loss_rates",
    "verdicts_by_kind",
]
