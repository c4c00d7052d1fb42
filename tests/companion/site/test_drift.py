"""`grokbook drift`: identical builds differ in nothing; a number, a verdict, a row that moved is
named and counts."""

import copy
import json
import shutil
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    """A build with one chapter that has each kind of output."""
    figure = {"name": "fig-a", "caption": f"Accuracy {words}.", "alt": "A curve."}
    ledger = [
        ["G12", rows.get("G12", ("",))[0], value, 0.9, 0.95],
        ["G18", "holds", None, None, None],
    ]
    outputs = [
        glued("share", share),
        glued("text", f"it {words} by 40% in {seconds} s"),
        glued("n_seconds", seconds),
        glued("ledger", json.dumps(ledger)),
        output("text/html", table(rows)),
        output("image/svg+xml", f"<svg>{svg}</svg>", grokbook=figure),
        output("text/html", "<div></div>", grokbook=figure | {"name": "fig-live"}),
        output("text/markdown", f"> **Time** in 2026-11-{seconds:02d}, commit `24595589a5`."),
    ]
    box = {
        "cell_type": "markdown",
        "metadata": {"tags": ["provenance"]},
        "source": BOX.format(preset, seconds, key),
    }
    (folder / "book" / "chapters").mkdir(parents=True)
    cells = [{"cell_type": "code", "metadata": {}, "source": "", "outputs": outputs}, box]
    (folder / "book" / "chapters" / "01_a.ipynb").write_text(
        json.dumps({"cells": cells, "metadata": {}})
    )
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
        ({"seconds": 9}, 0, "no drift: 1 chapter compared.\n"),
        ({"share": 0.51}, 1, "moved   glue share: 0.5 -> 0.51"),
        ({"share": 0.5 + 1e-9}, 0, "no drift"),
        ({"words": "falls"}, 0, "text    caption of fig-a: Accuracy rises. -> Accuracy falls."),
        ({"svg": "b"}, 0, "text    drawing of fig-a"),
        (
            {"rows": ROWS | {"G18": ("fails", "exact")}},
            0,
            "text    table 1, G18, 1: id G18, verdict holds, evidence exact -> id G18, verdict fails",
        ),
        (
            {"rows": {"G12": ROWS["G12"]}},
            1,
            "gone    table 1, G18, 1: id G18, verdict holds, evidence exact -> (absent)",
        ),
        ({"rows": ROWS | {"G19": ("holds", "so")}}, 0, "new     1 item"),
        (
            {"value": 0.94},
            0,
            "within  value of G12: 0.93 -> 0.94",
        ),
        ({"value": 0.96}, 1, "moved   value of G12: 0.93 -> 0.96"),
        (
            {"rows": ROWS | {"G18": ("holds", "-1")}},
            1,
            "moved   table 1, G18, 1: ...ict holds, evidence exact -> ...ict holds, evidence -1",
        ),
        ({"key": "000000000000"}, 1, "gone    record 5caf7e1d06e8"),
    ],
)
def test_what_moved_is_named_and_counts_beyond_its_band(tmp_path, grokbook, change, code, said):
    old = write(tmp_path / "old")
    new = write(tmp_path / "new", **change)
    found = grokbook(old, new)
    assert found[0] == code and said in found[1]


def test_verdicts_and_records_count_where_both_builds_know_of_them():
    page = {"preset": "smoke", "items": {}, "bands": {}}
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
        (old | {"records": {"a": {"seeds": [0, 1], "sha256": "e"}}}, ["text"]),
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
    assert not drift.compare(of_site, drift.read(built)) and not drift.compare(
        drift.read(built), of_site
    )
    items = of_site["chapters"]["01_tiny"]["items"]
    assert (
        items["glue modulus"] == 59
        and items["table 1, 2, 1"] == "n 2, square –"
        and items["figures"] == 1
    )


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        (
            "drift.json",
            [
                b"",
                b'{"format": 1, "chap',
                b"[]",
                b"{}",
                b'{"format": 2, "chapters": {}}',
                b"\xff\xfe",
                b"[" * 200_000,
            ],
        ),
        ("book/chapters/02_b.ipynb", [b"", b"[1]", b'{"cells": [', b'{"cells": [{}]}']),
    ],
)
def test_what_is_broken_is_refused_in_one_sentence(tmp_path, grokbook, name, contents):
    build = write(tmp_path / "build")
    for content in contents:
        (build / name).write_bytes(content)
        code, said = grokbook(build, build)
        assert code == 2 and said.startswith(f"grokbook: {build / name} ") and said.count("\n") == 1


def test_what_cannot_be_compared_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="holds no executed chapters"):
        drift.read(tmp_path)
    with pytest.raises(ParameterError, match="no chapter at the same preset"):
        drift.compare(
            drift.read(write(tmp_path / "a")), drift.read(write(tmp_path / "b", preset="laptop"))
        )


VALUES = (
    st.none() | st.booleans() | st.integers(-(10**400), 10**400) | st.floats() | st.text(max_size=6)
)
VALUES |= st.sampled_from(["\x1b[2J", "\ud800", "1e999", "9" * 400, "1." * 50 + " s"])
ANYTHING = st.recursive(
    VALUES, lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=6), part)
)


def places(value, at=()):
    """The ways to every part of a plain value."""
    yield at
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, part in inner:
        yield from places(part, (*at, key))


def with_part(value, at, part):
    """A plain value with another part at a place."""
    if not at:
        return part
    made = copy.copy(value)
    made[at[0]] = with_part(value[at[0]], at[1:], part)
    return made


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The manifest of a build, with records, verdicts and seeds."""
    folder = write(tmp_path_factory.mktemp("whole"))
    made = json.loads(json.dumps(drift.read(folder)))
    made["chapters"]["01_a"]["seeds"] = {"glue share": [0.5, [0.4, None, 0.6]]}
    return made | {"verdicts": {"G1": "holds"}, "records": {"a": {"seeds": [0], "sha256": "f"}}}


@given(st.data())
@settings(max_examples=300)
def test_a_manifest_that_somebody_else_wrote_is_compared_or_refused_in_words_that_a_terminal_can_show(
    whole, tmp_path_factory, data
):
    """Any part of it is anything."""
    changed = whole
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.sampled_from(list(places(changed))))
        changed = with_part(changed, at, data.draw(ANYTHING))
    file = tmp_path_factory.getbasetemp() / "drift.json"
    file.write_text(json.dumps(changed))
    try:
        old = drift.read(file)
        new = drift._checked(whole, file)
        for pair in ((old, new), (new, old)):
            assert "".join(drift.lines(drift.compare(*pair), 1)).isprintable()
    except ParameterError as error:
        assert str(error).isprintable()


@given(st.data())
@settings(max_examples=100)
def test_a_notebook_that_somebody_else_made_is_read_or_refused_in_a_sentence(
    tmp_path_factory, data
):
    build = tmp_path_factory.getbasetemp() / "notebooks"
    shutil.rmtree(build, ignore_errors=True)
    (file,) = (write(build) / "book" / "chapters").iterdir()
    notebook = json.loads(file.read_text())
    at = data.draw(st.sampled_from(list(places(notebook))))
    file.write_text(json.dumps(with_part(notebook, at, data.draw(ANYTHING))))
    try:
        assert "".join(
            drift.lines(drift.compare(drift.read(build), drift.read(build)), 1)
        ).isprintable()
    except ParameterError as error:
        assert "\n" not in str(error)
