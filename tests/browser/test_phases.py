"""The phase diagram whose cells are opened, in Chromium: by click and by keyboard, with the numbers
of the library."""

import json

import numpy as np
import pytest
import xarray as xr

from companion.page import interactive
from grokbook.curves.phases import PhaseRule, phases
from grokbook.plotting.phases import diagrams
from grokbook_chapters.phase_diagrams.figures import explorable
from visited import alone

pytestmark = pytest.mark.browser
RATES = [1e-4, 1e-3, 1e-2]
DECAYS = [0.0, 5.0]


def made() -> tuple[xr.Dataset, xr.Dataset]:
    """Six runs of 200 steps: the training set is reached at 50, the test set at 100 at the lowest
    rate only."""
    steps = np.array([0, 50, 100, 150, 200])
    test = np.where(np.arange(3)[:, None, None] == 0, steps >= 100, 0.0 * steps)
    sides = {"decoder_lr": RATES, "decoder_weight_decay": DECAYS, "step": steps}
    curves = {"train_accuracy": steps >= 50, "test_accuracy": test}
    whole = {
        name: np.broadcast_to(curve, (3, 2, 5)).astype(float) for name, curve in curves.items()
    }
    data = xr.Dataset({name: ([*sides], curve) for name, curve in whole.items()}, sides)
    table = np.random.default_rng(0).normal(size=(3, 2, 10, 1))
    data["embedding"] = (("decoder_lr", "decoder_weight_decay", "token", "feature"), table)
    return data, phases(data, PhaseRule(cap=200))


@pytest.fixture
def figure(opened_at, tmp_path):
    """The page with the figure, its element and what was exported to it, at a width."""

    def open_figure(**options):
        data, found = made()
        still = diagrams({"a": found.phase})
        body = interactive.markup(
            "phase_explorer", "fig-try", "Cells.", explorable(data, found), still
        )
        page = opened_at(alone(tmp_path, body).as_uri(), **options)
        root = page.locator("#fig-try-area")
        return page, root, json.loads(root.get_attribute("data-options"))

    return open_figure


def test_a_click_opens_the_cell_that_was_measured(figure):
    page, root, data = figure()
    assert (
        [b.inner_text() for b in root.locator("button").all()]
        == [c["phase"] for c in data["cells"]]
        == [*"CMMCMM"]
    )
    before = root.locator(".curve.test").get_attribute("d")
    root.locator("button").nth(4).click()
    assert root.get_attribute("data-cell") == "4" and root.get_attribute("data-phase") == "M"
    told = root.locator(".gb-said").inner_text()
    assert "1e-3" in told and "weight decay 5" in told and "memorisation" in told
    assert "training set at step 50" in told and "test set not by step 200" in told
    assert root.locator(".curve.test").get_attribute("d") != before
    assert page.seen["errors"] == []


def test_arrows_move_and_enter_opens_and_one_cell_is_in_the_tab_order(figure):
    page, root, _ = figure()
    root.locator("button").nth(0).focus()
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    assert root.get_attribute("data-cell") == "0"
    page.keyboard.press("Enter")
    assert root.get_attribute("data-cell") == "4"
    assert root.locator('button[tabindex="0"]').count() == 1
    assert root.locator('button[aria-pressed="true"]').count() == 1


def test_the_symbols_lie_where_the_embedding_says(figure):
    _, root, data = figure()
    places = {
        int(d.get_attribute("data-token")): float(d.get_attribute("cx"))
        for d in root.locator(".dot").all()
    }
    expected = data["cells"][0]["embedding"]
    assert np.corrcoef([places[i] for i in range(10)], expected)[0, 1] > 0.9999


def test_a_wide_diagram_is_turned_on_a_phone_so_that_every_cell_can_be_hit(opened_at, tmp_path):
    """16 by 11 cells, as in chapter 12; targets of at least 24 pixels (WCAG 2.2, 2.5.8); arrows
    move as one sees."""
    cell = {
        "end": 9,
        "fit_step": None,
        "test_step": None,
        "steps": [1],
        "train": [0],
        "test": [0],
        "embedding": [0, 1],
    }
    cells = [cell | {"phase": "CGMX"[n % 4]} for n in range(176)]
    data = {
        "across": "rate",
        "down": "decay",
        "xs": list(range(16)),
        "ys": list(range(11)),
        "first": 1,
        "last": 9,
    }
    body = interactive.markup(
        "phase_explorer", "fig-try", "Cells.", data | {"cells": cells, "reach": 1}
    )
    page = opened_at(
        alone(tmp_path, body, "wide").as_uri(), width=390, has_touch=True, is_mobile=True
    )
    sizes = "all => Math.min(...all.map(e => e.getBoundingClientRect()).flatMap(b => [b.width, b.height]))"
    assert page.locator("#fig-try-area button").evaluate_all(sizes) >= 24
    page.locator("#fig-try-area button").first.focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert page.locator("#fig-try-area").get_attribute("data-cell") == str(1 * 16 + 2)
