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


def test_one_row_a_frequency_and_the_first_is_the_network_itself(drawn, cell):
    config, weights = drawn
    table = cell("02a", "strongest =", configs=[config], networks=[weights, weights], p_trained=P)[
        "worth"
    ]
    assert table.frequency.tolist() == [0, 1, 2, 3, 4, 5, 6]
    own = fr.score(trained.all_logits(config, weights))
    assert table["logits: loss"][0] == table["table: loss"][0] == pytest.approx(own.loss)
    strongest = 1 + int(fr.wave_shares(trained.all_logits(config, weights)).argmax())
    same = table.frequency == strongest  # there the donor's circle is the network's own, unrenamed
    assert table["donor: loss"][same].item() == pytest.approx(own.loss, rel=1e-5)
    assert abs(table["donor: loss"][1:][~same[1:]] - own.loss).min() > 1e-6
    assert abs(table["table: loss"][1:] - own.loss).min() > 1e-6


def test_the_embedding_that_is_put_in_is_the_one_that_is_read(drawn):
    config, weights = drawn
    table = torch.roll(weights["W_E"][:P], 1, dims=0)
    moved = trained.all_logits(
        config, {**weights, "W_E": torch.cat([table, weights["W_E"][P:]])}
    ).reshape(P, P, P)
    own = trained.all_logits(config, weights).reshape(P, P, P)
    np.testing.assert_allclose(moved, np.roll(own, (1, 1), axis=(0, 1)), atol=1e-6)


def test_a_reading_of_a_network_made_of_two_waves(drawn, monkeypatch):
    """16/25 and 9/25 of the variance; without both the loss on the training set is ln p, with both
    it is the whole."""
    config, weights = drawn
    waves = fr.waves(P, [0.0, 8.0, 0.0, 0.0, 6.0])
    monkeypatch.setattr(trained, "all_logits", lambda *_: waves)
    found = trained.reading(config, weights)
    assert found["key"] == [2, 5] and found["shares"] == pytest.approx([0.64, 0.36])
    assert found["excluded"] == pytest.approx(np.log(P)) and found["restricted"] == pytest.approx(
        found["loss"]
    )
    assert found["explained"] == pytest.approx(1) and found["accuracy"] == 1
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
def test_trained_networks_add_by_a_few_frequencies(cell):
    """Two seeds, half of the steps: right on all pairs, few frequencies, without one of them
    wrong."""
    from grokbook.runs.weights import final_weights

    run = trained.trained(n_seeds=2, steps=1_000)
    networks = final_weights(run, progress=False)
    table = pd.DataFrame(
        [trained.reading(run.config.with_seed(n), one) for n, one in enumerate(networks)]
    )
    assert (table.accuracy == 1).all() and table.key.str.len().between(1, 5).all()
    assert (table.excluded > 1).all() and (table.restricted < 0.1).all()
    given = {
        "configs": [run.config.with_seed(0)],
        "networks": networks,
        "p_trained": run.config.task.p,
    }
    worth = cell("02a", "strongest =", **given)["worth"].set_index("frequency")
    assert worth["table: accuracy"][table.key[0][0]] < 0.7
