"""The box at the foot of a chapter that says how the page was made, so that it can be made
again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.claims.shared import Row
from companion.notebooks import markdown_cell
from companion.page.safe import code, fenced, words
from companion.page.sources import Page
from grokbook.errors import ParameterError
from grokbook.machine import duration
from grokbook.runs.provenance import provenance


def invitation(page: Page) -> Any:
    """The Markdown cell below the parameters: the command that makes this page, and one with a
    value changed."""
    text = f"Make this page again:\n\n{fenced(page.command(), 'text')}"
    other = example(page)
    if other is not None:
        text += (
            "\n\nor with a value of your own ([how to re-run](../how_to_rerun.md)), for"
            " example:\n\n"
        )
        text += fenced(other.command(), "text")
    return markdown_cell(f"::::{{div}} gb-commands\n{text}\n::::", "commands")


def example(page: Page) -> Page | None:
    """The page with the values of the chapter's example; None where it has them, or refuses them
    beside its own."""
    values = {**page.values, **page.chapter.example}
    try:
        other = page.chapter.page(page.preset, values)
        other.experiments()
    except ParameterError:
        return None
    return None if other.values == page.values else other


def box(page: Page, used: Sequence[Row], seconds: float) -> Any:
    """The Markdown cell with the text of `box_text`, made by the library that runs now."""
    text = box_text(page, used, seconds, provenance())
    return markdown_cell(text, "provenance", {"tags": ["provenance"]})


def box_text(page: Page, used: Sequence[Row], seconds: float, made_by: Mapping[str, Any]) -> str:
    """The Markdown of the box: what ran, with which values, on what data, and the command that does
    it again.

    It folds where no drawer will hold it: on a page without a leading figure.
    """
    changes = " with local changes" if made_by.get("dirty") else ""
    commit = code(str(made_by.get("commit") or "unknown")[:10]) + changes
    versions = (made_by.get("versions") or {}).items()
    packages = ", ".join(words(f"{name} {version}") for name, version in versions)
    settings = ", ".join(code(f"{name} = {value!r}") for name, value in page.values.items())
    data = [_dataset(entry) for entry in used]
    folded = "" if page.chapter.lead else " dropdown"
    lines = [
        ":::{admonition} How this page was made",
        f":class: note grokbook-provenance{folded}",
        "",
        f"- **Code** commit {commit}; {packages}",
        (
            f"- **Run** preset `{page.preset}`, device {words(made_by.get('device', 'cpu'))},"
            f" {duration(seconds)} in all"
        ),
        f"- **Parameters** {settings or 'none'}",
        *(data or ["- **Data** nothing was trained or loaded for this page"]),
        f"- **Repeats** {level(used, made_by.get('processor'))}",
        "",
        "Make it again, or change a value with `-p`:",
        "",
        fenced(page.command(), "text"),
        ":::",
    ]
    return "\n".join(lines)


def level(used: Sequence[Row], processor: str | None = None) -> str:
    """How far another execution of a page may differ, from what its runs are; book/machinery.md
    defines the levels.

    Example:
        >>> level([])
        'bit for bit, here and elsewhere: none of its runs was trained here'
    """
    own = [entry for entry in used if entry["origin"] != "recorded"]
    if not own:
        return "bit for bit, here and elsewhere: none of its runs was trained here"
    trained = f"{len(own)} of its {len(used)} datasets {'was' if len(own) == 1 else 'were'} trained"
    parts: list[Row] = []
    for entry in own:
        parts += entry["provenance"]
    reasons = []
    if any(part.get("update") == "compiled" for part in parts):
        reasons.append("compiled")
    if not all(part["device"].startswith("CPU") for part in parts):
        reasons.append("on a GPU")
    if reasons:
        return f"within a band: {trained} here, {' and '.join(reasons)}"
    kind = f" ({words(processor)})" if processor else ""
    return (
        f"bit for bit on this kind of processor{kind}, elsewhere within a band: {trained} here, on"
        " a CPU, not compiled"
    )


def _dataset(entry: Row) -> str:
    """One line of the box: a dataset, and where it came from."""
    parts = entry["provenance"]
    last = parts[-1]
    origins = {
        "recorded": f"recorded on {words(last['recorded_on'][:10])}",
        "cached": "loaded from this machine's own store",
        "trained": "trained while this page was built",
    }
    seconds = duration(sum(part["seconds"] for part in parts))
    least = "at least " if any(part.get("resumed") for part in parts) else ""
    return (
        f"- **Data** {code(entry['experiment'])} (record {code(entry['key'][:12])}), seeds"
        f" {', '.join(map(words, entry['seeds']))}, {words(entry['dtype'])},"
        f" {words(last['device'])}: {origins[entry['origin']]}, {least}{seconds} of training."
    )
