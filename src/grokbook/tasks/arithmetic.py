"""Arithmetic modulo a prime p: all p*p pairs, the splits of Gu et al. 2025 and the shift of Gu
2024."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import sympy

from grokbook.errors import (
    ParameterError,
    check_choice,
    check_integers,
    checked_call,
    nearest_primes,
    shown,
)
from grokbook.tasks.polynomials import evaluate_mod, is_symmetric, parse_polynomial

SPLITS = ("random", "symmetric", "square", "strip")
RULES = ("code", "text")
LARGEST_MODULUS = 4096
"""A grid of more than 4096 x 4096 cells is refused before anything of it is drawn."""
LARGEST_SHIFT = 1_000_000
"""A shift adds as many tokens to the vocabulary."""


@checked_call
@dataclass(frozen=True)
class ModularTask:
    r"""The task (i, j) -> f(i, j + k) mod p on the full p x p grid, split into a training and a
    test set.

    A sample is the token sequence (i, j + k, cls): `shift` = k moves the second operand's tokens,
    so that the two operands share p - k tokens (k = 0: all, k >= p: none). The vocabulary has p + k
    + 1 tokens; cls is the last. Cells of the grid are numbered i * p + j, with i, j in 0 .. p-1
    taken before the shift.

    The training set T has n cells:

    - `split="random"`: T is drawn uniformly, n = floor(train_fraction * p**2).
    - `split="symmetric"`: (i, j) and (j, i) always fall on the same side; n is the same floor, up
      to one cell. With a commutative operation no test cell is then a transposed training cell.
    - `split="square"`, hole = k': the cells with i <= k' and j <= k' ((k'+1)**2 of them) are kept
      out of T.
    - `split="strip"`, hole = t: the cells with i <= t, any j ((t+1) * p of them) are kept out of T.

    For the holes `rule="code"` (the authors' programs) draws floor(train_fraction * p**2) cells
    outside the hole, or all of them where fewer remain; `rule="text"` (the printed description)
    draws floor(train_fraction * remaining). The test set is everything else, hole included.

    Args:
        p: prime modulus, 2 or more (a composite one only with `allow_composite`: Z_p is then no
            field).
        operation: a name of `grokbook.tasks.polynomials.OPERATIONS` or any integer polynomial in x
            and y.
        train_fraction: in the open interval (0, 1).
        split, hole, rule: see above; `hole` is given exactly for the two splits that have one.
        shift: k >= 0, at most `LARGEST_SHIFT`.
        seed: seeds the draw of T (numpy PCG64), nothing else.

    Raises:
        ParameterError: one sentence with the value and the rule it breaks.

    Example:
        >>> task = ModularTask(97)
        >>> len(task.train_index), len(task.test_index), task.vocabulary
        (2822, 6587, 98)
        >>> ModularTask(
        ...     97, split="strip", hole=67
        ... ).train_index.size  # fewer than 2822 cells remain: all are taken
        2813

    Source: Gu et al. 2025, sections 3.1 and 6.1, Fig. 3; Gu 2024, Fig. 2 (the shift). Differs from
    the paper: the split "symmetric" is ours, and the draw uses numpy's generator, the authors' uses
    Python's.
    """

    p: int
    operation: str = "add"
    train_fraction: float = 0.3
    split: str = "random"
    hole: int | None = None
    shift: int = 0
    seed: int = 0
    rule: str = field(default="code", kw_only=True)
    allow_composite: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        _check_integers(self)
        _check_modulus(self.p, self.allow_composite)
        parse_polynomial(self.operation)
        _check_fraction(self.train_fraction)
        _check_split(self)
        n = self.sizes()[1]
        if self.split == "symmetric" and n < 2:  # an orbit of two cells may not fit
            n = self.train_index.size
        if not 0 < n < self.p**2:
            raise ParameterError(
                f"train_fraction = {self.train_fraction} of p = {self.p} leaves {n} of "
                f"{self.p**2} cells for training; both sets need at least one cell."
            )

    def sizes(self) -> tuple[int, int]:
        """Cells of the grid and of the training set, without drawing it (a symmetric one can have
        one cell fewer)."""
        kept_out = {"square": self._reach**2, "strip": self._reach * self.p}
        outside = self.p**2 - kept_out.get(self.split, 0)
        return self.p**2, min(self._quota(outside), outside)

    @property
    def _reach(self) -> int:
        """Rows that a hole reaches over, hole + 1; a split without one does not ask."""
        return (self.hole or 0) + 1

    @cached_property
    def pairs(self) -> np.ndarray:
        """All operand pairs (i, j), int64 of shape (p*p, 2), in the order of the cell numbers i * p
        + j."""
        i, j = np.divmod(np.arange(self.p**2), self.p)
        return np.stack([i, j], axis=1)

    @cached_property
    def labels(self) -> np.ndarray:
        """f(i, j + k) mod p for every cell, int64 of shape (p*p,)."""
        return self._values()

    def _values(self) -> np.ndarray:
        first, second = self.pairs.T
        return evaluate_mod(self.operation, first, second + self.shift, self.p)

    @property
    def inputs(self) -> np.ndarray:
        """What a network is given, `tokens`."""
        return self.tokens

    @property
    def targets(self) -> np.ndarray:
        """What it is to answer, `labels`."""
        return self.labels

    @cached_property
    def tokens(self) -> np.ndarray:
        """The token sequences (i, j + k, cls), int64 of shape (p*p, 3)."""
        cls = np.full(self.p**2, self.cls_token)
        return np.stack([self.pairs[:, 0], self.pairs[:, 1] + self.shift, cls], axis=1)

    @property
    def cls_token(self) -> int:
        """The read-out token, the last of the vocabulary: p + k."""
        return self.p + self.shift

    @property
    def vocabulary(self) -> int:
        """Number of tokens, p + k + 1."""
        return self.p + self.shift + 1

    @cached_property
    def hole_mask(self) -> np.ndarray:
        """Cells kept out of the training set by the split, bool of shape (p, p), indexed [i, j]."""
        mask = np.zeros((self.p, self.p), dtype=bool)
        if self.split == "square":
            mask[: self._reach, : self._reach] = True
        elif self.split == "strip":
            mask[: self._reach, :] = True
        return mask

    @cached_property
    def train_index(self) -> np.ndarray:
        """Numbers of the training cells, sorted, int64."""
        rng = np.random.default_rng(self.seed)
        outside = np.flatnonzero(~self.hole_mask.ravel())
        if self.split == "symmetric":
            return _draw_symmetric(self.p, self._quota(outside.size), rng)
        return np.sort(rng.permutation(outside)[: self._quota(outside.size)])

    def _quota(self, remaining: int) -> int:
        base = remaining if self.rule == "text" else self.p**2
        return int(self.train_fraction * base)

    @cached_property
    def test_index(self) -> np.ndarray:
        """Numbers of the test cells, sorted, int64: every cell that is not a training cell."""
        return np.flatnonzero(~self.train_mask.ravel())

    @cached_property
    def train_mask(self) -> np.ndarray:
        """The training set on the grid, bool of shape (p, p), indexed [i, j]."""
        mask = np.zeros(self.p**2, dtype=bool)
        mask[self.train_index] = True
        return mask.reshape(self.p, self.p)

    @property
    def train_pairs(self) -> np.ndarray:
        """Operand pairs of the training set, shape (n, 2)."""
        return self.pairs[self.train_index]

    @property
    def test_pairs(self) -> np.ndarray:
        """Operand pairs of the test set, shape (p*p - n, 2)."""
        return self.pairs[self.test_index]

    @property
    def commutes(self) -> bool:
        """Whether f(i, j + k) = f(j, i + k) for all i, j: always for a symmetric f at k = 0 mod
        p."""
        if self.shift % self.p == 0 and is_symmetric(self.operation):
            return True
        grid = self.labels.reshape(self.p, self.p)
        return bool((grid == grid.T).all())

    @cached_property
    def transposed_mask(self) -> np.ndarray:
        """Test cells (i, j) whose transpose (j, i) is a training cell, bool of shape (p, p)."""
        return self.train_mask.T & ~self.train_mask

    def groups(self) -> dict[str, np.ndarray]:
        """Named parts of the test set, each a bool mask of shape (p*p,): cells whose transpose was
        trained, the others, and for a split with a hole the cells in it and outside it.
        """
        test = ~self.train_mask
        groups = {"mirrored": self.transposed_mask, "unmirrored": test & ~self.transposed_mask}
        if self.hole is not None:
            groups |= {"in_hole": test & self.hole_mask, "outside_hole": test & ~self.hole_mask}
        return {name: mask.ravel() for name, mask in groups.items()}

    def class_sizes(self) -> np.ndarray:
        """Number of cells in each equivalence class r = f(i, j + k) mod p, shape (p,); they sum to
        p*p.

        Two cells are equivalent when their labels agree (Gu et al. 2025, Definition 3.1).
        """
        return np.bincount(self.labels, minlength=self.p)


def _draw_symmetric(p: int, quota: int, rng: np.random.Generator) -> np.ndarray:
    """Whole orbits {(i, j), (j, i)} in random order until the next one would exceed `quota`
    cells."""
    i, j = np.triu_indices(p)
    order = rng.permutation(i.size)
    size = np.where(i == j, 1, 2)[order]
    chosen = order[np.cumsum(size) <= quota]
    cells = i[chosen] * p + j[chosen]
    mirrored = j[chosen] * p + i[chosen]
    return np.union1d(cells, mirrored)


def _check_integers(task: ModularTask) -> None:
    hole = {} if task.hole is None else {"hole": 0}
    check_integers(task, p=2, shift=0, seed=0, **hole)
    if task.shift > LARGEST_SHIFT:
        raise ParameterError(
            f"shift = {task.shift} is above {LARGEST_SHIFT}, the largest there is."
        )


def _check_modulus(p: int, allow_composite: bool) -> None:
    if p > LARGEST_MODULUS:
        most = f"p may be at most {LARGEST_MODULUS}"
        raise ParameterError(f"p = {shown(p)} is too large for a grid of p*p cells; {most}.")
    if not allow_composite and not sympy.isprime(int(p)):
        near = " and ".join(map(str, nearest_primes(int(p))))
        raise ParameterError(f"p = {p} is not prime; the nearest primes are {near}.")


def _check_fraction(value: float) -> None:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.number)
        or not 0 < value < 1
    ):
        raise ParameterError(
            f"train_fraction = {shown(value)} is not a number in the open interval (0, 1)."
        )


def _check_split(task: ModularTask) -> None:
    check_choice("split", task.split, SPLITS)
    check_choice("rule", task.rule, RULES)
    has_hole = task.split in ("square", "strip")
    if has_hole and task.hole is None:
        raise ParameterError(
            f"split = {shown(task.split)} needs a hole, an integer from 0 to {task.p - 2}."
        )
    if not has_hole and task.hole is not None:
        raise ParameterError(
            f"hole = {task.hole} has no meaning for split = {shown(task.split)}; leave it out."
        )
    if task.hole is not None and task.hole > task.p - 2:
        raise ParameterError(
            f"hole = {task.hole} is larger than the grid of p = {task.p} allows: the largest hole"
            f" is {task.p - 2}."
        )
