"""A chapter reads every recorded seed of the experiments that it asks for: a record is no choice of
seeds."""

from collections import defaultdict

import pytest

from companion.announced import chapters, folder_of
from companion.claims.ledger import claims
from grokbook.runs.experiment import default_store

READ = ("trained_toys", "phase_diagrams", "groups", "transformer_representations")


def asked(topic):
    """The experiments that a chapter announces, and those that its claims ask for."""
    for module in chapters():
        if folder_of(module.__name__) == topic:
            for announced in getattr(module, "RUNS", ()):
                yield from announced().values()
    for claim in claims():
        for wanted in (claim.runs, claim.beside):
            if claim.topic == topic and wanted:
                yield from wanted().values()


@pytest.mark.parametrize("topic", READ)
def test_no_recorded_seed_is_left_out(topic):
    store = default_store()
    committed = (store, *store.fallbacks)[-1]
    read, recorded = defaultdict(set), {}
    for experiment in asked(topic):
        read[experiment.name].update(experiment.seeds)
        recorded[experiment.name] = set(committed.seeds(experiment.key, experiment.code))
    assert any(recorded.values())
    assert {
        name: seeds - read[name] for name, seeds in recorded.items() if seeds - read[name]
    } == {}
