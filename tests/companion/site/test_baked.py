"""A notebook that is handed out: every construct of a page in plain Markdown."""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from pybtex.database import parse_file

from companion.checks.drift import glued
from companion.page.drawing import NARROW
from companion.site.baked import Known, Label, baked, markdown
from companion.site.blocks import blocks
from grokbook.errors import ChapterError
from project_tree import ROOT

RAW = re.compile(r"\{[\w:-]+\}`|^(?:`{3,}|:{3,})\{|^\([\w-]+\)=", re.MULTILINE)
LABELS = {
    "fig-delay": Label("figure", "1.2"),
    "eq-copy": Label("equation", "1.3"),
    "thm-ring": Label("theorem", "3.1"),
    "sec-norms": Label("section", title="Norms"),
    "ex-01-decay": Label("exercise", "1.4"),
}
VALUES = {"n": 3, "share": 0.25, "when-late": '[true, ""]', "when-soon": '[false, "step 90"]'}
VALUES |= {"when-missing": '[null, ""]'}
KNOWN = Known(
    labels=LABELS,
    verdicts={"G36": "holds"},
    bibliography=parse_file(str(ROOT / "book" / "references.bib")),
    address="https://book.example/",
    values=VALUES,
)


def text_of(source, known=KNOWN):
    """The text of one cell that was baked, without the list of references."""
    cells = baked(new_notebook(cells=[new_markdown_cell(source)]), known).cells
    return "\n\n".join(cell.source for cell in cells if cell.id != "references")


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("{glue:text}`n` of {glue:text}`share:.0%`", "3 of 25%"),
        ("It is.{verdict}`G36: holds` So", "It is. *(G36: holds)* So"),
        ("{numref}`fig-delay`, {eq}`eq-copy`", "Fig. 1.2, (1.3)"),
        ("{prf:ref}`thm-ring` in {ref}`sec-norms`", "Theorem 3.1 in Norms"),
        ("{ref}`its norms <sec-norms>`", "its norms"),
        ("{numref}`fig-other`", "(elsewhere in the book)"),
        ("{cite:t}`gu2025` and {cite:p}`power2022`", "Gu et al. (2025) and (Power et al., 2022)"),
        ("{when}`late; It waits.` {when}``soon; {glue:text}`n` ``", None),
        ("$$ x^2 $$ (eq-copy)", r"$$ x^2 \tag{1.3} $$"),
        ("(sec-norms)=\n## Norms\n% a comment\n", "## Norms"),
        ("[section 4]{.gb-place}", "section 4"),
        ("[chapter 6](06_progress_measures.ipynb#sec-x)", None),
        ("[rules](../how_to_rerun.md)", "[rules](https://book.example/how_to_rerun.html)"),
        ("[out](https://elsewhere.example/x)", "[out](https://elsewhere.example/x)"),
        ("`\\frac{1}{p}` and `{p}`", "`\\frac{1}{p}` and `{p}`"),
        ("```python\n{glue:text}`n`\n```", "```python\n{glue:text}`n`\n```"),
        (":::{when} late\nIt waits.\n:::", "It waits."),
        (
            ":::{when} soon and late\nIt waits.\n:::",
            "> Does not hold here (step 90):\n>\n> It waits.",
        ),
        (":::{when} missing\nIt waits.\n:::", None),
        (":::{container} gb-claim\nWords.\n:::", "Words."),
        ("````{admonition} Answer\n:class: tip\nIt is {glue:text}`n`.\n````", None),
        (":::{admonition} More *here*\n:class: dropdown\nWords.\n:::", None),
        ("```{prf:theorem} A ring\n:label: thm-ring\nIt exists.\n```", None),
        ("````{solution} ex-x\n:class: dropdown\nSeven.\n````", ""),
    ],
)
def test_a_construct_in_plain_markdown(source, plain):
    made = text_of(source).strip()
    written_out = {
        "{when}`late": "It waits. (Does not hold here (step 90): 3)",
        "[chapter 6]": "[chapter 6](https://book.example/chapters/06_progress_measures.html#sec-x)",
        ":::{when} missing": "> Not known here: what would decide it is missing.",
        "````{admonition}": "> **Answer**\n>\n> It is 3.",
        ":::{admonition}": "<details><summary>More here</summary>\n\nWords.\n\n</details>",
        "```{prf:theorem}": "> **Theorem 3.1: A ring**\n>\n> It exists.",
    }
    if plain is None:
        (plain,) = (text for start, text in written_out.items() if source.startswith(start))
    assert made == plain


@pytest.mark.parametrize("source", ["{newrole}`x`", "```{newdirective} x\ny\n```"])
def test_a_construct_without_a_plain_form_is_refused_by_its_name(source):
    with pytest.raises(ChapterError, match="no plain form of the (role|directive) 'new"):
        text_of(source)


@pytest.mark.parametrize(
    ("source", "name"), [("{glue:text}`no`", "'no'"), ("{cite:t}`nobody1999`", "'nobody1999'")]
)
def test_a_name_that_is_not_known_is_refused(source, name):
    with pytest.raises(ChapterError, match=name):
        text_of(source)


def test_a_directive_holds_directives_and_blocks_of_code():
    source = (
        "::::{admonition} Out\n:::{when} late\nIn {glue:text}`n`.\n:::\n```python\n:::\n```\n::::\n"
    )
    assert text_of(source).strip() == "> **Out**\n>\n> In 3.\n> ```python\n> :::\n> ```"
    assert (
        "".join(part if isinstance(part, str) else part.source for part in blocks(source)) == source
    )


def test_a_formula_in_a_quotation_holds_none_of_its_marks():
    formula = "$$ \\begin{aligned}\n   a &= b \\\\\n   &= c\n\\end{aligned} $$"
    code = "```python\nprice = '$1'\nother = '$2'\n```"
    text = text_of(f":::{{prf:theorem}} A sum\nOf $a\n+ b$ is\n\n{formula}\n\n{code}\n:::")
    inside = [part for part in re.split(r"\$\$?", text.partition("```")[0])[1::2]]
    assert len(inside) == 2 and not any(">" in part or "\n" in part for part in inside)
    assert "> price = '$1'\n> other = '$2'\n" in text


def test_an_exercise_becomes_cells_without_its_solution_and_a_stub_does_not_stop_the_notebook():
    chapter = (ROOT / "notebooks" / "01_what_is_grokking.md").read_text("utf-8")
    begin, end = chapter.index("````{exercise} Without"), chapter.index("````{exercise} Another")
    words, stub, hints = baked(
        new_notebook(cells=[new_markdown_cell(chapter[begin:end])]), KNOWN
    ).cells
    assert words.source.startswith("### Exercise 1.4: Without weight decay\n\n*Difficulty 1 of 3")
    assert stub.cell_type == "code" and 'check("ex-01-decay"' in stub.source
    assert stub.metadata["tags"] == ["raises-exception"]
    assert hints.source.count("<details>") == 2
    assert "AdamW(weight_decay=0.0)\n" not in "".join([words.source, stub.source, hints.source])


def test_cells_are_in_sight_with_what_they_show_and_figures_have_their_captions_below():
    about = {"name": "fig-delay", "caption": "Of {glue:text}`n` runs.", "alt": "A line."}
    figure = new_output(
        "display_data",
        {"image/svg+xml": "<svg/>", NARROW: "<svg/>"},
        metadata={"grokbook": about},
    )
    number = new_output(
        "display_data",
        {"application/papermill.record/text/plain": "3"},
        metadata={"scrapbook": {"name": "n", "mime_prefix": "application/papermill.record/"}},
    )
    said = new_output("display_data", {"text/markdown": "It is {glue:text}`n`."})
    hidden = {"tags": ["remove-input"], "mystnb": {"figure": {}}}
    page = new_notebook(
        cells=[
            new_code_cell("draw()", outputs=[number, figure, said], metadata=hidden),
            new_code_cell("p = 3", metadata={"tags": ["parameters"]}),
        ]
    )
    known = Known(labels=LABELS, values=glued(page))
    drawn, caption, parameters = baked(page, known).cells
    assert [dict(output.data) for output in drawn.outputs] == [
        {"image/svg+xml": "<svg/>"},
        {"text/markdown": "It is 3."},
    ]
    assert drawn.metadata == {} and parameters.metadata == {"tags": ["parameters"]}
    assert caption.source == "**Fig. 1.2** Of 3 runs."
    assert NARROW in page.cells[0].outputs[1].data, "the page's own notebook stays as it was"


def test_what_was_cited_is_listed_once_at_the_end():
    page = new_notebook(cells=[new_markdown_cell("{cite:t}`gu2025`, {cite:p}`gu2025, power2022`")])
    text, references = baked(page, KNOWN).cells
    assert text.source == "Gu et al. (2025), (Gu et al., 2025; Power et al., 2022)"
    assert references.source.count("Zihan Gu") == references.source.count("Alethea Power") == 1


def test_the_notebook_is_valid_and_its_markdown_is_the_same_notebook():
    import jupytext

    page = new_notebook(cells=[new_markdown_cell("# A\n\n{glue:text}`n`"), new_code_cell("p = 3")])
    made = baked(page, KNOWN)
    nbformat.validate(made)
    again = jupytext.reads(markdown(made), fmt="md")
    assert [cell.source for cell in again.cells] == [cell.source for cell in made.cells]


def test_every_chapter_s_source_has_a_plain_form():
    """With every name known, so that only constructs without a plain form are found."""

    class Anything(dict):
        def __contains__(self, name):
            return True

        def __missing__(self, name):
            return (True, "") if name else None

    known = Known(bibliography=parse_file(str(ROOT / "book" / "references.bib")))
    known.__dict__["conditions"] = Anything()
    for path in sorted((ROOT / "notebooks").glob("*.md")):
        source = path.read_text("utf-8").partition("\n---\n")[2]
        prose = re.sub(r"(?ms)^```\{code-cell\}.*?^```$", "", source)
        prose = re.sub(r"\{glue:text\}`([^`:]+)(:[^`]+)?`", r"\1", prose)
        made = baked(new_notebook(cells=[new_markdown_cell(prose)]), known)
        left = "\n".join(
            re.sub(r"(?ms)^```\w*\n.*?^```$|`[^`\n]*`", "", cell.source)
            for cell in made.cells
            if cell.cell_type == "markdown"
        )
        assert not RAW.findall(left), path.name
