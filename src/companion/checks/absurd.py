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
    if found := sentences(notebook):
        more = f"; and {len(found) - 1} more" if found[1:] else ""
        raise ChapterError(f"a sentence of the page is absurd: {found[0]}{more}.")


def sentences(notebook: Any) -> list[str]:
    """The absurd places of an executed notebook: what each is, and the words around it.

    Read are the prose with the values and conditions that the cells published, texts and tables of
    outputs, captions and alternative texts of figures.
    """
    return list(dict.fromkeys(found for text in _texts(notebook) for found in in_text(text)))


def in_text(text: str) -> list[str]:
    """The absurd places of a text of Markdown or HTML.

    Example:
        >>> (
        ...     in_text("It holds for 1 seeds, as `steps_told` says."),
        ...     in_text("Lemma 1 says so of 0 cells"),
        ... )
        (["a plural of one, '1 seeds': It holds for 1 seeds, as says."], [])
    """
    tables = text.lstrip().startswith("<")
    plain = _CODE.sub("", _UNREAD.sub(" ", text))
    plain = html.unescape(re.sub(r"<(?!NA>)[a-zA-Z/!][^>]*>", " | ", plain))
    plain = re.sub(r"[ \t]*\n[ \t>]*(?!\n)", " ", plain.replace("*", ""))
    rules = RULES if tables else {**RULES, NAMES: "a name of the code"}
    return [
        f"{what}, {found[0]!r}:"
        f" {' '.join(plain[max(0, found.start() - 60) : found.end() + 60].split())}"
        for pattern, what in rules.items()
        for found in re.finditer(pattern, plain)
    ]


def _texts(notebook: Any) -> Iterator[str]:
    """The texts of an executed notebook as its page has them."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    values = glued(notebook)
    known = when.read({name: value for name, value in values.items() if isinstance(value, str)})
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            yield _filled("".join(cell["source"]), values, known)
    for output in outputs:
        data = output.get("data", {})
        figure = output.get("metadata", {}).get("grokbook")
        if "scrapbook" in output.get("metadata", {}):
            continue
        if figure:
            yield from (_filled(figure[part], values, known) for part in ("caption", "alt"))
            continue
        shown = next(
            (data[kind] for kind in ("text/html", "text/markdown") if kind in data),
            output.get("text", ""),
        )
        yield _filled("".join(shown), values, known)


def _filled(text: str, values: Mapping[str, Any], known: when.Known) -> str:
    """A text with the words of its conditions where they hold, else the numbers that decided, and
    with its values."""

    def chosen(found: re.Match[str]) -> str:
        holds = when.holds(found[2].strip(), known)
        return found[3] if holds else when.deciding(found[2].strip(), known)

    def value(role: re.Match[str]) -> str:
        found = values.get(role[1], "")
        return str(found) if role[2] is None or isinstance(found, str) else format(found, role[2])

    return ROLE.sub(value, when.HALF.sub(chosen, when.BLOCK.sub(chosen, text)))
