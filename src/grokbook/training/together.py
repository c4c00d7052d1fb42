"""Which runs can be rows of one program: what they must share beside their sizes."""

from __future__ import annotations

from grokbook.own_code import held, of_library
from grokbook.training.config import RunConfig, canonical, plain, size_key


def program_key(config: RunConfig) -> str:
    """Runs with equal keys can be rows of one program, which reads what is no column from the first
    row.

    They have one `size_key`, optimisers that differ in numbers and groups alone (those are
    columns), and tasks that differ in their seed alone where a task draws what the network reads
    (`show`). Classes of a reader's own must be the same ones: two of one name can be two versions
    of a notebook's cell.
    """
    settings = {
        n: v for n, v in plain(config.optimizer).items() if n != "groups" and not _is_number(v)
    }
    drawn = (
        {n: v for n, v in plain(config.task).items() if n != "seed"}
        if hasattr(config.task, "show")
        else None
    )
    parts = (config.task, config.model, config.optimizer)
    own = [id(thing) for part in parts if not of_library(type(part)) for thing in held(part)]
    return canonical({"size": size_key(config), "optimizer": settings, "drawn": drawn, "own": own})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
