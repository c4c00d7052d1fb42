"""The interactive figure of chapter 11: its mathematics is that of the library, and it answers to
hand and keyboard."""

import json

import numpy as np
import pytest

from companion.page import interactive
from grokbook.theory import parallelograms as pg
from grokbook.theory.effective_flow import flow
from grokbook_chapters.effective_theory import lines
from visited import alone

NAME = "fig-line-explorer"
TIMES = [0.0, 0.5, 7.0, 90.0, 3000.0]
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("line")]


@pytest.fixture(scope="module")
def computed(script_of):
    """Call a function of the script in a browser on an empty page: computed(name, list of argument
    lists)."""
    return script_of("line_explorer")


def worlds():
    """p and training sets of all sizes, empty and full ones among them, with starts that are not
    centred."""
    rng = np.random.default_rng(11)
    for p in (4, 7, 10):
        every = pg.all_samples(p)
        for n in np.linspace(0, len(every), 14).round().astype(int):
            yield (
                p,
                [list(every[k]) for k in rng.permutation(len(every))[:n]],
                rng.normal(0.3, 1, size=p),
            )


def test_what_a_training_set_decides_is_what_the_library_says(computed):
    cases = list(worlds())
    for (p, pairs, _), found in zip(
        cases, computed("analyse", [[p, pairs] for p, pairs, _ in cases]), strict=True
    ):
        implied = pg.implied_set(pairs, p)
        assert found["nullity"] == pg.nullity(pairs, p)
        assert found["parallelograms"] == len(pg.permissible_set(pairs)) and found[
            "implied"
        ] == len(implied)
        assert found["rate"] == pytest.approx(pg.grokking_rate(pairs, p), abs=1e-9)
        assert [tuple(one) for one in found["answered"]] == pg.augmented_set(pairs, implied)


def test_motion_and_quality_are_those_of_the_library(computed):
    cases = list(worlds())
    paths = computed("flow", [[p, pairs, start.tolist(), TIMES] for p, pairs, start in cases])
    for (_, pairs, start), path in zip(cases, paths, strict=True):
        assert np.allclose(path, flow(start, pairs, TIMES), rtol=0, atol=1e-9)
    ends = [path[-2] for path in paths]
    assert computed("quality", [[end, 0.05] for end in ends]) == [
        pg.representation_quality_index(end, 0.05) for end in ends
    ]


@pytest.fixture
def figure(opened_at, tmp_path_factory):
    """The figure alone in a file, as it starts."""

    def made(p=10, samples=45, **options):
        begins = {
            "start": lines.start(p).tolist(),
            "pairs": [list(q) for q in lines.training_set(p, samples)],
        }
        body = interactive.markup("line_explorer", NAME, "Numbers that move.", begins)
        return opened_at(alone(tmp_path_factory.mktemp("line"), body).as_uri(), **options)

    return made


def state(page, key):
    return json.loads(page.locator(f"#{NAME}-area").get_attribute(f"data-{key}"))


def press(page, name):
    page.locator(f"#{NAME}-area button[data-preset='{name}']").click()


def cell(page, i, j):
    return page.locator(f"#{NAME}-area button[data-cell='{i},{j}']")


def agrees(page):
    """What the page shows of its training set and moment is what the library computes for them."""
    pairs = state(page, "pairs")
    start = state(page, "start")
    time = state(page, "time")
    assert state(page, "nullity") == pg.nullity(pairs, 10)
    assert state(page, "rate") == pytest.approx(pg.grokking_rate(pairs, 10), abs=1e-9)
    assert np.allclose(state(page, "now"), flow(start, pairs, [time])[0], rtol=0, atol=1e-9)
    pressed = page.locator(f"#{NAME}-area button[aria-pressed=true]")
    pressed = pressed.evaluate_all("all => all.map(e => e.dataset.cell)")
    assert sorted(pressed) == sorted(f"{i},{j}" for i, j in pairs)


def test_a_click_puts_a_pair_in_or_out_and_everything_follows(figure):
    page = figure()
    press(page, "Two sums")
    assert state(page, "nullity") == 2
    before = {key: state(page, key) for key in ("rate", "parallelograms", "now", "answered")}
    path = page.locator(f"#{NAME}-area-path-0").get_attribute("d")
    cell(page, 0, 9).click()
    assert state(page, "nullity") == 3 and state(page, "rate") == 0
    assert all(state(page, key) != value for key, value in before.items())
    assert page.locator(f"#{NAME}-area-path-0").get_attribute("d") != path
    assert "does not force a line" in page.locator(f"#{NAME}-area-said").inner_text()
    agrees(page)
    cell(page, 0, 9).click()
    assert {key: state(page, key) for key in before} == before
    assert (page.seen["errors"], page.seen["failed"]) == ([], [])


def test_the_keyboard_reaches_every_cell_by_one_stop(figure):
    page = figure()
    assert page.locator(f"#{NAME}-area .gb-cells button[tabindex='0']").count() == 1
    press(page, "None")
    cell(page, 0, 0).focus()
    for key in ["ArrowRight"] * 3 + ["ArrowDown"] * 2 + ["ArrowLeft", "ArrowLeft", "Space"]:
        page.keyboard.press(key)
    assert state(page, "pairs") == [[2, 2]] and state(page, "label") == 4
    assert page.evaluate("document.activeElement.dataset.cell") == "2,2"
    assert page.locator(f"#{NAME}-area .gb-cells button[tabindex='0']").count() == 1
    agrees(page)


@pytest.mark.parametrize(
    "name", ["All", "45 at random", "23 at random", "Two sums", "0 left loose"]
)
def test_presets_show_what_the_library_computes(figure, name):
    page = figure()
    press(page, name)
    agrees(page)
    sizes = {"All": 55, "45 at random": 45, "23 at random": 23, "Two sums": 10, "0 left loose": 47}
    assert len(state(page, "pairs")) == sizes[name]


def test_a_page_with_other_parameters_has_their_symbols_training_set_and_shares(figure):
    """p = 8: 36 pairs, of which the buttons take the shares 45/55 and 23/55."""
    page = figure(p=8, samples=28)
    assert page.locator(f"#{NAME}-area [data-cell]").count() == 36
    assert len(state(page, "start")) == 8 and len(state(page, "pairs")) == 28
    for name, size in {
        "29 at random": 29,
        "15 at random": 15,
        "Two sums": 8,
        "0 left loose": 30,
    }.items():
        press(page, name)
        assert len(state(page, "pairs")) == size


@pytest.mark.parametrize("name", ["All", "45 at random", "Two sums", "Reset"])
def test_a_button_goes_to_a_time_at_which_a_forced_line_is_there(figure, name):
    """Ten time scales: a deviation is e^-10 of what it was, which the RQI at tolerance 0.01 does
    not see."""
    page = figure()
    press(page, name)
    assert (
        state(page, "nullity") == 2 and "Now" in page.locator(f"#{NAME}-area-readings").inner_text()
    )
    assert pg.representation_quality_index(state(page, "now"), 0.01) == 1
    assert state(page, "time") == pytest.approx(10 * 10 / state(page, "rate"), rel=1e-6)


def test_another_start_another_time_and_reset(figure):
    page = figure()
    first = {key: state(page, key) for key in ("pairs", "start", "time")}
    press(page, "Other start")
    assert np.allclose(
        [np.mean(state(page, "start")), np.mean(np.square(state(page, "start")))], [0, 1]
    )
    page.locator(f"#{NAME}-area-time").evaluate(
        "e => { e.value = 0.2; e.dispatchEvent(new Event('input')); }"
    )
    assert state(page, "time") == pytest.approx(10 ** (-1 + 4.5 * 0.2))
    agrees(page)
    press(page, "Reset")
    assert {key: state(page, key) for key in first} == first


def test_play_runs_the_time_and_pause_holds_it(figure):
    page = figure()
    rest = state(page, "time")
    press(page, "Play")  # at rest it begins again
    seen = f"JSON.parse(document.getElementById('{NAME}-area').dataset.time)"
    page.wait_for_function(f"{seen} > 0 && {seen} < {rest}")
    press(page, "Play")
    held = state(page, "time")
    page.wait_for_timeout(200)
    assert state(page, "time") == held


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_scrolls_only_down_and_cells_can_be_hit(figure, scheme):
    """WCAG 2.2, 2.5.8: targets of at least 24 pixels."""
    page = figure(width=390, scheme=scheme, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = cell(page, 3, 7).bounding_box()
    assert min(box["width"], box["height"]) >= 24
    had = [3, 7] in state(page, "pairs")
    cell(page, 3, 7).tap()
    assert ([3, 7] in state(page, "pairs")) != had
    agrees(page)


def test_table_and_line_are_in_sight_together_on_a_phone(figure):
    page = figure(width=390, height=844, has_touch=True, is_mobile=True)
    page.evaluate(f"document.getElementById('{NAME}-area-line').scrollIntoView()")
    boxes = [
        page.locator(f"#{NAME}-area {part}").bounding_box()
        for part in ("svg[id$='-line']", ".gb-cells")
    ]
    assert all(box["y"] >= -1 and box["y"] + box["height"] <= 844 for box in boxes)
