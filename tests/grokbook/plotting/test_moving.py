"""What a page's script is given of one run, and the still picture of it."""

import json

import numpy as np
import pytest
import xarray as xr

from grokbook.measures import energy_share
from grokbook.plotting import moving

P, K = 11, 3


def run(frames: int = 3, p: int = P) -> xr.Dataset:
    """A run that fits at step 10 and generalises at step 30; its embedding goes from noise to a
    circle."""
    rng, steps = np.random.default_rng(0), np.arange(0, 101, 10)
    angle = 2 * np.pi * K * np.arange(p) / p
    circle, noise = np.stack([np.cos(angle), np.sin(angle)], axis=1), rng.normal(size=(p, 2))
    tables = [(1 - share) * noise + share * circle for share in np.linspace(0, 1, frames)]
    curves = {
        "train_accuracy": ("step", (steps >= 10) * 1.0),
        "test_accuracy": ("step", (steps >= 30) * 1.0),
    }
    kept = {"embedding": (("snapshot", "token", "feature"), np.stack(tables))}
    return xr.Dataset(curves | kept, {"step": steps, "snapshot": np.linspace(0, 100, frames)})


def test_the_circle_of_the_strongest_frequency_is_a_regular_polygon():
    """Joined in the order of the angle, the p points of a pure circle have p equal sides 2 sin(pi /
    p)."""
    shown = moving.moving_run(run())
    assert shown["frequency"] == K and sorted(shown["order"]) == list(range(P))
    x, y = moving.circle_over_training(run(), [100]).axes[-1].lines[0].get_data()
    assert np.allclose(np.hypot(np.diff(x), np.diff(y)), 2 * np.sin(np.pi / P))
    points = np.reshape(shown["points"][-1], (P, 2))[shown["order"]]
    sides = np.hypot(*np.diff(points, axis=0).T)
    assert np.ptp(sides) <= 2 and np.abs(shown["points"]).max() <= 1000


def test_the_exported_numbers_are_those_of_the_run():
    data = run()
    shown = moving.moving_run(data)
    assert (shown["fit"], shown["grok"], shown["begin"]) == (10, 30, 0)
    assert shown["frames"] == [0, 50, 100] and shown["steps"] == data.step.values.tolist()
    assert shown["test"] == [1000 * int(step >= 30) for step in shown["steps"]]
    for row, table in zip(shown["power"], data.embedding.values, strict=True):
        strong = sum(row[k - 1] for k in shown["strong"]) / 1000
        assert sum(row) == pytest.approx(1000, abs=len(row))
        assert strong <= energy_share(table, len(shown["strong"])) + 0.01


def test_a_run_that_does_not_generalise_has_no_such_step_and_the_page_stays_light():
    never = run(frames=200, p=401).assign(test_accuracy=xr.zeros_like(run().test_accuracy))
    shown = moving.moving_run(never)
    assert shown["grok"] is None and shown["begin"] == 0
    assert (shown["frames"][0], shown["frames"][-1]) == (0, 100) and len(
        shown["frames"]
    ) <= moving.MOST_FRAMES
    assert len(json.dumps(shown, separators=(",", ":"))) < 200_000


def test_the_plane_of_the_principal_components_is_turned_to_fit_the_next():
    """A ring that only turns and is reflected from snapshot to snapshot stands still; its frequency
    is found."""
    angle = 2 * np.pi * K * np.arange(P) / P
    ring = np.stack([1.1 * np.cos(angle), np.sin(angle)], axis=1)
    kept = {
        "embedding": (
            ("snapshot", "token", "feature"),
            np.stack([ring @ [[0, 1], [1, 0]], -ring, ring]),
        )
    }
    shown = moving.moving_run(run().drop_vars("embedding").assign(kept), pca=True)
    assert (
        shown["frequency"] == K and shown["points"][0] == shown["points"][1] == shown["points"][2]
    )
    assert "principal" in shown["plane"] and "frequency 3" in moving.moving_run(run())["plane"]
