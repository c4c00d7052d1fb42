"""Where the project's folders are, with a checkout and without; what a process may use of the
machine."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from companion import claims, cli
from companion.page import sources
from grokbook import machine, paths
from grokbook.errors import GrokbookError, ParameterError
from project_tree import ROOT


def project(folder: Path) -> Path:
    (folder / "notebooks" / "deep").mkdir(parents=True)
    (folder / "book").mkdir()
    (folder / "book" / "_config.yml").write_text("")
    return folder


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    for name in ("GROKBOOK_HOME", "GROKBOOK_STORE"):
        monkeypatch.delenv(name, raising=False)
    return project(tmp_path / "clone")


@pytest.fixture
def installed(checkout, tmp_path, monkeypatch):
    """Grokbook in a `site-packages`, with what its wheel brings; the current folder has nothing to
    do with it."""
    package = tmp_path / "site-packages" / "grokbook"
    monkeypatch.setattr(paths, "__file__", str(package / "paths.py"))
    monkeypatch.setattr(paths, "INSTALLED", package / "_data")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return package / "_data"


def test_the_root_is_the_nearest_checkout_above(checkout, monkeypatch):
    assert (
        paths.project_root(checkout)
        == paths.project_root(checkout / "notebooks" / "deep")
        == checkout
    )
    monkeypatch.chdir(checkout / "notebooks")
    assert paths.project_root() == paths.checkout() == checkout
    assert paths.records_path() == checkout / "data" / "records"
    assert paths.local_store_path() == checkout / ".grokbook" / "records"
    assert paths.results_path(checkout) == checkout / "runs"
    assert not (checkout / "data").exists() and not (checkout / ".grokbook").exists(), (
        "nothing is created"
    )


def test_outside_any_checkout_it_is_that_of_the_installed_sources(checkout, tmp_path):
    assert paths.project_root(tmp_path) == ROOT


def made_by(monkeypatch, owners):
    """Let files have other owners and modes than they have: path -> (owner, whether everybody may
    write)."""
    real = Path.stat

    def said(path, **options):
        state = real(path, **options)
        owner, shared = owners.get(path, (os.geteuid(), False))
        values = [state.st_mode | 0o002 * shared, *state[1:4], owner, *state[5:]]
        return os.stat_result(values)

    monkeypatch.setattr(Path, "stat", said)


OTHER = os.geteuid() + 1000


@pytest.mark.parametrize("part", ["", "notebooks", "book", "book/_config.yml", "pyproject.toml"])
@pytest.mark.parametrize(
    ("owner", "shared", "ours"), [(OTHER, False, False), (OTHER, True, False), (0, False, True)]
)
def test_a_project_above_that_another_user_put_there_is_passed_over_and_named_once(
    checkout, tmp_path, monkeypatch, capsys, part, owner, shared, ours
):
    """As in a folder for all: what the system owns is taken where nobody else can change it."""
    (checkout / "pyproject.toml").write_text("")
    paths._passed_over.cache_clear()
    made_by(monkeypatch, {checkout / part: (owner, shared)})
    found = [paths.project_root(checkout / "notebooks"), paths.checkout(checkout / "notebooks")]
    assert found == ([checkout] * 2 if ours else [ROOT] * 2)
    said = f"{checkout} is another user's and is passed over; set GROKBOOK_HOME"
    assert capsys.readouterr().err.count(said) == 1 - ours
    monkeypatch.setenv("GROKBOOK_HOME", str(checkout))
    assert paths.project_root() == checkout


def test_a_project_of_links_that_another_user_put_there_is_passed_over(
    checkout, tmp_path, monkeypatch
):
    """What they lead to may be ours: beside it the other user puts the package that commands
    import."""
    shared = tmp_path / "shared"
    shared.mkdir()
    for part in ("notebooks", "book"):
        (shared / part).symlink_to(checkout / part)
    assert paths.checkout(shared) == shared
    plain, links = os.lstat, ("notebooks", "book")

    def of_another(path, *given, **named):
        found = plain(path, *given, **named)
        if Path(path).parent != shared or Path(path).name not in links:
            return found
        return os.stat_result((*found[:4], OTHER, *found[5:]))

    monkeypatch.setattr(os, "lstat", of_another)
    monkeypatch.setattr(Path, "lstat", lambda path: of_another(path))
    assert paths.checkout(shared) != shared


NOTES = "from pathlib import Path\n\nPath(__file__).with_name('ran').touch()\n"
PLANTED = {
    "pyproject.toml": '[tool.grokbook]\nchapters = "planted_1918"\nledger = ""\n',
    "planted_1918/__init__.py": "",
    "planted_1918/topic.py": NOTES,
}
LIBRARY = """
import sys
sys.path = [path for path in sys.path if path]
import companion.claims
import grokbook as gb
from grokbook.errors import GrokbookError
for use in (lambda: gb.load("nothing like it"), lambda: gb.records(), lambda: companion.claims.ledger()):
    try:
        use()
    except GrokbookError as error:
        print(error)
"""


@pytest.fixture
def planted(checkout):
    """A project with code of its own."""
    for name, text in PLANTED.items():
        (checkout / name).parent.mkdir(exist_ok=True)
        (checkout / name).write_text(text)
    return checkout


def ran(folder, *command, **environment):
    """What a process of Python says, in a folder below a project; whether code of the project
    ran."""
    (place := folder / "notebooks").mkdir(exist_ok=True)
    for file in folder.rglob("ran"):
        file.unlink()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")} | environment
    done = subprocess.run(
        [sys.executable, "-P", *command],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout + done.stderr, bool(list(folder.rglob("ran")))


def test_code_of_a_project_that_is_only_found_is_run_by_commands_and_never_by_the_library(planted):
    said, was_run = ran(planted, "-c", LIBRARY)
    assert (
        said.count("chapters = 'planted_1918' of [tool.grokbook] is no package that is installed")
        == 2
    )
    assert said.count("stands in the folder that GROKBOOK_HOME names") == 2 and not was_run
    assert ran(planted, "-m", "grokbook", "claims")[1], "a command is given in a project"
    assert ran(planted, "-c", LIBRARY, GROKBOOK_HOME=str(planted))[1], "it was named"


WORKER = """
import os
from grokbook.training.pool import Pool
with Pool(1) as pool:
    print(pool.submit(os.path.basename, "a/worked").result())
"""
KERNELS = """
import os
from companion.site.kernel import _loaded
process, _ = _loaded(os.getpid())
process.stdin.close()
print("worked" if process.wait() == 0 else "failed")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "module"), [(WORKER, "json"), (KERNELS, "ipykernel")], ids=["workers", "kernels"]
)
def test_processes_load_nothing_of_the_current_folder_that_who_started_them_does_not(
    planted, code, module
):
    """`python -m` would: a module that stands there goes before the library's."""
    (planted / "notebooks" / f"{module}.py").write_text(NOTES)
    assert ran(planted, "-c", code) == ("worked\n", False)


def test_a_command_names_its_project_to_what_it_starts_and_to_nobody_after_it(
    checkout, monkeypatch
):
    monkeypatch.chdir(checkout / "notebooks")
    with paths.chosen():
        assert os.environ["GROKBOOK_HOME"] == str(checkout)
        with paths.chosen():
            pass
        assert os.environ["GROKBOOK_HOME"] == str(checkout)
    assert "GROKBOOK_HOME" not in os.environ


@pytest.mark.parametrize("name", [os.devnull, "nothing", "\x1b[31m", "."])
def test_a_folder_that_is_named_and_no_project_is_refused_and_no_other_is_taken(
    tmp_path, monkeypatch, name
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROKBOOK_HOME", name)
    for find in (paths.checkout, paths.project_root):
        with pytest.raises(ParameterError, match=r"^GROKBOOK_HOME = .* is no project") as caught:
            find()
        assert str(caught.value).isprintable()


def test_without_a_checkout_chapters_are_read_from_the_package_and_results_go_elsewhere(
    installed, tmp_path
):
    with pytest.raises(GrokbookError, match="run inside a clone, or set GROKBOOK_HOME"):
        paths.project_root()
    project(installed)
    assert (
        paths.project_root() == installed and paths.records_path() == installed / "data" / "records"
    )
    assert paths.local_store_path() == tmp_path / "home" / ".grokbook" / "records"
    assert paths.results_path(installed) == tmp_path / "runs"
    with pytest.raises(GrokbookError, match="run inside a clone"):
        paths.checkout(installed / "notebooks")


def test_without_checkout_and_records_a_claim_of_runs_is_not_run(installed, monkeypatch, tmp_path):
    (installed).mkdir(parents=True)
    for name in ("notebooks", "book"):
        (installed / name).symlink_to(ROOT / name)
    assert claims.ledger(["GF20"]).verdict.tolist() == ["not run"]
    assert sources.find(paths.project_root(), "02").number == "02"
    with pytest.raises(GrokbookError, match="run inside a clone"):
        cli.record()


@pytest.mark.parametrize(
    ("share", "cores"), [("3", 3), *((s, os.cpu_count()) for s in ("", "0", "-1", "many", "1.5"))]
)
def test_a_share_is_what_a_process_may_use_and_one_that_is_no_number_of_cores_is_none(
    monkeypatch, share, cores
):
    monkeypatch.setenv(machine.CORES, share)
    assert machine.cores() == cores


def test_free_memory_is_what_is_available_within_the_limit_of_the_group(tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  2000000 kB\n")
    assert machine._available(tmp_path / "meminfo") == 2048
    assert machine._available(tmp_path / "absent") == machine._left_in_group(tmp_path) == math.inf
    group = {
        "memory.max": "max",
        "memory.current": "600000000",
        "memory.stat": "anon 1\ninactive_file 100000000\n",
    }
    for name, text in group.items():
        (tmp_path / name).write_text(text)
    assert machine._left_in_group(tmp_path) == math.inf
    (tmp_path / "memory.max").write_text("1000000000\n")
    assert machine._left_in_group(tmp_path) == 500
