"""A chapter reads every recorded seed of the experiments that it asks for: a record is no choice of
seeds."""

from collections import defaultdict

import pytest

from companion.announced import chapters, folder_of
from companion.claims.ledger import claims
from companion.claims.runs import made_after, since
from grokbook.runs.experiment import default_store
from grokbook_chapters import what_is_grokking

TOPICS = sorted({folder_of(module.__name__) for module in chapters()})
PLANNED = {"what_is_grokking": lambda: [what_is_grokking.plan(37, 0.85, 48, 2_000, 3)["paper"]]}
"""What a page reads that its chapter announces nowhere else."""


def asked(topic):
    """The experiments that a chapter announces, those of its page, and those that its claims ask
    for, with the seeds that were made after a rule."""
    for module in chapters():
        if folder_of(module.__name__) == topic:
            for announced in getattr(module, "RUNS", ()):
                yield from announced().values()
    yield from PLANNED.get(topic, list)()
    for claim in claims():
        for wanted in (claim.runs, claim.beside):
            if claim.topic == topic and wanted:
                yield from wanted().values()


def read_by(topic, experiments):
    """Key -> seeds that the chapter reads."""
    read = defaultdict(set)
    for experiment in experiments:
        read[experiment.key].update(experiment.seeds)
    for claim in claims():
        if claim.topic == topic and claim.runs and claim.rule_changed:
            for experiment in claim.runs().values():
                read[experiment.key].update(made_after(experiment, since(claim.rule_changed)))
    return read


@pytest.mark.parametrize("topic", TOPICS)
def test_no_recorded_seed_is_left_out(topic):
    store = default_store()
    committed = (store, *store.fallbacks)[-1]
    experiments = list(asked(topic))
    read = read_by(topic, experiments)
    left_out = {}
    for experiment in experiments:
        recorded = set(committed.seeds(experiment.key, experiment.code))
        if seeds := recorded - read[experiment.key]:
            left_out[experiment.name] = seeds
    assert left_out == {}
