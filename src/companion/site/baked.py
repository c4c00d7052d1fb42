"""A notebook that is handed out: what the site prints stands in it as plain Markdown.

In a chapter's source numbers, verdicts, conditions, references, citations, boxes and exercises are
roles and directives, which only the book understands. Here each of them becomes what the page
shows, so that Jupyter, Colab, VS Code or a plain text editor show it, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from companion import notebooks
from companion.exercises import parser
from companion.notebooks import markdown_cell
from companion.page import when
from companion.page.drawing import NARROW
from companion.site.blocks import Block, blocks
from grokbook.errors import ChapterError

ROLE = re.compile(
    r"\{(?P<role>[\w:-]+)\}(?P<marks>`+)(?P<argument>.+?)(?<!`)(?P=marks)(?!`)"
    r"|(?P<code>`+)(?!`).+?(?<!`)(?P=code)(?!`)",
    re.DOTALL,
)
"""A role in the text, with its argument; or code, in which none is meant."""

_ANCHOR = re.compile(r"^\([\w-]+\)= *\n?|^(?:% |\+\+\+).*\n?", re.MULTILINE)
"""A line that the page does not print: a label, a comment, the end of a cell."""
_EQUATION = re.compile(r"\$\$ *\(([\w-]+)\) *$", re.MULTILINE)
_SPAN = re.compile(r"\[([^\[\]]*)\]\{[.#][\w .#-]*\}")
_MARK = re.compile(r"(?<=[^\s(|*])\*\([\w.]+: [a-z ]+\)\*")
"""The verdict of a sentence, which stands right after its full stop."""
_FORMULA = re.compile(
    r"(?P<code>`+)(?!`).+?(?<!`)(?P=code)(?!`)|(?<!\\)(?P<marks>\$\$?)[^$]+?(?<!\\)(?P=marks)",
    re.DOTALL,
)
"""A formula; or code, in which none is meant."""
_LINK = re.compile(r"(?<!!)\[([^\[\]]+)\]\(([^()\s]+)\)")
_FOLDED = "<details><summary>{}</summary>\n\n{}\n\n</details>"
_FOR_THE_SITE = ("scrapbook", "grokbook_file", "grokbook_used")
"""Keys of the metadata of an output that no notebook shows."""


@dataclass(frozen=True)
class Label:
    """What a reference to a label prints: the kind of thing it is, its number, its title."""

    kind: str
    number: str = ""
    title: str = ""

    @property
    def words(self) -> str:
        """`Fig. 1.2`, `(1.2)`, `Theorem 3.1`; of a section its title."""
        if self.kind == "equation":
            return f"({self.number})"
        names = {"figure": "Fig.", "section": self.title}
        name = names.get(self.kind, self.kind.capitalize())
        return f"{name} {self.number}".strip()


@dataclass(frozen=True)
class Known:
    """What the site knows of a page: labels, settled verdicts, the bibliography (of pybtex), its
    own address, and what the page's cells have glued.
    """

    labels: Mapping[str, Label] = field(default_factory=dict)
    verdicts: Mapping[str, str] = field(default_factory=dict)
    bibliography: Any = None
    address: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def conditions(self) -> when.Known:
        """The conditions among the glued values."""
        return when.read(self.values)


def baked(notebook: Any, known: Known) -> Any:
    """A copy of an executed notebook in plain Markdown, its exercises as cells, no solutions.

    Raises ChapterError for a role or directive for which there is no plain form.
    """
    notebook = deepcopy(notebook)
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    text = _Text(known, parser.read("\n\n".join(prose)))
    cells = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cells += text.cells(cell.source)
        else:
            cells += text.code(cell)
    notebooks.number(cells)
    if text.cited:
        cells.append(markdown_cell(text.references(), "references"))
    notebook.cells = cells
    return notebook


def markdown(notebook: Any) -> str:
    """A baked notebook as plain Markdown, which jupytext opens as a notebook again."""
    import jupytext

    return jupytext.writes(notebook, fmt="md")


def _quoted(text: str) -> str:
    """Markdown as a quotation, each formula on one line: in one of several lines JupyterLab prints
    the marks of the quotation as "greater than"."""
    text = _FORMULA.sub(_on_one_line, text)
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines()) + "\n"


def _on_one_line(found: re.Match[str]) -> str:
    """A formula on one line; code as it is."""
    return found[0] if found["code"] else re.sub(r"\s*\n\s*", " ", found[0])


class _Text:
    """Markdown of a page in plain form; remembers which works were cited."""

    def __init__(self, known: Known, exercises: Iterable[parser.Exercise]) -> None:
        self.known = known
        self.exercises = {exercise.label: exercise for exercise in exercises}
        self.cited: dict[str, None] = {}
        self.roles: Mapping[str, Callable[[str], str]] = {
            "glue:text": self._glued,
            "verdict": self._verdict,
            "numref": self._reference,
            "eq": self._reference,
            "ref": self._reference,
            "prf:ref": self._reference,
            "cite": self._cited,
            "cite:p": self._cited,
            "cite:t": self._cited_in_text,
            "when": self._half_sentence,
        }

    # ------------------------------------------------------------------------------------- cells

    def cells(self, source: str) -> list[Any]:
        """The cells of a text: exercises are cells of their own."""
        cells: list[Any] = []
        prose = ""
        for part in blocks(source):
            exercise = None
            if isinstance(part, Block) and part.name == "exercise":
                exercise = self.exercises.get(part.options.get("label", ""))
            if exercise is None:
                prose += self._part(part)
                continue
            if prose.strip():
                cells.append(markdown_cell(prose.strip()))
            cells += self._exercise(exercise)
            prose = ""
        if prose.strip():
            cells.append(markdown_cell(prose.strip()))
        return cells

    def code(self, cell: Any) -> list[Any]:
        """A code cell without what hides it and what speaks to the site alone; below it the caption
        of its figure."""
        outputs = []
        captions = []
        for output in cell.outputs:
            about = output.get("metadata", {})
            if any(key in about for key in _FOR_THE_SITE):
                continue
            if figure := about.get("grokbook"):
                number = self.known.labels.get(figure["name"], Label("figure"))
                caption = self.plain(figure["caption"])
                captions.append(markdown_cell(f"**{number.words}** {caption}"))
            if output.output_type != "stream":
                output["metadata"] = type(about)()
            data = output.get("data", {})
            data.pop(NARROW, None)
            if "text/markdown" in data:
                data["text/markdown"] = self.plain(data["text/markdown"])
            outputs.append(output)
        cell.outputs = outputs
        tags = [tag for tag in cell.metadata.get("tags", []) if not tag.startswith("remove-")]
        cell.metadata = type(cell.metadata)({"tags": tags} if tags else {})
        return [cell, *captions]

    def _exercise(self, exercise: parser.Exercise) -> list[Any]:
        """The cells of an exercise: words, stub with its check, hints."""
        from nbformat.v4 import new_code_cell

        number = self.known.labels.get(exercise.label, Label("exercise"))
        about = f"*Difficulty {exercise.difficulty} of 3, {exercise.minutes} minutes.*"
        words = self.plain(exercise.words)
        answer = self.plain(parser.answer_line(exercise.label))
        title = self._inline(exercise.title)
        text = f"### {number.words}: {title}\n\n{about} {words}\n\n{answer}"
        cells = [markdown_cell(text.strip())]
        if not exercise.essay:
            # an answer that is still to be filled in does not end "Run All"
            unanswered = {"tags": ["raises-exception"]}
            code = f"{parser.IMPORT}{exercise.stub}{exercise.call}"
            cells.append(new_code_cell(code, metadata=unanswered))
        cells.append(markdown_cell(parser.hints(map(self.plain, exercise.hints))))
        return cells

    # ------------------------------------------------------------------------------------ blocks

    def plain(self, source: str) -> str:
        """A text without roles and directives."""
        return "".join(self._part(part) for part in blocks(source)).strip("\n")

    def _part(self, part: str | Block) -> str:
        if isinstance(part, str):
            return self._prose(part)
        if not part.name:
            return part.source
        return self._directive(part)

    def _directive(self, block: Block) -> str:
        """A directive in plain form.

        Raises ChapterError for one that has none.
        """
        if block.name == "solution":
            return ""
        if block.name == "when":
            return self._when(block.title, f"\n\n{block.body}", _quoted) + "\n"
        if block.name in ("container", "div"):
            return f"{self.plain(block.body)}\n"
        if block.name in ("admonition", "exercise") or block.name.startswith("prf:"):
            return self._box(block)
        raise ChapterError(f"a download has no plain form of the directive {block.name!r}.")

    def _box(self, block: Block) -> str:
        """A box, or a theorem with its kin: its name above what stands in it."""
        kind = Label(block.name.removeprefix("prf:")) if block.name.startswith("prf:") else None
        label = self.known.labels.get(block.options.get("label", ""), kind)
        head = ": ".join(filter(None, (label.words if label else "", self._inline(block.title))))
        body = self.plain(block.body)
        if "dropdown" in block.options.get("class", ""):  # folded
            # a place of HTML that holds one line: no emphasis of Markdown
            line = re.sub(r"[*_]{1,2}(\S.*?)[*_]{1,2}", r"\1", head)
            return _FOLDED.format(line, body) + "\n"
        return _quoted(f"**{head}**\n\n{body}")

    def _when(
        self, condition: str, words: str, marked: Callable[[str], str] = "({})".format
    ) -> str:
        """A text under a condition: itself, or what stands in its place, marked."""
        instead = when.instead(condition, self.known.conditions, words)
        return marked(self.plain(instead)) if instead else self.plain(words)

    # ---------------------------------------------------------------------------------- in a line

    def _prose(self, text: str) -> str:
        """Prose without anchors, comments, roles and attributes; equations have their numbers."""
        text = self._inline(_ANCHOR.sub("", text))
        text = _MARK.sub(r" \g<0>", text)
        text = _SPAN.sub(r"\1", text)
        text = _EQUATION.sub(self._equation, text)
        return _LINK.sub(self._link, text)

    def _inline(self, text: str) -> str:
        return ROLE.sub(self._role, text)

    def _role(self, match: re.Match[str]) -> str:
        """What a role prints.

        Raises ChapterError for one that has no plain form, and for a name that is not known.
        """
        role = match["role"]
        if role is None:
            return match[0]
        if role not in self.roles:
            raise ChapterError(f"a download has no plain form of the role {role!r}.")
        return self.roles[role](match["argument"])

    def _glued(self, argument: str) -> str:
        name, _, form = argument.partition(":")
        if name not in self.known.values:
            raise ChapterError(f"no cell of the page glues {name!r}.")
        value = self.known.values[name]
        return format(value, form) if form else str(value)

    def _verdict(self, argument: str) -> str:
        claim, _, word = map(str.strip, argument.partition(":"))
        return f"*({claim}: {self.known.verdicts.get(claim, word)})*"

    def _half_sentence(self, argument: str) -> str:
        condition, _, words = argument.partition(";")
        return self._when(condition, words.strip())

    def _reference(self, argument: str) -> str:
        words, _, name = argument.rpartition("<")
        if words and not re.search(r"%s|\{", words):
            return words.strip()
        label = self.known.labels.get(name.rstrip(">"))
        # of a chapter that was not executed a page has no numbers either
        return label.words if label else "(elsewhere in the book)"

    def _cited(self, keys: str) -> str:
        works = [", ".join(self._work(key)) for key in keys.split(",")]
        return f"({'; '.join(works)})"

    def _cited_in_text(self, keys: str) -> str:
        works = ["{} ({})".format(*self._work(key)) for key in keys.split(",")]
        return ", ".join(works)

    def _work(self, key: str) -> tuple[str, str]:
        """Authors and year of a work, which is cited now."""
        works = self.known.bibliography.entries if self.known.bibliography else {}
        key = key.strip()
        if key not in works:
            raise ChapterError(f"the bibliography has no work {key!r}.")
        self.cited[key] = None
        persons = works[key].persons.get("author", [])
        names = [str(person.rich_last_names[0]) for person in persons]
        authors = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        return authors, works[key].fields.get("year", "")

    def _equation(self, match: re.Match[str]) -> str:
        label = self.known.labels.get(match[1])
        return rf"\tag{{{label.number}}} $$" if label else "$$"

    def _link(self, match: re.Match[str]) -> str:
        """A link to a page of the site: its address where the site has one, its words elsewhere."""
        words, place = match[1], match[2]
        if re.match(r"\w+:", place):
            return match[0]
        page = place.removeprefix("../").removeprefix("chapters/")
        if not self.known.address or page.startswith("#"):
            return words
        folder = "chapters/" if re.match(r"\d\d", page) else ""
        target = re.sub(r"\.(?:md|ipynb)(?=#|$)", ".html", page)
        return f"[{words}]({self.known.address.rstrip('/')}/{folder}{target})"

    def references(self) -> str:
        """The works that were cited, as a list."""
        from io import StringIO

        from pybtex.plugin import find_plugin

        style = find_plugin("pybtex.style.formatting", "plain")()
        works = style.format_bibliography(self.known.bibliography, list(self.cited))
        stream = StringIO()
        find_plugin("pybtex.backends", "markdown")().write_to_stream(works, stream)
        return f"## References\n\n{stream.getvalue().strip()}"
