"""Claims as lines and on data sheets: anchors, filters, evidence, and the files to download."""

import io
import json
import re
from base64 import b64decode
from dataclasses import replace

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from companion.claims import as_table, carrying, choose, export, outcomes
from companion.claims.verdicts import settled
from companion.page import cards

COUNTED, *OTHERS = choose(["G36", "P02", "G18"])
INFORMAL = replace(
    COUNTED, id="X1", check=None, says="", shown_by="", reason="A definition is no claim."
)
ROWS = as_table(outcomes([COUNTED, INFORMAL, *OTHERS]))
DOCUMENT = export.document([COUNTED, *OTHERS], outcomes([COUNTED, *OTHERS]))


def soup(made):
    return BeautifulSoup(made, "html.parser")


@pytest.fixture(scope="module")
def ledger():
    return soup(cards.ledger_html(ROWS))


def test_each_line_has_an_anchor_leads_to_a_data_sheet_and_has_what_the_filters_ask_for(ledger):
    found = ledger.select(".gb-claim")
    assert [line["id"] for line in found] == ROWS.id.tolist()
    chapters = ROWS.page.str.partition(":")[0]
    assert [line.a["href"] for line in found] == [
        f"../data/{chapter}.html#{name}" for chapter, name in zip(chapters, ROWS.id, strict=True)
    ]
    assert [line["data-words"] for line in found] == (
        ROWS.place + " " + ROWS.statement
    ).str.lower().tolist()
    for asked in json.loads(ledger.div["data-filters"]):
        known = [value for value, _ in asked["values"]]
        assert {line[f"data-{asked['name']}"] for line in found} == set(known)
        assert len(known) == len(set(known))


def test_a_line_has_the_number_and_the_first_words(ledger):
    for line, row in zip(ledger.select(".gb-claim"), ROWS.to_dict("records"), strict=True):
        missing = row["value"] is None or row["value"] != row["value"]
        assert (line.select_one(".gb-value").text == "") == missing
        begun = line.select_one(".gb-statement").text
        assert len(begun) <= cards.LINE
        assert begun.split()[:4] == row["statement"].split()[:4]


def test_an_entry_of_a_data_sheet_has_all_that_its_verdict_rests_on():
    made = soup(cards.sheet_html(DOCUMENT["claims"], "Some."))
    for entry, about in zip(made.select(".gb-claim"), DOCUMENT["claims"], strict=True):
        said = {dt.text: dt.find_next("dd").text for dt in entry.select("dt")}
        assert entry["id"] == about["id"]
        assert entry.select_one(".gb-verdict").text == about["verdict"]
        assert said["Again"] == about["command"]
        assert about["computed"] and not said["Found"].startswith("The settled")
        assert "" not in said.values()


def test_a_check_that_was_not_run_says_so_on_the_sheet():
    (claim,) = export.document(choose(["G36"]))["claims"]
    made = soup(cards.sheet_html([claim], "One."))
    assert "The settled verdict; the check was not run here." in made.text


def test_the_counts_of_a_paper_are_of_the_claims_that_carry_it():
    said = soup(cards.verdict_bars(["gu2025"])).p
    its_own = [claim.id for claim in carrying(choose(paper="gu2025"))]
    total, *counts = (int(n) for n in re.findall(r"(\d+) [a-z]", said.text.partition(",")[2]))
    assert total == sum(counts) == len(its_own) < len(choose(paper="gu2025"))
    assert f"{[settled()[name] for name in its_own].count('fails')} fails" in said.text
    assert said.a["href"] == "#paper=gu2025"


def test_the_evidence_of_runs_says_how_many():
    about = DOCUMENT["claims"][0] | {"shown_by": "runs", "computed": True}
    said = [cards.sheet_html([about | {"runs": n}], "One.") for n in (0, 12)]
    assert "runs: not made yet" in said[0] and "runs: 12" in said[1]


def files(ledger):
    links = ledger.select("a[download]")
    return {a["download"]: b64decode(a["href"].partition("base64,")[2]).decode() for a in links}


def test_the_table_to_download_has_every_claim(ledger):
    (text,) = files(ledger).values()
    table = pd.read_csv(io.StringIO(text))
    assert (
        table.id.tolist() == ROWS.id.tolist() and table.evidence.tolist() == ROWS.evidence.tolist()
    )
    assert table.anchor.iloc[0].endswith("18_reproduction_report.html#G36")
