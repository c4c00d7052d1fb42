"""Addition by circles, in Chromium: margins, wrong pairs and losses are the library's; hand,
keyboard and phone."""

import base64
import json

import numpy as np
import pytest

from companion.page import interactive
from grokbook.plotting.palette import contrast
from grokbook_chapters.how_a_network_adds import frequencies as fr
from grokbook_chapters.how_a_network_adds.trained import explorable
from visited import alone, colours

NAME = "fig-add-explorer"
P = 29
pytestmark = pytest.mark.browser


def network():
    """Logits of two waves and a rest that makes some pairs wrong."""
    rest = np.random.default_rng(4).normal(size=(P * P, P))
    return fr.waves(P, [0.0, 3.0, 0.0, 0.0, 2.0]) + rest


@pytest.fixture(scope="module")
def computed(script_of):
    return script_of("frequency_explorer")


@pytest.fixture
def figure(opened_at, tmp_path_factory):
    """The figure alone in a file, as it starts, at a width."""
    options = {"p": P, "chosen": [1], "noise": 0.1, "networks": [explorable(network(), "Trained")]}
    body = interactive.markup("frequency_explorer", NAME, "Circles, pairs and logits.", options)
    file = alone(
        tmp_path_factory.mktemp("frequencies"), f"<style>body {{ margin: 0 }}</style>{body}"
    )

    def open_figure(**how):
        page = opened_at(file.as_uri(), **how)
        page.reload()
        return page, page.locator(f"#{NAME}-area")

    return open_figure


def state(root, key):
    return json.loads(root.get_attribute(f"data-{key}"))


def press(root, kind, value):
    root.locator(f"button[data-{kind}='{value}']").click()


@pytest.mark.parametrize("p", [5, 13, 29])
def test_margin_and_loss_of_clocks_and_pizzas_are_the_librarys(computed, p):
    """Amplitudes at random: the same margins, wrong pairs and cross entropy as `score` has."""
    i, j, c = np.ogrid[:p, :p, :p]
    drawn = np.random.default_rng(p).normal(1, 1, size=(4, (p - 1) // 2))
    for rule in ("clock", "pizza"):
        for a, found in zip(
            drawn, computed("numbers", [[p, a.tolist(), rule] for a in drawn]), strict=True
        ):
            k = np.arange(1, len(a) + 1)[:, None, None, None]
            factor = np.abs(np.cos(np.pi * k * (i - j) / p)) if rule == "pizza" else 1
            logits = (
                a[:, None, None, None] * factor * np.cos(2 * np.pi * k * (i + j - c) / p)
            ).sum(axis=0)
            expected = fr.score(logits.reshape(p * p, p))
            assert found["wrong"] == expected.wrong
            assert found["loss"] == pytest.approx(expected.loss) and found[
                "margin"
            ] == pytest.approx(expected.margin)


def test_numbers_of_a_byte_are_read_back(computed):
    drawn = np.random.default_rng(0).integers(-127, 128, size=4097)
    (found,) = computed("levels", [[base64.b64encode(drawn.astype("i1").tobytes()).decode()]])
    assert found == drawn.tolist()


def test_one_frequency_has_the_margin_of_the_formula_and_more_have_more(figure):
    """1 - cos(2 pi / 29) for one frequency; min over m of sum_k (1 - cos(2 pi k m / p)) for
    several."""
    page, root = figure()
    assert state(root, "margin") == pytest.approx(1 - np.cos(2 * np.pi / 29))
    one = state(root, "wrong")
    for k in (5, 12):
        press(root, "k", k)
    m = np.arange(1, P)[:, None]
    expected = (1 - np.cos(2 * np.pi * m * np.array([1, 5, 12]) / P)).sum(axis=1).min()
    assert state(root, "chosen") == [1, 5, 12] and state(root, "margin") == pytest.approx(expected)
    assert state(root, "wrong") < one / 10 and one > 100  # noise 0.1 against margins of 0.02 and 2
    assert "3 frequencies" in root.locator(".gb-said").inner_text()
    press(root, "choice", "None")
    assert state(root, "wrong") > 750 and state(root, "margin") == 0
    assert (page.seen["errors"], page.seen["failed"]) == ([], [])


def test_a_pizza_has_a_smaller_margin_where_the_operands_are_far_apart(figure):
    _, root = figure()
    press(root, "mode", 1)
    worst = 1 / P  # the factor at distance (p - 1) / 2 is |cos(pi (p - 1) / 2p)| = sin(pi / 2p)
    assert state(root, "margin") == pytest.approx(
        np.sin(np.pi * worst / 2) * (1 - np.cos(2 * np.pi / P))
    )


def test_a_trained_network_loses_the_frequencies_that_are_dropped(figure):
    """With everything the network; without a wave `drop_waves`; the rest off `keep_waves`: to half
    a step."""
    _, root = figure()
    press(root, "mode", 2)
    own = fr.score(network())
    assert state(root, "wrong") == pytest.approx(own.wrong, abs=1)
    assert state(root, "loss") == pytest.approx(own.loss, rel=1e-3)
    press(root, "k", 2)
    less = fr.score(fr.drop_waves(network(), [2]))
    assert state(root, "wrong") == pytest.approx(less.wrong, abs=1)
    assert state(root, "loss") == pytest.approx(less.loss, rel=1e-3)
    press(root, "choice", "Rest")
    press(root, "choice", "Invert")
    assert state(root, "chosen") == [2]
    assert state(root, "margin") == pytest.approx(
        fr.score(fr.keep_waves(network(), [2])).margin, abs=1e-3
    )
    assert "1 of 14 frequencies alone" in root.locator(".gb-said").inner_text()
    press(root, "choice", "Reset")
    assert (
        state(root, "wrong") == pytest.approx(own.wrong, abs=1) and len(state(root, "chosen")) == 14
    )


def test_the_keyboard_reaches_every_frequency_by_one_stop_and_the_pair_by_two(figure):
    page, root = figure()
    assert root.locator(".gb-waves button[tabindex='0']").count() == 1
    root.locator("button[data-k='1']").focus()
    for key in ("Space", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "Space"):
        page.keyboard.press(key)
    assert state(root, "chosen") == [3]
    assert page.evaluate("document.activeElement.dataset.k") == "3"
    before = state(root, "pair")
    root.locator("input[data-slider='j']").focus()
    page.keyboard.press("ArrowRight")
    assert state(root, "pair") == [before[0], before[1] + 1]
    right = sum(state(root, "pair")) % P
    assert root.locator(".dot.right").get_attribute("data-c") == str(right)


def test_a_tap_on_the_mosaic_chooses_the_pair(figure):
    _, root = figure()
    box = root.locator(".gb-mosaic").bounding_box()
    root.locator(".gb-mosaic").click(
        position={"x": box["width"] * 20.5 / P, "y": box["height"] * 11.5 / P}
    )
    assert (
        state(root, "pair") == [11, 20]
        and root.locator(".dot.right").get_attribute("data-c") == "2"
    )


def test_on_a_phone_nothing_is_wide_targets_are_large_and_pictures_are_in_sight_together(figure):
    """Targets of 24 pixels or more (WCAG 2.2, 2.5.8); frequencies, mosaic and logits on one screen
    of 390 by 844."""
    page, root = figure(width=390, height=844)
    for mode in (0, 2):
        press(root, "mode", mode)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        seen = "all.filter(e => e.offsetParent).map(e => e.getBoundingClientRect())"
        sizes = f"all => Math.min(...{seen}.flatMap(b => [b.width, b.height]))"
        assert root.locator("button, input").evaluate_all(sizes) >= 24
        top = root.locator(".gb-waves").bounding_box()["y"]
        foot = root.locator(".gb-logits").bounding_box()
        assert foot["y"] + foot["height"] - top < 700


def test_text_can_be_read_in_both_colour_schemes(figure):
    """A pressed frequency, 4.5 to 1 or more (WCAG 1.4.3)."""
    page, root = figure()
    for theme in ("light", "dark"):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        assert (
            contrast(*colours(root.locator("button[data-k='1']"), "color", "backgroundColor"))
            >= 4.5
        )
    page.evaluate("delete document.documentElement.dataset.theme")


def test_the_data_are_small():
    assert len(json.dumps(explorable(network(), "Trained"))) < 40_000
