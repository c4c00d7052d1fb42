"""Within a build a check runs once, and every page that prints it names the data it was made from."""

import json

import pytest

from grokbook.claims import shared


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Begin another page of one build; gives the file in which it notes its data."""
    monkeypatch.setenv(shared.FINDINGS, str(tmp_path / "findings"))

    def begin(number):
        trace = tmp_path / f"{number}.jsonl"
        monkeypatch.setenv("GROKBOOK_TRACE", str(trace))
        return trace

    return begin


def test_a_second_page_is_given_what_the_first_computed_with_its_data(page):
    def check():
        shared.tell(json.dumps({"experiment": "made/up"}) + "\n")
        return {"value": 0.1 + 0.2}

    first = page(1)
    assert shared.once_a_build("G1", check) == {"value": 0.1 + 0.2}
    second = page(2)
    assert shared.once_a_build("G1", lambda: pytest.fail("computed twice")) == {"value": 0.1 + 0.2}
    assert first.read_text() == second.read_text() == '{"experiment": "made/up"}\n'


@pytest.mark.parametrize("content", [b"", b"no pickle", b"\x80\x05N"])
def test_a_broken_file_is_computed_again(page, tmp_path, content):
    page(1)
    shared.once_a_build("G1", lambda: "right")
    (tmp_path / "findings" / "G1.pickle").write_bytes(content)
    assert shared.once_a_build("G1", lambda: "right") == "right"


def test_what_no_file_can_hold_and_an_error_are_not_kept(page):
    page(1)
    assert shared.once_a_build("G1", lambda: page) is page
    with pytest.raises(ZeroDivisionError):
        shared.once_a_build("G2", lambda: 1 / 0)
    assert shared.once_a_build("G2", lambda: 2) == 2
