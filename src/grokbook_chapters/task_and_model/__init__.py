"""Chapter 02: what is learned (classes of an operation, splits of the grid), by exactly which
network."""

from grokbook_chapters.task_and_model.claims import plan as plan
