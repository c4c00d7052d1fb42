"""Claims of Gu et al. 2025 and their checks."""

from __future__ import annotations

from functools import partial

import numpy as np

from grokbook.claims.finding import Finding
from grokbook.claims.gu2024 import almost_identical, on_records
from grokbook.claims.legacy import Claim
from grokbook.measures import circle_med, fourier_power, linear_med, med, med_bound, med_spectral_bound


def circulant(p: int, rng: np.random.Generator) -> np.ndarray:
    """A random circulant table (p, p): row i is row 0 moved by i, so all steps are equal."""
    first = rng.normal(size=p)
    return np.stack([np.roll(first, i) for i in range(p)])


def med_closed_forms(p: int = 97) -> Finding:
    """G26: MED against its closed forms (circles, all frequencies, a line) and its two bounds."""
    i, frequencies = np.arange(p), np.arange(1, p // 2 + 1)
    angle = 2 * np.pi * np.outer(i, frequencies) / p
    every = np.stack([np.cos(angle), np.sin(angle)], axis=2)
    errors = [abs(med(every[:, k - 1]) / circle_med(p, [k]) - 1) for k in frequencies]
    errors.append(abs(med(every.reshape(p, -1)) / np.sqrt(p) - 1))
    errors.append(abs(med(i[:, None] * 0.3) / linear_med(p, 0.3) - 1))
    rng = np.random.default_rng(0)
    wheel = circulant(p, rng)
    errors.append(abs(med(wheel) / med_spectral_bound(wheel) - 1))
    random = rng.normal(size=(p, 16))
    kept = med(random) <= med_spectral_bound(random) <= med_bound(random) and fourier_power(random).min() >= 0
    worst = float(max(errors))
    evidence = f"largest relative deviation {worst:.1e} over {len(errors)} embeddings; both bounds hold on a random one"
    return Finding("holds" if kept and worst < 1e-9 else "fails", evidence, worst, 0, 1e-9)


def same_function_other_med(p: int = 97) -> Finding:
    """G14: relabelling i -> c i keeps the full loss and every norm (permute the outputs too) and moves MED."""
    values = [circle_med(p, [k]) for k in range(1, p // 2 + 1)]
    evidence = (
        f"one circle of radius 1 has MED from {min(values):.4f} to {max(values):.4f} (p = {p}) by the name of its "
        "frequency alone, at equal loss on all cells and equal norms"
    )
    ratio = max(values) / min(values)
    return Finding("fails" if ratio > 1 + 1e-9 else "holds", evidence, ratio, 1, 1)


CLAIMS = (
    Claim(
        "G26",
        "gu2025",
        "Definition 4.2",
        "MED is the mean distance of cyclically neighbouring embeddings.",
        "formula",
        "05_med_tracking: Closed forms",
        med_closed_forms,
    ),
    Claim(
        "G14",
        "gu2025",
        "appendix B.4, section 4",
        "Weight decay is minimal exactly for uniform embeddings, and so MED falls.",
        "theorem",
        "05_med_tracking: Closed forms",
        same_function_other_med,
    ),
    Claim(
        "G27",
        "gu2025",
        "Remark 4.3, section 6.2",
        "MED and the test loss change nearly identically.",
        "observation",
        "05_med_tracking: What the papers say",
        partial(on_records, almost_identical),
        seconds=5,
    ),
)
