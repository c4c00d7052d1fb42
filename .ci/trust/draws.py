"""Legal values of every chapter's parameters, drawn at random and executed: does a page die, or say
something absurd?

    python .ci/trust/draws.py --draws 200 --seed 7    200 over all chapters, others at another seed

A draw begins with the values of the preset `smoke` and changes one to three of them: to an end of
what the rule allows, next to it, or somewhere between. What the chapter refuses in a sentence is
drawn anew, as is what is predicted to take long. Each page is also held beside that of the preset,
as `grokbook run` does. The exit code is 1 where something is wrong.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from companion.checks import absurd
from companion.page import costs, parameters, sources
from companion.page.parameters import Parameter
from companion.page.sources import Chapter, Page
from companion.site import beside
from companion.site.execute import Run, execute
from companion.site.terminal import Progress
from grokbook.errors import GrokbookError, ParameterError

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 30
"""Predicted seconds that a page may take more than that of its preset."""
TRIES = 2_000
"""How often a draw is begun anew before its chapter is left out."""
WORDS = {"group": ["Z2xZ2", "Z3", "Z4", "Z5", "D3", "D4", "Z2xZ3", "Q8", "A4", "S3", "Z2xZ2xZ2"]}
"""What stands for a text whose choices are not a list."""


def ends(parameter: Parameter, values: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The least and the largest number that the rule of a parameter names, beside the other
    `values`; None for none.
    """
    least: float | None = None
    most: float | None = None
    for clause in (parameter.rule or "").split(" and "):
        for sign, text in parameters._bounds(clause).items():
            if sign.startswith(">"):
                least = parameters._number(text, values)
            else:
                most = parameters._number(text, values)
    return least, most


def value(
    parameter: Parameter, values: Mapping[str, Any], chapter: Chapter, draw: random.Random
) -> Any:
    """A value of the parameter's type within its rule, often an end of what is allowed; it may
    still be refused."""
    if parameter.type == "bool":
        return draw.choice([True, False])
    if parameter.type == "str":
        known = chapter.choices().get(parameter.name, {})
        every = [name for names in known.values() for name in names]
        return draw.choice(every or WORDS.get(parameter.name, [parameter.default]))
    least, most = ends(parameter, values)
    if parameter.type == "float":
        low = 0.0 if least is None else least
        high = 10 * max(abs(parameter.default), 1.0) if most is None else most
        between = draw.uniform(low, high)
        return draw.choice([low, high, low + 0.001 * (high - low), between, between])
    low = int(least or 0)
    high = int(most or 10 * max(parameter.default, 1))
    near = low + int((high - low + 1) ** draw.random())
    return draw.choice(
        [low, low + 1, low + 2, draw.randint(low, min(high, low + 30)), near, near, high - 1, high]
    )


def drawn(chapter: Chapter, draw: random.Random) -> Page | None:
    """A page with legal values that are not those of the preset; None where none was found."""
    plain = chapter.page("smoke")
    usual = costs.page_estimate(plain).seconds
    for _ in range(TRIES):
        count = min(draw.choice([1, 1, 2, 3]), len(chapter.parameters))
        names = draw.sample(chapter.parameters, count)
        changed = {one.name: value(one, plain.values, chapter, draw) for one in names}
        try:
            page = chapter.page("smoke", changed)
            page.experiments()
        except ParameterError:
            continue
        if page.changed and costs.page_estimate(page).seconds <= usual + LONGEST:
            return page
    return None


def wrong(page: Page, default: Run) -> list[str]:
    """What is wrong with a page once it is executed: an error, or absurd sentences, also where it
    is compared with the default."""
    try:
        run = execute(page, ROOT, Progress())
    except GrokbookError as error:
        return [f"died: {error}"]
    opening, _ = beside.parts(run.notebook, default.notebook, page, "the default")
    return absurd.sentences({"cells": [*run.notebook.cells, *opening]})


def draws(chapters: list[Chapter], count: int, seed: int) -> Iterator[Page]:
    """`count` draws, one of each chapter in turn."""
    for number in range(count):
        chapter = chapters[number % len(chapters)]
        draw = random.Random(f"{seed}, {chapter.name}, {number // len(chapters)}")
        if page := drawn(chapter, draw):
            yield page


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=50, help="how many over all chapters (50)")
    parser.add_argument("--seed", type=int, default=0, help="draws others")
    given = parser.parse_args()
    chapters = [chapter for chapter in sources.load_all(ROOT) if chapter.parameters]
    failed = False
    defaults: dict[str, Run] = {}
    for page in draws(chapters, given.draws, given.seed):
        chapter = page.chapter
        if chapter.name not in defaults:
            defaults[chapter.name] = execute(chapter.page("smoke"), ROOT, Progress())
        found = wrong(page, defaults[chapter.name])
        failed = failed or bool(found)
        print(page.command(), *found or ["right"], sep="\n    ", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
