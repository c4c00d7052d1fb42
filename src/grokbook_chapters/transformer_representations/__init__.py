"""Chapter 14: what generalisation leaves in a transformer's embedding, after Liu et al. 2022,
section 4.2."""

from grokbook_chapters.transformer_representations.runs import plan as plan
