"""Chapter 11a: trained toys beside the effective theory of Liu et al. 2022, with the authors' own
draws."""

from grokbook_chapters.trained_toys.embeddings import path as path
from grokbook_chapters.trained_toys.embeddings import quality as quality
from grokbook_chapters.trained_toys.figures import predicted as predicted
from grokbook_chapters.trained_toys.figures import regions as regions
from grokbook_chapters.trained_toys.figures import run_and_flow as run_and_flow
from grokbook_chapters.trained_toys.figures import transition as transition
from grokbook_chapters.trained_toys.numbers import numbers as numbers
from grokbook_chapters.trained_toys.recorded import recorded as recorded
from grokbook_chapters.trained_toys.runs import plan as plan
