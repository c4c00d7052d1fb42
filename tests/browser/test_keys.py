"""Who moves by keyboard sees where they are, in every scheme of colours, and what opens over a page
closes again."""

import io

import pytest
from PIL import Image, ImageChops

from .test_every_page import SITE, pytestmark  # noqa: F401  the same marks: a browser, a built site

CHAPTER = "chapters/08_lyapunov_phase_portrait.html"
CHAPTERS = [
    pytest.param(
        CHAPTER, marks=pytest.mark.skipif(not (SITE / CHAPTER).is_file(), reason="not built")
    )
]
MODES = {
    "light": ({}, 1280),
    "dark": ({"color_scheme": "dark"}, 1280),
    "forced colours": ({"forced_colors": "active"}, 1280),
    "forced colours on a phone": ({"forced_colors": "active"}, 390),
}
MARGIN = 5
"""Pixels around an element in which its ring is."""

START = "() => { document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex'); }"
FOCUSED = """async () => {
  await new Promise(drawn => requestAnimationFrame(drawn));  // a focused link may begin to move now
  await Promise.all(document.getAnimations().map(one => one.finished));
  const stop = document.activeElement;
  if (stop === document.body) return null;
  const kind = [stop, stop.parentElement].map(e => [e.tagName, ...e.classList].join('.')).join(' in ');
  const { outlineStyle, outlineWidth } = getComputedStyle(stop), { x, y, width, height } = stop.getClientRects()[0];
  const ring = outlineStyle === 'none' ? 0 : parseFloat(outlineWidth);
  return { kind, ring, says: stop.textContent.trim().slice(0, 30), box: { x, y, width, height } };
}"""


def near(page, box):
    """A picture of an element and of the margin about it, as far as they are on the screen."""
    left = max(0, box["x"] - MARGIN)
    top = max(0, box["y"] - MARGIN)
    right = min(page.viewport_size["width"], box["x"] + box["width"] + MARGIN)
    foot = min(page.viewport_size["height"], box["y"] + box["height"] + MARGIN)
    if right <= left or foot <= top:
        return None
    clip = {"x": left, "y": top, "width": right - left, "height": foot - top}
    return Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")


def ringed(page, box):
    """Whether the focused element looks other than without focus, by at least a third of a ring of
    three pixels."""
    focused = near(page, box)
    page.evaluate("() => { window.stop = document.activeElement; stop.blur(); }")
    plain = focused and near(page, box)
    page.evaluate("stop.focus({ preventScroll: true })")
    if plain is None:
        return False
    changed = (
        ImageChops.difference(focused, plain)
        .convert("L")
        .point(lambda value: 255 if value > 12 else 0)
    )
    return changed.histogram()[255] >= 2 * (box["width"] + box["height"])


@pytest.mark.parametrize("name", ["intro.html", *CHAPTERS])
def test_every_stop_of_the_tab_key_is_on_the_screen_and_has_a_ring(open_page, address, name):
    """Each has an outline; one of each kind is looked at."""
    page = open_page(address + name, reduced_motion="reduce")
    missed = []
    stops = {}
    for mode, (media, width) in MODES.items():
        page.emulate_media(**{"color_scheme": "light", "forced_colors": "none", **media})
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(START)
        looked = set()
        stops[mode] = 0
        while page.keyboard.press("Tab") or (stop := page.evaluate(FOCUSED)):
            stops[mode] += 1
            new = stop["kind"] not in looked
            looked.add(stop["kind"])
            if stop["ring"] < 2 or (new and not ringed(page, stop["box"])):
                missed.append((mode, stop["kind"], stop["says"]))
    assert min(stops.values()) > 40
    assert missed == []


DRAWER = ".bd-sidebar-secondary"
BUTTON = ".secondary-toggle:visible"
OVER = """() => {
  const drawer = document.querySelector('.bd-sidebar-secondary');
  return [drawer.contains(document.elementFromPoint(innerWidth - 60, 200)), drawer.contains(document.activeElement),
    document.querySelector('label.overlay-secondary').offsetWidth];
}"""


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("name", CHAPTERS)
def test_the_contents_of_a_page_come_over_it_and_go_by_escape_a_link_and_the_veil(
    opened_at, address, name, width
):
    page = opened_at(address + name, width)
    link = page.locator(f"{DRAWER} a").nth(1)
    ends = {
        "Escape": lambda: page.keyboard.press("Escape"),
        "Escape where nothing has the focus": lambda: (
            page.evaluate("document.activeElement.blur()"),
            page.keyboard.press("Escape"),
        ),
        "a link": link.click,
        "the veil": lambda: page.mouse.click(20, 700),
    }
    for how, end in ends.items():
        page.locator(BUTTON).click()
        page.wait_for_function("document.activeElement.closest('.bd-sidebar-secondary')")
        assert page.evaluate(OVER) == [True, True, width], how
        end()
        assert page.evaluate(OVER) == [False, False, 0], how
    assert page.url.endswith(link.get_attribute("href"))


@pytest.mark.parametrize("width", [1440, 1920])
@pytest.mark.parametrize("name", CHAPTERS)
def test_the_contents_of_a_page_stand_beside_it_where_there_is_room(
    opened_at, address, name, width
):
    page = opened_at(address + name, width)
    assert page.locator(BUTTON).count() == 0
    page.mouse.wheel(0, 2_000)
    contents = page.locator(DRAWER).bounding_box()
    article = page.locator("article").bounding_box()
    assert article["x"] + article["width"] <= contents["x"]
    assert contents["x"] + contents["width"] <= width
    assert 0 <= contents["y"] < 200, "they stay in sight"
    link = page.locator(f"{DRAWER} a").nth(1)
    link.click()
    assert page.url.endswith(link.get_attribute("href"))
