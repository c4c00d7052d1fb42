"""Sums in pictures: counts, splits and their controls, glyphs as they are drawn (Gu et al. 2025,
section 6.3)."""

from itertools import product
from math import comb

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook_chapters.resnet_grokking import shapes
from grokbook_chapters.resnet_grokking.shapes import SPLITS, ShapeTask, glyph, tiles

small = st.builds(
    ShapeTask,
    st.integers(4, 7),
    st.sampled_from([0.2, 0.5]),
    st.sampled_from(SPLITS),
    st.sampled_from(["sides", "categories"]),
    seed=st.integers(0, 99),
)


def test_the_paper_and_its_code_have_41_and_47_classes():
    """14,641 samples, 3,660 trained; the most frequent sum is 24 for categories: 891 samples, found
    by counting."""
    sums = np.bincount([sum(c) for c in product(range(1, 12), repeat=4)])
    task = ShapeTask(11, rule="categories")
    assert task.sizes() == (14_641, 3_660) and (task.counts > 0).sum() == 41
    assert task.counts.tolist() == sums[4:].tolist() and sums.argmax() == 24 and sums.max() == 891
    sides = ShapeTask(11)
    assert (
        (sides.counts > 0).sum() == 47
        and len(np.unique(sides.targets)) == 47
        and sides.outputs == 49
    )


@settings(max_examples=25, deadline=None)
@given(small)
def test_counts_sizes_and_splits_are_what_they_say(task):
    assert np.array_equal(np.bincount(task.targets, minlength=task.outputs), task.counts)
    assert (
        len(task.inputs) == task.n**4 == task.sizes()[0]
        and len(task.train_index) == task.sizes()[1]
    )
    assert task.multisets.max() + 1 == comb(task.n + 3, 4)
    trained = np.zeros(task.n**4, bool)
    trained[task.train_index] = True
    known = {tuple(sorted(row)) for row in task.inputs[trained]}
    assert task.unseen.tolist() == [tuple(sorted(row)) not in known for row in task.inputs]
    if task.split == "multiset":
        assert np.array_equal(task.unseen, ~trained)
    if task.split == "pair":
        assert task.together.sum() == task._with_pair() and not (task.together & trained).any()
    assert (
        ShapeTask(task.n, task.train_fraction, task.split, seed=task.seed + 1).sizes()
        == task.sizes()
    )


@pytest.mark.parametrize("sides", [3, 4, 7])
def test_a_glyph_has_the_symmetries_of_its_polygon_and_no_others(sides):
    """Turned by a corner it is the same ink at every point; turned by half a corner, or upside
    down, it is another."""
    x, y = np.random.default_rng(0).uniform(-1, 1, (2, 4000))

    def turned(angle):
        c, s = np.cos(angle), np.sin(angle)
        return glyph(sides, c * x - s * y, s * x + c * y, 0.8, 0.1, 0.02)

    np.testing.assert_allclose(turned(2 * np.pi / sides), turned(0), atol=1e-9)
    np.testing.assert_allclose(glyph(sides, -x, y, 0.8, 0.1, 0.02), turned(0), atol=1e-9)
    assert np.abs(turned(np.pi / sides) - turned(0)).mean() > 0.05
    assert (turned(0)[np.hypot(x, y) > 0.9] == 0).all()


@pytest.mark.parametrize(("tile", "off"), [(6, 0.15), (16, 0.05), (57, 0.02)])
def test_tiles_have_the_ink_that_their_strokes_cover(tile, off):
    """Antialiasing: mean ink of a coarse tile is that of a fine one with the same strokes, and
    blank is blank."""
    pixel = 2 / tile
    grid = (np.arange(40 * tile) + 0.5) * pixel / 40 - 1
    fine = glyph(5, grid[None, :], grid[:, None], shapes.RADIUS, max(pixel, 1 / 14), pixel / 40)
    found = tiles(4, tile)[0]
    assert found[3].mean() == pytest.approx(fine.mean(), rel=off)
    assert not found[0].any() and 0 < found[1].mean() < found[3].mean() < 1
    assert len({ink.tobytes() for ink in found}) == 4


def test_the_authors_error_turns_three_quarters_and_leaves_the_first_upright():
    clean, faulty = tiles(4, 28), tiles(4, 28, faithful=True)
    assert all(np.array_equal(clean[0], quarter) for quarter in clean)
    bases = faulty[:, 1].sum(axis=2).argmax(axis=1)  # the row of most ink in a triangle is its base
    assert bases[0] > 14 > max(bases[1:]) and faulty[3, 3].sum() > clean[3, 3].sum()


def test_pictures_stand_in_their_quarters():
    task = ShapeTask(4, tile=6, train_fraction=0.5)
    image = task.show(torch.tensor([[1, 2, 3, 0]]))
    assert image.shape == (1, 1, 12, 12) and image.dtype == torch.float32
    drawn = torch.from_numpy(tiles(4, 6)[0].copy())
    for (rows, columns), k in zip(
        product((slice(6), slice(6, 12)), repeat=2), (1, 2, 3, 0), strict=True
    ):
        assert torch.equal(image[0, 0, rows, columns], drawn[k])
    assert len(torch.unique(task.show(torch.from_numpy(task.inputs)).flatten(1), dim=0)) == 4**4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": 40}, "n = 40 must be 32 or less"),
        ({"tile": 2}, "tile = 2 must be"),
        ({"split": "even"}, "split = 'even' is unknown; choose one of random, multiset, pair"),
        ({"train_fraction": 1.0}, "leaves 14641 training samples of 14641"),
        ({"train_fraction": 0.95, "split": "pair"}, "there must be 1 to 13"),
        ({"pair": (3, 11)}, "must be two different glyphs"),
    ],
)
def test_what_cannot_be_is_refused(change, words):
    with pytest.raises(ParameterError, match=words):
        ShapeTask(**change)
