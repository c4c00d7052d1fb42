"""Chapters as written: `notebooks/NN_name.md` (or `NNa_name.md`) with a question, presets and typed
parameters."""

from __future__ import annotations

import importlib.util
import inspect
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from companion.page import parameters as params
from companion.page import variants
from companion.page.parameters import Parameter, Values
from companion.project import current
from grokbook.errors import ChapterError, GrokbookError, ParameterError, line, shown
from grokbook.files import as_text, whole

PRESETS = ("smoke", "laptop", "paper")
FRONT = "00_front_page"
"""The chapter whose page is the root of the site."""
_LONGEST = 1e9
"""Seconds that no page takes, whatever its front matter says."""
_FRONT_KEYS = {
    "question",
    "papers",
    "presets",
    "rules",
    "seconds",
    "example",
    "lead",
    "needs",
    "sets",
}


@dataclass(frozen=True)
class Chapter:
    """One chapter as its source file says it is; nothing of it has been executed."""

    path: Path
    source: str
    title: str
    question: str
    papers: tuple[str, ...]
    presets: Mapping[str, Values]
    parameters: tuple[Parameter, ...]
    seconds: Mapping[str, float] = field(default_factory=dict)
    example: Values = field(default_factory=dict)
    lead: str = ""
    needs: tuple[str, ...] = ()
    variants: Mapping[str, Values] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """`01_what_is_grokking`."""
        return self.path.stem

    @property
    def number(self) -> str:
        """`01`, or `04a` where a chapter has several pages."""
        return self.name.partition("_")[0]

    @property
    def label(self) -> str:
        """How messages name the chapter: `chapter 01_what_is_grokking`."""
        return f"chapter {self.name}"

    def page(self, preset: str, overrides: Values | None = None) -> Page:
        """The chapter with the parameters of a run: defaults, then the preset, then `overrides`,
        each checked.

        Raises ParameterError for an unknown preset or name, a wrong type and a broken rule.
        """
        if preset not in self.presets:
            raise ParameterError(params.unknown("preset", preset, list(self.presets), self.label))
        plain = params.merge(self.parameters, self.presets[preset], what=self.label)
        values = params.merge(self.parameters, plain, overrides or {}, what=self.label)
        changed = {}
        for name, value in values.items():
            if not params.same(value, plain[name]):
                changed[name] = value
        return Page(self, preset, values, changed)

    def choices(self) -> dict[str, dict[str, Sequence[str]]]:
        """What its texts may be, by parameter and kind: as its rules say, and `choices` of its
        topic."""
        found = {}
        for parameter in self.parameters:
            if listed := params.choices(parameter):
                found[parameter.name] = {"": listed}
        function = getattr(topic(self.name), "choices", None)
        return found if function is None else found | function()

    def notebook(self) -> Any:
        """The source as a notebook (nbformat 4) without outputs."""
        return read_notebook(self.source)


@dataclass(frozen=True)
class Page:
    """A chapter at a preset, with a reader's values over it: merged and checked once, and all that
    a page is made from.

    `changed` are those of the `values` that differ from the preset's.
    """

    chapter: Chapter
    preset: str
    values: Values
    changed: Values

    def experiments(self) -> dict[str, Any]:
        """What the chapter will ask the library for: name -> Experiment, as `plan` of its topic
        says; else nothing.

        So this is what refuses, before anything runs, values that do not fit together: it raises
        what the plan raises, and ParameterError for a text that is none of the chapter's choices.
        """
        for name, kinds in self.chapter.choices().items():
            known = list(chain(*kinds.values()))
            where = ""
            if len(known) > 12:
                where = f"the {len(known)} that `grokbook list {self.chapter.number}` names"
            if why := params.not_one_of(self.values[name], known, where):
                raise ParameterError(f"{name} = {shown(self.values[name])} {why}")
        function = getattr(topic(self.chapter.name), "plan", None)
        if function is None:
            return {}
        accepted = inspect.signature(function).parameters.keys()
        return function(**{name: self.values[name] for name in self.values.keys() & accepted})

    def command(self) -> str:
        """The command that makes this page again: preset, and every value in which it differs from
        the preset."""
        words = ["grokbook run", self.chapter.number, "--preset", self.preset]
        for name, value in self.changed.items():
            words.append(f"-p {name}={shlex.quote(line(value))}")
        return " ".join(words)


def topic(chapter: str) -> ModuleType | None:
    """The module of the chapters' package that is named as the chapter `NN_name`; None where there
    is none."""
    called = chapter.partition("_")[2]
    if not called.isidentifier():
        return None
    name = f"{current().package()}.{called}"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def read_notebook(source: str) -> Any:
    """The source of a chapter as a notebook."""
    import jupytext

    return jupytext.reads(source, fmt="md:myst")


def parameters_cell(notebook: Any) -> Any | None:
    """The code cell tagged `parameters`, or None."""
    tagged = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    if len(tagged) > 1:
        raise ChapterError(f"{len(tagged)} cells are tagged `parameters`; a chapter has one.")
    return tagged[0] if tagged else None


def load(path: Path) -> Chapter:
    """Read one chapter; raises ChapterError naming it and what is wrong with its front matter or
    parameters cell."""
    try:
        return _parsed(path, as_text(whole(path)))
    except (GrokbookError, OSError) as error:
        raise ChapterError(f"chapter {path.stem}: {error}") from error
    except Exception as error:  # a source that somebody else wrote can be wrong in any place
        said = f"its front matter is not what a chapter has ({type(error).__name__}: {line(error)})"
        raise ChapterError(f"chapter {path.stem}: {said}.") from error


@lru_cache(maxsize=64)  # a build, the ledger's page and the editions read all chapters many times
def _parsed(path: Path, source: str) -> Chapter:
    notebook = read_notebook(source)
    front = notebook.metadata.get("grokbook")
    if not isinstance(front, dict) or not front.get("question"):
        hint = "jupytext drops it without `notebook_metadata_filter: grokbook` under `jupytext:`"
        raise ChapterError(f"the front matter has no `grokbook:` table with a `question`; {hint}.")
    question = front["question"]
    if not isinstance(question, str) or not question.isprintable():
        raise ChapterError(f"its question is {shown(question)}, which is no text of one line.")
    if extra := set(front) - _FRONT_KEYS:
        raise ChapterError(
            params.unknown("key", min(extra), sorted(_FRONT_KEYS), "the front matter")
        )
    cell = parameters_cell(notebook)
    found = params.parse(cell.source, front.get("rules")) if cell else ()
    example = dict(front.get("example") or {})
    presets = _presets(front, found, example)
    return Chapter(
        path=path,
        source=source,
        title=_title(notebook),
        question=question,
        papers=tuple(front.get("papers") or ()),
        presets=presets,
        parameters=found,
        seconds=_seconds(front),
        example=example,
        lead=str(front.get("lead") or ""),
        needs=tuple(front.get("needs") or ()),
        variants=variants.named_in(front, found, presets),
    )


def _presets(
    front: Mapping[str, Any], parameters: Sequence[Parameter], example: Values
) -> dict[str, dict[str, Any]]:
    """The presets, each checked, alone and with the example over it."""
    given = front.get("presets") or {}
    if sorted(given) != sorted(PRESETS):
        raise ChapterError(
            f"its presets must be {', '.join(PRESETS)}, not {', '.join(given) or 'none'}."
        )
    presets = {name: dict(given[name] or {}) for name in PRESETS}
    for name, values in presets.items():
        try:
            params.merge(parameters, values)
            params.merge(parameters, values, example)
        except ParameterError as error:
            raise ChapterError(f"preset {name}: {error}") from error
    return presets


def _seconds(front: Mapping[str, Any]) -> dict[str, float]:
    seconds = dict(front.get("seconds") or {})
    for name, value in seconds.items():
        if name not in PRESETS or type(value) not in (int, float) or not 0 <= value < _LONGEST:
            raise ChapterError(f"seconds has {name}: {value!r}, no number of seconds of a preset.")
    return seconds


def _title(notebook: Any) -> str:
    for cell in notebook.cells:
        title = re.search(r"(?m)^# +(.+)$", cell.source)
        if title and cell.cell_type == "markdown":
            return title[1].strip()
    raise ChapterError("it has no title (a line `# ...`).")


def page_of(name: str) -> str:
    """Where the site has the page of a chapter, without its ending.

    >>> page_of("01_what_is_grokking"), page_of(FRONT)
    ('chapters/01_what_is_grokking', 'intro')
    """
    return "intro" if name == FRONT else f"chapters/{name}"


def chapter_paths(root: Path) -> list[Path]:
    """The chapter sources of a checkout, in order."""
    numbered = (root / "notebooks").glob("[0-9][0-9]*_*.md")
    return sorted(path for path in numbered if re.match(r"\d\d[a-z]?_", path.name))


def load_all(root: Path) -> list[Chapter]:
    """Every chapter of a checkout, in order."""
    return [load(path) for path in chapter_paths(root)]


def find(root: Path, name: str) -> Chapter:
    """The chapter that `name` means: `01`, `1`, `4a`, `what_is_grokking`, or the file's name.

    Raises ParameterError where no chapter is called so.
    """
    called = {}
    for path in chapter_paths(root):
        number, _, its_topic = path.stem.partition("_")
        for word in (path.stem, path.name, number, number.removeprefix("0"), its_topic):
            called[word] = path
    if name.strip() not in called:
        stems = [path.stem for path in chapter_paths(root)]
        raise ParameterError(params.unknown("chapter", name, stems, "this book"))
    return load(called[name.strip()])
