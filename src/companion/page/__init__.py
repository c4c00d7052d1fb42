"""What a chapter's cells use to put things on its page: numbers, figures, tables, costs.

The label, caption and alternative text of a figure stand in the metadata of its cell (`mystnb`), or
of its output under the key `grokbook`; the runner (`companion.site.execute`) turns these into a
numbered figure of the page. Nothing here computes.
"""

from __future__ import annotations

import html
import keyword
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pandas import isna

from companion.page import costs, drawing
from companion.page.safe import counted, line
from companion.page.tables import table_html
from companion.page.when import KEY, glued
from grokbook.errors import ParameterError
from grokbook.machine import duration

_GLUED = "application/papermill.record/"
"""What myst-nb puts before the type of a glued value."""


def _display(data: Mapping[str, Any], metadata: Mapping[str, Any] | None = None) -> None:
    """Publish a MIME bundle to the notebook; outside one (doctests, scripts) do nothing."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.display import display

    if InteractiveShell.initialized():
        display(dict(data), metadata=dict(metadata or {}), raw=True)


# ------------------------------------------------------------------------------------------ figures


def draw_as_the_book() -> None:
    """Let a cell that ends with a figure or a table show it as the book prints it.

    A figure follows the page's colour scheme and stacks its panels on a narrow screen; its label,
    caption and alternative text stand in the cell's own metadata (`mystnb`). Outside a notebook
    nothing happens.
    """
    from IPython.core.interactiveshell import InteractiveShell
    from matplotlib.figure import Figure
    from pandas import DataFrame

    if not InteractiveShell.initialized():
        return
    formatter = InteractiveShell.instance().display_formatter
    formatter.ipython_display_formatter.for_type(Figure, _draw)
    formatter.formatters["text/html"].for_type(DataFrame, _tabled)


def _draw(fig: Any) -> None:
    """Show a figure that stands at the end of a cell; it is closed, so it is shown once."""
    import matplotlib.pyplot as plt

    _display({**drawing.drawings(fig), "text/plain": "[figure]"})
    plt.close(fig)


def _tabled(frame: Any, caption: str = "") -> str:
    """A table as the book prints it; an index with a name is its first column."""
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    return table_html(frame.rename(columns=lambda name: str(name).replace("_", " ")), caption)


def labelled(name: str, caption: str, alt: str) -> dict[str, Any]:
    """The metadata of a figure's output; raises ParameterError for a bad name and for a text that
    is missing."""
    if not name.startswith("fig-") or not name.replace("-", "").isalnum() or name != name.lower():
        raise ParameterError(
            f"the figure name {name!r} must be `fig-` and lower-case words joined by hyphens, like"
            " 'fig-delay'."
        )
    if len(caption.split()) < 3:
        raise ParameterError(
            f"figure {name} needs a caption that says seeds, statistic and preset."
        )
    if len(alt.split()) < 3:
        raise ParameterError(
            f"figure {name} needs an alt text of a sentence that says what it shows."
        )
    return {"grokbook": {"name": name, "caption": line(caption), "alt": alt}}


# ------------------------------------------------------------------------------------------ numbers


@dataclass(frozen=True)
class Number:
    """A number of the prose.

    Attributes:
        value: a number, a text, or a NumPy or torch scalar.
        form: a format such as ``".0f"``; without it, prose may write `` {glue:text}`name:.3f` ``.
        missing: the text that stands in for None or NaN (a run that did not get there).
        unit: words after a value that is not missing, such as ``" steps"`` (with `form`).
        seeds: what each seed has, where the value sums up seeds; a re-run is compared with their
            spread.
    """

    value: Any
    form: str | None = None
    missing: str | None = None
    unit: str = ""
    seeds: Any = None

    @classmethod
    def median(cls, values: Any, form: str, missing: str | None = None) -> Number:
        """The median of what each seed has (a DataArray, a Series, a list), of those that have
        it."""
        known = [value for value in _numbers(values) if value is not None]
        median = statistics.median(known) if known else None
        return cls(median, form, missing, seeds=values)


@dataclass(frozen=True)
class Truth:
    """A condition of the prose: whether it `holds` (None: not known; a NumPy truth is one too), and
    the numbers that decide."""

    holds: Any
    numbers: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", _scalar("a condition", self.holds))


Prose = dict[str, Any]
"""What the prose of a page uses, by name: `Number`, `Truth`, or a number or text as it is
printed."""


def publish(values: Prose) -> None:
    """Make all that the prose of a page uses available to it: numbers and texts as
    `` {glue:text}`name` ``, truths for `:::{when} name` and `` {when}`name; words` ``.

    A chapter has one function that gives them, which its test calls, too.

    Args:
        values: what the prose uses, by name.

    Raises ParameterError for None or NaN without words for what is missing, for an array, for a
    truth that is neither True, False nor None, and for a name of it that a condition cannot hold.
    """
    for name, value in values.items():
        if isinstance(value, Truth):
            _publish_truth(name, value)
        else:
            _publish_number(name, value if isinstance(value, Number) else Number(value))


def _publish_number(name: str, number: Number) -> None:
    plain = _scalar(name, number.value)
    about = {"name": name, "mime_prefix": _GLUED}
    if isna(plain):
        if number.missing is None:
            raise ParameterError(
                f"{name} has no value ({number.value!r}); give `missing=` the words to print"
                " instead."
            )
        plain = number.missing
    else:
        if number.seeds is not None:
            about |= {"value": plain, "seeds": _numbers(number.seeds)}
        if number.form is not None:
            plain = format(plain, number.form) + number.unit
    _display({f"{_GLUED}text/plain": repr(plain)}, {"scrapbook": about})


def _publish_truth(name: str, truth: Truth) -> None:
    holds = truth.holds
    if not (holds is None or isinstance(holds, bool)):
        raise ParameterError(f"the condition {name} = {holds!r} must be True, False or None.")
    if keyword.iskeyword(name) or not name.isidentifier():
        raise ParameterError(
            f"the condition {name!r} needs a name that is a Python identifier and no keyword."
        )
    about = {"name": f"{KEY}{name}", "mime_prefix": _GLUED}
    _display({f"{_GLUED}text/plain": repr(glued(holds, line(truth.numbers)))}, {"scrapbook": about})


def _numbers(values: Any) -> list[float | None]:
    """The values of an array, a table's column or a list, None for what is missing."""
    plain = getattr(values, "values", values)
    return [None if isna(value) else float(value) for value in plain]


def _scalar(name: str, value: Any) -> Any:
    """A Python number or text: what a 0-dimensional array or tensor holds."""
    if callable(getattr(value, "item", None)):
        try:
            return value.item()
        except (RuntimeError, ValueError):
            raise ParameterError(
                f"{name} is not one number; publish one number at a time."
            ) from None
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return None if isna(value) else str(value)


# ------------------------------------------------------------------------------------------- tables


def table(frame: Any, caption: str) -> None:
    """Show a pandas DataFrame that is folded: its caption, one sentence on what the rows are, until
    a reader opens it. An index with a name is the first column.

    A table that is always in sight is the DataFrame itself at the end of a cell.
    """
    summary = f"<summary>{html.escape(caption)}</summary>"
    made = f'<details class="gb-fold">{summary}\n{_tabled(frame, caption)}\n</details>'
    _display({"text/html": made, "text/plain": frame.to_string()})


def ledger(frame: Any) -> None:
    """Show the whole ledger, with an anchor a claim, lists to choose from, folding evidence and
    files to download."""
    from companion.page import cards

    _display({"text/html": cards.ledger_html(frame), "text/plain": frame.to_string(index=False)})


def data(name: str, content: Any) -> None:
    """Put plain values as the JSON file `name` beside the pages of the site; the page itself shows
    nothing of it. A build refuses a name that leads to another folder."""
    _display({"text/plain": ""}, {"grokbook_file": {"name": name, "content": content}})


def verdict_bars(papers: Sequence[str]) -> None:
    """Show how many claims of each paper have each verdict, as bars."""
    from companion.page import cards

    _display(
        {"text/html": cards.verdict_bars(papers), "text/plain": f"verdicts of {', '.join(papers)}"}
    )


# -------------------------------------------------------------------------------- costs and records


def say(text: str) -> None:
    """Show Markdown."""
    _display({"text/markdown": text, "text/plain": text})


def used() -> None:
    """Publish which datasets of the store the cells were given, each once, for the box at the foot
    of the page."""
    from grokbook.runs.provenance import USED

    rows = {}
    for row in USED:
        rows[row["experiment"], row["key"], row["origin"], *row["seeds"]] = row
    _display({"text/plain": ""}, {"grokbook_used": list(rows.values())})


def begin(chapter: str, names: Mapping[str, Any]) -> None:
    """Refuse values that a chapter does not allow, and show what executing it takes here by preset,
    and what these values will train, records used.

    However the page is executed, it is so refused with the sentence of `grokbook run`, before
    anything is computed.

    Args:
        chapter: its number or name.
        names: what its cells have defined, `globals()`; the chapter's parameters are among them.

    Raises ParameterError.
    """
    from companion.page.sources import find
    from grokbook.paths import project_root, records_path
    from grokbook.runs.store import Store

    draw_as_the_book()
    read = find(project_root(), chapter)
    store = Store(records_path())
    page = read.page("laptop", {p.name: names[p.name] for p in read.parameters})
    wanted = page.experiments().values()
    times = []
    for preset in read.presets:
        seconds = costs.page_estimate(read.page(preset), store).seconds
        times.append(f"{preset} {duration(seconds)}")
    text = f"**Time** to execute this page here, by preset: {' · '.join(times)}."
    if to_train := sum(len(experiment.missing_seeds(store)) for experiment in wanted):
        price = costs.estimate(wanted, store)
        text += f" With these values {counted(to_train, 'run')} will be trained, about"
        text += f" {duration(price.seconds)} and {price.memory_mb:.0f} MB."
    say(text)
