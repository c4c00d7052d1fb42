"""Chapter 19: interventions on quantities that explanations of grokking name."""

from grokbook_chapters.causes.figures import DECAYED as DECAYED
from grokbook_chapters.causes.figures import SHORTENED as SHORTENED
from grokbook_chapters.causes.figures import beside as beside
from grokbook_chapters.causes.figures import handed_over as handed_over
from grokbook_chapters.causes.figures import held_norms as held_norms
from grokbook_chapters.causes.figures import left_of_the_wait as left_of_the_wait
from grokbook_chapters.causes.figures import off_by as off_by
from grokbook_chapters.causes.handed import shares as shares
from grokbook_chapters.causes.handed import waits as waits
from grokbook_chapters.causes.laws import lengths as lengths
from grokbook_chapters.causes.numbers import every_arm as every_arm
from grokbook_chapters.causes.numbers import numbers as numbers
from grokbook_chapters.causes.numbers import predictor_table as predictor_table
from grokbook_chapters.causes.predictors import recorded_predictors as recorded_predictors
from grokbook_chapters.causes.runs import choices as choices
from grokbook_chapters.causes.runs import plan as plan
from grokbook_chapters.causes.runs import searched_benches as searched_benches
from grokbook_chapters.causes.tuning import recorded_times as recorded_times
from grokbook_chapters.training_page import training_page as training_page
