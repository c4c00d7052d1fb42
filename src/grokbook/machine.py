"""What this machine lets a process use: cores and free memory."""

from __future__ import annotations

import os
from pathlib import Path

CORES = "GROKBOOK_CORES"
"""Name of the environment variable with a process's share of the cores; a build sets it for each chapter."""


def cores() -> int:
    """How many processes may compute side by side: `$GROKBOOK_CORES` where it is set, else every core there is.

    Example:
        >>> cores() >= 1
        True
    """
    share = os.environ.get(CORES, "")
    return int(share) if share.isdecimal() and int(share) else os.cpu_count() or 1


def free_memory_mb() -> float:
    """Memory that can be had without swapping, in MB: of the machine, and of the control group where it has a limit.

    Infinite where the system does not say.

    Example:
        >>> free_memory_mb() > 0
        True
    """
    return min(_available(), _left_in_group())


def _available(path: Path = Path("/proc/meminfo")) -> float:
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return float("inf")
    return next((int(words[1]) * 1024 / 1e6 for words in lines if words[:1] == ["MemAvailable:"]), float("inf"))


def _left_in_group(folder: Path = Path("/sys/fs/cgroup")) -> float:
    try:
        limit, used = (int((folder / name).read_text()) for name in ("memory.max", "memory.current"))
    except (OSError, ValueError):  # no control group, or the limit is "max"
        return float("inf")
    return (limit - used) / 1e6
