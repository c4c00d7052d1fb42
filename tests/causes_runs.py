"""Runs of chapter 19 as tables, and when records and predictions were made."""

import json
import subprocess
from datetime import datetime

import pandas as pd
import pytest

from grokbook.paths import project_root, records_path
from grokbook.runs.store import Store
from grokbook_chapters.causes import handed

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
