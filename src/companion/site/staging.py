"""The static site: staged in a temporary folder, built by Jupyter Book, checked, then swapped into
`site/`."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from companion import notebooks
from companion.checks import broken, drift
from companion.claims import export
from companion.claims.verdicts import settled, with_former
from companion.exercises import parser
from companion.notebooks import Notebook
from companion.page import cards, class_page, front, sources
from companion.page.drawing import NARROW
from companion.page.sources import Chapter
from companion.project import described, of, read_yaml, urls
from companion.python_source import SOURCES
from companion.site import cookbook, downloads, outputs, policy, sheets, state, variants
from companion.site.arranged import arranged
from companion.site.terminal import Progress
from companion.site.variants import Sets, Variant
from grokbook.errors import ChapterError, GrokbookError
from grokbook.files import filled, inside, remove, written
from grokbook.machine import cores
from grokbook.own_code import PACKAGES
from grokbook.paths import frame

OLD = "old-site"
"""What the site that a build replaces is called meanwhile."""

_LEFT_OUT = shutil.ignore_patterns("_build", "chapters", "__pycache__", ".*")
_PACKAGES = (
    "jupyter-book",
    "sphinx",
    "sphinx-book-theme",
    "myst-nb",
    "sphinx-mathjax-offline",
    "sphinx-proof",
)
MATHJAX_PARTS = (
    "startup.js",
    "core.js",
    "input/tex.js",
    "input/tex/extensions",
    "output/chtml.js",
    "output/chtml/fonts",
    "a11y/assistive-mml.js",
    "tex-svg-full.js",
)
"""What of the MathJax package goes into the site: the parts that pages load, and all in one for a
page in one file."""
_MOST_PROBLEMS = 10
"""Problems of a built site that a message has."""


def bring_up_to_date(root: Path, force: bool = False, progress: Progress | None = None) -> bool:
    """Build `site/` of the executed chapters if anything in it changed; whether it was built.

    Raises ChapterError with Sphinx's warnings, or with what the check found; the last good site
    then stays.
    """
    progress = progress or Progress()
    wanted = key(root)
    card = root / ".grokbook" / "site.json"
    known = state.read(card) or {}
    if not force and known.get("key") == wanted and (root / "site" / "index.html").exists():
        return False
    names = state.executed(root)
    progress.say(f"building the site: {len(names)} chapters")
    sets = {}
    for name in names:
        sets[name] = variants.made(root, sources.load(root / "notebooks" / f"{name}.md"))
    with workplace(root) as work:
        stage(root, work, names, sets=sets)
        cookbook.put(root, work / "source")
        html = sphinx(work)
        downloads.put(root, html, sets)
        _protect_and_check(root, html, names)
        manifest = drift.manifest(root, names)
        (html / drift.NAME).write_text(json.dumps(manifest, indent=0) + "\n", "utf-8")
        swap(html, root / "site")
    state.keep(card, {"key": wanted, "chapters": names})
    return True


def _protect_and_check(root: Path, html: Path, names: Sequence[str]) -> None:
    """Give the pages their policies, and raise ChapterError where the site is not in order."""
    figures = {name: (state.card(root, name) or {}).get("figures", []) for name in names}
    problems = policy.protect(html) + broken.problems(html, figures)
    if problems:
        rest = len(problems) - _MOST_PROBLEMS
        more = f"; and {rest} more" if rest > 0 else ""
        listed = "; ".join(problems[:_MOST_PROBLEMS])
        raise ChapterError(f"the built site is not in order: {listed}{more}")


def key(root: Path) -> str:
    """sha256 of everything the site is made from."""
    files = of(root).files()
    # the reference is made of every room's docstrings
    folders = [root / "book", frame(), *(SOURCES / name for name in PACKAGES)]
    for folder in dict.fromkeys(folders):
        files += _sources(folder)
    committed = {}
    for name in state.executed(root):
        committed[name] = state.committed(root, root / "notebooks" / f"{name}.md")
    return state.digest((committed, [path.name for path in files]), files, _PACKAGES)


def _sources(folder: Path) -> Iterator[Path]:
    """The files below a folder that the site is made from; of executed chapters their
    notebooks."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        is_hidden = any(part.startswith((".", "__pycache__", "_build")) for part in parts)
        is_card = parts[0] == "chapters" and path.suffix != ".ipynb"
        if path.is_file() and not is_hidden and not is_card:
            yield path


@contextmanager
def workplace(root: Path) -> Iterator[Path]:
    """A temporary folder on the same disk as the site; those of builds that were killed go, and a
    site in them is back.

    Who builds holds the lock of the checkout (`book.lock`). Raises RecordError where the disk is
    full.
    """
    folder = root / "book" / "_build"
    site = root / "site"
    for left in folder.glob("work-*"):
        for old in left.rglob(OLD):
            if old.is_dir() and not site.exists():  # killed between the two renames of `swap`
                old.rename(site)
        remove(left)
    with written(site):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix="work-") as work:
            yield Path(work)


# ------------------------------------------------------------------------------------------ staging


def stage(
    root: Path,
    work: Path,
    names: Sequence[str],
    folder: Path | None = None,
    sets: Sets | None = None,
) -> None:
    """Lay out `work/source` (what Sphinx reads) and `work/extra` (what is copied beside the pages).

    Executed chapters are those of the book, or of `folder`, whose pages stand alone;
    `sets` are the variants that have pages.
    """
    source = work / "source"
    extra = work / "extra"
    alone = folder is not None
    sets = sets or {}
    _put_frame(root, source)
    extra.mkdir()
    chapters = {name: sources.load(root / "notebooks" / f"{name}.md") for name in names}
    origin = folder or state.folder(root)
    executed = {name: notebooks.read(origin / f"{name}.ipynb") for name in names}
    if not alone:
        ledger = sheets.document(executed.get(of(root).ledger))
        sheets.put(source, chapters, executed, ledger)
    for name, chapter in chapters.items():
        page = source / f"{sources.page_of(name)}.ipynb"
        # what stands there while the front page is not executed
        page.with_suffix(".md").unlink(missing_ok=True)
        others = sets.get(name, [])
        put_page(arranged(executed[name], chapter, alone), page, extra, chapter, others)
        for variant in others:
            place = page.with_name(f"{variant.file}.ipynb")
            notebook = variants.shown(variant, executed[name])
            put_page(notebook, place, extra, chapter, others, variant.name)
    toc = source / "_toc.yml"
    toc.write_text(filtered_toc(toc, names), "utf-8")
    fill_pages(root, source, names, sets)
    _put_mathjax(extra / "mathjax")
    (extra / class_page.NAME).write_text(class_page.class_page(), encoding="utf-8")
    facts = pages(root, chapters, sets)
    if not alone:
        for name in names:
            card = state.card(root, name) or {}
            facts["pages"][sources.page_of(name)]["preset"] = card.get("preset")
    (source / "_pages.json").write_text(json.dumps(facts), "utf-8")


def _put_frame(root: Path, source: Path) -> None:
    """Copy what the pages outside the chapters are made of."""
    for part in ("_ext", "_static"):
        shutil.copytree(frame() / part, source / part, ignore=_LEFT_OUT)
    shutil.copytree(root / "book", source, ignore=_LEFT_OUT, dirs_exist_ok=True)
    (source / "_config.yml").write_text(configuration(root), encoding="utf-8")
    (source / "chapters").mkdir()


def _put_mathjax(folder: Path) -> None:
    for name in MATHJAX_PARTS:
        origin = mathjax_folder() / name
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if origin.is_dir():
            shutil.copytree(origin, copy)
        else:
            shutil.copyfile(origin, copy)


def configuration(root: Path) -> str:
    """The project's `_config.yml`, over the frame's: a table goes into a table, anything else takes
    its place."""

    def over(lower: Any, upper: Any) -> Any:
        if not isinstance(lower, dict) or not isinstance(upper, dict):
            return upper
        return lower | {name: over(lower.get(name), value) for name, value in upper.items()}

    frames = read_yaml(frame() / "_config.yml")
    own = read_yaml(root / "book" / "_config.yml")
    return yaml.safe_dump(over(frames, own), sort_keys=False)


def put_page(
    notebook: dict[str, Any],
    page: Path,
    extra: Path,
    chapter: Chapter,
    sets: Sequence[Variant],
    here: str = "",
) -> None:
    """Write the notebook of a page where Sphinx reads it, and what its outputs have beside it where
    the site has it."""
    put_narrow(notebook, extra / "narrow" / page.stem)
    for name, content in outputs.published(notebook).items():
        inside(extra, name).write_text(export.text(content), encoding="utf-8")
    variants.put_tabs(notebook, chapter, sets, here)
    page.write_text(json.dumps(notebook), encoding="utf-8")


def put_narrow(notebook: Notebook, folder: Path) -> None:
    """Take the drawings for narrow screens out of an executed notebook; they go to `folder` as
    `<figure>.svg`."""
    for output in notebooks.outputs(notebook):
        drawing = output.get("data", {}).pop(NARROW, None)
        if drawing:
            folder.mkdir(parents=True, exist_ok=True)
            name = output["metadata"]["grokbook"]["name"]
            inside(folder, f"{name}.svg").write_text(drawing, encoding="utf-8")


NEEDS = "% what each chapter needs\n"
"""A comment of a plain page in whose place the list of the chapters stands, with what they need."""

KNOBS = "% what can be turned\n"
"""A comment of a plain page in whose place a table of the chapters' parameter sets stands."""


def fill_pages(
    root: Path,
    source: Path,
    names: Collection[str],
    sets: Sets,
) -> None:
    """Put what the pages outside the chapters ask for into them: what each chapter needs and what
    can be turned in it, a table of exercises, links."""
    every = sources.load_all(root)
    elsewhere: dict[str, str] = {}
    for chapter in every:
        if chapter.name not in names:
            words = f"chapter {chapter.number.lstrip('0')}"
            elsewhere |= dict.fromkeys(variants.labels(chapter.source), words)
    tables = {
        parser.TABLE: parser.table({chapter.name: chapter.source for chapter in every}),
        NEEDS: front.needs(root),
        KNOBS: front.knobs(root, sets),
    }
    for page in [*source.glob("*.md"), *source.glob("*.ipynb"), *source.glob("chapters/*.ipynb")]:
        text = page.read_text(encoding="utf-8")
        for mark, table in tables.items():
            text = text.replace(mark, table)
        page.write_text(without_dead_links(text, names, elsewhere), encoding="utf-8")


_CHAPTER = r"(?:chapters/)?(?P<{}>\d\d[a-z]?_\w+)"
_LINKS = re.compile(
    rf"\[(?P<words>[^\[\]]+)\]\({_CHAPTER.format('page')}(?:\.ipynb)?(?:#(?P<anchor>[\w-]+))?\)"
    rf'|<a [^<>]*"{_CHAPTER.format("html")}\.html[^<>]*>(?P<text>[^<>]*)</a>'
    r"|\{(?:numref|eq|ref|prf:ref)\}`(?P<label>[\w-]+)`"
)
"""What leads to a chapter: a link in Markdown, one in HTML, a reference to a label."""


def without_dead_links(text: str, names: Collection[str], elsewhere: Mapping[str, str]) -> str:
    """The source of a page whose links to chapters that were not executed are words, in Markdown
    and in HTML.

    So are references to what has a label there: `elsewhere` has the words for each. A link to a
    figure of a chapter, `chapters/01_x.ipynb#fig-a`, leads to its label.
    """

    def replaced(link: re.Match[str]) -> str:
        if link["label"]:
            return elsewhere.get(link["label"], link[0])
        if (link["page"] or link["html"]) not in names:
            return link["words"] or link["text"]
        return f"[{link['words']}](#{link['anchor']})" if link["anchor"] else link[0]

    return _LINKS.sub(replaced, text)


def filtered_toc(file: Path, names: Collection[str]) -> str:
    """The table of contents without chapters that were not executed and without empty parts."""
    toc = read_yaml(file)
    parts = []
    for part in toc.get("parts", []):
        staying = []
        for chapter in part["chapters"]:
            folder, _, name = chapter["file"].rpartition("/")
            if folder != "chapters" or name in names:
                staying.append(chapter)
        if staying:
            parts.append({**part, "chapters": staying})
    return yaml.safe_dump({**toc, "parts": parts}, sort_keys=False)


def pages(
    root: Path,
    chapters: Mapping[str, Chapter],
    sets: Sets | None = None,
) -> dict[str, Any]:
    """For the site's extensions: launch links, questions, lead figures and sources of the pages;
    verdicts and where they are explained; pages of parameter sets."""
    sets = sets or {}
    facts: dict[str, Any] = {
        "launch": launches(root, chapters),
        "questions": {},
        "leads": {},
        "address": urls(root).get("Documentation"),
        "pages": {},
        "verdicts": with_former(settled()),
        "claims": sheets.of_claims(),
        "sheets": [cards.page_of_sheet(name) for name in chapters],
        "sets": variants.facts(sets),
    }
    for name, chapter in chapters.items():
        files = [variant.file for variant in sets.get(name, ())]
        for file in [name, *files]:
            facts["questions"][file] = chapter.question
            facts["leads"][file] = chapter.lead
            facts["pages"][sources.page_of(file)] = {"source": str(chapter.path)}
    return facts


def launches(root: Path, chapters: Mapping[str, Chapter]) -> dict[str, dict[str, str]]:
    """By chapter the addresses at which its page can be run; none where its source is not
    committed.

    Binder opens the chapter's source as a notebook; Colab, at a commit that is tagged as the
    version, the executed notebook among those that the release puts under a tag of their own.
    """
    links: dict[str, dict[str, str]] = {name: {} for name in chapters}
    repository = urls(root).get("Repository")
    revision = state.revision(root)
    if not repository or not revision:
        return links
    owner = repository.removesuffix(".git").rstrip("/").split("github.com/")[-1]
    tag = f"v{described(root)['version']}"
    is_released = tag in state.tags(root)
    factory = quote("Jupytext Notebook")
    for name, chapter in chapters.items():
        if not state.committed(root, chapter.path):
            continue
        file = quote(f"lab/tree/notebooks/{name}.md?factory={factory}", safe="")
        links[name]["Binder"] = f"https://mybinder.org/v2/gh/{owner}/{revision}?urlpath={file}"
        if is_released:
            place = f"github/{owner}/blob/notebooks-{tag}/{name}.ipynb"
            links[name]["Colab"] = f"https://colab.research.google.com/{place}"
    return links


def mathjax_folder() -> Path:
    """Where the installed MathJax lies.

    Raises GrokbookError when the package sphinx-mathjax-offline is not installed.
    """
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    if spec is None or spec.origin is None:
        raise GrokbookError(
            "MathJax is missing: install sphinx-mathjax-offline (it is in the extra `book`)."
        )
    return Path(spec.origin).parent / "static" / "mathjax"


# ----------------------------------------------------------------------------------------- building


_JUPYTER_BOOK = """
import functools, gc
import jupyter_book.sphinx
from jupyter_book.cli.main import main
from sphinx.application import Sphinx
from sphinx.domains import Domain
gc.set_threshold(1_000_000, 50, 1000)  # a quarter of the time goes to garbage otherwise
# Extensions that do not say that they can be read side by side do, and the command cannot ask.
Sphinx.is_parallel_allowed = lambda self, kind: True
Domain.merge_domaindata = lambda self, names, other: None
jupyter_book.sphinx.build_sphinx = functools.partial(
    jupyter_book.sphinx.build_sphinx, jobs={cores}
)
main()
"""
"""The program that builds a book, pages side by side."""


def sphinx(work: Path, strict: bool = True) -> Path:
    """Run Jupyter Book on `work/source`; the folder of the pages.

    Raises ChapterError with the warnings when there are any (strict) or the build fails.
    """
    command = [sys.executable, "-c", _JUPYTER_BOOK.format(cores=cores())]
    command += ["build", str(work / "source"), "--path-output", str(work / "out"), "--all"]
    command += ["-W", "--keep-going"] if strict else []
    ours = {
        "PYTHONWARNINGS": "ignore",
        "NO_COLOR": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "PYTHONIOENCODING": "utf-8",
    }
    done = subprocess.run(command, capture_output=True, env={**os.environ, **ours}, cwd=work)
    html = work / "out" / "_build" / "html"
    if done.returncode != 0:
        text = (done.stdout + done.stderr).decode(errors="replace")
        raise ChapterError(f"Sphinx does not accept the book: {_complaints(text, work)}")
    put_leading_on(work / "source", html)
    return html


MOVED = "_moved.yml"
"""What a project calls its list of former addresses, beside the table of contents: `old.html:
new.html` a line."""


def put_leading_on(source: Path, html: Path) -> None:
    """Write the pages that lead on: from the folder to the first page, from former addresses to
    what stands in their place.

    Raises ChapterError for a former address at which there is a page.
    """
    title = read_yaml(source / "_config.yml")["title"]
    template = Path(__file__).with_name("index.html")
    moved: dict[str, str] = read_yaml(source / MOVED) if (source / MOVED).is_file() else {}
    for old, page in {"index.html": "intro.html", **moved}.items():
        place = inside(html, old)
        if old in moved and place.exists():
            raise ChapterError(f"{MOVED} sends {old} away, and there is a page at this address.")
        text = filled(template, {"TITLE": escape(title), "PAGE": escape(page)})
        place.write_text(text, encoding="utf-8")


def _complaints(text: str, work: Path) -> str:
    """What Sphinx complains of, or where it says no such word its last lines."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text).replace(f"{work / 'source'}/", "")
    lines = [line.strip() for line in plain.splitlines()]
    complaints = [line for line in lines if re.search(r"\b(WARNING|ERROR|CRITICAL)\b", line)]
    return "; ".join(list(dict.fromkeys(complaints))[:20] or lines[-15:])


def swap(html: Path, target: Path) -> None:
    """Put the new site in the place of the old one: two renames, the old one back if the second
    fails."""
    old = html.parent / OLD
    if target.exists():
        target.rename(old)
    try:
        html.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
