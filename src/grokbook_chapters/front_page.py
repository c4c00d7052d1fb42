"""The front page: the recorded run that moves under its slider."""

from grokbook_chapters.gu2025 import often

RUNS = (often,)
