"""Values of parameters are refused in a sentence before anything runs, whoever asks, or they have a
plan."""

import json
import random
import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion import page
from companion.cli import list_
from companion.page import costs, sources, tables
from companion.site import footer
from grokbook.errors import ParameterError
from grokbook_chapters import training_page
from grokbook_chapters.causes import runs
from project_tree import ROOT

sys.path.insert(0, str(ROOT / ".ci" / "trust"))
import draws

CHAPTERS = [chapter for chapter in sources.load_all(ROOT) if chapter.parameters]


def planned(chapter, changed):
    """Whether values have a plan; any error but a refusal in a sentence fails the test that
    asks."""
    try:
        chapter.page("smoke", changed).experiments()
    except ParameterError:
        return False
    return True


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.number)
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_values_within_their_rules_have_a_plan_or_are_refused(chapter, seed):
    draw = random.Random(seed)
    plain = chapter.page("smoke").values
    names = draw.sample(chapter.parameters, min(3, len(chapter.parameters)))
    planned(chapter, {one.name: draws.value(one, plain, chapter, draw) for one in names})


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.number)
def test_the_ends_of_a_rule_are_within_it_and_have_a_plan_or_are_refused(chapter):
    plain = chapter.page("smoke").values
    for one in chapter.parameters:
        for end in draws.ends(one, plain):
            if end is not None:
                planned(chapter, {one.name: end})


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.number)
def test_the_example_of_a_chapter_is_legal_at_every_preset_and_a_command_that_is_refused_is_not_shown(
    chapter,
):
    if not chapter.example:
        pytest.skip("it has none")
    assert all(
        chapter.page(preset, chapter.example).experiments() is not None
        for preset in chapter.presets
    )


def test_an_example_that_the_page_s_own_values_refuse_is_left_out():
    chapter = sources.find(ROOT, "11")
    assert footer.example(chapter.page("smoke")).values["samples"] == chapter.example["samples"]
    few = chapter.page("smoke", {"p": 5, "samples": 15})
    assert footer.example(few) is None and footer.invitation(few).source.count("```text") == 1


@pytest.mark.parametrize(
    ("chapter", "changed"),
    [
        ("11", {"samples": 110}),
        ("19", {"arm": "foo"}),
        ("02", {"p": 9}),
        ("17", {"M": 12}),
        ("13", {"cells": 10**6}),
    ],
)
def test_a_page_refuses_in_its_first_cell_with_the_sentence_of_the_command(
    chapter, changed, monkeypatch
):
    """So do papermill and Jupyter, which know nothing of rules; nothing is shown before."""
    monkeypatch.setattr(page, "say", lambda text: pytest.fail("something was shown"))
    found = sources.find(ROOT, chapter)
    with pytest.raises(ParameterError) as by_command:
        found.page("laptop", changed).experiments()
    names = {one.name: one.default for one in found.parameters} | changed | {"other": 1}
    with pytest.raises(ParameterError) as by_page:
        page.begin(chapter, names)
    assert str(by_page.value) == str(by_command.value)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.number)
def test_a_chapter_asks_for_this_check(chapter):
    assert chapter.source.count(f'page.begin("{chapter.number}", globals())') == 1


def test_choices_are_listed_by_kind_and_what_is_none_of_them_is_refused_with_the_nearest(capsys):
    chapter = sources.find(ROOT, "19")
    names = [name for several in chapter.choices()["arm"].values() for name in several]
    assert len(names) == len(set(names)) and {"free", *names} == set(runs.arms("Q"))
    with pytest.raises(ParameterError) as refused:
        chapter.page("smoke", {"arm": "norm-at-0.8"}).experiments()
    nearest = "that `grokbook list 19` names; did you mean 'norm-at-0.85'?"
    message = f"arm = 'norm-at-0.8' is not one of the {len(names)} {nearest}"
    assert str(refused.value) == message
    list_("19")
    printed = " ".join(capsys.readouterr().out.split())
    assert "arm may be" in printed and all(name in printed for name in names)


def test_a_start_that_the_page_compares_with_or_does_not_know_is_refused():
    for start in ("normal", "nothing"):
        with pytest.raises(
            ParameterError, match=f"start = '{start}' is not one of toeplitz, positive"
        ):
            sources.find(ROOT, "09").page("smoke", {"start": start}).experiments()


def test_draws_are_legal_cheap_and_the_same_from_the_same_seed():
    first, again = (list(draws.draws(CHAPTERS[:6], 12, 3)) for _ in range(2))
    assert [one.changed for one in first] == [one.changed for one in again]
    assert len({one.chapter.name for one in first}) == 6
    for one in first:
        plain = costs.page_estimate(one.chapter.page("smoke"))
        assert one.changed and costs.page_estimate(one).seconds <= plain.seconds + 30


def test_what_a_page_that_trains_offers_is_what_its_script_offers():
    script = tables.script("training_page")
    (moduli,) = re.findall(r"PRIMES = \[([\d, ]+)\]", script)
    assert list(training_page.MODULI) == json.loads(f"[{moduli}]")
    for model, widths in training_page.WIDTHS.items():
        (listed,) = re.findall(rf"{model}: {{ p: PRIMES, width: \[([\d, ]+)\]", script)
        assert list(widths) == json.loads(f"[{listed}]")


@given(
    st.integers(2, 100),
    st.integers(1, 2_000),
    st.floats(0.001, 0.999),
)
def test_a_chapter_s_own_settings_lead_to_a_page_that_can_be_trained(p, width, share):
    offered = training_page.offered(p, width, share)
    config = training_page.configuration(training_page.settings("quadratic", **offered))
    assert 0 < config.n_train < config.task.sizes()[0]
    assert offered["p"] <= max(p, 5) and offered["width"] <= max(width, 16)
