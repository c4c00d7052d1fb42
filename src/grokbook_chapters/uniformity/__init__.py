"""Chapter 03: what weight decay and correct outputs do and do not imply for an embedding."""

from grokbook_chapters.uniformity.runs import plan as plan
