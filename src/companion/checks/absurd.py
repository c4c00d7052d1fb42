"""Sentences that no page may contain, whatever its values are: `0 of the 0 cells`, `nan steps`, `1
seeds`.

They arise where a value that is legal leaves a number without a value, a count at one, or a name of
the code in words.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from companion.checks.drift import ROLE, glued
from companion.page import when
from grokbook.errors import ChapterError

COUNTED = "|".join(
    (
        "arms|axes|cells|chapters|checks|circles|classes|claims|columns|copies|curves|datasets",
        "digits|directions|draws|elements|epochs|examples|figures|frequencies|groups|hills|images",
        "inputs|layers|lines|moduli|networks|neurons|nodes|numbers|orders|pairs|paths|pictures",
        "places|points|primes|probes|rows|runs|samples|seeds|sets|shifts|sizes|sorts|starts|steps",
        "symbols|tables|tests|times|units|updates|values|verdicts|weights|widths|words",
    )
)
"""What pages count; other words on `s` after a 1 may be verbs, as in "Lemma 1 says"."""

_ALONE = r"(?<![\w.,/^=×·−–:-])(?<![−–×·/=+-] )(?<!, 1 and )"
"""What does not stand before a count: a part of a number, of a formula or of a list."""
_KIND = r"(?:(?!the |of |in |and |or |at )[a-z]+[ -])??"

RULES: Mapping[str, str] = {
    r"\b0 of (?:the |its |these |those )?0\b": "a part of nothing",
    r"(?<![\w.])[+-]?nan\b(?![\w.]*\()": "a number without a value",
    r"(?<![\w.])[+-]?inf\b(?![\w.]*\()": "a number without a bound",
    r"\b(?:at|from|by|until|after|than|steps?|updates?|epochs?) \(not (?:reached|run)\)": (
        "a number without a value"
    ),
    r"<NA>|\bNaT\b": "a number without a value",
    r"\b(?:steps?|epochs?|than|about|after|until) [Nn]one\b(?! of\b)": "a number without a value",
    r"\b[Nn]one (?:steps?|seeds?|runs?|per cent|%)": "a number without a value",
    r"\(no (?:node|value|run|step|number|data)\)": "a number without a value",
    rf"{_ALONE}1 {_KIND}(?:{COUNTED})\b(?!')": "a plural of one",
}
"""Patterns of what is absurd, and what each is."""
NAMES = r"(?<![\w/.`\\{}$^|@#-])[a-z]{2,}(?:_[a-z0-9]{2,})+(?![\w/.`(\\{}$=])"
"""A name of the code, which no sentence may contain outside marks of code; tables have some as the
names of columns."""

_FENCED = r"^[ >]*(`{3,})(?!\{(?!math|code)).*?^[ >]*\1[ \t]*$"
_UNREAD = re.compile(
    rf"{_FENCED}|^[ >]*`{{3,}}[^\n]*$"
    r"|\$\$.*?\$\$|\$[^$]{1,300}\$|<(script|style|svg|code|math)\b.*?</\2>"
    r"|\\\(.*?\\\)|https?://\S+|\]\([^)\s]*\)|^:{3,}[^\n]*$|^\(\S+\)=$|^:[\w-]+:[^\n]*$"
    r"|\{#[^}]*\}|^%[^\n]*$",
    re.DOTALL | re.MULTILINE,
)
"""What a page holds that is no sentence: code, formulas, addresses, labels, options of
directives."""
_CODE = re.compile(r"\{[\w:]+\}`[^`]*`|(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)


def refuse(notebook: Any) -> None:
    """Raise ChapterError with the first absurd sentence of an executed notebook, and how many more
    there are."""
    if absurd := sentences(notebook):
        more = f"; and {len(absurd) - 1} more" if absurd[1:] else ""
        raise ChapterError(f"a sentence of the page is absurd: {absurd[0]}{more}.")


def sentences(notebook: Any) -> list[str]:
    """The absurd places of an executed notebook: what each is, and the words around it.

    Read are the prose with the values and conditions that the cells published, texts and tables of
    outputs, captions and alternative texts of figures.
    """
    places: list[str] = []
    for text in _texts(notebook):
        places += in_text(text)
    return list(dict.fromkeys(places))


def in_text(text: str) -> list[str]:
    """The absurd places of a text of Markdown or HTML.

    Example:
        >>> (
        ...     in_text("It holds for 1 seeds, as `steps_told` says."),
        ...     in_text("Lemma 1 says so of 0 cells"),
        ... )
        (["a plural of one, '1 seeds': It holds for 1 seeds, as says."], [])
    """
    is_table = text.lstrip().startswith("<")
    plain = _CODE.sub("", _UNREAD.sub(" ", text))
    plain = html.unescape(re.sub(r"<(?!NA>)[a-zA-Z/!][^>]*>", " | ", plain))
    plain = re.sub(r"[ \t]*\n[ \t>]*(?!\n)", " ", plain.replace("*", ""))
    rules = RULES if is_table else {**RULES, NAMES: "a name of the code"}
    places = []
    for pattern, what in rules.items():
        for match in re.finditer(pattern, plain):
            around = plain[max(0, match.start() - 60) : match.end() + 60]
            places.append(f"{what}, {match[0]!r}: {' '.join(around.split())}")
    return places


def _texts(notebook: Any) -> Iterator[str]:
    """The texts of an executed notebook as its page has them."""
    values = glued(notebook)
    known = when.read(values)
    for cell in notebook["cells"]:
        texts = [cell["source"]] if cell["cell_type"] == "markdown" else []
        for output in cell.get("outputs", []):
            texts += _of_output(output)
        for text in texts:
            yield _filled(text, values, known)


def _of_output(output: Mapping[str, Any]) -> list[str]:
    """The texts that an output puts on the page."""
    about = output.get("metadata", {})
    if "scrapbook" in about:
        return []
    if "grokbook" in about:
        return [about["grokbook"]["caption"], about["grokbook"]["alt"]]
    data = output.get("data", {})
    return [data.get("text/html") or data.get("text/markdown") or output.get("text", "")]


def _filled(text: str, values: Mapping[str, Any], known: when.Known) -> str:
    """A text with the words of its conditions where they hold, else the numbers that decided, and
    with its values."""

    def chosen(condition: str, words: str) -> str:
        return words if when.holds(condition, known) else when.deciding(condition, known)

    def value(role: re.Match[str]) -> str:
        glued_value = values.get(role[1], "")
        form = "" if isinstance(glued_value, str) else role[2] or ""
        return format(glued_value, form)

    return ROLE.sub(value, when.replaced(text, chosen))
