"""What a colour means, through the whole book, on a light and on a dark page."""

from __future__ import annotations

import math
from colorsys import hls_to_rgb, rgb_to_hls

import numpy as np
from matplotlib.colors import to_hex, to_rgb

PALETTE = {
    "ground": ("#ffffff", "#121212"),  # the page
    "theory": ("#222222", "#e8eaed"),  # ink: theory (dashed) and words
    "frame": ("#444444", "#b9bec5"),  # axes
    "grid": ("#e4e4e4", "#31363e"),
    "rest": ("#dcdcdc", "#32373f"),  # cells of a table that are not marked
    "train": ("#0072b2", "#62b8f0"),  # blue: what was trained on
    "test": ("#c14a00", "#ff9d5c"),  # vermilion: what was held out
    "measure": ("#00805c", "#35d0a0"),  # green: what is measured, the accent
    "second": ("#9a4690", "#dc9ad3"),  # purple: a second measure, set or setting beside the first
    "quiet": ("#757575", "#9aa0a8"),  # grey: null, sham, the rest
}
"""Name: the colour on a light page, and on a dark one. Phases, and the verdicts of the style sheet,
have colours of other hues."""

PHASES = {
    "C": ("#8fae3e", "#8fae3e"),  # leaf green
    "G": ("#f0e442", "#f0e442"),  # yellow
    "M": ("#d8789b", "#d8789b"),  # pink
    "X": ("#4a4a4a", "#a9adb3"),  # grey
    "T": ("#fefefe", "#222222"),
    "letter": ("#111111", "#111111"),  # on green, yellow and pink
}
"""Of very different lightness, each with its letter; on grey the letter has the colour of the
page."""

COLOURS = {name: light for name, (light, _) in PALETTE.items()}
"""The colours on a light page, those that figures are drawn in; `companion.page.drawing` knows the
others."""


def luminance(colour: str) -> float:
    """The relative luminance of `#rrggbb` (WCAG 2), 0 for black and 1 for white."""
    parts = np.array(to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(colour: str, other: str) -> float:
    """The contrast of two colours (WCAG 2), 1 to 21.

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    low, high = sorted((luminance(colour), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mirrored(colour: str) -> str:
    """The colour of the same hue that stands out from the dark page as this one does from the light
    page.

    >>> mirrored("#ffffff"), mirrored("#000000"), mirrored("#0072b2")
    ('#121212', '#ffffff', '#0088d4')
    """
    light, dark = PALETTE["ground"]
    share = math.log(contrast(colour, light)) / math.log(21)
    wanted = (luminance(dark) + 0.05) * contrast(dark, light) ** share - 0.05
    hue, _, vivid = rgb_to_hls(*to_rgb(colour))
    shades = [to_hex(hls_to_rgb(hue, lightness / 255, vivid)) for lightness in range(256)]
    return min(shades, key=lambda shade: abs(luminance(shade) - wanted))
