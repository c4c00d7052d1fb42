"""What the terminal shows while a chapter runs."""

import io

from grokbook.book.terminal import Progress, ProgressStream


def test_training_lines_are_passed_on_and_other_lines_are_not(said):
    said.start("chapter 01", 3)
    stream = ProgressStream(said)
    stream.write("grokbook: step 1")
    stream.write("0 of 30\nsomething else\n")
    assert said.console.file.getvalue().splitlines() == ["chapter 01: 3 code cells", "chapter 01: step 10 of 30"]


def test_without_a_terminal_lines_are_rationed(said):
    said.start("chapter 01", 1)
    ProgressStream(said).write("".join(f"grokbook: step {n}\n" for n in range(50)))
    assert len(said.console.file.getvalue().splitlines()) == 2


def test_quiet_says_nothing():
    progress = Progress(io.StringIO(), quiet=True)
    progress.start("chapter", 1)
    progress.cell(1)
    progress.stop()
    assert progress.console.file.getvalue() == ""
