"""The suite with other versions: three Pythons, and the oldest and newest packages that
pyproject.toml allows.

    pipx run nox                   all sessions, with uv; a Python that is missing is skipped
    pipx run nox -s oldest -- -k store

UV_TORCH_BACKEND=cpu takes the CPU builds of torch; UV_FIND_LINKS names a folder with wheels.
"""

import nox

nox.options.default_venv_backend = "uv"


def suite(session: nox.Session, *how: str) -> None:
    """Install grokbook with all extras, as said by `how`, then run the tests, or those of them that
    are asked for."""
    session.install("-e", ".[book,dev]", *how)
    session.run("uv", "pip", "list", external=True)
    session.env["OMP_NUM_THREADS"] = "1"
    session.run("python", "-m", "pytest", "-n", "2", "--dist", "worksteal", *session.posargs)


@nox.session(python=["3.11", "3.12", "3.13"])
def tests(session: nox.Session) -> None:
    """The versions of constraints.txt."""
    suite(session, "-c", "constraints.txt")


@nox.session(python="3.11")
def oldest(session: nox.Session) -> None:
    """The lowest version of every package that pyproject.toml names."""
    suite(session, "--resolution", "lowest-direct")


@nox.session(python=["3.11", "3.13"])
def newest(session: nox.Session) -> None:
    """The newest of everything. Jupyter Book 1 asks for Sphinx 7, so Sphinx 9 is not among what is
    allowed."""
    suite(session, "--upgrade")
