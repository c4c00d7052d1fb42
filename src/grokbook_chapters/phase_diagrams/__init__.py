"""Chapter 12: the phase diagrams of Liu et al. 2022, measured cell by cell."""

from grokbook_chapters.phase_diagrams.runs import plan as plan
