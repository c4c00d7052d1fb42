"""Every measure by name: symbol, formula, function, source, claimed direction; and all definitions
of MED."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import pandas as pd

from grokbook.measures.complexity import network_complexity
from grokbook.measures.embedding_difference import (
    MED_DEFINITIONS,
    expected_initial_med,
    med,
    med_as,
    normalised_med,
)
from grokbook.measures.fourier import inverse_participation_ratio
from grokbook.measures.fourier_losses import cross_entropy, excluded_loss, restricted_loss
from grokbook.measures.geometry import effective_dimension
from grokbook.measures.inputs import Array, rows
from grokbook.measures.norms import mean_norm, weight_norm
from grokbook.measures.readout import fresh_readout
from grokbook.measures.representation import representation_quality

Direction = Literal["falls", "rises", "rises then falls", "none"]


@dataclass(frozen=True)
class Measure:
    """One measure as the book prints it.

    `of` is what it is taken on: an embedding (p, d), all weights, the network (weights, task and
    logits), or the accuracy curves. `direction` is how the source says it moves when a network
    generalises: a claim, not a property.
    """

    name: str
    symbol: str
    formula: str
    function: Callable[..., Any]
    of: Literal["embedding", "weights", "network", "curves"]
    direction: Direction
    source: str
    unit: str
    range: str


def _med(name: str, symbol: str, definition: str, function: Callable[..., float]) -> Measure:
    source, formula, *_ = MED_DEFINITIONS[definition]
    return Measure(
        name, symbol, formula, function, "embedding", "falls", source, "embedding", "[0, ∞)"
    )


def _loss(
    name: str,
    symbol: str,
    formula: str,
    function: Callable[..., float],
    direction: Direction,
    note: str,
) -> Measure:
    source = (
        f"Nanda et al. 2023, section 5{note}"
        if note
        else "every source; what the accuracy is a shadow of"
    )
    return Measure(name, symbol, formula, function, "network", direction, source, "nats", "[0, ∞)")


_MEASURES = (
    _med("med", r"\mathrm{MED}", "gu2025_def_4_2", med),
    _med("med_gu2024", r"\mathrm{MED}_{\Sigma}", "gu2024_eq_12", partial(med_as, "gu2024_eq_12")),
    _med(
        "med_code_base", r"\mathrm{MED}_{\mathrm{code}}", "code_base", partial(med_as, "code_base")
    ),
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
    _loss(
        "test_loss",
        r"L_{\mathrm{test}}",
        r"-\frac1{p^2-|T|}\sum_{(i,j)\notin T}\ln\operatorname{softmax}(z)_{f(i,j)}",
        cross_entropy,
        "falls",
        "",
    ),
    _loss(
        "restricted_loss",
        r"L_{\mathrm{res}}",
        r"-\frac1{p^2}\sum_{(i,j)}\ln\operatorname{softmax}\bigl(\Pi_{\{0\}\cup K}z\bigr)_{f(i,j)}",
        restricted_loss,
        "falls",
        "; K from the last logged step",
    ),
    _loss(
        "restricted_loss_now",
        r"L_{\mathrm{res}}^{t}",
        r"\text{as }L_{\mathrm{res}},\ K\text{ from the same step}",
        restricted_loss,
        "falls",
        "; K from the same step (this book)",
    ),
    _loss(
        "excluded_loss",
        r"L_{\mathrm{exc}}",
        r"-\frac1{|T|}\sum_{(i,j)\in T}\ln\operatorname{softmax}\bigl(z-\Pi_Kz\bigr)_{f(i,j)}",
        excluded_loss,
        "rises",
        "; K from the last logged step",
    ),
    _loss(
        "excluded_loss_now",
        r"L_{\mathrm{exc}}^{t}",
        r"\text{as }L_{\mathrm{exc}},\ K\text{ from the same step}",
        excluded_loss,
        "rises",
        "; K from the same step (this book)",
    ),
    Measure(
        "local_complexity",
        r"\mathrm{LC}",
        r"\frac1n\sum_x\#\{u: h_u\text{ changes sign on }x\pm rv_1,\dots,x\pm rv_P\}",
        network_complexity,
        "network",
        "falls",
        "Humayun et al. 2024, section 3; here about pairs of embeddings, with a relative radius",
        "hidden units",
        "[0, n_layers d_mlp]",
    ),
    Measure(
        "representation_quality",
        r"\mathrm{RQ}",
        r"\Pr\bigl(\lVert\phi_i+\phi_j-\phi_m-\phi_n\rVert\le\delta\sqrt{4V}\bigm| i+j\equiv"
        r" m+n\bigr)",
        representation_quality,
        "network",
        "rises",
        "after Liu et al. 2022, section 3.1 (RQI); modulo p and relative to its own mean square",
        "none",
        "[0, 1]",
    ),
    Measure(
        "fresh_readout",
        r"\mathrm{FR}",
        r"\Pr\bigl(\hat y(h_x)=y_x\bigm| x\notin T\bigr),\ \hat y\text{ fitted on }T",
        fresh_readout,
        "network",
        "rises",
        "after Chou et al. 2026; here by Fisher's discriminant on what the last layer reads",
        "none",
        "[0, 1]",
    ),
)


def registry() -> dict[str, Measure]:
    """All measures by name, in the order in which the book introduces them.

    >>> [m.name for m in registry().values() if m.direction == "rises"]
    ['fourier_ipr', 'excluded_loss', 'excluded_loss_now', 'representation_quality', 'fresh_readout']
    """
    return {measure.name: measure for measure in _MEASURES}


def claimed_directions() -> dict[str, str]:
    """The way each measure is said to move after the training set is fitted: "rises" or "falls".

    Of "rises then falls" the last part counts.
    """
    return {measure.name: measure.direction.split()[-1] for measure in _MEASURES}


def measure_table() -> list[dict[str, str]]:
    """One row a measure: name, formula, direction, unit, range, source.

    >>> measure_table()[0]["measure"]
    'med'
    """
    table = []
    for measure in _MEASURES:
        row = {"measure": measure.name, "symbol": f"${measure.symbol}$"}
        row |= {"formula": f"${measure.formula}$", "claimed to": measure.direction}
        row |= {"unit": measure.unit, "range": measure.range, "source": measure.source}
        table.append(row)
    return table


def definition_table(embedding: Array) -> pd.DataFrame:
    """One row a definition of MED: where it stands, its value here, and its expected value at
    initialisation.

    `embedding` has shape (p, d). `expected at start` is for
    independent normal entries of variance 1/d, `value / MED` the value in units of Definition 4.2.

    Raises ParameterError for a table that is not finite numbers of shape (p, d), p >= 3.

    >>> definition_table([[0.0], [1.0], [5.0]]).shape
    (7, 5)
    """
    p, d = rows(embedding, least=3).shape
    unit = med_as("gu2025_def_4_2", embedding)
    table = []
    for name, definition in MED_DEFINITIONS.items():
        value = med_as(name, embedding)
        row: dict[str, object] = {"name": name, "source": definition.source, "value": value}
        row["expected at start"] = expected_initial_med(p, d, definition=name)
        row["value / MED"] = value / unit if unit else float("nan")
        table.append(row)
    return pd.DataFrame(table)
