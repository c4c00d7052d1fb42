"""The style is opaque, readable, and leaves settings alone."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

from grokbook import plotting
from grokbook.plotting.style import COLOURS, STYLE


def test_style_is_opaque_and_settings_stay(runs):
    before = dict(mpl.rcParams)
    fig = plotting.learning_curves(runs)
    assert fig.get_facecolor()[3] == 1
    assert dict(mpl.rcParams) == before
    assert STYLE.exists()


@pytest.mark.parametrize("name", [n for n in COLOURS if n != "quiet"])
def test_colours_can_be_read_on_white(name):
    """Contrast of at least 2.2 against white (lines, WCAG asks 3 of text-like parts; amber is only an area)."""
    rgb = np.array(mpl.colors.to_rgb(COLOURS[name]))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    assert 1.05 / (luminance + 0.05) > (2.2 if name == "hole" else 3)
