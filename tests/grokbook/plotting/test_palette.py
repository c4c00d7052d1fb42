"""The palette: every mark and word stands out from the page, light and dark; mirrored colours as
much as their own."""

import re
from itertools import product

import matplotlib as mpl
import numpy as np
import pytest

from grokbook.plotting.palette import PALETTE, PHASES, contrast, luminance, mirrored
from project_tree import ROOT

MARKS = sorted(set(PALETTE) - {"ground", "grid", "rest"})


def read(place: str) -> str:
    return (ROOT / place).read_text(encoding="utf-8")


CSS = read("book/_static/grokbook.css")
VERDICTS = {
    name: tuple(re.findall(rf"--gb-{name}: (#\w+);", CSS))
    for name in ("holds", "corrected", "assumed", "vacuous", "fails")
}
"""The style sheet's colours of verdicts on a light page, and on a dark one."""


def test_luminance_is_that_of_wcag():
    """Computed once more with numpy from the definition, for all corners of the cube and some
    greys."""
    for rgb in [*product((0.0, 1.0), repeat=3), (0.03, 0.04, 0.05), (0.2, 0.5, 0.7)]:
        colour = mpl.colors.to_hex(rgb)
        values = np.array(mpl.colors.to_rgb(colour))
        linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
        assert luminance(colour) == pytest.approx(linear @ [0.2126, 0.7152, 0.0722])
    # the standard's own example of a grey
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("name", MARKS)
@pytest.mark.parametrize("scheme", [0, 1])
def test_what_is_drawn_can_be_read_as_a_word(name, scheme):
    """4.5 to 1 asks the standard of words, 3 to 1 of lines: labels stand in the colours of their
    lines."""
    assert contrast(PALETTE[name][scheme], PALETTE["ground"][scheme]) >= 4.5


@pytest.mark.parametrize(
    "colour", ["#ffffff", "#dcdcdc", "#777777", "#f0e442", "#00224e", "#cc79a7", "#000000"]
)
def test_a_mirrored_colour_stands_out_as_much_and_keeps_its_hue(colour):
    light, dark = PALETTE["ground"]
    other = mirrored(colour)
    most = np.log(contrast(dark, light)) / np.log(21)
    assert np.log(contrast(other, dark)) == pytest.approx(
        most * np.log(contrast(colour, light)), abs=0.08
    )
    assert hue(other) == pytest.approx(hue(colour), abs=0.02)


def test_the_letter_of_a_phase_can_be_read_on_its_colour():
    for scheme, page in enumerate(PALETTE["ground"]):
        for name in "CGM":
            assert contrast(PHASES["letter"][scheme], PHASES[name][scheme]) >= 4.5
            assert luminance(PHASES[name][scheme]) > luminance(PHASES["X"][0])
        assert contrast(page, PHASES["X"][scheme]) >= 4.5
        assert contrast(mirrored("#000000") if scheme else "#000000", PHASES["T"][scheme]) >= 4.5


@pytest.mark.parametrize("name", sorted(PHASES | VERDICTS))
@pytest.mark.parametrize("scheme", [0, 1])
def test_phases_and_verdicts_share_no_hue_with_what_is_measured(name, scheme):
    """25 degrees or more of the circle of hues apart; greys have no hue."""
    mine = (PHASES | VERDICTS)[name][scheme]
    if mpl.colors.rgb_to_hsv(mpl.colors.to_rgb(mine))[1] < 0.2:
        assert name in ("X", "T", "letter", "vacuous")
        return
    for shade in ("train", "test", "measure", "second"):
        apart = abs(hue(mine) - hue(PALETTE[shade][scheme]))
        assert 360 * min(apart, 1 - apart) >= 25, shade


@pytest.mark.parametrize("scheme", [0, 1])
def test_marks_stand_out_from_what_they_lie_on(scheme):
    """A verdict's mark from the page, marked cells of a table from the others: 3 to 1."""
    for pair in VERDICTS.values():
        assert contrast(pair[scheme], PALETTE["ground"][scheme]) >= 3
    for name in ("train", "test", "second"):
        assert contrast(PALETTE[name][scheme], PALETTE["rest"][scheme]) >= 3


def test_pages_and_scripts_have_the_same_colours():
    """The colours of explorables and their cells of phases."""
    scripts = "src/companion/page/scripts"
    drawn, cells = (read(f"{scripts}/{name}.js") for name in ("drawing", "phase_explorer"))
    for name in ("train", "test", "measure", "second", "quiet"):
        assert (
            tuple(found.lower() for found in re.findall(rf"--{name}: (#\w+);", drawn))
            == PALETTE[name]
        )
    for name in "CGM":
        assert f".{name} {{ background: {PHASES[name][0]}; }}" in cells


def hue(colour: str) -> float:
    return mpl.colors.rgb_to_hsv(mpl.colors.to_rgb(colour))[0]
