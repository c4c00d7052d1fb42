"""The front page in Chromium, and the page that trains wherever it stands: what is seen first, what
a press shows."""

import json
from urllib.parse import parse_qsl

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
HIGHEST = 6_000

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
        "The chapters",
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


ROOT_OF = "document.getElementById('fig-front-train-area')"
PRESSES = ".gb-press a"


@pytest.mark.parametrize(("width", "height"), [*SCREENS, (1024, 768)])
def test_the_network_stays_in_sight_beside_every_act_and_leaves_with_the_last(front, width, height):
    page = front(width, height)
    acts = page.locator("#one-network-act-by-act > section")
    assert acts.count() >= 8
    for act in acts.all():
        act.locator("h3").evaluate("e => e.scrollIntoView({ block: 'end', behavior: 'instant' })")
        assert inside(page, "#fig-front-train-area canvas", "#fig-front-train-area .gb-ring")
    page.locator("#the-chapters").evaluate(
        "e => e.scrollIntoView({ block: 'start', behavior: 'instant' })"
    )
    page.wait_for_timeout(200)
    page.mouse.wheel(0, height)
    page.wait_for_timeout(500)
    assert not inside(page, "#fig-front-train-area canvas")


@pytest.mark.parametrize(("width", "height"), [SCREENS[1], (1024, 768)])
def test_the_words_of_an_act_are_seen_beside_the_network(front, width, height):
    """What is pinned leaves two fifths of a small screen at least."""
    page = front(width, height)
    page.locator("#take-copying-away h3").evaluate(
        "e => e.scrollIntoView({ block: 'center', behavior: 'instant' })"
    )
    box = page.locator("#fig-front-train-area").bounding_box()
    assert box["y"] + box["height"] <= 0.62 * height


def test_each_press_runs_its_act_and_its_address_repeats_it(front, open_page, address):
    page = front()
    seen = []
    for press in page.locator(PRESSES).all():
        press.click()
        asked = dict(parse_qsl(press.get_attribute("href").partition("?")[2]))
        pressed = "e => e.getAttribute('aria-current') === 'true'"
        page.wait_for_function(pressed, arg=press.element_handle())
        page.wait_for_function(f"{ROOT_OF}.dataset.going === 'true'")
        page.wait_for_function(f"JSON.parse({ROOT_OF}.dataset.step) > 0")
        now = page.evaluate(f"JSON.parse({ROOT_OF}.dataset.settings)")
        assert {name: str(now[name]) for name in ("split", "model", "steps")} == {
            name: asked[name] for name in ("split", "model", "steps")
        }
        assert float(asked["weight_decay"]) == now["weight_decay"]
        assert now["given"] == asked.get("given", "nothing")
        assert page.evaluate("location.hash") == press.get_attribute("href")
        assert page.locator(f"{PRESSES}[aria-current=true]").all_inner_texts() == [
            press.inner_text()
        ]
        seen.append(now)
    assert len(seen) == len({json.dumps(one) for one in seen}) == 7
    again = open_page(f"{address}intro.html{page.evaluate('location.hash')}")
    again.wait_for_function(f"{ROOT_OF}.dataset.going === 'true'")
    assert again.evaluate(f"JSON.parse({ROOT_OF}.dataset.settings)") == seen[-1]
    assert (page.seen["errors"], page.seen["failed"]) == ([], [])


RADII = """() => [...document.querySelectorAll('#fig-front-train-area .gb-ring .number')].map(
  e => Math.hypot(e.getAttribute('cx') - 85, e.getAttribute('cy') - 106))"""


def test_while_it_waits_its_numbers_come_to_lie_on_a_circle(front):
    """The shortest distance from the middle over the longest, before and after."""
    page = front()

    def roundness():
        radii = page.evaluate(RADII)
        assert len(radii) == 23
        return min(radii) / max(radii)

    page.locator(PRESSES, has_text="No mirror images").click()
    page.wait_for_function(f"JSON.parse({ROOT_OF}.dataset.step) < 100")
    before = roundness()
    page.wait_for_function(f"JSON.parse({ROOT_OF}.dataset.step) > 1000", timeout=120_000)
    assert before < 0.5 < roundness()


def test_a_newcomer_sees_in_one_click_what_happens_without_weight_decay(front):
    page = front()
    page.locator(PRESSES, has_text="No weight decay").click()
    done = "e => e.dataset.step > 300 && JSON.parse(e.dataset.settings).weight_decay === 0"
    page.wait_for_function(f"({done})({ROOT_OF})", timeout=60_000)
    said = page.locator("#fig-front-train-area .gb-said").inner_text()
    assert "no weight decay" in said and "by heart" in said


def test_a_newcomer_finds_in_one_click_whether_med_foretells_grokking(front):
    """Three minutes are enough at 230 words a minute: the act, then the page from its title to its
    answer."""
    page = front()
    act = "#can-it-be-foretold"
    read = [page.locator(act).inner_text()]
    page.locator(act).get_by_role("link", name="Does MED").click()
    page.wait_for_url("**/06_progress_measures.html*", wait_until="domcontentloaded")
    answer = page.locator("blockquote", has_text="Answer").first.inner_text()
    read += [
        page.locator(one).first.inner_text()
        for one in ("article h1", ".gb-dek", ".tag_gb-lead figcaption")
    ]
    assert len(" ".join([*read, answer]).split()) < 3 * 230


def test_the_list_leads_to_every_chapter(front):
    page = front()
    links = page.locator(".gb-contents a").evaluate_all(
        "all => all.map(a => a.getAttribute('href'))"
    )
    assert [link for link in links if not (SITE / link).is_file()] == [] and len(links) > 15
