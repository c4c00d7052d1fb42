"""Within a build a check runs once, and every page that prints it names the data it was made
from."""

import pytest

from companion.claims import shared


@pytest.fixture(autouse=True)
def used(tmp_path, monkeypatch):
    """What a page of a build was given so far."""
    monkeypatch.setenv(shared.FINDINGS, str(tmp_path / "findings"))
    monkeypatch.setattr(shared, "USED", [])
    return shared.USED


def test_a_second_page_is_given_what_the_first_computed_with_its_data(used):
    row = {"experiment": "made/up"}
    assert shared.once_a_build("G1", lambda: used.append(row) or {"value": 0.1 + 0.2}) == {
        "value": 0.1 + 0.2
    }
    assert used == [row]
    used.clear()  # another page
    assert shared.once_a_build("G1", lambda: pytest.fail("computed twice")) == {"value": 0.1 + 0.2}
    assert used == [row]


@pytest.mark.parametrize("content", [b"", b"no pickle", b"\x80\x05N"])
def test_a_broken_file_is_computed_again(tmp_path, content):
    shared.once_a_build("G1", lambda: "right")
    (tmp_path / "findings" / "G1.pickle").write_bytes(content)
    assert shared.once_a_build("G1", lambda: "right") == "right"


def test_what_no_file_can_hold_and_an_error_are_not_kept():
    held = lambda: None  # noqa: E731
    assert shared.once_a_build("G1", lambda: held) is held
    with pytest.raises(ZeroDivisionError):
        shared.once_a_build("G2", lambda: 1 / 0)
    assert shared.once_a_build("G2", lambda: 2) == 2
