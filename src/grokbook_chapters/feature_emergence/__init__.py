"""Chapter 17: how features emerge (Tian 2025, Li2): a gradient, an energy, its hills, and how many
pairs keep them."""

from grokbook_chapters.feature_emergence.backpropagated import answers as answers
from grokbook_chapters.feature_emergence.backpropagated import cosines as cosines
from grokbook_chapters.feature_emergence.backpropagated import features as features
from grokbook_chapters.feature_emergence.backpropagated import random_features as random_features
from grokbook_chapters.feature_emergence.backpropagated import unreached as unreached
from grokbook_chapters.feature_emergence.claims import modulation_table as modulation_table
from grokbook_chapters.feature_emergence.figures import boundary as boundary
from grokbook_chapters.feature_emergence.figures import climbing as climbing
from grokbook_chapters.feature_emergence.figures import keeping as keeping
from grokbook_chapters.feature_emergence.figures import stages as stages
from grokbook_chapters.feature_emergence.measured import ascent as ascent
from grokbook_chapters.feature_emergence.measured import generalising as generalising
from grokbook_chapters.feature_emergence.measured import hills as hills
from grokbook_chapters.feature_emergence.measured import pairs_that_keep as pairs_that_keep
from grokbook_chapters.feature_emergence.measured import recorded as recorded
from grokbook_chapters.feature_emergence.measured import tried_at_once as tried_at_once
from grokbook_chapters.feature_emergence.numbers import numbers as numbers
from grokbook_chapters.feature_emergence.runs import plan as plan
from grokbook_chapters.feature_emergence.trained import boundary_table as boundary_table
from grokbook_chapters.training_page import offered as offered
from grokbook_chapters.training_page import training_page as training_page
