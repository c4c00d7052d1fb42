"""The command line: what it prints, how it refuses."""

import shutil
import subprocess
import sys

import pandas as pd
import pytest
from typer.testing import CliRunner

import grokbook
from companion import cli
from companion.claims import choose, ledger, verdicts
from companion.page import costs
from companion.site import book, rerun
from grokbook import runs
from grokbook.errors import ChapterError
from grokbook.paths import project_root
from project_tree import ROOT

OVERHEAD = f"{costs.OVERHEAD_SECONDS:.0f} s"
SOURCE = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
grokbook:
  question: Is it short?
  presets: {smoke: {p: 23}, laptop: {}, paper: {p: 97}}
---
# A short chapter

```{code-cell} ipython3
:tags: [parameters]
p: int = 59  # prime modulus
```
"""


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A checkout with one chapter that was not executed."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "01_short.md").write_text(SOURCE)
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "_config.yml").write_text("title: x\n")
    (tmp_path / "data").mkdir()
    shutil.copyfile(project_root() / "data" / "verdicts.json", tmp_path / "data" / "verdicts.json")
    monkeypatch.setenv("GROKBOOK_HOME", str(tmp_path))
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(cli.app, list(arguments))


def refused(monkeypatch, capsys, *arguments):
    """Exit code and standard error of the installed command."""
    monkeypatch.setattr(sys, "argv", ["grokbook", *arguments])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    return stopped.value.code, capsys.readouterr().err


HEAVY = "('torch', 'numpy', 'sphinx', 'jupytext') if m in sys.modules"


def test_the_help_loads_nothing_heavy(root):
    code = "import sys; from companion import cli\ncli.app(['--help'], standalone_mode=False)\n"
    code += f"print([m for m in {HEAVY}], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_ctrl_c_says_how_to_go_on(root, monkeypatch):
    monkeypatch.setattr("companion.site.rerun.execute", ctrl_c)
    done = run("run", "1", "--preset", "smoke")
    assert done.exit_code == 130 and "the same command goes on from there." in done.output


def ctrl_c(*_arguments, **_named):
    raise KeyboardInterrupt


GU2024 = len(choose(paper="gu2024"))


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ("--version", [f"grokbook {grokbook.__version__}\n"]),
        ("list", ["01", "A short chapter", "Is it short?", OVERHEAD, "not executed"]),
        ("list 1", ["prime modulus", "int", "59", "23", "97", "laptop", "450 MB"]),
        (
            "claims --id G36",
            ["G36    holds", "task_and_model: The operation sorts", "\n1 claim: 1"],
        ),
        (
            "claims --paper gu2024",
            ["P03    fails", "task_and_model: The operation sorts", f"\n{GU2024} claims: "],
        ),
        ("claims --id EL", ["L04    holds with correction", f"\n{len(choose(['EL']))} claims: "]),
        ("claims --json --id G36", ['"id": "G36"', '"computed": false', '"verdict": "holds"']),
        ("claims --json --run --id G18", ['"computed": true', '"published": "1 (a product)"']),
        (
            "claims --run --id G18 --id G36",
            ["(a product)", "\n2 claims: 1 holds, 1 holds with correction.\n"],
        ),
    ],
)
def test_what_a_command_prints_and_that_claims_are_computed_only_when_asked(
    root, monkeypatch, arguments, parts
):
    if "--run" not in arguments:
        monkeypatch.setattr(
            sys.modules[ledger.__module__].Claim, "finding", lambda claim: pytest.fail("computed")
        )
    done = run(*arguments.split())
    assert done.exit_code == 0 and "DIFFERS" not in done.output
    assert (
        "claims" not in arguments
        or "--json" in arguments
        or max(map(len, done.output.splitlines())) <= 80
    )
    assert [part for part in parts if part not in done.output] == []


def test_a_page_without_parameters_is_listed_without_an_empty_table(monkeypatch):
    monkeypatch.setattr("grokbook.paths.project_root", lambda: ROOT)
    said = run("list", "00").output
    assert "It has no parameters." in said and " parameter " not in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("run 1 -p p=100", "grokbook: p = 100 is not prime; the nearest primes are 97 and 101.\n"),
        ("run 1 -p p", "grokbook: -p 'p' is not of the form name=value, such as -p p=113.\n"),
        ("run 1 -p P=5", "'P' is not a parameter of chapter 01_short; did you mean 'p'?"),
        ("run 1 --preset tiny", "'tiny' is not a preset of chapter 01_short"),
        (
            "run 1 --out {root}/file",
            "grokbook: --out {root}/file: {root}/file is a file, not a folder; name a folder",
        ),
        (
            "run 1 --out /proc/none/out",
            "--out /proc/none/out: /proc cannot be written; name another folder",
        ),
        (
            "run 1 --out {root}/file/deeper",
            "--out {root}/file/deeper: {root}/file is a file, not a folder",
        ),
        ("run shrt", "did you mean '01_short'?"),
        ("list 9", "'9' is not a chapter"),
        ("build --preset huge", "'huge' is not a preset"),
        ("claims --id G2", "no claim 'G2'; the nearest is G2"),
        ("claims --paper gu2026", "no paper 'gu2026'; the nearest is gu202"),
        ("claims --settle", "needs --run"),
        ("claims --json --run --settle", "give one of them"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2_before_anything_runs(
    root, monkeypatch, capsys, arguments, said
):
    (root / "file").write_text("")
    monkeypatch.setattr("companion.site.rerun.execute", lambda *a, **k: pytest.fail("computed"))
    code, err = refused(monkeypatch, capsys, *arguments.format(root=root).split())
    assert (code, err.count("\n")) == (2, 1) and said.format(root=root) in err
    assert not (root / "runs").exists()


def test_what_fails_is_one_line_and_exit_code_1_whatever_the_message(root, monkeypatch, capsys):
    def fails():
        raise ChapterError("one\n  two")

    monkeypatch.setattr(cli, "app", fails)
    assert refused(monkeypatch, capsys) == (1, "grokbook: one two\n")


def test_run_and_build_hand_their_options_on(root, monkeypatch):
    given = []
    monkeypatch.setattr(
        rerun, "rerun", lambda *a, **k: given.append((*a, k)) or ("a.ipynb", "a.html")
    )
    monkeypatch.setattr(book, "build", lambda *a, **k: given.append((*a, k)))
    assert "a.html" in run("run", "1", "--preset", "smoke", "-p", "p=29").output
    assert run("build", "--only", "1", "--strict", "--jobs", "3", "--yes").exit_code == 0
    (page, *ran), built = given
    assert (page.preset, page.values, ran) == (
        "smoke",
        {"p": 29},
        [root, None, {"yes": False}],
    )
    assert built == (root, "laptop", ["1"], True, False, {"jobs": 3, "yes": True})


def test_a_changed_verdict_is_marked_and_fails_until_it_is_settled(tmp_path, monkeypatch):
    file = tmp_path / "verdicts.json"
    file.write_text('{"G36": "fails"}')
    monkeypatch.setattr(verdicts.settled, "__defaults__", (file,))
    monkeypatch.setattr(verdicts.settle, "__defaults__", (file,))
    changed = run("claims", "--run", "--id", "G36")
    assert changed.exit_code == 1
    assert "DIFFERS from the settled verdict (settled: fails)" in changed.output
    assert "1 of them differ from what is settled: G36." in changed.output
    assert run("claims", "--run", "--settle", "--id", "G36").exit_code == 0
    assert verdicts.settled(file) == {"G36": "holds"}
    assert run("claims", "--run", "--id", "G36").exit_code == 0


def test_record_lists_and_hands_its_options_on(root, monkeypatch):
    given = []
    frame = pd.DataFrame({"experiment": ["gu2025/fig5[p=97]"]})
    monkeypatch.setattr(runs, "records_table", lambda *a: given.append(a) or frame)
    monkeypatch.setattr(runs, "record", lambda **options: given.append(options) or frame)
    assert "gu2025/fig5[p=97]" in run("record", "--list", "--only", "fig5").output
    assert run("record", "--seeds", "2", "--compiled").exit_code == 0
    asked = {
        "pattern": None,
        "seeds": 2,
        "workers": None,
        "update": "compiled",
    }
    assert given == [("fig5", None), asked]
