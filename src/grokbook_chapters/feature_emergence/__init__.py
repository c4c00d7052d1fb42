"""Chapter 17: how features emerge (Tian 2025, Li2): a gradient, an energy, its hills, and how many
pairs keep them."""

from grokbook_chapters.feature_emergence.runs import plan as plan
