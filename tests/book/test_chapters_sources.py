"""Every chapter source keeps the form of a chapter: front matter, parameters, cells, exercises, glued numbers."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from grokbook.book import chapters
from grokbook.errors import ParameterError

ROOT = Path(__file__).resolve().parents[2]
SOURCES = chapters.chapter_paths(ROOT)
CELL_LINES = 25
WORDS_PER_LINE = 8
EXERCISES = 3


@pytest.fixture(params=SOURCES, ids=lambda path: path.stem)
def chapter(request):
    return chapters.load(request.param)


def code(source):
    """The code cells of a source: lists of their lines without options."""
    cells = re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", source, re.MULTILINE | re.DOTALL)
    return [[line for line in cell.splitlines() if not line.startswith(":")] for cell in cells]


def words(source):
    """The number of words of prose: no front matter, no cells, no fences, no mathematics on lines of its own."""
    text = re.sub(r"\A---\n.*?\n---\n", "", source, flags=re.DOTALL)
    text = re.sub(r"^```\{code-cell\}.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^\$\$.*?\$\$[^\n]*$", "", text, flags=re.MULTILINE | re.DOTALL)
    return len(re.findall(r"[A-Za-z][A-Za-z'-]+", re.sub(r"^(```|:).*$", "", text, flags=re.MULTILINE)))


def directives(source, name):
    """The bodies of all directives of this name."""
    return re.findall(rf"^(`{{3,}}|:{{3,}})\{{{name}\}}[^\n]*\n(.*?)^\1$", source, re.MULTILINE | re.DOTALL)


def glued(source):
    """Patterns of the keys that cells glue; a computed part of a key matches anything."""
    patterns = set()
    for lines in code(source):
        for node in ast.walk(ast.parse("\n".join(lines))):
            name = getattr(node.func, "attr", "") if isinstance(node, ast.Call) else ""
            if name in ("glue", "glue_all") and node.args:
                patterns.add(pattern(node.args[0]) + ("_.+" if name == "glue_all" else ""))
    return patterns


def pattern(key):
    if isinstance(key, ast.JoinedStr):
        return "".join(re.escape(p.value) if isinstance(p, ast.Constant) else ".+" for p in key.values)
    return re.escape(key.value) if isinstance(key, ast.Constant) else ".+"


def pasted(source):
    """The local keys that the prose asks for."""
    asked = re.findall(r"\{glue:text\}`([^`]+)`", source)
    return {key.partition(":")[0] for key in asked if "::" not in key}


def test_cited_papers_are_in_the_bibliography(chapter):
    known = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "book" / "references.bib").read_text(), re.MULTILINE))
    cited = {
        key.strip() for keys in re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", chapter.source) for key in keys.split(",")
    }
    assert chapter.papers and cited | set(chapter.papers) <= known


def test_the_question_is_one_and_every_parameter_has_a_help_text(chapter):
    assert chapter.question.endswith("?") and chapter.parameters
    assert [p.name for p in chapter.parameters if len(p.help.split()) < 2] == []


@pytest.mark.parametrize("preset", chapters.PRESETS)
def test_every_preset_is_accepted_by_rules_and_plan(chapter, preset):
    plan = chapter.experiments(chapter.values(preset))
    assert all(experiment.name for experiment in plan.values())


def test_a_parameter_refuses_what_breaks_its_rule_and_a_whole_number_is_never_without_a_bound(chapter):
    broken = {"<= 997 and prime": 4, "(0, 1)": 2, "[1, 1000]": 0}
    for parameter in chapter.parameters:
        for value in [broken.get(parameter.rule), 10**15 if parameter.type == "int" else None]:
            if value is not None:
                with pytest.raises(ParameterError, match=f"^{parameter.name} = "):
                    chapter.values("laptop", {parameter.name: value})


def test_a_hole_that_does_not_fit_is_refused_by_the_name_that_was_typed():
    with pytest.raises(ParameterError, match=r"^square = 97 must lie in \[0, p - 2\]; .* is 95\.$"):
        chapters.find(ROOT, "02").values("laptop", {"square": "97"})


def test_cells_are_short_and_there_is_more_prose_than_code(chapter):
    assert [len(lines) for lines in code(chapter.source) if len(lines) > CELL_LINES] == []
    lines = sum(1 for cell in code(chapter.source) for line in cell if line.strip())
    assert words(chapter.source) >= WORDS_PER_LINE * lines


def test_exercises_have_collapsed_solutions(chapter):
    exercises = [body for _, body in directives(chapter.source, "exercise")]
    solutions = [body for _, body in directives(chapter.source, "solution")]
    assert len(exercises) >= EXERCISES
    labels = re.findall(r"^:label: *(\S+)", "\n".join(exercises), re.MULTILINE)
    solved = re.findall(r"\{solution\} *(\S+)", chapter.source)
    assert sorted(labels) == sorted(solved)
    assert all(re.search(r"^:class: *.*dropdown", body, re.MULTILINE) for body in solutions)


def test_every_pasted_number_is_glued(chapter):
    patterns = glued(chapter.source)
    assert {key for key in pasted(chapter.source) if not any(re.fullmatch(p, key) for p in patterns)} == set()


def test_sources_hold_no_outputs_and_no_loops_of_their_own(chapter):
    assert "```{code-cell-output}" not in chapter.source
    definitions = (ast.FunctionDef, ast.ClassDef, ast.While)
    trees = [ast.parse("\n".join(lines)) for lines in code(chapter.source)]
    assert [n for tree in trees for n in ast.walk(tree) if isinstance(n, definitions)] == []


def test_every_chapter_is_in_the_table_of_contents_and_none_is_committed_executed():
    toc = (ROOT / "book" / "_toc.yml").read_text()
    assert [path.stem for path in SOURCES if f"chapters/{path.stem}\n" not in toc] == []
    assert list((ROOT / "notebooks").glob("*.ipynb")) == []


def test_the_helpers_of_these_tests_see_what_is_wrong():
    source = '---\na: b\n---\nTwo words\n\n```{code-cell} ipython3\n:tags: [x]\npage.glue(f"a_{p}", 1)\n```\n'
    source += "{glue:text}`a_97:.0f` {glue:text}`b`\n"
    assert code(source) == [['page.glue(f"a_{p}", 1)']]
    assert pasted(source) == {"a_97", "b"}
    assert [key for key in sorted(pasted(source)) if not any(re.fullmatch(p, key) for p in glued(source))] == ["b"]
    assert words("---\nx\n---\nTwo words\n```{code-cell}\nnot counted\n```\n") == 2
