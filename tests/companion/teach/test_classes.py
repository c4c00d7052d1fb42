"""A class: lists as programs save them, what is refused, a folder for every name."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.teach.classes import LONGEST, clean, folders, names_in
from grokbook.errors import ParameterError

PLAIN = ["Ada Lovelace", "Martin Luther King Jr.", "José", "O'Brien"]


def read(tmp_path, content):
    """The names of a list."""
    path = tmp_path / "names.csv"
    path.write_bytes(content)
    return names_in(path)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("header", ["name", "Name", " NAME "])
def test_a_list_is_read_as_any_program_saves_it(tmp_path, header, separator, encoding, ending):
    lines = [
        f"id{separator}{header}",
        *(f"{n}{separator}{name}" for n, name in enumerate(PLAIN)),
        "",
    ]
    assert read(tmp_path, ending.join(lines).encode(encoding)) == PLAIN
    assert read(tmp_path, ending.join([header, *PLAIN, "", ""]).encode(encoding)) == PLAIN


def test_a_comma_in_a_name_stays_under_a_single_column_and_in_quotes(tmp_path):
    assert read(tmp_path, b"name\nKing, Martin\n") == ["King, Martin"]
    assert read(tmp_path, b'name,mail\n"King, Martin",m@x\n') == ["King, Martin"]


@pytest.mark.parametrize("line", ["y,", "z,King, Martin", "v,Be\x07n", "w"])
def test_a_line_without_a_name_that_can_be_read_is_quoted(tmp_path, line):
    with pytest.raises(ParameterError, match="no name that can be read") as refused:
        read(tmp_path, f"mail,name\nx,Ada\n{line}\n".encode())
    assert repr(line)[1:-1] in str(refused.value)


@pytest.mark.parametrize("other", ["Zoë", unicodedata.normalize("NFD", "Zoë"), "ZOË"])
def test_two_students_of_one_name_are_to_be_told_apart(tmp_path, other):
    """Also in composed and decomposed letters, and where a disk does not tell capitals."""
    with pytest.raises(ParameterError, match="names twice, to be told apart: Zoë, "):
        read(tmp_path, "\n".join(["name", "Zoë", "Ben", other]).encode())


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"Ada\nBen\n", b"name\n", b"name\n\n", b"PK\0\1"]
)
def test_what_is_no_list_of_names_is_refused_in_one_sentence(tmp_path, content):
    with pytest.raises(ParameterError, match=r"names.csv (needs|has no name|cannot be read)"):
        read(tmp_path, content)


@given(
    st.lists(
        st.text(max_size=90).map(clean).filter(bool)
        | st.sampled_from(["con", "Nul.txt", "key.csv", "-x", ".."])
    )
)
def test_every_name_has_a_folder_of_its_own_that_every_tool_can_carry(names):
    found = folders(names)
    assert list(found) == list(dict.fromkeys(names))
    assert len({one.casefold() for one in found.values()}) == len(found)
    for one in found.values():
        assert one == one.strip(" .") and 0 < len(one.encode()) <= 255 and len(one) <= LONGEST + 5
        assert not set(one) & set('/\\:*?"<>|[]{}()+$^&#%~`!;=@,\0\n') and not one.startswith("-")
        assert one.partition(".")[0].casefold() not in {"con", "prn", "aux", "nul", "com1", "lpt9"}


def test_what_every_tool_can_carry_stays_as_it_is():
    assert folders(["Ada Lovelace", "O'Brien", "Åsa-Li", "王伟"]) == {
        n: n for n in ("Ada Lovelace", "O'Brien", "Åsa-Li", "王伟")
    }
