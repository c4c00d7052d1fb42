"""Mathematics in sentences: what is a formula is set as one, and no word is touched."""

import re

import pytest

from companion.claims.ledger import claims
from companion.page.typeset import typeset


@pytest.mark.parametrize(
    ("said", "made"),
    [
        ("|M|_F", "|<i>M</i>|<sub><i>F</i></sub>"),
        ("sqrt(min(m, n))", "√(min(<i>m</i>, <i>n</i>))"),
        ("1 - p^(-2/C) <= alpha", "1 − <i>p</i><sup>−2/<i>C</i></sup> ≤ α"),
        ("x_-i", "<i>x</i><sub>−<i>i</i></sub>"),
        ("k_(r+1) and delta_r", "<i>k</i><sub><i>r</i>+1</sub> and δ<sub><i>r</i></sub>"),
        ("W_U^T W_U", "<i>W</i><sub><i>U</i></sub><sup><i>T</i></sup> <i>W</i><sub><i>U</i></sub>"),
        ("I' x J', 16 x 16", "<i>I</i>′ × <i>J</i>′, 16 × 16"),
        ("5e-13, 0e+00 and 1e+06", "5 × 10<sup>−13</sup>, 0 and 1 × 10<sup>6</sup>"),
        ("a < b & c", "a &lt; <i>b</i> &amp; <i>c</i>"),
        ("all `ONSETS` <= 2", "all <code>ONSETS</code> ≤ 2"),
        ("x w u = 1", "<i>x</i> <i>w</i> <i>u</i> = 1"),
    ],
)
def test_a_formula_is_set(said, made):
    assert typeset(said) == made


@pytest.mark.parametrize(
    "words",
    [
        "toeplitz_normal, grok_step and p_value",
        "U-Acc, L-Acc and the classes' variances",
        "A definition is no claim; the paper's own text's",
        "predicted 9.6 h on one core, 12 s, 2024",
        "phis, alphabet and spins; sqrt of it; self-made x-axis",
    ],
)
def test_words_stay_words(words):
    assert typeset(words) == words


def test_no_statement_keeps_a_sign_of_plain_text():
    """Neither carets, underscores and dollars, names of Greek letters, roots or signs made of two
    characters."""
    left = {c.id: typeset(c.statement) for c in claims()}
    assert {
        name: said
        for name, said in left.items()
        if re.search(r"[_^$]|<=|&lt;=|\b(phi|delta|sqrt)\b", said)
    } == {}
