"""The exercises of a chapter's source as objects: words, stub, hints, solution, minutes,
difficulty, objective.

An exercise begins with `*Difficulty 1 of 3, 10 minutes, objective 2.*` and has one block of Python.
It ends with the call of `check`; what the reader fills in is `...`. Paragraphs that begin with
`**Hint 1.**` and `**Hint 2.**` follow.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from companion.exercises.registry import Given, asked, modules
from companion.python_source import parsed
from grokbook.errors import ChapterError

DIRECTIVE = re.compile(
    r"^(`{3,}|:{3,})\{(exercise|solution)\} *([^\n]*)\n(.*?)^\1 *$", re.MULTILINE | re.DOTALL
)
_HEAD = re.compile(
    r"\*Difficulty (\d) of 3, (\d+) minutes[^.]*?, objective (\d)(, in words)?\.\*\s*"
)
_HINT = re.compile(r"^\*\*Hint (\d)\.\*\*\s+(.*?)(?=\s*\n\s*\n|\s*\Z)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```python\n(.*?)^```$\n?", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r"\A(?::\w+:.*\n)+")
IMPORT = "from companion.exercises import check\n"
"""The line of a stub that an edition moves to the cell of the check."""


@dataclass(frozen=True)
class Exercise:
    """One exercise of a page. `stub` is its code without the call of `check`, `call`; both empty
    where it is an essay.

    `objective` counts from 1; `solution` are the words of the solution, `code` its code.
    """

    label: str
    title: str
    difficulty: int
    minutes: int
    objective: int
    words: str
    stub: str
    call: str
    hints: tuple[str, ...]
    code: str
    solution: str

    @property
    def essay(self) -> bool:
        """Whether it is answered in words."""
        return not self.call

    def with_given(self, given: Given) -> tuple[str, str]:
        """Stub and call with other parameters: in the stub their assignments, in the call the
        values themselves.

        Raises ChapterError where the stub does not assign one of them on a line of its own.
        """
        stub = self.stub
        call = self.call
        for name, value in given.items():
            assigned = re.compile(rf"^{name} = .*?(?=\s*(#|$))", re.MULTILINE)
            if len(assigned.findall(stub)) != 1:
                raise ChapterError(
                    f"{self.label}: the stub needs one line `{name} = ...`, as {name} is drawn."
                )
            stub = assigned.sub(lambda _, said=f"{name} = {value!r}": said, stub)
            call = re.sub(rf"\b{name}={name}\b", lambda _, said=f"{name}={value!r}": said, call)
        return stub, call

    def answers(self) -> list[str]:
        """The expressions of the call that are the reader's answers."""
        call: Any = parsed(self.call).body[0]
        return [ast.unparse(argument) for argument in call.value.args[1:]]


def read(source: str) -> list[Exercise]:
    """The exercises of a chapter's source in the order of the page; none of those written without a
    check.

    Raises ChapterError naming the exercise and what its form lacks.
    """
    solutions = {}
    found = []
    for _, kind, title, body in DIRECTIVE.findall(source):
        if kind == "solution":
            solutions[title.strip()] = _OPTION.sub("", body)
        elif _HEAD.search(body):
            found.append((title.strip(), body))
    return [_one(title, body, solutions) for title, body in found]


def _label(body: str) -> str:
    found = re.search(r"^:label: *(\S+)", body, re.MULTILINE)
    return found[1] if found else ""


def _one(title: str, body: str, solutions: Mapping[str, str]) -> Exercise:
    label = _label(body)
    if label not in solutions:
        raise ChapterError(f"the exercise {title!r} has no label, or no solution.")
    body = _OPTION.sub("", body)
    head = _HEAD.search(body)
    assert head is not None
    hints = [text for _, text in _HINT.findall(body)]
    if len(hints) != 2:
        raise ChapterError(
            f"{label}: an exercise has two hints, `**Hint 1.**` and `**Hint 2.**`, not"
            f" {len(hints)}."
        )
    blocks = _BLOCK.findall(body)
    in_words = bool(head[4])
    if len(blocks) != (0 if in_words else 1):
        raise ChapterError(
            f"{label}: it has one block of Python, or is `in words` and has none; found"
            f" {len(blocks)}."
        )
    stub, call = _split(label, blocks[0]) if blocks else ("", "")
    return Exercise(
        label=label,
        title=title,
        difficulty=int(head[1]),
        minutes=int(head[2]),
        objective=int(head[3]),
        words=_HINT.sub("", _BLOCK.sub("", body.replace(head[0], "", 1))).strip(),
        stub=stub,
        call=call,
        hints=tuple(hints),
        code="\n".join(_BLOCK.findall(solutions[label])),
        solution=_BLOCK.sub("", solutions[label]).strip(),
    )


def _split(label: str, block: str) -> tuple[str, str]:
    """A block's stub and its last statement, the call of `check`."""
    last = parsed(block).body[-1]
    call = "".join(block.splitlines(keepends=True)[last.lineno - 1 :])
    if not call.startswith(f'check("{label}"') or IMPORT not in block:
        raise ChapterError(f'{label}: its block imports check and ends with check("{label}", ...).')
    return block.replace(IMPORT, "").removesuffix(call).strip() + "\n", call.strip()


def objectives(source: str) -> list[str]:
    """What a chapter's reader can do after it, the lines below "After this chapter you can"."""
    found = re.search(r"\*\*After this chapter you can\*\*\s+(.*?)(?=\n\n\S|\Z)", source, re.DOTALL)
    if found is None:
        return []
    return [" ".join(goal.split()) for goal in re.split(r"(?m)^- ", found[1])[1:]]


def hints(texts: Iterable[str]) -> str:
    """Hints in plain Markdown, each folded for itself."""
    folded = "<details><summary>Hint {}</summary>\n\n{}\n\n</details>"
    return "\n\n".join(folded.format(n, text) for n, text in enumerate(texts, 1))


TABLE = "% Here stands the table of all exercises.\n"
"""The line of a page in whose place the site has `table`."""


def table(chapters: Mapping[str, str]) -> str:
    """The exercises of chapters (sources by name) as a table in Markdown: links, minutes,
    difficulty, objectives."""
    rows = [
        "| chapter | exercise | time | difficulty | serves to |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, source in chapters.items():
        goals = objectives(source)
        number = name.partition("_")[0]
        for one in read(source):
            goal = goals[one.objective - 1].rstrip(".;").replace("|", r"\|")
            link = f"[{one.title}](chapters/{name}.ipynb#{one.label})"
            time = f"{one.minutes}\u00a0min"
            rows.append(f"| {number} | {link} | {time} | {one.difficulty} of 3 | {goal} |")
    return "\n".join(rows) + "\n"


def answer_line(label: str) -> str:
    """What an answer to an exercise is, and to how many digits, in Markdown; nothing for one
    without a check."""
    expected = asked(label).expected if label in modules() else ""
    return f"*Needed is:* {expected}" if expected else ""


def folded(text: str) -> str:
    """The text of a page whose exercises say what an answer is; their hints are folded, each for
    itself."""

    def fold(match: re.Match[str]) -> str:
        if match[2] != "exercise":
            return match[0]
        hint = r":::{admonition} Hint \1" + "\n:class: dropdown gb-hint\n" + r"\2" + "\n:::"
        body = _HINT.sub(hint, match[4])
        if line := answer_line(_label(body)):
            body = body.replace("```python\n", f"{line}\n\n```python\n", 1)
        return match[0].replace(match[4], body)

    return DIRECTIVE.sub(fold, text)
