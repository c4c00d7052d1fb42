"""The site's own Sphinx extension: downloads and launch links of chapters, no thebe."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any


def drop_thebe(app: Any, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Jupyter Book loads sphinx-thebe on every page, twice, and never uses it here."""
    scripts = context.get("script_files", [])
    context["script_files"] = [script for script in scripts if not _is_thebe(script)]
    styles = context.get("css_files", [])
    context["css_files"] = [style for style in styles if "thebe" not in str(getattr(style, "filename", style))]


def _is_thebe(script: Any) -> bool:
    body = getattr(script, "attributes", {}).get("body") or ""
    return "thebe" in str(getattr(script, "filename", script)) or "thebe" in body.lower()


def add_buttons(app: Any, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Downloads of the executed notebook and its source, and a launch link where the source is committed."""
    buttons = context.setdefault("header_buttons", [])
    folder, _, name = pagename.rpartition("/")
    if folder != "chapters":
        return
    to = context["pathto"]
    downloads = [
        _link(to(f"downloads/{name}.ipynb", 1), "Notebook, executed (.ipynb)", "fas fa-code", "notebook"),
        _link(to(f"downloads/{name}.md", 1), "Source (.md)", "fas fa-file", "source"),
        {"type": "javascript", "javascript": "window.print()", "text": "Print (.pdf)", "icon": "fas fa-file-pdf"},
    ]
    if facts(app)["leads"].get(name):
        buttons.insert(0, _switch("gbRun()", "Run this page: parameters, commands, times", "fas fa-play", "run-page"))
    buttons.insert(0, _switch("gbCode()", "Show the code of this page, or hide it", "fas fa-code", "code-switch"))
    buttons.insert(0, _group("Download this chapter", "fas fa-download", "download-buttons", downloads))
    launch = facts(app)["launch"].get(name)
    if launch:
        link = _link(launch, "Binder", "_static/images/logo_binder.svg", "binder")
        buttons.insert(0, _group("Run this chapter elsewhere", "fas fa-rocket", "launch-buttons", [link]))


def _link(url: str, text: str, icon: str, label: str) -> dict[str, str]:
    return {"type": "link", "url": url, "text": text, "icon": icon, "label": label}


def _switch(call: str, tooltip: str, icon: str, label: str) -> dict[str, str]:
    return {"type": "javascript", "javascript": call, "text": "", "tooltip": tooltip, "icon": icon, "label": label}


def _group(tooltip: str, icon: str, label: str, buttons: list[dict[str, str]]) -> dict[str, Any]:
    return {"type": "group", "tooltip": tooltip, "icon": icon, "label": label, "buttons": buttons}


def facts(app: Any) -> dict[str, Any]:
    """What `grokbook.build.site` tells of the book: launch links, questions of chapters, the address of the site."""
    file = Path(app.srcdir) / "_pages.json"
    return json.loads(file.read_text()) if file.exists() else {"launch": {}, "questions": {}, "leads": {}}


def number_chapters_by_name() -> None:
    """`05_x` is chapter 5 and `04a_x` chapter 4a, whatever else is there: numbers come from the file names."""
    from sphinx.environment.collectors.toctree import TocTreeCollector

    assign = TocTreeCollector.assign_figure_numbers  # called when all sections have their numbers

    def assign_figure_numbers(self: Any, env: Any) -> list[str]:
        for docname, numbers in env.toc_secnumbers.items():
            found = re.fullmatch(r"chapters/(\d\d)([a-z]?)_.*", docname)
            if found:
                _renumber(env, docname, numbers, f"{int(found[1])}{found[2]}")
        return assign(self, env)

    TocTreeCollector.assign_figure_numbers = assign_figure_numbers  # type: ignore[method-assign]


def _renumber(env: Any, docname: str, numbers: dict[str, Any], chapter: str) -> None:
    from docutils import nodes

    for anchor, number in numbers.items():
        if number:
            numbers[anchor] = (chapter, *number[1:])
    for node in [*env.tocs[docname].findall(nodes.reference), env.titles[docname]]:
        if node.get("secnumber"):
            node["secnumber"] = [chapter, *node["secnumber"][1:]]


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", lambda app: number_chapters_by_name())
    app.connect("html-page-context", drop_thebe, priority=900)
    app.connect("html-page-context", add_buttons, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
