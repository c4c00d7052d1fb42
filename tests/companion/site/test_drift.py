"""`grokbook drift`: identical builds differ in nothing; a number, a verdict, a row that moved is
named and counts."""

import copy
import json
import sys

import pytest

from companion import cli
from companion.checks import drift
from grokbook.errors import ParameterError

BOX = "- **Run** preset `{}`, device CPU, {} s in all\n- **Data** `gu2025/fig5[p=47]` (record `{}`), seeds 0: trained"
ROWS = {"G12": ("fails", "0.93 of 5 seeds"), "G18": ("holds", "exact")}


def table(rows):
    """A claims table as `page.table` writes one."""
    head = "".join(f"<th>{name}</th>" for name in ("id", "verdict", "evidence", "core minutes"))
    body = "".join(
        f"<tr><td>{i}</td><td>{v}</td><td>{e}</td><td>7</td></tr>" for i, (v, e) in rows.items()
    )
    return f"<table><caption>Claims.</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def output(kind, value, **metadata):
    return {"output_type": "display_data", "data": {kind: value}, "metadata": metadata}


def glued(name, value):
    return output("application/papermill.record/text/plain", repr(value), scrapbook={"name": name})


def write(
    folder,
    rows=ROWS,
    share=0.5,
    words="rises",
    value=0.93,
    preset="smoke",
    seconds=3,
    key="5caf7e1d06e8",
    svg="a",
):
    """The manifest of a build with one chapter that has each kind of output."""
    figure = {"name": "fig-a", "caption": "Accuracy.", "alt": "A curve."}
    ledger = [
        ["G12", rows.get("G12", ("",))[0], value, 0.9, 0.95],
        ["G18", "holds", None, None, None],
    ]
    outputs = [
        glued("share", share),
        glued("text", f"it {words} by 40%"),
        glued("n_seconds", seconds),
        glued("ledger", json.dumps(ledger)),
        output("text/html", table(rows)),
        output("image/svg+xml", f"<svg>{svg}</svg>", grokbook=figure),
        output("text/html", "<div></div>", grokbook=figure | {"name": "fig-live"}),
        output("text/markdown", f"> **Time** {seconds} s."),
    ]
    box = {
        "cell_type": "markdown",
        "metadata": {"tags": ["provenance"]},
        "source": BOX.format(preset, seconds, key),
    }
    cells = [{"cell_type": "code", "metadata": {}, "source": "", "outputs": outputs}, box]
    page = drift.content({"cells": cells})
    content = {"format": 2, "chapters": {"01_a": page}, "verdicts": None, "records": None}
    folder.mkdir()
    (folder / "drift.json").write_text(json.dumps(content))
    return folder


@pytest.fixture
def grokbook(monkeypatch, capsys):
    """Run `grokbook drift` with these arguments: exit code, printed text."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["grokbook", "drift", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            cli.main()
        said = capsys.readouterr()
        return done.value.code or 0, said.out + said.err

    return run


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"seconds": 9}, 0, "1 chapter compared: no drift.\n"),
        ({"share": 0.51}, 1, "01_a: moved  glue share: 0.5 -> 0.51"),
        ({"share": 0.5 + 1e-9}, 0, "no drift"),
        ({"words": "falls"}, 0, "text   glue text: it rises by 40% -> it falls by 40%"),
        ({"svg": "b"}, 0, "drawn  drawing of fig-a"),
        (
            {"rows": ROWS | {"G18": ("fails", "exact")}},
            0,
            "text   table 1, G18, 1: id G18, verdict holds, evidence exact -> id G18, verdict fails",
        ),
        (
            {"rows": {"G12": ROWS["G12"]}},
            1,
            "gone   table 1, G18, 1: id G18, verdict holds, evidence exact -> (absent)",
        ),
        ({"rows": ROWS | {"G19": ("holds", "so")}}, 0, "compared: 1 new."),
        ({"value": 0.94}, 0, "within value of G12: 0.93 -> 0.94"),
        ({"value": 0.96}, 1, "moved  value of G12: 0.93 -> 0.96"),
        (
            {"rows": ROWS | {"G18": ("holds", "-1")}},
            1,
            "moved  table 1, G18, 1: id G18, verdict holds, evidence exact -> id G18, verdict holds, evidence -1",
        ),
        ({"key": "000000000000"}, 1, "gone   record 5caf7e1d06e8"),
    ],
)
def test_what_moved_is_named_and_counts_beyond_its_band(tmp_path, grokbook, change, code, said):
    old = write(tmp_path / "old")
    new = write(tmp_path / "new", **change)
    found = grokbook(old, new)
    assert found[0] == code and said in found[1]


def test_verdicts_and_records_count_where_both_builds_know_of_them():
    page = {"preset": "smoke", "items": {}, "bands": {}, "seeds": {}}
    old = {
        "chapters": {"01": page},
        "verdicts": {"G1": "holds"},
        "records": {"a": {"seeds": [0], "sha256": "f"}},
    }
    for new, kinds in [
        (old, []),
        (old | {"verdicts": None, "records": None}, []),
        (old | {"verdicts": {"G1": "fails"}}, ["moved"]),
        (old | {"records": {}}, ["gone"]),
        (old | {"records": {"a": {"seeds": [0, 1], "sha256": "e"}}}, ["new"]),
        (old | {"records": {"a": {"seeds": [0], "sha256": "e"}}}, ["moved"]),
        (old | {"chapters": {"01": page, "02": page}}, ["new"]),
    ]:
        found = drift.compare(old, copy.deepcopy(new))
        assert [d.kind for d in found] == kinds
        assert any(d.counts for d in found) == bool({"moved", "gone"} & set(kinds))


@pytest.mark.parametrize(
    ("old", "new", "beyond", "spread"),
    [
        ([10.0, [9, 10, 12]], [14.0, [14]], True, 3),
        ([10.0, [9, 10, 12]], [11.0, [5, 11, 20]], False, 15),
        ([10.0, [10]], [11.0, [11]], None, None),
        ([10.0, [9, 10, None]], [14.0, [14, 15]], None, None),
        (None, [14.0, [14, 15]], None, None),
    ],
)
def test_a_number_is_held_against_the_spread_of_its_seeds(old, new, beyond, spread):
    pages = [
        {
            "preset": "smoke",
            "items": {"glue n": str(one)},
            "bands": {},
            "seeds": {"glue n": one} if one else {},
        }
        for one in (old, new)
    ]
    (found,) = drift.compare(*({"chapters": {"01": page}} for page in pages))
    assert (found.beyond, found.spread) == (beyond, spread)


def test_a_built_site_holds_the_manifest_of_its_pages(built):
    of_site = drift.read(built / "site")
    assert of_site == drift.read(built / "site" / "drift.json")
    assert of_site == drift.read(built)
    assert not drift.compare(of_site, drift.manifest(built, ["01_tiny"]))
    items = of_site["chapters"]["01_tiny"]["items"]
    assert items["glue modulus"] == 59 and items["table 1, 2, 1"] == "n 2, square –"


@pytest.mark.parametrize(
    "content",
    [b"", b'{"format": 2, "chap', b"[]", b"{}", b'{"format": 1, "chapters": {}}', b"\xff\xfe"],
)
def test_what_is_broken_is_refused_in_one_sentence(tmp_path, grokbook, content):
    build = write(tmp_path / "build")
    (build / "drift.json").write_bytes(content)
    code, said = grokbook(build, build)
    assert said.startswith(f"grokbook: {build / 'drift.json'} ")
    assert code == 2 and said.count("\n") == 1


def test_what_cannot_be_compared_is_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"holds no drift\.json"):
        drift.read(tmp_path)
    with pytest.raises(ParameterError, match="no chapter at the same preset"):
        drift.compare(
            drift.read(write(tmp_path / "a")), drift.read(write(tmp_path / "b", preset="laptop"))
        )
