"""Chapter 15: handwritten digits; grokking by a large start, and the effective loss of classes."""

from grokbook_chapters.images.runs import plan as plan
