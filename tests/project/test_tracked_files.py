"""What git holds: sources without outputs, and nothing that is true of one machine only."""

import re

import pytest

from project_tree import ROOT, tracked

TEXT = (
    ".py",
    ".md",
    ".toml",
    ".yml",
    ".yaml",
    ".txt",
    ".cff",
    ".bib",
    ".css",
    ".js",
    ".json",
    ".mplstyle",
)
NAMED = (
    "Makefile",
    "LICENSE",
    "LICENSE-TEXT",
    ".gitignore",
    ".ci/run",
    ".ci/wheel",
    ".binder/postBuild",
)
FORBIDDEN = {
    "a package registry's host": r"\b(pypi|npmjs|anaconda|debian|pythonhosted)\.(org|com|io)\b"
    r"|\b(deb|download|conda|registry|files)\.\w+\.(org|com)\b",
    "a path of one machine": r"(?<![\w.])/(work|root|home/\w+|opt/\w+|Users/\w+)/|/tmp/w\b|\bshared[/]",
    "a word about how the text was made": r"\bA[I]\b|\b[Cc]laude\b|\b[Aa]nthropic\b|\bL[L]Ms?\b|\bChat[G]PT\b"
    r"|language[ ]model",
}


def texts() -> list[str]:
    """The tracked files that are read here: text, without vendored scripts and without this
    file."""
    mine = "tests/project/test_tracked_files.py"
    return [
        f
        for f in tracked()
        if (f.endswith(TEXT) or f in NAMED) and "/vendor/" not in f and f != mine
    ]


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_tracked_file_names(what):
    pattern = re.compile(FORBIDDEN[what])
    lines = (
        (name, line) for name in texts() for line in (ROOT / name).read_text("utf-8").splitlines()
    )
    found = [f"{name}: {line.strip()[:80]}" for name, line in lines if pattern.search(line)]
    assert not found, f"{what}: {found}"


@pytest.mark.parametrize(
    ("what", "hit", "miss"),
    [
        (
            "a package registry's host",
            "see https://" + "download" + ".pytorch" + ".org/whl",
            "https://arxiv.org",
        ),
        ("a path of one machine", "cd /work" + "/main", "the framework/main loop, data/records/x"),
        ("a word about how the text was made", "written by A" + "I", "MAIN, a pair, session scope"),
    ],
)
def test_the_patterns_hit_what_they_should(what, hit, miss):
    assert re.search(FORBIDDEN[what], hit) and not re.search(FORBIDDEN[what], miss)


def test_nothing_that_is_built_or_huge_is_tracked():
    built = (
        "site/",
        "runs/",
        ".venv/",
        ".grokbook/",
        "book/_build/",
        "book/chapters/",
        "build/",
        "dist/",
    )
    assert not [name for name in tracked() if name.startswith(built) or "__pycache__" in name]
    largest = 11_000_000  # bytes of nine runs, of each 21 embeddings of 59 x 256
    assert not [name for name in tracked() if (ROOT / name).stat().st_size > largest]
