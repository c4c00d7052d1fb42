"""Chapter 06: does any measure see generalisation coming?"""

from grokbook_chapters.progress_measures.runs import plan as plan
