"""The interactive figure of chapter 08 in Chromium: alone in a file, on the site, and in the
stand-alone page."""

import json
from urllib.parse import urlsplit

import numpy as np
import pytest

from companion.page import interactive
from companion.site import standalone
from grokbook.plotting.palette import contrast
from grokbook.theory import triple_product as flow
from grokbook_chapters.lyapunov_phase_portrait.explained import explain
from project_tree import ROOT
from visited import alone, colours

SITE = ROOT / "site"
PAGE = SITE / "chapters" / "08_lyapunov_phase_portrait.html"
NAME = "fig-flow-explorer"
PLACES = [
    "alone",
    pytest.param(
        "site", marks=pytest.mark.skipif(not PAGE.is_file(), reason="chapter 08 is not built")
    ),
    pytest.param(
        "one file", marks=pytest.mark.skipif(not PAGE.is_file(), reason="chapter 08 is not built")
    ),
]

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("flow")]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The figure alone in a file, and (when the chapter is built) the chapter as one file."""
    folder = tmp_path_factory.mktemp("flow")
    body = interactive.markup(
        "flow_explorer", NAME, "Two planes with a movable point.", {"start": [0.2, 0.5, 0.9]}
    )
    alone(folder, body)
    if PAGE.is_file():
        (folder / "one file.html").write_text(
            standalone.inlined(PAGE, SITE / "mathjax"), encoding="utf-8"
        )
    return folder


@pytest.fixture
def figure(opened_at, files, request):
    """The page at a place, loaded once for each width, with the figure as it starts and in view."""

    def open_figure(place, **options):
        served = place == "site" and request.getfixturevalue("address") + "chapters/" + PAGE.name
        page = opened_at(served or (files / f"{place}.html").as_uri(), **options)
        page.locator(f"#{NAME}-area").scroll_into_view_if_needed()
        press(page, "Reset")
        return page

    return open_figure


def state(page, key):
    return json.loads(page.locator(f"#{NAME}-area").get_attribute(f"data-{key}"))


def press(page, name):
    page.locator(f"#{NAME}-area button[data-preset='{name}']").click()


def drag(page, plane, right, down):
    """Drag the handle of a plane by pixels."""
    page.locator(f"#{NAME}-area-{plane}").scroll_into_view_if_needed()
    box = page.locator(f"#{NAME}-area-{plane}-handle .dot").bounding_box()
    x = box["x"] + box["width"] / 2
    y = box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right / 2, y + down / 2)
    page.mouse.move(x + right, y + down)
    page.mouse.up()


@pytest.mark.parametrize("place", PLACES)
def test_a_drag_changes_path_limit_and_invariants_and_nothing_is_asked_of_others(figure, place):
    page = figure(place)
    before = {key: state(page, key) for key in ("start", "limit", "conserved")}
    path = page.locator(f"#{NAME}-area-xw-path").get_attribute("d")
    text = page.locator(f"#{NAME}-area-readings").inner_text()
    asked = len(page.seen["requests"])
    drag(page, "xw", 40, 55)
    assert all(state(page, key) != value for key, value in before.items())
    assert page.locator(f"#{NAME}-area-xw-path").get_attribute("d") != path
    assert page.locator(f"#{NAME}-area-readings").inner_text() != text
    assert state(page, "start")[2] == before["start"][2]
    assert page.seen["requests"][asked:] == []
    assert (page.seen["errors"], page.seen["failed"]) == ([], [])
    everything = [urlsplit(u) for u in page.seen["requests"]]
    assert {u.netloc for u in everything if u.scheme not in ("data", "blob")} == {
        urlsplit(page.url).netloc
    }


@pytest.mark.parametrize(
    "move", [("xw", -70, 20), ("xw", 30, -60), ("uw", -160, 0), ("uw", -120, 130)]
)
def test_the_drawn_end_is_the_limit_of_the_library_on_the_curve_of_the_conserved_quantities(
    figure, move
):
    page = figure("alone")
    drag(page, *move)
    limit = flow.limit_point(state(page, "start"))
    assert np.allclose(state(page, "limit"), limit, atol=1e-9)
    assert np.allclose(state(page, "end"), limit, atol=1e-6)
    assert np.allclose(drawn(page, "xw"), [limit[0], limit[1]], atol=1e-3)
    assert np.allclose(drawn(page, "uw"), [limit[2], limit[1]], atol=1e-3)
    assert max(state(page, "drift")) < 1e-8
    assert np.allclose(state(page, "conserved"), flow.conserved(state(page, "start")))


def drawn(page, plane):
    """Coordinates of the drawn end point, read off the axis labels of its own drawing."""
    return page.evaluate(
        "id => { const view = document.getElementById(id), end = document.getElementById(id + '-end');"
        " const ticks = [...view.querySelectorAll('text:not(.name)')].map(t => [t.textContent.replace('\\u2212', '-'),"
        "   Number(t.getAttribute('x')), Number(t.getAttribute('y')), t.getAttribute('text-anchor')]);"
        " const at = (label, anchor) => ticks.find(t => t[0] === label && t[3] === anchor);"
        " const [x0, x1] = [at('0', 'middle')[1], at('1', 'middle')[1]];"
        " const [y0, y1] = [at('0', 'end')[2] - 4, at('1', 'end')[2] - 4];"
        " return [(end.cx.baseVal.value - x0) / (x1 - x0), (end.cy.baseVal.value - y0) / (y1 - y0)]; }",
        f"{NAME}-area-{plane}",
    )


@pytest.mark.parametrize("place", PLACES)
def test_arrow_keys_move_the_start(figure, place):
    page = figure(place)
    x, w, u = state(page, "start")
    page.locator(f"#{NAME}-area-xw-handle").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowUp")
    page.locator(f"#{NAME}-area-uw-handle").focus()
    page.keyboard.press("ArrowLeft")
    assert np.allclose(state(page, "start"), [x + 0.05, w + 0.01, u - 0.05])
    page.locator(f"#{NAME}-area-x").focus()
    page.keyboard.press("ArrowRight")
    assert np.allclose(state(page, "start"), [x + 0.06, w + 0.01, u - 0.05])


def test_a_start_stays_within_the_reach_of_the_figure(figure):
    page = figure("alone")
    drag(page, "xw", 2000, -2000)
    assert state(page, "start")[:2] == [2, 2]


def test_a_finger_can_drag(figure):
    """Touch moves the handle and does not scroll the page; next to the handle it scrolls."""
    page = figure("alone", width=390, has_touch=True, is_mobile=True)
    handle = page.locator(f"#{NAME}-area-xw-handle")
    assert handle.evaluate("e => getComputedStyle(e).touchAction") == "none"
    assert (
        page.locator(f"#{NAME}-area-xw").evaluate("e => getComputedStyle(e).touchAction") == "auto"
    )
    page.evaluate("document.body.style.padding = '3000px 0'; scrollTo(0, 2980)")
    hit = page.locator(f"#{NAME}-area-xw-handle .hit").bounding_box()
    assert min(hit["width"], hit["height"]) >= 44
    before = state(page, "start")
    scrolled = page.evaluate("window.scrollY")
    touch = page.context.new_cdp_session(page)
    x = hit["x"] + hit["width"] / 2
    y = hit["y"] + hit["height"] / 2
    for kind, px, py in [
        ("touchStart", x, y),
        ("touchMove", x + 20, y + 20),
        ("touchMove", x + 40, y + 30),
    ]:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": px, "y": py}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    after = state(page, "start")
    assert after[0] > before[0] and after[1] < before[1]
    assert page.evaluate("window.scrollY") == scrolled == 2980


@pytest.mark.parametrize("place", PLACES)
def test_a_start_on_an_axis_is_its_own_limit_and_says_so(figure, place):
    page = figure(place)
    press(page, "On an axis")
    assert state(page, "limit") == state(page, "start") == state(page, "end")
    sentence = explain(state(page, "start"))
    assert "the limit is the start itself" in sentence
    assert page.locator(f"#{NAME}-area-said").inner_text() == sentence
    page.wait_for_function(
        f"document.getElementById('{NAME}-area-live').textContent.includes('the start itself')"
    )


def test_presets_target_and_reset(figure):
    page = figure("alone")
    first = state(page, "start")
    press(page, "Diagonal")
    assert np.allclose(state(page, "limit"), [1, 1, 1])
    press(page, "Negative product")
    assert state(page, "limit")[0] > 0 > state(page, "start")[0]
    press(page, "Drawn to a saddle")
    assert state(page, "limit")[:2] == [0, 0]
    press(page, "V rises")
    assert page.locator(f"#{NAME}-area-readings [data-rising=yes]").count() == 1
    assert page.locator(f"#{NAME}-area-xw-rising").get_attribute("d")
    assert page.locator(f"#{NAME}-area .of-rising").is_visible()
    page.get_by_label("δ = 0").check()
    assert state(page, "target") == 0
    assert np.allclose(state(page, "limit"), flow.limit_point(state(page, "start"), target=0))
    assert page.locator(f"#{NAME}-area-xw-rising").get_attribute("d") == ""
    assert not page.locator(f"#{NAME}-area .of-rising").is_visible()
    press(page, "Reset")
    assert (state(page, "start"), state(page, "target")) == (first, 1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", PLACES)
def test_text_and_curves_stand_out_from_the_ground(figure, place, scheme):
    """WCAG 2.2: contrast 4.5 for text (1.4.3), 3 for what must be seen (1.4.11)."""
    page = figure(place, scheme=scheme)
    press(page, "V rises")
    ground = colour(page, "", "backgroundColor")
    for part in (" .gb-said", " td", " button", " li"):
        assert contrast(colour(page, part, "color"), ground) >= 4.5, part
    assert contrast(colour(page, " svg text", "fill"), ground) >= 4.5
    for part in (
        " path.path",
        " path.surface",
        " path.rail",
        " path.rising",
        " .handle .dot",
        " .frame",
    ):
        assert contrast(colour(page, part, "stroke"), ground) >= 3, part


def colour(page, part, name):
    return colours(page.locator(f"#{NAME}-area{part}").first, name)[0]


def test_paper_gets_the_picture_without_its_controls(figure):
    page = figure("alone", scheme="dark")
    page.emulate_media(media="print")
    assert page.locator(f"#{NAME}-area .gb-controls:visible").count() == 0
    assert page.locator(f"#{NAME}-area-xw:visible").count() == 1
    assert colour(page, "", "backgroundColor") == "#ffffff"
