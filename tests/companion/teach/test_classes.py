"""A class: lists as programs save them, what is left out and told, a folder for every name."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.teach.classes import LONGEST, clean, folders, names_in
from grokbook.errors import ParameterError

PLAIN = ["Ada Lovelace", "Martin Luther King Jr.", "José", "O'Brien"]


def read(tmp_path, content):
    """The names of a list, and what was told of it."""
    path = tmp_path / "names.csv"
    told = []
    path.write_bytes(content)
    return names_in(path, told.append), told


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
    assert read(tmp_path, ending.join(lines).encode(encoding)) == (PLAIN, [])
    assert read(tmp_path, ending.join([header, *PLAIN, "", ""]).encode(encoding)) == (PLAIN, [])


def test_a_comma_in_a_name_stays_under_a_single_column_and_in_quotes(tmp_path):
    assert read(tmp_path, b'name\nKing, Martin\n"Lee, Ann"\n')[0] == ["King, Martin", "Lee, Ann"]
    assert read(tmp_path, b'name,mail\n"King, Martin",m@x\n')[0] == ["King, Martin"]


def test_one_bad_line_is_left_out_and_told_and_the_others_stay(tmp_path):
    names, told = read(tmp_path, b"mail,name\nx,Ada\ny,\nz,King, Martin\n,\nv,Be\x07n\nw,Eve\n")
    assert names == ["Ada", "Eve"]
    assert [re.search(r"line \d of .* has .*?[,(]", one)[0][-12:] for one in told]
    assert [int(re.search(r"line (\d)", one)[1]) for one in told] == [3, 4, 6]
    assert "a name with a comma needs quotes" in told[1]


def test_two_students_of_one_name_are_two_also_in_composed_and_decomposed_letters(tmp_path):
    twice = ["Zoë", unicodedata.normalize("NFD", "Zoë"), "ZOË"]
    names, told = read(tmp_path, "\n".join(["name", *twice]).encode())
    assert names == ["Zoë", "Zoë 2", "ZOË 3"] and len(told) == 2 and "becomes 'Zoë 2'" in told[0]


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"Ada\nBen\n", b"name\n", b"name\n\n", b"PK\0\1"]
)
def test_what_is_no_list_of_names_is_refused_in_one_sentence(tmp_path, content):
    with pytest.raises(ParameterError, match=r"names.csv (needs|has no name|is no text)"):
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
