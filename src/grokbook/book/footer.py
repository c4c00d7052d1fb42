"""The box at the foot of a chapter that says how the page was made, so that it can be made again."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grokbook.book.chapters import Chapter
from grokbook.book.safe import code, fenced, line, words
from grokbook.machine import duration
from grokbook.runs.store import present_fingerprint


def read_trace(path: Path) -> list[dict[str, Any]]:
    """The datasets a chapter used, one a line, as the library noted them; none when it used none."""
    if not path.exists():
        return []
    entries = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    unique = {(e.get("experiment"), e.get("key"), e.get("origin"), tuple(e.get("seeds", []))): e for e in entries}
    return list(unique.values())


def command(chapter: Chapter, values: Mapping[str, Any], preset: str) -> str:
    """The command that makes this page again: preset, and every value in which it differs from the preset."""
    changed = chapter.changed(values, preset).items()
    written = [(name, line(",".join(map(str, v)) if isinstance(v, list) else v)) for name, v in changed]
    options = [f"-p {name}={shlex.quote(text)}" for name, text in written]
    return " ".join(["grokbook run", chapter.number, "--preset", preset, *options])


def invitation(chapter: Chapter, values: Mapping[str, Any], preset: str) -> Any:
    """The Markdown cell below the parameters: the command that makes this page, and one with a value changed."""
    from nbformat.v4 import new_markdown_cell

    text = f"Make this page again:\n\n{fenced(command(chapter, values, preset), 'text')}"
    taken = chapter.values(preset, chapter.example)
    if changed := {name: taken[name] for name in chapter.example if taken[name] != values[name]}:
        text += "\n\nor with a value of your own ([how to re-run](../how_to_rerun.md)), for example:\n\n"
        text += fenced(command(chapter, {**values, **changed}, preset), "text")
    return new_markdown_cell(f"::::{{div}} gb-commands\n{text}\n::::", id="commands")


def box(*what: Any) -> Any:
    """The Markdown cell with the text of `box_text`, made by the library that runs now."""
    from nbformat.v4 import new_markdown_cell

    from grokbook.runs.provenance import provenance

    return new_markdown_cell(box_text(*what, provenance()), id="provenance", metadata={"tags": ["provenance"]})


def box_text(
    chapter: Chapter,
    values: Mapping[str, Any],
    preset: str,
    trace: Sequence[Mapping[str, Any]],
    seconds: float,
    made_by: Mapping[str, Any],
) -> str:
    """The Markdown of the box: what ran, with which values, on what data, and the command that does it again."""
    changes = " with local changes" if made_by.get("dirty") else ""
    commit = code(str(made_by.get("commit") or "unknown")[:10]) + changes
    versions = ", ".join(words(f"{name} {version}") for name, version in (made_by.get("versions") or {}).items())
    settings = ", ".join(code(f"{name} = {value!r}") for name, value in values.items()) or "none"
    data = [_dataset(entry, made_by.get("fingerprint")) for entry in trace]
    lines = [
        ":::{admonition} How this page was made",
        ":class: note grokbook-provenance",
        "",
        f"- **Code** commit {commit}; {versions}",
        f"- **Run** preset `{preset}`, device {words(made_by.get('device', 'cpu'))}, {duration(seconds)} in all",
        f"- **Parameters** {settings}",
        *(data or ["- **Data** nothing was trained or loaded for this page"]),
        "",
        "Make it again, or change a value with `-p`:",
        "",
        fenced(command(chapter, values, preset), "text"),
        ":::",
    ]
    return "\n".join(lines)


_ORIGINS = {
    "recorded": "loaded from the committed records",
    "cached": "loaded from this machine's own store",
    "trained": "trained while this page was built",
}


def _dataset(entry: Mapping[str, Any], fingerprint: str | None) -> str:
    """One line of the box: a dataset, where it came from, and whether the code has changed since."""
    origin = str(entry.get("origin"))
    text = _ORIGINS.get(origin, words(origin))
    if origin == "recorded" and entry.get("recorded_on"):
        text = f"recorded on {words(str(entry['recorded_on'])[:10])}"
    seeds = ", ".join(map(words, entry.get("seeds", [])))
    where = f"{words(entry.get('dtype'))}, {words(entry.get('device'))}"
    least = "at least " if entry.get("resumed") else ""
    said = (
        f"- **Data** {code(entry.get('experiment'))} (record {code(str(entry.get('key'))[:12])}), seeds {seeds}, "
        f"{where}: {text}, {least}{duration(float(entry.get('seconds') or 0))} of training"
    )
    return f"{said}{_makers(entry, fingerprint)}."


def _makers(entry: Mapping[str, Any], fingerprint: str | None) -> str:
    """Of each code that made a part of a dataset, whether it has changed; of which seeds, where there are several."""
    from grokbook.runs.confirming import makers

    several = makers(entry.get("made") or [entry])
    said = ""
    for parts in several:
        now = present_fingerprint(parts[0]) if fingerprint and parts[0].get("modules") else fingerprint
        if now and parts[0].get("fingerprint", now) != now:
            seeds = [seed for part in parts for seed in part.get("seeds", [])]
            shown = sorted(set(seeds) & set(entry.get("seeds", [])))
            of = f"; seed{'s' if len(shown) > 1 else ''} {', '.join(map(words, shown))}" if len(several) > 1 else ""
            said += of + _changed({"key": entry.get("key"), "commit": parts[0].get("commit"), "seeds": seeds}, now)
    return said


def _changed(entry: Mapping[str, Any], fingerprint: str) -> str:
    """That other code made some seeds, and whether the present code was seen to repeat the first steps of one."""
    from grokbook.runs.confirming import LIKE, TIMES, confirmed

    since = str(entry.get("commit") or "")[:10]
    was = f" (it was commit {code(since)})" if since else ""
    again = confirmed(str(entry.get("key")), fingerprint, seeds=entry.get("seeds") or None)
    if again is None:
        return f"; **the library's code has changed since**{was}"
    apart = f"largest relative difference {again['difference']:.0e}" if again["difference"] else "no difference"
    seen = f"(seed {again['seed']}, {again['steps']} steps trained again on {words(again['confirmed_on'])}: {apart})"
    if again["difference"] <= LIKE:
        return f"; made by earlier code{was}, which the present code repeats {seen}"
    if again.get("ratio", math.inf) <= TIMES:
        near = f"as far as rounding lets it: one rounding of the initial weights makes {again['rounding']:.0e}"
        return f"; made by earlier code{was}, which the present code repeats {near} {seen}"
    return f"; **the present code gives other numbers**{was} {seen}"
