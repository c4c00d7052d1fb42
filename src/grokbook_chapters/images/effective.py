"""The effective loss of classes as a method: free points under Adam as in Fig. 19, and an encoder
that makes them.

Liu et al. 2022, appendix I, move the points themselves. A method that is to place new images has to
move the weights of the network that makes the points.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from scipy.spatial.distance import cdist
from torch import Tensor

from companion.claims import Finding, claim, judge
from companion.claims.finding import band
from grokbook.models.mlp import MLP
from grokbook.models.networks import Parameters
from grokbook_chapters.images.class_collapse import flow
from grokbook_chapters.images.digits import MNIST, SMALL, DigitsTask
from grokbook_chapters.images.neural_collapse import (
    class_means,
    class_parts,
    simplex_distance,
    within_class_share,
)
from grokbook_chapters.images.runs import PIXELS, WIDTH
from grokbook_chapters.labelled import Row

RATE = 1e-3  # of Adam, in Fig. 19
FIG19_STEPS = 100
STEPS = 500  # of an encoder here


def descend(
    moved: list[Tensor], points: Callable[[], Tensor], labels: np.ndarray, steps: int
) -> None:
    """Adam on the effective loss of some points, which depend on the tensors that are moved, in
    place."""
    of_class = torch.from_numpy(np.eye(labels.max() + 1, dtype=np.float32)[labels])
    sizes = of_class.sum(dim=0)
    adam = torch.optim.Adam(moved, lr=RATE)
    for _ in range(steps):
        f = points()
        means = of_class.T @ f / sizes.clamp(min=1)[:, None]
        apart = f - of_class @ means
        loss = ((of_class @ sizes)[:, None] * apart**2).sum() / (f**2).sum()
        adam.zero_grad()
        loss.backward()
        adam.step()


def drawn_encoder(seed: int, source: str) -> tuple[MLP, Parameters]:
    """A ReLU network with two layers of 200 from images to the plane, and its weights as torch
    draws them."""
    network = MLP((PIXELS[source], WIDTH, WIDTH, 2))
    weights = {name: w.clone().requires_grad_() for name, w in network.draw(seed).items()}
    return network, weights


class Images(NamedTuple):
    """Training images (n, pixels) with labels, their own or dealt out at random, and the others
    with their own."""

    seen: Tensor
    labels: np.ndarray
    new: Tensor
    new_labels: np.ndarray


def _images(seed: int, source: str, images: int, dealt: bool) -> Images:
    task = DigitsTask(images, seed, source=source)
    pixels = torch.from_numpy(task.inputs).float()
    new = np.setdiff1d(np.arange(len(pixels)), task.train_index)
    labels = task.targets[task.train_index]
    if dealt:
        labels = np.random.default_rng(seed).permutation(labels)
    return Images(pixels[task.train_index], labels, pixels[new], task.targets[new])


def encoded(
    images: int = 500, seed: int = 0, source: str = SMALL, dealt: bool = False
) -> tuple[Tensor, np.ndarray]:
    """Images as points (n, 2) of a plane by a random network, and their labels.

    Source: Liu et al. 2022, appendix I: "randomly encoded to a 2D embedding".
    """
    given = _images(seed, source, images, dealt)
    network, weights = drawn_encoder(seed, source)
    return network.forward(weights, given.seen).detach(), given.labels


def free_points(seed: int, dealt: bool = False, images: int = 500) -> Row:
    """Fig. 19: MNIST in the plane of a random network, moved by 100 steps of Adam on the effective
    loss.

    `before` and `after` are shares of the variance within classes, `size` is Z at the end as a part
    of its first value, `means` the same of the variance of the class means.
    """
    first, labels = encoded(images, seed, MNIST, dealt)
    moved = first.clone().requires_grad_()
    descend([moved], lambda: moved, labels, FIG19_STEPS)
    start = first.double().numpy()
    end = moved.detach().double().numpy()
    size = (end**2).sum() / (start**2).sum()
    spread = class_parts(end, labels).means.var(axis=0).sum()
    first_spread = class_parts(start, labels).means.var(axis=0).sum()
    return {
        "before": within_class_share(start, labels),
        "after": within_class_share(end, labels),
        "size": float(size),
        "means": float(spread / first_spread),
    }


def through_encoder(
    seed: int, dealt: bool = False, centred: bool = False, images: int = 500, steps: int = STEPS
) -> Row:
    """The same loss moves the weights of the network on small digits; then it is asked on the other
    images.

    With `centred` Z is the variance: the loss is that of the points less their mean.

    `seen` and `new` are shares of right answers of the nearest class mean on both sets, `within`
    the share of the variance within classes, `variance` the variance as a part of the mean square,
    at the end on the training images.
    """
    given = _images(seed, SMALL, images, dealt)
    network, weights = drawn_encoder(seed, SMALL)

    def points() -> Tensor:
        placed = network.forward(weights, given.seen)
        return placed - placed.mean(dim=0) if centred else placed

    descend(list(weights.values()), points, given.labels, steps)
    with torch.no_grad():
        seen = network.forward(weights, given.seen).double().numpy()
        new = network.forward(weights, given.new).double().numpy()
    means = class_means(seen, given.labels)
    variance = seen.var(axis=0).sum()
    mean_square = (seen**2).sum(axis=1).mean()
    return {
        "seen": _share_nearest(seen, given.labels, means),
        "new": _share_nearest(new, given.new_labels, means),
        "within": within_class_share(seen, given.labels),
        "variance": float(variance / mean_square),
    }


def _share_nearest(points: np.ndarray, labels: np.ndarray, means: np.ndarray) -> float:
    """Share of the points that are nearest to the mean of their own class."""
    nearest = cdist(points, means).argmin(axis=1)
    return (nearest == labels).mean()


def _of_seeds(look: Callable[..., Row], seeds: int, **settings: bool) -> pd.DataFrame:
    return pd.DataFrame([look(seed, **settings) for seed in range(seeds)])


@claim(
    "LM7",
    "liu2022",
    "appendix I, Fig. 19",
    section="A loss that cannot shrink everything",
    shown_by="draws",
    seconds=3,
    also=("LM8",),
    says=(
        "100 steps of Adam on 500 digits of MNIST in the plane of a random network (medians of "
        "{seeds}): the share of the variance within classes goes from {before:.2f} to {value:.4f} "
        "({low:.4f} to {high:.4f}), the variance of the class means to {means:.1f} times its "
        "start. With labels dealt out at random it goes from {dealt_before:.2f} to {dealt:.4f} "
        "too: each image has a free point, so any labels collapse, and no new image is placed by "
        "it. Under the flow the means keep their distance from a simplex, {simplex[0]:.2f} before "
        "and {simplex[1]:.2f} after"
    ),
)
def digits_collapse(seeds: int = 5) -> Finding:
    """ "Images of the same class collapse to their class-means, and different class-means do not
    collapse", but the theory "does not necessarily put class-means into equiangular tight frames".

    Our reading: the share within classes falls to a hundredth of its start or less, and the class
    means keep half of their variance or more; from a random start the flow brings the means no
    nearer to a regular simplex.
    """
    own = _of_seeds(free_points, seeds)
    dealt = _of_seeds(free_points, seeds, dealt=True)
    start = np.random.default_rng(0).normal(size=(50, 6))
    labels = np.repeat(np.arange(5), 10)
    end = flow(start, labels, [np.inf])[0]
    simplex = [simplex_distance(start, labels), simplex_distance(end, labels)]
    return judge(
        (own.after <= own.before / 100).all(),
        (own.means >= 0.5).all(),
        simplex[1] > 0.9 * simplex[0],
        **band(own.after),
        seeds=seeds,
        before=own.before.median(),
        means=own.means.median(),
        dealt=dealt.after.median(),
        dealt_before=dealt.before.median(),
        simplex=simplex,
    )


@claim(
    "LM12",
    "liu2022",
    "appendix I",
    section="Through an encoder new images are not placed",
    shown_by="draws",
    origin="ours",
    seconds=22,
    also=("LM11",),
    says=(
        "of new images {value:.0%} ({low:.0%} to {high:.0%}, medians of {seeds} networks of 500 "
        "small digits, {steps} steps of Adam) lie nearest to the mean of their class, with dealt "
        "labels {dealt:.0%}; of the training images {seen:.0%}. The points gather about one that "
        "is not zero: their variance is {variance:.0e} of their mean square. With the variance in "
        "Z's place {centred:.0%} of new images lie nearest to their mean"
    ),
)
def an_encoder_learns(seeds: int = 3) -> Finding:
    """With the effective loss on the weights of an encoder, most new images lie nearest to the mean
    of their class.

    So we read the paper's "good representation learning method", of which it does not say what is
    good. Null: labels dealt out at random, with which that must be rarer than one in five.
    """
    own = _of_seeds(through_encoder, seeds)
    dealt = _of_seeds(through_encoder, seeds, dealt=True)
    centred = _of_seeds(through_encoder, seeds, centred=True)
    fair = (dealt.new < 0.2).all()
    return judge(
        bool((own.new > 0.5).all()) if fair else None,
        **band(own.new),
        seeds=seeds,
        steps=STEPS,
        dealt=dealt.new.median(),
        seen=own.seen.median(),
        variance=own.variance.median(),
        centred=centred.new.median(),
    )
