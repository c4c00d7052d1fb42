"""Chapter 02: what is learned (classes of an operation, splits of the grid), by exactly which
network."""

from grokbook.plotting.grids import splits as splits
from grokbook_chapters.task_and_model.claims import plan as plan
from grokbook_chapters.task_and_model.exactness import logits_of_cell as logits_of_cell
from grokbook_chapters.task_and_model.exactness import rewriting_deviation as rewriting_deviation
from grokbook_chapters.task_and_model.figures import classes as classes
from grokbook_chapters.task_and_model.figures import diagram as diagram
from grokbook_chapters.task_and_model.numbers import numbers as numbers
