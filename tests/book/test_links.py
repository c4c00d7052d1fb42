"""Links to sections: the anchors are those of the built pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grokbook.book.links import section_address
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
    ("place", "here", "address"),
    [
        ("03_a: A sum", "", "03_a.html#a-sum-taken-for-p2"),
        ("03_a: a sum", "03_a", "#a-sum-taken-for-p2"),
        ("03_a: The `med`", "", "03_a.html#the-med-of-x-closed"),
        ("04_b: A sum", "", None),
        ("03_a: Another", "", None),
        ("03_a: Title", "", None),
    ],
)
def test_an_address_is_relative_and_its_anchor_the_heading_in_small_letters(root, place, here, address):
    assert section_address(root, place, here) == address


@pytest.mark.skipif(not BUILT, reason="the site is not built: run `grokbook build`")
def test_the_sections_that_claims_name_are_on_the_built_pages():
    ids = {path.stem: set(re.findall(r'<section id="([^"]+)"', path.read_text(encoding="utf-8"))) for path in BUILT}
    missing = []
    for claim in claims():
        address = section_address(ROOT, claim.page) or ""
        name = claim.page.partition(": ")[0]
        missing += [claim.page] if name in ids and address.partition("#")[2] not in ids[name] else []
    assert missing == []
