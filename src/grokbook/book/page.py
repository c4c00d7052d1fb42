"""What a chapter's cells use to put things on its page: figures, numbers, tables, boxes, costs.

A figure carries its name, caption and alt text in the metadata of its output, under the key `grokbook`; the
runner (`grokbook.book.execute`) turns these into a numbered figure of the page. Nothing here computes.
"""

from __future__ import annotations

import html
import io
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grokbook.errors import ParameterError

MAX_SVG_BYTES = 1_500_000
"""A drawing larger than this as SVG is put on the page as PNG."""

LONG_CELL = 40
"""A table cell with more characters of text than this gets a wide column."""


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
    _display(bundle, {"grokbook": {"name": name, "caption": caption, "alt": alt}})
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


def table(
    frame: Any,
    caption: str,
    formats: Mapping[str, str | Callable[[Any], str]] | None = None,
    index: bool = False,
) -> None:
    """Show a pandas DataFrame as a table that can be read aloud and scrolls on a narrow screen.

    Args:
        frame: the table; its column names are the headings.
        caption: one sentence on what the rows are.
        formats: column -> format such as ``".2f"`` (or a function); other floats get four significant digits.
        index: whether the index is the first column.
    """
    shown = frame.reset_index() if index else frame
    _display({"text/html": table_html(shown, caption, formats or {}), "text/plain": shown.to_string(index=False)})


def table_html(frame: Any, caption: str, formats: Mapping[str, str | Callable[[Any], str]]) -> str:
    """The HTML of `table`: header cells with a scope, numbers right-aligned, missing values as a dash."""
    unknown = set(formats) - set(map(str, frame.columns))
    if unknown:
        raise ParameterError(f"the table has no column {min(unknown)!r}; it has {', '.join(map(str, frame.columns))}.")
    head = "".join(_head(str(column), frame[column]) for column in frame.columns)
    kinds = ["num" if frame[column].dtype.kind in "iuf" else "txt" for column in frame.columns]
    forms = [formats.get(str(column)) for column in frame.columns]
    rows = []
    for record in frame.itertuples(index=False):
        cells = [_cell(value, form, kind) for value, form, kind in zip(record, forms, kinds, strict=True)]
        rows.append("<tr>" + "".join(cells) + "</tr>")
    return (
        '<div class="gb-table" tabindex="0" role="region" aria-label="table">\n<table>\n'
        f"<caption>{html.escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n"
        "<tbody>\n" + "\n".join(rows) + "\n</tbody>\n</table>\n</div>"
    )


def _head(name: str, column: Any) -> str:
    number = column.dtype.kind in "iuf"
    return f'<th scope="col" class="{"num" if number else "txt"}">{html.escape(name)}</th>'


def _cell(value: Any, form: str | Callable[[Any], str] | None, kind: str) -> str:
    value = value.item() if hasattr(value, "item") else value
    missing = value is None or type(value).__name__ in ("NAType", "NaTType") or value != value
    if missing:
        text = "–"
    elif callable(form):
        text = form(value)
    elif form:
        text = format(value, form)
    else:
        text = f"{value:.4g}" if isinstance(value, float) else str(value)
    if kind == "txt" and isinstance(value, (int, float)) and not isinstance(value, bool):
        kind = "num"
    long = " long" if kind == "txt" and len(text) > LONG_CELL else ""
    return f'<td class="{kind}{long}">{html.escape(text)}</td>'


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
    which = "; ".join(f"{name}: seeds {', '.join(map(str, s))}" for name, s in absent.items() if s)
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
    origin = _ORIGIN[attrs.get("origin", "recorded")].format(day=days[-1])
    seconds = duration(sum(part.get("seconds", 0) for part in made))
    each = [("device", "{}"), ("dtype", "{}"), ("commit", "commit `{:.10}`")]
    facts = [", ".join(sorted({form.format(part[key]) for part in made if part.get(key)})) for key, form in each]
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
        f"> **Not run.** `{experiment.name}` is not in the record store and was not trained for this page. "
        f"It would take about {duration(predicted.seconds)} and {predicted.memory_mb:.0f} MB here: "
        f"`grokbook record --only {experiment.name}`."
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
        predicted = chapter_estimate(read.experiments(read.values(preset)).values(), store)
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
