"""Chapter 07: whether a network pulls the classes apart, and what more layers do."""

from companion.claims import load as load
from grokbook.tasks import ModularTask as ModularTask
from grokbook_chapters.separability_and_depth.depth import stream_lengths as stream_lengths
from grokbook_chapters.separability_and_depth.figures import by_layers as by_layers
from grokbook_chapters.separability_and_depth.figures import notions as notions
from grokbook_chapters.separability_and_depth.figures import stages as stages
from grokbook_chapters.separability_and_depth.numbers import numbers as numbers
from grokbook_chapters.separability_and_depth.runs import between as between
from grokbook_chapters.separability_and_depth.runs import plan as plan
from grokbook_chapters.separability_and_depth.separability import separate as separate
