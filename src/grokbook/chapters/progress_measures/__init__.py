"""Chapter 06: does any measure see generalisation coming?"""

from grokbook.chapters.progress_measures.runs import plan as plan
