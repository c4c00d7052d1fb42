"""What is drawn at random depends on its seed: the same numbers again, and others for another
seed."""

import dataclasses

import numpy as np
import pytest
import torch

from grokbook.measures.complexity import cross_polytopes, local_complexity, network_complexity
from grokbook.models.transformer import Shape
from grokbook.tasks import ModularTask
from grokbook.tasks.groups import cayley_table
from grokbook.theory import linear_probability
from grokbook_chapters.algebraic_solutions.zero_loss import least_isolated
from grokbook_chapters.coverage import coverage_probability
from grokbook_chapters.feature_emergence import backpropagated
from grokbook_chapters.feature_emergence.feature_energy import example
from grokbook_chapters.feature_emergence.irreps import irreps
from grokbook_chapters.groups import group_deduction
from grokbook_chapters.how_a_network_adds.sum_of_angles import drawn
from grokbook_chapters.lyapunov_phase_portrait.cube_limits import cube_limits
from grokbook_chapters.separability_and_depth.separability import shuffled_share
from grokbook_chapters.task_and_model.exactness import rewriting_deviation

S3, TASK = cayley_table("S3"), ModularTask(5)
POINTS, CLASSES = np.random.default_rng(9).normal(size=(40, 2)), np.arange(40) // 2


def units(x):
    """Twenty random units on points of the plane or of pairs of its points."""
    return x @ np.random.default_rng(8).normal(size=(x.shape[1], 20)) + 0.1


def deviation(seed):
    """What the rewriting of a network differs by, in float32: rounding, of the weights that the
    seed draws."""
    tokens, labels = (torch.from_numpy(values) for values in (TASK.tokens, TASK.labels))
    found = rewriting_deviation(Shape(5, d_model=8), tokens, labels, seed=seed, dtype=torch.float32)
    assert max(dataclasses.astuple(found)) < 1e-5
    return dataclasses.astuple(found)


DRAWN = {
    "random features": lambda seed: backpropagated.random_features(3, 2, seed),
    "paired nodes": lambda seed: backpropagated.paired_nodes(3, seed=seed),
    "samples that keep a maximum": lambda seed: backpropagated.samples_to_keep(
        7, 3, seed, steps=20
    ),
    "covering times": lambda seed: coverage_probability.cover_times(5, 2, 20, seed=seed),
    "covering": lambda seed: (
        coverage_probability.full_coverage(5, 2, 12, draws=500, seed=seed).value
    ),
    "limits of a cube": lambda seed: cube_limits(3, seed).starts,
    "a node of an irrep": lambda seed: example(irreps("S3")[-1], seed),
    "cells that force a table": lambda seed: group_deduction.first_forced(S3, 20, seed),
    "cells that imply a table": lambda seed: group_deduction.implied_sizes(S3, 20, seed),
    "cells of a rigid table": lambda seed: group_deduction.rigid_sizes(
        S3, irreps("S3")[-1].matrices, 20, seed
    ),
    "samples until a collapse": lambda seed: group_deduction.collapse_sizes(7, 20, seed),
    "samples until a line": lambda seed: linear_probability.first_linear(6, 20, seed),
    "probability of a line": lambda seed: linear_probability.linear_probability(6, 20, seed),
    "critical fraction": lambda seed: linear_probability.critical_fraction(6, 20, seed),
    "sets of frequencies": lambda seed: drawn(23, 3, 10, seed),
    "one frequency": lambda seed: least_isolated(1, 1, seed=seed),
    "cross-polytopes": lambda seed: cross_polytopes(POINTS, 1.0, 2, seed),
    "local complexity": lambda seed: local_complexity(units, POINTS, 0.5, 2, seed=seed),
    "of a network": lambda seed: network_complexity(
        units, POINTS, [[0, 1], [2, 3]], directions=4, seed=seed
    ),
    "shuffled labels": lambda seed: shuffled_share(POINTS, CLASSES, seed=seed).apart,
    "pairs of classes": lambda seed: shuffled_share(POINTS, CLASSES, pairs=5, seed=seed).pairs,
    "a rewritten network": deviation,
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_a_seed_draws_the_same_again_and_another_seed_something_else(draw):
    first, again, other = draw(1), draw(1), draw(2)
    assert np.array_equal(first, again) and not np.array_equal(first, other)
