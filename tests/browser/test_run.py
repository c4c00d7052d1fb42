"""The moving figure of a run in Chromium: alone in a file, and on page 01 of the site."""

import json

import numpy as np
import pytest
import xarray as xr

from companion.page import interactive
from grokbook.plotting.moving import circle_over_training, moving_run
from project_tree import ROOT
from visited import alone as in_a_file

SITE = ROOT / "site"
ON_SITE = {"chapters/01_what_is_grokking.html": "fig-circle"}
PLACES = ["alone"]
PLACES += [
    pytest.param(
        name, marks=pytest.mark.skipif(not (SITE / name).is_file(), reason="the site is not built")
    )
    for name in ON_SITE
]

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("run")]


def run() -> xr.Dataset:
    """A run of 400 steps that fits at step 100 and generalises at step 300, with five embeddings of
    13 numbers."""
    steps = np.arange(0, 401, 20)
    tables = np.random.default_rng(1).normal(size=(5, 13, 4)) * np.linspace(1, 2, 5)[:, None, None]
    curves = {
        "train_accuracy": ("step", np.clip(steps / 100, 0, 1)),
        "test_accuracy": ("step", (steps >= 300) * 1.0),
    }
    kept = {"embedding": (("snapshot", "token", "feature"), tables)}
    return xr.Dataset(curves | kept, {"step": steps, "snapshot": np.linspace(0, 400, 5)})


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The figure alone in a file."""
    still = circle_over_training(run(), [0, 400])
    body = interactive.markup(
        "grokking_run", "fig-try", "A ring of points that appears.", moving_run(run()), still
    )
    return in_a_file(tmp_path_factory.mktemp("run"), body)


@pytest.fixture
def figure(opened_at, alone, request):
    """The page at a place, the element of its figure, and what was exported to it."""

    def open_figure(place, **options):
        page = opened_at(
            alone.as_uri() if place == "alone" else request.getfixturevalue("address") + place,
            **options,
        )
        root = page.locator(f"#{ON_SITE.get(place, 'fig-try')}-area")
        return page, root, json.loads(root.get_attribute("data-options"))

    return open_figure


def move(page, root, *keys):
    root.locator("input").focus()
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.parametrize("place", PLACES)
def test_the_slider_moved_by_keys_changes_what_is_drawn_to_what_was_exported(figure, place):
    page, root, data = figure(place)
    move(page, root, "Home")
    first = root.locator(".side").get_attribute("d")
    asked = len(page.seen["requests"])
    assert root.get_attribute("data-step") == str(data["frames"][0])
    move(page, root, "End", "ArrowLeft")
    n = len(data["frames"]) - 2
    at = data["steps"].index(data["frames"][n])
    seen = {
        name: float(root.get_attribute(f"data-{name}"))
        for name in ("step", "train", "test", "share")
    }
    share = sum(data["power"][n][k - 1] for k in data["strong"])
    assert seen == {
        "step": data["frames"][n],
        "train": data["train"][at],
        "test": data["test"][at],
        "share": share,
    }
    assert root.locator(".side").get_attribute("d") != first
    assert f"{data['frames'][n]:,}" in root.locator(".gb-step").inner_text()
    assert f"step {data['frames'][n]:,}" in root.locator("input").get_attribute("aria-valuetext")
    assert page.seen["requests"][asked:] == [] and page.seen["errors"] == []


def test_points_bars_and_marker_are_where_the_numbers_say(figure):
    page, root, data = figure("alone")
    move(page, root, "End")
    at = "(e, names) => names.map(name => Number(e.getAttribute(name)))"
    dots = {
        int(d.get_attribute("data-token")): d.evaluate(at, ["cx", "cy"])
        for d in root.locator(".dot").all()
    }
    drawn = np.array([dots[i] for i in range(data["p"])]) - 150
    expected = np.reshape(data["points"][-1], (-1, 2)) * [0.134, -0.134]
    assert np.allclose(drawn, expected, atol=0.1)
    heights = [bar.evaluate(at, ["height"])[0] for bar in root.locator(".bar").all()]
    assert np.argmax(heights) + 1 == data["strong"][0]
    power = np.array(data["power"][-1])
    assert np.allclose(np.array(heights) / max(heights), power / power.max(), atol=0.02)
    x = root.locator("line.now").evaluate(at, ["x1"])[0]
    assert [dot.evaluate(at, ["cx"])[0] for dot in root.locator(".gb-curves circle").all()] == [
        x,
        x,
    ]


@pytest.mark.parametrize(
    ("keys", "words"), [(["Home"], "Learning by heart"), (["End"], "It has found the rule")]
)
def test_the_sentence_says_what_the_network_can_do(figure, keys, words):
    page, root, _ = figure("alone")
    move(page, root, *keys)
    assert root.locator(".gb-said").inner_text().startswith(words)


def test_a_finger_moves_it_on_a_phone_and_nothing_is_cut_off(figure):
    page, root, data = figure("alone", width=390, has_touch=True, is_mobile=True)
    box = root.locator("input").bounding_box()
    assert box["height"] >= 44 and box["x"] + box["width"] <= 390
    page.touchscreen.tap(box["x"] + box["width"] - 10, box["y"] + box["height"] / 2)
    assert int(root.get_attribute("data-step")) == data["frames"][-1]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_scripts_there_is_a_still_picture(figure):
    page, root, _ = figure("alone", java_script_enabled=False)
    picture = root.locator("noscript img")
    assert picture.get_attribute("alt") and picture.bounding_box()["width"] > 200
