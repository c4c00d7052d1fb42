"""Chapter 18: ways to train compared, what is new here, and the form of its sentences."""

import dataclasses
import json
import re

import pytest
import xarray as xr

from companion.page.sources import chapter_paths
from companion.project import current
from grokbook.theory.one_frequency import circle
from grokbook_chapters.reproduction_report import runs

PAGE = (current().root / "notebooks" / f"{current().ledger}.md").read_text(encoding="utf-8")


def recorded(seeds, grokked, **made):
    """Runs that generalise at these steps of 0 .. 900 (None: never), as a record."""
    steps = range(0, 901, 100)
    curves = [[1.0 if g is not None and s >= g else 0.0 for s in steps] for g in grokked]
    data = {name: (("seed", "step"), curves) for name in ("test_accuracy", "train_accuracy")}
    data["train_accuracy"] = ("seed", "step"), [[1.0] * len(steps)] * len(seeds)
    attrs = {"provenance": json.dumps([{"dtype": "float32", "seeds": list(seeds), **made}])}
    return xr.Dataset(data, {"seed": list(seeds), "step": list(steps)}, attrs)


def test_ways_to_train_are_told_apart_where_they_differ_and_only_there(cell):
    """An oracle, runs later than all others in another format, is found (2/20); the same runs again
    are not."""
    base = recorded([0, 1, 2], [100, 200, 300])
    late = recorded([0, 1, 2], [400, 500, 600], dtype="bfloat16", update="compiled")
    same = recorded([5, 6, 7], [100, 200, 300], update="compiled")
    parts = [{"p = 59": base, "p = 97": base}, {"p = 59": late, "p = 97": same}]
    ways = cell("18", '["provenance"]', parts=parts)["ways"]
    found = cell("18", "permutation_p(table", ways=ways)["compared"]
    assert found["numbers, update"].tolist()[1] == "bfloat16, compiled"
    assert found.p.tolist()[1::2] == [pytest.approx(0.1), 1.0]
    assert found.generalise.tolist() == [3, 3, 3, 3]


def test_the_runs_in_other_numbers_are_the_recorded_settings():
    """Only the number format differs, so that the comparison is about it alone."""
    for label, run in runs.in_bfloat16().items():
        other = runs.in_float32()[label].config
        assert dataclasses.replace(run.config, dtype="float32") == other
    assert runs.in_float32()["p = 59"].missing_seeds()[:1] != (0,)


def test_formats_are_called_the_same_by_their_younger_pairs_alone(cell):
    """Eighteen pairs within 2 % pass and those a fifth later do not; the five seen before count for
    nothing."""
    seeds = list(range(23))
    base = recorded(seeds, [100 * (1 + s % 8) for s in seeds])

    def verdict(low):
        parts = [{"p = 59": base}, {"p = 59": low} if low else {}]
        return cell("18", "equivalent(*pairs", parts=parts)["alike"]

    assert verdict(base) is True
    assert verdict(recorded(seeds, [100 if s < 5 else 100 * (1 + s % 8) for s in seeds])) is True
    assert verdict(recorded(seeds, [100 * (2 + s % 8) for s in seeds])) is False
    assert verdict(base.sel(seed=slice(0, 4))) is None is verdict(None)


CHECKS = re.findall(r'^checks\["(\w+)"\] = ', PAGE, re.MULTILINE)


@pytest.mark.parametrize("name", CHECKS)
def test_a_finding_stands_its_check_and_its_sentence_names_where_it_is_shown(name, cell):
    assert len(CHECKS) == 11 and cell("18", f'checks["{name}"]', checks={})["checks"][name]["true"]
    said = PAGE.partition(f"::::{{when}} {name}\n")[2].partition("\n:::\n")[0]
    assert said.startswith(f"(new-{name.replace('_', '-')})=") and re.search(
        r"\{(prf:ref|verdict)\}`", said
    )
    labels = re.findall(r"\{prf:ref\}`([\w-]+)`", said)
    every = "".join(path.read_text("utf-8") for path in chapter_paths(current().root))
    assert all(f"\n:label: {label}\n" in every for label in labels)


def test_the_checks_can_fail(cell):
    """A wrong bound, a copyist that does not swap, a flow that is stopped early."""
    wrong = {
        "med_bound": {"circle": lambda p, k: circle(p, k, 2.0)},
        "copyist": {"transpose_accuracy": lambda p, n: 0.4},
        "limit": {"limit_point": lambda start: start},
    }
    for name, names in wrong.items():
        assert not cell("18", f'checks["{name}"]', checks={}, **names)["checks"][name]["true"]


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
