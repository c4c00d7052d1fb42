"""Chapter 04c: a symmetric form, Fig. 4 of Gu et al. 2025 and the networks of section 6.1."""

from companion.claims import load as load
from grokbook_chapters.symmetric_form.claims import by_fraction as by_fraction
from grokbook_chapters.symmetric_form.claims import counted_cells as counted_cells
from grokbook_chapters.symmetric_form.claims import lattice_sum as lattice_sum
from grokbook_chapters.symmetric_form.figures import arch as arch
from grokbook_chapters.symmetric_form.figures import at_the_end as at_the_end
from grokbook_chapters.symmetric_form.figures import both_kinds as both_kinds
from grokbook_chapters.symmetric_form.numbers import numbers as numbers
from grokbook_chapters.symmetric_form.runs import dnns as dnns
from grokbook_chapters.symmetric_form.runs import fig_4 as fig_4
from grokbook_chapters.symmetric_form.runs import plan as plan
