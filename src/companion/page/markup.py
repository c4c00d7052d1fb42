"""HTML from the templates of pages and of teaching; what is put into one is escaped."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from companion.page.typeset import typeset

HERE = Path(__file__).parents[1]


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader([HERE / "page" / "templates", HERE / "teach" / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["typeset"] = lambda text: Markup(typeset(text))
    return made


def rendered(template: str, **values: Any) -> str:
    """The HTML of the template `TEMPLATE.html` with these values."""
    return _environment().get_template(f"{template}.html").render(values)
