"""A notebook that is handed out: what the site prints stands in it as plain Markdown.

In a chapter's source numbers, verdicts, conditions, references, citations, boxes and exercises are
roles and directives, which only the book understands. Here each of them becomes what the page
shows, so that Jupyter, Colab, VS Code or a plain text editor show it, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from companion.exercises import parser
from companion.page import when
from companion.page.drawing import NARROW
from companion.site.outputs import ANOTHER
from grokbook.errors import ChapterError

FENCE = re.compile(r"(?P<marks>`{3,}|~{3,}|:{3,}) *(?:\{(?P<name>[\w:-]+)\} *(?P<title>.*))?")
"""The first line of a fenced block; of a directive it has a name."""

ROLE = re.compile(
    r"\{(?P<role>[\w:-]+)\}(?P<marks>`+)(?P<asked>.+?)(?<!`)(?P=marks)(?!`)"
    r"|(?P<code>`+)(?!`).+?(?<!`)(?P=code)(?!`)",
    re.DOTALL,
)
"""A role in the text, with what it is asked; or code, in which none is meant."""

_OPTION = re.compile(r":([\w-]+):(?: +(.*))?")
_ANCHOR = re.compile(r"\(([\w-]+)\)=\s*")
_EQUATION = re.compile(r"\$\$ *\(([\w-]+)\) *$", re.MULTILINE)
_SPAN = re.compile(r"\[([^\[\]]*)\]\{[.#][\w .#-]*\}")
_MARK = re.compile(r"(?<=[^\s(|*])\*\([\w.]+: [a-z ]+\)\*")
"""The verdict of a sentence, which stands right after its full stop."""
_LINK = re.compile(r"(?<!!)\[([^\[\]]+)\]\(([^()\s]+)\)")
_FOLDED = "<details><summary>{}</summary>\n\n{}\n\n</details>"
_HIDES = ("remove-", "hide-")


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
        return when.read({key: str(value) for key, value in self.values.items()})


def baked(notebook: Any, known: Known) -> Any:
    """A copy of an executed notebook in plain Markdown, its exercises as cells, no solutions.

    Raises ChapterError for a role or directive for which there is no plain form.
    """
    from copy import deepcopy

    notebook = deepcopy(notebook)
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    text = _Text(known, parser.read("\n\n".join(prose)))
    cells = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cells += text.cells(cell.source)
            continue
        captions = _captions(cell, text)
        _bare(cell, text)
        if cell.source == ANOTHER:
            last = next(one for one in reversed(cells) if one.cell_type == "code")
            last.outputs += cell.outputs
        else:
            cells.append(cell)
        cells += captions
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number:03d}"
    if text.cited:
        cells.append(_markdown(text.references(), "references"))
    notebook.cells = cells
    return notebook


def markdown(notebook: Any) -> str:
    """A baked notebook as plain Markdown, which jupytext opens as a notebook again."""
    import jupytext

    return jupytext.writes(notebook, fmt="md")


def _markdown(text: str, name: str = "text") -> Any:
    from nbformat.v4 import new_markdown_cell

    return new_markdown_cell(text, id=name)


def _captions(cell: Any, text: _Text) -> list[Any]:
    """The captions of a cell's figures, a cell each, with their numbers."""
    captions = []
    for output in cell.get("outputs", []):
        label = output.get("metadata", {}).get("grokbook")
        if label is not None:
            number = text.known.labels.get(label["name"], Label("figure"))
            caption = f"**{number.words}** {text.plain(label['caption'])}"
            captions.append(_markdown(caption))
    return captions


def _bare(cell: Any, text: _Text) -> None:
    """Take from a code cell what hides it and what speaks to the site alone."""
    cell.outputs = [output for output in map(_shown, cell.outputs) if output is not None]
    for output in cell.outputs:
        data = output.get("data", {})
        if "text/markdown" in data:
            data["text/markdown"] = text.plain("".join(data["text/markdown"]))
    tags = [tag for tag in cell.metadata.get("tags", []) if not tag.startswith(_HIDES)]
    cell.metadata = type(cell.metadata)({"tags": tags} if tags else {})


def _shown(output: Any) -> Any | None:
    """An output as a notebook shows it; None for one that is for the site alone."""
    about = output.get("metadata", {})
    data = output.get("data", {})
    data.pop(NARROW, None)
    for_the_site = {"scrapbook", "grokbook_file", "grokbook_used"} & set(about)
    if for_the_site:
        return None
    if output.output_type != "stream":
        output["metadata"] = type(about)()
    return output


# ---------------------------------------------------------------------------------------- blocks


@dataclass(frozen=True)
class Block:
    """A fenced block of Markdown: its name and title where it is a directive, its lines."""

    name: str
    title: str
    options: Mapping[str, str]
    body: str
    source: str

    @property
    def is_folded(self) -> bool:
        """Whether a reader has to open it."""
        return "dropdown" in self.options.get("class", "")


def blocks(source: str) -> Iterator[str | Block]:
    """The prose of a source and its fenced blocks, in order.

    Example:
        >>> prose, tip = blocks("Before.\\n:::{tip}\\nDo.\\n:::\\n")
        >>> prose, tip.name, tip.body
        ('Before.\\n', 'tip', 'Do.')
    """
    lines = source.splitlines(keepends=True)
    prose: list[str] = []
    at = 0
    while at < len(lines):
        opened = FENCE.fullmatch(lines[at].strip())
        if opened is None:
            prose.append(lines[at])
            at += 1
            continue
        if prose:
            yield "".join(prose)
            prose = []
        end = _end(lines, at, opened["marks"])
        yield _block(opened, lines[at : end + 1])
        at = end + 1
    if prose:
        yield "".join(prose)


def _end(lines: Sequence[str], begin: int, marks: str) -> int:
    """The line that closes a block which begins with these marks; the last where none does."""
    for number in range(begin + 1, len(lines)):
        line = lines[number].strip()
        if len(line) >= len(marks) and set(line) == set(marks[0]):
            return number
    return len(lines) - 1


def _block(opened: re.Match[str], lines: Sequence[str]) -> Block:
    inner = [line.rstrip("\n") for line in lines[1:-1]]
    options = {}
    while opened["name"] and inner and (option := _OPTION.fullmatch(inner[0].strip())):
        options[option[1]] = option[2] or ""
        inner.pop(0)
    body = "\n".join(inner).strip("\n")
    title = (opened["title"] or "").strip()
    return Block(opened["name"] or "", title, options, body, "".join(lines))


def _quoted(text: str) -> str:
    """Markdown as a quotation."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


class _Text:
    """Markdown of a page in plain form; remembers which works were cited."""

    def __init__(self, known: Known, exercises: Iterable[parser.Exercise]) -> None:
        self.known = known
        self.exercises = {one.label: one for one in exercises}
        self.cited: dict[str, None] = {}

    def cells(self, source: str) -> list[Any]:
        """The cells of a text: exercises are cells of their own."""
        made: list[Any] = []
        prose = ""
        for part in blocks(source):
            exercise = None
            if isinstance(part, Block) and part.name == "exercise":
                exercise = self.exercises.get(part.options.get("label", ""))
            if exercise is None:
                prose += self._part(part)
                continue
            if prose.strip():
                made.append(_markdown(prose.strip()))
            made += self._exercise(exercise)
            prose = ""
        if prose.strip():
            made.append(_markdown(prose.strip()))
        return made

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
            return self._when(block.title, block.body) + "\n"
        body = self.plain(block.body)
        title = self._roles(block.title)
        label = block.options.get("label", "")
        if block.name in ("container", "div"):
            return f"{body}\n"
        if block.name.startswith("prf:"):
            kind = block.name.removeprefix("prf:")
            known = self.known.labels.get(label, Label(kind))
            name = f"{known.words} ({title})" if title else known.words
            return _quoted(f"**{name}.** {body}") + "\n"
        if block.name in ("admonition", "exercise", "note", "tip", "warning", "important"):
            head = title or block.name.capitalize()
            if label in self.known.labels:
                head = f"{self.known.labels[label].words}: {head}"
            if block.is_folded:
                return _FOLDED.format(_plain_line(head), body) + "\n"
            return _quoted(f"**{head}**\n\n{body}") + "\n"
        raise ChapterError(f"a download has no plain form of the directive {block.name!r}.")

    def _when(self, condition: str, words: str) -> str:
        """A text under a condition: itself, or what stands in its place."""
        instead = when.instead(" ".join(condition.split()), self.known.conditions)
        return f"*({instead})*" if instead else self.plain(words)

    def _exercise(self, exercise: parser.Exercise) -> list[Any]:
        """The cells of an exercise: words, stub with its check, hints."""
        from nbformat.v4 import new_code_cell

        number = self.known.labels.get(exercise.label, Label("exercise"))
        minutes = f"{exercise.minutes} minutes"
        about = f"*Difficulty {exercise.difficulty} of 3, {minutes}.*"
        words = self.plain(exercise.words)
        answer = self.plain(parser.answer_line(exercise.label))
        title = self._roles(exercise.title)
        text = f"### {number.words}: {title}\n\n{about} {words}\n\n{answer}"
        cells = [_markdown(text.strip())]
        if not exercise.essay:
            # an answer that is still to be filled in does not end "Run All"
            unanswered = {"tags": ["raises-exception"]}
            code = f"{parser.IMPORT}{exercise.stub}{exercise.call}"
            cells.append(new_code_cell(code, metadata=unanswered))
        cells.append(_markdown(parser.hints(map(self.plain, exercise.hints))))
        return cells

    # ---------------------------------------------------------------------------------- in a line

    def _prose(self, text: str) -> str:
        """Prose without anchors, comments, roles and attributes; equations have their numbers."""
        kept = []
        for line in text.splitlines(keepends=True):
            is_anchor = _ANCHOR.fullmatch(line.strip()) is not None
            if not is_anchor and not line.startswith(("% ", "+++")):
                kept.append(line)
        text = self._roles("".join(kept))
        text = _MARK.sub(r" \g<0>", text)
        text = _SPAN.sub(r"\1", text)
        text = _EQUATION.sub(self._equation, text)
        return _LINK.sub(self._link, text)

    def _roles(self, text: str) -> str:
        return ROLE.sub(self._role, text)

    def _role(self, found: re.Match[str]) -> str:
        """What a role prints.

        Raises ChapterError for one that has no plain form, and for a name that is not known.
        """
        forms: Mapping[str, Callable[[str], str]] = {
            "glue:text": self._glued,
            "verdict": self._verdict,
            "numref": self._reference,
            "eq": self._reference,
            "ref": self._reference,
            "prf:ref": self._reference,
            "cite": self._cited,
            "cite:p": self._cited,
            "cite:t": self._named,
            "when": self._half,
        }
        role = found["role"]
        if role is None:
            return found[0]
        if role not in forms:
            raise ChapterError(f"a download has no plain form of the role {role!r}.")
        return forms[role](found["asked"])

    def _glued(self, asked: str) -> str:
        name, _, form = asked.partition(":")
        if name not in self.known.values:
            raise ChapterError(f"no cell of the page glues {name!r}.")
        value = self.known.values[name]
        return format(value, form) if form else str(value)

    def _verdict(self, asked: str) -> str:
        claim, _, word = (part.strip() for part in asked.partition(":"))
        return f"*({claim}: {self.known.verdicts.get(claim, word)})*"

    def _half(self, asked: str) -> str:
        condition, _, words = asked.partition(";")
        return self._when(condition, words.strip())

    def _reference(self, asked: str) -> str:
        titled = re.fullmatch(r"(.+?)\s*<([\w-]+)>", asked, re.DOTALL)
        label = titled[2] if titled else asked
        found = self.known.labels.get(label)
        if titled and "%s" not in titled[1] and "{" not in titled[1]:
            return titled[1]
        # of a chapter that was not executed a page has no numbers either
        return found.words if found else "(elsewhere in the book)"

    def _cited(self, keys: str) -> str:
        each = [self._authors(key.strip(), ", ") for key in keys.split(",")]
        return f"({'; '.join(each)})"

    def _named(self, keys: str) -> str:
        each = [self._authors(key.strip(), " (") + ")" for key in keys.split(",")]
        return ", ".join(each)

    def _authors(self, key: str, before_year: str) -> str:
        works = self.known.bibliography.entries if self.known.bibliography else {}
        if key not in works:
            raise ChapterError(f"the bibliography has no work {key!r}.")
        self.cited[key] = None
        work = works[key]
        names = [str(person.rich_last_names[0]) for person in work.persons.get("author", [])]
        authors = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        return f"{authors}{before_year}{work.fields.get('year', '')}"

    def _equation(self, found: re.Match[str]) -> str:
        known = self.known.labels.get(found[1])
        return rf"\tag{{{known.number}}} $$" if known else "$$"

    def _link(self, found: re.Match[str]) -> str:
        """A link to a page of the site: its address where the site has one, its words elsewhere."""
        words, place = found[1], found[2]
        if re.match(r"\w+:", place):
            return found[0]
        file, _, anchor = place.partition("#")
        page = file.removeprefix("../").removeprefix("chapters/")
        if not self.known.address or not page:
            return words
        name, _, ending = page.rpartition(".")
        folder = "chapters/" if re.match(r"\d\d", page) else ""
        target = f"{name}.html" if ending in ("md", "ipynb") else page
        hash_ = f"#{anchor}" if anchor else ""
        return f"[{words}]({self.known.address.rstrip('/')}/{folder}{target}{hash_})"

    def references(self) -> str:
        """The works that were cited, as a list."""
        from io import StringIO

        from pybtex.plugin import find_plugin

        style = find_plugin("pybtex.style.formatting", "plain")()
        made = StringIO()
        works = style.format_bibliography(self.known.bibliography, list(self.cited))
        find_plugin("pybtex.backends", "markdown")().write_to_stream(works, made)
        return f"## References\n\n{made.getvalue().strip()}"


def _plain_line(text: str) -> str:
    """A text for a place of HTML that holds one line: no emphasis of Markdown."""
    return re.sub(r"[*_]{1,2}(\S.*?)[*_]{1,2}", r"\1", text)
