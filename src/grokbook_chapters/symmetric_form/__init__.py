"""Chapter 04c: a symmetric form, Fig. 4 of Gu et al. 2025 and the networks of section 6.1."""

from grokbook_chapters.symmetric_form.runs import plan as plan
