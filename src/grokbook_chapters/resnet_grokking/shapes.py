r"""Sums in pictures: an image of four glyphs, whose values are to be added (Gu et al. 2025, section
6.3).

Glyph 0 is blank, glyph k is a regular polygon of k + 2 sides with spokes. A sample is a quadruple
of glyph numbers; `show` draws any number of them on the device where they are. Ink is 1, ground 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb

import numpy as np
import torch
from torch import Tensor

from grokbook.errors import (
    ParameterError,
    check_choice,
    check_integers,
    check_share,
    check_whole_numbers,
    checked_call,
)

SPLITS = ("random", "multiset", "pair")
RULES = ("sides", "categories")
MOST = 32
LEAST_TILE = 4
LARGEST_TILE = 256
"""Glyphs of the largest dictionary; pixels of the smallest and of the largest tile."""

RADIUS = 46 / 56
FAULTY = -1.0
CUT = 1 / 16
"""Radius of a glyph in half tiles, the authors' three faulty quarters, and what their crop cuts off
at each side."""


def glyph(
    sides: int, x: np.ndarray, y: np.ndarray, radius: float, stroke: float, pixel: float
) -> np.ndarray:
    """Ink in [0, 1] at points (x, y) of a regular polygon with spokes about the origin; 0 sides is
    blank.

    The ink falls linearly from 1 to 0 over one `pixel` about the edge of the strokes, which have
    width `stroke`.
    """
    if not sides:
        return np.zeros(np.broadcast(x, y).shape)
    turn = 2 * np.pi * np.arange(sides) / sides
    corners = radius * np.stack([np.sin(turn), -np.cos(turn)], axis=1)  # the first corner is on top
    distances = []
    for corner, following in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        distances.append(_distance(x, y, corner, following))
        distances.append(_distance(x, y, corner, 0 * corner))
    nearest = np.min(distances, axis=0)
    return np.clip(0.5 + (stroke / 2 - nearest) / pixel, 0, 1)


def _distance(x: np.ndarray, y: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """From points to the segment between a and b."""
    right, up = b - a
    x = x - a[0]
    y = y - a[1]
    along = np.clip((x * right + y * up) / ((b - a) ** 2).sum(), 0, 1)
    return np.hypot(x - along * right, y - along * up)


@lru_cache(maxsize=8)
def tiles(n: int, tile: int, faithful: bool = False) -> np.ndarray:
    """Every glyph as it is drawn in each quarter of the image, float32 (4, n, tile, tile),
    read-only.

    Quarters are read as words are: top left, top right, bottom left, bottom right. With `faithful`
    the last three have the authors' error: larger, turned by 180 degrees, and cut off by the crop
    that follows.
    """
    cut = CUT if faithful else 0.0
    pixel = (1 - 2 * cut) * 2 / tile  # of a half tile, in which the image is 4 wide
    stroke = max(pixel, 1 / 14)
    drawn = np.zeros((4, n, tile, tile), np.float32)
    for quarter, (row, column) in enumerate(np.ndindex(2, 2)):
        middles = pixel * (np.arange(2 * tile).reshape(2, tile) + 0.5)
        y = 4 * cut + middles[row] - 1 - 2 * row
        x = 4 * cut + middles[column] - 1 - 2 * column
        radius = FAULTY if faithful and quarter else RADIUS
        for k in range(1, n):
            drawn[quarter, k] = glyph(k + 2, x[None, :], y[:, None], radius, stroke, pixel)
    drawn.flags.writeable = False
    return drawn


@lru_cache(maxsize=8)
def _tiles_on(n: int, tile: int, faithful: bool, device: torch.device) -> Tensor:
    return torch.from_numpy(tiles(n, tile, faithful).copy()).to(device)


@checked_call
@dataclass(frozen=True)
class ShapeTask:
    """Quadruples of glyphs 0 .. n-1 -> the sum of their values, by `rule`: sides (0, 3, 4, ...), or
    categories.

    The label of categories 1 .. n is their sum less 4, so that both rules begin with 0. Samples
    trained on, by `split`: "random" train_fraction of all; "multiset" that share of the multisets
    of each kind (aaaa, aaab, aabb, aabc, abcd) in all their orders, so that no test sample is a
    reordered training sample; "pair" train_fraction of all, none with both glyphs of `pair` in it.

    Raises ParameterError for an unknown split or rule, a pair of other than two glyphs, and a
    fraction that leaves one of both sets empty.

    Example:
        >>> task = ShapeTask(11)
        >>> task.sizes(), task.outputs, task.show(torch.from_numpy(task.inputs[:2])).shape
        ((14641, 3660), 49, torch.Size([2, 1, 224, 224]))

    Source: Gu et al. 2025, section 6.3. The paper adds categories 1 to n, the authors' code adds
    sides.
    """

    n: int = 11
    train_fraction: float = 0.25
    split: str = "random"
    rule: str = "sides"
    tile: int = 112
    faithful: bool = False
    pair: tuple[int, int] = (0, 1)
    seed: int = 0

    def __post_init__(self) -> None:
        check_integers(self, n=2, tile=LEAST_TILE, seed=0)
        for name, most in (("n", MOST), ("tile", LARGEST_TILE)):
            if getattr(self, name) > most:
                raise ParameterError(f"{name} = {getattr(self, name)} must be {most} or less.")
        check_choice("split", self.split, SPLITS)
        check_choice("rule", self.rule, RULES)
        check_share(self, "train_fraction")
        check_whole_numbers(self, "pair")
        pair = tuple(sorted(set(self.pair)))
        if len(self.pair) != 2 or len(pair) != 2 or not 0 <= pair[0] < pair[1] < self.n:
            raise ParameterError(
                f"pair = {self.pair} must be two different glyphs of 0 to {self.n - 1}."
            )
        object.__setattr__(self, "pair", pair)
        samples, trained = self.sizes()
        most = samples - (self._with_pair() if self.split == "pair" else 1)
        if not 0 < trained <= most:
            raise ParameterError(
                f"train_fraction = {self.train_fraction} leaves {trained} training samples of"
                f" {samples}; there must be 1 to {most}."
            )

    def _with_pair(self) -> int:
        """Number of samples that hold both glyphs of the pair: all, less those without the one or
        the other."""
        return self.n**4 - 2 * (self.n - 1) ** 4 + (self.n - 2) ** 4

    def kinds(self) -> dict[int, int]:
        """Orders of a multiset of each kind -> how many multisets there are of it."""
        n = self.n
        return {1: n, 4: n * (n - 1), 6: comb(n, 2), 12: n * comb(n - 1, 2), 24: comb(n, 4)}

    def sizes(self) -> tuple[int, int]:
        """Number of samples and of training samples."""
        samples = self.n**4
        if self.split != "multiset":
            return samples, round(self.train_fraction * samples)
        trained = 0
        for orders, count in self.kinds().items():
            trained += orders * round(self.train_fraction * count)
        return samples, trained

    @property
    def values(self) -> np.ndarray:
        """What each glyph counts, int64 (n,)."""
        k = np.arange(self.n)
        return np.where(k, k + 2, 0) if self.rule == "sides" else k

    @property
    def outputs(self) -> int:
        """Number of outputs of a network: the largest label and 1."""
        return 4 * int(self.values[-1]) + 1

    @cached_property
    def inputs(self) -> np.ndarray:
        """All quadruples in the order of counting, int64 (n^4, 4)."""
        return np.indices((self.n,) * 4).reshape(4, -1).T.astype(np.int64, order="C")

    @cached_property
    def targets(self) -> np.ndarray:
        """The sums, int64 (n^4,)."""
        return self.values[self.inputs].sum(axis=1)

    @cached_property
    def multisets(self) -> np.ndarray:
        """Number of the multiset of each sample: equal where two samples have the same glyphs in
        some order, (n^4,)."""
        code = np.sort(self.inputs, axis=1) @ self.n ** np.arange(4)
        return np.unique(code, return_inverse=True)[1]

    @property
    def counts(self) -> np.ndarray:
        """How many samples have each label, int64 (outputs,): the fourfold convolution of the
        glyphs' values."""
        once = np.bincount(self.values)
        twice = np.convolve(once, once)
        return np.convolve(twice, twice)

    @cached_property
    def train_index(self) -> np.ndarray:
        """Numbers of the training samples, sorted."""
        rng = np.random.default_rng(self.seed)
        trained = self.sizes()[1]
        if self.split == "multiset":
            orders = np.bincount(self.multisets)
            chosen = []
            for kind, count in self.kinds().items():
                drawn = rng.permutation(np.flatnonzero(orders == kind))
                chosen.append(drawn[: round(self.train_fraction * count)])
            return np.flatnonzero(np.isin(self.multisets, np.concatenate(chosen)))
        free = np.flatnonzero(~self.together) if self.split == "pair" else np.arange(self.n**4)
        return np.sort(rng.permutation(free)[:trained])

    @property
    def together(self) -> np.ndarray:
        """Which samples hold both glyphs of the pair, bool (n^4,)."""
        one, other = self.pair
        return (self.inputs == one).any(axis=1) & (self.inputs == other).any(axis=1)

    @property
    def unseen(self) -> np.ndarray:
        """Which samples have a multiset of which no order is trained, bool (n^4,)."""
        return ~np.isin(self.multisets, self.multisets[self.train_index])

    def groups(self) -> dict[str, np.ndarray]:
        """Test samples whose multiset is `unseen`; with the split "pair" also those with both its
        glyphs."""
        groups = {"unseen": self.unseen}
        if self.split == "pair":
            groups["together"] = self.together
        return groups

    def show(self, inputs: Tensor) -> Tensor:
        """Images (N, 1, 2 tile, 2 tile) of quadruples (N, 4), on their device."""
        drawn = _tiles_on(self.n, self.tile, self.faithful, inputs.device)
        quarters = drawn[torch.arange(4, device=inputs.device), inputs]
        rows = quarters.unflatten(1, (2, 2)).permute(0, 1, 3, 2, 4)
        return rows.reshape(-1, 1, 2 * self.tile, 2 * self.tile)
