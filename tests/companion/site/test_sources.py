"""The texts of the book: chapters keep their form, every symbol is defined, every correction is in
the errata."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

from companion.claims.ledger import claims, moved
from companion.claims.verdicts import settled
from companion.exercises import parser
from companion.page import sources
from companion.site import staging as site
from companion.site import variants
from grokbook.errors import ParameterError
from project_tree import ROOT

SOURCES = [path for path in sources.chapter_paths(ROOT) if path.stem != sources.FRONT]
EXERCISES = 3
PARSER = create_md_parser(
    MdParserConfig(enable_extensions={"dollarmath", "colon_fence"}), RendererHTML
)


def text(name: str) -> str:
    """The text of a file of the book's folder."""
    return (ROOT / "book" / name).read_text(encoding="utf-8")


def tokens(source: str) -> Iterator[Any]:
    """What the book's Markdown parser finds in a text, within directives too; code is left out."""
    for token in PARSER.parse(source):
        fence = token.type in ("fence", "colon_fence")
        if (
            fence
            and token.info.startswith("{")
            and not token.info.startswith(("{code-cell}", "{math}"))
        ):
            yield from tokens(token.content)
        elif not fence or token.info.startswith("{math}"):
            yield from token.children or [token]


# ----------------------------------------------------------------------------------------- chapters


def test_a_label_is_one_thing_in_the_whole_book_and_every_reference_has_one():
    """Labels of equations, figures and statements: each once, and what {eq} names is there."""
    given = Counter()
    used = set()
    for path in SOURCES:
        source = path.read_text("utf-8")
        given.update(variants.labels(source))
        given.update(re.findall(r"^ +name: (fig-[\w-]+)$", source, re.MULTILINE))
        used |= set(re.findall(r"\{eq\}`([\w-]+)`", source))
    assert [label for label, number in given.items() if number > 1] == []
    assert used <= set(given)


@pytest.fixture(scope="module", params=SOURCES, ids=lambda path: path.stem)
def chapter(request):
    return sources.load(request.param)


def cells(source, kind="code"):
    """The text of the cells of a kind: without their options, without front matter."""
    return [cell.source for cell in sources.read_notebook(source).cells if cell.cell_type == kind]


def test_cited_papers_are_in_the_bibliography(chapter):
    cited = (
        ",".join(re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", chapter.source))
        .replace(" ", "")
        .split(",")
    )
    known = set(re.findall(r"^@\w+\{(\w+),", text("references.bib"), re.MULTILINE))
    assert chapter.papers and set(filter(None, cited)) | set(chapter.papers) <= known


def test_the_question_is_one_and_every_parameter_has_a_help_text(chapter):
    assert chapter.question.endswith("?") and chapter.parameters
    assert [p.name for p in chapter.parameters if len(p.help.split()) < 2] == []


def test_a_chapter_names_the_figure_that_leads(chapter):
    assert re.search(rf'"{chapter.lead}"|name: {chapter.lead}\b', chapter.source)


@pytest.mark.parametrize("preset", sources.PRESETS)
def test_every_preset_is_accepted_by_rules_and_plan(chapter, preset):
    plan = chapter.page(preset).experiments()
    assert all(experiment.name for experiment in plan.values())


def test_a_parameter_refuses_what_breaks_its_rule_and_a_whole_number_is_never_without_a_bound(
    chapter,
):
    broken = {"<= 997 and >= 5 and prime": 4, "(0, 1)": 2, "[1, 1000]": 0, "[0, p - 2]": 997}
    for parameter in chapter.parameters:
        for value in [broken.get(parameter.rule), 10**15 if parameter.type == "int" else None]:
            if value is not None:
                with pytest.raises(ParameterError, match=f"^{parameter.name} = "):
                    chapter.page("laptop", {parameter.name: value})


TOO_FAR = [
    ("01", {"p": 7}),
    ("02", {"p": 5, "square": 1, "strip": 1}),
    ("02", {"strip": 21, "train_fraction": 0.04}),
    ("03", {"d": 1024}),
    ("04c", {"p": 2}),
    ("05", {"p_other": 3}),
    ("05", {"p": 47}),
    ("05", {"n_seeds": 1}),
    ("05", {"steps": 100}),
    ("07", {"p": 3}),
    ("10", {"train_fraction": 0.99}),
    ("11", {"p": 4, "samples": 10}),
    ("13", {"primes_to": 11}),
    ("14", {"p": 2}),
    ("15", {"spread": 1e12}),
    ("16", {"d": 6}),
]
"""Values at which a page would break off, or say what is not so."""


@pytest.mark.parametrize(("name", "values"), TOO_FAR)
def test_values_that_a_page_cannot_show_are_refused_before_it_is_executed(name, values):
    chapter = sources.find(ROOT, name)
    with pytest.raises(ParameterError):
        chapter.page("smoke", values).experiments()


def test_names_of_a_chapter_are_defined_and_used(chapter):
    """As ruff says: none is missing, none is imported in vain."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F", "-"]
    code = "\n\n".join(cells(chapter.source))
    checked = subprocess.run(command, input=code, capture_output=True, text=True)
    assert "All checks passed" in checked.stdout


def test_the_values_of_the_page_are_set_by_its_first_cell_alone(chapter):
    """A later cell that assigned a parameter would tell a reader of a value that is not theirs."""
    own = set()
    assigned = {}
    for node in ast.walk(ast.parse("\n".join(cells(chapter.source)))):
        if isinstance(node, ast.AnnAssign):  # the cell of the parameters
            own.add(node.target)
        elif isinstance(node, ast.comprehension):
            own |= set(ast.walk(node.target))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            assigned[node] = node.id
    set_again = {name for node, name in assigned.items() if node not in own}
    assert set_again.isdisjoint(parameter.name for parameter in chapter.parameters)


def test_exercises_have_collapsed_solutions(chapter):
    labels = re.findall(
        r"^(?:`{3,}|:{3,})\{exercise\}[^\n]*\n:label: *(\S+)", chapter.source, re.MULTILINE
    )
    solved = re.findall(r"\{solution\} *(\S+)\n(?::label:.*\n)?:class: *.*dropdown", chapter.source)
    assert len(labels) >= EXERCISES and sorted(labels) == sorted(solved)
    assert chapter.source.count("{exercise}") == len(labels)
    # in the form that has a check and hints
    assert [one.label for one in parser.read(chapter.source)] == labels


COMMAND = re.compile(r"grokbook run (\d\w*)([^#\n`]*(?:\n[^\n`]*(?=`[^`]))?)")


def test_every_command_that_is_printed_is_accepted():
    """Outside the examples of what is refused, which begin with a dollar sign."""
    for page in [*SOURCES, *(ROOT / "book").glob("*.md"), ROOT / "README.md"]:
        for name, rest in COMMAND.findall(
            re.sub(r"(?m)^\$.*", "", page.read_text(encoding="utf-8"))
        ):
            preset, *_ = [*re.findall(r"--preset (\w+)", rest), "laptop"]
            chapter = sources.find(ROOT, name)
            given = dict(re.findall(r"-p\s+(\w+)=(\S+)", rest))
            assert chapter.page(preset, given).experiments() is not None


def test_every_chapter_is_in_the_table_of_contents_and_none_is_committed_executed():
    assert [
        path.stem for path in SOURCES if f"chapters/{path.stem}\n" not in text("_toc.yml")
    ] == []
    assert list((ROOT / "notebooks").glob("*.ipynb")) == []


# -------------------------------------------------------------------- kinds of error that came back

OF_THESE = ("of these", "of those", "some(")
"""Words that say of which runs a median is; a run that did not get there is none of them."""
MIDDLES = ("median", "mean")


def calls(node: ast.AST, *names: str) -> list[ast.Call]:
    """The calls of methods of these names in a node."""
    return [
        n
        for n in ast.walk(node)
        if isinstance(n, ast.Call) and getattr(n.func, "attr", "") in names
    ]


def names_in(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def medians_of_some(source: str) -> list[str]:
    """Functions that take a median or mean of what `dropna` left, and do not say of which."""
    silent = []
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        left = set()
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and calls(node.value, "dropna"):
                left |= set().union(*map(names_in, node.targets))
        middles = [call.func.value for call in calls(function, *MIDDLES)]
        of_some = [m for m in middles if calls(m, "dropna") or left & names_in(m)]
        if of_some and not any(words in ast.unparse(function) for words in OF_THESE):
            silent.append(function.name)
    return silent


@pytest.mark.parametrize(
    "folder", sorted({p.parent for p in (ROOT / "src/grokbook_chapters").rglob("*.py")}), ids=str
)
def test_a_median_of_the_runs_that_finished_says_so(folder):
    """A run that does not get there counts as later (`median_step`), or the sentence says that it
    is left out."""
    found = {path.name: medians_of_some(path.read_text("utf-8")) for path in folder.glob("*.py")}
    assert {name: functions for name, functions in found.items() if functions} == {}


# ----------------------------------------------------------------------------------------- notation

PAGES = sources.chapter_paths(ROOT)
PAGES += [page for page in sorted((ROOT / "book").glob("*.md")) if page.stem != "notation"]
LETTERS = """
    alpha beta gamma Gamma delta Delta epsilon varepsilon zeta eta theta Theta iota kappa lambda Lambda mu nu
    xi Xi pi Pi rho sigma Sigma tau upsilon phi varphi Phi chi psi Psi omega Omega ell hbar aleph Re Im
"""
"""Commands that are symbols; any other is structure: a relation, a function everyone knows, a
bracket, layout."""
NAMED = ("mathrm", "operatorname", "mathsf", "mathbb", "mathcal", "mathbf", "boldsymbol")
"""Commands whose argument is part of a symbol's name."""


@cache
def formulas(source: str) -> list[str]:
    """The formulas of a Markdown text; the options of a directive are none."""
    found = (
        t.content
        for t in tokens(source)
        if t.type.startswith("math") or t.info.startswith("{math}")
    )
    return [re.sub(r"(?m)^:\w+:.*", "", formula) for formula in found]


def used(source: str) -> set[str]:
    """The symbols of all formulas of a Markdown text."""
    return set().union(*map(symbols, formulas(source)))


def symbols(formula: str) -> set[str]:
    """The symbols of a formula: letters, Greek letters, upright names; with a subscript that is a
    name, both as one."""
    formula = re.sub(
        r"\\(?:text|textrm|textbf|tag|label|begin|end|color)\{[^{}]*\}(\{[lcr|]*\})?", " ", formula
    )
    formula = re.sub(r"\\operatorname\*", r"\\operatorname", formula)
    found: set[str] = set()
    token = r"\\(?:" + "|".join(NAMED) + r")\s*\{[^{}]*\}|\\[A-Za-z]+|[A-Za-z]"
    atom = re.compile(rf"({token})('*)(?:_(?:\{{((?:[^{{}}]|\{{[^{{}}]*\}})*)\}}|({token}|\d)))?")
    rest = formula
    while found_one := atom.search(rest):
        base, _, braced, bare = found_one.groups()
        sub = (braced if braced is not None else bare) or ""
        rest = rest[found_one.end() :]
        if re.fullmatch(r"\\[A-Za-z]+", base) and base[1:] not in LETTERS.split():
            rest = f" {sub} {rest}"
            continue
        name = re.sub(r"\s+", "", base)
        if re.fullmatch(r"[A-Z]|\\mathrm\{[^{}]+\}", sub.strip()):
            name += f"_{{{sub.strip()}}}"
        elif sub:
            found |= symbols(sub)
        found.add(name)
    return found


@cache
def defined(notation: str) -> dict[str, set[str]]:
    """The symbols of the tables of notation.md: key "" for the whole book, a chapter's number for
    that alone."""
    known: dict[str, set[str]] = {"": set()}
    for section in re.split(r"^#+ ", notation, flags=re.MULTILINE):
        chapter = re.match(r"Chapter (\d+)([a-z]?)", section)
        first = " ".join(re.findall(r"^\|((?:\\\||[^|\n])*)\|", section, re.MULTILINE))
        found = set().union(*map(symbols, re.findall(r"\$([^$]+)\$", first)))
        known.setdefault(f"{int(chapter[1]):02d}{chapter[2]}" if chapter else "", set()).update(
            found
        )
    return known


def undefined(page: Path, notation: str) -> set[str]:
    """The symbols of a page that are not defined: a chapter has the book's and its own, other pages
    have all."""
    known = defined(notation)
    own = (
        known.get(page.stem.partition("_")[0], set())
        if page.name[0].isdigit()
        else set().union(*known.values())
    )
    return used(page.read_text(encoding="utf-8")) - known[""] - own


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_symbol_of_a_page_is_on_the_notation_page(page):
    assert undefined(page, text("notation.md")) == set()


def test_every_chapter_s_own_symbols_are_used_there():
    """A row that no formula needs any more is dead."""
    sources = {page.stem.partition("_")[0]: page.read_text(encoding="utf-8") for page in SOURCES}
    dead = {
        number: own - used(sources[number])
        for number, own in defined(text("notation.md")).items()
        if number
    }
    assert not any(dead.values()), dead


def test_every_command_is_one_that_mathjax_knows():
    r"""A typing slip such as \lamda would pass for structure."""
    script = (site.mathjax_folder() / "tex-svg-full.js").read_text(encoding="utf-8")
    known = set(re.findall(r"(?:[{,\"']|\\\\)([A-Za-z]+)[\"']?:", script))
    text = " ".join(
        formula for page in PAGES for formula in formulas(page.read_text(encoding="utf-8"))
    )
    assert set(re.findall(r"\\([A-Za-z]+)", text)) <= known and "lamda" not in known


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"\frac1p \sum_{i=0}^{p-1} \lVert \phi(i+1) \rVert", {"p", "i", r"\phi"}),
        (r"W_E x_{k+1} + W_{\mathrm{pos}}", {"W_{E}", "x", "k", r"W_{\mathrm{pos}}"}),
        (r"\mathrm{MED}(\phi) \text{ for all } i", {r"\mathrm{MED}", r"\phi", "i"}),
        (r"\mathbb{R}^d \ni \bar a", {r"\mathbb{R}", "d", "a"}),
        (r"\ell_{\mathrm{eff}}", {r"\ell_{\mathrm{eff}}"}),
    ],
)
def test_symbols_of_a_formula(formula, expected):
    assert symbols(formula) == expected


# ------------------------------------------------------------------------------------------- errata


@cache
def errata() -> dict[str, list[str]]:
    """The cells of every row of the errata page that begins with ids of claims, by id."""
    plain = re.sub(r" \{verdict\}`[^`]*`", "", text("errata.md"))
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in plain.splitlines()
    ]
    named = [
        row for row in rows if row and re.fullmatch(r"([GPLT]\d\d|LT\d+)(, [GPLT]\d\d)*", row[0])
    ]
    return {one: row for row in named for one in row[0].split(", ")}


def corrected(*kinds: str) -> set[str]:
    """The claims of these kinds whose settled verdict is a correction."""
    wrong = ("holds with correction", "needs an assumption", "fails")
    return {
        claim.id for claim in claims() if claim.kind in kinds and settled().get(claim.id) in wrong
    }


def test_every_correction_has_a_row_and_no_row_is_about_a_claim_that_stands():
    """What a paper proves, defines or computes; an observation that does not hold is a finding, not
    a misprint."""
    entries = {moved().get(name, name) for name in errata()}
    assert corrected("theorem", "formula", "number") <= entries
    assert {
        name: settled()[name]
        for name in entries
        if settled()[name] in ("holds", "informal", "not run")
    } == {}
