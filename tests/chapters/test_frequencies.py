"""Frequencies of logits and embeddings against closed forms of a clock and of a pizza."""

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from embedding_tables import circles, gaussian
from grokbook.measures import fourier_power
from grokbook.measures.fourier_losses import CyclicClasses, cross_entropy, restricted_loss
from grokbook.tasks.arithmetic import ModularTask
from grokbook_chapters.how_a_network_adds import frequencies as fr
from grokbook_chapters.how_a_network_adds.built import built_quadratic, built_transformer
from grokbook_chapters.how_a_network_adds.operands import from_embeddings
from refusals import refusals

PRIMES = [5, 13, 29]


def pizza(p, amplitudes):
    """sum_k a_k |cos(w_k (i - j) / 2)| cos w_k (i + j - c), shape (p*p, p)."""
    i, j, c = np.ogrid[:p, :p, :p]
    made = np.zeros((p, p, p))
    for k, a in enumerate(amplitudes, 1):
        made += (
            a * np.abs(np.cos(np.pi * k * (i - j) / p)) * np.cos(2 * np.pi * k * (i + j - c) / p)
        )
    return made.reshape(p * p, p)


@pytest.mark.parametrize("p", PRIMES)
def test_the_waves_are_what_they_are_called(p):
    i, j, c = np.ogrid[:p, :p, :p]
    written = 3 * np.cos(2 * np.pi * (i + j - c) / p) - 2 * np.cos(4 * np.pi * (i + j - c) / p)
    np.testing.assert_allclose(fr.waves(p, [3.0, -2.0]), written.reshape(p * p, p), atol=1e-12)


@given(st.integers(0, 100), st.sampled_from([3, 5, 7]))
def test_amplitudes_are_the_least_squares_of_a_regression_on_the_waves(seed, p):
    """The projection is orthogonal: numpy's solution of the normal equations, and Pythagoras for
    the rest."""
    logits = gaussian(p * p, p, seed)
    size = (p - 1) // 2
    columns = np.stack([fr.waves(p, np.eye(size)[k]).ravel() for k in range(size)], axis=1)
    expected = np.linalg.lstsq(columns, logits.ravel(), rcond=None)[0]
    np.testing.assert_allclose(fr.wave_amplitudes(logits), expected, atol=1e-12)
    every = range(1, size + 1)
    kept, rest = fr.keep_waves(logits, every), fr.drop_waves(logits, every)
    assert (kept**2).sum() + (rest**2).sum() == pytest.approx((logits**2).sum())
    centred = logits - logits.mean(axis=1, keepdims=True)
    assert fr.wave_shares(logits).sum() == pytest.approx((kept**2).sum() / (centred**2).sum())


@pytest.mark.parametrize("p", PRIMES)
def test_a_clock_has_its_whole_variance_at_its_frequencies(p):
    shares = fr.wave_shares(fr.waves(p, [3.0, 4.0]) + np.arange(p * p)[:, None])
    np.testing.assert_allclose(shares, [9 / 25, 16 / 25] + [0] * ((p - 5) // 2), atol=1e-12)


@pytest.mark.parametrize("p", PRIMES)
def test_a_pizza_loses_what_its_factor_costs(p):
    """The mean of |cos(pi d / p)| over d is 1 / (p sin(pi / 2p)), its mean square 1/2: share 2 / (p
    sin(pi / 2p))^2."""
    shares = fr.wave_shares(pizza(p, [2.0]))
    assert shares[0] == pytest.approx(2 / (p * np.sin(np.pi / (2 * p))) ** 2)
    assert shares[1:] == pytest.approx(0, abs=1e-12)
    assert fr.wave_shares(pizza(101, [1.0]))[0] == pytest.approx(8 / np.pi**2, abs=1e-3)


@pytest.mark.parametrize("p", PRIMES)
def test_margin_of_one_frequency(p):
    """1 - cos(2 pi / p) for every pair of a clock of one frequency, whichever it is (p prime)."""
    for k in range(1, (p + 1) // 2):
        assert fr.margins(fr.waves(p, np.eye(p)[k - 1, :k])) == pytest.approx(
            1 - np.cos(2 * np.pi / p)
        )
    found = fr.score(fr.waves(p, [1.0]))
    assert (found.accuracy, found.wrong) == (1, 0) and found.margin == pytest.approx(
        1 - np.cos(2 * np.pi / p)
    )


def test_a_tie_and_a_shifted_answer_are_wrong():
    assert fr.score(np.zeros((25, 5))).wrong == 25
    shifted = np.roll(fr.waves(5, [1.0]), 1, axis=1)
    assert fr.score(shifted).accuracy == 0 and fr.score(shifted).margin < 0


def test_kept_waves_have_the_restricted_loss_where_logits_are_waves():
    """Of a clock both agree; the restricted loss keeps more of other logits (any pattern over
    c)."""
    logits, classes = fr.waves(13, [5.0, 0.0, 8.0]), fr.sums(13)
    wider = restricted_loss(logits, classes, CyclicClasses(classes, 13), [3])
    assert fr.score(fr.keep_waves(logits, [3])).loss == pytest.approx(wider)
    assert fr.score(logits).loss == pytest.approx(cross_entropy(logits, classes))


@pytest.mark.parametrize(
    "shares, expected",
    [([1.0, 0, 0], [1]), ([0.1, 0.5, 0.3], [2, 3, 1]), ([0.01, 0.5, 0.49], [2, 3])],
)
def test_fewest_frequencies(shares, expected):
    assert fr.fewest(shares) == expected


@pytest.mark.parametrize("kind", [np.asarray, torch.as_tensor])
def test_ablation_takes_one_circle_and_nothing_else(kind):
    table = circles(13, [2, 5], [3.0, 4.0]) + 7
    left = fr.without_frequencies(kind(table), [5])
    assert isinstance(left, type(kind(table)))
    np.testing.assert_allclose(left, circles(13, [2, 5], [3.0, 0.0]) + 7, atol=1e-12)


@given(st.integers(0, 50))
def test_transplant_moves_the_power_of_the_frequency_and_no_other(seed):
    own, donor = gaussian(11, 4, seed), gaussian(11, 4, seed + 1)
    mixed = fourier_power(fr.with_frequencies_of(own, donor, [3, 1]))
    expected = np.where(np.isin(np.arange(6), [1, 3]), fourier_power(donor), fourier_power(own))
    np.testing.assert_allclose(mixed, expected, atol=1e-12)


@pytest.mark.parametrize("p", PRIMES)
def test_distance_irrelevance_of_a_correct_logit_in_two_independent_parts(p):
    """L = a f(i + j) + b g(j - i): sum and distance are independent for odd p, so q = a / sqrt(a^2
    + b^2)."""
    i, j = np.divmod(np.arange(p * p), p)
    f = (np.arange(p) - (p - 1) / 2) / np.std(np.arange(p))
    correct = 3 * f[(i + j) % p] + 4 * f[(j - i) % p]
    logits = np.eye(p)[fr.sums(p)] * correct[:, None]
    assert fr.distance_irrelevance(logits) == pytest.approx(3 / 5)


def clock_of(x, y, p):
    """sum over circles of cos w(i + j - c) from the points (cos, sin) of both: products of the two
    embeddings."""
    angles = 2 * np.pi * np.arange(p) / p
    (a, b), (c, d) = x.T, y.T
    real, imaginary = a * c - b * d, a * d + b * c
    return real[:, None] * torch.as_tensor(np.cos(angles)) + imaginary[:, None] * torch.as_tensor(
        np.sin(angles)
    )


def test_gradients_of_a_clock_differ_by_the_angle_between_the_operands():
    """dz/dE_i points to w (c - j), dz/dE_j to w (c - i): the cosine of a pair is cos w(i - j), its
    mean is 0."""
    p, table = 13, torch.as_tensor(circles(13, [1]))
    i, j = np.divmod(np.arange(p * p), p)
    alone = fr.gradient_symmetricity(lambda x, y: clock_of(x, y, p), table[[4]], table[[1]])
    assert alone == pytest.approx(np.cos(2 * np.pi * 3 / p))
    assert fr.gradient_symmetricity(
        lambda x, y: clock_of(x, y, p), table[i], table[j]
    ) == pytest.approx(0, abs=1e-9)


def test_gradients_of_what_sees_the_sum_or_the_difference():
    x, y = (torch.as_tensor(gaussian(20, 6, seed)) for seed in (0, 1))
    w = torch.as_tensor(gaussian(6, 5, 2))
    assert fr.gradient_symmetricity(lambda a, b: torch.sin(a + b) @ w, x, y) == pytest.approx(1)
    assert fr.gradient_symmetricity(lambda a, b: torch.tanh(a - b) @ w, x, y) == pytest.approx(-1)


@pytest.mark.parametrize(("p", "frequencies"), [(13, [2, 5]), (29, [3])])
@pytest.mark.parametrize("build", [built_quadratic, built_transformer])
def test_networks_that_were_written_down_are_a_clock_and_a_pizza(build, p, frequencies):
    """A clock's logits are waves alone; waves explain 2 / (p sin(pi / 2p))^2 of a pizza's, whose
    correct logit depends on the distance alone. Both add their rows first, and so have 1 as
    symmetricity (Zhong et al. 2023)."""
    network, weights = build(p, frequencies, dtype=torch.float64)
    i, j = torch.as_tensor(ModularTask(p).pairs).T
    first, second = network.embeddings(weights)
    assert fr.gradient_symmetricity(
        from_embeddings(network, weights), first[i], second[j]
    ) == pytest.approx(1)
    logits = network.forward(weights, torch.as_tensor(ModularTask(p).tokens)).numpy()
    shares, fades = fr.wave_shares(logits), build is built_transformer
    assert sorted(fr.fewest(shares)) == frequencies
    assert shares.sum() == pytest.approx(2 / (p * np.sin(np.pi / (2 * p))) ** 2 if fades else 1)
    assert fr.distance_irrelevance(logits) == pytest.approx(
        0 if fades else np.nan, abs=1e-9, nan_ok=True
    )


test_what_has_no_meaning_is_refused = refusals(
    *((partial(fr.wave_amplitudes, np.zeros(shape)), "logits") for shape in ((16, 4), (25, 4), 25)),
    (lambda: fr.wave_amplitudes(np.full((25, 5), np.nan)), "logits"),
    (lambda: fr.keep_waves(fr.waves(5, [1.0]), [3]), "frequency"),
    (lambda: fr.without_frequencies(np.eye(5), [0]), "frequency"),
    (lambda: fr.wave_shares(np.ones((25, 5))), "equal for all classes"),
    (lambda: fr.with_frequencies_of(np.eye(5), np.eye(7), [1]), "donor"),
    (
        lambda: fr.gradient_symmetricity(lambda a, b: a + b, torch.zeros(3, 2), torch.zeros(2, 2)),
        "shapes",
    ),
)
