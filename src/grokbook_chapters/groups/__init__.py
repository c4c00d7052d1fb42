"""Chapter 13: groups other than addition, S3 first; what equal products imply, and how many of them
one needs."""

from companion.claims import load as load
from grokbook.tasks.groups import cayley_table as cayley_table
from grokbook_chapters.groups.amounts import amounts as amounts
from grokbook_chapters.groups.amounts import lines_and_collapse as lines_and_collapse
from grokbook_chapters.groups.amounts import shares_by_group as shares_by_group
from grokbook_chapters.groups.amounts import shares_modulo as shares_modulo
from grokbook_chapters.groups.amounts import transformers as transformers
from grokbook_chapters.groups.claims import SWAP as SWAP
from grokbook_chapters.groups.claims import third_ones as third_ones
from grokbook_chapters.groups.figures import by_group as by_group
from grokbook_chapters.groups.figures import cells_of as cells_of
from grokbook_chapters.groups.figures import networks as networks
from grokbook_chapters.groups.figures import pictured as pictured
from grokbook_chapters.groups.figures import planes as planes
from grokbook_chapters.groups.figures import quotient_edges as quotient_edges
from grokbook_chapters.groups.figures import quotients as quotients
from grokbook_chapters.groups.figures import random_cells as random_cells
from grokbook_chapters.groups.figures import rising as rising
from grokbook_chapters.groups.group_deduction import additive_nullity as additive_nullity
from grokbook_chapters.groups.group_deduction import coset_representation as coset_representation
from grokbook_chapters.groups.group_deduction import order_of as order_of
from grokbook_chapters.groups.group_quality import group_quality as group_quality
from grokbook_chapters.groups.numbers import in_words as in_words
from grokbook_chapters.groups.numbers import numbers as numbers
from grokbook_chapters.groups.runs import fig18 as fig18
from grokbook_chapters.groups.runs import plan as plan
from grokbook_chapters.groups.trained import exact_kinds as exact_kinds
from grokbook_chapters.groups.trained import hexagon_shares as hexagon_shares
from grokbook_chapters.groups.trained import measured as measured
