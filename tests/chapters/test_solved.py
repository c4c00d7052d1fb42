"""Recorded nodes: what is kept of a network gives its orders and factors again; the table's runs are the sweep's."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch

from grokbook.chapters.algebraic_solutions.solved import (
    MODULI,
    Solved,
    at_the_end,
    cogo_run,
    cogo_table,
    frequency_tables,
    recorded_waves,
    waves_of,
)
from grokbook.measures.hidden_nodes import frequency_table, orders
from grokbook.theory.semiring import order_four_six_solution


@pytest.fixture(scope="module")
def solved() -> dict[str, torch.Tensor]:
    """The parameters of a network without loss."""
    a, b, c = (torch.from_numpy(w) for w in order_four_six_solution(11, k0=3).weights())
    return {"W_E": torch.cat([a, b]), "W_U": c}


def test_the_waves_of_a_network_are_those_it_was_made_of(solved):
    assert np.allclose(waves_of(solved), order_four_six_solution(11, k0=3).z)


def test_a_record_of_its_nodes_gives_orders_and_kinds_again(solved):
    kept = at_the_end(solved)
    again = recorded_waves(kept, 11)
    pd.testing.assert_frame_equal(
        frequency_table(again).drop(columns="error"), frequency_table(waves_of(solved)).drop(columns="error")
    )
    assert kept.node_rest.values.max() < 1e-6 and kept.sizes == {"layer": 3, "node": 22, "part": 2}


def test_a_run_is_watched_and_its_table_has_a_row_a_frequency_and_seed():
    run = Solved("made/up", cogo_run(5, 8, 30), seeds=(0, 3)).run(progress=False, device="cpu")
    assert "weights" not in run and run.node_wave.shape == (2, 3, 8, 2)
    table = frequency_tables(run)
    assert table.groupby("seed").frequency.apply(list).to_dict() == {0: [1, 2], 3: [1, 2]}
    for seed in (0, 3):
        again = orders(recorded_waves(run.sel(seed=seed), 5))
        assert again.sum() <= run.waves.sel(seed=seed).values[-1]


def test_the_table_s_runs_have_the_settings_of_the_sweep():
    for p, run in cogo_table().items():
        config = run.config
        assert (config.model.width, config.steps, config.optimizer.learning_rate) == (512, 10_000, 0.01)
        assert config.optimizer.weight_decay == 5e-5 and config.loss == "centred_squared_error"
        assert config.n_train == round(0.9 * p * p) and config.start == "uniform" and len(run.seeds) == 5
    assert tuple(cogo_table()) == MODULI
