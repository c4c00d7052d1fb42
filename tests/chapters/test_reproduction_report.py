"""Chapter 18: ways to train compared, what is new here, and the form of its sentences."""

import dataclasses
import json
import re

import numpy as np
import pytest
import xarray as xr

from companion.claims import VERDICTS, as_table, choose, outcomes
from companion.page.sources import chapter_paths
from companion.project import current
from grokbook.theory.one_frequency import circle
from grokbook_chapters.reproduction_report import every_entry, new_here, numbers, runs
from grokbook_chapters.reproduction_report.formats import compared
from written_pages import functions, names_used

PAGE = (current().root / "notebooks" / f"{current().ledger}.md").read_text(encoding="utf-8")


def recorded(seeds, grokked, **made):
    """Runs that generalise at these steps of 0 .. 900 (None: never), as a record."""
    steps = range(0, 901, 100)
    curves = [[1.0 if g is not None and s >= g else 0.0 for s in steps] for g in grokked]
    data = {name: (("seed", "step"), curves) for name in ("test_accuracy", "train_accuracy")}
    data["train_accuracy"] = ("seed", "step"), [[1.0] * len(steps)] * len(seeds)
    attrs = {"provenance": json.dumps([{"dtype": "float32", "seeds": list(seeds), **made}])}
    return xr.Dataset(data, {"seed": list(seeds), "step": list(steps)}, attrs)


def test_the_runs_in_other_numbers_are_the_recorded_settings():
    """Only the number format differs, so that the comparison is about it alone."""
    for label, run in runs.in_bfloat16().items():
        other = runs.in_float32()[label].config
        assert dataclasses.replace(run.config, dtype="float32") == other
    assert runs.in_float32()["p = 59"].missing_seeds()[:1] != (0,)


def test_formats_are_called_the_same_by_their_younger_pairs_alone():
    """Eighteen pairs within 2 % pass and those a fifth later do not; the five seen before count for
    nothing."""
    seeds = list(range(23))
    base = recorded(seeds, [100 * (1 + s % 8) for s in seeds])
    early = recorded(seeds, [100 if s < 5 else 100 * (1 + s % 8) for s in seeds])
    late = recorded(seeds, [100 * (2 + s % 8) for s in seeds])
    assert compared(base, base).alike is True
    assert compared(base, early).alike is True
    assert compared(base, late).alike is False
    assert compared(base, base.sel(seed=slice(0, 4))).alike is None


@pytest.mark.parametrize("check", new_here.CHECKS)
def test_a_finding_stands_its_check_and_its_sentence_names_where_it_is_shown(check):
    name = check.__name__
    assert check()["true"]
    said = PAGE.partition(f"::::{{when}} {name}\n")[2].partition("\n:::\n")[0]
    assert said.startswith(f"(new-{name.replace('_', '-')})=")
    assert re.search(r"\{(prf:ref|verdict)\}`", said)
    labels = re.findall(r"\{prf:ref\}`([\w-]+)`", said)
    every = "".join(path.read_text("utf-8") for path in chapter_paths(current().root))
    assert all(f"\n:label: {label}\n" in every for label in labels)


@pytest.mark.parametrize(
    ("check", "names"),
    [
        (new_here.med_bound, {"circle": lambda p, k: circle(p, k, 2.0)}),
        (new_here.copyist, {"transpose_accuracy": lambda p, n: 0.4}),
        (new_here.limit, {"limit_point": lambda start: start}),
    ],
)
def test_the_checks_can_fail(check, names, monkeypatch):
    """A wrong bound, a copyist that does not swap, a flow that is stopped early."""
    for name, value in names.items():
        monkeypatch.setattr(new_here, name, value)
    assert not check()["true"]


def test_the_numbers_of_the_prose_follow_the_claims():
    chosen = choose(["G36", "G37", "G27"])
    found = list(outcomes(chosen[:2]))
    table = as_table(found)
    told = numbers(chosen, found, table, {"groups": new_here.groups()})
    assert (told["n_claims"], told["n_checked"], told["n_checks"]) == (3, 2, 2)
    assert told["n_hold"] == 1 + told["n_corrected"] or told["n_hold"] == 2
    assert not told["complete"].holds and told["groups"].holds and told["n_differ"] == 0
    assert [row[0] for row in json.loads(told["ledger"])] == table.id.tolist()
    rest = {name for name in names_used("18") if not name.startswith(NEW)}
    assert {name for name in told if not name.startswith(NEW)} - {"ledger"} == rest
    whole = every_entry(chosen, found)
    assert set(whole.id) == {"G36", "G37", "G27"} and whole.verdict.isin(VERDICTS).all()


NEW = tuple(check.__name__ for check in new_here.CHECKS)


def test_the_check_of_the_page_tells_addition_from_shuffled_columns():
    not_translates, check = functions("18", "not_translates", "check")
    table = np.add.outer(np.arange(7), np.arange(7)) % 7
    order = [1, 0, 2, 3, 4, 5, 6]
    assert check().verdict == "holds" and not not_translates(table[order])
    assert not_translates(table[:, order])


def test_a_central_claim_is_quoted_briefly_beside_its_verdict():
    """Ten claims, each with at most 30 words of the paper and the verdict of its own entry."""
    cards = re.findall(
        r"\{container\} gb-claim\n(\w+) \{verdict\}`(\w+): .*?\n\n> \"(.*?)\"\n", PAGE, re.DOTALL
    )
    assert len({name for name, _, _ in cards}) == 10
    assert all(
        name == judged and len(quote.replace("\n>", "").split()) <= 30
        for name, judged, quote in cards
    )
