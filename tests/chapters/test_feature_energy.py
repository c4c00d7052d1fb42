"""The energy of a feature on a group, its hills, and the gradient behind a ridge (Tian 2025)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook_chapters.feature_emergence import backpropagated as back
from grokbook_chapters.feature_emergence import feature_energy as fe
from grokbook_chapters.feature_emergence.irreps import as_table, irreps

GROUPS = ["Z5", "Z8", "Z2xZ2", "S3", "D4", "Q8", "A4", "Q8xZ3"]
seeds = st.integers(0, 10_000)


@pytest.mark.parametrize("group", GROUPS)
def test_projections_are_orthogonal_and_complete(group):
    found = [rho.projection for rho in irreps(group)]
    assert np.allclose(sum(found), np.eye(len(as_table(group))))
    for i, p in enumerate(found):
        assert all(np.abs(p @ q).max() < 1e-9 for q in found[:i])
    assert [round(np.trace(p)) for p in found] == [
        rho.dimension**2 // rho.norm for rho in irreps(group)
    ]


def test_types_are_those_of_frobenius_and_schur():
    """The mean of chi(h^2) over a complex irrep is 1, 0 or -1; twice that where it is in the real
    one twice."""
    for group in GROUPS:
        table = as_table(group)
        squares = table[np.arange(len(table)), np.arange(len(table))]
        for rho in irreps(group):
            assert round(rho.character[squares].mean(), 6) == {1: 1, 2: 0, 4: -2}[rho.norm]


def matrices(table, cells):
    """Inputs X and centred answers Y of the marked pairs, written out."""
    n = len(table)
    a, b = np.argwhere(cells).T
    Y = np.eye(n)[table[a, b]]
    return np.eye(2 * n)[a] + np.eye(2 * n)[n + b], Y - Y.mean(axis=0)


@given(st.sampled_from(GROUPS), seeds)
def test_the_energy_is_equation_8_and_its_sum_over_irreps(group, seed):
    table = as_table(group)
    w = np.random.default_rng(seed).normal(size=2 * len(table))
    X, Y = matrices(table, np.ones(table.shape))
    assert np.isclose(fe.energy(w, group), 0.5 * ((Y.T @ (X @ w) ** 2) ** 2).sum())
    assert np.isclose(fe.by_irreps(w, group), fe.energy(w, group))
    assert np.isclose(fe.energy(w, group, inputs="unit"), fe.energy(w / np.sqrt(2), group))
    assert np.isclose(fe.by_traces(w, group), fe.energy(w, group)) == (table == table.T).all(), (
        "where it is Abelian"
    )
    assert np.allclose(
        fe.energy(np.array([w, 2 * w]), group), fe.energy(w, group) * np.array([1, 16])
    )


@given(st.sampled_from(GROUPS), seeds)
def test_the_gradient_is_that_of_the_energy_and_euler_holds(group, seed):
    w, move = np.random.default_rng(seed).normal(size=(2, 2 * len(as_table(group))))
    ahead, behind = (fe.energy(w + s * move, group) for s in (1e-4, -1e-4))
    slope = fe.gradient(w, group)
    assert np.isclose(
        (ahead - behind) / 2e-4, slope @ move, rtol=1e-4, atol=1e-4 * np.linalg.norm(slope)
    )
    assert np.isclose(slope @ w, 4 * fe.energy(w, group))
    assert np.allclose(fe.gradient(np.array([w, 2 * w]), group), [slope, 8 * slope])


@given(st.sampled_from(GROUPS), seeds)
def test_translations_leave_the_energy_and_a_hill_its_height(group, seed):
    """u(gh) and v(hk) have the same energy: both regular representations are symmetries."""
    rng, table = np.random.default_rng(seed), as_table(group)
    n = len(table)
    u, v = rng.normal(size=(2, n))
    g, k = rng.integers(n, size=2)
    moved = np.concatenate([u[table[g]], v[table[:, k]]])
    assert np.isclose(fe.energy(moved, group), fe.energy(np.concatenate([u, v]), group))
    for m in fe.local_maxima(group):
        w = fe.example(m.irrep, seed)
        assert np.isclose(fe.energy(w, group), m.energy) and np.isclose(np.linalg.norm(w), 1)
        assert np.allclose(fe.spectrum(w, group).max(), 1)


def curvature(w, group):
    """Eigenvalues of the energy's second derivative on the sphere at a maximum w (2M,): 2M - 1 of
    them.

    The gradient is a polynomial of degree three, so its central difference with step 1 is exact but
    for a cubic term, which two steps remove.
    """
    n = len(w)
    one, two = (
        (fe.gradient(w + s * np.eye(n), group) - fe.gradient(w - s * np.eye(n), group)) / (2 * s)
        for s in (1.0, 2.0)
    )
    second = (4 * one - two) / 3 - 4 * float(fe.energy(w, group)) * np.eye(n)
    basis = np.linalg.svd(w[None])[2][1:]  # of the tangent space
    return np.linalg.eigvalsh(basis @ second @ basis.T)


@pytest.mark.parametrize("group", GROUPS)
def test_hills_are_maxima_with_their_zero_modes(group):
    for m in fe.local_maxima(group):
        values = curvature(m.w, group)
        assert values.max() < 1e-8 * m.energy
        assert (np.abs(values) < 4e-7 * m.energy).sum() == m.zero_modes
        assert np.allclose(fe.gradient(m.w, group), 4 * m.energy * m.w)


@pytest.mark.parametrize("group", GROUPS)
def test_ascents_end_on_hills_only(group):
    starts = np.random.default_rng(0).normal(size=(12, 2 * len(as_table(group))))
    ends = fe.energy(fe.ascend(starts, group, steps=4_000), group)
    tops = np.array([m.energy for m in fe.local_maxima(group)])
    assert np.abs(ends[:, None] - tops).min(axis=1).max() < 1e-6
    assert tops.max() <= len(as_table(group)) / 2


def test_energies_and_zero_modes_agree_with_the_reference_numbers(oracle):
    for name, value in oracle("li2.Estar").items():
        group, inputs = name.split("_")
        group = int(group[1:]) if group[0] == "M" else group
        kind = "one-hot" if inputs == "raw" else "unit"
        assert (
            sorted({m.energy for m in fe.local_maxima(group, inputs=kind)})
            == np.ravel(value).tolist()
        )
    modes = {
        (group, m.dimension): m.zero_modes
        for group in ("S3", "D4", "A4", "Q8")
        for m in fe.local_maxima(group)
    }
    known = {
        "S3_2d": ("S3", 2),
        "D4_2d": ("D4", 2),
        "A4_3d": ("A4", 3),
        "A4_1d_pair": ("A4", 2),
        "Q8_2d": ("Q8", 4),
    }
    assert {name: oracle("li2.zero_modes")[name] for name in known} == {
        k: modes[at] for k, at in known.items()
    }


def test_arguments_out_of_range_are_refused():
    for call in (
        lambda: fe.energy(np.ones(7), 5),
        lambda: fe.energy(np.ones(10), 5, inputs="half"),
        lambda: fe.local_maxima(5, inputs="half"),
        lambda: fe.local_maxima(1),
        lambda: back.ridge(np.ones((3, 1)), np.ones((3, 1)), 0),
    ):
        with pytest.raises(ParameterError):
            call()


@given(st.integers(1, 12), st.integers(2, 9), st.floats(1e-3, 1e3), seeds)
def test_the_residual_gives_the_printed_gradient(K, n, eta, seed):
    rng = np.random.default_rng(seed)
    F, Y = rng.normal(size=(n, K)), rng.normal(size=(n, 3))
    left = back.residual(F, Y, eta)
    V = back.ridge(F, Y, eta)
    assert np.allclose(left, back.centred(Y - F @ V), atol=1e-9)
    assert np.allclose(back.feature_gradient(F, Y, eta), left @ V.T, atol=1e-7)
    assert np.allclose(back.feature_gradient(F, Y, eta), back.as_printed(F, Y, eta), atol=1e-7)


def test_wide_networks_have_the_corrected_prefactor_which_peaks_at_Kc():
    K, eta = 40_000, 100.0
    F, Y = back.random_features("S3", K), back.answers("S3")
    target = back.centred(Y) @ (back.centred(Y).T @ back.centred(F))
    got = back.feature_gradient(F, Y, eta)
    assert np.isclose(
        (got * target).sum() / (target**2).sum(), back.shrinkage(K, 4.0, eta), rtol=0.03
    )
    etas = np.geomspace(1, 1e4, 401)
    assert np.isclose(etas[np.argmax([back.shrinkage(50, 4.0, e) for e in etas])], 200, rtol=0.02)


@pytest.mark.parametrize("group", ["Z5", "Z8", "S3", "Q8", "A4"])
def test_the_conjugate_reconstructs_the_target_and_the_printed_nodes_do_not(group):
    Y = back.answers(group)
    assert back.unreached(back.features(back.paired_nodes(group), group), Y) < 1e-9
    assert back.unreached(back.features(back.paired_nodes(group, conjugate=False), group), Y) > 0.3
    assert (
        len(back.paired_nodes(group)) == back.enough_nodes(group)[0] <= back.enough_nodes(group)[1]
    )


def test_real_cosines_need_free_phases():
    """Literal real [u; +-Pu] have only cos k(a + b): half of the target, sqrt(1/2) of its norm, is
    missed."""
    phase = np.random.default_rng(0).uniform(0, 2 * np.pi, 8)
    mirrored = np.concatenate([np.stack([phase, -phase], 1), np.stack([phase, np.pi - phase], 1)])
    assert np.isclose(
        back.unreached(back.features(back.cosines(7, mirrored), 7), back.answers(7)), np.sqrt(0.5)
    )
    assert back.unreached(back.features(back.cosines(7), 7), back.answers(7)) < 1e-9


def test_learned_frequencies_are_lowered_by_the_square_of_what_the_ridge_leaves():
    """With the target's own parts as features of strength lambda: (eta / (eta + lambda))^2."""
    M, hills = 7, fe.local_maxima(7)
    a, b = np.divmod(np.arange(M * M), M)
    F = np.stack([np.cos(2 * np.pi * (a + b) / M), np.sin(2 * np.pi * (a + b) / M)], axis=1)
    for eta in (1.0, 50.0):
        low, high = (back.modulated(m.w, M, F, eta) for m in hills[:2])
        assert np.isclose(low, hills[0].energy * (eta / (eta + M**2 / 2)) ** 2) and np.isclose(
            high, hills[1].energy
        )


@pytest.mark.parametrize("pairs", [40, 250, 800])
def test_ascent_pair_by_pair_ends_where_that_of_the_whole_table_does(pairs):
    """The same iteration with the matrices of Eq. 7 written out; on lists M may be thousands."""
    M = 31
    draw = back._drawn(M, pairs, np.random.default_rng(pairs))
    X, Y = matrices(as_table(M), np.isin(np.arange(M * M), draw.order).reshape(M, M))
    for steps in (1, 60):
        ended = draw.wave
        for _ in range(steps):
            felt = X @ ended
            slope = X.T @ (2 * felt * (Y @ (Y.T @ felt**2)))
            moved = slope + (slope @ ended) * ended
            ended = moved / np.linalg.norm(moved)
        part = back._part_kept(M, draw.order, draw, steps)
        assert np.isclose(part, fe.spectrum(ended, M)[draw.frequency], rtol=1e-6)


def test_the_number_found_by_halving_is_where_keeping_begins():
    """With 0.7 of the fewest that any draw needs none of six others keeps its maximum, with 1.1 of
    the most all do."""
    found = back.samples_to_keep(101, 6)
    assert back.keeps(101, int(1.1 * found.max()), 6, seed=5).all()
    assert not back.keeps(101, int(0.7 * found.min()), 6, seed=5).any()
