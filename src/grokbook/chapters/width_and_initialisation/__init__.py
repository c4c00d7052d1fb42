"""Chapter 09: does a wider network, a special start or another optimiser bring grokking forward?"""

from grokbook.chapters.width_and_initialisation.runs import plan as plan
from grokbook.models.start import STARTS


def choices() -> dict[str, dict[str, tuple[str, ...]]]:
    """The starts that the page may compare with the normal one."""
    return {"start": {"": STARTS[1:]}}
