"""What stands on a page: figures with labels, numbers, tables, boxes, the code that ran, how it was
made."""

import ast
from types import SimpleNamespace

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import torch

from companion import page
from companion.page import costs, sources, tables
from companion.site import footer
from grokbook.errors import ParameterError
from grokbook.runs import provenance

matplotlib.use("Agg")


@pytest.fixture
def shown(monkeypatch):
    """The bundles and metadata that were displayed."""
    found = []
    monkeypatch.setattr(
        page, "_display", lambda data, metadata=None: found.append((data, metadata))
    )
    return found


@pytest.fixture
def fig():
    figure, axes = plt.subplots()
    axes.plot([0, 1, 4])
    return figure


def test_a_figure_carries_name_caption_and_alt():
    labels = {"name": "fig-a", "caption": "Three points, one seed.", "alt": "A curve that rises."}
    found = page.labelled("fig-a", "Three points,\n\n  one seed.", "A curve that rises.")
    assert found == {"grokbook": labels}


def test_a_figure_at_the_end_of_a_cell_is_drawn_once_and_closed(shown, fig):
    page._draw(fig)
    ((data, _),) = shown
    assert data["image/svg+xml"].startswith("<?xml")
    assert not plt.fignum_exists(fig.number)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": "curve"}, "'curve' must be `fig-` and lower-case words"),
        ({"name": "fig-Big"}, "'fig-Big' must be"),
        ({"caption": ""}, "figure fig-a needs a caption"),
        ({"alt": "curve"}, "figure fig-a needs an alt text"),
    ],
)
def test_a_figure_without_its_texts_is_refused(wrong, said):
    with pytest.raises(ParameterError, match=said):
        page.labelled(
            **{"name": "fig-a", "caption": "A good caption.", "alt": "A good alt text."} | wrong
        )


@pytest.fixture
def glued(monkeypatch):
    """The glued values by name; with what each seed has, where that is known."""
    found = {}

    def note(data, metadata):
        about = metadata["scrapbook"]
        value = ast.literal_eval(data["application/papermill.record/text/plain"])
        found[about["name"]] = (
            (value, about["value"], about["seeds"]) if "seeds" in about else value
        )

    monkeypatch.setattr(page, "_display", note)
    return found


@pytest.mark.parametrize(
    "value", [3, 3.0, "three", np.float32(3), np.int64(3), np.array(3.0), torch.tensor(3)]
)
def test_glued_scalars_are_plain(glued, value):
    page.publish({"n": value})
    assert type(glued["n"]) in (int, float, str)
    assert glued["n"] in (3, "three")


def test_a_format_a_unit_and_a_missing_value(glued):
    numbers = {
        "a": page.Number(1234.5678, ",.1f", unit=" steps"),
        "b": page.Number(None, ".0f", "not by step 300"),
        "c": page.Number(float("nan"), missing="never"),
    }
    page.publish(numbers)
    assert glued == {"a": "1,234.6 steps", "b": "not by step 300", "c": "never"}


def test_a_number_over_seeds_carries_what_each_has(glued):
    seeds = pd.Series([250, 300, None], dtype="Int64")
    numbers = {
        "a": page.Number(300.0, ",.0f", unit=" steps", seeds=seeds),
        "b": page.Number(None, ",.0f", "later", seeds=[None]),
        "c": page.Number.median(np.array([0.5, np.nan, 0.1, 0.2]), ".0%"),
    }
    page.publish(numbers)
    assert glued["a"] == ("300 steps", 300.0, [250.0, 300.0, None])
    assert glued["b"] == "later", "a value that is missing has no spread"
    assert glued["c"] == ("20%", 0.2, [0.5, None, 0.1, 0.2])
    with pytest.raises(ParameterError, match="d has no value"):
        page.publish({"d": page.Number.median([np.nan], ".1f")})


@pytest.mark.parametrize("value", [None, np.float64("nan"), np.zeros(3), torch.zeros(2)])
def test_a_missing_value_without_words_for_it_and_an_array_are_refused(value):
    with pytest.raises(ParameterError, match="delay (has no value|is not one number)"):
        page.publish({"delay": value})


FOUND = pd.DataFrame(
    {"row": ["G1", "G2"], "verdict": ["fails", "not <run>"], "value": [0.1 + 0.2, np.nan]}
)
STEPS = pd.DataFrame({"step": pd.Series([206, None], dtype="Int64"), "said": ["a" * 45, "b"]})


def test_a_table_that_folds_shows_its_caption_until_it_is_opened(shown):
    page.table(FOUND.set_index("row"), "Two <b>.")
    made = shown[0][0]["text/html"]
    assert made.startswith('<details class="gb-fold"><summary>Two &lt;b&gt;.</summary>')
    assert tables.table_html(FOUND, "Two <b>.") in made


@pytest.mark.parametrize(
    ("frame", "parts"),
    [
        (FOUND, ["<caption>Two &lt;b&gt;.</caption>", 'aria-label="Two &lt;b&gt;."']),
        (FOUND, ['<th scope="col" class="txt">row</th>', '<td class="num">–</td>']),
        (FOUND, ['<span class="gb-verdict" data-verdict="not &lt;run&gt;">not &lt;run&gt;</span>']),
        (FOUND, ['<td class="num">0.3</td>']),
        (STEPS, ['<td class="num" role="cell" data-label="step">206</td>', "txt long"]),
        (STEPS, ['<td class="num" role="cell" data-label="step">–</td>']),
    ],
)
def test_cells_have_a_scope_a_kind_and_nothing_but_text(frame, parts):
    made = tables.table_html(frame, "Two <b>.")
    assert [part for part in parts if part not in made] == []
    assert "<script>" not in made


@pytest.mark.parametrize(
    ("columns", "look"),
    [(2, "gb-table"), (6, "gb-table gb-cards"), (12, "gb-table gb-cards gb-always")],
)
def test_a_table_is_cards_where_it_does_not_fit(columns, look):
    """Two numbers fit a phone, six a page, twelve neither."""
    frame = pd.DataFrame({f"column {n}": [12.5] for n in range(columns)})
    assert f'<div class="{look}" ' in tables.table_html(frame, "Numbers.")


def experiment(missing, seeds=(0, 1, 2)):
    """What the helpers ask of an experiment."""
    cost = lambda count=3: SimpleNamespace(seconds=30.0 * count, memory_mb=200.0)  # noqa: E731
    return SimpleNamespace(
        name="made/up", seeds=seeds, predicted=cost, missing_seeds=lambda store=None: missing
    )


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ((), ""),
        ((1,), " With these values 1 run will be trained, about 30 s and 200 MB."),
        ((1, 2), " With these values 2 runs will be trained, about 60 s and 200 MB."),
    ],
)
def test_a_chapter_says_its_times_by_preset_and_what_its_values_will_train(
    project, shown, monkeypatch, missing, said
):
    monkeypatch.setenv("GROKBOOK_HOME", str(project))
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    monkeypatch.setattr(sources.Page, "experiments", lambda self: {"a": experiment(missing)})
    page.begin("01", {"p": 29, "train_fraction": 0.5, "steps": 30, "other": 1})
    seconds = int(costs.OVERHEAD_SECONDS) + 30 * len(missing)
    times = f"smoke {seconds} s · laptop {seconds} s · paper {seconds} s"
    text = f"**Time** to execute this page here, by preset: {times}.{said}"
    assert shown[0][0]["text/markdown"] == text


def test_outside_a_notebook_nothing_is_shown(capsys):
    page.say("something")
    assert capsys.readouterr().out == ""


MADE_BY = {
    "commit": "c" * 40,
    "dirty": True,
    "versions": {"python": "3.11.7", "torch": "2.13.0"},
    "device": "CPU",
}
MADE_BY |= {"processor": "AVX2"}
MADE = {"seeds": [0, 1], "seconds": 350.0, "device": "CPU (x86_64)", "commit": "d" * 40}
MADE |= {"recorded_on": "2026-11-21"}
ENTRY = {
    "experiment": "gu2025/fig5[p=97]",
    "key": "0123456789abcdef",
    "seeds": [0, 1],
    "dtype": "float32",
}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (None, "commit `cccccccccc` with local changes; python 3.11.7, torch 2.13.0\n"),
        (
            None,
            "preset `laptop`, device CPU, 42 s in all\n- **Parameters** `p = 59`, `train_fraction = 0.5`",
        ),
        (None, "nothing was trained or loaded"),
        (None, "```text\ngrokbook run 01 --preset laptop\n```"),
        (
            {},
            "`gu2025/fig5[p=97]` (record `0123456789ab`), seeds 0, 1, float32, CPU (x86\\_64): recorded on",
        ),
        ({}, "recorded on 2026-11-21, 6 min of training.\n"),
        ({"resumed": True}, "recorded on 2026-11-21, at least 6 min of training.\n"),
        ({"origin": "trained"}, "trained while this page was built"),
        ({"origin": "cached"}, "this machine's own store"),
        (None, "**Repeats** bit for bit, here and elsewhere"),
        (
            {"update": "compiled", "device": "NVIDIA H100"},
            "**Repeats** bit for bit, here and elsewhere: none",
        ),
        (
            {"origin": "cached"},
            "bit for bit on this kind of processor (AVX2), elsewhere within a band: 1 of its 1",
        ),
        (
            {"origin": "trained", "update": "compiled"},
            "within a band: 1 of its 1 datasets was trained here, compiled",
        ),
        ({"origin": "cached", "device": "NVIDIA H100"}, "was trained here, on a GPU\n"),
    ],
)
def test_the_box_at_the_foot_says_what_ran_on_which_data_and_how_to_make_it_again(
    project, changed, said
):
    entry = ENTRY | {
        "origin": (changed or {}).get("origin", "recorded"),
        "provenance": [MADE | (changed or {})],
    }
    used = [] if changed is None else [entry]
    assert said in footer.box_text(sources.find(project, "01").page("laptop"), used, 42.0, MADE_BY)


def test_the_command_has_what_differs_from_the_preset(project):
    said = sources.find(project, "01").page("laptop", {"p": 113, "train_fraction": 0.4}).command()
    assert said == "grokbook run 01 --preset laptop -p p=113 -p train_fraction=0.4"


def test_below_the_parameters_stand_the_command_of_the_page_and_one_with_a_value_changed(project):
    path = project / "notebooks" / "01_tiny.md"
    path.write_text(path.read_text().replace("  papers:", "  example: {p: 53}\n  papers:"))
    chapter = sources.load(path)
    first = f"```text\ngrokbook run 01 --preset smoke -p p={29}\n```"
    second = f"```text\ngrokbook run 01 --preset smoke -p p={53}\n```"
    said = footer.invitation(chapter.page("smoke", {"p": 29})).source
    assert said.index(first) < said.index(second)
    at_example = footer.invitation(chapter.page("smoke", {"p": 53})).source
    assert at_example.count("```text") == 1, "an example that is the page itself is none"


def test_a_dataset_read_twice_is_named_once(shown, monkeypatch):
    first = {**ENTRY, "origin": "trained", "provenance": [MADE]}
    second = {**ENTRY, "origin": "cached", "provenance": [MADE]}
    monkeypatch.setattr(provenance, "USED", [first, second, first])
    page.used()
    assert shown[0][1] == {"grokbook_used": [first, second]}
