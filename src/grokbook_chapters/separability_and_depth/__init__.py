"""Chapter 07: whether a network pulls the classes apart, and what more layers do."""

from grokbook_chapters.separability_and_depth.runs import plan as plan
