"""Figures on a page: the same bytes each time, stacked for a phone in type to be read, colours for
both schemes."""

import itertools
import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import ListedColormap
from matplotlib.text import Text

from companion.page import drawing
from grokbook import plotting
from grokbook.curves.delay import grok_times
from grokbook.plotting.palette import PALETTE, contrast
from grokbook.plotting.style import STYLE


@pytest.fixture
def figure():
    """Make a figure in the book's style; all are closed afterwards."""

    def make(rows=1, columns=2, **options):
        with mpl.style.context(STYLE):
            fig, axes = plt.subplots(rows, columns, squeeze=False, **options)
            for number, ax in enumerate(axes.flat):
                ax.plot([0, 1, 4 + number], label=f"curve {number}")
                ax.set_title(f"panel {number}")
            axes[0, 0].set_ylabel("accuracy")
        return fig, axes

    yield make
    plt.close("all")


def size(svg):
    return [float(x) for x in re.search(r'width="([0-9.]+)pt" height="([0-9.]+)pt"', svg).groups()]


def test_a_drawing_is_the_same_bytes_on_no_ground_of_its_own_and_says_each_look_once(figure):
    fig, _ = figure()
    first = drawing.wide(fig)
    assert drawing.wide(fig) == first
    assert "dc:date" not in first and "style=" not in first and "#ffffff" not in first
    assert not re.search(r' d="[^"]*\.[0-9]{3}', first)


def test_every_colour_is_a_variable_with_a_value_for_each_scheme(figure):
    """The palette's own colour for the dark page; for any other one that stands out as much
    there."""
    fig, axes = figure()
    axes[0, 0].plot([0, 1], color=PALETTE["train"][0])
    axes[0, 1].bar([0], [1], color="#123456", hatch="//", ec="#654321")
    text = drawing.wide(fig)
    light, dark = (
        dict(re.findall(r"--gb-(\w+):(#\w+);", part)) for part in text.split("@media", 1)
    )
    used = set(re.findall(r"var\(--gb-(\w+)\)", text))
    assert used == set(light) == set(dark) and {"train", "theory", "123456", "654321"} <= used
    assert (light["train"], dark["train"]) == PALETTE["train"]
    assert not re.search(r"(fill|stroke)[:=] ?[\"#]?#?[0-9a-f]{6}", text)
    page = PALETTE["ground"]
    for name in used - set(PALETTE):
        assert contrast(dark[name], page[1]) == pytest.approx(
            contrast(light[name], page[0]), rel=0.15
        )


@pytest.mark.parametrize("kind", ["imshow", "upside down", "pcolormesh"])
def test_cells_of_a_heat_map_are_paths_where_the_cells_are(figure, kind):
    """Read back, each run of cells lies where the data say and has the colour that the scale gives
    them."""
    fig, axes = figure(1, 1)
    table = np.array([[0, 0, 1], [1, np.nan, 0]])
    ax = axes[0, 0]
    ax.clear()
    look = {"cmap": ListedColormap(["#101010", "#efefef"]), "vmin": 0, "vmax": 1}
    if kind == "pcolormesh":
        ax.pcolormesh(table, **look)
    else:
        ax.imshow(table, origin="lower" if kind == "upside down" else "upper", **look)
    text = drawing.wide(fig)
    place = re.search(r"translate\((\S+) (\S+)\) scale\((\S+) (\S+)\)", text).groups()
    x, y, wide, high = map(float, place)
    paths = re.findall(r'<path d="(M\d \d+h[^"]*)" class="(\w+)"', text)
    fills = dict(re.findall(r"\.(k\d+)\{fill: var\(--gb-(\w+)\)\}", text))
    read = np.full(table.shape, np.nan)
    for runs, name in paths:
        for column, row, length in re.findall(r"M(\d+) (\d+)h(\d+)v1", runs):
            read[int(row), int(column) : int(column) + int(length)] = fills[name] == "efefef"
    assert np.array_equal(read, table, equal_nan=True)
    assert wide > 0 and (high > 0) == (kind == "imshow")
    assert "<image" not in text


def test_a_scale_has_few_colours_and_uneven_cells_stay_where_they_are(figure):
    fig, axes = figure()
    axes[0, 0].imshow(np.arange(400.0).reshape(20, 20))
    # one upon the other
    axes[0, 0].imshow(np.ma.masked_less(np.eye(20), 1), cmap=ListedColormap(["#000000"]))
    axes[0, 1].pcolormesh([0, 1, 3, 9], [0, 1], [[1, 2, 3]])
    text = drawing.wide(fig)
    assert len(set(re.findall(r"var\(--gb-([0-9a-f]{6})\)", text))) <= drawing.LEVELS + 8
    assert text.count("shape-rendering") == 2 and "<image" not in text


@pytest.mark.parametrize(("rows", "columns", "across"), [(1, 2, 1), (2, 2, 1), (2, 4, 2)])
def test_panels_stand_below_one_another_in_their_order_and_have_their_own_labels(
    figure, rows, columns, across
):
    fig, axes = figure(rows, columns, sharey="row", figsize=(7.2, 3.2 * rows))
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    both = drawing.drawings(fig)
    wide, high = size(both[drawing.NARROW])
    assert wide < 310 and high > wide and size(both["image/svg+xml"])[0] > 450
    corners = [
        (-round(ax.get_position().y0, 2), round(ax.get_position().x0, 2)) for ax in axes.flat
    ]
    assert len({x for _, x in corners}) == across and corners == sorted(corners)
    assert [ax.get_ylabel() for ax in axes[0]] == ["accuracy"] * columns
    assert len(fig.legends) == 1


def test_square_panels_stand_two_beside_each_other(figure):
    fig, axes = figure(1, 4)
    for ax in axes.flat:
        ax.set_box_aspect(1)
    assert (
        drawing.narrow(fig, {}) and len({round(ax.get_position().x0, 1) for ax in axes.flat}) == 2
    )


def test_panels_that_are_stacked_keep_the_title_of_their_column_and_the_label_of_their_row(figure):
    fig, axes = figure(2, 2)
    for ax in axes.flat:
        ax.set(ylabel="")
        ax.set_title("", loc="left")
    for column, ax in enumerate(axes[0]):
        ax.set_title(f"modulus {column}", loc="left")
    for ax, label in zip(axes[:, 0], ("loss", "MED"), strict=True):
        ax.set_ylabel(label)
    assert drawing.narrow(fig, {})
    assert [ax.get_title("left") for ax in axes.flat] == ["modulus 0", "modulus 1"] * 2
    assert [ax.get_ylabel() for ax in axes.flat] == ["loss", "loss", "MED", "MED"]


def test_what_cannot_be_stacked_stays_as_it_is(figure):
    fig, _ = figure()
    fig.add_axes((0.4, 0.4, 0.1, 0.1))
    assert drawing.narrow(fig, {}) is None
    small, axes = figure(1, 1)
    axes[0, 0].text(0, 0, "tiny", fontsize=3)
    assert drawing.narrow(small, {}) is None


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("draw", ["learning_curves", "mirrored_accuracy", "measure_curves"])
def test_in_both_drawings_no_word_lies_on_another_or_on_a_curve(draw, stacked):
    """Boxes of all texts of the figure, and points along all curves: those of the panels that
    chapters share."""
    steps = np.unique(np.geomspace(1, 10_000, 200).round())
    made = {}
    for number, name in enumerate(("train", "test", "test_mirrored", "test_unmirrored")):
        part, _, rest = name.partition("_")
        rise = 1 / (1 + np.exp(-3 * (np.log10(steps) - 1.2 - 0.6 * number)))
        made[f"{part}_accuracy_{rest}".rstrip("_")] = ("step", 0.05 + 0.95 * rise)
        made[f"{part}_loss"] = ("step", 4 - 3.9 * rise)
    data = xr.Dataset(
        made | {"med": ("step", 1 / steps), "weight_norm": ("step", steps)}, {"step": steps}
    )
    data = data.expand_dims(seed=[0, 1])
    more = {
        "mirrored_accuracy": [{"one": data, "two": data}],
        "measure_curves": [data, ["med", "weight_norm"]],
    }
    fig = getattr(plotting, draw)(*more.get(draw, [data, grok_times(data)]))
    if stacked:
        assert drawing.narrow(fig, {})
    fig.draw_without_rendering()
    words = [t for t in fig.findobj(Text) if t.get_visible() and t.get_text().strip() and t.axes]
    boxes = [(word.get_text(), word.get_window_extent()) for word in words]
    for (one, box), (other, second) in itertools.combinations(boxes, 2):
        assert one == other or not box.overlaps(second), (one, other)
    own = {
        text: box
        for text, box in boxes
        if text in {t.get_text() for ax in fig.axes for t in ax.texts}
    }
    for ax in fig.axes:
        for line in (line for line in ax.lines if len(line.get_xdata()) > 2):
            points = ax.transData.transform(np.column_stack(line.get_data()))
            assert not [text for text, box in own.items() if box.count_contains(points)]
