"""Chapter 15: handwritten digits; grokking by a large start, and the effective loss of classes."""

from companion.claims import load as load
from grokbook.plotting.phases import diagrams as diagrams
from grokbook_chapters.images.claims import letters as letters
from grokbook_chapters.images.claims import reached as reached
from grokbook_chapters.images.class_collapse import flow as flow
from grokbook_chapters.images.class_collapse import loss as loss
from grokbook_chapters.images.digits import DigitsTask as DigitsTask
from grokbook_chapters.images.effective import encoded as encoded
from grokbook_chapters.images.figures import by_amount as by_amount
from grokbook_chapters.images.figures import gathering as gathering
from grokbook_chapters.images.figures import on_mnist as on_mnist
from grokbook_chapters.images.figures import training_images as training_images
from grokbook_chapters.images.figures import two_starts as two_starts
from grokbook_chapters.images.numbers import numbers as numbers
from grokbook_chapters.images.runs import by_decay as by_decay
from grokbook_chapters.images.runs import by_size as by_size
from grokbook_chapters.images.runs import fig8 as fig8
from grokbook_chapters.images.runs import fig8_right as fig8_right
from grokbook_chapters.images.runs import fig20 as fig20
from grokbook_chapters.images.runs import plan as plan
from grokbook_chapters.images.runs import read_outs as read_outs
from grokbook_chapters.images.runs import small_phases as small_phases
from grokbook_chapters.images.runs import small_read_outs as small_read_outs
