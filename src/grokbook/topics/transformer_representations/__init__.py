"""Chapter 14: what generalisation leaves in a transformer's embedding, after Liu et al. 2022, section 4.2."""

from grokbook.claims.words import listed as told
from grokbook.topics.transformer_representations.claims import (
    PUBLISHED,
    RING,
    circle_when_it_generalises,
    decay_speeds,
    structure_before_training,
)
from grokbook.topics.transformer_representations.embedding import (
    chance_ring,
    control_table,
    lives,
    planes,
    shown_by_strangers,
    without_start,
)
from grokbook.topics.transformer_representations.figures import dimension_curves, four_planes, on_few_axes
from grokbook.topics.transformer_representations.settings import (
    RUNS,
    USUAL,
    by_decay,
    by_dropout,
    fig7,
    often,
    plan,
    shuffled,
    strong,
)
from grokbook.topics.transformer_representations.words import (
    agree,
    answer,
    evidence,
    ring_table,
    ring_words,
    start_table,
    survives,
    tied,
    turn_words,
)

__all__ = [
    "agree",
    "ring_words",
    "survives",
    "told",
    "turn_words",
    "often",
    "ring_table",
    "start_table",
    "PUBLISHED",
    "RING",
    "RUNS",
    "USUAL",
    "answer",
    "by_decay",
    "by_dropout",
    "chance_ring",
    "circle_when_it_generalises",
    "control_table",
    "decay_speeds",
    "dimension_curves",
    "evidence",
    "fig7",
    "four_planes",
    "lives",
    "on_few_axes",
    "plan",
    "planes",
    "shown_by_strangers",
    "shuffled",
    "strong",
    "structure_before_training",
    "tied",
    "without_start",
]
