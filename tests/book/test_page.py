"""What cells put on a page: figures with labels, numbers, tables, boxes."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch

from grokbook.book import costs, page, tables
from grokbook.errors import ParameterError


@pytest.fixture
def shown(monkeypatch):
    """The bundles and metadata that were displayed."""
    found = []
    monkeypatch.setattr(page, "_display", lambda data, metadata=None: found.append((data, metadata)))
    return found


@pytest.fixture
def fig():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    axes.plot([0, 1, 4])
    return figure


def test_a_figure_carries_name_caption_and_alt_and_is_closed(shown, fig):
    import matplotlib.pyplot as plt

    page.figure(fig, "fig-a", "Three points,\n\n  one seed.", "A curve that rises.")
    data, metadata = shown[0]
    assert metadata["grokbook"] == {"name": "fig-a", "caption": "Three points, one seed.", "alt": "A curve that rises."}
    assert data["image/svg+xml"].startswith("<?xml")
    assert not plt.fignum_exists(fig.number)


def test_the_same_figure_is_the_same_bytes_on_an_opaque_ground_and_a_heavy_one_a_png(fig, monkeypatch):
    first, second = page._image(fig), page._image(fig)
    assert first == second
    assert "fill: #ffffff" in first["image/svg+xml"]
    assert "dc:date" not in first["image/svg+xml"]
    monkeypatch.setattr(page, "MAX_SVG_BYTES", 10)
    assert set(page._image(fig)) == {"image/png"}


@pytest.mark.parametrize(
    ("name", "caption", "alt", "said"),
    [
        ("curve", "A good caption here.", "A good alt text.", "'curve' must be `fig-` and lower-case words"),
        ("fig-Big", "A good caption here.", "A good alt text.", "'fig-Big' must be"),
        ("fig-a", "", "A good alt text.", "figure fig-a needs a caption"),
        ("fig-a", "A good caption here.", "curve", "figure fig-a needs an alt text"),
    ],
)
def test_a_figure_without_its_texts_is_refused(fig, name, caption, alt, said):
    with pytest.raises(ParameterError, match=said):
        page.figure(fig, name, caption, alt)


@pytest.fixture
def glued(monkeypatch):
    import myst_nb

    found = {}
    monkeypatch.setattr(myst_nb, "glue", lambda name, value, display: found.update({name: value}))
    return found


@pytest.mark.parametrize("value", [3, 3.0, "three", np.float32(3), np.int64(3), np.array(3.0), torch.tensor(3)])
def test_glued_scalars_are_plain(glued, value):
    page.glue("n", value)
    assert type(glued["n"]) in (int, float, str)
    assert glued["n"] in (3, "three")


def test_a_format_a_unit_and_a_missing_value(glued):
    page.glue("a", 1234.5678, form=",.1f", unit=" steps")
    page.glue("b", None, form=".0f", missing="not by step 300")
    page.glue("c", float("nan"), missing="never")
    page.glue_all("paper", {"fit": 1234.0, "delay": None})
    assert glued == {
        **{"a": "1,234.6 steps", "b": "not by step 300", "c": "never"},
        **{"paper_fit": "1,234", "paper_delay": "(not reached)"},
    }


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "delay has no value"),
        (np.float64("nan"), "delay has no value"),
        (np.zeros(3), "glue one number at a time"),
        (torch.zeros(2), "glue one number at a time"),
    ],
)
def test_a_missing_value_without_words_for_it_and_an_array_are_refused(value, said):
    with pytest.raises(ParameterError, match=said):
        page.glue("delay", value)


LEDGER = pd.DataFrame({"id": ["G1", "G2"], "verdict": ["fails", "not <run>"], "value": [0.1 + 0.2, np.nan]})
LINKED = {"links": {"id": {"G1": "a.html#b"}.get}}
STEPS = pd.DataFrame({"step": pd.Series([206, None], dtype="Int64"), "said": ["x", "word " * 12]})


@pytest.mark.parametrize(
    ("frame", "formats", "look", "parts"),
    [
        (LEDGER, {}, None, ["<caption>Two &lt;b&gt;.</caption>", 'aria-label="Two &lt;b&gt;."']),
        (LEDGER, {}, None, ['<th scope="col" class="txt">id</th>', '<td class="num">–</td>']),
        (LEDGER, {}, None, ['<span class="gb-verdict" data-verdict="not &lt;run&gt;">not &lt;run&gt;</span>']),
        (LEDGER, {"value": "06.2f"}, None, ['<td class="num">000.30</td>']),
        (LEDGER, {}, LINKED, ['<a class="reference internal" href="a.html#b">G1</a>', '<td class="txt">G2</td>']),
        (STEPS, {}, None, ['<td class="num" role="cell" data-label="step">206</td>']),
        (STEPS, {}, None, ['<td class="num" role="cell" data-label="step">–</td>', '<td class="txt long" role="cell"']),
    ],
)
def test_cells_have_a_scope_a_kind_and_nothing_but_text(frame, formats, look, parts):
    made = tables.table_html(frame, "Two <b>.", formats, tables.TableLook(**(look or {})))
    assert [part for part in parts if part not in made] == []
    assert "<script>" not in made


@pytest.mark.parametrize(("said", "cards"), [("word " * 12, True), ("word " * 6, False), (1e60, False)])
def test_only_long_text_makes_cards_of_the_rows(said, cards):
    made = tables.table_html(pd.DataFrame({"said": ["x", said]}), "Words.", {"said": lambda v: str(v)})
    assert ("gb-cards" in made) is cards and ("data-label" in made) is cards
    assert tables.table_html(pd.DataFrame({"n": [1.0]}), "Long.", {"n": lambda v: "1" * 60}).count("gb-cards") == 0


def test_a_sortable_table_has_roles_labels_raw_numbers_and_its_script(shown):
    page.table(LEDGER, "Two.", sortable=True, filters=("verdict",))
    made = shown[0][0]["text/html"]
    assert made.count('role="row"') == 3
    assert '<td class="num" role="cell" data-label="value" data-sort="0.30000000000000004">0.3</td>' in made
    assert 'data-sort="">–</td>' in made
    assert 'data-filters="[&quot;verdict&quot;]"' in made
    assert tables.script("sortable") in made
    assert "http" not in tables.script("sortable")


def test_columns_and_filters_that_make_no_sense_are_refused():
    with pytest.raises(ParameterError, match="no column 'kind'; it has id, verdict, value"):
        page.table(LEDGER, "Two.", sortable=True, filters=("kind",))
    with pytest.raises(ParameterError, match="filters need sortable=True"):
        page.table(LEDGER, "Two.", filters=("verdict",))


def experiment(missing, seeds=(0, 1, 2)):
    """What the helpers ask of an experiment."""
    cost = lambda count=3: SimpleNamespace(seconds=30.0 * count, memory_mb=200.0)  # noqa: E731
    return SimpleNamespace(name="made/up", seeds=seeds, predicted=cost, missing_seeds=lambda store=None: missing)


def test_the_cost_sentence_says_what_is_missing(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    monkeypatch.setenv("GROKBOOK_CORES", "1")
    assert page.cost_sentence([experiment((1, 2))]) == (
        "This will train 2 runs (made/up: seeds 1, 2), about 60 s and 200 MB on this machine "
        "(1 of 3 runs are already there)."
    )
    assert page.cost_sentence([experiment(())]).startswith("Nothing has to be trained: all 3 runs")


def test_the_recorded_box_says_when_where_and_how_long():
    one = {"recorded_on": "2026-11-01", "device": "CPU (x86_64)", "dtype": "float32", "seconds": 100}
    one["commit"] = "a" * 40
    made = json.dumps([one, {**one, "recorded_on": "2026-11-03", "seconds": 140}])
    said = page.recorded_box({"origin": "recorded", "provenance": made})
    assert "**Recorded on 2026-11-03**, not trained while this page was built" in said
    assert "CPU (x86\\_64), float32, 4 min of training, commit `aaaaaaaaaa`" in said
    assert "Trained while" in page.recorded_box({"origin": "trained", "provenance": made})


def test_what_was_not_run_is_said_with_its_price(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    monkeypatch.setenv("GROKBOOK_CORES", "3")
    said = page.not_run_box(experiment((0, 1, 2)))
    assert "**Not run.** `made/up`" in said
    assert f"about {30 * costs.SIDE_BY_SIDE:.0f} s and 600 MB" in said
    assert "grokbook record --only made/up" in said


def test_outside_a_notebook_nothing_is_shown(capsys):
    page.cost(experiment(()))
    assert capsys.readouterr().out == ""


def test_the_times_of_a_chapter_are_given_for_each_preset(project, monkeypatch):
    monkeypatch.setenv("GROKBOOK_HOME", str(project))
    said = page.times_sentence("01")
    assert said.startswith("**Time** to execute this page here")
    assert said.endswith("smoke 8 s · laptop 8 s · paper 8 s.")
