"""Chapter 03: what weight decay and correct outputs do and do not imply for an embedding."""

from grokbook.theory.one_frequency import circle as circle
from grokbook.theory.uniformity import closeness as closeness
from grokbook_chapters.uniformity.claims import best_fits as best_fits
from grokbook_chapters.uniformity.figures import balls as balls
from grokbook_chapters.uniformity.figures import collapse as collapse
from grokbook_chapters.uniformity.figures import shares as shares
from grokbook_chapters.uniformity.figures import sums_and_products as sums_and_products
from grokbook_chapters.uniformity.maps import descents as descents
from grokbook_chapters.uniformity.minimal_map import smallest_map as smallest_map
from grokbook_chapters.uniformity.numbers import numbers as numbers
from grokbook_chapters.uniformity.runs import plan as plan
from grokbook_chapters.uniformity.trained import embedding_shares as embedding_shares
