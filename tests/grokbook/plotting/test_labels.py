"""Direct labels: beside their own line, on no line, inside the axes where there is room."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from grokbook.plotting.labels import name_again, name_lines, named, outside
from grokbook.plotting.style import mark


def axes(scale, **curves):
    ax = Figure(figsize=(4, 3)).add_subplot(xscale=scale)
    x = np.linspace(0.01, 1, 50)
    for colour, (name, curve) in zip(
        ("#0072b2", "#c14a00", "#00805c"), curves.items(), strict=False
    ):
        ax.plot(x, curve(x), color=colour, label=name)
    return ax


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize(
    "curves",
    [
        {"rises": lambda x: x, "falls": lambda x: 1 - x},
        {
            "low": lambda x: 0 * x,
            "high": lambda x: 0 * x + 1,
            "wave": lambda x: 0.5 + 0.4 * np.sin(9 * x),
        },
    ],
)
def test_a_label_covers_no_line_and_is_nearest_to_its_own(curves, scale):
    ax = axes(scale, **curves)
    texts = name_lines(ax)
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in texts]
    for box, text in zip(boxes, texts, strict=True):
        apart = {}
        for line in ax.lines:
            x = np.linspace(0.01, 1, 2000)
            points = ax.transData.transform(np.column_stack([x, np.interp(x, *line.get_data())]))
            gaps = np.maximum(np.maximum(box.p0 - points, points - box.p1), 0)
            apart[line.get_label()] = np.hypot(*gaps.T).min()
        assert min(apart, key=apart.get) == text.get_text() and min(apart.values()) > 1
        assert text.get_color() == next(
            line.get_color() for line in ax.lines if line.get_label() == text.get_text()
        )
        assert ax.bbox.containsx(box.x0) and ax.bbox.containsy(box.y1)
    assert all(
        not box.count_overlaps([other for other in boxes if other is not box]) for box in boxes
    )


def test_without_room_a_label_stands_at_the_end_outside():
    ax = Figure(figsize=(4, 3)).add_subplot()
    for level in np.linspace(0, 1, 60):
        ax.plot([0, 1], [level, level], color="#757575")
    for name in ("middle", "the same"):
        ax.plot([0, 1], [0.5, 0.5], color="#0072b2", label=name)
    ax.set_xlim(0, 1)
    texts = name_lines(ax)
    assert all(
        text.xy == pytest.approx((1, 0.5), abs=0.01) and text.get_ha() == "left" for text in texts
    )
    ax.figure.draw_without_rendering()
    one, other = (text.get_window_extent() for text in texts)
    assert not one.overlaps(other)


@pytest.mark.parametrize("steps", [(50, 60), (60, 50), (10, 900)])
def test_marks_that_would_meet_turn_away_from_each_other(steps):
    ax = Figure(figsize=(4, 3)).add_subplot(xscale="log")
    ax.plot([1, 1000], [0, 1])
    for step, text in zip(steps, ("fits", "groks"), strict=True):
        mark(ax, step, text, "#0072b2")
    ax.figure.draw_without_rendering()
    one, other = (text.get_window_extent() for text in ax.texts)
    assert not one.overlaps(other)
    assert (ax.texts[0].get_ha() == "center") == (steps[1] == 900)
    assert (one.x0 < other.x0) == (steps[0] < steps[1])


def test_a_line_that_is_not_seen_gets_no_label():
    ax = Figure(figsize=(4, 3)).add_subplot()
    ax.plot([0, 1], [np.nan, np.nan], label="nothing")
    ax.plot([0, 1], [0, 1], label="something")
    assert [text.get_text() for text in name_lines(ax)] == ["something"]


def test_places_are_found_again_and_each_line_keeps_one_label():
    fig = Figure(figsize=(5, 2), layout="constrained")
    left, right = fig.subplots(1, 2)
    left.plot([0, 1], [0, 1], label="rises")
    name_lines(left)
    for level in np.linspace(0, 1, 60):
        right.plot([0, 1], [level, level], color="#757575")
    right.plot([0, 1], [1, 0], label="without room")
    name_lines(right)
    assert outside(fig)
    name_again(fig)
    assert [text.get_text() for ax in fig.axes for text in named(ax)] == ["rises", "without room"]
