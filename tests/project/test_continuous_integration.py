""".ci/run does README's test command, a strict smoke build, the browser tests; the workflows are valid."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from project_tree import ROOT, make_targets, read

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# `make` that notes what it was asked and fails where told; the system's package tool, which only notes it.
MAKE = """#!/bin/sh
echo "make $*" >> "$LOG"
if read -r line; then echo "stdin" >> "$LOG"; fi
[ "$1" != "$FAIL" ] || { echo "1 failed in 0.10s"; exit 1; }
[ "$1" != browser ] || echo "${BROWSER:-3 passed, 90 deselected in 0.10s}"
"""
APT = '#!/bin/sh\necho "apt-get $*" >> "$LOG"\n'


@pytest.fixture
def ci(tmp_path: Path):
    """Run .ci/run with stand-ins for make and apt-get: exit status, calls, printed text."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    (tmp_path / "bin").mkdir()
    for name, text in {"make": MAKE, "apt-get": APT, "sudo": '#!/bin/sh\nshift\nexec "$@"\n'}.items():
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    log = tmp_path / "log"

    def run(**environment: str) -> tuple[int, list[str], str]:
        log.write_text("")
        path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", ".ci/run"],
            cwd=tmp_path,
            env={"PATH": path, "HOME": str(tmp_path), "LOG": str(log), "FAIL": ""} | environment,
            input="not for make\n",
            capture_output=True,
            text=True,
        )
        return done.returncode, log.read_text().splitlines(), done.stdout + done.stderr

    return run


def calls_of_make(log: list[str]) -> list[str]:
    """The targets in the order in which they were asked for."""
    return [line.split()[1] for line in log if line.startswith("make")]


def test_ci_runs_the_stages_in_order_and_says_how_long_each_took(ci):
    status, log, printed = ci()
    assert status == 0, printed
    assert calls_of_make(log) == ["setup-dev", "test", "smoke", "browser", "wheel"]
    timed = re.findall(r"^ci: (\S+) +\d+ s$", printed, re.MULTILINE)
    assert timed == ["system", "set-up", "tests", "smoke", "browser", "wheel", "total"]


def test_ci_gives_nothing_a_standard_input(ci):
    assert "stdin" not in ci()[1]


@pytest.mark.parametrize("stage", ["setup-dev", "test", "smoke", "browser"])
def test_ci_stops_at_the_first_stage_that_fails(ci, stage):
    status, log, _ = ci(FAIL=stage)
    assert status != 0
    assert calls_of_make(log)[-1] == stage


@pytest.mark.parametrize("summary", ["4 skipped, 90 deselected in 0.10s", "3 passed, 1 skipped in 0.10s", ""])
def test_ci_fails_when_the_browser_tests_did_not_all_run(ci, summary):
    status, _, printed = ci(BROWSER=summary or " ")
    assert status != 0
    assert "the built site was not fully tested" in printed


def test_ci_script_is_strict_and_executable():
    assert read(".ci/run").startswith("#!/usr/bin/env bash\n")
    assert "\nset -euo pipefail\n" in read(".ci/run")
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_ci_installs_what_it_needs():
    script = read(".ci/run")
    assert script.index("apt-get update") < script.index("apt-get install")
    assert all(f"missing+=({name}" in script for name in ("git", "make", "chromium", "python3 python3-venv"))


def workflow(path: Path) -> dict:
    """A workflow; YAML 1.1 reads its key `on` as true."""
    loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {("on" if key is True else key): value for key, value in loaded.items()}


def steps(path: Path) -> list[dict]:
    """All steps of all jobs."""
    return [step for job in workflow(path)["jobs"].values() for step in job["steps"]]


def test_there_is_a_workflow_for_cpu_and_one_for_gpu():
    assert [path.name for path in WORKFLOWS] == ["book-gpu.yml", "ci.yml"]


@pytest.mark.parametrize("schema", ["vendor.github-workflows", "custom.github-workflows-require-timeout"])
@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_follow_the_public_schema(path, schema):
    from check_jsonschema import main

    with pytest.raises(SystemExit) as done:
        main(["--builtin-schema", schema, str(path)])
    assert not done.value.code


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_to_a_commit_and_say_which_version(path):
    uses = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert uses and all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use) for use in uses)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_only_read(path):
    assert workflow(path)["permissions"] == {"contents": "read"}
    checkouts = [step for step in steps(path) if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts and all(step["with"]["persist-credentials"] is False for step in checkouts)
    granted = {
        name: job.get("permissions") for name, job in workflow(path)["jobs"].items() if "permissions" in job
    }
    assert granted in ({}, {"publish": {"pages": "write", "id-token": "write"}})


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_text_from_outside_is_put_into_a_shell(path):
    assert not [step["run"] for step in steps(path) if "${{" in step.get("run", "")]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_ask_for_targets_that_exist(path):
    asked = re.findall(
        r"^make ([\w-]+)", "\n".join(step.get("run", "") for step in steps(path)), re.MULTILINE
    )
    assert set(asked) <= make_targets()


def test_cpu_workflow_runs_the_ci_script_on_push_and_pull_request_and_keeps_the_site():
    path = ROOT / ".github" / "workflows" / "ci.yml"
    assert {"push", "pull_request"} <= set(workflow(path)["on"])
    assert [step["run"] for step in steps(path) if "run" in step] == ["bash .ci/run"]
    assert [step["with"]["path"] for step in steps(path) if "upload-artifact" in step.get("uses", "")] == [
        "site/"
    ]


def test_gpu_workflow_builds_the_paper_preset_on_a_self_hosted_gpu_and_publishes_it():
    path = ROOT / ".github" / "workflows" / "book-gpu.yml"
    loaded = workflow(path)
    assert set(loaded["on"]) == {"workflow_dispatch", "schedule"}
    assert re.fullmatch(r"\d+ \d+ \* \* [0-6]", loaded["on"]["schedule"][0]["cron"]), "once a week"
    assert loaded["jobs"]["build"]["runs-on"] == ["self-hosted", "gpu"]
    assert loaded["jobs"]["publish"]["needs"] == "build"
    runs = [step["run"] for step in steps(path) if "run" in step]
    record, build = ".venv/bin/grokbook record", ".venv/bin/grokbook build --preset paper --strict"
    assert runs.index("make setup") < runs.index(record) < runs.index(build)


def test_gpu_workflow_keeps_the_site_and_the_records():
    path = ROOT / ".github" / "workflows" / "book-gpu.yml"
    kept = [step["with"]["path"] for step in steps(path) if "upload" in step.get("uses", "")]
    assert kept == ["data/records/", "site/", "site/"]
    assert any("torch.cuda.is_available()" in step.get("run", "") for step in steps(path))
