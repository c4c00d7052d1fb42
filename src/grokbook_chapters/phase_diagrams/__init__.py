"""Chapter 12: the phase diagrams of Liu et al. 2022, cell by cell, and why they look so."""

from grokbook.tasks.addition import AdditionTask as AdditionTask
from grokbook.theory.splits import distribution as distribution
from grokbook_chapters.phase_diagrams.figures import as_table as as_table
from grokbook_chapters.phase_diagrams.figures import by_seed as by_seed
from grokbook_chapters.phase_diagrams.figures import openable as openable
from grokbook_chapters.phase_diagrams.figures import raced as raced
from grokbook_chapters.phase_diagrams.figures import walked as walked
from grokbook_chapters.phase_diagrams.numbers import numbers as numbers
from grokbook_chapters.phase_diagrams.recorded import recorded as recorded
from grokbook_chapters.phase_diagrams.runs import plan as plan
