"""What a network on pictures has made of the glyphs: features that are watched while it is trained,
with controls."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from grokbook.measures import med
from grokbook.measures.representation import spread
from grokbook.runs.experiment import Experiment
from grokbook.training import RunConfig, View
from grokbook.training.forward import PIECE
from grokbook.training.watching import Watch
from grokbook_chapters.resnet_grokking.memorised import occurrences, tested
from grokbook_chapters.resnet_grokking.shapes import ShapeTask, tiles


def pooled(view: View) -> np.ndarray:
    """What the head reads of every sample, (N, 8 width): the mean of the last stage over all
    places."""
    if "pooled" not in vars(view):  # three measures of one network ask for it
        model = view.config.model
        features = []
        with torch.no_grad():
            for piece in torch.from_numpy(view.task.inputs).split(PIECE):
                features.append(model.features(view.weights, view.task.show(piece)))
        vars(view)["pooled"] = torch.cat(features).double().numpy()
    return vars(view)["pooled"]


def glyph_features(features: np.ndarray, task: ShapeTask) -> np.ndarray:
    """The feature of each glyph, (n, width): the mean over all samples, each as often as it holds
    the glyph."""
    weights = occurrences(task)
    return weights.T @ features / weights.sum(axis=0)[:, None]


def steps_apart(table: np.ndarray) -> float:
    r"""Mean distance of the features of successive categories over their root mean square distance
    from their mean.

    $\frac{1}{n-1} \sum_k \lVert\varphi_{k+1} - \varphi_k\rVert \big/ \sqrt V$ is $\sqrt{12 / (n^2 -
    1)}$ for points at equal distances on a line, and $\sqrt{2n / (n-1)}$ for the corners of a
    regular simplex, where no order is known.

    Source: Gu et al. 2025, Definition 4.2, without the step from the last to the first, and free of
    scale.
    """
    return med(table, cyclic=False) / spread(table) ** 0.5


def probe(
    features: np.ndarray, answers: np.ndarray, fitted: np.ndarray, asked: np.ndarray
) -> float:
    """R^2 of least squares from features to real answers: fitted on some samples, asked on others;
    0 is the mean."""
    table = np.column_stack([features, np.ones(len(features))])
    weights = np.linalg.lstsq(table[fitted], answers[fitted], rcond=1e-6)[0]
    off = ((table @ weights - answers)[asked] ** 2).sum()
    off_mean = ((answers[asked] - answers[fitted].mean()) ** 2).sum()
    return 1 - off / off_mean


def on_pixels(task: ShapeTask) -> np.ndarray:
    """The images as least squares on their pixels see them, (N, 4 n), by an orthonormal basis of
    each quarter.

    Distances and inner products are those of the images, so that every answer of least squares is.
    """
    drawn = tiles(task.n, task.tile, task.faithful).reshape(4, task.n, -1).astype(float)
    basis, sizes, _ = np.linalg.svd(drawn, full_matrices=False)
    turned = basis * sizes[:, None]
    return np.hstack([turned[k, task.inputs[:, k]] for k in range(4)])


def read_off(features: np.ndarray, task: ShapeTask) -> np.ndarray:
    """Labels (N,) that least squares from features give, fitted on the training samples and
    rounded."""
    table = np.column_stack([features, np.ones(len(features))])
    known = task.train_index
    weights = np.linalg.lstsq(table[known], task.targets[known], rcond=1e-9)[0]
    return np.rint(table @ weights).astype(np.int64)


def by_pixels(task: ShapeTask) -> np.ndarray:
    """Labels (N,) by least squares on the raw pixels."""
    return read_off(on_pixels(task), task)


def other_values(task: ShapeTask) -> np.ndarray:
    """Sums (N,) in which the glyphs count what other glyphs do: a task with the same pictures that
    is not trained."""
    values = np.random.default_rng((task.seed, 1)).permutation(task.values)
    return values[task.inputs].sum(axis=1)


def constant(task: ShapeTask) -> float:
    """Test accuracy of the best constant answer: the share of the most frequent label of the test
    set."""
    labels = task.targets[tested(task)]
    return np.bincount(labels).max() / len(labels)


def asked(task: ShapeTask) -> np.ndarray:
    """Test samples whose multiset is not trained; all test samples where each one's is."""
    unseen = np.flatnonzero(task.unseen)
    return unseen if len(unseen) > task.outputs else tested(task)


def _probed(view: View, answers: np.ndarray) -> float:
    return probe(pooled(view), answers.astype(float), view.task.train_index, asked(view.task))


def _dealt(task: ShapeTask) -> np.ndarray:
    return np.random.default_rng(task.seed).permutation(task.targets)


# What is recorded beside what every run logs: MED of the glyphs, and a probe of the sum with two
# controls.
WATCHED: Mapping[str, Watch] = {
    "steps_apart": lambda view: steps_apart(glyph_features(pooled(view), view.task)),
    "probe_sum": lambda view: _probed(view, view.task.targets),
    "probe_other": lambda view: _probed(view, other_values(view.task)),
    "probe_dealt": lambda view: _probed(view, _dealt(view.task)),
}


def pictured(name: str, config: RunConfig, seeds: tuple[int, ...]) -> Experiment:
    """An experiment that also records `WATCHED`."""
    return Experiment(name, config, seeds, watch=WATCHED, in_key={"watched": list(WATCHED)})
