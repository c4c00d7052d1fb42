"""The claims on MED as a progress measure come out either way, and not run without records."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from grokbook.claims.progress import CLAIMS, anticipates, captures_changes

STEPS = np.arange(0, 2510, 10)


def task(middle: int, med: str, generalises: bool, seeds: int = 3) -> xr.Dataset:
    """An accuracy that rises about `middle` with noise; MED `with` it (same noise, earlier), or `apart` from it."""
    parts = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed + middle)
        noise = 0.02 * rng.normal(size=STEPS.size)
        rise = 1 / (1 + np.exp(-(STEPS - middle) / 60)) if generalises else np.full(STEPS.size, 0.2)
        early = 1 / (1 + np.exp(-(STEPS - middle + 100) / 60)) if generalises else np.zeros(STEPS.size)
        apart = 3 + STEPS / 1000 + 0.02 * rng.normal(size=STEPS.size)
        values = {
            "train_accuracy": np.where(STEPS < 100, 0.1, 1.0),
            "test_accuracy": np.clip(0.96 * rise + noise + 0.02, 0, 1),
            "med": 3 - early - np.roll(noise, -1) if med == "with" else apart,
        }
        parts.append(xr.Dataset({n: ("step", v) for n, v in values.items()}, {"step": STEPS, "seed": seed}))
    return xr.concat(parts, "seed")


def study(med: str) -> dict[str, xr.Dataset]:
    return {"a": task(700, med, True), "b": task(900, med, True), "c": task(700, med, False)}


@pytest.mark.parametrize("check", [captures_changes, anticipates])
def test_either_verdict_and_none_without_records(check, monkeypatch):
    assert check(study("with")).verdict == "holds"
    assert check(study("apart")).verdict == "fails"
    assert check({}).verdict == "not run"
    assert check({"a": task(700, "with", True)}).verdict == "not run"


def test_an_association_that_is_not_found_refutes_nothing():
    """MED falls when the accuracy rises, in every run, but its noise has nothing to do with the accuracy's."""
    runs = {name: dataset.copy() for name, dataset in study("with").items()}
    rng = np.random.default_rng(5)
    for name, middle in (("a", 700), ("b", 900)):
        shape = 3 - 1 / (1 + np.exp(-(STEPS - middle) / 300))
        runs[name]["med"] = (("seed", "step"), shape + 0.02 * rng.normal(size=(3, STEPS.size)))
    assert captures_changes(runs).verdict == "not run"


def test_a_false_alarm_alone_refutes_anticipation():
    runs = study("with")
    runs["c"]["med"] = runs["a"].med.copy()
    assert anticipates(runs).verdict == "holds"  # a run that is not a control may generalise later
    found = anticipates(runs, controls=["c"])
    assert found.verdict == "fails" and "3 of 3" in found.evidence


def test_every_claim_of_the_module_is_complete():
    assert [claim.id for claim in CLAIMS] == ["G53", "P15"]
    assert all(claim.page.startswith("06_progress_measures") for claim in CLAIMS)
