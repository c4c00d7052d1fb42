"""Every measure by name: its symbol, formula, function, source and the direction it is said to move in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from grokbook.measures.delay import grok_time
from grokbook.measures.embedding_difference import MED_DEFINITIONS, med, med_as, normalised_med
from grokbook.measures.fourier import inverse_participation_ratio
from grokbook.measures.geometry import effective_dimension
from grokbook.measures.norms import mean_norm, weight_norm


@dataclass(frozen=True)
class Measure:
    """One measure as the book prints it.

    `of` is what it is taken on: an embedding (p, d), all weights, or the accuracy curves. `direction` is how
    the source says it moves when a network generalises: a claim to be tested, not a property.
    """

    name: str
    symbol: str
    formula: str
    function: Callable[..., object]
    of: Literal["embedding", "weights", "curves"]
    direction: Literal["falls", "rises", "rises then falls", "none"]
    source: str
    unit: str
    range: str


def _med(name: str, symbol: str, definition: str, function: Callable[..., float]) -> Measure:
    source, formula, *_ = MED_DEFINITIONS[definition]
    return Measure(name, symbol, formula, function, "embedding", "falls", source, "embedding", "[0, ∞)")


_MEASURES = (
    _med("med", r"\mathrm{MED}", "gu2025_def_4_2", med),
    _med("med_gu2024", r"\mathrm{MED}_{\Sigma}", "gu2024_eq_12", partial(med_as, "gu2024_eq_12")),
    _med("med_code_base", r"\mathrm{MED}_{\mathrm{code}}", "code_base", partial(med_as, "code_base")),
    Measure(
        "normalised_med",
        r"\mathrm{MED}/\bar{\lVert\phi\rVert}",
        r"\sum_i\lVert\phi_{i+1}-\phi_i\rVert\Big/\sum_i\lVert\phi_i\rVert",
        normalised_med,
        "embedding",
        "falls",
        "this book: MED with the norm divided out",
        "none",
        "[0, 2]",
    ),
    Measure(
        "embedding_norm",
        r"\bar{\lVert\phi\rVert}",
        r"\frac1p\sum_i\lVert\phi_i\rVert",
        mean_norm,
        "embedding",
        "rises then falls",
        "this book",
        "embedding",
        "[0, ∞)",
    ),
    Measure(
        "fourier_ipr",
        r"\mathrm{IPR}",
        r"\sum_{k>0}P_k^2\Big/\Bigl(\sum_{k>0}P_k\Bigr)^2",
        inverse_participation_ratio,
        "embedding",
        "rises",
        "Doshi et al. 2024; here over all columns together",
        "none",
        "[1/⌊p/2⌋, 1]",
    ),
    Measure(
        "effective_dimension",
        r"d_{\mathrm{eff}}",
        r"\exp\Bigl(-\sum_m r_m\ln r_m\Bigr)",
        effective_dimension,
        "embedding",
        "falls",
        "Liu et al. 2022, Figure 7 (left)",
        "directions",
        "[1, min(p-1, d)]",
    ),
    Measure(
        "weight_norm",
        r"\lVert\theta\rVert",
        r"\sqrt{\sum_{t,j}\theta_{t,j}^2}",
        weight_norm,
        "weights",
        "falls",
        "Nanda et al. 2023, section 5 (the square of it)",
        "weight",
        "[0, ∞)",
    ),
    Measure(
        "grok_time",
        r"t_{\mathrm{grok}}-t_{\mathrm{fit}}",
        r"\min\{t: a_{\mathrm{test}}\ge\tau\ \text{from}\ t\}"
        r" - \min\{t: a_{\mathrm{train}}\ge\tau\ \text{from}\ t\}",
        grok_time,
        "curves",
        "none",
        "Power et al. 2022, section 3; the persistence rule is this book's",
        "optimiser steps",
        "(-∞, ∞) or censored",
    ),
)


def registry() -> dict[str, Measure]:
    """All measures by name, in the order in which the book introduces them.

    >>> [m.name for m in registry().values() if m.direction == "rises"]
    ['fourier_ipr']
    """
    return {measure.name: measure for measure in _MEASURES}
