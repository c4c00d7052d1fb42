"""The modular tasks: sizes of Gu et al. 2025 (Table 1, section 6.1), classes (Definition 3.1),
splits, refusals."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.tasks import ModularTask
from grokbook.tasks.arithmetic import SPLITS

TABLE_1 = {
    ("square", 30): (961, 2822, 2534),
    ("square", 60): (3721, 2822, 1706),
    ("strip", 67): (6596, 2813, 843),
    ("strip", 40): (3977, 2822, 1629),
}
"""Rows of Table 1 of Gu et al. 2025 (p = 97, 30 %): cells of the hole, training cells by either
rule, by hand."""

PRIMES = [2, 3, 5, 7, 11, 13]


def cells(pairs):
    return {(int(i), int(j)) for i, j in pairs}


@st.composite
def tasks(draw):
    """Small valid tasks of every kind."""
    p, split = draw(st.sampled_from(PRIMES)), draw(st.sampled_from(SPLITS))
    hole = draw(st.integers(0, p - 2)) if split in ("square", "strip") else None
    fraction = draw(st.floats(0.01, 0.99))
    rest = {"shift": draw(st.integers(0, 2 * p)), "seed": draw(st.integers(0, 50))}
    rest["rule"] = draw(st.sampled_from(["code", "text"]))
    try:
        return ModularTask(
            p, draw(st.sampled_from(["add", "subtract", "x*y + 1"])), fraction, split, hole, **rest
        )
    except ParameterError as error:
        assume("both sets need at least one cell" not in str(error))
        raise


@pytest.mark.parametrize(("split", "hole"), TABLE_1)
def test_every_row_of_table_1_has_its_sizes_under_both_rules(split, hole):
    in_hole, by_code, by_text = TABLE_1[split, hole]
    sizes = [
        ModularTask(97, split=split, hole=hole, rule=rule).train_index.size
        for rule in ("code", "text")
    ]
    task = ModularTask(97, split=split, hole=hole)
    assert in_hole == ((hole + 1) ** 2 if split == "square" else (hole + 1) * 97)
    assert (int(task.hole_mask.sum()), *sizes) == (in_hole, by_code, by_text)


@given(tasks())
def test_the_size_is_the_floor_that_the_rule_says(task):
    outside = int((~task.hole_mask).sum())
    wanted = int(task.train_fraction * (outside if task.rule == "text" else task.p**2))
    if task.split == "symmetric":
        assert wanted - 1 <= task.train_index.size <= wanted
    else:
        assert task.train_index.size == min(wanted, outside)


@given(tasks())
def test_training_and_test_cells_partition_the_grid(task):
    train, test = set(task.train_index.tolist()), set(task.test_index.tolist())
    assert train and test and not train & test
    assert train | test == set(range(task.p**2))
    assert cells(task.train_pairs) == {divmod(n, task.p) for n in train}
    assert cells(np.argwhere(task.train_mask)) == cells(task.train_pairs)
    assert cells(task.test_pairs).isdisjoint(cells(task.train_pairs))


@given(tasks())
def test_no_training_cell_lies_in_the_hole(task):
    corner = range((task.hole or 0) + 1)
    hole = {
        "square": set(itertools.product(corner, corner)),
        "strip": set(itertools.product(corner, range(task.p))),
    }
    assert cells(np.argwhere(task.hole_mask)) == hole.get(task.split, set())
    assert not (task.train_mask & task.hole_mask).any()


@given(tasks())
def test_the_seed_alone_draws_the_split_and_each_another(task):
    again = replace(task, operation="x2_plus_y2", shift=task.shift + 1)
    assert np.array_equal(task.train_index, again.train_index)
    assert len({tuple(ModularTask(11, seed=seed).train_index) for seed in range(20)}) == 20


@given(st.sampled_from(PRIMES[1:]), st.floats(0.1, 0.9), st.integers(0, 30))
def test_the_symmetric_split_has_no_mirrored_cell(p, fraction, seed):
    assume(int(fraction * p * p) > 1)
    task = ModularTask(p, train_fraction=fraction, split="symmetric", seed=seed)
    assert np.array_equal(task.train_mask, task.train_mask.T)
    assert not task.groups()["mirrored"].any()


@given(tasks())
def test_the_groups_of_the_test_set_are_what_they_are_called(task):
    grid = (task.p, task.p)
    groups = {name: mask.reshape(grid) for name, mask in task.groups().items()}
    train, test = cells(task.train_pairs), cells(task.test_pairs)
    assert cells(np.argwhere(groups["mirrored"])) == {(i, j) for i, j in test if (j, i) in train}
    assert cells(np.argwhere(groups["unmirrored"])) == {
        (i, j) for i, j in test if (j, i) not in train
    }
    if task.hole is None:
        assert set(groups) == {"mirrored", "unmirrored"}
    else:
        in_hole = cells(np.argwhere(task.hole_mask))
        assert cells(np.argwhere(groups["in_hole"])) == test & in_hole
        assert cells(np.argwhere(groups["outside_hole"])) == test - in_hole


@given(tasks())
def test_tokens_and_labels_are_those_of_the_shifted_pair(task):
    """A sample is (i, j + k, cls) with label f(i, j + k) mod p (Gu 2024: J = {k, ..., k + p -
    1})."""
    by_hand = {
        "add": lambda x, y: x + y,
        "subtract": lambda x, y: x - y,
        "x*y + 1": lambda x, y: x * y + 1,
    }
    p, k = task.p, task.shift
    for n, (i, j) in enumerate(itertools.product(range(p), repeat=2)):
        assert task.tokens[n].tolist() == [i, j + k, p + k]
        assert task.labels[n] == by_hand[task.operation](i, j + k) % p
    assert (task.cls_token, task.vocabulary) == (p + k, p + k + 1)
    assert len(set(task.tokens[:, 0]) & set(task.tokens[:, 1])) == max(p - k, 0)


@pytest.mark.parametrize("p", [5, 7, 11, 13, 17, 19, 97])
def test_the_sizes_of_classes_in_closed_form(p):
    """x^2+xy+y^2 is the norm of x - omega y: it splits for p = 1 mod 3 and is inert for p = 2; of x
    + iy modulo 4."""
    split, inert = (2 * p - 1, p - 1), (1, p + 1)
    closed = {
        "add": (p, p),
        "subtract": (p, p),
        "multiply": split,
        "x2_plus_y2": split if p % 4 == 1 else inert,
    }
    closed["x2_plus_xy_plus_y2"] = split if p % 3 == 1 else inert
    for name, (zero, other) in closed.items():
        assert ModularTask(p, name).class_sizes().tolist() == [zero] + [other] * (p - 1), name


@given(tasks())
def test_whether_a_task_commutes_is_whether_its_table_is_symmetric(task):
    table = task.labels.reshape(task.p, task.p)
    assert task.commutes == bool((table == table.T).all())


REFUSALS = {
    "{} = {!r} is not prime; the nearest primes are 89 and 97.": [{"p": 96}],
    "{} = {!r} is too large for a grid of p*p cells; p may be at most 4096.": [{"p": 10**18 + 3}],
    "{} = {!r} must be an integer of 2 or more.": [{"p": 97.0}, {"p": True}, {"p": -7}],
    "{} = {!r} must be an integer of 0 or more.": [
        {"hole": 2.0, "split": "square"},
        {"seed": None},
        {"shift": -1},
    ],
    "{} = {!r} is above 1000000, the largest there is.": [{"shift": 10**20}],
    "{} = {!r} is not a number in the open interval (0, 1).": [
        {"train_fraction": value} for value in (0, 30, float("nan"), "0.3")
    ],
    "{} = {!r} of p = 11 leaves 0 of 121 cells for training; both sets need at least one cell.": [
        {"train_fraction": 0.009, "split": "symmetric"}
    ],
    "{} = {!r} is unknown; choose one of random, symmetric, square, strip.": [{"split": "circle"}],
    "{} = {!r} needs a hole, an integer from 0 to 9.": [{"split": "strip"}],
    "{} = {!r} has no meaning for split = 'symmetric'; leave it out.": [
        {"hole": 0, "split": "symmetric"}
    ],
    "{} = {!r} is larger than the grid of p = 11 allows: the largest hole is 9.": [
        {"hole": 10, "split": "strip"}
    ],
}
"""Sentences about the first of the arguments and its value."""


@pytest.mark.parametrize(
    ("said", "arguments"), [(said, one) for said, each in REFUSALS.items() for one in each]
)
def test_a_refusal_names_the_value_and_the_rule(said, arguments):
    with pytest.raises(ParameterError) as caught:
        ModularTask(**{"p": 11, **arguments})
    assert str(caught.value) == said.format(*next(iter(arguments.items())))


def test_a_composite_modulus_is_taken_on_request():
    assert ModularTask(10, allow_composite=True).train_index.size == 30
