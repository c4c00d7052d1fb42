"""Addresses that somebody else wrote: what stands after `#` opens what it names, or nothing, and
raises nothing."""

import pytest

from companion.page import tables
from project_tree import ROOT
from visited import served

pytestmark = pytest.mark.browser
STATIC = ROOT / "book" / "_static" / "grokbook.js"
PAGE = """<!DOCTYPE html><html lang="en"><head><title>A page</title><script src="grokbook.js"></script></head><body>
<article><div id="100%">at its name</div><div id="a b">a blank</div>
<div class="gb-ledger" data-filters="[]">
<div class="gb-claim" id="G1">G1</div>
</div></article><script src="ledger.js"></script>
<script>GrokbookLedger.mount(document.querySelector(".gb-ledger"))</script></body></html>"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The address of a page with the scripts of every page and of the ledger."""
    folder = tmp_path_factory.mktemp("addresses")
    (folder / "index.html").write_text(PAGE)
    (folder / "grokbook.js").write_text(STATIC.read_text(encoding="utf-8"))
    (folder / "ledger.js").write_text(tables.script("ledger"))
    with served(folder) as address:
        yield address


HASHES = [
    "#100%",
    "#%",
    "#%E0%A4%A",
    "#a%20b",
    "#G1",
    "#constructor",
    "#verdict=%&words=%E0",
    "#=",
    "#",
]
HASHES += ["#" + "%" * 10_000]


@pytest.mark.parametrize("hash", HASHES, ids=[hash[:12] for hash in HASHES])
def test_no_address_raises_an_error(open_page, place, hash):
    page = open_page(place + hash)
    page.evaluate("hash => { location.hash = '#x'; location.hash = hash; }", hash)
    page.wait_for_timeout(200)
    assert page.seen["errors"] == []
