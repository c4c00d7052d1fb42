"""The theorems on embeddings of a dataset."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from grokbook.claims.uniformity_records import product_share, radius_table, snapshot_table
from grokbook.theory.one_frequency import circle


def dataset(p=7, d=6):
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(2, p, d))
    wheel = np.pad(circle(p, 2), ((0, 0), (0, d - 2)))
    tables = np.stack([noise, np.stack([wheel, wheel])], axis=1)
    return xr.Dataset(
        {"embedding": (("seed", "snapshot", "token", "feature"), tables),
         "test_accuracy": (("seed", "step"), np.array([[0.1, 0.5, 1.0], [0.2, 0.5, np.nan]]))},
        {"seed": [0, 1], "snapshot": [0, 100], "step": [0, 50, 101]},
    )  # fmt: skip


def test_sums_carry_nothing_and_products_of_a_circle_everything():
    table = snapshot_table(dataset())
    assert table.sums.max() < 1e-12
    assert table[table.step == 100]["products"].to_numpy() == pytest.approx(1)
    assert table[table.step == 0]["products"].max() < 0.95
    assert table[table.seed == 0].test_accuracy.tolist() == [0.1, 1.0]


def test_noise_has_little_and_a_circle_in_noise_much():
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(31, 2))
    assert product_share(noise) < product_share(circle(31, 3) + 0.1 * noise)


def test_radii_lie_between_one_and_two():
    table = radius_table(dataset())
    assert table[["start", "end"]].stack().between(1, 2).all()
    assert table.end.to_numpy() == pytest.approx(1 + np.cos(np.pi / 7))
    assert table.test_accuracy.tolist() == [1.0, 0.5]
