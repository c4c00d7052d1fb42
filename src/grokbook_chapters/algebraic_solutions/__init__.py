"""Chapter 16: the algebra of networks that add without error, after Tian's CoGO, and what training
finds of it."""

from grokbook_chapters.algebraic_solutions.runs import plan as plan
