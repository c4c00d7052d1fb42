"""Made embeddings with known answers."""

import numpy as np
from hypothesis import strategies as st


def circles(
    p: int, frequencies: list[int], amplitudes: float | list[float] = 1.0, phase: float = 0.0
) -> np.ndarray:
    """phi_i = (A_k cos(2 pi k i / p + phase), A_k sin(...)) over k: shape (p, 2
    len(frequencies))."""
    radii = np.broadcast_to(amplitudes, len(frequencies))
    angles = 2 * np.pi * np.outer(np.arange(p), frequencies) / p + phase
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=2).reshape(p, -1)


def gaussian(p: int, d: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((p, d))


def rotation(d: int, seed: int = 0) -> np.ndarray:
    """A random orthogonal (d, d) matrix."""
    return np.linalg.qr(gaussian(d, d, seed))[0]


@st.composite
def tables(draw: st.DrawFn, least: int = 3) -> np.ndarray:
    """Tables (p, d) of modest size, never with all rows equal."""
    p, d = draw(st.integers(least, 23)), draw(st.integers(1, 9))
    scale = draw(st.floats(1e-3, 1e3))
    return scale * gaussian(p, d, draw(st.integers(0, 2**32 - 1)))


def relabelled(table: np.ndarray, factor: int) -> np.ndarray:
    """The table after renaming i -> factor i modulo p (Gu et al. 2025, Appendix B.4): row i is
    phi_(factor i)."""
    return table[factor * np.arange(len(table)) % len(table)]
