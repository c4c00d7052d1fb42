"""What the terminal shows while chapters run, and what it asks."""

import io
import sys

import pytest

from companion.site.terminal import ProgressStream, agree
from grokbook.errors import ParameterError


def test_lines_of_training_are_passed_on_rationed_and_other_lines_are_not(said):
    stream = ProgressStream(said, "chapter 01")
    stream.write("grokbook: step 1")
    stream.write("0 of 30\nsomething else\n")
    stream.write("".join(f"grokbook: step {n}\n" for n in range(50)))
    assert said.stream.getvalue().splitlines() == ["chapter 01: step 10 of 30"]


class Person(io.StringIO):
    """Somebody at a terminal who answers this."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("yes", "stream"), [(True, io.StringIO()), (False, Person("y\n")), (False, Person("Yes\n"))]
)
def test_who_agrees_goes_on(monkeypatch, yes, stream):
    monkeypatch.setattr(sys, "stdin", stream)
    agree("this takes 2 h", yes)


@pytest.mark.parametrize(
    ("stream", "said"),
    [(io.StringIO("y\n"), "say --yes to start it"), (Person("\n"), "it was not started")],
)
def test_who_does_not_agree_or_cannot_be_asked_is_refused(monkeypatch, stream, said):
    monkeypatch.setattr(sys, "stdin", stream)
    with pytest.raises(ParameterError, match=f"^this takes 2 h; {said}"):
        agree("this takes 2 h", False)
