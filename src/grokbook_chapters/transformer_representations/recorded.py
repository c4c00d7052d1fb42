"""The recorded runs that the page of chapter 14 looks at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd
import xarray as xr

from companion.claims import load
from grokbook.curves.delay import grok_times
from grokbook_chapters.gu2025 import fig5, often
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

    networks: Mapping[str, xr.Dataset]
    lives: pd.DataFrame
    shown: xr.Dataset
    circled: pd.DataFrame
    tickets: Mapping[str, pd.DataFrame]
    decays: Mapping[float, pd.DataFrame]
    dropped: Mapping[float, xr.Dataset]
    phases: xr.DataArray
    controls: Mapping[str, xr.Dataset]
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
    networks = runs.networks() | {HEART: fig5(47, n_seeds=10)}
    lives = pd.concat(load(networks, embedding.lives), names=["network", "run"])
    data = load(networks)
    controls = load(runs.controls())
    without_a_rule = {name: controls[name] for name in ("shuffled labels", "strong decay")}
    return Recorded(
        data,
        lives,
        load(often())["run"].isel(seed=0),
        load(runs.circle(), claims.lives)["fresh"],
        load(tickets.tickets(), grok_times),
        load(runs.by_decay(), grok_times),
        load(runs.centre()),
        load(runs.scanned(), claims.letters)["cells"],
        without_a_rule | {HEART: data[HEART]},
        contrast.outcomes(load(contrast.contrast())),
    )
