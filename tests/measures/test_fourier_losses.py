"""Restricted and excluded loss (Nanda et al. 2023, section 5.1) on made logits with known answers."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.measures.fourier_losses import (
    class_means,
    cross_entropy,
    cyclic_classes,
    discrete_logarithms,
    excluded_loss,
    key_frequencies,
    restricted_loss,
)
from grokbook.tasks.arithmetic import ModularTask

CYCLIC = ("add", "subtract", "x2_plus_y2", "x3_plus_y3", "multiply", "2*x - 3*y + 1")


def wave(task: ModularTask, frequencies: list[int], size: float = 6.0) -> np.ndarray:
    """Logits sum_k cos(2 pi k (class of the cell - class of the answer) / n), zero where there is no class."""
    group = cyclic_classes(task)
    answers = np.arange(task.p) if group.order == task.p else discrete_logarithms(task.p)
    angle = 2 * np.pi * (group.classes[:, None] - answers[None, :]) / group.order
    table = size * sum(np.cos(k * angle) for k in frequencies)
    table[group.classes < 0] = 0
    table[:, answers < 0] = -size * len(frequencies)
    return table


@pytest.mark.parametrize("operation", CYCLIC)
def test_logits_of_one_frequency_keep_all_or_nothing(operation):
    """Restricted to the frequency nothing is lost; without it every answer is equally likely: ln p."""
    task = ModularTask(11, operation, 0.5)
    group, z = cyclic_classes(task), wave(ModularTask(11, operation), [3])
    full = cross_entropy(z[group.cells], task.labels[group.cells])
    assert key_frequencies(z, group, 1) == [3]
    assert restricted_loss(z, task.labels, group, [3]) == pytest.approx(full, rel=1e-12)
    without = excluded_loss(z, task.labels, group, [3], cells=task.train_index)
    choices = np.log(11) if group.order == 11 else np.log(10 + np.exp(-6))  # the answer 0 has a constant logit
    assert without == pytest.approx(choices, rel=1e-9)


def test_other_frequencies_are_the_reverse():
    task = ModularTask(11)
    group, z = cyclic_classes(task), wave(task, [3])
    assert restricted_loss(z, task.labels, group, [1, 2, 4, 5]) == pytest.approx(np.log(11))
    assert excluded_loss(z, task.labels, group, [1, 2, 4, 5]) == pytest.approx(cross_entropy(z, task.labels))


def test_the_projection_is_that_of_nanda_on_the_full_grid_of_a_sum():
    """On the full grid: least squares on the columns cos(w_k(a+b)), sin(w_k(a+b)) and the constant."""
    task = ModularTask(7)
    z = np.random.default_rng(1).normal(size=(49, 7))
    angle = 2 * np.pi * task.labels / 7
    basis = np.stack([np.ones(49), np.cos(2 * angle), np.sin(2 * angle)], axis=1)
    projected = basis @ np.linalg.lstsq(basis, z, rcond=None)[0]
    group = cyclic_classes(task)
    assert restricted_loss(z, task.labels, group, [2]) == pytest.approx(cross_entropy(projected, task.labels))
    rest = z - projected + z.mean(axis=0)
    assert excluded_loss(z, task.labels, group, [2]) == pytest.approx(cross_entropy(rest, task.labels))


def test_a_memoriser_has_nothing_in_the_waves():
    """Logits that are right on the training cells alone and whose errors fill up every class equally."""
    task = ModularTask(13)
    z = np.random.default_rng(0).normal(size=(169, 13)) * 0.1
    z[task.train_index, task.labels[task.train_index]] += 20
    group = cyclic_classes(task)
    key = key_frequencies(z, group, 1)
    assert excluded_loss(z, task.labels, group, key, cells=task.train_index) < 0.1
    assert restricted_loss(z, task.labels, group, key) > 0.1


@given(st.integers(0, 2**32 - 1), st.floats(-5, 5))
def test_a_constant_added_to_all_logits_changes_nothing(seed, constant):
    task = ModularTask(5, train_fraction=0.5)
    z = np.random.default_rng(seed).normal(size=(25, 5))
    group = cyclic_classes(task)
    for loss in (restricted_loss, excluded_loss):
        assert loss(z + constant, task.labels, group, [1]) == pytest.approx(loss(z, task.labels, group, [1]))
        assert loss(torch.tensor(z), task.labels, group, [1]) == loss(z, task.labels, group, [1])
        assert loss(z, task.labels, group, [1]) >= 0


@given(st.integers(0, 2**32 - 1))
def test_all_frequencies_restricted_are_the_class_means(seed):
    task = ModularTask(5)
    z = np.random.default_rng(seed).normal(size=(25, 5))
    group = cyclic_classes(task)
    expected = cross_entropy(class_means(z, group)[task.labels], task.labels)
    assert restricted_loss(z, task.labels, group, [1, 2]) == pytest.approx(expected)


def test_discrete_logarithms_turn_products_into_sums():
    logs = discrete_logarithms(13)
    i, j = np.divmod(np.arange(169), 13)
    kept = (i > 0) & (j > 0)
    assert np.array_equal(logs[i * j % 13][kept], (logs[i] + logs[j])[kept] % 12)
    assert sorted(logs[1:]) == list(range(12))


def test_products_with_zero_have_no_class_also_under_a_shift():
    task = ModularTask(7, "multiply", shift=3)
    group = cyclic_classes(task)
    zero = (task.pairs[:, 0] == 0) | ((task.pairs[:, 1] + 3) % 7 == 0)
    assert np.array_equal(group.classes < 0, zero) and group.order == 6


@pytest.mark.parametrize("operation", ["x2_plus_xy_plus_y2", "x*y + 1", "x3_plus_xy_plus_y3", "2*x*y"])
def test_operations_without_waves_are_refused(operation):
    with pytest.raises(ParameterError, match="no frequencies"):
        cyclic_classes(ModularTask(7, operation))


def test_bad_input_is_named():
    task = ModularTask(7)
    group = cyclic_classes(task)
    with pytest.raises(ParameterError, match="49 cells"):
        class_means(np.zeros((7, 7)), group)
    with pytest.raises(ParameterError, match="not finite"):
        class_means(np.full((49, 7), np.nan), group)
    with pytest.raises(ParameterError, match="between 1 and 3"):
        key_frequencies(np.zeros((49, 7)), group, 4)
    with pytest.raises(ParameterError, match="between 1 and 3"):
        restricted_loss(np.zeros((49, 7)), task.labels, group, [0])
    with pytest.raises(ParameterError, match="no cell"):
        excluded_loss(np.zeros((49, 7)), task.labels, group, [1], cells=[])
    with pytest.raises(ParameterError, match="class 1 has no cell"):
        class_means(np.zeros((9, 3)), cyclic_classes(ModularTask(3, "3*x")))
    with pytest.raises(ParameterError, match="prime"):
        discrete_logarithms(9)
    with pytest.raises(ParameterError, match="classes from 0 to 2"):
        cross_entropy(np.zeros((2, 3)), [0, 3])
