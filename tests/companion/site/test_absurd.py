"""What no page may say, whatever its values are; what may look like it and is right."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from companion.checks import absurd
from companion.page import when
from companion.page.safe import counted
from grokbook.errors import ChapterError

ABSURD = [
    ("They are in order in 0 of the 0 cells.", "a part of nothing"),
    ("network 2%; nan steps", "a number without a value"),
    ("delays [inf] and 3", "a number without a bound"),
    ("at -inf", "a number without a bound"),
    ("the first at step none", "a number without a value"),
    ("on a line at update (not reached), and right", "a number without a value"),
    ("rises by (no node) on average", "a number without a value"),
    ("It holds in 0 of 1 runs.", "a plural of one"),
    ("a line for 1 recorded seeds", "a plural of one"),
    ("Does not hold here: steps_told = 200.", "a name of the code"),
    ("<p>1 seeds</p>", "a plural of one"),
    ("each of 1 *seeds*", "a plural of one"),
    ("<table><tr><td>nan</td></tr></table>", "a number without a value"),
    ("20 or <NA>", "a number without a value"),
]
RIGHT = [
    "10 of the 10 cells, 21 seeds, 0.1 steps, 1,001 runs and p - 1 cells",
    "Lemma 1 says so; chapter 1 shows it; with target 1 the points move.",
    "None of the runs has an infinite or a nanometre's step.",
    "Updates until it is on a line: (not reached); of the recorded ones (not run)",
    "`nan` and `steps_told` in code, $x_1 = \\inf A$ and $\\mathrm{nan}$, <code>inf</code>, {ref}`fig_a`",
    "```python\nfrom grokbook.runs import grok_times\nnan = 1\n```\nplain",
    "<table><tr><th>grok_step</th></tr></table>",
    "[words](https://example.org/a_b_c)",
]


@pytest.mark.parametrize(("text", "what"), ABSURD)
def test_what_is_absurd_is_found_with_the_words_around_it(text, what):
    (found,) = absurd.in_text(text)
    assert found.startswith(what)


@pytest.mark.parametrize("text", RIGHT)
def test_what_is_right_is_not_found(text):
    assert absurd.in_text(text) == []


def published(name, text):
    about = {"scrapbook": {"name": name, "mime_prefix": ""}}
    return new_output("display_data", data={"text/plain": text}, metadata=about)


def executed(*texts, values=(), figure=None):
    """A notebook with prose, published values and, if given, a figure with this caption."""
    outputs = [published(name, text) for name, text in values]
    if figure:
        about = {"grokbook": {"name": "fig-a", "caption": figure, "alt": "A picture of it."}}
        outputs.append(new_output("display_data", data={"text/plain": ""}, metadata=about))
    return new_notebook(
        cells=[*map(new_markdown_cell, texts), new_code_cell("draw()", outputs=outputs)]
    )


def condition(truth, said):
    return f"{when.KEY}late", repr(when.glued(truth, said))


def test_prose_is_read_with_its_values_and_what_stands_under_a_condition_only_where_that_holds():
    prose = "In {glue:text}`n` seeds. {when}``late; At {glue:text}`at` steps.``\n\n:::{when} late\nBy nan.\n:::"
    values = [("n", "3"), ("at", "nan")]
    assert absurd.sentences(executed(prose, values=[*values, condition(False, "")])) == []
    (late,) = absurd.sentences(executed(prose, values=[*values, condition(True, "")]))
    assert late.endswith("In 3 seeds. At nan steps. By nan.")
    (told,) = absurd.sentences(executed(prose, values=[*values, condition(None, "nan steps")]))
    assert "nan steps" in told


def test_captions_are_read():
    assert absurd.sentences(executed(figure="A line for each of 1 seeds.")) != []


def test_a_strict_build_refuses_the_page_and_says_how_many_there_are():
    with pytest.raises(
        ChapterError, match=r"is absurd: a plural of one, '1 seeds': .*; and 1 more"
    ):
        absurd.refuse(executed("Of 1 seeds.", "Of 1 runs."))
    absurd.refuse(executed(f"Of {counted(1, 'seed')}."))
