"""What the terminal shows while chapters run, and what it asks."""

import io

import pytest

from companion.site.terminal import Progress, ProgressStream, agree
from grokbook.errors import ParameterError

TOLD = "p=59 add d=64 seed=2 #2  step 9999/10000  loss 0.00422  test loss 15  acc 0.999  test acc 4.59e-05"
TOLD += "  about 2700 s left"


def test_lines_of_training_are_passed_on_rationed_and_other_lines_are_not(said):
    with said.chapter("chapter 01", 3) as line:
        stream = ProgressStream(line)
        stream.write("grokbook: step 1")
        stream.write("0 of 30\nsomething else\n")
        stream.write("".join(f"grokbook: step {n}\n" for n in range(50)))
    assert said.console.file.getvalue().splitlines() == [
        "chapter 01: 3 code cells",
        "chapter 01: step 10 of 30",
    ]


@pytest.mark.parametrize("width", [80, 100, 200])
@pytest.mark.parametrize(
    "label", ["chapter 01_x", "chapter 07_separability_and_depth_of_everything"]
)
def test_a_live_line_always_has_step_accuracy_and_time_left(said, width, label):
    with said.chapter(label, 73) as line:
        line.at(46)
        line.training(TOLD)
        text = line.text(width)
    assert len(text) <= width
    assert text.startswith(label[8:10])
    for part in ("46/73", "step 9999/10000", "acc 0.999", "test acc 4.59e-05", "2700 s left"):
        assert part in text


def test_a_terminal_has_a_live_line_for_each_chapter_and_takes_them_away():
    progress = Progress(io.StringIO())
    progress.live = True
    with progress.chapter("chapter 01_a", 3), progress.chapter("chapter 02_b", 4) as line:
        line.at(2)
        assert progress._shown().plain.splitlines() == ["01_a  0/3  0 s", "02_b  2/4  0 s"]
    assert progress._display is None


def test_quiet_says_nothing():
    progress = Progress(io.StringIO(), quiet=True)
    with progress.chapter("chapter", 1) as line:
        line.at(1)
    assert progress.console.file.getvalue() == ""


class Person(io.StringIO):
    """Somebody at a terminal who answers this."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("yes", "stream"), [(True, io.StringIO()), (False, Person("y\n")), (False, Person("Yes\n"))]
)
def test_who_agrees_goes_on(yes, stream):
    agree("this takes 2 h", yes, stream)


@pytest.mark.parametrize(
    ("stream", "said"),
    [(io.StringIO("y\n"), "say --yes to start it"), (Person("\n"), "it was not started")],
)
def test_who_does_not_agree_or_cannot_be_asked_is_refused(stream, said):
    with pytest.raises(ParameterError, match=f"^this takes 2 h; {said}"):
        agree("this takes 2 h", False, stream)
