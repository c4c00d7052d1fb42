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


@pytest.mark.parametrize(
    ("shown", "lines"),
    [
        (documented, ["def documented(x):", "    y = x + 1  # a comment that stays", "    return y"]),
        (only_documented, ["def only_documented():", "    ..."]),
        (Documented, ["class Documented:", "    def method(self):", "        return 1"]),
    ],
)
def test_the_docstrings_go_and_the_code_stays_under_its_name_and_module(shown, lines):
    said = f"`{shown.__name__}`, from the installed module `{__name__}`:\n\n```python\n"
    assert show.markdown(shown) == said + "\n".join(lines) + "\n```"


def test_long_code_and_what_has_no_source_are_refused():
    with pytest.raises(ParameterError, match="documented has 3 lines; a page shows at most 2"):
        show.source(documented, lines=2)
    with pytest.raises(ParameterError, match="cannot be read"):
        show.source(len)
