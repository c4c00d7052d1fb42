"""Readings of networks whose frequencies are known because their logits or their embedding were
made."""

import base64

import numpy as np
import pandas as pd
import pytest
import torch

from grokbook.training import split_weights, train
from grokbook_chapters.how_a_network_adds import frequencies as fr
from grokbook_chapters.how_a_network_adds import trained

P = 13


@pytest.fixture(scope="module")
def drawn():
    """A small configuration and the weights that it starts with."""
    config = trained.trained(P, d_model=8).config
    return config, config.model.draw(0)


def test_without_a_frequency_the_network_is_another(drawn):
    config, weights = drawn
    own = logits_of(config, weights)
    loss = fr.score(own).loss
    table = trained.without_each(config.model, weights, weights, config.task)
    assert table.frequency.tolist() == [1, 2, 3, 4, 5, 6]
    assert table.share.tolist() == fr.wave_shares(own).tolist()
    assert abs(table["without: loss"] - loss).min() > 1e-6
    # the donor's strongest circle is the network's own where it needs no new name
    same = table.frequency == 1 + int(fr.wave_shares(own).argmax())
    assert table["exchanged: loss"][same].item() == pytest.approx(loss, rel=1e-5)
    assert abs(table["exchanged: loss"][~same] - loss).min() > 1e-6


def logits_of(config, weights):
    return trained.all_logits(config.model, weights, config.task)


def test_the_embedding_that_is_put_in_is_the_one_that_is_read(drawn):
    config, weights = drawn
    table = torch.roll(weights["W_E"][:P], 1, dims=0)
    changed = {**weights, "W_E": torch.cat([table, weights["W_E"][P:]])}
    moved = logits_of(config, changed).reshape(P, P, P)
    own = logits_of(config, weights).reshape(P, P, P)
    np.testing.assert_allclose(moved, np.roll(own, (1, 1), axis=(0, 1)), atol=1e-6)


def test_a_reading_of_a_network_made_of_two_waves(drawn, monkeypatch):
    """16/25 and 9/25 of the variance; without both the loss on the training set is ln p, with both
    it is the whole."""
    config, weights = drawn
    waves = fr.waves(P, [0.0, 8.0, 0.0, 0.0, 6.0])
    monkeypatch.setattr(trained, "all_logits", lambda *_: waves)
    found = trained.reading(config, weights)
    assert found["key"] == [2, 5] and found["accuracy"] == 1
    assert found["excluded"] == pytest.approx(np.log(P)) and found["restricted"] == pytest.approx(
        found["loss"]
    )
    assert -1 <= found["gradient symmetricity"] <= 1


def test_what_the_page_is_given_is_the_network_to_half_a_step():
    """Waves and rest are the logits less their row means, the rest in steps (the browser test reads
    them back)."""
    logits = fr.waves(P, [1.0, 0, 3.0]) + np.random.default_rng(0).normal(size=(P * P, P))
    given = trained.explorable(logits, "made")
    centred = logits - logits.mean(axis=1, keepdims=True)
    rest = centred - fr.waves(P, given["amplitudes"])
    levels = np.frombuffer(base64.b64decode(given["rest"]), "i1").reshape(rest.shape)
    assert levels.max() == 127 or levels.min() == -127
    assert (
        np.abs(levels * given["scale"] - rest).max() <= given["scale"] / 2 + 6 * 5e-5
        and given["p"] == P
    )
    assert given["shares"] == pytest.approx(fr.wave_shares(logits), abs=5e-5)


def test_with_uniform_attention_both_operands_are_added_first():
    """The queries stay at nothing, each token has a third of the attention, and the gradients of
    both agree."""
    run = trained.trained(7, d_model=8, steps=20, n_seeds=1, uniform=True)
    data = train([run.config], device="cpu", progress=False, keep_weights=True)
    weights = split_weights(run.config, torch.as_tensor(data.weights.values[0]))
    start = run.config.model.draw(0)
    assert float(weights["W_Q.0"].abs().max()) < 1e-29 and not torch.equal(
        weights["W_K.0"], start["W_K.0"]
    )
    assert trained.symmetricity(
        run.config.model.network, weights, run.config.task
    ) == pytest.approx(1, abs=1e-4)
    assert "uniform" in run.name and trained.trained(7, d_model=8).key != run.key


@pytest.mark.slow
def test_trained_networks_add_by_a_few_frequencies():
    """Two seeds, half of the steps: right on all pairs, few frequencies, without one of them
    wrong."""
    from grokbook.runs.weights import final_weights

    run = trained.trained(n_seeds=2, steps=1_000)
    networks = final_weights(run)
    table = pd.DataFrame(
        [trained.reading(run.config.with_seed(n), one) for n, one in enumerate(networks)]
    )
    assert (table.accuracy == 1).all() and table.key.str.len().between(1, 5).all()
    assert (table.excluded > 1).all() and (table.restricted < 0.1).all()
    changed = trained.without_each(run.config.model, *networks, run.config.task)
    assert changed.set_index("frequency").without[table.key[0][0]] < 0.7
