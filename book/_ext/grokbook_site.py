"""The site's own Sphinx extension: downloads and launch links of chapters."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any


def add_buttons(
    app: Any, pagename: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Downloads of the executed notebook and its source, and a launch link where the source is
    committed."""
    buttons = context.setdefault("header_buttons", [])
    folder, _, name = pagename.rpartition("/")
    if folder != "chapters":
        return
    to = context["pathto"]
    other = facts(app).get("sets", {}).get(name)
    notebook = f"sets/{name}" if other else name
    downloads = [
        _link(
            to(f"downloads/{notebook}.ipynb", 1),
            "Notebook, executed (.ipynb)",
            "fas fa-code",
            "notebook",
        ),
        _link(to(f"downloads/{notebook}.md", 1), "The same as text (.md)", "fas fa-file", "source"),
        {
            "type": "javascript",
            "javascript": "window.print()",
            "text": "Print (.pdf)",
            "icon": "fas fa-file-pdf",
        },
    ]
    if facts(app)["leads"].get(name):
        buttons.insert(
            0,
            _switch(
                "gbRun()", "Run this page: parameters, commands, times", "fas fa-play", "run-page"
            ),
        )
    buttons.insert(
        0,
        _switch("gbCode()", "Show the code of this page, or hide it", "fas fa-code", "code-switch"),
    )
    buttons.insert(
        0, _group("Download this chapter", "fas fa-download", "download-buttons", downloads)
    )
    logos = {"Binder": "logo_binder.svg", "Colab": "logo_colab.png"}
    launches = facts(app)["launch"].get(name, {})
    links = [
        _link(url, where, f"_static/images/{logos[where]}", where.lower())
        for where, url in launches.items()
    ]
    if links:
        buttons.insert(
            0, _group("Run this chapter elsewhere", "fas fa-rocket", "launch-buttons", links)
        )


def _link(url: str, text: str, icon: str, label: str) -> dict[str, str]:
    return {"type": "link", "url": url, "text": text, "icon": icon, "label": label}


def _switch(call: str, tooltip: str, icon: str, label: str) -> dict[str, str]:
    return {
        "type": "javascript",
        "javascript": call,
        "text": "",
        "tooltip": tooltip,
        "icon": icon,
        "label": label,
    }


def _group(tooltip: str, icon: str, label: str, buttons: list[dict[str, str]]) -> dict[str, Any]:
    return {"type": "group", "tooltip": tooltip, "icon": icon, "label": label, "buttons": buttons}


def facts(app: Any) -> dict[str, Any]:
    """What `companion.site.staging` tells of the book: launch links, questions of chapters, the
    address of the site."""
    file = Path(app.srcdir) / "_pages.json"
    return (
        json.loads(file.read_text())
        if file.exists()
        else {"launch": {}, "questions": {}, "leads": {}}
    )


def keep_sets(app: Any, config: Any) -> None:
    """Pages of parameter sets and data sheets stand in no table of contents, and are built all the
    same."""
    kept = {f"chapters/{file}.ipynb" for file in facts(app).get("sets", {})}
    kept |= {f"{page}.ipynb" for page in facts(app).get("sheets", [])}
    config.exclude_patterns = [
        pattern for pattern in config.exclude_patterns if pattern not in kept
    ]


def number_chapters_by_name() -> None:
    """`05_x` is chapter 5 and `04a_x` chapter 4a, whatever else is there: numbers come from the
    file names."""
    from sphinx.environment.collectors.toctree import TocTreeCollector

    assign = TocTreeCollector.assign_figure_numbers  # called when all sections have their numbers

    def assign_figure_numbers(self: Any, env: Any) -> list[str]:
        for docname, numbers in env.toc_secnumbers.items():
            found = re.fullmatch(r"chapters/(\d\d)([a-z]?)_.*", docname)
            if found:
                _renumber(env, docname, numbers, f"{int(found[1])}{found[2]}")
        rewritten = assign(self, env)
        for file, other in facts(env.app).get("sets", {}).items():
            _number_alike(env, f"chapters/{other['chapter']}", f"chapters/{file}", other["ending"])
        return rewritten

    TocTreeCollector.assign_figure_numbers = assign_figure_numbers  # type: ignore[method-assign]


def _number_alike(env: Any, chapter: str, other: str, ending: str) -> None:
    """A page of a chapter at other parameters has the numbers of the chapter: its labels are these
    with an `ending`."""
    from docutils import nodes

    numbers = env.toc_fignumbers.get(chapter, {})
    env.toc_fignumbers[other] = {
        kind: {f"{i}{ending}": n for i, n in of.items()} for kind, of in numbers.items()
    }
    links = env.tocs[other].findall(nodes.reference)  # of its own sections none has a number
    env.toc_secnumbers[other] = (
        dict.fromkeys(link["anchorname"] for link in links) | env.toc_secnumbers[chapter]
    )


def _renumber(env: Any, docname: str, numbers: dict[str, Any], chapter: str) -> None:
    from docutils import nodes

    for anchor, number in numbers.items():
        if number:
            numbers[anchor] = (chapter, *number[1:])
    for node in [*env.tocs[docname].findall(nodes.reference), env.titles[docname]]:
        if node.get("secnumber"):
            node["secnumber"] = [chapter, *node["secnumber"][1:]]


def setup(app: Any) -> dict[str, bool]:
    # after what leaves out all that is not in the contents
    app.connect("config-inited", keep_sets, priority=950)
    app.connect("builder-inited", lambda app: number_chapters_by_name())
    app.connect("html-page-context", add_buttons, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
