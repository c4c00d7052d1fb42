"""Chapter 15: handwritten digits; grokking by a large start, and the effective loss of classes."""

from grokbook.chapters.images.claims import drawn, letters, reached, separation
from grokbook.chapters.images.effective import descend
from grokbook.chapters.images.figures import by_amount, encoded, flowing, large_and_usual, samples
from grokbook.chapters.images.settings import (
    LARGE,
    RUNS,
    by_size,
    fig8,
    fig8_right,
    fig20,
    plan,
    small,
    small_phases,
)
from grokbook.chapters.images.words import answer, between, collapse_table, crossings, pace, starts, turning, waited

__all__ = [
    "LARGE",
    "RUNS",
    "answer",
    "between",
    "by_amount",
    "by_size",
    "collapse_table",
    "crossings",
    "descend",
    "drawn",
    "encoded",
    "fig8",
    "fig8_right",
    "fig20",
    "flowing",
    "large_and_usual",
    "letters",
    "pace",
    "plan",
    "reached",
    "samples",
    "separation",
    "small",
    "small_phases",
    "starts",
    "turning",
    "waited",
]
