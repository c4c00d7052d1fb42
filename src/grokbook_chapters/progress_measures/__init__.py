"""Chapter 06: does any measure see generalisation coming?"""

from companion.claims import load as load
from grokbook.curves.lead import event_table as event_table
from grokbook.measures.fourier_losses import cross_entropy as cross_entropy
from grokbook.measures.fourier_losses import excluded_loss as excluded_loss
from grokbook.measures.fourier_losses import restricted_loss as restricted_loss
from grokbook.measures.representation import representation_quality as representation_quality
from grokbook_chapters.lead_tasks import CONTROLS as CONTROLS
from grokbook_chapters.progress_measures.figures import clock_and_curves as clock_and_curves
from grokbook_chapters.progress_measures.figures import fresh_read_outs as fresh_read_outs
from grokbook_chapters.progress_measures.figures import lead_events as lead_events
from grokbook_chapters.progress_measures.figures import own_measure as own_measure
from grokbook_chapters.progress_measures.figures import two_questions as two_questions
from grokbook_chapters.progress_measures.numbers import numbers as numbers
from grokbook_chapters.progress_measures.runs import additions as additions
from grokbook_chapters.progress_measures.runs import directions as directions
from grokbook_chapters.progress_measures.runs import events_of_own_size as events_of_own_size
from grokbook_chapters.progress_measures.runs import plan as plan
from grokbook_chapters.progress_measures.runs import read_outs as read_outs
from grokbook_chapters.progress_measures.runs import tasks as tasks
from grokbook_chapters.progress_measures.tables import by_share as by_share
from grokbook_chapters.progress_measures.tables import controlled as controlled
from grokbook_chapters.progress_measures.tables import summary_table as summary_table
