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

from companion import plain_yaml
from companion.checks import broken, drift
from companion.claims import export
from companion.claims.verdicts import settled, with_former
from companion.exercises import parser
from companion.page import cards, class_page, front, sources
from companion.page.drawing import NARROW
from companion.page.sources import Chapter
from companion.project import described, of
from companion.python_source import SOURCES
from companion.site import cookbook, downloads, outputs, policy, sheets, state, variants
from companion.site.arranged import arranged
from companion.site.terminal import Progress
from grokbook.errors import ChapterError, GrokbookError
from grokbook.files import filled, inside, read_json, remove, written
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


def bring_up_to_date(root: Path, force: bool = False, progress: Progress | None = None) -> bool:
    """Build `site/` of the executed chapters if anything in it changed; whether it was built.

    Raises ChapterError with Sphinx's warnings, or with what the check found; the last good site
    then stays.
    """
    progress = progress or Progress()
    wanted, card = key(root), root / ".grokbook" / "site.json"
    known = state.read(card) or {}
    if not force and known.get("key") == wanted and (root / "site" / "index.html").exists():
        return False
    names = state.executed(root)
    progress.say(f"building the site: {len(names)} chapters")
    chapters = {name: sources.load(root / "notebooks" / f"{name}.md") for name in names}
    sets = {name: variants.made(root, chapter) for name, chapter in chapters.items()}
    with workplace(root) as work:
        stage(root, work, names, sets=sets)
        cookbook.put(root, work / "source")
        html = sphinx(work)
        downloads.put(root, html, sets)
        refused = policy.protect(html)
        figures = {name: (state.card(root, name) or {}).get("figures", []) for name in names}
        problems = refused + broken.problems(html, figures)
        if problems:
            more = f"; and {len(problems) - 10} more" if len(problems) > 10 else ""
            raise ChapterError("the built site is not in order: " + "; ".join(problems[:10]) + more)
        held = drift.manifest(root)
        held["chapters"] = {name: held["chapters"][name] for name in names}
        (html / drift.NAME).write_text(json.dumps(held, indent=0) + "\n", "utf-8")
        swap(html, root / "site")
    state.keep(card, {"key": wanted, "chapters": names})
    return True


def key(root: Path) -> str:
    """sha256 of everything the site is made from."""
    files = of(root).files()
    # the reference is made of every room's docstrings
    packages = (SOURCES / name for name in PACKAGES)
    for folder in dict.fromkeys((root / "book", frame(), *packages)):
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            hidden = any(part.startswith((".", "__pycache__", "_build")) for part in inside.parts)
            if (
                path.is_file()
                and not hidden
                and not (inside.parts[0] == "chapters" and path.suffix != ".ipynb")
            ):
                files.append(path)
    known = {
        name: state.committed(root, root / "notebooks" / f"{name}.md")
        for name in state.executed(root)
    }
    return state.digest((known, [path.name for path in files]), files, _PACKAGES)


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
    notebooks: Path | None = None,
    sets: Mapping[str, Sequence[variants.Variant]] | None = None,
) -> None:
    """Lay out `work/source` (what Sphinx reads) and `work/extra` (what is copied beside the pages).

    Executed chapters are those of the book, or of the folder `notebooks`; `sets` are the variants
    that have pages.
    """
    import nbformat

    source, extra = work / "source", work / "extra"
    for part in ("_ext", "_static"):
        shutil.copytree(frame() / part, source / part, ignore=_LEFT_OUT)
    shutil.copytree(root / "book", source, ignore=_LEFT_OUT, dirs_exist_ok=True)
    (source / "_config.yml").write_text(configuration(root), encoding="utf-8")
    (source / "chapters").mkdir()
    extra.mkdir()
    chapters = {name: sources.load(root / "notebooks" / f"{name}.md") for name in names}
    sets = sets or {}
    folder = notebooks or root / "book" / "chapters"
    executed = {name: read_json(folder / f"{name}.ipynb") for name in names}
    if not notebooks:
        sheets.put(source, chapters, executed, sheets.document(executed.get(of(root).ledger)))
    for name, chapter in chapters.items():
        notebook, others = executed[name], sets.get(name, [])
        page = source / f"{sources.page_of(name)}.ipynb"
        # what stands there while the front page is not executed
        page.with_suffix(".md").unlink(missing_ok=True)
        put_page(
            arranged(notebook, chapter, alone=bool(notebooks)),
            page,
            extra,
            chapter,
            others,
        )
        for one in others:
            made = variants.shown(one, nbformat.read(folder / f"{name}.ipynb", as_version=4))
            put_page(made, page.with_name(f"{one.file}.ipynb"), extra, chapter, others, one.name)
    made = {name: {one.name: one.file for one in several} for name, several in sets.items()}
    fill_pages(root, source, names, made)
    for name in MATHJAX_PARTS:
        origin, copy = mathjax_folder() / name, extra / "mathjax" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if origin.is_dir() else shutil.copyfile)(origin, copy)
    (extra / class_page.NAME).write_text(class_page.class_page(), encoding="utf-8")
    toc = source / "_toc.yml"
    toc.write_text(filtered_toc(toc.read_text("utf-8"), names), "utf-8")
    facts = pages(root, chapters) | {"sets": variants.facts(sets)}
    for one in (one for several in sets.values() for one in several):
        facts["pages"][f"chapters/{one.file}"] = {"source": str(one.page.chapter.path)}
        facts["questions"][one.file], facts["leads"][one.file] = (
            one.page.chapter.question,
            one.page.chapter.lead,
        )
    for name in () if notebooks else names:
        facts["pages"][sources.page_of(name)]["preset"] = (state.card(root, name) or {}).get(
            "preset"
        )
    (source / "_pages.json").write_text(json.dumps(facts), "utf-8")


def configuration(root: Path) -> str:
    """The project's `_config.yml`, over the frame's: a table goes into a table, anything else takes
    its place."""
    import yaml

    def over(lower: Any, upper: Any) -> Any:
        if isinstance(lower, dict) and isinstance(upper, dict):
            return lower | {name: over(lower.get(name), value) for name, value in upper.items()}
        return upper

    both = (
        plain_yaml.data((folder / "_config.yml").read_text(encoding="utf-8"))
        for folder in (frame(), root / "book")
    )
    return yaml.safe_dump(over(*both), sort_keys=False)


def put_page(
    notebook: dict[str, Any],
    page: Path,
    extra: Path,
    chapter: Chapter,
    sets: Sequence[variants.Variant],
    here: str = "",
) -> None:
    """Write the notebook of a page where Sphinx reads it, and what its outputs have beside it where
    the site has it."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = parser.folded("".join(cell["source"]))
    put_narrow(notebook, extra / "narrow" / page.stem)
    variants.put_pairs(notebook, extra / "pairs" / page.stem)
    for file, content in outputs.files(notebook).items():
        inside(extra, file).write_text(export.text(content), encoding="utf-8")
    page.write_text(json.dumps(variants.tabs(notebook, chapter, sets, here)), encoding="utf-8")


def put_narrow(notebook: Mapping[str, Any], folder: Path) -> None:
    """Take the drawings for narrow screens out of an executed notebook; they go to `folder` as
    `<figure>.svg`."""
    for output in (o for cell in notebook["cells"] for o in cell.get("outputs", [])):
        if text := output.get("data", {}).pop(NARROW, None):
            folder.mkdir(parents=True, exist_ok=True)
            inside(folder, f"{output['metadata']['grokbook']['name']}.svg").write_text(
                "".join(text), encoding="utf-8"
            )


NEEDS = "% what each chapter needs\n"
"""A comment of a plain page in whose place the list of the chapters stands, with what they need."""

KNOBS = "% what can be turned\n"
"""A comment of a plain page in whose place a table of the chapters' parameter sets stands."""


def fill_pages(
    root: Path,
    source: Path,
    names: Collection[str],
    sets: Mapping[str, Mapping[str, str]],
) -> None:
    """Put what the pages outside the chapters ask for into them: what each chapter needs and what
    can be turned in it, a table of exercises, links."""
    every = sources.load_all(root)
    exercises = parser.table({chapter.name: chapter.source for chapter in every})
    for page in [*source.glob("*.md"), *source.glob("*.ipynb")]:
        text = page.read_text(encoding="utf-8").replace(parser.TABLE, exercises)
        if NEEDS in text:
            text = text.replace(NEEDS, front.needs(root))
        if KNOBS in text:
            text = text.replace(KNOBS, front.knobs(root, sets))
        page.write_text(text, encoding="utf-8")
    elsewhere = {}
    for chapter in every:
        if chapter.name not in names:
            elsewhere |= dict.fromkeys(
                variants.labels(chapter.source), f"chapter {chapter.number.lstrip('0')}"
            )
    chapters = (source / "chapters").glob("*.ipynb") if elsewhere else ()
    for page in [*source.glob("*.md"), *source.glob("*.ipynb"), *chapters]:
        text = page.read_text(encoding="utf-8")
        page.write_text(without_dead_links(text, names, elsewhere), encoding="utf-8")


def without_dead_links(text: str, names: Collection[str], elsewhere: Mapping[str, str]) -> str:
    """The source of a page whose links to chapters that were not executed are words, in Markdown
    and in HTML.

    So are references to what has a label there: `elsewhere` has the words for each. A link to a
    figure of a chapter, `chapters/01_x.ipynb#fig-a`, leads to its label.
    """
    chapter = r"(?:chapters/)?(?P<{}>\d\d[a-z]?_\w+)"
    markdown = rf"\[(?P<a>[^\[\]]+)\]\({chapter.format('b')}(?:\.ipynb)?(?:#(?P<e>[\w-]+))?\)"
    anchor = rf'<a [^<>]*"{chapter.format("c")}\.html[^<>]*>(?P<d>[^<>]*)</a>'
    reference = r"\{(?:numref|eq|ref|prf:ref)\}`(?:(?P<f>[^`<>]+?) *<)?(?P<g>[\w-]+)>?`"

    def linked(m: re.Match[str]) -> str:
        if m["g"]:
            words = m["f"] if m["f"] and not re.search(r"%s|\{", m["f"]) else elsewhere.get(m["g"])
            return words if m["g"] in elsewhere else m[0]
        if (m["b"] or m["c"]) not in names:
            return m["a"] or m["d"]
        return f"[{m['a']}](#{m['e']})" if m["e"] else m[0]

    return re.sub(f"{markdown}|{anchor}|{reference}", linked, text)


def filtered_toc(text: str, names: Collection[str]) -> str:
    """The table of contents without chapters that were not executed and without empty parts."""
    import yaml

    toc = plain_yaml.data(text)
    parts = []
    for part in toc.get("parts", []):
        files = [(c, c["file"].rpartition("/")) for c in part["chapters"]]
        if kept := [c for c, (folder, _, name) in files if folder != "chapters" or name in names]:
            parts.append({**part, "chapters": kept})
    return yaml.safe_dump({**toc, "parts": parts}, sort_keys=False)


def urls(root: Path) -> dict[str, str]:
    """The addresses that pyproject.toml names, `Documentation` that of the site; none where there
    is no such file."""
    return described(root).get("urls", {})


def pages(root: Path, chapters: Mapping[str, Chapter]) -> dict[str, Any]:
    """For the site's extensions: launch links (none where a source is not committed), questions,
    verdicts.

    Binder opens the chapter's source as a notebook; Colab, at a commit that is tagged as the
    version, the executed notebook among those that the release puts under a tag of their own.
    """
    about = described(root)
    addresses, tag = about.get("urls", {}), f"v{about.get('version')}"
    repository, revision, released = (
        addresses.get("Repository"),
        state.revision(root),
        tag in state.tags(root),
    )
    launches: dict[str, dict[str, str]] = {name: {} for name in chapters}
    for name, chapter in chapters.items():
        if repository and revision and state.committed(root, chapter.path):
            owner = repository.removesuffix(".git").rstrip("/").split("github.com/")[-1]
            inside = quote(
                f"lab/tree/notebooks/{name}.md?factory=" + quote("Jupytext Notebook"), safe=""
            )
            launches[name]["Binder"] = (
                f"https://mybinder.org/v2/gh/{owner}/{revision}?urlpath={inside}"
            )
            if released:
                place = f"github/{owner}/blob/notebooks-{tag}/{name}.ipynb"
                launches[name]["Colab"] = f"https://colab.research.google.com/{place}"
    return {
        "launch": launches,
        "questions": {name: chapter.question for name, chapter in chapters.items()},
        "leads": {name: chapter.lead for name, chapter in chapters.items()},
        "repository": repository,
        "address": addresses.get("Documentation"),
        "pages": {
            sources.page_of(name): {"source": str(chapter.path)}
            for name, chapter in chapters.items()
        },
        "verdicts": with_former(settled()),
        "claims": sheets.of_claims(),
        "sheets": [cards.page_of_sheet(name) for name in chapters],
    }


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


def sphinx(work: Path, strict: bool = True) -> Path:
    """Run Jupyter Book on `work/source`; the folder of the pages.

    Raises ChapterError with the warnings when there are any (strict) or the build fails.
    """
    # a quarter of the time goes to garbage otherwise
    seldom = "import gc; gc.set_threshold(1_000_000, 50, 1000)"
    command = [sys.executable, "-c", f"{seldom}; from jupyter_book.cli.main import main; main()"]
    command += ["build", str(work / "source"), "--path-output", str(work / "out"), "--all"]
    command += ["-W", "--keep-going"] if strict else []
    ours = {"PYTHONWARNINGS": "ignore", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    ours |= {"PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, capture_output=True, env={**os.environ, **ours}, cwd=work)
    html = work / "out" / "_build" / "html"
    if done.returncode != 0 or not (html / "index.html").exists():
        said = (done.stdout + done.stderr).decode(errors="replace")
        plain = re.sub(r"\x1b\[[0-9;]*m", "", said).replace(str(work / "source") + "/", "")
        lines = [line.strip() for line in plain.splitlines()]
        told = list(
            dict.fromkeys(
                line for line in lines if re.search(r"\b(WARNING|ERROR|CRITICAL)\b", line)
            )
        )
        raise ChapterError(
            "Sphinx does not accept the book: " + "; ".join(told[:20] or lines[-15:])
        )
    title = plain_yaml.data((work / "source" / "_config.yml").read_text(encoding="utf-8"))["title"]
    # for who asks for the folder
    first = filled(Path(__file__).with_name("index.html"), {"TITLE": escape(title)})
    (html / "index.html").write_text(first, encoding="utf-8")
    return html


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
