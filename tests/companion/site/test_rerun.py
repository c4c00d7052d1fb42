"""`grokbook run`: the page opens with what differs from the default."""

import json
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import Mock

import nbformat
import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from companion.checks import drift
from companion.page import sources, when
from companion.page.costs import Estimate
from companion.site import beside, execute, rerun, standalone
from grokbook.errors import ChapterError, ParameterError
from small_project import CHAPTER

FIGURE = {"name": "fig-more", "caption": "More of it.", "alt": "A curve."}
PROSE = "- A **delay** is {glue:text}`delay`, of $p$ = {glue:text}`modulus`; {glue:text}`share:.1f` is one.\n"
PROSE += "\n{glue:text}`story` That is all.\n"
SOURCE = CHAPTER.replace("## One section\n", f"## One section\n\n{PROSE}")


# ------------------------------------------------------------------------------------- what differs


def glued(name, shown, **about):
    data = {"application/papermill.record/text/plain": repr(shown)}
    return new_output("display_data", data=data, metadata={"scrapbook": {"name": name, **about}})


def executed(
    p=23,
    delay=100.0,
    seeds=(90.0, 110.0),
    drawing="a",
    ledger=("holds", 0.5, 0.4, 0.6),
    words="It rises.",
):
    """An executed chapter with each kind of output."""
    caption = f"Squares, {p}, no seed."
    figures = [
        {"name": name, "caption": caption, "alt": "A curve."} for name in ("fig-tiny", "fig-same")
    ]
    outputs = [
        *(
            glued("modulus", p),
            glued("share", p / 7),
            glued("ledger", json.dumps([["G1", *ledger]])),
        ),
        glued("delay", f"{delay:.0f} steps", value=delay, seeds=list(seeds)),
        glued("story", f"{words} At {p} it is as long as a sentence is."),
        new_output(
            "display_data",
            data={"image/svg+xml": f"<svg>{drawing}</svg>"},
            metadata={"grokbook": figures[0]},
        ),
        new_output(
            "display_data", data={"image/png": "iVBORw0="}, metadata={"grokbook": figures[1]}
        ),
    ]
    box = new_markdown_cell("- **Run** preset `smoke`, device", metadata={"tags": ["provenance"]})
    return new_notebook(
        cells=[
            new_markdown_cell("# A tiny chapter\n\nIt cites."),
            new_code_cell(outputs=outputs),
            box,
        ]
    )


@pytest.fixture
def tiny(project):
    path = project / "notebooks" / "01_tiny.md"
    path.write_text(SOURCE)
    return sources.load(path)


def opening(tiny, default, mine, values=(("p", 29),)):
    made = beside.opened(mine, default, tiny.page("smoke", dict(values)), "the book's page")
    texts = [cell.source for cell in made.cells if cell.cell_type == "markdown"]
    end = texts.index("## The page with your parameters")
    assert texts[0].strip() == "# A tiny chapter" and texts[end + 1].strip() == "It cites."
    return "\n".join(texts[1:end]), made


def test_the_page_opens_with_parameters_numbers_against_their_seeds_and_figures_in_pairs(tiny):
    default = executed()
    mine = executed(29, 140.0, (130.0, 145.0), "b", ("fails", 0.7, 0.6, 0.8), "It falls.")
    before = json.dumps(mine)
    said, made = opening(tiny, default, mine)
    for part in (
        "- **Changed:** `p` (prime modulus): 23 → 29.\n",
        "- **Moved:** 3 numbers in the prose, 1 by more than the spread over seeds,"
        " 2 whose spread is not known; 1 figure;"
        " G1 holds → **fails**; value of G1 0.5 → 0.7, out of its band.\n",
        "- **Not moved:** 1 figure.\n",
        "This is held beside the book's page;",
        "grokbook run 01 --preset smoke -p p=29",
        "{numref}`fig-tiny`, default and yours. Squares, 29, no seed.",
    ):
        assert part in said
    (pair,) = [
        o.data["text/html"]
        for c in made.cells[:-3]
        for o in c.get("outputs", [])
        if "text/html" in o.data
    ]
    images = BeautifulSoup(pair, "html.parser").select(".gb-pair figure img")
    assert [image["alt"] for image in images] == ["default: A curve.", "yours: A curve."]
    assert json.dumps(mine) == before and nbformat.validate(made) is None


@pytest.mark.parametrize(
    ("mine", "said"),
    [
        (executed(), "- **Moved:** nothing that the page shows.\n"),
        (executed(), "- **Not moved:** 4 numbers, 2 figures, 1 verdict.\n"),
        (executed(delay=115.0), "- **Moved:** 1 number in the prose, 0 by more than the spread"),
        (executed(delay=115.0), "by more than the spread over seeds.\n"),
        (
            executed(delay=115.0, seeds=[115.0, None]),
            "1 number in the prose, whose spread over seeds is not known.\n",
        ),
        (executed(ledger=("holds", 0.55, 0.4, 0.6)), "- **Moved:** value of G1 0.5 → 0.55.\n"),
    ],
)
def test_what_is_said_follows_what_came_out(tiny, mine, said):
    assert said in opening(tiny, executed(), mine)[0]


def test_a_figure_that_is_no_picture_is_told_of_too(tiny):
    """A diagram whose cells open is HTML: that it changed is said, though no pair of pictures can
    show it."""

    def page(diagram):
        made = executed()
        about = {"grokbook": {"name": "fig-opened", "caption": "Cells.", "alt": "Cells."}}
        shown = new_output("display_data", data={"text/html": diagram}, metadata=about)
        made.cells[1].outputs.append(shown)
        return made

    said, _ = opening(tiny, page("<b>4 runs</b>"), page("<b>6 runs</b>"))
    assert "- **Moved:** 1 figure.\n" in said
    assert "Moved, and to be seen on the page alone: {numref}`fig-opened`." in said
    assert "gb-pair" not in said
    unchanged, _ = opening(tiny, page("<b>4 runs</b>"), page("<b>4 runs</b>"))
    assert "nothing that the page shows" in unchanged and "alone" not in unchanged


def test_rows_of_tables_that_differ_are_counted_and_numbers_are_marked_in_the_prose(tiny):
    def page(shift):
        made = executed(delay=100.0 + 40 * shift)
        made.cells.append(new_markdown_cell("## {glue:text}`delay`\n\nOf {glue:text}`delay`."))
        head = "<thead><tr><th>n</th><th>value</th></tr></thead>"
        table = f"<table>{head}<tbody><tr><td>a</td><td>{shift}</td></tr></tbody></table>"
        made.cells[1].outputs.append(new_output("display_data", data={"text/html": table}))
        return made

    said, made = opening(tiny, page(0), page(1))
    assert "; 1 table row" in said
    heading, _, sentence = made.cells[-1].source.split("\n")
    was = "[(default 100 steps, beyond the spread)]{.gb-was}"
    assert heading == "## {glue:text}`delay`", "an address is made of it"
    assert sentence == f"Of [{{glue:text}}`delay`]{{.gb-moved}} {was}."


def test_what_the_page_does_not_print_is_not_told_and_no_raw_name_is(tiny):
    default = executed()
    mine = executed()
    for made, value in ((default, 3.04), (mine, 3.01)):
        made.cells[1].outputs += [
            glued("hidden_name", value),
            glued("printed_alike", value),
            glued("when-late", None),
        ]
        made.cells[1].outputs[-1].data["application/papermill.record/text/plain"] = repr(
            when.glued(value > 3.02, "")
        )
    more = "\n\nIt is {glue:text}`printed_alike:.1f`. {when}`not late; Never.` {when}`late; The rise comes late.`\n"
    said, made = opening(replace(tiny, source=tiny.source + more), default, mine)
    assert "nothing that the page shows" in said and "hidden_name" not in said
    assert "Conditions of its sentences that no longer hold: 1, marked there." in said


@pytest.mark.parametrize(
    "guarded", ["{when}``late; At {glue:text}`n`.``", ":::{when} late\nAt {glue:text}`n`.\n:::"]
)
@pytest.mark.parametrize("truth", [True, False, None])
def test_a_number_of_a_sentence_that_does_not_stand_on_the_page_has_not_moved(tiny, guarded, truth):
    """A step that no run reached stands in no sentence of the page, though the cells publish it."""
    default = executed()
    mine = executed()
    for made, value in ((default, 3), (mine, 4)):
        made.cells[1].outputs += [glued("n", value), glued("when-late", when.glued(truth, ""))]
    said, _ = opening(replace(tiny, source=f"{tiny.source}\n\n{guarded}\n"), default, mine)
    assert ("- **Moved:** 1 number in the prose" in said) is (truth is True)
    assert ("nothing that the page shows" in said) is (truth is not True)


@given(st.randoms(use_true_random=False))
def test_an_output_is_the_same_in_any_order_and_from_disk(random):
    """One page comes from a kernel, the other from a file whose keys are sorted."""
    made = executed()
    bundle = {
        "text/plain": "[figure]",
        "image/svg+xml": "<svg>\n</svg>",
        "application/json": {"b": 1, "a": 2},
    }
    made.cells[1].outputs.append(
        new_output("display_data", data=bundle, metadata={"grokbook": FIGURE})
    )
    other = nbformat.reads(nbformat.writes(made), as_version=4)
    for output in other.cells[1].outputs:
        parts = list(output.data.items())
        random.shuffle(parts)
        output.data = dict(parts)
    assert drift.content(other) == drift.content(made)


# --------------------------------------------------------------------------------- what is compared


@pytest.fixture
def run(built, said, monkeypatch):
    """Re-run the tiny chapter with a page and a notebook that are only words: what was executed,
    said and written."""
    made = nbformat.read(built / "book" / "chapters" / "01_tiny.ipynb", as_version=4)
    ran = []

    def pretend(page, *rest):
        ran.append(page.values["p"])
        return execute.Run(made, [], 1.0)

    monkeypatch.setattr(rerun, "execute", pretend)
    monkeypatch.setattr(standalone, "page", lambda root, name, notebook: notebook.cells[1].source)

    def call(overrides, preset="laptop", **options):
        del ran[:]
        _, page = rerun.rerun(
            sources.find(built, "tiny").page(preset, overrides), built, progress=said, **options
        )
        return sorted(ran), page.read_text()

    return SimpleNamespace(call=call, root=built, said=lambda: said.stream.getvalue(), ran=ran)


def test_it_is_compared_with_the_page_of_the_book_or_one_made_now(run):
    assert run.call({})[0] == [59] and "these are the values of the preset laptop" in run.said()
    ran, page = run.call({"p": "53"})
    assert ran == [53] and "held beside the book's page at preset laptop" in page
    assert "compared with the book's page at preset laptop" in run.said()
    ran, page = run.call({"p": "29"}, "smoke")
    assert ran == [23, 29] and "beside the default, executed together with it" in page
    (run.root / "notebooks" / "01_tiny.md").write_text(CHAPTER + "\nMore.\n")
    assert run.call({"p": "31"})[0] == [31, 59], "the book's page is of another source"


def test_a_default_that_is_not_cheap_is_not_run(run, monkeypatch):
    monkeypatch.setattr(rerun.costs, "page_estimate", lambda *a: Estimate(200.0, 10))
    ran, page = run.call({"p": "29"}, "smoke")
    assert ran == [29] and "What differs" not in page
    assert "`grokbook build --only 01 --preset smoke` makes one in about 3 min" in run.said()
    monkeypatch.setattr(rerun.costs, "page_estimate", lambda *a: Estimate(4000.0, 10))
    with pytest.raises(ParameterError, match=r"this is predicted to take 1\.1 h; say --yes"):
        run.call({"p": "31"}, "smoke")


@pytest.mark.parametrize("when", ["executing the default", "making the page"])
def test_a_comparison_that_fails_or_is_stopped_leaves_nothing_and_a_former_page_as_it_was(
    run, monkeypatch, when
):
    page = run.root / "runs" / "01_tiny-smoke-p-29" / "01_tiny.html"
    for before in (False, True):
        if before:
            monkeypatch.setattr(rerun, "CHEAP", 0)
            run.call({"p": "29"}, "smoke")
            monkeypatch.setattr(rerun, "CHEAP", 60)
        kept = {
            path: path.read_bytes() for path in (run.root / "runs").rglob("*") if path.is_file()
        }
        assert page.exists() == before
        with monkeypatch.context() as broken, pytest.raises((KeyboardInterrupt, ChapterError)):
            target = (rerun, "execute") if when == "executing the default" else (standalone, "page")
            broken.setattr(
                *target,
                Mock(side_effect=KeyboardInterrupt if before else ChapterError("it failed.")),
            )
            run.call({"p": "29"}, "smoke")
        assert {
            path: path.read_bytes() for path in (run.root / "runs").rglob("*") if path.is_file()
        } == kept


def test_a_real_run_writes_notebook_and_page_and_leaves_the_book_alone(built, said):
    before = (built / "book" / "chapters" / "01_tiny.ipynb").read_bytes()
    notebook, page = rerun.rerun(
        sources.find(built, "tiny").page("laptop", {"p": "29"}), built, progress=said
    )
    assert notebook == built / "runs" / "01_tiny-laptop-p-29" / "01_tiny.ipynb"
    assert "p: int = 29" in sources.parameters_cell(nbformat.read(notebook, as_version=4)).source
    assert json.loads(notebook.with_suffix(".json").read_text())["parameters"]["p"] == 29
    assert (built / "book" / "chapters" / "01_tiny.ipynb").read_bytes() == before
    html = BeautifulSoup(page.read_text(), "html.parser")
    assert [h.get_text().strip("#") for h in html.select("article h2")][:2] == [
        "What differs from the default",
        "The page with your parameters",
    ]
    assert [mark.get_text() for mark in html.select("article .gb-moved")][0] == "29"
    assert [mark.get_text() for mark in html.select("article .gb-was")][0] == "(default 59)"
    commands = [block.get_text().strip() for block in html.select("div.highlight-text pre")]
    assert commands == 3 * ["grokbook run 01 --preset laptop -p p=29"]


def test_the_folder_of_a_run_is_named_by_what_differs(project):
    odd = rerun.folder_name(
        replace(sources.find(project, "01").page("laptop"), changed={"steps": "a/b"})
    )
    assert odd.startswith("01_tiny-laptop-") and "/" not in odd
