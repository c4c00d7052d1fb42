"""Tasks: data only. `arithmetic` has the operations modulo p and their splits."""

from grokbook.tasks.arithmetic import ModularTask

__all__ = ["ModularTask"]
