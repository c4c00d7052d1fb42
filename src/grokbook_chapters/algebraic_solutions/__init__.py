"""Chapter 16: the algebra of networks that add without error, after Tian's CoGO, and what training
finds of it."""

from grokbook.runs.weights import final_weights as final_weights
from grokbook_chapters.algebraic_solutions.figures import blocks as blocks
from grokbook_chapters.algebraic_solutions.figures import clock as clock
from grokbook_chapters.algebraic_solutions.figures import hands as hands
from grokbook_chapters.algebraic_solutions.figures import multiplied as multiplied
from grokbook_chapters.algebraic_solutions.figures import without_nodes as without_nodes
from grokbook_chapters.algebraic_solutions.hidden_nodes import frequency_table as frequency_table
from grokbook_chapters.algebraic_solutions.numbers import numbers as numbers
from grokbook_chapters.algebraic_solutions.runs import plan as plan
from grokbook_chapters.algebraic_solutions.runs import recorded as recorded
from grokbook_chapters.algebraic_solutions.runs import waves_of as waves_of
from grokbook_chapters.algebraic_solutions.semiring import loss as loss
from grokbook_chapters.algebraic_solutions.semiring import (
    order_four_six_solution as order_four_six_solution,
)
from grokbook_chapters.algebraic_solutions.semiring import (
    order_four_solution as order_four_solution,
)
from grokbook_chapters.algebraic_solutions.semiring import order_six_solution as order_six_solution
from grokbook_chapters.algebraic_solutions.trained import by_chance as by_chance
from grokbook_chapters.algebraic_solutions.trained import drop_nodes as drop_nodes
from grokbook_chapters.algebraic_solutions.trained import kinds_beside as kinds_beside
from grokbook_chapters.algebraic_solutions.zero_loss import least_isolated as least_isolated
from grokbook_chapters.training_page import offered as offered
from grokbook_chapters.training_page import training_page as training_page
