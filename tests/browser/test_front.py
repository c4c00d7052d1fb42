"""The front page in Chromium, and the page that trains wherever it stands: what is seen first, what
a press shows."""

import re

import pytest

from project_tree import ROOT

SITE = ROOT / "site"
TRAINERS = {
    "intro.html": "fig-front-train",
    "chapters/01_what_is_grokking.html": "fig-train",
    "chapters/16_algebraic_solutions.html": "fig-16-train",
    "chapters/17_feature_emergence.html": "fig-17-train",
}
SCREENS = [(1280, 900), (390, 844)]
HIGHEST = 3_200

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (SITE / "intro.html").is_file(), reason="the site is not built: run `grokbook build`"
    ),
]


@pytest.fixture
def front(open_page, address):
    """The front page on a screen."""
    return lambda width=1280, height=900: open_page(
        f"{address}intro.html", width=width, height=height
    )


def inside(page, *selectors):
    """Whether what these name is seen as a whole on the screen as it is scrolled now."""
    size = page.viewport_size
    boxes = [page.locator(selector).first.bounding_box() for selector in selectors]
    return all(box["y"] >= 0 and box["y"] + box["height"] <= size["height"] for box in boxes)


def test_the_front_page_has_a_height_and_length(front):
    page = front()
    assert page.evaluate("document.documentElement.scrollHeight") <= HIGHEST
    assert len(page.locator("article").inner_text().split()) <= 1_500


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_the_first_screen_has_the_question_two_buttons_and_a_network_that_learns(
    front, width, height
):
    page = front(width, height)
    root = "#fig-front-train-area"
    assert inside(
        page, "article h1", ".gb-hero p:last-child a:last-child", f"{root} button", f"{root} canvas"
    )
    assert [a.inner_text() for a in page.locator(".gb-hero p:last-child a").all()] == [
        "Train one",
        "Tour: one hour",
    ]
    page.wait_for_function(f"document.querySelector('{root}').dataset.step > 5")
    assert page.evaluate("scrollY") == 0 and not page.locator(f"{root} details[open]").count()


@pytest.mark.parametrize(("width", "height"), SCREENS)
@pytest.mark.parametrize("name", TRAINERS)
def test_table_and_curve_are_seen_together_after_train_was_pressed(
    open_page, address, name, width, height
):
    if not (SITE / name).is_file():
        pytest.skip(f"{name} is not built")
    page = open_page(address + name, width=width, height=height)
    root = f"#{TRAINERS[name]}-area"
    page.wait_for_timeout(800)
    button = page.locator(f"{root} button[data-act='train']")
    if button.inner_text() == "Pause":
        button.click()
    button.click()
    page.wait_for_function(f"document.querySelector('{root}').dataset.going === 'true'")
    page.wait_for_timeout(1_200)  # a page may scroll there smoothly
    assert inside(page, f"{root} canvas", f"{root} .gb-both svg", f"{root} .gb-said")
    link = page.locator(f"{root} .gb-link").first.get_attribute("href")
    assert link.startswith(f"{root}?") and "weight_decay=" in link and "seed=" in link


LABELS = """() => [...document.querySelectorAll('article [data-options] svg text')].filter(e => e.checkVisibility())
  .map(e => [parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a, e.textContent])"""


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_words_in_a_figure_can_be_read(front, width):
    """None is below eleven pixels; the names along the small rings, which would be, are left
    out."""
    page = front(width)
    page.wait_for_function("document.querySelector('#fig-front-train-area').dataset.step > 5")
    words = page.evaluate(LABELS)
    assert len(words) > 5
    assert [word for word in words if word[0] < 11] == []


def test_train_one_goes_on_with_a_run_and_opens_nothing(front):
    """A press while it runs does not begin it anew; one after a pause goes on."""
    page = front(390)
    root = "document.querySelector('#fig-front-train-area')"
    page.evaluate("window.drawn = [], true")
    page.evaluate(
        f"{root}.addEventListener('gb-drawn', event => drawn.push(event.detail.ends[0].step))"
    )
    for pause in (False, True):
        page.wait_for_function(f"drawn.at(-1) > 20 && {root}.dataset.going === 'true'")
        if pause:
            page.locator("#fig-front-train-area button[data-act='train']").click()
            page.wait_for_function(f"{root}.dataset.going === 'false'")
        before = page.evaluate("drawn.at(-1)")
        page.locator(".gb-hero a", has_text="Train one").click()
        page.wait_for_function(f"drawn.at(-1) > {before} && {root}.dataset.going === 'true'")
    drawn = page.evaluate("drawn")
    assert drawn == sorted(drawn)
    assert page.locator("#fig-front-train-area details[open]").count() == 0


def test_a_newcomer_sees_in_one_click_what_happens_without_weight_decay(front):
    page = front()
    page.locator("#fig-front-train-area button[data-act='decay']").click()
    done = "e => e.dataset.step > 300 && JSON.parse(e.dataset.settings).weight_decay === 0"
    page.wait_for_function(
        f"({done})(document.getElementById('fig-front-train-area'))", timeout=60_000
    )
    said = page.locator("#fig-front-train-area .gb-said").inner_text()
    assert "no weight decay" in said and "by heart" in said


def test_a_newcomer_finds_in_one_click_whether_med_foretells_grokking(front):
    """Two minutes are enough at 230 words a minute: the first screen, then the page from its title
    to its answer."""
    page = front()
    heading = "article h1"
    read = [page.locator(one).first.inner_text() for one in (heading, ".gb-hero")]
    page.locator(".gb-hero").get_by_role("link", name="MED").click()
    page.wait_for_url("**/06_progress_measures.html*", wait_until="domcontentloaded")
    answer = page.locator("blockquote", has_text="Answer").first.inner_text()
    read += [
        page.locator(one).first.inner_text()
        for one in (heading, ".gb-dek", ".tag_gb-lead figcaption")
    ]
    assert "leave both open" in answer
    assert len(" ".join([*read, answer]).split()) < 2 * 230


def test_a_moment_of_the_recorded_run_opens_its_slider(front):
    page = front()
    stills = page.locator("#fig-front-run-area .gb-stills button")
    slider = page.locator("#fig-front-run-area-slider")
    assert stills.count() == 3 and slider.is_hidden()
    stills.nth(1).click()
    assert slider.is_visible() and slider.input_value() == stills.nth(1).get_attribute("data-frame")
    step = re.search(
        r"step ([\d,]+) of", page.locator("#fig-front-run-area-open .gb-step").inner_text()
    )[1]
    assert f"Step {step}." in stills.nth(1).inner_text()


def test_the_map_leads_to_every_chapter(front):
    page = front()
    links = page.locator(".gb-map a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    assert [link for link in links if not (SITE / link).is_file()] == [] and len(links) > 15
