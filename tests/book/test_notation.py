"""Every symbol of a page's mathematics is defined in book/notation.md, for the whole book or for that chapter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTATION = ROOT / "book" / "notation.md"
SOURCES = [*sorted((ROOT / "notebooks").glob("*.md")), *sorted((ROOT / "book").glob("*.md"))]
PAGES = [page for page in SOURCES if page != NOTATION]
GREEK_NAMES = """
    alpha beta gamma Gamma delta Delta epsilon varepsilon zeta eta theta Theta iota kappa lambda Lambda mu nu
    xi Xi pi Pi rho sigma Sigma tau upsilon phi varphi Phi chi psi Psi omega Omega ell
"""
NAMED = ("mathrm", "operatorname", "mathsf", "mathbb", "mathcal", "mathbf", "boldsymbol")
"""Commands whose argument is part of a symbol's name."""
STRUCTURE_NAMES = """
    frac tfrac dfrac sqrt sum prod int bigcup bigcap cup cap lVert rVert lvert rvert left right big Big bigl
    bigr Bigl Bigr langle rangle lfloor rfloor lceil rceil cdot cdots dots ldots vdots ddots times circ oplus
    otimes odot mid colon le leq ge geq lt gt ne neq equiv approx sim simeq propto in notin ni subset subseteq
    supset setminus emptyset varnothing to mapsto longmapsto longrightarrow rightarrow Rightarrow
    Longrightarrow iff implies Leftrightarrow downarrow uparrow quad qquad infty partial nabla pm mp perp
    parallel top prime dagger ast star square forall exists land lor neg min max sup inf lim log ln exp sin
    cos tan arctan arg deg det dim gcd Pr bmod pmod mod bar hat tilde dot ddot overline underline widehat
    widetilde vec text textstyle displaystyle scriptstyle begin end substack binom tbinom dbinom choose
    underbrace overbrace stackrel overset underset phantom hphantom not limits nolimits tag label eqref ref
    hline mathbin mathrel mathop middle backslash lbrace rbrace vert Vert bigm rm cosh sinh sgn hspace vspace
    bigoplus cong preceq succeq ll gg nonumber notag checkmark ker tr leftarrow hookrightarrow lnot
"""
"""Commands that are no symbols: relations, functions everyone knows, brackets, layout."""

GREEK, STRUCTURE = set(GREEK_NAMES.split()), set(STRUCTURE_NAMES.split())


def prose(source: str) -> str:
    """A source without front matter and without code blocks; directives keep their text, blocks of `{math}` as $$."""
    text = re.sub(r"\A---\n.*?\n---\n", "", source, flags=re.DOTALL)
    kept: list[str] = []
    stack: list[tuple[str, str]] = []
    for line in text.splitlines():
        fence = re.match(r"(`{3,})(\S*)", line)
        if fence and stack and fence[1] == stack[-1][0] and not fence[2]:
            kept.append("$$" if stack.pop()[1] == "{math}" else "")
        elif fence and not any(_is_code(kind) for _, kind in stack):
            stack.append((fence[1], fence[2]))
            kept.append("$$" if fence[2] == "{math}" else "")
        elif not any(_is_code(kind) for _, kind in stack):
            kept.append(line)
    return "\n".join(kept)


def _is_code(kind: str) -> bool:
    return kind == "{code-cell}" or not kind.startswith("{")


def mathematics(source: str) -> list[str]:
    """The formulas of a Markdown source; code, front matter and the labels of directives are no mathematics."""
    text = prose(source)
    blocks = re.findall(r"\$\$(.*?)\$\$", text, flags=re.DOTALL)
    text = re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL)
    text = re.sub(r"`[^`\n]+`", "", text)
    return blocks + re.findall(r"(?<!\\)\$([^$]+)\$", text)


def symbols(formula: str) -> set[str]:
    """The symbols of a formula: letters, Greek letters, upright names; with a subscript that is a name, both as one."""
    formula = re.sub(r"\\(?:text|textrm|textbf|tag|label|begin|end|color)\{[^{}]*\}(\{[lcr|]*\})?", " ", formula)
    formula = re.sub(r"\\operatorname\*", r"\\operatorname", formula)
    found: set[str] = set()
    token = r"\\(?:" + "|".join(NAMED) + r")\s*\{[^{}]*\}|\\[A-Za-z]+|[A-Za-z]"
    atom = re.compile(rf"({token})('*)(?:_(?:\{{((?:[^{{}}]|\{{[^{{}}]*\}})*)\}}|({token}|\d)))?")
    rest = formula
    while found_one := atom.search(rest):
        base, _, braced, bare = found_one.groups()
        sub = (braced if braced is not None else bare) or ""
        rest = rest[found_one.end() :]
        if base.startswith("\\") and base[1:] in STRUCTURE:
            rest = f" {sub} {rest}"
            continue
        name = re.sub(r"\s+", "", base)
        if re.fullmatch(r"[A-Z]|\\mathrm\{[^{}]+\}", sub.strip()):
            name += f"_{{{sub.strip()}}}"
        elif sub:
            found |= symbols(sub)
        found.add(name)
    return found


def tables(text: str) -> list[tuple[str, list[list[str]]]]:
    """The tables of a Markdown text: the heading each stands under, and its rows without the head."""
    found: list[tuple[str, list[list[str]]]] = []
    heading, rows = "", []
    for line in [*text.splitlines(), ""]:
        if line.startswith("#"):
            heading = line.lstrip("# ")
        if line.startswith("|"):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif rows:
            found.append((heading, rows[2:]))
            rows = []
    return found


def defined(text: str) -> dict[str, set[str]]:
    """Symbols that notation.md defines: key "" for the whole book, a chapter's two digits for that chapter alone."""
    known: dict[str, set[str]] = {"": set()}
    for heading, rows in tables(text):
        chapter = re.match(r"Chapter (\d+)", heading)
        key = f"{int(chapter[1]):02d}" if chapter else ""
        cells = [cell for row in rows for cell in re.findall(r"\$([^$]+)\$", row[0])]
        known.setdefault(key, set()).update(*(symbols(cell) for cell in cells))
    return known


def undefined(page: Path, known: dict[str, set[str]]) -> set[str]:
    """The symbols of a page that are not defined: a chapter has the book's and its own, other pages have all."""
    used = set().union(*(symbols(formula) for formula in mathematics(page.read_text(encoding="utf-8"))))
    own = known.get(page.name[:2], set()) if page.name[0].isdigit() else set().union(*known.values())
    return used - known[""] - own


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_symbol_of_a_page_is_on_the_notation_page(page):
    assert undefined(page, defined(NOTATION.read_text(encoding="utf-8"))) == set()


def test_every_chapter_s_own_symbols_are_used_there():
    """A row that no formula needs any more is dead."""
    known = defined(NOTATION.read_text(encoding="utf-8"))
    sources = {page.name[:2]: page for page in PAGES if page.name[0].isdigit()}
    for chapter, own in known.items():
        if chapter:
            formulas = mathematics(sources[chapter].read_text(encoding="utf-8"))
            assert own - set().union(*(symbols(f) for f in formulas)) == set(), f"chapter {chapter}"


def test_every_command_is_a_symbol_or_known_structure():
    r"""A command that is neither (a typing slip such as \lamda) would pass for a symbol."""
    names = {s for page in PAGES for f in mathematics(page.read_text(encoding="utf-8")) for s in symbols(f)}
    commands = {re.match(r"\\([A-Za-z]+)", name)[1] for name in names if name.startswith("\\")}
    assert commands - GREEK - set(NAMED) == set()


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


def test_an_undefined_symbol_is_seen(tmp_path):
    page = tmp_path / "03_x.md"
    page.write_text("---\na: $z$\n---\nLet $q < p$.\n\n```{code-cell} ipython3\nw = '$v$'\n```\n\n$$ p + k $$ (eq-a)\n")
    text = "## Task\n\n| symbol | meaning |\n| --- | --- |\n| $p$ | modulus |\n\n"
    text += "## Chapter 3\n\n| symbol | meaning |\n| --- | --- |\n| $k$ | a |\n"
    assert undefined(page, defined(text)) == {"q"}
