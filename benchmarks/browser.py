"""Steps a second of the page that trains, in Chromium: `python benchmarks/browser.py` prints them.

The time is the processor's, of the process that computes the page: what other programs take in between is not counted.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Browser

from grokbook.build.picture import chromium
from grokbook.page import tables
from grokbook.page.training_page import settings

TURNS, STEPS = 5, {"quadratic": 600, "transformer": 150}


def processor_seconds(browser: Browser) -> float:
    """Seconds of processor time that the processes of pages have used."""
    told = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
    return sum(process["cpuTime"] for process in told["processInfo"] if process["type"] == "renderer")


def measured(given: Mapping[str, Any]) -> list[float]:
    """Steps a second of a run with these settings, once a turn; the first turn compiles the script and is left out."""
    call, count, found = "([s, n]) => window.GrokbookTraining.steps(s, n)", STEPS[given["model"]], []
    with chromium() as browser:
        page = browser.new_page()
        page.add_script_tag(content=tables.script("training_page"))
        for _ in range(TURNS + 1):
            before = processor_seconds(browser)
            page.evaluate(call, [dict(given), count])
            found.append(count / (processor_seconds(browser) - before))
    return found[1:]


if __name__ == "__main__":
    for model in STEPS:
        given = settings(model)
        found = measured(given)
        size = f"p = {given['p']}, width {given['width']}, {given['train_fraction']:.0%} of the pairs"
        print(f"{model} ({size}): {statistics.median(found):.0f} steps a second, {min(found):.0f} to {max(found):.0f}")
