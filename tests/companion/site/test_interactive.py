"""Interactive figures: how they reach the page, and that their mathematics is that of the
library."""

import json

import numpy as np
import pytest

from companion import page
from companion.page import interactive, tables
from companion.site import outputs
from grokbook.errors import ParameterError
from grokbook.theory import triple_product as flow
from grokbook_chapters.lyapunov_phase_portrait import triple_stability
from visited import alone

ALT = "Two planes with a movable point."
CAPTION = "A caption of words."
OPTIONS = {"start": [0.2, 0.5, 0.9], "target": 1}
TIES = [
    [0.5, -0.5, 1.2],
    [-0.5, 0.5, 0.5],
    [0.0, 0.0, 0.7],
    [0.0, 0.0, 0.0],
    [0.0, 0.5, 0.5],
    [1.0, 1.0, 1.0],
]
"""Exceptional starts: drawn to a saddle or to the origin, on an axis, on a coordinate plane, at
rest."""


def starts(n: int) -> list[list[float]]:
    """Random starts in the figure's range, on its grid of hundredths, and the exceptional ones."""
    drawn = np.random.default_rng(8).integers(-200, 201, size=(n, 3)) / 100
    return [*drawn.tolist(), *TIES]


@pytest.fixture(scope="module")
def computed(script_of):
    """Call a function of the script in a browser on an empty page: computed(name, list of argument
    lists)."""
    return script_of("flow_explorer")


@pytest.mark.parametrize("name", interactive.SCRIPTS)
def test_a_figure_has_its_element_options_and_a_script_that_asks_for_nothing(name):
    text = interactive.markup(name, "fig-try", ALT, OPTIONS)
    script = tables.script(name)
    parts = (
        'id="fig-try-area"',
        f'aria-label="{ALT}"',
        "<noscript>",
        "&#34;start&#34;:[0.2,0.5,0.9]",
        script,
    )
    assert [part for part in parts if part not in text] == []
    assert text.count("<script>") == text.count("</script>") == 1
    asking = (
        "fetch(",
        "XMLHttpRequest",
        "import(",
        "importScripts",
        "WebSocket",
        "sendBeacon",
        "https:",
    )
    assert [word for word in asking if word in script] == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "try"}, "must be `fig-`"),
        ({"caption": "short"}, "needs a caption"),
        ({"alt": ""}, "needs an alt text"),
    ],
)
def test_what_is_missing_or_wrong_is_refused(change, words):
    right = {"script": "flow_explorer", "name": "fig-try", "caption": CAPTION, "alt": ALT}
    with pytest.raises(ParameterError, match=words):
        interactive.interactive(**{**right, **change})


def test_it_becomes_a_numbered_figure_like_a_picture(monkeypatch):
    from nbformat.v4 import new_code_cell, new_notebook, new_output

    seen = []
    monkeypatch.setattr(page, "_display", lambda data, metadata=None: seen.append((data, metadata)))
    interactive.interactive("flow_explorer", "fig-try", CAPTION, ALT)
    ((data, metadata),) = seen
    notebook = new_notebook(
        cells=[new_code_cell("1", outputs=[new_output("display_data", data, metadata=metadata)])]
    )
    assert outputs.label_figures(notebook) == ["fig-try"]
    assert notebook.cells[0].metadata["mystnb"]["figure"] == {"name": "fig-try", "caption": CAPTION}
    assert json.dumps(ALT)[1:-1] in data["text/plain"]


@pytest.mark.browser
def test_without_scripts_a_sentence_says_so(open_page, tmp_path):
    file = alone(tmp_path, interactive.markup("flow_explorer", "fig-try", ALT, OPTIONS))
    page = open_page(file.as_uri(), java_script_enabled=False)
    assert "scripts are switched off" in page.locator("#fig-try-area").inner_text()


@pytest.mark.browser
@pytest.mark.parametrize("target", [1, 0, -1.5])
def test_limits_of_the_page_are_those_of_the_library(computed, target):
    points = starts(200)
    found = computed("limitPoint", [[start, target] for start in points])
    assert np.allclose(found, flow.limit_point(points, target=target), rtol=1e-9, atol=1e-9)


@pytest.mark.browser
@pytest.mark.parametrize("target", [1, 0])
def test_the_integrated_end_is_the_limit_of_the_library(computed, target):
    points = [start for start in starts(60) if not slow(start, target)]
    ends = [
        path["points"][-1] for path in computed("integrate", [[start, target] for start in points])
    ]
    assert np.allclose(ends, flow.limit_point(points, target=target), atol=1e-6)


def slow(start, target) -> bool:
    """Ties that are approached slower than any exponential: no integration gets within 1e-6 of
    their limit."""
    low, middle, high = np.sort(np.abs(start))
    tied = low == middle and low > 0
    return tied and (target == 0 or (np.prod(start) < 0 and low == high))


@pytest.mark.browser
def test_paths_of_the_page_are_those_of_the_library(computed):
    """At the page's own times, Equations 14-16 of Gu et al. 2025 integrated by another method."""
    for start in starts(8)[:8]:
        path = computed("integrate", [[start, 1]])[0]
        times = np.array(path["times"])
        points = np.array(path["points"])
        assert path["atRest"]
        if len(times) > 1:
            assert np.allclose(points, flow.flow(start, times), atol=1e-6)


@pytest.mark.browser
def test_conserved_quantities_and_v_are_those_of_the_library(computed):
    points = starts(100)
    calls = [[start] for start in points]
    assert np.allclose(
        computed("conserved", calls), np.stack(flow.conserved(points), axis=-1), atol=1e-12
    )
    assert np.allclose(computed("lyapunov", calls), triple_stability.printed_v(points), atol=1e-12)
    assert np.allclose(computed("lyapunovRate", calls), triple_stability.v_rate(points), atol=1e-10)
    velocities = computed("velocity", [[start, 0.5] for start in points])
    assert np.allclose(velocities, flow.velocity(points, target=0.5), atol=1e-12)


@pytest.mark.browser
@pytest.mark.parametrize("target", [1, 0])
def test_the_sentence_of_the_page_is_that_of_the_library(computed, target):
    points = starts(100)
    found = computed("explain", [[start, target] for start in points])
    assert found == [flow.explain(start, target=target) for start in points]


@pytest.mark.browser
def test_the_part_where_v_rises(computed):
    """The printed argument fails for P > 1: V rises at the end of every such path that misses (1,
    1, 1)."""
    rising, diagonal = computed("study", [[[1.7, 1.4, 0.7], 1], [[0.3, 0.3, 0.3], 1]])
    assert 0.1 < rising["rising"]["share"] < 0.9
    assert rising["rising"]["lowest"] < rising["rising"]["last"]
    assert diagonal["rising"]["share"] == 0
    assert max(rising["drift"] + diagonal["drift"]) < 1e-8
