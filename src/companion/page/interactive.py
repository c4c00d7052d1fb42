"""Interactive figures: a script of this package, put into the page with the figure's number,
caption and alt text.

The page stays static: the script computes in the reader's browser, without a kernel and without a
request.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from companion import page
from companion.page import drawing, tables
from companion.page.markup import rendered

SCRIPTS = {
    "flow_explorer": ("GrokbookFlow", "gb-flow"),
    "frequency_explorer": ("GrokbookFrequencies", "gb-freq"),
    "grokking_run": ("GrokbookRun", "gb-run"),
    "line_explorer": ("GrokbookLine", "gb-line"),
    "phase_explorer": ("GrokbookPhases", "gb-phases"),
    "training_page": ("GrokbookTraining", "gb-train"),
}
"""Scripts that draw a figure, the global object whose `mount(element)` each defines, and the class
of its element."""


def interactive(
    script: str,
    name: str,
    caption: str,
    alt: str,
    options: Mapping[str, Any] | None = None,
    still: Any = None,
) -> None:
    """Put an interactive figure on the page as the numbered figure `name`.

    Args:
        script: a script of `companion/page/scripts` without `.js`, listed in `SCRIPTS`.
        name: its label; prose refers to it as `` {numref}`fig-name` ``. Starts with `fig-`.
        caption: Markdown that says what can be moved and what is computed.
        alt: what a reader who cannot see it needs to know, in a sentence or two.
        options: what the script starts with; written into the page as JSON.
        still: a matplotlib Figure for readers without scripts; it is closed.

    Raises ParameterError for a name that does not start with `fig-` and a text that is missing.
    """
    label = page.labelled(name, caption, alt)  # a bad name is refused before anything is drawn
    made = markup(script, name, alt, options, still)
    page._display({"text/html": made, "text/plain": f"[figure {name}: {alt}]"}, label)


def markup(
    script: str, name: str, alt: str, options: Mapping[str, Any] | None = None, still: Any = None
) -> str:
    """The HTML of `interactive`: the element to draw into, what stands there without scripts, and
    the script.

    >>> text = markup(
    ...     "flow_explorer",
    ...     "fig-try",
    ...     "Two planes with a movable point.",
    ...     {"start": [0.2, 0.5, 0.9]},
    ... )
    >>> "<noscript>" in text and "GrokbookFlow.mount" in text
    True
    """
    written = json.dumps(dict(options or {}), allow_nan=False, separators=(",", ":"))
    drawer, kind = SCRIPTS[script]
    picture = ""
    if still is not None:
        import matplotlib.pyplot as plt

        picture = base64.b64encode(drawing.wide(still).encode()).decode()
        plt.close(still)
    return rendered(
        "interactive",
        kind=kind,
        area=f"{name}-area",
        alt=alt,
        options=written,
        picture=picture,
        script=tables.script(script),
        drawer=drawer,
    )
