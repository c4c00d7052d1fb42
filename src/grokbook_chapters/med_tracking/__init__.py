"""Chapter 05: does MED, the distance of neighbouring embeddings, track the test loss?"""

from grokbook_chapters.med_tracking.claims import same_function_other_med
from grokbook_chapters.med_tracking.runs import plan

__all__ = ["plan", "same_function_other_med"]
