"""Ctrl-C at any moment of a command, also while it is loading: one line, and the exit code that
shells know."""

import signal
import subprocess
import sys

import pytest


def interrupted(moment, *arguments):
    """Exit code and what is said of a command that is sent Ctrl-C when a module has been loaded."""
    command = [sys.executable, "-X", "importtime", "-m", "grokbook", *arguments]
    begin = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # noqa: E731  a shell may have it ignored
    options = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.PIPE,
        "text": True,
        "preexec_fn": begin,
    }
    process = subprocess.Popen(command, **options)
    said = []
    for line in process.stderr:
        if not line.startswith("import time:"):
            said.append(line)
        elif line.rpartition("|")[2].strip() == moment:
            process.send_signal(signal.SIGINT)
    return process.wait(), "".join(said)


MOMENTS = (
    "typer.models",
    "filelock",
    "grokbook.files",
    "numpy",
    "torch._utils",
)


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_while_a_command_loads_is_one_line(moment):
    code, said = interrupted(moment, "claims", "--run", "--id", "G36")
    assert (code, "Traceback" in said) == (130, False)
    (line,) = said.strip().splitlines()
    assert line.startswith("grokbook: stopped")


INTERRUPT = "exec('raise KeyboardInterrupt')"
STOPPABLE = f"""
c.app = c.typer.Typer()
@c.app.command()
def command():
    with c.stoppable():
        {INTERRUPT}
"""


@pytest.mark.parametrize("app", [f"c.app = lambda: {INTERRUPT}", STOPPABLE])
def test_ctrl_c_inside_code_made_from_a_text_has_the_same_exit_code(app):
    """`dataclass` and `namedtuple` run texts; after an interrupt there CPython ends by the signal,
    whatever exit code is given."""
    script = f"import companion.cli as c\n{app}\nc.main()"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.returncode == 130
    assert ended.stderr.startswith("\ngrokbook: stopped")
