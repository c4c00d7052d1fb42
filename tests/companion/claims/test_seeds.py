"""No recorded run is read by nothing: a page or a claim lists its seed, or a rule counts it that is
older than it."""

from collections import defaultdict

import pytest

from companion.announced import experiments
from companion.claims.ledger import claims
from companion.claims.runs import made_after, since
from grokbook.paths import records_path
from grokbook.runs.store import Store


@pytest.mark.slow
def test_every_recorded_seed_is_read():
    store = Store(records_path())
    read = defaultdict(set)
    listed = [run for wanted in experiments() for run in wanted().values()]
    for claim in claims():
        asked = list(claim.runs().values()) if claim.runs else []
        listed += [*asked, *(claim.beside().values() if claim.beside else ())]
        if claim.rule_changed:
            for run in asked:
                read[run.key].update(made_after(run, since(claim.rule_changed)))
    for run in listed:
        read[run.key].update(run.seeds)
    unread = {run.name: set(store.seeds(run.key, run.code)) - read[run.key] for run in listed}
    assert not [name for name, seeds in unread.items() if seeds]
