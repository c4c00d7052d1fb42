"""Steps a second of the page that trains, in Chromium: `python benchmarks/browser.py` prints them.

Beside them, in turns, the same without the program that multiplies two numbers at a time
(WebAssembly): loops alone. The time is the processor's, of the process that computes the page: what
other programs take in between is not counted.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Browser

from companion.page import tables
from companion.site.browser import chromium
from grokbook_chapters.training_page import settings

TURNS, STEPS = 5, {"quadratic": 600, "transformer": 60}


def processor_seconds(browser: Browser) -> float:
    """Seconds of processor time that the processes of pages have used."""
    told = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
    return sum(
        process["cpuTime"] for process in told["processInfo"] if process["type"] == "renderer"
    )


def measured(given: Mapping[str, Any]) -> dict[bool, list[float]]:
    """Steps a second with these settings, with the program and by loops alone, once a turn; the
    first turn compiles."""
    call = "([fast, s, n]) => window.GrokbookTrainer(window.GrokbookNetworks(fast)).steps(s, n)"
    count = STEPS[given["model"]]
    found: dict[bool, list[float]] = {True: [], False: []}
    with chromium() as browser:
        page = browser.new_page()
        page.add_script_tag(content=tables.script("training_page"))
        for _ in range(TURNS + 1):
            for fast, each in found.items():
                before = processor_seconds(browser)
                page.evaluate(call, [fast, dict(given), count])
                each.append(count / (processor_seconds(browser) - before))
    return {fast: each[1:] for fast, each in found.items()}


if __name__ == "__main__":
    for given in (
        settings(),
        settings("transformer"),
        settings("transformer", p=59, width=64, train_fraction=0.4),
    ):
        fast, loops = measured(given).values()
        ratio = statistics.median(a / b for a, b in zip(fast, loops, strict=True))
        size = (
            f"p = {given['p']}, width {given['width']}, {given['train_fraction']:.0%} of the pairs"
        )
        told = f"{statistics.median(fast):.0f} steps a second, {min(fast):.0f} to {max(fast):.0f}"
        print(f"{given['model']} ({size}): {told}; {ratio:.2f} times the loops")
