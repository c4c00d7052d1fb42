"""Orders, factors and kinds: what is built is recognised however it is disguised, what is random is
not."""

from functools import partial

import numpy as np
import pytest

from grokbook_chapters.algebraic_solutions import hidden_nodes as hn
from grokbook_chapters.algebraic_solutions import semiring as sr
from refusals import refusals

K = 2


def disguised(network: sr.Solution, seed: int, noise: float = 0.0) -> np.ndarray:
    """The nodes (3, n) at K: in a random order, with random signs of (a, b), turned by a common y,
    of another size."""
    rng = np.random.default_rng(seed)
    nodes = (network * sr.phases(7, K, *rng.uniform(0, 6, 2))).z[:, K]
    nodes = nodes[:, rng.permutation(network.nodes)] * rng.uniform(0.1, 3, (3, 1))
    nodes[:2] *= rng.choice([-1, 1], network.nodes)
    return nodes * (1 + noise * rng.normal(size=nodes.shape))


def synced_in_c(alpha: complex, beta: complex) -> sr.Solution:
    """z_syn,ab: thirds of a turn in layer c alone."""
    third = [(x, 1 / (x * w), w) for x, w in ((1, 1), (alpha, sr.OMEGA), (beta, sr.OMEGA**2))]
    return sr.block(7, K, third)


BUILT = [
    (sr.opposed(7, K) * sr.quarter(7, K, np.exp(0.4j)), hn.FOUR),
    (sr.opposed(7, K, np.exp(0.9j)) * sr.synced(7, K), hn.OPPOSED),
    (sr.opposed(7, K) * sr.synced(7, K), hn.OPPOSED),
    (sr.opposed(7, K) * synced_in_c(np.exp(0.4j), np.exp(2.1j)), hn.SYNCED),
    (
        sr.quarter(7, K, np.exp(0.4j))
        * sr.block(7, K, [(1, 1, 1), (np.exp(1j), np.exp(1.5j), np.exp(-2.5j))]),
        hn.OTHER,
    ),
]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("network", "kind"), BUILT, ids=["four", "opposed", "both", "synced", "other"]
)
def test_what_is_built_is_recognised(network, kind, seed):
    exact, near = (hn.factorise(disguised(network, seed, noise)) for noise in (0, 0.01))
    assert exact.error < 1e-9 and near.factorable and 0 < near.error < 0.15
    assert hn.kind_of(exact) == kind == hn.kind_of(near)
    for found in (exact.pair, exact.other):
        assert np.allclose(found[:, 0], 1) and np.allclose(found.prod(axis=0), 1)


def test_random_nodes_do_not_factor():
    rng = np.random.default_rng(0)
    for n in (4, 6):
        # all of one size, as in a trained network
        turns = np.exp(2j * np.pi * rng.uniform(size=(200, 3, n)))
        share = np.mean([hn.factorise(nodes).factorable for nodes in turns])
        assert share < 0.05
        kinds = [hn.kind_of(hn.factorise(nodes)) for nodes in turns]
        assert np.mean([kind == hn.OTHER for kind in kinds]) > 0.9


@pytest.mark.parametrize(("error", "said"), [(0.17, "syn"), (0.18, "")])
def test_thirds_of_a_turn_may_err_by_a_tenth_a_node(error, said):
    """The norm of three errors of .1 is .173; here one node is too long, by an error that the mean
    does not turn."""
    assert (
        hn.three_type(np.exp(2j * np.pi * np.outer([1, 1, 1], [0, 1, 2]) / 3) * [1, 1, 1 + error])
        == said
    )


def test_waves_are_the_coordinates_of_the_semi_ring():
    made = sr.order_six_solution(9)
    assert np.allclose(hn.node_waves(*made.weights()), made.z)
    assert hn.node_frequencies(made.z).tolist() == [k for k in (1, 2, 3, 4) for _ in range(6)]


def test_orders_are_read_off_layer_a_alone():
    z = sr.order_four_six_solution(9, k0=3).z
    assert hn.orders(z).tolist() == [4, 4, 6, 4]
    z[1:] = 0
    assert hn.orders(z).tolist() == [4, 4, 6, 4] and hn.orders(0.01 * z).tolist() == [0] * 4
    assert hn.orders(sr.memorization_solution(7).z).tolist() == [49] * 3


def test_a_run_s_shares_of_kinds():
    shares = hn.kind_shares(hn.frequency_table(sr.order_four_six_solution(9).z))
    assert shares == {hn.FOUR: 75, hn.OPPOSED: 25, hn.SYNCED: 0, hn.OTHER: 0}
    nothing_factors = hn.kind_shares(hn.frequency_table(sr.memorization_solution(7).z))
    assert np.isnan(list(nothing_factors.values())).all()


test_what_has_no_table_is_refused = refusals(
    *(
        (partial(hn.factorise, np.ones(shape)), "n = 4, 6 or 8")
        for shape in ((3, 5), (2, 4), (3, 10))
    ),
    (lambda: hn.factorise(np.zeros((3, 4))), "without zeros"),
    (lambda: hn.node_waves(np.ones((5, 2)), np.ones((5, 2)), np.ones((5, 3))), "must have one"),
)
