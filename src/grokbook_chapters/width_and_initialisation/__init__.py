"""Chapter 09: does a wider network, a special start or another optimiser bring grokking forward?"""

from grokbook.models.start import STARTS as KINDS
from grokbook.models.start import embedding_start as embedding_start
from grokbook_chapters.width_and_initialisation.figures import STARTS as STARTS
from grokbook_chapters.width_and_initialisation.figures import delays as delays
from grokbook_chapters.width_and_initialisation.figures import staircases as staircases
from grokbook_chapters.width_and_initialisation.figures import starting_tables as starting_tables
from grokbook_chapters.width_and_initialisation.figures import yardstick as yardstick
from grokbook_chapters.width_and_initialisation.numbers import numbers as numbers
from grokbook_chapters.width_and_initialisation.recorded import recorded as recorded
from grokbook_chapters.width_and_initialisation.runs import plan as plan
from grokbook_chapters.width_and_initialisation.tables import race as race


def choices() -> dict[str, dict[str, tuple[str, ...]]]:
    """The starts that the page may compare with the normal one."""
    return {"start": {"": KINDS[1:]}}
