"""Every number and truth of chapter 03's prose."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.page import Number, Prose, Truth
from grokbook.measures import med
from grokbook.measures.geometry import diameter
from grokbook.theory.enclosing_ball import smallest_ball
from grokbook.theory.one_frequency import circle
from grokbook.theory.uniformity import class_sums
from grokbook_chapters.uniformity.trained import deeper_layers


def numbers(
    p: int,
    n_seeds: int,
    shares: pd.DataFrame,
    fits: pd.DataFrame,
    paths: pd.DataFrame,
) -> Prose:
    """What the prose uses: of circles modulo `p`, of the additive fits to `n_seeds` training sets,
    of the `shares` of trained embeddings and of the descents `paths`."""
    moduli = shares.modulus.unique().tolist()
    return {
        "modulus": p,
        "p_recorded": moduli[0],
        "p_other": moduli[1],
        **_circles(p, moduli[0]),
        **_fits(fits, n_seeds),
        **_descents(paths),
        **_trained(shares, moduli),
        **_deeper(),
    }


def _circles(p: int, p_recorded: int) -> Prose:
    """Balls that the classes of a circle need, and MED over its frequencies."""
    balls = [smallest_ball(points) for points in class_sums(circle(p, 1))]
    radius = max(ball.radius for ball in balls)
    apart = diameter(np.array([ball.centre for ball in balls]))
    meds = [med(circle(p_recorded, k)) for k in range(1, p_recorded // 2 + 1)]
    return {
        "ball_radius": f"{radius:.2f}",
        "ball_apart": f"{apart:.2f}",
        "med_least": f"{min(meds):.3f}",
        "med_most": f"{max(meds):.4f}",
    }


def _fits(fits: pd.DataFrame, n_splits: int) -> Prose:
    """How far additive logits get on the trained cells, at the smallest and the largest modulus."""
    largest = fits.loc[fits.index.max()]
    cannot_fit = largest.margin < 1e-3
    is_harder = largest.most < largest.dealt_least
    return {
        "fit_small": int(fits.index.min()),
        "fit_modulus": int(fits.index.max()),
        "fit_most": f"{largest.most:.0%}",
        "fit_dealt": f"{largest.dealt_least:.0%}",
        "fit_unseen": f"{fits.unseen.max():.0%}",
        "n_splits": n_splits,
        "cannot_fit": Truth(cannot_fit, f"training accuracy up to {largest.most:.2f}"),
        "rule_is_harder": Truth(is_harder, f"{largest.dealt_least:.2f} dealt anew"),
    }


def _descents(paths: pd.DataFrame) -> Prose:
    """By which factors MED and the diameter shrink from the first to the last step."""
    ends = paths[paths.step.isin([0, paths.step.max()])].set_index(["draw", "step"]).unstack()
    factors = {}
    for name in ("med", "diameter"):
        factors[name] = ends[name].iloc[:, 0] / ends[name].iloc[:, 1]
    return {
        "descents": len(ends),
        "descents_fall": (factors["med"] > 1).sum(),
        "descent_med": f"{factors['med'].median():.0f}",
        "descent_width": f"{factors['diameter'].median():.0f}",
    }


def _trained(shares: pd.DataFrame, moduli: list[int]) -> Prose:
    """Shares of products of the recorded networks."""
    starts = shares[shares.step == 0].groupby("modulus")["products"].median()
    last = shares[shares.step == shares.groupby("modulus").step.transform("max")]
    main = last[last.modulus == moduli[0]]
    solved = main[main.test_accuracy >= 0.95]
    at_main = shares[(shares.modulus == moduli[0]) & shares.seed.isin(solved.seed)]
    at_other = shares[shares.modulus == moduli[1]]
    early = _early(at_main)
    early_other = _early(at_other)
    accuracy_other = last[last.modulus == moduli[1]].test_accuracy.max()
    return {
        "share_start": f"{starts[moduli[0]]:.2f}",
        "share_start_other": f"{starts[moduli[1]]:.2f}",
        "share_learned": Number(solved["products"].min(), ".2f", missing="(no run)"),
        "n_learned": len(solved),
        "n_runs": len(main),
        "n_first": len(at_main),
        "n_second": len(at_other),
        "n_early": early,
        "n_early_other": early_other,
        "accuracy_other": f"{accuracy_other:.2f}",
        "products_first": Truth(early > 0, f"{early} looks"),
        "products_do_not_tell": Truth(early_other > 0, f"{early_other} looks"),
    }


def _early(shares: pd.DataFrame) -> int:
    """At how many looks the products are sorted and the test accuracy is below one half."""
    return int(((shares["products"] > 0.8) & (shares.test_accuracy < 0.5)).sum())


def _deeper() -> Prose:
    """What the check of the layers behind the embedding has settled."""
    settled = deeper_layers.finding().numbers
    names = ("reached", "learned", "memorised")
    return {f"deep_{name}": settled.get(name, "(not run)") for name in names}
