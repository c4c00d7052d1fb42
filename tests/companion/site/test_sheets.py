"""Data sheets: each claim stands on one, with the parameters of the chapter and how its page was
made."""

import json

from bs4 import BeautifulSoup

from companion.claims import choose, export
from companion.page import sources
from companion.site import sheets
from project_tree import ROOT

CHAPTER = sources.find(ROOT, "04c")
MADE = {"cells": [{"id": "provenance", "cell_type": "markdown", "source": "made by hand"}]}


def test_every_claim_and_every_former_id_has_the_sheet_of_a_chapter_that_there_is():
    pages = sheets.of_claims()
    names = {f"data/{chapter.name}" for chapter in sources.load_all(ROOT)}
    assert set(pages.values()) <= names
    assert set(pages) == {name for claim in choose() for name in (claim.id, *claim.also)}


def test_a_sheet_has_its_claims_by_kind_its_parameters_and_how_the_page_was_made():
    claims = [
        claim
        for claim in sheets.document(None)["claims"]
        if claim["chapter"] == CHAPTER.name and claim["id"] in ("GF04", "P05", "G6.1")
    ]
    misprint = {**claims[0], "id": "X1", "part_of": "EG"}
    text = sheets.sheet(CHAPTER, [*claims, misprint], MADE)
    before, after = text.split("## Misprints and textbook facts")
    ids = [entry["id"] for entry in BeautifulSoup(before, "html.parser").select(".gb-claim")]
    assert sorted(ids) == ["G6.1", "GF04", "P05"]
    assert [e["id"] for e in BeautifulSoup(after, "html.parser").select(".gb-claim")] == ["X1"]
    for parameter in CHAPTER.parameters:
        row = next(line for line in after.splitlines() if line.startswith(f"| `{parameter.name}`"))
        for preset in CHAPTER.presets:
            assert f"`{CHAPTER.page(preset).values[parameter.name]!r}`" in row
    assert after.rstrip().endswith("made by hand")


def test_what_the_page_of_all_claims_computed_stands_on_the_sheets():
    (known,) = export.document(choose(["G36"]))["claims"]
    seen = {"claims": [{**known, "computed": True, "evidence": "counted"}]}
    output = {"metadata": {"grokbook_file": {"name": export.NAME, "content": seen}}}
    page = {"cells": [{"outputs": [output]}]}
    before = json.dumps(page)
    by_id = {claim["id"]: claim for claim in sheets.document(page)["claims"]}
    assert by_id["G36"]["evidence"] == "counted" and not by_id["GF04"]["computed"]
    assert json.dumps(page) == before, "the page keeps its file for the site"
