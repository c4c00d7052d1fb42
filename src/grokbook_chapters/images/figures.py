"""A page of small pictures: some samples of each label, a row a label."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from grokbook.plotting.style import bare, panels, styled


@styled
def samples_by_label(
    images: np.ndarray, labels: np.ndarray, *, columns: int = 10, name: str = "label"
) -> Figure:
    """The first `columns` of the images (N, side, side), ink 1 and ground 0, of each label that
    there is, in rows."""
    side, gap = images.shape[-1], max(2, images.shape[-1] // 6)
    found = np.unique(labels)
    page = np.zeros((len(found), columns, side + gap, side + gap))
    for row, label in enumerate(found):
        chosen = images[labels == label][:columns]
        page[row, : len(chosen), gap // 2 : gap // 2 + side, gap // 2 : gap // 2 + side] = chosen
    fig, ((ax,),) = panels(1, 1, height=3.4)
    ax.imshow(
        page.transpose(0, 2, 1, 3).reshape(len(found) * (side + gap), -1),
        cmap="gray_r",
        vmin=0,
        vmax=1,
    )
    bare(ax)
    ax.set(yticks=(np.arange(len(found)) + 0.5) * (side + gap), yticklabels=found, ylabel=name)
    return fig
