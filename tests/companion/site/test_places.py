"""Ways into the ledger: every claim of the four papers by its place."""

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from companion.claims.ledger import FOUR, claims
from companion.page.places import index_html, places_of

NAMES = ["id", "paper", "place", "origin", "part_of"]
ROWS = pd.DataFrame(
    [{name: getattr(claim, name) for name in NAMES} | {"verdict": "holds"} for claim in claims()]
)


@pytest.fixture(scope="module")
def made():
    return BeautifulSoup(index_html(ROWS), "html.parser")


def led(fold):
    return {link["href"].removeprefix("#") for link in fold.select("a")}


def test_every_claim_of_the_four_papers_is_under_a_place_of_its_paper(made):
    folds = made.select("details")
    wanted = {claim.id for claim in claims() if claim.paper in FOUR and claim.origin == "paper"}
    assert set().union(*map(led, folds)) == wanted
    earlier = next(fold for fold in folds if fold.summary.text.startswith("Gu 2024"))
    assert "G27" in led(earlier), "what both papers say is found under either"


def test_a_paper_without_a_claim_has_no_list():
    row = {
        "id": "X1",
        "paper": "gu2025",
        "place": "Fig. 2",
        "origin": "paper",
        "part_of": "",
        "verdict": "fails",
    }
    shown = BeautifulSoup(index_html(pd.DataFrame([row])), "html.parser")
    assert [item.text for item in shown.select("li")] == ["Fig. 2: X1 fails"]


@pytest.mark.parametrize(
    ("place", "parts"),
    [
        ("Fig. 2 (Gu 2024, Fig. 6)", ["Fig. 2 (Gu 2024, Fig. 6)"]),
        ("table, q = 512, wd = 5e-5", ["table, q = 512, wd = 5e-5"]),
        ("section 3, Fig. 2 (a, b)", ["section 3", "Fig. 2 (a, b)"]),
        ("proof of Theorem C.8", ["proof of Theorem C.8"]),
    ],
)
def test_a_place_is_parted_where_another_begins(place, parts):
    assert [part for _, part in places_of("gu2025", place)] == parts
