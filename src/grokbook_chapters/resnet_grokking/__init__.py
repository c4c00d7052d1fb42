"""Chapter 10: the dictionary of pictures on ResNet-18, what its test set can show, and runs small
enough to see."""

from grokbook_chapters.resnet_grokking.figures import by_share as by_share
from grokbook_chapters.resnet_grokking.figures import by_split as by_split
from grokbook_chapters.resnet_grokking.figures import dictionary as dictionary
from grokbook_chapters.resnet_grokking.figures import followed as followed
from grokbook_chapters.resnet_grokking.figures import samples as samples
from grokbook_chapters.resnet_grokking.memorised import score as score
from grokbook_chapters.resnet_grokking.numbers import numbers as numbers
from grokbook_chapters.resnet_grokking.recorded import levels as levels
from grokbook_chapters.resnet_grokking.recorded import programs as programs
from grokbook_chapters.resnet_grokking.recorded import recorded as recorded
from grokbook_chapters.resnet_grokking.runs import plan as plan
from grokbook_chapters.resnet_grokking.shapes import ShapeTask as ShapeTask
