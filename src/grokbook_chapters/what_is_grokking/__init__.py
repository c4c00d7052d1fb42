"""Chapter 01: one run, its delay, the part of the test set that can be copied, and the circle that
appears."""

from grokbook.curves.delay import first_stay as first_stay
from grokbook.runs import recorded as recorded
from grokbook_chapters.training_page import training_page as training_page
from grokbook_chapters.what_is_grokking.claims import plan as plan
from grokbook_chapters.what_is_grokking.figures import at_paper_size as at_paper_size
from grokbook_chapters.what_is_grokking.figures import circle as circle
from grokbook_chapters.what_is_grokking.figures import mirrored as mirrored
from grokbook_chapters.what_is_grokking.figures import shape as shape
from grokbook_chapters.what_is_grokking.numbers import numbers as numbers
