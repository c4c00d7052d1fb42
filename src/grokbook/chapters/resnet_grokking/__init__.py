"""Chapter 10: the dictionary of pictures on ResNet-18, what its test set can show, and runs small enough to see."""

from grokbook.chapters.resnet_grokking.claims import letters, reached
from grokbook.chapters.resnet_grokking.features import glyph_features, probe, steps_apart
from grokbook.chapters.resnet_grokking.figures import dictionary, over_training, samples
from grokbook.chapters.resnet_grokking.settings import RUNS, fig7, plan, small, small_map, small_run
from grokbook.chapters.resnet_grokking.words import answer, baselines, live, order_or_sum

__all__ = [
    "RUNS",
    "answer",
    "baselines",
    "dictionary",
    "fig7",
    "glyph_features",
    "letters",
    "live",
    "order_or_sum",
    "over_training",
    "plan",
    "probe",
    "reached",
    "samples",
    "small",
    "small_map",
    "small_run",
    "steps_apart",
]
