"""The built site in Chromium: nothing is loaded from elsewhere, nothing is broken or cut off, everyone can read it.

Each page is loaded once; it is then made wider and narrower, light and dark, and what there is to check is collected.
"""

import json
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from axe_playwright_python.sync_playwright import Axe

from .conftest import in_scheme

SITE = Path(__file__).resolve().parents[2] / "site"
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")) if SITE.is_dir() else []
PAGES = [page for page in PAGES if not page.startswith(("mathjax/", "_static/", "index.html"))]
CHAPTERS = [page for page in PAGES if page.startswith("chapters/")]
CODE = "chapters/01_what_is_grokking.html"
PAGES, CHAPTERS = ([pytest.param(n, marks=pytest.mark.xdist_group(n)) for n in names] for names in (PAGES, CHAPTERS))

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not SITE.is_dir(), reason="the site is not built: run `grokbook build`"),
]

COLLECT = """() => {
  const all = selector => [...document.querySelectorAll(selector)];
  const prose = all('article p, article li').map(e => {
    const copy = e.cloneNode(true);
    copy.querySelectorAll('code, pre, mjx-container').forEach(x => x.remove());
    return copy.textContent;
  }).join('\\n');
  return {
    marked: all('article .math').length,
    drawn: all('article .math mjx-container').length,
    merrors: all('mjx-merror, [data-mjx-error]').length,
    raw: ['$$', '\\\\('].filter(sign => prose.includes(sign)),
    undrawn: all('article img').filter(i => !i.alt.trim() || (!i.naturalWidth && i.loading !== 'lazy')).map(i => i.src),
    figures: all('article figure img').length,
    top: all('.tag_gb-lead figure').slice(0, 1).map(e => e.getBoundingClientRect().top + scrollY),
    box: all('.grokbook-provenance').map(e => e.textContent).join(''),
    downloads: all('.dropdown-download-buttons a').map(a => a.href),
    data: all('[data-options]').reduce((sum, e) => sum + e.dataset.options.length, 0),
  };
}"""
OPEN = """() => {
  document.querySelectorAll('.toggle-hidden').forEach(e => e.classList.remove('toggle-hidden'));
  document.querySelectorAll('details').forEach(e => { e.open = true; });
}"""
CLIPPED = """() => {
  const wide = document.documentElement.clientWidth;
  const contents = document.querySelector('.bd-sidebar-secondary')?.getBoundingClientRect();
  const limit = contents && contents.width && contents.left > wide / 2 ? Math.min(wide, contents.left) : wide;
  const outside = box => box.right > limit + 1 || box.left < -1;
  const found = [];
  for (const e of document.querySelectorAll('article *')) {
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    const inside = e.parentElement.closest('svg, mjx-container, script, noscript, picture');
    if (inside || style.visibility === 'hidden' || style.clipPath !== 'none' || box.width < 2) continue;
    const name = e.tagName.toLowerCase() + '.' + [...e.classList].join('.');
    const says = name + ' ' + e.textContent.trim().replace(/\\s+/g, ' ').slice(0, 50);
    const boxed = style.display !== 'inline' && e.clientWidth > 0;
    if (boxed && style.overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1) found.push('too wide: ' + says);
    if (boxed && style.overflowY === 'auto' && e.scrollHeight > e.clientHeight + 2) found.push('too high: ' + says);
    if (outside(box) && !outside(e.parentElement.getBoundingClientRect())) found.push('off the page: ' + says);
  }
  return found;
}"""
BROKEN = r"""() => {
  const found = [], all = document.querySelector('article') || document.body;
  const walker = document.createTreeWalker(all, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const box = node.parentElement;
    if (!box.checkVisibility() || box.closest('pre, code, svg, script, mjx-container, .gb-hidden')) continue;
    if (getComputedStyle(box).clipPath !== 'none' || /https?:/.test(box.textContent)) continue;
    for (const word of node.textContent.matchAll(/\p{L}{4,}/gu)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const tops = [...range.getClientRects()].filter(r => r.width > 0).map(r => r.top);
      if (Math.max(...tops) - Math.min(...tops) > 6) found.push(word[0]);
    }
  }
  return found;
}"""
CUT = """() => [...document.querySelectorAll('article select')].filter(e => e.checkVisibility()).flatMap(select => {
  const pen = document.createElement('canvas').getContext('2d'), look = getComputedStyle(select);
  pen.font = `${look.fontSize} ${look.fontFamily}`;
  return [...select.options].map(o => o.text).filter(text => pen.measureText(text).width > select.clientWidth - 24);
})"""
SMALL = """() => [...document.querySelectorAll('article [data-options] :is(button, input, select, summary)')]
  .filter(e => e.checkVisibility()).map(e => [e.getBoundingClientRect(), e])
  .filter(([box]) => box.width > 2 && Math.min(box.width, box.height) < 24 && box.height < 24)
  .map(([, e]) => e.outerHTML.slice(0, 80))"""
WIDTH = "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"
THEME = "document.documentElement.dataset.theme"
LOOKS = """[...document.querySelectorAll('article :is(figure, .gb-card) img')].map(i => getComputedStyle(i))
  .map(look => [look.colorScheme, look.filter, look.backgroundColor])"""
STACKED = "[...document.querySelectorAll('article picture img')].map(i => [i.currentSrc, i.naturalWidth])"
SIZES, HEAVIEST, LOWEST = (1280, 1920, 768, 390), 2_600_000, 260
# axe-core takes long to go through a page: of what is made alike it sees the first (rows of a table,
# entries of the ledger, words of code on one page), and a formula, which has hundreds of elements, as a letter
SHORTER = """code => {
  document.querySelectorAll('mjx-container').forEach(e => e.replaceChildren('x'));
  document.querySelectorAll('tr:nth-child(n+10), li.gb-claim:nth-child(n+10)').forEach(e => e.remove());
  if (!code) document.querySelectorAll('.highlight pre').forEach(e => { e.textContent = e.textContent; });
}"""
# all rules on a desk; in the dark the contrast of colours; on a phone what may scroll there
AXE = {
    (1280, "light"): {},
    (1280, "dark"): {"runOnly": ["color-contrast"]},
    (390, "light"): {"runOnly": ["scrollable-region-focusable", "meta-viewport"]},
}


@pytest.fixture(scope="module")
def facts(open_page, address):
    """What is to be known of a page, by its name; gathered when it is first asked for."""
    known = {}

    def gather(name):
        if name not in known:
            page = open_page(address + name)
            seen = {kind: list(found) for kind, found in page.seen.items()}
            known[name] = page.evaluate(COLLECT) | {"seen": seen, "solutions": solutions(page), "clipped": {}}
            page.evaluate(OPEN)
            for width in SIZES:
                page.set_viewport_size({"width": width, "height": 900})
                page.wait_for_timeout(100)  # formulas are fitted in the next frame
                for scheme in ("light", "dark"):
                    in_scheme(page, scheme)
                    known[name]["clipped"][width, scheme] = page.evaluate(CLIPPED)
                    known[name].setdefault("widths", {})[width, scheme] = page.evaluate(WIDTH)
                for kind, asked in (("broken", BROKEN), ("cut", CUT), ("small", SMALL)):
                    known[name].setdefault(kind, {})[width] = page.evaluate(asked)
            known[name] |= {"looks": page.evaluate(LOOKS), "stacked": page.evaluate(STACKED)}
            page.evaluate(SHORTER, name == CODE)
            for (width, scheme), rules in AXE.items():
                page.set_viewport_size({"width": width, "height": 900})
                in_scheme(page, scheme)
                page.wait_for_timeout(300)  # colours fade from one scheme to the other
                known[name]["barred", width, scheme] = barred(page, rules)
            page.context.close()
        return known[name]

    return gather


def barred(page, rules):
    """What axe-core finds on a page by these rules that keeps someone from reading it."""
    options = {"resultTypes": ["violations"], "preload": False, **rules}
    found = Axe().run(page, options=options).response["violations"]
    grave = [v for v in found if v["impact"] in ("serious", "critical")]
    return [(v["id"], [node["target"] for node in v["nodes"]][:5]) for v in grave]


def solutions(page):
    """Solutions that are closed before and after the first is opened."""
    hidden = page.locator(".solution.toggle-hidden, .admonition.toggle-hidden")
    before = hidden.count()
    if before:
        page.locator(".toggle-hidden button.toggle-button").first.click()
    return before, hidden.count()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_loads_without_other_hosts_and_without_complaints(facts, address, name):
    seen = facts(name)["seen"]
    elsewhere = [u for u in seen["requests"] if not u.startswith(("data:", "blob:"))]
    elsewhere = [u for u in elsewhere if urlsplit(u).netloc != urlsplit(address).netloc]
    assert (elsewhere, seen["errors"], seen["failed"]) == ([], [], [])


@pytest.mark.parametrize("name", PAGES)
def test_mathematics_and_pictures_are_drawn_and_pictures_have_alt_text(facts, name):
    page = facts(name)
    assert page["drawn"] == page["marked"]
    assert (page["merrors"], page["raw"], page["undrawn"]) == (0, [], [])


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_off_or_scrolls_but_the_page_and_that_only_down(facts, name):
    page = facts(name)
    assert {where: found for where, found in page["clipped"].items() if found} == {}
    assert [where for where, wide in page["widths"].items() if wide > where[0]] == []


@pytest.mark.parametrize("name", PAGES)
def test_no_word_is_broken_inside_no_list_cut_and_every_target_can_be_hit(facts, name):
    """At every width; in figures targets of at least 24 pixels (WCAG 2.2, 2.5.8)."""
    page = facts(name)
    assert {kind: {at: f for at, f in page[kind].items() if f} for kind in ("broken", "cut", "small")} == {
        "broken": {}, "cut": {}, "small": {}
    }  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_axe_core_finds_nothing_serious(facts, name):
    assert {where[1:]: found for where, found in facts(name).items() if where[0] == "barred" and found} == {}


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_loads_has_a_limit(facts, name):
    assert sum(facts(name)["seen"]["bytes"]) - facts(name)["data"] < HEAVIEST


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_has_pictures_for_every_screen_its_box_and_solutions_that_open(facts, name):
    """In the dark they have their own dark colours and the page's ground; on a phone those that can be stacked are."""
    page = facts(name)
    assert page["figures"] >= 1
    assert {tuple(look) for look in page["looks"]} <= {("dark", "none", "rgba(0, 0, 0, 0)")}
    assert all("/narrow/" in source and wide for source, wide in page["stacked"])
    assert "grokbook run" in page["box"]
    before, after = page["solutions"]
    assert before >= 1
    assert after == before - 1


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_best_picture_of_a_chapter_is_on_its_first_screen(facts, name):
    (top,) = facts(name)["top"]
    assert top <= LOWEST


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_downloads_of_a_chapter_are_there(facts, name):
    stem, links = Path(name).stem, sorted(facts(name)["downloads"])
    assert [Path(link).name for link in links] == [f"{stem}.ipynb", f"{stem}.md"]
    notebook, source = (urlopen(link).read().decode() for link in links)
    assert json.loads(notebook)["cells"]
    assert "grokbook:" in source


def test_dark_and_light_can_be_switched(open_page, address):
    page = open_page(address + CHAPTERS[0].values[0])
    seen = {page.evaluate(THEME)}
    for _ in range(3):
        page.locator("button.theme-switch-button:visible").first.click()
        seen.add(page.evaluate(THEME))
    assert seen == {"light", "dark"}


def test_the_search_finds_a_word(open_page, address):
    page = open_page(address + "search.html?q=grokking")
    page.wait_for_selector("#search-results li", timeout=15_000)
    assert page.locator("#search-results li a").count() >= 1
    assert page.seen["errors"] == []
