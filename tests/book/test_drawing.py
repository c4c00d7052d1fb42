"""Figures on a page: the same bytes each time, stacked for a phone in type that can be read, hues that keep names."""

import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from grokbook.page import drawing
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


def test_a_drawing_is_the_same_bytes_on_an_opaque_ground_and_a_heavy_one_a_png(figure, monkeypatch):
    fig, _ = figure()
    first = drawing.wide(fig)["image/svg+xml"]
    assert drawing.wide(fig)["image/svg+xml"] == first
    assert "fill: #ffffff" in first and "dc:date" not in first
    assert not re.search(r' d="[^"]*\.[0-9]{3}', first)
    monkeypatch.setattr(drawing, "MAX_SVG_BYTES", 10)
    assert set(drawing.wide(fig)) == {"image/png"}


@pytest.mark.parametrize(("rows", "columns", "across"), [(1, 2, 1), (2, 2, 1), (2, 4, 2)])
def test_panels_stand_below_one_another_in_their_order_and_have_their_own_labels(figure, rows, columns, across):
    fig, axes = figure(rows, columns, sharey="row", figsize=(7.2, 3.2 * rows))
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    both = drawing.drawings(fig)
    wide, high = size(both[drawing.NARROW])
    assert wide < 310 and high > wide and size(both["image/svg+xml"])[0] > 450
    corners = [(-round(ax.get_position().y0, 2), round(ax.get_position().x0, 2)) for ax in axes.flat]
    assert len({x for _, x in corners}) == across and corners == sorted(corners)
    assert [ax.get_ylabel() for ax in axes[0]] == ["accuracy"] * columns
    assert len(fig.legends) == 1


def test_what_cannot_be_stacked_stays_as_it_is(figure):
    fig, _ = figure()
    fig.add_axes((0.4, 0.4, 0.1, 0.1))
    assert drawing.narrow(fig) is None
    small, axes = figure(1, 1)
    axes[0, 0].text(0, 0, "tiny", fontsize=3)
    assert drawing.narrow(small) is None


def test_shades_stay_where_a_scale_is_shown_or_words_name_them(figure):
    fig, axes = figure()
    assert not drawing.keeps_colours(fig, "Blue: training; grey: the others.")
    assert drawing.keeps_colours(fig, "Black: the bound.")
    other, parts = figure()
    parts[0, 0].bar([0, 1], [1, 2], color=["#56B4E9", "#CC79A7"])
    assert not drawing.keeps_colours(other, "Bars: counts.")
    parts[0, 0].bar([2], [1], color="#F0E442")  # yellow, which turns brown
    assert drawing.keeps_colours(other, "Bars: counts.")
    axes[0, 0].imshow([[0, 1], [1, 0]])
    assert drawing.keeps_colours(fig, "Blue: training.")
