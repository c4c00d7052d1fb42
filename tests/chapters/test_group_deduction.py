"""Deduction from equal products (Liu et al. 2022, appendix H), against matrices, other algorithms
and other fields."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.tasks.groups import GroupTask, cayley_table, inverses
from grokbook.theory.parallelograms import all_samples, nullity
from grokbook_chapters.groups import group_deduction as gd
from refusals import refusals

S3 = cayley_table("S3")
SWAPS = gd.coset_representation(S3, (0, 1))
SMALL = st.sampled_from(["Z4", "Z2xZ2", "Z6", "S3", "Q8"])


def by_words(table, trained):
    """The same deductions one by one: equal quotients as sets that are joined until nothing
    changes."""
    n = len(table)
    parent = {}

    def find(x):
        while parent.setdefault(x, x) != x:
            x = parent[x]
        return x

    cells = [(a, b) for a in range(n) for b in range(n)]
    known = {
        (x, y) for x in cells for y in cells if table[x] == table[y] and trained[x] and trained[y]
    }
    known |= {(x, x) for x in cells}
    while True:
        before = len(known)
        # E_a E_d = E_b E_c: left quotient (b, a) = right quotient (c, d)
        for (a, d), (b, c) in known:
            parent[find(("left", b, a))] = find(("right", c, d))
            parent[find(("cell", a, d))] = find(("cell", b, c))
        for a, d in cells:
            for b, c in cells:
                quotients = find(("left", b, a)) == find(("right", c, d))
                if quotients or find(("cell", a, d)) == find(("cell", b, c)):
                    known.add(((a, d), (b, c)))
        if len(known) == before:
            return known


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(["Z4", "Z2xZ2", "S3"]), st.integers(1, 30), st.integers(0, 100))
def test_the_closure_is_that_of_joining_quotients_one_by_one(name, cells, seed):
    table = cayley_table(name)
    trained = (np.random.default_rng(seed).permutation(table.size) < cells).reshape(table.shape)
    known, n = gd.deduced(table, trained), len(table)
    pairs = {
        ((a, b), (c, d))
        for a, b in np.ndindex(n, n)
        for c, d in np.ndindex(n, n)
        if table[a, b] == table[c, d] and known[table[a, b], a, c]
    }
    assert pairs == by_words(table, trained)


@settings(max_examples=20, deadline=None)
@given(SMALL, st.integers(1, 60), st.integers(0, 100))
def test_more_cells_imply_more_and_what_is_implied_is_an_equivalence(name, cells, seed):
    table = cayley_table(name)
    order = np.random.default_rng(seed).permutation(table.size).reshape(table.shape)
    few, more = gd.deduced(table, order < cells), gd.deduced(table, order < cells + 3)
    assert (
        (few <= more).all() and (few == few.mT).all() and ((few.astype(int) @ few > 0) == few).all()
    )
    assert (gd.consequences(table, few) == few).all()
    assert gd.deduced_accuracy(table, order < cells) >= min(cells, table.size) / table.size - 1e-12


def test_the_paper_s_three_equalities_imply_the_fourth_and_two_do_not():
    g, (b, f), (d, h) = 3, (0, 1), (1, 2)
    edge = lambda left, right: ((S3[left, g], right), (left, S3[g, right]))  # noqa: E731
    given_ = np.zeros((6, 6, 6), dtype=bool)
    for (x, y), (z, _) in (edge(b, d), edge(f, d)):
        given_[S3[x, y], x, z] = True
    (x, y), (z, _) = edge(b, h)
    assert not gd.consequences(S3, given_)[S3[x, y], x, z]
    (u, v), (w, _) = edge(f, h)
    given_[S3[u, v], u, w] = True
    assert gd.consequences(S3, given_)[S3[x, y], x, z]
    assert not gd.consequences(S3, given_, quotients=False)[S3[x, y], x, z]


def test_two_equalities_of_different_products_can_imply_a_third_that_no_rule_finds():
    """E_0 E_3 = E_3 E_0 and E_3 E_3 = E_0 E_4 make E_4 commute with E_0, in S3 with the rotations 3
    and 4."""
    given_ = np.zeros((6, 6, 6), dtype=bool)
    given_[3, 0, 3] = given_[4, 0, 3] = True
    assert (S3[3, 3], S3[0, 4], S3[4, 0]) == (4, 4, 4) and not gd.consequences(S3, given_)[4, 0, 4]
    one = np.random.default_rng(0).normal(size=(3, 3))
    zero, three = one @ one + np.eye(3), one + 3 * np.eye(3)
    four = np.linalg.inv(zero) @ three @ three
    assert np.allclose(zero @ three, three @ zero) and np.allclose(zero @ four, four @ zero)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_what_is_deduced_holds_for_matrices_that_obey_the_training_set_alone(seed):
    """Newton's method from near a representation to a solution of the training equalities; others
    need not hold."""
    trained = GroupTask("S3", 9 / 36, seed=seed).train_mask
    known, e = (
        gd.deduced(S3, trained),
        SWAPS + 0.02 * np.random.default_rng(seed).normal(size=SWAPS.shape),
    )
    cells = [np.argwhere(trained & (h == S3)) for h in range(6)]
    two = [(mine[0], other) for mine in cells for other in mine[1:]]
    for _ in range(20):
        rows = gd.product_derivatives(S3, e).reshape(6, 6, 9, -1)
        j = np.concatenate([rows[tuple(x)] - rows[tuple(y)] for x, y in two])
        r = np.concatenate([(e[x[0]] @ e[x[1]] - e[y[0]] @ e[y[1]]).ravel() for x, y in two])
        e = e - np.linalg.lstsq(j, r, rcond=1e-6)[0].reshape(e.shape)
    partner = S3[inverses(S3)]
    products = np.stack([e @ e[partner[:, h]] for h in range(6)])  # [h, a]
    gap = np.abs(products[:, :, None] - products[:, None]).max(axis=(-2, -1))
    assert gap[known].max() < 1e-9 and gap[~known].max() > 1e-3 and np.abs(e).max() > 0.5


def test_half_of_random_orders_of_s3_are_deduced_at_17_cells():
    sizes = gd.first_forced(S3, 1_000)
    assert gd.half_way(sizes, 36) == pytest.approx(16.97, abs=0.35)
    assert gd.deduced(S3, np.ones((6, 6))).all() and sizes.max() <= 36


@pytest.mark.parametrize(
    ("relations", "generators", "index"),
    [
        ([(1,) * 4, (1, 1, -2, -2), (-2, 1, 2, 1)], 2, 2),  # quaternions: order 8, i of order 4
        ([(1,) * 5, (2,) * 3, (1, 2) * 2], 2, 12),  # the rotations of an icosahedron: order 60
        ([(1, 2, -1, -2)], 2, None),  # two that commute: no finite index
        (
            [(-1, 2, 1, -2, -2), (-2, 1, 2, -1, -1)],
            2,
            1,
        ),  # trivial, which no relation says alone (Higman)
    ],
)
def test_cosets_of_groups_whose_orders_are_known(relations, generators, index):
    assert gd.coset_count(relations, generators) == index


def test_what_is_implied_in_every_group_comes_between_rigidity_and_the_two_rules():
    """The page's example, that no rule finds: E_0 E_3 = E_3 E_0 and E_3 E_3 = E_0 E_4 let E_4
    commute with E_0."""
    implied, sizes = gd.implied_sizes(S3, 20), gd.first_forced(S3, 20)
    assert (
        (gd.rigid_sizes(S3, SWAPS, 20) <= implied).all()
        and (implied <= sizes).all()
        and (implied < sizes).any()
    )
    given = [(1, 2, -1, -2), (2, 2, -3, -1), (1, 1), (2, 2, 2)]
    assert gd.coset_count(given, 3) == gd.coset_count([*given, (1, 3, -1, -3)], 3) == 3


def test_random_orders_that_imply_the_table_leave_no_other_matrices():
    """Of every map of S3 to itself that obeys a training set seen to imply the table, all
    equalities hold."""
    maps = np.stack(np.meshgrid(*[np.arange(6)] * 6, indexing="ij"), axis=-1).reshape(-1, 6)
    products = S3[maps[:, :, None], maps[:, None, :]]  # [map, a, b]
    place = (
        np.random.default_rng(0).permuted(np.tile(np.arange(36), (5, 1)), axis=1).reshape(5, 6, 6)
    )

    def obeying(cells):
        """Which maps have one value on the marked cells of each product."""
        each = [products[:, cells & (h == S3)] for h in range(6)]
        return np.all([(own == own[:, :1]).all(axis=1) for own in each if own.shape[1]], axis=0)

    every = obeying(np.ones((6, 6), dtype=bool))
    for order, size in zip(place, gd.implied_sizes(S3, 5), strict=True):
        assert (obeying(order < size) == every).all() and obeying(order < 8).sum() > every.sum()


def test_rigidity_comes_no_later_than_deduction_and_has_nine_degrees_of_freedom():
    basis = np.random.default_rng(1).normal(size=(3, 3))
    turned = basis @ SWAPS @ np.linalg.inv(basis)
    assert gd.degrees_of_freedom(S3, SWAPS) == gd.degrees_of_freedom(S3, turned) == 9
    rigid = gd.rigid_sizes(S3, SWAPS, 60)
    assert (rigid == gd.rigid_sizes(S3, turned, 60)).all() and (
        rigid <= gd.first_forced(S3, 60)
    ).all()
    assert gd.probability(rigid, 36)[13] >= 0.5


@pytest.mark.parametrize(
    ("name", "subgroup"), [("Z4", (0,)), ("Q8", (0,)), ("D4", (0, 4)), ("A4", (0,))]
)
def test_coset_matrices_are_a_representation_with_k_squared_degrees_of_freedom(name, subgroup):
    table = cayley_table(name)
    matrices = gd.coset_representation(table, subgroup)
    assert np.array_equal(matrices[:, None] @ matrices[None], matrices[table])
    if matrices.shape[1] <= 4:
        assert gd.degrees_of_freedom(table, matrices) == matrices.shape[1] ** 2


def test_derivatives_are_those_of_products():
    rng = np.random.default_rng(0)
    e, change = rng.normal(size=(2, 6, 3, 3))
    moved = gd.product_derivatives(S3, e) @ change.ravel()
    exact = e[:, None] @ change[None] + change[:, None] @ e[None]
    assert np.allclose(moved.reshape(6, 6, 3, 3), exact)


@pytest.mark.parametrize("p", [3, 5, 7])
def test_sums_modulo_p_leave_constants_over_the_reals_and_lines_over_the_field(p):
    table = cayley_table(f"Z{p}")
    assert gd.additive_nullity(table) == nullity(all_samples(p), p, modulus=p) == 1
    assert (
        gd.additive_nullity(table, field=p) == nullity(all_samples(p), p, modulus=p, field=p) == 2
    )
    few = np.random.default_rng(0).random(table.shape) < 0.4
    pairs = [tuple(sorted(pair)) for pair in np.argwhere(few).tolist()]
    assert gd.additive_nullity(table, few | few.T, field=p) == nullity(pairs, p, modulus=p, field=p)


def test_an_order_collapses_where_its_samples_leave_one_degree_of_freedom():
    samples = all_samples(7)
    order = np.random.default_rng(4).permuted(np.arange(28)[None], axis=1)[0]
    size = gd.collapse_sizes(7, 1, seed=4)[0]
    left = [
        nullity([samples[k] for k in range(28) if order[k] < m], 7, modulus=7)
        for m in (size - 1, size)
    ]
    assert left[0] > left[1] == 1


CHECKS = product([gd.deduced, gd.additive_nullity], [(5, 6), 6, (2, 2), (7, 7)])
test_refusals_name_the_rule = refusals(
    *((partial(check, S3, np.ones(shape)), "shape") for check, shape in CHECKS),
    *(
        (partial(gd.additive_nullity, S3, field=field), "must be a prime")
        for field in (0, 1, 4, -3)
    ),
    (lambda: gd.coset_representation(S3, (0, 3)), "cosets overlap"),
)
