"""Chapter 11a: trained toys beside the effective theory of Liu et al. 2022, with the authors' own
draws."""

from grokbook_chapters.trained_toys.runs import plan as plan
