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
    settings = plain(config.optimizer)
    settings.pop("groups", None)
    for name, value in list(settings.items()):
        if isinstance(value, int | float) and not isinstance(value, bool):
            del settings[name]
    drawn = None
    if hasattr(config.task, "show"):
        drawn = plain(config.task)
        drawn.pop("seed", None)
    own: list[int] = []
    for part in (config.task, config.model, config.optimizer):
        if not of_library(type(part)):
            own += map(id, held(part))
    return canonical({"size": size_key(config), "optimizer": settings, "drawn": drawn, "own": own})
