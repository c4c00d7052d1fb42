"""What references print, label by label, for whoever prints texts of the pages: `numbers.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

KINDS = {"displaymath": "equation"}
"""Sphinx's names of kinds that have another one here."""


def write(app: Any, exception: Exception | None) -> None:
    """Write kind, number and title of everything that a page may refer to."""
    if exception is not None:
        return
    labels = {
        label: {"kind": "section", "title": str(title)}
        for label, (_, _, title) in app.env.get_domain("std").labels.items()
    }
    for numbered in app.env.toc_fignumbers.values():
        for kind, numbers in numbered.items():
            for label, number in numbers.items():
                labels[label.removeprefix("equation-")] = {
                    "kind": KINDS.get(kind, kind),
                    "number": ".".join(map(str, number)),
                }
    text = json.dumps(labels, indent=0)
    (Path(app.outdir) / "numbers.json").write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
