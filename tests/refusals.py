"""A test for each thing that is refused in a sentence, from a table of calls."""

from collections.abc import Callable

import pytest

from grokbook.errors import ParameterError


def refusals(
    *cases: tuple[Callable[[], object], str], error: type[Exception] = ParameterError
) -> Callable[..., None]:
    """The test that each call raises `error` with a message that matches its pattern."""

    @pytest.mark.parametrize(("call", "message"), cases)
    def refused(call, message):
        with pytest.raises(error, match=message):
            call()

    return refused
