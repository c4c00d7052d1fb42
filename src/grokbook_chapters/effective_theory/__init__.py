"""Chapter 11: the effective theory of Liu et al. 2022: parallelograms, the critical size, the flow
to a line."""

from grokbook_chapters.effective_theory.lines import plan as plan
