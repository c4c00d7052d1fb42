"""The recorded runs that the page of chapter 14 looks at."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd
import xarray as xr

from companion.claims import load
from grokbook.curves.delay import grok_times
from grokbook_chapters.gu2025 import fig5, often
from grokbook_chapters.labelled import Datasets, Tables
from grokbook_chapters.transformer_representations import claims, contrast, embedding, runs, tickets

HEART = "Gu et al., p = 47"
"""Transformers of chapter 5 that had not generalised by their last step."""


class Recorded(NamedTuple):
    """Runs by what they are for.

    `networks`: in which an embedding is looked at; `lives`: a row for each of their runs, by
    network; `shown`: the run under the slider; `circled`: a row for each fresh run of which the
    plane is read often; `tickets`, `decays`: when the small network generalises, by what is kept
    of its start and by weight decay; `dropped`: the authors' network by the share of numbers
    dropped; `phases`: the diagram's letters; `controls`: networks without a rule; `sets`: a row a
    run of the four chosen training sets.
    """

    networks: Datasets
    lives: pd.DataFrame
    shown: xr.Dataset
    circled: pd.DataFrame
    tickets: Tables
    decays: Tables
    dropped: Datasets
    phases: xr.DataArray
    controls: Datasets
    sets: pd.DataFrame

    @property
    def first(self) -> xr.Dataset:
        """The first run in the authors' setting."""
        return self.networks[runs.PAPER].isel(seed=0)

    @property
    def theirs(self) -> pd.DataFrame:
        """The runs in the authors' setting that generalise, as `lives` has them."""
        rows = self.lives.loc[runs.PAPER]
        return rows[rows.grok.notna()]


def recorded() -> Recorded:
    """The runs of the page, loaded from the store.

    Raises KeyError where they are not there.
    """
    experiments = runs.networks() | {HEART: fig5(47, n_seeds=10)}
    networks = load(experiments)
    controls = load(runs.controls())
    return Recorded(
        networks=networks,
        lives=pd.concat(load(experiments, embedding.lives), names=["network", "run"]),
        shown=load(often())["run"].isel(seed=0),
        circled=load(runs.circle(), embedding.lives)["fresh"],
        tickets=load(tickets.tickets(), grok_times),
        decays=load(runs.by_decay(), grok_times),
        dropped=load(runs.centre()),
        phases=load(runs.scanned(), claims.letters)["cells"],
        controls={
            "shuffled labels": controls["shuffled labels"],
            "strong decay": controls["strong decay"],
            HEART: networks[HEART],
        },
        sets=contrast.outcomes(load(contrast.contrast())),
    )
