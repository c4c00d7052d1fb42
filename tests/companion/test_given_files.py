"""A file that others made is read as a file, to a bound: a device or a pipe in its place is one
sentence."""

import os

import pytest

from companion.page import sources
from companion.project import of
from grokbook import files
from grokbook.errors import GrokbookError
from grokbook.models.interchange import load_checkpoint as load_weights
from grokbook.models.resnet import ResNet
from grokbook.runs.store import MANIFEST, Store
from grokbook.tasks.digits import read_idx
from grokbook.training.checkpoint import CheckpointWarning, load_checkpoint

READERS = {
    "pyproject.toml": lambda path: of(path.parent),
    "01_page.md": sources.load,
    MANIFEST: lambda path: Store(path.parent).entries(),
    "verdicts.json": files.read_json,
    "net.pt": lambda path: load_weights(path, ResNet(3)),
    "digits": read_idx,
}


@pytest.mark.parametrize("name", READERS)
def test_what_is_no_regular_file_is_one_sentence_and_nothing_is_read_of_it(tmp_path, name):
    """A device without an end, in a test one without a beginning: who opens it reads nothing, and
    says otherwise."""
    path = tmp_path / name
    path.symlink_to(os.devnull)
    with pytest.raises(GrokbookError, match="it is no regular file"):
        READERS[name](path)


def test_a_state_that_is_no_regular_file_is_named_and_the_run_starts_anew(tmp_path):
    path = tmp_path / "state.pt"
    path.symlink_to(os.devnull)
    with pytest.warns(CheckpointWarning, match=r"cannot be read \(it is no regular file\)"):
        assert load_checkpoint(path, "run") is None
    assert path.is_symlink()


def test_a_file_above_the_bound_is_refused(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"123")
    assert files.whole(path, 3) == b"123"
    with pytest.raises(OSError, match="it has more than 2 bytes"):
        files.whole(path, 2)


WORDS = ["[1]", "3", '"a\\e[31m"', '"two\\nlines"']
PLAIN = "presets: {smoke: {}, laptop: {}, paper: {}}"
FRONTS = [
    "presets: 3",
    "presets: [1]",
    "presets: {smoke: [1], laptop: {}, paper: {}}",
    "presets: {2020-01-01: {}, laptop: {}, paper: {}}",
    "presets: &all {smoke: *all, laptop: {}, paper: {}}",
    "presets: {smoke",
    "presets: !!python/object/apply:os.getcwd []",
    *(
        f"{PLAIN}\n  {more}"
        for more in (
            "seconds: {laptop: .nan}",
            "seconds: {laptop: .inf}",
            "seconds: [1]",
            "example: [1]",
            "needs: 5",
            "papers: 5",
            "sets: [1]",
        )
    ),
    *(f"{PLAIN}\n  {more}" for more in ("rules: x", "rules: {p: [1]}", "3: x")),
]
CELL = "# A page\n\n```{code-cell} ipython3\n:tags: [parameters]\np: int = 59\n```\n"


@pytest.mark.parametrize("front", FRONTS)
def test_a_front_matter_of_other_kinds_is_one_sentence(tmp_path, front):
    head = "jupytext: {text_representation: {extension: .md, format_name: myst}}\ngrokbook:\n  question: Is it?"
    (tmp_path / "01_page.md").write_text(f"---\n{head}\n  {front}\n---\n{CELL}")
    with pytest.raises(GrokbookError, match="^chapter 01_page: ") as caught:
        sources.load(tmp_path / "01_page.md")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("word", WORDS)
def test_a_question_that_is_no_text_of_one_line_is_one_sentence(tmp_path, word):
    head = f"jupytext: {{text_representation: {{extension: .md}}}}\ngrokbook: {{question: {word}}}"
    (tmp_path / "01_page.md").write_text(f"---\n{head}\n---\n{CELL}")
    with pytest.raises(GrokbookError, match="^chapter 01_page: its question is ") as caught:
        sources.load(tmp_path / "01_page.md")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", ["os", "this", "json.decoder", "no_such", "class"])
def test_chapters_that_are_no_package_are_one_sentence(tmp_path, name):
    (tmp_path / "pyproject.toml").write_text(f'[tool.grokbook]\nchapters = "{name}"\n')
    with pytest.raises(GrokbookError, match=f"chapters = '{name}' of .* is no package"):
        of(tmp_path).package()


TABLES = [
    "tool = 3",
    "[tool]\ngrokbook = 3",
    "[tool]\ngrokbook = [1]",
    "project = 3\n[tool.grokbook]",
]
TABLES += ["x = " + "[" * 5000, "\0"]


@pytest.mark.parametrize("text", TABLES)
def test_a_pyproject_of_other_kinds_is_one_sentence(tmp_path, text):
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(GrokbookError, match="is no table|cannot be read"):
        of(tmp_path)


@pytest.mark.parametrize("name", ["01_a.b", "01_", "01_a b", "01_\n"])
def test_a_page_whose_name_is_no_module_has_no_topic(name):
    assert sources.topic(name) is None
