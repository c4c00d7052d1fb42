"""Chapter 05: does MED, the distance of neighbouring embeddings, track the test loss?"""

from grokbook_chapters.med_tracking.claims import same_function_other_med as same_function_other_med
from grokbook_chapters.med_tracking.figures import agreement_by_setting as agreement_by_setting
from grokbook_chapters.med_tracking.figures import length_and_quotient as length_and_quotient
from grokbook_chapters.med_tracking.figures import loss_and_med as loss_and_med
from grokbook_chapters.med_tracking.figures import other_names as other_names
from grokbook_chapters.med_tracking.numbers import numbers as numbers
from grokbook_chapters.med_tracking.runs import plan as plan
from grokbook_chapters.med_tracking.runs import tracked_settings as tracked_settings
from grokbook_chapters.med_tracking.runs import what_passes as what_passes
