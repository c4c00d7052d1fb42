"""From an executed notebook to a printable one: figures, stray output, timestamps. Made notebooks,
no kernel."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from companion.site import outputs
from grokbook.errors import ChapterError

LABEL = {"name": "fig-a", "caption": "A caption, three seeds.", "alt": "A curve."}


def figure(label=LABEL):
    """The output of page.figure."""
    data = {"image/svg+xml": "<svg/>", "text/plain": "x"}
    return new_output("display_data", data=data, metadata={"grokbook": dict(label)})


def image():
    """The output of a bare plot."""
    return new_output("display_data", data={"image/png": "eA==", "text/plain": "x"})


def text():
    return new_output("display_data", data={"text/html": "<p>x</p>"})


def glued():
    data = {"application/papermill.record/text/plain": "3"}
    return new_output("display_data", data=data, metadata={"scrapbook": {"name": "n"}})


def notebook(*found, tags=()):
    cell = new_code_cell("plot()", outputs=list(found), metadata={"tags": list(tags)})
    return new_notebook(cells=[new_markdown_cell("# T\n\n## The delay\n"), cell])


def announced():
    """A figure in the metadata of a cell that draws none."""
    made = notebook()
    figure = {"name": "fig-a", "caption": LABEL["caption"]}
    made.cells[1].metadata["mystnb"] = {"figure": figure, "image": {"alt": "A curve it is."}}
    return made


def twice():
    made = notebook(figure())
    made.cells.append(new_code_cell(outputs=[figure()]))
    return made


def stream(content, name="stderr"):
    return new_output("stream", name=name, text=content)


def test_a_figure_gets_its_label_where_myst_nb_looks_for_it():
    made = notebook(glued(), figure())
    assert outputs.label_figures(made) == ["fig-a"]
    assert made.cells[1].metadata["mystnb"] == {
        "figure": {"name": "fig-a", "caption": LABEL["caption"]},
        "image": {"alt": "A curve."},
    }
    assert len(made.cells) == 2


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            notebook(image()),
            'code cell 1, under "The delay" shows an image without caption and alt',
        ),
        (notebook(figure(), text()), "must show the figure fig-a and nothing else"),
        (notebook(text(), figure()), "must show the figure fig-a and nothing else"),
        (announced(), "must show the figure fig-a and nothing else"),
        (twice(), "the figure name 'fig-a' is used twice"),
    ],
)
def test_a_figure_that_is_not_one_is_refused_with_its_place(made, said):
    with pytest.raises(ChapterError, match=said):
        outputs.label_figures(made)


def test_progress_lines_are_removed_and_warnings_stay():
    made = notebook(
        stream("grokbook: step 1\ngrokbook: step 2\n"), stream("grokbook: a\nUserWarning: b\n")
    )
    outputs.drop_progress(made)
    assert [o.text for o in made.cells[1].outputs] == ["UserWarning: b\n"]
    with pytest.raises(
        ChapterError, match='code cell 1, under "The delay" wrote to standard error: UserWarning: b'
    ):
        outputs.drop_progress(made, strict=True)
    outputs.drop_progress(notebook(stream("fine", "stdout")), strict=True)


def test_what_differs_between_executions_is_removed():
    made = notebook(text(), tags=["papermill-error", "keep"])
    made.cells[1].metadata |= {"papermill": {"start_time": "now"}, "execution": {}}
    made.metadata |= {"papermill": {"duration": 3}, "jupytext": {}, "grokbook": {}}
    outputs.strip(made)
    assert dict(made.cells[1].metadata) == {"tags": ["keep"]}
    assert [cell.id for cell in made.cells] == ["cell-000", "cell-001"]
    assert set(made.metadata) == {"kernelspec"}
