"""Kleene's logic of True, False and None, which is not known."""

from __future__ import annotations

from collections.abc import Iterable


def all_of(parts: Iterable[bool | None]) -> bool | None:
    """Whether all are true: False where one is not, else None where one is not known.

    Example:
        >>> all_of([True, None]), all_of([None, False]), all_of([True])
        (None, False, True)
    """
    return _joined(parts, False)


def any_of(parts: Iterable[bool | None]) -> bool | None:
    """Whether one is true: True where one is, else None where one is not known.

    Example:
        >>> any_of([False, None]), any_of([None, True]), any_of([False])
        (None, True, False)
    """
    return _joined(parts, True)


def _joined(parts: Iterable[bool | None], decisive: bool) -> bool | None:
    """What is not known decides nothing, and what decides needs nothing else."""
    values = set(parts)
    if decisive in values:
        return decisive
    return None if None in values else not decisive
