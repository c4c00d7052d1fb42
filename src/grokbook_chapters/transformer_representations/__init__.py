"""Chapter 14: what becomes of a transformer's embedding when it generalises, and of the question
what makes a training set enough."""

from grokbook.measures.principal import on_axes as on_axes
from grokbook.measures.principal import ring_share as ring_share
from grokbook.plotting.training import measure_curves as measure_curves
from grokbook_chapters.transformer_representations.contrast import predictions as predictions
from grokbook_chapters.transformer_representations.embedding import beside_a_ring as beside_a_ring
from grokbook_chapters.transformer_representations.figures import by_set as by_set
from grokbook_chapters.transformer_representations.figures import diagram as diagram
from grokbook_chapters.transformer_representations.figures import dimensions as dimensions
from grokbook_chapters.transformer_representations.figures import dropout as dropout
from grokbook_chapters.transformer_representations.figures import moving as moving
from grokbook_chapters.transformer_representations.figures import rings as rings
from grokbook_chapters.transformer_representations.figures import sets as sets
from grokbook_chapters.transformer_representations.figures import starts as starts
from grokbook_chapters.transformer_representations.figures import tangle_to_ring as tangle_to_ring
from grokbook_chapters.transformer_representations.numbers import numbers as numbers
from grokbook_chapters.transformer_representations.recorded import recorded as recorded
from grokbook_chapters.transformer_representations.runs import plan as plan
