"""Chapter 11: the effective theory of Liu et al. 2022: parallelograms, the critical size, the flow
to a line."""

from grokbook.theory.linear_probability import linear_probability as linear_probability
from grokbook.theory.parallelograms import all_samples as all_samples
from grokbook_chapters.effective_theory.figures import closing as closing
from grokbook_chapters.effective_theory.figures import critical as critical
from grokbook_chapters.effective_theory.figures import explorer as explorer
from grokbook_chapters.effective_theory.figures import ideal as ideal
from grokbook_chapters.effective_theory.figures import stages as stages
from grokbook_chapters.effective_theory.figures import trajectories as trajectories
from grokbook_chapters.effective_theory.lines import ideal_models as ideal_models
from grokbook_chapters.effective_theory.lines import plan as plan
from grokbook_chapters.effective_theory.lines import sizes_at_one_half as sizes_at_one_half
from grokbook_chapters.effective_theory.lines import start as start
from grokbook_chapters.effective_theory.lines import training_set as training_set
from grokbook_chapters.effective_theory.numbers import numbers as numbers
