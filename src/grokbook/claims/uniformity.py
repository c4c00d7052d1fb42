"""Claims about uniformity, which chapter 03 settles; their checks stand in the modules `uniformity_*`."""

from __future__ import annotations

from grokbook.claims import uniformity_classes as classes
from grokbook.claims import uniformity_maps as maps
from grokbook.claims import uniformity_operators as operators
from grokbook.claims.legacy import Claim

_PAGE = "03_uniformity: "
_COLLAPSE = _PAGE + "Closeness of the classes forces collapse"
_ADDITIVE = _PAGE + "No additive network can add"
_NORMS = _PAGE + "Two norms"
_LEMMA = _PAGE + "The smallest map"
_NAMES = _PAGE + "Weight decay does not know the names"
_START = _PAGE + "A Toeplitz start"
_BEFORE = _PAGE + "The predecessor's family of maps"


def _gu2025(number: str, place: str, statement: str, kind: str, page: str, check: object, seconds: float = 1) -> Claim:
    return Claim(number, "gu2025", place, statement, kind, page, check, seconds=seconds)


def _gu2024(number: str, place: str, statement: str, kind: str, page: str, check: object, seconds: float = 1) -> Claim:
    return Claim(number, "gu2024", place, statement, kind, page, check, seconds=seconds)


CLAIMS: tuple[Claim, ...] = (
    _gu2025(
        "G01",
        "section 3.2, appendix B.3",
        "The output at cls is a truncated linear map of phi(i) plus one of phi(j).",
        "formula",
        _ADDITIVE,
        operators.block_is_additive,
    ),
    _gu2025(
        "G02",
        "Lemma 3.2",
        "If the outputs are correct, those of one class lie within some small epsilon of one vector.",
        "theorem",
        _PAGE + "What can be saved",
        classes.outputs_in_balls,
    ),
    _gu2025(
        "G03",
        "Lemma 3.4",
        "The Frobenius norm of a matrix 'under two sets of basis vectors' lies between the operator norm and "
        "sqrt(min(m, n)) times it.",
        "theorem",
        _NORMS,
        operators.lemma_3_4,
    ),
    _gu2025(
        "G04",
        "section 3.1",
        "The change of the weight decay term can be read off the change of the sum of operator norms.",
        "theorem",
        _NORMS,
        operators.norms_move_together,
    ),
    _gu2025(
        "G05",
        "Theorem 3.5",
        "If the model masters A x B, there are k_r and delta_r with |phi(i) + phi(j) - k_r| < delta_r.",
        "theorem",
        _COLLAPSE,
        classes.sums_in_balls,
    ),
    _gu2025(
        "G06",
        "Theorem 3.5 as used, appendix B.3",
        "Correct outputs 'directly imply' that phi(i) + phi(j) is close to one vector in each class.",
        "theorem",
        _COLLAPSE,
        classes.sums_in_small_balls,
    ),
    _gu2025(
        "G07",
        "appendix B.3",
        "As A x B grows the delta_r shrink and the k_r become unique.",
        "theorem",
        _COLLAPSE,
        classes.balls_shrink_with_data,
    ),
    _gu2025(
        "G08",
        "Remark 3.6",
        "Liu et al. state: phi(i) + phi(j) and phi(i') + phi(j') are close exactly if the cells are equivalent.",
        "theorem",
        _COLLAPSE,
        classes.close_exactly_if_equivalent,
    ),
    _gu2025(
        "G09",
        "Theorem 3.8",
        "When the weight decay term is below E, there is a positive delta above MED.",
        "theorem",
        _NAMES,
        classes.bound_on_med,
    ),
    _gu2025(
        "G10",
        "section 3.2",
        "Theorem 3.8 follows from Theorem 3.5 by the triangle inequality.",
        "theorem",
        _COLLAPSE,
        classes.neighbours_by_averaging,
    ),
    _gu2025(
        "G11",
        "appendix B.4",
        "After fitting, training minimises the sum of operator norms while l' and l'' send each class close to its "
        "own vector.",
        "theorem",
        _ADDITIVE,
        classes.additive_targets,
    ),
    _gu2025(
        "G12",
        "Lemma B.1",
        "The least norm of l with l(x_i) + l(x_-i) = r is |r| / 2M.",
        "theorem",
        _LEMMA,
        operators.lemma_b_1,
    ),
    _gu2025(
        "G13",
        "after Lemma B.1, Remark 3.9",
        "At that minimum the embeddings are spread over a smooth manifold of dimension n - 1.",
        "theorem",
        _LEMMA,
        operators.minimum_is_a_manifold,
    ),
    _gu2025(
        "G50",
        "appendix E, Eq. (19); Gu 2024, Eq. 13",
        "A circulant start, Toeplitz(v, v'), gives the embedding uniformity beforehand.",
        "formula",
        _START,
        operators.toeplitz_is_more_uniform,
    ),
    _gu2024(
        "P03",
        "Definition 4",
        "sup F(x) / |x| is a norm of the maps F.",
        "theorem",
        _BEFORE,
        maps.supremum_is_a_norm,
    ),
    _gu2024(
        "P04",
        "Theorem 3",
        "If d1 + d2 divides p, the maps of (i, j) and (i + d1, j + d2) are equal.",
        "theorem",
        _BEFORE,
        maps.divisibility,
    ),
    _gu2024(
        "P06",
        "Assumption 2, Eq. 11",
        "The distance of the maps of i and i + t is t epsilon.",
        "formula",
        _BEFORE,
        maps.linear_distance,
    ),
    _gu2024(
        "P08",
        "Property 1",
        "From some step on MED stays below some number e (and oscillates), and that marks the limit of generalisation.",
        "observation",
        _BEFORE,
        maps.bounded_in_the_end,
        seconds=3,
    ),
    _gu2024(
        "P14",
        "appendix F",
        "Neighbours at half the diameter show that the embedding is no circle.",
        "observation",
        _NAMES,
        maps.half_the_diameter,
    ),
)
