"""Building: only what changed, side by side, the last good page stays, refusals come first, nothing
is left running."""

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.page import sources
from companion.page.costs import Estimate
from companion.site import book as building
from companion.site import jobs, state
from companion.site import staging as site
from companion.site.jobs import Job, refuse_too_large, side_by_side
from companion.site.kernel import Kernels
from grokbook.errors import ChapterError, ParameterError
from grokbook.files import read_json
from processes import git
from small_project import CHAPTER, ROOT


def notebook(root):
    return root / "book" / "chapters" / "01_tiny.ipynb"


@pytest.fixture
def nothing_runs(monkeypatch):
    """Executing a chapter or running Sphinx fails the test."""

    def refuse(*arguments, **options):
        pytest.fail("something ran")

    monkeypatch.setattr(building, "execute", refuse)
    monkeypatch.setattr(site, "sphinx", refuse)


def test_a_build_makes_page_card_and_site(built_once):
    card = state.card(built_once, "01_tiny")
    assert (card["preset"], card["figures"]) == ("laptop", ["fig-tiny"])
    assert card["parameters"] == {"p": 59, "train_fraction": 0.5, "steps": 200}
    assert (built_once / "site" / "chapters" / "01_tiny.html").is_file()
    assert not list((built_once / "book" / "_build").iterdir())


def test_data_of_a_page_is_a_file_of_the_site(built_once):
    claims = read_json(built_once / "site" / "tiny.json")["claims"]
    assert claims == [{"computed": True, "id": "X1", "value": 59}, {"computed": False, "id": "X2"}]


def test_a_build_without_change_does_nothing_and_says_so(built, said, nothing_runs):
    assert building.build(built, "laptop", progress=said) == []
    assert "nothing to do: 1 chapters and the site are up to date" in said.stream.getvalue()


@pytest.mark.parametrize(
    "changed", ["source", "preset", "library", "records", "verdicts", "package"]
)
def test_the_key_holds_everything_a_page_depends_on(project, changed, monkeypatch):
    """Of the records every one: a claim loads those that no plan names, or says that they are
    missing."""
    records = project / "data" / "records"
    names = {"records": records / "MANIFEST.json", "verdicts": project / "data" / "verdicts.json"}
    names |= {"package": project / "mine" / "tiny.py"}
    with (project / "pyproject.toml").open("a") as about:
        about.write('\n[tool.grokbook]\nchapters = "mine"\n')
    records.mkdir(parents=True)
    (project / "mine").mkdir()
    monkeypatch.syspath_prepend(str(project))
    for path in names.values():
        path.write_text("{}")

    def key(preset="laptop"):
        return building.key(project, sources.find(project, "01").page(preset))

    first = key()
    assert key() == first
    if changed == "source":
        (project / "notebooks" / "01_tiny.md").write_text(CHAPTER + "\nMore.\n")
    if changed in names:
        names[changed].write_text('{"made/up": "changed"}')
    if changed == "library":
        monkeypatch.setattr(building, "_ROOMS", ("grokbook",))
    assert key("smoke" if changed == "preset" else "laptop") != first


def test_the_key_holds_tables_texts_styles_and_scripts_of_the_library(project, monkeypatch):
    seen = []
    monkeypatch.setattr(
        building.state,
        "digest",
        lambda about, files, packages: seen.extend(one.name for one in files),
    )
    building.key(project, sources.find(project, "01").page("laptop"))
    wanted = {
        "predictions.csv",
        "verdicts.toml",
        "grokbook.mplstyle",
        "ledger.js",
        "execute.py",
    }
    assert wanted <= set(seen)


def test_the_key_covers_every_room_that_notebooks_reach():
    sources = [path.read_text() for path in (ROOT / "notebooks").glob("*.md")]
    room = re.compile(r"^(?:from|import) companion[. ](?:import )?(\w+)", re.MULTILINE)
    reached = {name for text in sources for name in room.findall(text)}
    assert "page" in reached and {f"companion/{name}" for name in reached} <= {*building._ROOMS}


@pytest.mark.parametrize(("preset", "only"), [("latop", []), ("laptop", ["tinny"])])
def test_unknown_names_are_refused_before_anything_runs(built, preset, only, said, nothing_runs):
    with pytest.raises(ParameterError, match="did you mean"):
        building.build(built, preset, only, progress=said)


def test_a_failing_cell_fails_the_build_and_the_last_good_page_stays(built, said):
    before = (
        notebook(built).read_bytes(),
        (built / "site" / "chapters" / "01_tiny.html").read_bytes(),
    )
    (built / "notebooks" / "01_tiny.md").write_text(
        CHAPTER.replace("fig, ax = plt", "1 / 0\nfig, ax = plt")
    )
    with pytest.raises(
        ChapterError, match="chapter 01_tiny, code cell 3, .*: ZeroDivisionError: division by zero"
    ):
        building.build(built, "laptop", progress=said)
    assert (
        notebook(built).read_bytes(),
        (built / "site" / "chapters" / "01_tiny.html").read_bytes(),
    ) == before
    assert sorted(p.name for p in notebook(built).parent.iterdir()) == [
        "01_tiny.ipynb",
        "01_tiny.json",
    ]


DAMAGES = {
    "cut off": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "altered": lambda content: content.replace(b"fig-tiny", b"fig-tint").replace(
        b'"chapters"', b'"chapterz"'
    ),
    "another table": lambda content: b"[1]",
    "nested without end": lambda content: b"[" * 100_000,
    "no text": lambda content: b"\xff\xfe\x00",
}


@pytest.mark.parametrize("file", ["01_tiny.ipynb", "01_tiny.json"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_page_or_card_is_executed_again_and_never_published(
    built, said, monkeypatch, file, damage
):
    path = notebook(built).with_name(file)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert state.executed(built) == []
    assert "01_tiny.ipynb" not in site.filtered_toc(
        built / "book" / "_toc.yml", state.executed(built)
    )
    executed = []
    monkeypatch.setattr(building, "side_by_side", lambda waiting, *rest: executed.extend(waiting))
    monkeypatch.setattr(site, "bring_up_to_date", lambda *a, **k: True)
    building.build(built, "laptop", progress=said)
    assert [job.page.chapter.name for job in executed] == ["01_tiny"]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_card_of_the_site_only_builds_the_site_again(built, said, monkeypatch, damage):
    card = built / ".grokbook" / "site.json"
    card.write_bytes(DAMAGES[damage](card.read_bytes()))
    ran = []
    monkeypatch.setattr(
        site, "sphinx", lambda work, strict=True: ran.append(work) or built / "site"
    )
    monkeypatch.setattr(site.downloads, "put", lambda *a: None)
    monkeypatch.setattr(site, "swap", lambda *a: None)
    assert site.bring_up_to_date(built, progress=said)
    assert len(ran) == 1
    assert state.read(card)["chapters"] == ["01_tiny"]


def test_a_source_is_committed_when_the_last_commit_holds_it_unchanged(project):
    path = project / "notebooks" / "01_tiny.md"
    assert not state.committed(project, path)
    git(project, "init", "-q")
    assert not state.committed(project, path)
    git(project, "add", "notebooks")
    git(project, "commit", "-q", "-m", "one")
    assert state.committed(project, path)
    assert len(state.revision(project)) == 40
    path.write_text("changed")
    assert not state.committed(project, path)


def job(name, seconds, memory_mb=100.0):
    chapter = SimpleNamespace(label=f"chapter {name}", name=name)
    return Job(SimpleNamespace(chapter=chapter), Estimate(seconds, memory_mb))


@pytest.mark.parametrize(("count", "at_once"), [(1, 1), (2, 1), (2, 2), (5, 3), (16, 4)])
def test_the_longest_starts_first_and_the_cores_are_never_shared_twice(monkeypatch, count, at_once):
    monkeypatch.setenv("GROKBOOK_CORES", str(count))
    order = []
    held = [0]
    most = [0]

    def work(job, cores):
        order.append(job.predicted.seconds)
        held[0] += cores
        most[0] = max(most[0], held[0])
        time.sleep(0.01)
        held[0] -= cores

    side_by_side(
        [job(str(n), seconds) for n, seconds in enumerate([5, 60, 20, 90, 1, 8])],
        work,
        Kernels(),
        at_once,
    )
    assert sorted(order[:at_once]) == sorted([90, 60, 20, 8][:at_once])
    assert len(order) == 6
    assert most[0] <= count


def test_a_set_starts_after_every_page_whatever_it_is_predicted_to_take():
    """What its chapter's page has trained and checked is then there."""
    order = []
    jobs = [replace(job("a set", 90), variant="p = 47"), job("short", 1), job("long", 60)]
    side_by_side(jobs, lambda job, cores: order.append(job.page.chapter.name), Kernels())
    assert order == ["long", "short", "a set"]


def test_after_a_failure_nothing_starts_and_what_runs_is_finished():
    done = []
    begun = threading.Event()

    def work(job, cores):
        if job.page.chapter.name == "bad":
            begun.wait(10)
            raise ChapterError("it failed.")
        begun.set()
        time.sleep(0.05)
        done.append(job.page.chapter.name)

    with pytest.raises(ChapterError, match=r"^it failed\.$"):
        side_by_side([job("bad", 9), job("long", 8), job("late", 1)], work, Kernels(), 2)
    assert done == ["long"]


def test_more_memory_than_is_free_is_refused_and_the_largest_says_how_many_run_at_once(monkeypatch):
    monkeypatch.setattr(jobs, "free_memory_mb", lambda: 2000.0)
    refuse_too_large([job("a", 1, 1999)])
    with pytest.raises(
        ParameterError,
        match=r"chapter b is predicted to need 6,000 MB, more than the 2,000 MB that",
    ):
        refuse_too_large([job("a", 1, 10), job("b", 1, 6000)])
    monkeypatch.setenv("GROKBOOK_CORES", "4")
    several = [job("a", 1, 600), job("b", 1, 100), job("c", 1, 100), job("d", 1, 100)]
    assert (jobs.places(several), jobs.places(several, 2), jobs.places(several[1:])) == (3, 2, 3)


def test_above_an_hour_it_is_asked(built, said, monkeypatch, nothing_runs):
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    monkeypatch.setattr(jobs, "places", lambda *a: 2)
    assert jobs.admitted([job("a", 3000), job("b", 3000)]) == 2
    with pytest.raises(ParameterError, match="this is predicted to take 2.5 h; say --yes"):
        jobs.admitted([job("a", 3000), job("b", 9000)])
    assert jobs.admitted([job("a", 3000), job("b", 9000)], yes=True) == 2
    monkeypatch.setattr(building.costs, "page_estimate", lambda *a: Estimate(7200, 10))
    with pytest.raises(
        ParameterError, match=r"^this is predicted to take 2\.0 h; say --yes to start it\.$"
    ):
        building.build(built, "smoke", progress=said)


def family(marker):
    """Processes whose environment holds the marker."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            found += [int(path.parent.name)] if marker.encode() in path.read_bytes() else []
        except OSError:
            continue
    return found


@pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="processes are found through /proc"
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_build_that_is_stopped_leaves_no_process_and_says_how_to_go_on(project, number):
    """The chapter computes in its kernel and in a process of its own when the signal comes."""
    busy = "import subprocess, time\nchild = subprocess.Popen(['sleep', '1000'])\n"
    busy += "print('grokbook: started', file=sys.stderr, flush=True)\nwhile True:\n    pass"
    source = CHAPTER.replace('print("grokbook: step 10 of 30", file=sys.stderr)', busy)
    (project / "notebooks" / "01_tiny.md").write_text(source)
    marker = f"GROKBOOK_TEST={project.name}-{number}-{os.getpid()}"
    environment = {**os.environ, "GROKBOOK_HOME": str(project), **dict([marker.split("=")])}
    command = [
        sys.executable,
        "-c",
        "from companion.cli import main; main()",
        "build",
        "--preset",
        "smoke",
    ]
    # a shell's background job is born deaf to Ctrl-C
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, text=True, preexec_fn=heed
    ) as process:
        lines = []
        while "started" not in (lines[-1] if lines else ""):
            lines.append(process.stderr.readline())
            assert lines[-1], "".join(lines)
        assert len(family(marker)) >= 3
        process.send_signal(number)
        rest = process.stderr.read()
    assert any(not family(marker) or time.sleep(0.1) for _ in range(300)), "a process is left"
    if number != signal.SIGKILL:
        assert process.returncode == 130
        assert rest.splitlines()[-1].endswith("the same command goes on from there.")
        assert "Traceback" not in rest
