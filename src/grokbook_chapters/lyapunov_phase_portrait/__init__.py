"""Chapter 08: the x w u flow of Gu et al., where it ends, and what Lyapunov's argument shows;
nothing is trained."""

from grokbook.theory.triple_product import flow as flow
from grokbook_chapters.lyapunov_phase_portrait.cube_limits import cube_limits as cube_limits
from grokbook_chapters.lyapunov_phase_portrait.explained import explain as explain
from grokbook_chapters.lyapunov_phase_portrait.figures import cube as cube
from grokbook_chapters.lyapunov_phase_portrait.figures import explorer as explorer
from grokbook_chapters.lyapunov_phase_portrait.figures import kinds as kinds
from grokbook_chapters.lyapunov_phase_portrait.figures import planes as planes
from grokbook_chapters.lyapunov_phase_portrait.numbers import numbers as numbers
from grokbook_chapters.lyapunov_phase_portrait.numbers import two_samples as two_samples
