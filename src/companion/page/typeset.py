"""Mathematics that stands in a sentence as plain text, such as `sqrt(|E|_F^2/p) <= 2 delta`, as
HTML."""

from __future__ import annotations

import html
import re

_NAMES = (
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "lambda",
    "phi",
    "pi",
    "sigma",
    "tau",
    "theta",
)
GREEK = dict(zip(_NAMES, "αβγδελφπστθ", strict=True))
_ARGUMENT = r"(?:\(([^()]+)\)|({}))"
_SUB = re.compile(
    rf"((?<![A-Za-z])[A-Za-zα-ω]|\|)_{_ARGUMENT.format('-?[A-Za-z0-9]{1,4}(?![A-Za-z0-9_])')}"
)
_SUP = re.compile(rf"(?<=[A-Za-zα-ω0-9)|>])\^{_ARGUMENT.format('-?[A-Za-z0-9]+(?:[.][0-9]+)?')}")
_RULES = [
    (re.compile(r"\$([^$]+)\$"), r"\1"),
    (re.compile(r"&lt;="), "≤"),
    (re.compile(r"&gt;="), "≥"),
    (re.compile(r"!="), "≠"),
    (re.compile(r"\+-"), "±"),
    (
        re.compile(r"\b(\d(?:\.\d+)?)e([+-])0*(\d+)\b"),
        lambda found: _power(found[1], found[2] + found[3]),
    ),
    (re.compile(r"\bsqrt(?=\()"), "√"),
    (re.compile(rf"(?<![A-Za-z])({'|'.join(GREEK)})(?![A-Za-z])"), lambda found: GREEK[found[1]]),
    (_SUB, lambda found: f"{found[1]}<sub>{found[2] or found[3]}</sub>"),
    (_SUP, lambda found: f"<sup>{found[1] or found[2]}</sup>"),
    (re.compile(r"(?<![A-Za-z0-9])(\d+|[A-Zp]'*) x (?=(?:\d+|[A-Zp])(?![A-Za-z]))"), r"\1 × "),
    (re.compile(r"(?<= )-(?= )|(?<![\w)])-(?=[\d.(]|[A-Za-z](?![A-Za-z]))"), "−"),
    (
        re.compile(r"(?<![\w'’&;-])(?<!\d )([hs]|(?:[b-gi-rt-zB-Z]))(?![\w’-])(?!'[a-z])"),
        r"<i>\1</i>",
    ),
    (re.compile(r"\bA(?='* ×)"), "<i>A</i>"),
    (
        re.compile(r"(?<=>)''|(?<=>)'(?![a-z])|(?<=[α-ω])'(?![a-z])"),
        lambda found: "′" * len(found[0]),
    ),
    (re.compile(r"`([^`<]+)`"), r"<code>\1</code>"),
]
"""What is replaced, in this order: the marks of a quoted formula, signs,
Greek letters, indices, exponents, products, minus, letters, primes, names of code."""


def _power(digits: str, exponent: str) -> str:
    """A number as it is read: `2e-16` as two times a power of ten, `0e+00` as zero."""
    if float(digits) == 0:
        return "0"
    return f"{digits} × 10<sup>{exponent.removeprefix('+').replace('-', '−')}</sup>"


def typeset(text: str) -> str:
    """A sentence as HTML, its mathematics with Greek letters, indices, exponents and signs.

    Only what cannot be a word is touched: an index belongs to a single letter, a Greek letter or a
    bar, so that `grok_step` stays as it is.

    Example:
        >>> typeset("k_r with |phi(i) - k_r| <= 2 delta^2")
        '<i>k</i><sub><i>r</i></sub> with |φ(<i>i</i>) −
         <i>k</i><sub><i>r</i></sub>| ≤ 2 δ<sup>2</sup>'
    """
    said = html.escape(text, quote=False)
    for pattern, made in _RULES:
        said = pattern.sub(made, said)
    return said
