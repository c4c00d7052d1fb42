"""Chapter 04b: training sets with a hole, Table 1 of Gu et al. 2025 as counted and as measured."""

from grokbook_chapters.holes.figures import ceilings as ceilings
from grokbook_chapters.holes.figures import parts as parts
from grokbook_chapters.holes.figures import three_shares as three_shares
from grokbook_chapters.holes.measured import accounts as accounts
from grokbook_chapters.holes.measured import compared as compared
from grokbook_chapters.holes.measured import recorded_runs as recorded_runs
from grokbook_chapters.holes.numbers import numbers as numbers
from grokbook_chapters.holes.runs import plan as plan
