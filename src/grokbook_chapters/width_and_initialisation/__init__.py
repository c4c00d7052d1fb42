"""Chapter 09: does a wider network, a special start or another optimiser bring grokking forward?"""

from grokbook.models.start import STARTS
from grokbook_chapters.width_and_initialisation.runs import plan as plan


def choices() -> dict[str, dict[str, tuple[str, ...]]]:
    """The starts that the page may compare with the normal one."""
    return {"start": {"": STARTS[1:]}}
