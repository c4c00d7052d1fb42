"""The picture on the README: `python -m grokbook.book.picture` draws it again from the recorded runs."""

from __future__ import annotations

import io
from pathlib import Path

from grokbook.errors import RecordError
from grokbook.experiments.base import recorded
from grokbook.experiments.gu2025 import fig5
from grokbook.files import atomic_write
from grokbook.measures import grok_times
from grokbook.paths import project_root
from grokbook.plotting import learning_curves

PICTURE = "book/_static/readme_delay.png"


def draw(path: Path | None = None) -> Path:
    """Draw the accuracy and loss of the recorded runs at p = 97 and write them as PNG; returns where.

    Raises RecordError when the runs have not been recorded.
    """
    dataset = recorded(fig5(97))
    if dataset is None:
        raise RecordError("the runs of gu2025/fig5[p=97] are not recorded; `grokbook record` makes them.")
    target = path or project_root() / PICTURE
    buffer = io.BytesIO()
    learning_curves(dataset, grok_times(dataset)).savefig(buffer, format="png", dpi=160, metadata={"Software": None})
    atomic_write(target, buffer.getvalue())
    return target


if __name__ == "__main__":
    print(draw())
