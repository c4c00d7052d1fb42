"""Chapter 12: the phase diagrams of Liu et al. 2022, measured cell by cell."""

from __future__ import annotations

from grokbook.chapters.phase_diagrams.settings import RUNS, fig6, more, plan
from grokbook.chapters.phase_diagrams.words import answer

__all__ = ["RUNS", "answer", "fig6", "more", "plan"]
