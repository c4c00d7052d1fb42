"""Interactive figures: a script of this package, put into the page with the figure's number, caption and alt text.

The page stays static: the script computes in the reader's browser, without a kernel and without a request.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from typing import Any

from grokbook.book import page, tables
from grokbook.errors import ParameterError

SCRIPTS = {"flow_explorer": "GrokbookFlow"}
"""Scripts that draw a figure, and the global object whose `mount(element)` each defines."""


def interactive(script: str, name: str, caption: str, alt: str, options: Mapping[str, Any] | None = None) -> None:
    """Put an interactive figure on the page as the numbered figure `name`, like `page.figure`.

    Args:
        script: a script of `grokbook/book/scripts` without `.js`, listed in `SCRIPTS`.
        name: its label; prose refers to it as `` {numref}`fig-name` ``. Starts with `fig-`.
        caption: Markdown that says what can be moved and what is computed.
        alt: what a reader who cannot see it needs to know, in a sentence or two.
        options: what the script starts with; written into the page as JSON.

    Raises ParameterError for an unknown script, a name that does not start with `fig-`, a text that is missing, and
    options that are no JSON.
    """
    labels = page.labelled(name, caption, alt)
    bundle = {"text/html": markup(script, name, alt, options), "text/plain": f"[interactive figure {name}: {alt}]"}
    page._display(bundle, labels)


def markup(script: str, name: str, alt: str, options: Mapping[str, Any] | None = None) -> str:
    """The HTML of `interactive`: the element to draw into, a sentence for readers without scripts, and the script.

    >>> text = markup("flow_explorer", "fig-try", "Two planes with a movable point.", {"start": [0.2, 0.5, 0.9]})
    >>> "<noscript>" in text and "GrokbookFlow.mount" in text
    True
    """
    if script not in SCRIPTS:
        raise ParameterError(f"{script!r} draws no interactive figure; there are: {', '.join(sorted(SCRIPTS))}.")
    try:
        settings = html.escape(json.dumps(dict(options or {}), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ParameterError(f"the options of figure {name} cannot be written as JSON ({error}).") from None
    area = f"{name}-area"
    return (
        f'<div class="gb-flow" id="{area}" role="group" aria-label="{html.escape(alt)}" data-options="{settings}">\n'
        "<noscript><p>This figure is computed by a script in your browser, and scripts are switched off. The pictures "
        "below show the same paths for fixed starts.</p></noscript>\n</div>\n"
        f'<script>\n{tables.script(script)}{SCRIPTS[script]}.mount(document.getElementById("{area}"));\n</script>'
    )
