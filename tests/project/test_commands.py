"""`make`, `.ci/run` and the workflows: what they run, in which order; no half of an installation is
trusted."""

import os
import re
import shutil
import subprocess
from itertools import islice

import pytest
import yaml

from project_tree import ROOT, make_targets, read

# Stand for Python (`-m venv` copies itself, `-m pip install` may fail) and, in .ci/run, for make.
PYTHON = """#!/bin/sh
case "$*" in
  -c*) exit "${OLD_PYTHON:-0}" ;;
  *"-m venv"*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python"; echo venv >> "$LOG" ;;
  *"pip install"*) echo "install $*" >> "$LOG"; [ -z "$FAIL" ] ;;
esac
"""
MAKE = """#!/bin/sh
echo "$*" >> "$LOG"
if read -r line; then echo stdin >> "$LOG"; fi
[ "$1" != "$FAIL" ] || exit 1
[ "$1" != browser ] || echo "${BROWSER:-3 passed, 90 deselected in 0.10s}"
"""
STAND_INS = {
    "stub": PYTHON,
    "bin/make": MAKE,
    "bin/apt-get": "#!/bin/sh\n",
    "bin/sudo": "#!/bin/sh\n",
}
STAND_INS |= {"bin/python3": "#!/bin/sh\n"}  # .ci/run: no network is asked for uv
STAGES = [["setup-dev"], ["test"], ["older", "smoke"], ["browser", "examples", "wheel"]]
WORKFLOWS = ("book-gpu.yml", "ci.yml", "nightly.yml", "release.yml")


@pytest.fixture
def run(tmp_path):
    """Run a command in a copy of what builds the project: exit status, what the stand-ins were
    asked for, the text."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt", ".ci/run"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name, text in STAND_INS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    log = tmp_path / "log"

    def call(*command: str, **settings: str) -> tuple[int, list[str], str]:
        log.write_text("")
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "LOG": str(log),
            "FAIL": "",
        } | settings
        options = {"input": "no input\n", "capture_output": True, "text": True}
        done = subprocess.run(command, cwd=tmp_path, env=environment, **options)
        asked = [line.split()[0] for line in log.read_text().splitlines()]
        return done.returncode, asked, done.stdout + done.stderr

    call.folder = tmp_path
    call.make = lambda *arguments, **settings: call("make", "PYTHON=./stub", *arguments, **settings)
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    call.ci = lambda **settings: call("bash", ".ci/run", PATH=path, **settings)
    return call


@pytest.mark.parametrize(
    ("target", "extras", "last"),
    [
        ("book", "[book]", "grokbook build --preset laptop"),
        ("smoke", "[book,dev]", "grokbook build --preset smoke --strict"),
        (
            "browser",
            "[book,dev]",
            "-m pytest tests/browser tests/companion -m browser -n 3 --dist loadgroup",
        ),
        ("test", "[book,dev]", "-m pytest -m 'not browser' -n 3 --dist worksteal"),
        ("serve", "[book]", "-m http.server --bind 127.0.0.1 --directory site 8000"),
        ("record", "[book]", "grokbook record"),
    ],
)
def test_a_target_makes_the_environment_installs_with_pins_and_then_does_its_work(
    run, target, extras, last
):
    status, _, printed = run.make("-n", target)
    assert status == 0 and printed.rstrip().endswith(last)
    assert 0 < printed.index("-m venv") < printed.index(f"-c constraints.txt -e '.{extras}'")


def test_an_environment_is_made_once_and_again_only_when_its_sources_changed_or_it_is_half_made(
    run,
):
    assert run.make("setup-dev")[1] == ["venv", "install"]
    assert run.make("setup-dev")[1] == run.make("setup")[1] == [], (
        "the development set-up has all that the book needs"
    )
    later = (run.folder / "pyproject.toml").stat().st_mtime + 5
    os.utime(run.folder / "constraints.txt", (later, later))
    assert run.make("setup-dev", FAIL="1")[0] != 0
    assert not list((run.folder / ".venv").glob(".installed-*")), (
        "a failed installation leaves no older stamp"
    )
    assert run.make("setup")[1] == ["install"]
    shutil.rmtree(run.folder / ".venv" / "bin")
    (run.folder / ".venv" / ".installed-book").unlink()
    assert "by-uv -c constraints.txt -e .[book]" in run.make("setup", INSTALLER="echo by-uv")[2]


def test_an_old_python_is_refused_with_what_to_do(run):
    status, log, printed = run.make("book", OLD_PYTHON="1")
    assert status != 0 and log == [] and "make PYTHON=python3.12" in printed


def test_clean_deletes_what_is_built_and_keeps_what_was_trained(run):
    kept = [
        "data/records/a.nc",
        ".grokbook/records/b.nc",
        ".venv/bin/python",
        "book/intro.md",
        "notebooks/01.md",
    ]
    built = ["site/index.html", "book/chapters/01.ipynb", "book/_build/x", "src/__pycache__/y.pyc"]
    for name in kept + built:
        (run.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (run.folder / name).write_text("")
    assert run.make("clean")[0] == 0
    assert [name for name in kept + built if (run.folder / name).exists()] == kept


def test_help_names_every_target_and_each_is_phony(run):
    assert set(re.findall(r"^  make (\S+)", run.make()[2], re.MULTILINE)) == make_targets()
    assert set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE)) == make_targets()


@pytest.mark.parametrize("stage", [None, *sum(STAGES, [])])
def test_ci_runs_its_stages_in_order_without_input_and_stops_at_the_first_that_fails(run, stage):
    """What is side by side is sorted here: a failure of one waits for the other; companions come
    after the wheel."""
    status, asked, printed = run.ci(FAIL=stage or "")
    wanted = STAGES[: next((n for n, those in enumerate(STAGES, 1) if stage in those), None)]
    if stage == "wheel":
        wanted[-1] = ["browser", "wheel"]
    seen = iter(asked)
    assert [sorted(islice(seen, len(those))) for those in wanted] == wanted and not list(seen)
    assert (status == 0) == (stage is None)
    timed = re.findall(r"^ci: (\S+) +\d+ s$", printed, re.MULTILINE)
    assert stage or timed == ["system", "set-up", "tests", "builds", "browser", "total"]


@pytest.mark.parametrize(
    "summary", ["4 skipped, 90 deselected in 0.10s", "3 passed, 1 skipped in 0.10s", " "]
)
def test_ci_fails_when_the_browser_tests_did_not_all_run(run, summary):
    status, _, printed = run.ci(BROWSER=summary)
    assert status != 0 and "the built site was not fully tested" in printed


def jobs(name: str) -> dict:
    """The jobs of a workflow."""
    return yaml.safe_load(read(f".github/workflows/{name}"))["jobs"]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_is_valid_pinned_and_may_only_do_what_it_must(name):
    from check_jsonschema import main

    for schema in ("vendor.github-workflows", "custom.github-workflows-require-timeout"):
        with pytest.raises(SystemExit) as done:
            main(["--builtin-schema", schema, str(ROOT / ".github/workflows" / name)])
        assert not done.value.code
    text = read(f".github/workflows/{name}")
    uses = re.findall(r"uses: (.*)", text)
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use) for use in uses)
    assert "\npermissions:\n  contents: read\n" in text
    pages, records = (
        {"pages": "write", "id-token": "write"},
        {"contents": "write", "pull-requests": "write"},
    )
    granted = {
        job: found["permissions"] for job, found in jobs(name).items() if "permissions" in found
    }
    attested = {"contents": "read", "id-token": "write", "attestations": "write"}
    may = {
        "ci.yml": {"publish": pages},
        "book-gpu.yml": {"publish": pages, "propose": records},
        "nightly.yml": {},
    }
    released = {"actions": "read", "contents": "write"}
    assert granted == (may | {"release.yml": {"files": attested, "publish": released}})[name]
    steps = [step for job in jobs(name).values() for step in job["steps"]]
    assert not [s["run"] for s in steps if "${{" in s.get("run", "")], (
        "no text from outside is put into a shell"
    )
    assert all(
        s["with"]["persist-credentials"] is False
        for s in steps
        if "/checkout@" in s.get("uses", "")
    )
    assert (
        set(re.findall(r"\bmake ([\w-]+)", "\n".join(s.get("run", "") for s in steps)))
        <= make_targets()
    )
