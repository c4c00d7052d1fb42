"""The site's own Sphinx extension: downloads and launch links of chapters, their numbers, and what
references print."""

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
    folder, _, name = pagename.rpartition("/")
    if folder != "chapters":
        return
    known = facts(app)
    file = f"downloads/{'sets/' if name in known['sets'] else ''}{name}"
    to = context["pathto"]
    executed = "Notebook, executed (.ipynb)"
    printed = {"type": "javascript", "javascript": "window.print()", "text": "Print (.pdf)"}
    downloads = [
        _link(to(f"{file}.ipynb", 1), executed, "fas fa-code", "notebook"),
        _link(to(f"{file}.md", 1), "The same as text (.md)", "fas fa-file", "source"),
        {**printed, "icon": "fas fa-file-pdf"},
    ]
    logos = {"Binder": "logo_binder.svg", "Colab": "logo_colab.png"}
    launches = []
    for where, url in known["launch"].get(name, {}).items():
        launches.append(_link(url, where, f"_static/images/{logos[where]}", where.lower()))
    code = "Show the code of this page, or hide it"
    buttons = [
        _group("Download this chapter", "fas fa-download", "download-buttons", downloads),
        _switch("gbCode()", code, "fas fa-code", "code-switch"),
    ]
    if launches:
        group = _group("Run this chapter elsewhere", "fas fa-rocket", "launch-buttons", launches)
        buttons.insert(0, group)
    if known["leads"].get(name):
        run = "Run this page: parameters, commands, times"
        buttons.append(_switch("gbRun()", run, "fas fa-play", "run-page"))
    context["header_buttons"] = [*buttons, *context.get("header_buttons", [])]


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
    return json.loads((Path(app.srcdir) / "_pages.json").read_text(encoding="utf-8"))


def keep_sets(app: Any, config: Any) -> None:
    """Pages of parameter sets and data sheets stand in no table of contents, and are built all the
    same."""
    pages = {f"chapters/{file}.ipynb" for file in facts(app)["sets"]}
    pages |= {f"{page}.ipynb" for page in facts(app)["sheets"]}
    patterns = config.exclude_patterns
    config.exclude_patterns = [pattern for pattern in patterns if pattern not in pages]


def number_chapters_by_name(app: Any) -> None:
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
        for file, other in facts(app)["sets"].items():
            _number_alike(env, f"chapters/{other['chapter']}", f"chapters/{file}", other["ending"])
        return rewritten

    TocTreeCollector.assign_figure_numbers = assign_figure_numbers  # type: ignore[method-assign]


def _number_alike(env: Any, chapter: str, other: str, ending: str) -> None:
    """A page of a chapter at other parameters has the numbers of the chapter: its labels are these
    with an `ending`."""
    from docutils import nodes

    env.toc_fignumbers[other] = {}
    for kind, numbers in env.toc_fignumbers.get(chapter, {}).items():
        alike = {f"{label}{ending}": number for label, number in numbers.items()}
        env.toc_fignumbers[other][kind] = alike
    links = env.tocs[other].findall(nodes.reference)  # of its own sections none has a number
    own = dict.fromkeys(link["anchorname"] for link in links)
    env.toc_secnumbers[other] = own | env.toc_secnumbers[chapter]


def _renumber(env: Any, docname: str, numbers: dict[str, Any], chapter: str) -> None:
    from docutils import nodes

    for anchor, number in numbers.items():
        if number:
            numbers[anchor] = (chapter, *number[1:])
    for node in [*env.tocs[docname].findall(nodes.reference), env.titles[docname]]:
        if node.get("secnumber"):
            node["secnumber"] = [chapter, *node["secnumber"][1:]]


KINDS = {"displaymath": "equation"}
"""Sphinx's names of kinds that have another one here."""


def write_numbers(app: Any, exception: Exception | None) -> None:
    """Write kind, number and title of everything that a page may refer to into `numbers.json`, for
    whoever prints texts of the pages."""
    if exception is not None:
        return
    labels = {}
    for label, (_, _, title) in app.env.get_domain("std").labels.items():
        labels[label] = {"kind": "section", "title": str(title)}
    for numbered in app.env.toc_fignumbers.values():
        for kind, numbers in numbered.items():
            for label, number in numbers.items():
                about = {"kind": KINDS.get(kind, kind), "number": ".".join(map(str, number))}
                labels[label.removeprefix("equation-")] = about
    text = json.dumps(labels, indent=0, sort_keys=True)
    (Path(app.outdir) / "numbers.json").write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    # after what leaves out all that is not in the contents
    app.connect("config-inited", keep_sets, priority=950)
    app.connect("builder-inited", number_chapters_by_name)
    app.connect("html-page-context", add_buttons, priority=900)
    app.connect("build-finished", write_numbers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
