"""The code on a page is the installed code."""

import pytest

from grokbook.book import show
from grokbook.errors import ParameterError


def documented(x):
    """A docstring.

    Over several lines.
    """

    y = x + 1  # a comment that stays
    return y


def only_documented():
    """Nothing else."""


class Documented:
    """A class."""

    def method(self):
        """A method."""
        return 1


def test_the_docstring_goes_and_the_code_stays():
    assert show.without_docstring(documented).splitlines() == [
        "def documented(x):",
        "    y = x + 1  # a comment that stays",
        "    return y",
    ]


def test_a_body_that_is_a_docstring_becomes_an_ellipsis():
    assert show.without_docstring(only_documented).splitlines() == ["def only_documented():", "    ..."]


def test_a_class_loses_its_docstring_and_those_of_its_methods():
    lines = show.without_docstring(Documented).splitlines()
    assert lines == ["class Documented:", "    def method(self):", "        return 1"]


def test_the_page_names_function_and_module():
    text = show.markdown(documented)
    assert text.startswith(f"`documented`, from the installed module `{__name__}`:")
    assert "```python\ndef documented(x):" in text


def test_long_code_is_refused():
    with pytest.raises(ParameterError, match="documented has 3 lines; a page shows at most 2"):
        show.source(documented, lines=2)


def test_what_has_no_source_is_refused():
    with pytest.raises(ParameterError, match="cannot be read"):
        show.source(len)
