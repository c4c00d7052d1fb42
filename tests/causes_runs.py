"""Runs of chapter 19 as tables, and when records and predictions were made."""

import json
import subprocess
from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from grokbook.paths import project_root, records_path
from grokbook.runs.store import Store
from grokbook_chapters.causes import handed, laws

ROOT = project_root()


def recorded_at(experiment):
    """When each part of a committed record was made."""
    data = Store(records_path()).load(experiment.key, experiment.code)
    made = [] if data is None else json.loads(data.attrs["provenance"])
    return [datetime.fromisoformat(one["recorded_at"]) for one in made]


def git(*arguments):
    """What git prints, or a skip where the clone has no history."""
    done = subprocess.run(["git", *arguments], capture_output=True, cwd=ROOT, check=False)
    if done.returncode:
        pytest.skip("this clone has no history")
    return done.stdout


def times(share, bench="Q", fit=20, count=12):
    """Runs whose wait is this share of that of the free run of their seed; None: not by the last
    step."""
    table = handed.donors(bench).head(count)
    wait = table.grok_step - table.fit_step
    groks = [None if share is None else round(fit + share * own) for own in wait]
    return pd.DataFrame(
        {
            "fit_step": pd.array([fit] * count, "Int64"),
            "grok_step": pd.array(groks, "Int64"),
        },
        index=table.index,
    )


def grid_world(wait, noise=0.05, seed=5):
    """Grids whose waits are a function of their settings, times a spread between seeds; all fit at
    step 50."""
    rng = np.random.default_rng(seed)
    made = {}
    for name, sides in laws.GRIDS.items():
        names = ["seed", *[side for side, _ in sides]]
        index = pd.MultiIndex.from_product([laws.SEEDS, *[own for _, own in sides]], names=names)
        settings = index.to_frame(index=False)
        spread = np.exp(noise * rng.normal(size=len(settings)))
        grok = 50 + (wait(settings) * spread).round()
        columns = {
            "fit_step": pd.array([50] * len(settings), "Int64"),
            "grok_step": grok.astype("Int64").to_numpy(),
            "start": rng.uniform(300, 400, len(settings)),
            "end": 500.0,
        }
        made[name] = pd.DataFrame(columns).set_index(index)
    return made


def inverse(settings):
    """Waits by the law of arXiv 2603.13331."""
    return 3 / (settings.learning_rate * settings.weight_decay)


def printed(settings):
    """Waits by the power law of OpenReview Qh29Wjs8oo, whatever the width."""
    power = laws.PRINTED
    found = 40 * np.ones(len(settings))
    for name in ("learning_rate", "weight_decay", "train_fraction"):
        found *= settings[name] ** power[name]
    return found
