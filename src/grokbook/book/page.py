"""What a chapter's cells use to put things on its page: figures, numbers, tables, boxes, costs.

A figure carries its name, caption and alt text in the metadata of its output, under the key `grokbook`; the
runner (`grokbook.book.execute`) turns these into a numbered figure of the page. Nothing here computes.
"""

from __future__ import annotations

import html
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grokbook.book.safe import code, line, words
from grokbook.errors import ParameterError

MAX_SVG_BYTES = 1_500_000
"""A drawing larger than this as SVG is put on the page as PNG."""

LONG_CELL = 40
"""A table cell with more characters of text than this gets a wide column."""

CARD_TEXT = 50
"""A table whose columns of text need more characters together than this is cards on a narrow screen."""


def _display(data: Mapping[str, Any], metadata: Mapping[str, Any] | None = None) -> None:
    """Publish a MIME bundle to the notebook; outside one (doctests, scripts) do nothing."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.display import display

    if InteractiveShell.initialized():
        display(dict(data), metadata=dict(metadata or {}), raw=True)


# --------------------------------------------------------------------------------------------- figures


def figure(fig: Any, name: str, caption: str, alt: str) -> None:
    """Put a matplotlib figure on the page as the numbered figure `name`, and close it.

    Args:
        fig: a matplotlib Figure.
        name: its label; prose refers to it as `` {numref}`fig-name` ``. Starts with `fig-`.
        caption: Markdown, with the seeds, the statistic and the preset; numbers in it are computed.
        alt: what a reader who cannot see it needs to know, in a sentence or two.

    Raises ParameterError when the name does not start with `fig-` or a text is missing.
    """
    _refuse_unlabelled(name, caption, alt)
    bundle = {**_image(fig), "text/plain": f"[figure {name}: {alt}]"}
    _display(bundle, {"grokbook": {"name": name, "caption": line(caption), "alt": alt}})
    _close(fig)


def _refuse_unlabelled(name: str, caption: str, alt: str) -> None:
    if not name.startswith("fig-") or not name.replace("-", "").isalnum() or name != name.lower():
        raise ParameterError(
            f"the figure name {name!r} must be `fig-` and lower-case words joined by hyphens, like 'fig-delay'."
        )
    if len(caption.split()) < 3:
        raise ParameterError(f"figure {name} needs a caption that says seeds, statistic and preset.")
    if len(alt.split()) < 3:
        raise ParameterError(f"figure {name} needs an alt text of a sentence that says what it shows.")


def _image(fig: Any) -> dict[str, Any]:
    """The drawing as SVG, the same bytes each time, on an opaque ground; as PNG when that is too large."""
    import matplotlib as mpl

    buffer = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "grokbook", "svg.fonttype": "path"}):
        keep = {"bbox_inches": "tight", "facecolor": "white"}
        fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, **keep)
        if buffer.tell() <= MAX_SVG_BYTES:
            return {"image/svg+xml": buffer.getvalue().decode()}
        buffer = io.BytesIO()
        fig.savefig(buffer, format="png", dpi=180, metadata={"Software": None}, **keep)
    from base64 import b64encode

    return {"image/png": b64encode(buffer.getvalue()).decode()}


def _close(fig: Any) -> None:
    import matplotlib.pyplot as plt

    plt.close(fig)


# --------------------------------------------------------------------------------------------- scripts


def script(name: str) -> str:
    """The text of a script of this package (`scripts/name.js`), to be put into a page as it is.

    Raises ParameterError for a script that the package does not have.
    """
    folder = Path(__file__).with_name("scripts")
    path = folder / f"{name}.js"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in folder.glob("*.js")))
        raise ParameterError(f"there is no script {name!r}; there are: {known}.")
    return path.read_text(encoding="utf-8")


# --------------------------------------------------------------------------------------------- numbers


def glue(name: str, value: Any, form: str | None = None, missing: str | None = None, unit: str = "") -> None:
    """Make a computed value available to the prose as `` {glue:text}`name` ``.

    Args:
        name: the key.
        value: a number, a text, or a NumPy or torch scalar.
        form: a format such as ``".0f"`` applied here; without it, prose may write `` {glue:text}`name:.3f` ``.
        missing: the text that stands in for None or NaN (a run that did not get there).
        unit: words after a value that is not missing, such as ``" steps"`` (with `form`).

    Raises ParameterError for None or NaN without `missing`, and for arrays.
    """
    plain = _scalar(name, value)
    if plain is None or (isinstance(plain, float) and math.isnan(plain)):
        if missing is None:
            raise ParameterError(f"{name} has no value ({value!r}); give `missing=` the words to print instead.")
        plain = missing
    elif form is not None:
        plain = format(plain, form) + unit
    from myst_nb import glue as publish

    publish(name, plain, display=False)


def glue_all(prefix: str, values: Mapping[str, Any], form: str = ",.0f", missing: str = "(not reached)") -> None:
    """Glue several numbers at once, each as `prefix_key`, in one form and with one text for what is missing."""
    for key, value in values.items():
        glue(f"{prefix}_{key}", value, form, missing)


def _scalar(name: str, value: Any) -> Any:
    """A Python number or text: what a 0-dimensional array or tensor holds."""
    if getattr(value, "size", 1) != 1 and not callable(getattr(value, "size", 1)):
        raise ParameterError(f"{name} is an array of {value.size} values; glue one number at a time.")
    if callable(getattr(value, "item", None)):
        try:
            return value.item()
        except (RuntimeError, ValueError):
            raise ParameterError(f"{name} is not one number; glue one number at a time.") from None
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return None if str(value) in ("<NA>", "NaT") else str(value)


# ---------------------------------------------------------------------------------------------- tables


Form = str | Callable[[Any], str]
"""How a column is written: a format such as ".2f", or a function of the value."""


@dataclass(frozen=True)
class TableLook:
    """How a table is shown beyond its cells; see `table` for what the fields mean.

    With `cards` each row is a card on a narrow screen, a line for a cell: so are sortable tables, and all with text
    too long for a column of a phone.
    """

    sortable: bool = False
    filters: tuple[str, ...] = ()
    links: Mapping[str, Callable[[Any], str | None]] = field(default_factory=dict)
    cards: bool = False


def table(
    frame: Any,
    caption: str,
    formats: Mapping[str, Form] | None = None,
    index: bool = False,
    *,
    sortable: bool = False,
    filters: Sequence[str] = (),
    links: Mapping[str, Callable[[Any], str | None]] | None = None,
) -> None:
    """Show a pandas DataFrame as a table that can be read aloud; on a narrow screen it scrolls or turns into cards.

    Args:
        frame: the table; its column names are the headings. A column `verdict` is coloured by its words.
        caption: one sentence on what the rows are.
        formats: column -> format such as ``".2f"`` (or a function); other floats get four significant digits.
        index: whether the index is the first column.
        sortable: whether headings sort and a field filters, by a script in the page.
        filters: columns with a list of their values to choose from (with `sortable`).
        links: column -> function from a value to the address that its cell links to, or to None.

    Raises ParameterError for a column that the table does not have, and for filters of a table that is not sortable.
    """
    if filters and not sortable:
        raise ParameterError("filters need sortable=True: one script does both.")
    shown = frame.reset_index() if index else frame
    look = TableLook(sortable, tuple(filters), links or {})
    text = table_html(shown, caption, formats or {}, look)
    _display({"text/html": text, "text/plain": shown.to_string(index=False)})


def table_html(frame: Any, caption: str, formats: Mapping[str, Form], look: TableLook | None = None) -> str:
    """The HTML of `table`: header cells with a scope, numbers right-aligned, missing values as a dash."""
    look = look or TableLook()
    _refuse_other_columns(frame, (*formats, *look.filters, *look.links))
    look = replace(look, cards=look.sortable or _has_long_text(frame, formats))
    names = [str(column) for column in frame.columns]
    head = "".join(_head(name, frame[column], look.cards) for name, column in zip(names, frame.columns, strict=True))
    kinds = ["num" if frame[column].dtype.kind in "iuf" else "txt" for column in frame.columns]
    rows = []
    for record in frame.itertuples(index=False):
        cells = [_cell(v, formats.get(n), k, n, look) for v, n, k in zip(record, names, kinds, strict=True)]
        rows.append(f"<tr{_role(look, 'row')}>" + "".join(cells) + "</tr>")
    group = _role(look, "rowgroup")
    return _around(
        f"<table{_role(look, 'table')}>\n"
        f"<caption>{html.escape(caption)}</caption>\n<thead{group}><tr{_role(look, 'row')}>{head}</tr></thead>\n"
        f"<tbody{group}>\n" + "\n".join(rows) + "\n</tbody>\n</table>",
        look,
    )


def _has_long_text(frame: Any, formats: Mapping[str, Form]) -> bool:
    """Whether the longest cells of the columns of text, not of numbers, have more than `CARD_TEXT` characters."""
    columns = {str(name): frame[name] for name in frame.columns if frame[name].dtype.kind not in "iuf"}
    return sum(max((len(_text(v, formats.get(n))) for v in c), default=0) for n, c in columns.items()) > CARD_TEXT


def _refuse_other_columns(frame: Any, named: Sequence[str]) -> None:
    unknown = set(named) - set(map(str, frame.columns))
    if unknown:
        raise ParameterError(f"the table has no column {min(unknown)!r}; it has {', '.join(map(str, frame.columns))}.")


def _role(look: TableLook, name: str) -> str:
    """A role attribute: cards are laid out as blocks, which would otherwise no longer be read as a table."""
    return f' role="{name}"' if look.cards else ""


def _around(made: str, look: TableLook) -> str:
    """The box that scrolls; of a sortable table a box around it too, with the script that adds buttons and filters."""
    kind = "gb-table gb-cards" if look.cards else "gb-table"
    box = f'<div class="{kind}" tabindex="0" role="region" aria-label="table">\n{made}\n</div>'
    if not look.sortable:
        return box
    wanted = html.escape(json.dumps(look.filters))
    mounted = 'document.querySelectorAll(".gb-sortable").forEach(GrokbookTables.mount);'
    called = f"<script>\n{script('sortable')}{mounted}\n</script>"
    return f'<div class="gb-sortable" data-filters="{wanted}">\n{box}\n</div>\n{called}'


def _head(name: str, column: Any, cards: bool = False) -> str:
    kind = "num" if column.dtype.kind in "iuf" else "txt"
    role = ' role="columnheader"' if cards else ""
    return f'<th scope="col" class="{kind}"{role}>{html.escape(name)}</th>'


def _cell(value: Any, form: Form | None, kind: str, name: str, look: TableLook) -> str:
    value = value.item() if hasattr(value, "item") else value
    text = _text(value, form)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "txt" and number and not _missing(value):
        kind = "num"
    kind += " long" if kind == "txt" and len(text) > LONG_CELL else ""
    inner = html.escape(text)
    if name == "verdict":
        inner = f'<span class="gb-verdict" data-verdict="{inner}">{inner}</span>'
    address = look.links[name](value) if name in look.links else None
    if address:
        inner = f'<a class="reference internal" href="{html.escape(address)}">{inner}</a>'
    extra = f' role="cell" data-label="{html.escape(name)}"' if look.cards else ""
    if look.sortable and (number or _missing(value)):
        extra += f' data-sort="{"" if _missing(value) else value}"'
    return f'<td class="{kind}"{extra}>{inner}</td>'


def _missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _text(value: Any, form: Form | None) -> str:
    """A value as its cell says it."""
    if _missing(value):
        return "–"
    if callable(form):
        return form(value)
    if form:
        return format(value, form)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


# ----------------------------------------------------------------------------------- costs and records


def cost(*experiments: Any) -> None:
    """Say, before anything trains, what these experiments will cost here and which seeds are already there."""
    _display(_markdown(cost_sentence(experiments)))


def cost_sentence(experiments: Any) -> str:
    """The sentence that `cost` shows."""
    from grokbook.book.costs import duration, estimate, missing

    absent = {e.name: missing(e) for e in experiments}
    total = sum(len(tuple(e.seeds)) for e in experiments)
    to_train = sum(len(seeds) for seeds in absent.values())
    if to_train == 0:
        return f"Nothing has to be trained: all {total} runs are in the record store."
    predicted = estimate(experiments)
    which = "; ".join(f"{words(name)}: seeds {', '.join(map(str, s))}" for name, s in absent.items() if s)
    there = f" ({total - to_train} of {total} runs are already there)" if to_train < total else ""
    return (
        f"This will train {to_train} run{'s' if to_train > 1 else ''} ({which}), about "
        f"{duration(predicted.seconds)} and {predicted.memory_mb:.0f} MB on this machine{there}."
    )


_ORIGIN = {
    "recorded": "**Recorded on {day}**, not trained while this page was built",
    "cached": "**Trained on {day}** on this machine and loaded from its store",
    "trained": "**Trained while this page was built**, on {day}",
}


def recorded(dataset: Any) -> None:
    """Show the box that says when, where and with what code a dataset of the record store was made."""
    _display(_markdown(recorded_box(dataset.attrs)))


def recorded_box(attrs: Mapping[str, Any]) -> str:
    """The Markdown of `recorded`, from the attributes that the record store gives a dataset.

    >>> made = {"recorded_on": "2026-11-01", "device": "CPU", "dtype": "float32", "seconds": 90, "commit": "f00"}
    >>> recorded_box({"origin": "recorded", "provenance": json.dumps([made])})
    '> **Recorded on 2026-11-01**, not trained while this page was built: CPU, float32, 90 s of training, commit `f00`.'
    """
    from grokbook.book.costs import duration

    made = json.loads(attrs["provenance"])
    days = sorted({part["recorded_on"] for part in made})
    origin = _ORIGIN[attrs.get("origin", "recorded")].format(day=words(days[-1]))
    seconds = duration(sum(part.get("seconds", 0) for part in made))
    each = [("device", words), ("dtype", words), ("commit", lambda commit: f"commit {code(commit[:10])}")]
    facts = [", ".join(sorted({form(part[key]) for part in made if part.get(key)})) for key, form in each]
    facts.insert(2, f"{seconds} of training")
    return f"> {origin}: {', '.join(fact for fact in facts if fact)}."


def not_run(experiment: Any) -> None:
    """Show the box that says a result was not computed, and what it would cost. It is never made up."""
    _display(_markdown(not_run_box(experiment)))


def not_run_box(experiment: Any) -> str:
    """The Markdown of `not_run`."""
    from grokbook.book.costs import duration, estimate

    predicted = estimate([experiment])
    return (
        f"> **Not run.** {code(experiment.name)} is not in the record store and was not trained for this page. "
        f"It would take about {duration(predicted.seconds)} and {predicted.memory_mb:.0f} MB here: "
        f"{code(f'grokbook record --only {experiment.name}')}."
    )


def _markdown(text: str) -> dict[str, str]:
    return {"text/markdown": text, "text/plain": text}


# ------------------------------------------------------------------------------------------ times and spans


def times(chapter: str) -> None:
    """Show what executing a chapter takes on this machine at each preset, records used, nothing else cached."""
    _display(_markdown(times_sentence(chapter)))


def times_sentence(chapter: str) -> str:
    """The sentence that `times` shows."""
    from grokbook.book.chapters import find
    from grokbook.book.costs import chapter_estimate, committed_store, duration
    from grokbook.paths import project_root

    read = find(project_root(), chapter)
    store = committed_store()
    parts = []
    for preset in read.presets:
        predicted = chapter_estimate(read, preset, store=store)
        parts.append(f"{preset} {duration(predicted.seconds)}")
    return "**Time** to execute this page here, by preset: " + " · ".join(parts) + "."


def span(steps: Any, last: int) -> str:
    """The range of steps at which something happened in several runs; runs in which it did not, by `last`.

    >>> import pandas as pd
    >>> span(pd.Series([646, 2410, None], dtype="Int64"), 2500)
    'from step 646 to beyond step 2,500'
    >>> span(pd.Series([], dtype="Int64"), 2500)
    'nothing by step 2,500'
    """
    known = steps.dropna()
    if not len(known):
        return f"nothing by step {last:,}"
    end = f"step {int(known.max()):,}" if len(known) == len(steps) else f"beyond step {last:,}"
    return f"from step {int(known.min()):,} to {end}"
