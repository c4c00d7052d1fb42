"""Links to sections: the anchors are those of the built pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grokbook.book.links import anchor, section_address
from grokbook.claims.ledger import claims

ROOT = Path(__file__).resolve().parents[2]
BUILT = sorted((ROOT / "site" / "chapters").glob("[0-9]*.html"))

SOURCE = "# Title\n\n## A sum taken for p²\n\n### The `med` of {math}`x`, closed\n"


@pytest.fixture
def root(tmp_path):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "03_a.md").write_text(SOURCE)
    return tmp_path


@pytest.mark.parametrize(
    ("heading", "fragment"),
    [
        ("What the papers say, and what we found", "what-the-papers-say-and-what-we-found"),
        ("A sum that was taken for p²", "a-sum-that-was-taken-for-p2"),
        ("The `med` of a line", "the-med-of-a-line"),
    ],
)
def test_an_anchor_is_the_heading_in_small_letters_and_hyphens(heading, fragment):
    assert anchor(heading) == fragment


def test_an_address_is_relative_to_the_page_it_stands_in(root):
    assert section_address(root, "03_a: A sum") == "03_a.html#a-sum-taken-for-p2"
    assert section_address(root, "03_a: a sum", here="03_a") == "#a-sum-taken-for-p2"


@pytest.mark.parametrize("place", ["04_b: A sum", "03_a: Another", "03_a: Title"])
def test_what_is_not_there_has_no_address(root, place):
    assert section_address(root, place) is None


@pytest.mark.skipif(not BUILT, reason="the site is not built: run `grokbook build`")
def test_the_sections_that_claims_name_are_on_the_built_pages():
    ids = {path.stem: set(re.findall(r'<section id="([^"]+)"', path.read_text(encoding="utf-8"))) for path in BUILT}
    missing = []
    for claim in claims():
        address = section_address(ROOT, claim.page) or ""
        name = claim.page.partition(": ")[0]
        missing += [claim.page] if name in ids and address.partition("#")[2] not in ids[name] else []
    assert missing == []
