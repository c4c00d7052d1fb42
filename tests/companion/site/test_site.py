"""The site: what is staged and launched, what stays when a build fails."""

import errno
import json
import os
import re
import shutil
import sys
from pathlib import Path

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup

from companion.checks import broken
from companion.page import sources
from companion.site import staging as site
from companion.site import state
from companion.site.downloads import with_wheel
from grokbook.errors import ChapterError, ParameterError, RecordError
from processes import git
from project_tree import ROOT


def chapter_page(root):
    return BeautifulSoup((root / "site" / "chapters" / "01_tiny.html").read_text(), "html.parser")


def test_chapters_that_were_not_executed_are_left_out(project):
    toc = yaml.safe_load(site.filtered_toc(project / "book" / "_toc.yml", ["01_tiny"]))
    assert [c["file"] for part in toc["parts"] for c in part["chapters"]] == [
        "chapters/01_tiny",
        "references",
    ]
    none = yaml.safe_load(site.filtered_toc(project / "book" / "_toc.yml", []))
    assert [part["caption"] for part in none["parts"]] == ["More"]


@pytest.mark.parametrize("call", ["write_text", "copytree", "mkdir"])
def test_a_full_disk_while_the_site_is_made_is_a_sentence_and_what_a_killed_build_left_is_gone(
    project, monkeypatch, call
):
    left = project / "book" / "_build" / "work-killed1" / "source"
    left.mkdir(parents=True)
    (project / "book" / "_build" / "kept").write_text("")
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    several = shutil.Error([("a", "b", str(full))])  # as copying a folder gathers them

    def refused(*_, **__):
        raise several if call == "copytree" else full

    said = r"site was not written: the disk is full; what was there before is untouched"
    with pytest.raises(RecordError, match=said), site.workplace(project) as work:
        assert not left.exists() and work.is_dir()
        monkeypatch.setattr(shutil if call == "copytree" else Path, call, refused)
        site.stage(project, work, [])
    monkeypatch.undo()
    assert [path.name for path in (project / "book" / "_build").iterdir()] == ["kept"]


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "..", "a\0b"])
def test_what_an_executed_notebook_names_lies_in_the_folder_for_it_or_is_refused(tmp_path, name):
    (extra := tmp_path / "deep" / "extra").mkdir(parents=True)
    figure = {"metadata": {"grokbook": {"name": name}}, "data": {site.NARROW: "<svg></svg>"}}
    file = {"metadata": {"grokbook_file": {"name": name, "content": {}}}}
    for output in (figure, file):
        cells = [{"cell_type": "code", "source": "", "metadata": {}, "outputs": [output]}]
        with pytest.raises(ParameterError, match="names no file in"):
            site.put_page({"cells": cells}, tmp_path / "page.ipynb", extra, None, [])
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_figure_has_number_caption_and_alt_text_and_a_solution_is_collapsed(built_once):
    page = chapter_page(built_once)
    assert "dropdown" in page.select_one(".solution")["class"]
    figure = page.find(id="fig-tiny")
    assert figure.img["alt"] == "A curve that rises ever faster."
    assert figure.figcaption.get_text().strip().startswith("Fig. 1.1")


def test_a_page_with_a_letter_has_it_in_every_number(built):
    """`04a_more` is chapter 4a: in the contents, in its figures and in its equations."""
    for folder, ending in (("book/chapters", "ipynb"), ("notebooks", "md")):
        text = (built / folder / f"01_tiny.{ending}").read_text()
        (built / folder / f"04a_more.{ending}").write_text(
            re.sub(r"\b(fig|eq|ex)-tiny", r"\1-more", text)
        )
    toc = built / "book" / "_toc.yml"
    toc.write_text(toc.read_text().replace("07_absent", "04a_more"))
    with site.workplace(built) as work:
        site.stage(built, work, ["01_tiny", "04a_more"])
        page = BeautifulSoup(
            (site.sphinx(work) / "chapters" / "04a_more.html").read_text(), "html.parser"
        )
    assert page.find(id="fig-more").figcaption.get_text().strip().startswith("Fig. 4a.1")
    assert page.select_one("article h1").get_text().startswith("4a. ")
    assert "(4a.1)" in page.select_one(".eqno").get_text()
    links = [link.get_text(" ", strip=True) for link in page.select(".bd-sidebar-primary nav a")]
    assert any(link.startswith("4a.") for link in links) and any(
        link.startswith("1.") for link in links
    )


def test_downloads_lie_beside_the_page(built_once):
    links = [a["href"] for a in chapter_page(built_once).select(".dropdown-download-buttons a")]
    assert links == ["../downloads/01_tiny.ipynb", "../downloads/01_tiny.md"]
    notebook, text = (
        built_once / "site" / "downloads" / f"01_tiny.{kind}" for kind in ("ipynb", "md")
    )
    assert "The modulus is 59; see Fig. 1.1 and (1.1)." in text.read_text()
    cells = nbformat.read(notebook, as_version=4).cells
    assert [cell.source for cell in cells if cell.source.startswith("**Fig. 1.1** Four squares")]
    assert not (built_once / "site" / "numbers.json").exists()


def test_mathematics_is_drawn_by_a_script_of_the_site(built_once):
    scripts = [s["src"] for s in chapter_page(built_once).find_all("script", src=True)]
    assert [s for s in scripts if s.startswith("../_static/../mathjax/startup.js")]
    assert not [s for s in scripts if s.startswith(("http", "//")) or "thebe" in s]
    assert list(
        (built_once / "site" / "mathjax" / "output" / "chtml" / "fonts" / "woff-v2").glob("*.woff")
    )
    assert "mathjax" not in (built_once / "site" / "search.html").read_text().lower()


def test_no_page_asks_for_an_icon_font_and_every_icon_is_drawn(built_once):
    html = built_once / "site"
    text = "".join(
        page.read_text() for page in [*html.glob("*.html"), *html.glob("chapters/*.html")]
    )
    assert "fontawesome" not in text and not (html / "_static" / "vendor").exists()
    icons = set(re.findall(r'class="[^"]*\bfa[sb]?(?:-solid)? (fa-[a-z-]+)', text))
    assert icons and icons <= set(
        re.findall(r"\.(fa-[a-z-]+) \{ --gb-icon", (html / "_static/icons.css").read_text())
    )


def test_pages_say_what_they_are_about_and_an_address_without_a_page_leads_to_the_book(built_once):
    said = chapter_page(built_once).select("meta[name=description]")
    assert [meta["content"] for meta in said] == ["Does a tiny chapter reach its page?"]
    lost = BeautifulSoup((built_once / "site" / "404.html").read_text(), "html.parser")
    assert lost.a["href"] == "index.html" and not lost.select("[src]")
    assert [link["href"] for link in lost.select("link")] == ["data:,"]


def test_a_site_has_a_map_of_addresses_only_where_pyproject_names_its_own(project, built_once):
    assert (
        not (built_once / "site" / "sitemap.xml").exists()
        and site.pages(project, {})["address"] is None
    )
    sys.path.insert(0, str(project / "book" / "_ext"))
    from grokbook_pages import sitemap

    assert "<loc>https://a.b/c/chapters/01_x.html</loc>" in sitemap(
        "https://a.b/c/", ["chapters/01_x"]
    )


def test_a_ready_page_has_drawings_for_a_phone_and_cells_that_name_their_columns(project):
    """A figure is found by its name in a chapter, by its file on a plain page. No line ends before
    a full stop."""
    sys.path.insert(0, str(project / "book" / "_ext"))
    from grokbook_pages import _TABLE, labelled, stacked, tidy

    formula = '<span class="math notranslate nohighlight">\\(p\\)</span>'
    assert (
        tidy(f"{formula}). {formula} is")
        == f'<span class="gb-glued">{formula}).</span> {formula} is'
    )
    page = '<figure id="fig-a"><img src="1.svg"></figure><p><img src="i/fig-b.svg"></p><img src="i/fig-c.svg">'
    made = BeautifulSoup(
        stacked(page, {"fig-a": "narrow/01_x/fig-a.svg", "fig-b": "narrow/02_y/fig-b.svg"}),
        "html.parser",
    )
    assert [s["srcset"] for s in made.select("picture > source")] == [
        "narrow/01_x/fig-a.svg",
        "narrow/02_y/fig-b.svg",
    ]
    assert (
        len(made.select("figure#fig-a > picture > img, p > picture > img"))
        == 2
        == len(made.select("picture"))
    )
    rows = "<tr><td>1</td><td>2</td></tr>" * 2
    text = f'<table class="table"><tr><th>one</th><th class="x">the <code>"two"</code></th></tr>{rows}</table>'
    cells = BeautifulSoup(
        _TABLE.sub(labelled, text + f"<table>{rows}</table>"), "html.parser"
    ).select("td[data-label]")
    assert [cell["data-label"] for cell in cells] == ["one", 'the "two"'] * 2


def test_only_a_committed_source_of_a_named_repository_has_launch_links_and_in_colab_only_a_release(
    project,
):
    tiny = {"01_tiny": sources.find(project, "01_tiny")}
    assert site.launches(project, tiny) == {"01_tiny": {}}
    git(project, "init", "-q")
    git(project, "add", "notebooks")
    git(project, "commit", "-q", "-m", "one")
    link = f"https://mybinder.org/v2/gh/grokbook/grokbook/{state.revision(project)}?urlpath="
    link += "lab%2Ftree%2Fnotebooks%2F01_tiny.md%3Ffactory%3DJupytext%2520Notebook"
    assert site.launches(project, tiny) == {"01_tiny": {"Binder": link}}
    tag = f"v{site.described(project)['version']}"
    git(project, "tag", tag)
    colab = f"https://colab.research.google.com/github/grokbook/grokbook/blob/notebooks-{tag}/01_tiny.ipynb"
    assert site.launches(project, tiny) == {"01_tiny": {"Binder": link, "Colab": colab}}
    (project / "pyproject.toml").unlink()
    assert site.launches(project, tiny) == {"01_tiny": {}}


def test_a_notebook_to_download_installs_the_released_wheel_first_where_the_package_is_missing(
    built_once, tmp_path
):
    cells = json.loads((built_once / "site" / "downloads" / "01_tiny.ipynb").read_text())["cells"]
    text = "".join(cells[0]["source"])
    about = site.described(built_once)
    assert (
        text.startswith("# Where grokbook is missing")
        and 'if find_spec("grokbook") is None:' in text
    )
    wheel = f"{about['urls']['Repository']}/releases/download/v{about['version']}/"
    assert text.endswith(
        f"    %pip install -q jupytext {wheel}grokbook-{about['version']}-py3-none-any.whl"
    )
    assert "".join(cells[1]["source"]).startswith("# A tiny chapter")
    plain = nbformat.v4.new_notebook()
    assert with_wheel(plain, tmp_path).cells == [], "a folder without pyproject.toml has no release"


def test_the_key_changes_with_a_page_and_not_by_itself(built):
    first = site.key(built)
    assert site.key(built) == first
    (built / "book" / "intro.md").write_text("# Other\n")
    assert site.key(built) != first


def test_sphinxs_warnings_are_told_and_the_last_good_site_stays(built, said):
    before = (built / "site" / "intro.html").read_bytes()
    (built / "book" / "intro.md").write_text("# Home\n\nSee {ref}`nowhere-at-all`.\n")
    with pytest.raises(ChapterError, match="intro.md:3: WARNING: .*nowhere-at-all"):
        site.bring_up_to_date(built, progress=said)
    assert (built / "site" / "intro.html").read_bytes() == before
    assert not list((built / "book" / "_build").iterdir())


def test_a_site_that_is_not_in_order_does_not_replace_the_last_good_one(built, said, monkeypatch):
    (built / "book" / "intro.md").write_text("# Changed\n")
    made = built / "made"

    def sphinx(work, strict=True):
        made.mkdir()
        return made

    monkeypatch.setattr(site, "sphinx", sphinx)
    monkeypatch.setattr(site.downloads, "put", lambda *a: None)
    monkeypatch.setattr(broken, "problems", lambda *a: ["intro.html: the link x leads nowhere"])
    with pytest.raises(ChapterError, match="not in order: intro.html: the link x leads nowhere"):
        site.bring_up_to_date(built, progress=said)
    assert "Home" in (built / "site" / "intro.html").read_text()


def test_a_site_of_a_build_that_was_killed_while_it_swapped_is_put_back(tmp_path, monkeypatch):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("old")
    html = tmp_path / "book" / "_build" / "work-killed" / "out" / "_build" / "html"
    html.mkdir(parents=True)
    plain = Path.rename

    def killed(path, target):
        if path == html:
            raise KeyboardInterrupt
        return plain(path, target)

    monkeypatch.setattr(Path, "rename", killed)
    with pytest.raises(KeyboardInterrupt):
        site.swap(html, tmp_path / "site")
    assert not (tmp_path / "site").exists()
    with site.workplace(tmp_path):
        assert (tmp_path / "site" / "index.html").read_text() == "old"
        assert not html.exists()


def leading(tmp_path, moved):
    """A source with a list of former addresses, and an empty site."""
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "_config.yml").write_text("title: Sums & products\n")
    (tmp_path / "source" / site.MOVED).write_text(moved)
    (tmp_path / "html").mkdir()
    return tmp_path / "source", tmp_path / "html"


def test_a_former_address_leads_to_what_stands_in_its_place(tmp_path):
    source, html = leading(tmp_path, "tour.html: intro.html\nlong.html: folder/part.html\n")
    site.put_leading_on(source, html)
    wanted = {"tour": "intro.html", "long": "folder/part.html", "index": "intro.html"}
    for name, address in wanted.items():
        page = BeautifulSoup((html / f"{name}.html").read_text(), "html.parser")
        assert page.a["href"] == address and page.title.string == "Sums & products"
        assert page.find("meta", {"http-equiv": "refresh"})["content"] == f"0; url={address}"


def test_a_former_address_at_which_there_is_a_page_is_refused(tmp_path):
    source, html = leading(tmp_path, "intro.html: other.html\n")
    (html / "intro.html").write_text("kept")
    with pytest.raises(ChapterError, match="sends intro.html away"):
        site.put_leading_on(source, html)
    assert (html / "intro.html").read_text() == "kept"


def test_the_book_s_former_addresses_lead_to_its_pages():
    book = ROOT / "book"
    moved = yaml.safe_load((book / site.MOVED).read_text("utf-8"))
    assert moved["tour.html"] == "intro.html"
    for old, new in moved.items():
        assert (book / new).with_suffix(".md").is_file(), old


def test_a_swap_that_fails_brings_the_old_site_back(tmp_path):
    target = tmp_path / "site"
    target.mkdir()
    (target / "index.html").write_text("old")
    (tmp_path / "work").mkdir()
    with pytest.raises(OSError):
        site.swap(tmp_path / "work" / "absent", target)
    assert (target / "index.html").read_text() == "old"


def test_a_broken_table_of_contents_is_one_sentence_that_names_it(tmp_path):
    file = tmp_path / "_toc.yml"
    file.write_text("parts: [unclosed\n  - a: *b\n")
    with pytest.raises(RecordError, match=r"_toc\.yml cannot be read") as refused:
        site.filtered_toc(file, [])
    assert str(refused.value).isprintable()
