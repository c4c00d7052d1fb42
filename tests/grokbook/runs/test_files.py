"""Pictures, tables and files of runs: what is read back is what was written."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from own_parts import Parity, Sine

import grokbook as gb
from grokbook.errors import ParameterError


@pytest.fixture(scope="module")
def runs():
    task, net = gb.ModularTask(5, train_fraction=0.5), gb.Transformer(5, d_model=8)
    stop = gb.StopRule("train_accuracy", 0.0, hold=3)
    return gb.train(
        task, net, seeds=2, steps=40, keep="weights", stop=stop, progress=False, store=False
    )


def test_the_table_has_a_row_a_run_and_step_and_none_where_a_run_had_stopped(runs):
    table = gb.to_pandas(runs)
    assert table[["seed", "step"]].values.tolist() == [
        [seed, step] for seed in (0, 1) for step in (0, 10, 20)
    ]
    one = table[(table.seed == 1) & (table.step == 20)].iloc[0]
    assert one.test_loss == runs.test_loss.sel(seed=1, step=20) and "embedding" not in table
    swept = gb.sweep(
        Parity(), Sine(), grid={"lr": [1e-3, 1e-2]}, steps=10, progress=False, store=False
    )
    assert (
        gb.to_pandas(swept).columns[:3].tolist() == ["seed", "lr", "step"]
        and len(gb.to_pandas(swept)) == 4
    )


def test_curves_and_embeddings_are_drawn_from_the_numbers(runs):
    curves = gb.plot_curves(runs)
    drawn = [line.get_ydata() for line in curves.axes[0].lines]
    later = runs.train_accuracy.sel(seed=0).where(runs.step >= 1, drop=True)
    assert any(len(y) == later.size and np.allclose(y, later, equal_nan=True) for y in drawn)
    picture = gb.plot_embedding(gb.load(runs, 0))
    points = picture.axes[0].collections[0].get_offsets()
    table = runs.embedding.sel(seed=0).isel(snapshot=-1).values
    apart = np.linalg.svd(table - table.mean(0), compute_uv=False)[:2]
    np.testing.assert_allclose(np.linalg.norm(points, axis=0), apart, rtol=1e-5)
    assert len(gb.plot_embedding(runs).axes) == 3
    plt.close("all")
    with pytest.raises(ParameterError, match="the runs have an axis lr; choose a cell"):
        gb.plot_curves(runs.expand_dims(lr=[1.0]))
    with pytest.raises(ParameterError, match="no embedding to be drawn"):
        gb.plot_embedding(
            gb.load(gb.train(Parity(), Sine(), seeds=1, steps=10, keep="weights", store=False))
        )
