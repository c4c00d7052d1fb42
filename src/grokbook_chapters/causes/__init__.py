"""Chapter 19: interventions on quantities that explanations of grokking name."""

from grokbook_chapters.causes.runs import choices as choices
from grokbook_chapters.causes.runs import plan as plan
