"""Chapter 01: one run, its delay, the part of the test set that can be copied, and the circle that
appears."""

from grokbook_chapters.what_is_grokking.claims import plan as plan
