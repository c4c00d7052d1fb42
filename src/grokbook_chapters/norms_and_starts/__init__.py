"""Appendix to chapter 03: two norms, Toeplitz starts, and the predecessor's family of maps."""

from grokbook.theory.enclosing_ball import smallest_ball as smallest_ball
from grokbook.theory.toeplitz_start import STARTS as STARTS
from grokbook.theory.uniformity import class_sums as class_sums
from grokbook_chapters.norms_and_starts.figures import steps_and_med as steps_and_med
from grokbook_chapters.norms_and_starts.numbers import bounds as bounds
from grokbook_chapters.norms_and_starts.numbers import draw_tables as draw_tables
from grokbook_chapters.norms_and_starts.numbers import numbers as numbers
