"""Figures of the built site in Chromium: what is drawn stands out from the page in both schemes; paper is light."""

from pathlib import Path

import pytest

from .conftest import in_scheme

SITE = Path(__file__).resolve().parents[2] / "site"
CHAPTERS = sorted(path.name for path in (SITE / "chapters").glob("*.html")) if SITE.is_dir() else []

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHAPTERS, reason="the site is not built: run `grokbook build`"),
]

# each drawing is put into the page for a moment, its own schemes answered as the page has them
FAINT = """async scheme => {
  const numbers = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const named = colour => colour.trim().slice(1).match(/../g).map(v => parseInt(v, 16));
  const light = rgb => rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0) + 0.05;
  const ground = numbers(getComputedStyle(document.body).backgroundColor), found = new Set();
  const apart = (one, other) => Math.max(light(one) / light(other), light(other) / light(one));
  let seen = 0;
  for (const img of document.querySelectorAll('article figure img[src$=".svg"]')) {
    const holder = document.createElement('div'), root = holder.attachShadow({ mode: 'open' });
    const text = await (await fetch(img.src)).text();
    root.innerHTML = text.slice(text.indexOf('<svg')).replace(/:root/g, 'svg')
      .replace('(prefers-color-scheme:dark)', scheme === 'dark' ? 'all' : 'not all');
    document.body.append(holder);
    const check = (selector, paint, least) => root.querySelectorAll(selector).forEach(drawn => {
      const look = getComputedStyle(drawn), faint = [look.opacity, look[paint + 'Opacity']].some(part => +part < 1);
      if (look[paint] === 'none' || faint) return;
      const colour = numbers(look[paint]);
      const meant = ['grid', 'ground'].map(name => look.getPropertyValue('--gb-' + name)).filter(value => value);
      if (meant.some(value => String(named(value)) === String(colour))) return;
      seen += 1;
      if (apart(colour, ground) < least) found.add(`${paint} ${colour}: ${img.alt.slice(0, 60)}`);
    });
    check('g[id^="text_"] use', 'fill', 4.5);
    check('g[id^="line2d_"] > path', 'stroke', 3);
    holder.remove();
  }
  return [seen, [...found]];
}"""
# a label may cover one that says the same, as two answers at one place do
COVERED = """async drawings => {
  const found = [];
  for (const name of drawings) {
    const text = await (await fetch(name)).text(), holder = document.createElement('div');
    holder.innerHTML = text.slice(text.indexOf('<svg'));
    document.body.append(holder);
    const labels = [...holder.querySelectorAll('g[id^="text_"]')].filter(g => g.getBBox().width > 0).map(g => [
      [...g.childNodes].find(n => n.nodeType === 8)?.data.trim(), g.getBoundingClientRect()]);
    labels.forEach(([one, a], i) => labels.slice(i + 1).forEach(([other, b]) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1.5 && high > 1.5 && one !== other) found.push(`${name}: ${one} / ${other}`);
    }));
    holder.remove();
  }
  return found;
}"""
DRAWN = """[...document.querySelectorAll('article figure img[src$=".svg"]')].map(img => img.src)"""
SCHEMES = "[...document.querySelectorAll('article figure img')].map(img => getComputedStyle(img).colorScheme)"


@pytest.mark.parametrize("name", CHAPTERS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_and_lines_of_figures_stand_out_from_the_page(opened_at, address, name, scheme):
    """4.5 and 3 to 1. Lines of the grid are fainter, as are raw curves; words on cells are not asked."""
    page = opened_at(f"{address}chapters/{name}", scheme=scheme)
    seen, faint = page.evaluate(FAINT, scheme)
    assert faint == []
    assert seen > 0


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_label_of_a_figure_covers_another_on_a_wide_and_on_a_narrow_screen(opened_at, address, name):
    page = opened_at(f"{address}chapters/{name}", scheme="light")
    drawn = page.evaluate(DRAWN)
    narrow = sorted((SITE / "narrow" / Path(name).stem).glob("*.svg"))
    assert drawn
    assert page.evaluate(COVERED, drawn + [f"{address}narrow/{path.parent.name}/{path.name}" for path in narrow]) == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_page_is_a_megabyte_at_most(name):
    assert (SITE / "chapters" / name).stat().st_size <= 1_000_000


@pytest.mark.parametrize("name", CHAPTERS[:1])
def test_pictures_follow_the_scheme_of_the_page_and_on_paper_are_light(opened_at, address, name):
    page = opened_at(f"{address}chapters/{name}", scheme="dark")
    assert set(page.evaluate(SCHEMES)) == {"dark"}
    page.emulate_media(media="print", color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'light'")
    assert set(page.evaluate(SCHEMES)) == {"light"}
    in_scheme(page, "dark")
    assert set(page.evaluate(SCHEMES)) == {"dark"}
    in_scheme(page, "light")
    assert set(page.evaluate(SCHEMES)) == {"light"}
