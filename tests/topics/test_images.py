"""Chapter 15: its plan, checks that can come out otherwise, words that follow verdicts, figures of what is computed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from grokbook.errors import ParameterError
from grokbook.measures.neural_collapse import within_class_share
from grokbook.tasks.digits import SMALL, DigitsTask
from grokbook.theory.class_collapse import flow
from grokbook.topics import images
from grokbook.topics.images import claims, settings

STEPS = np.arange(0, 4001, 50)


def curves(fit, grok, seeds=3):
    """Runs that fit at one step and generalise at another (None: never)."""

    def rising(at):
        return [[0.1 if at is None or step < at else 0.99 for step in STEPS]] * seeds

    data = {f"{part}_accuracy": (("seed", "step"), rising(at)) for part, at in (("train", fit), ("test", grok))}
    return xr.Dataset(data, {"step": STEPS, "seed": range(seeds)})


def reached(fit, grok, seeds=3):
    return claims.reached(curves(fit, grok, seeds))


def test_the_plan_has_two_starts_and_refuses_one_that_is_not_large():
    plan = images.plan(60, 4.0, 200, 2)
    assert [run.config.model.spread for run in plan.values()] == [4.0, 1.0]
    large, usual = (run.config for run in plan.values())
    assert dataclasses.replace(large, model=usual.model) == usual and usual.batch_size is None
    with pytest.raises(ParameterError, match=r"spread = 1.0 must be more than 1"):
        images.plan(60, 1.0, 200, 2)


def test_the_recorded_runs_have_the_settings_of_the_paper():
    """Appendix J: 1,000 images, depth 3, width 200, squared error to one-hot labels, AdamW."""
    config = images.fig8()[8.0].config
    assert config.n_train == 1000 and config.model.sizes == (784, 200, 200, 10) and config.loss == "squared_error"
    assert config.steps == 100_000 and config.optimizer.warmup == 0 and config.batch_size == 200
    cell = settings.fig8_right()["cells"].cells(0)[-1]
    assert cell.optimizer.of("last").learning_rate == 0.1 and cell.optimizer.of("rest").learning_rate == 1e-3
    assert cell.optimizer.of("last").weight_decay == cell.optimizer.of("rest").weight_decay == 10


@pytest.mark.parametrize(
    ("large", "usual", "verdict"),
    [
        ((100, 2000), (100, 100), "holds"),
        ((100, 2000), (100, 2000), "fails"),
        ((100, 1000), (100, 100), "fails"),
        ((100, None), (100, 100), "fails"),
        ((100, 2000, 2), (100, 100), "undecided"),
    ],
)
def test_a_delay_must_come_from_the_large_start_alone(large, usual, verdict):
    """LM1, LM2: the control is the usual start, which must not be late."""
    found = claims._delayed({8.0: reached(*large), 1.0: reached(*usual)})
    assert found.verdict == verdict


@pytest.mark.parametrize(
    ("groks", "verdict"), [((None, 2000, 200), "holds"), ((200, 200, 200), "fails"), ((200, 2000, 1000), "fails")]
)
def test_waiting_must_grow_as_images_become_few(groks, verdict):
    runs = {n: reached(100, at) for n, at in zip((50, 100, 200), groks, strict=True)}
    assert claims._rising(runs, 3).verdict == verdict
    assert claims._rising(runs, 4).verdict == "undecided"


def test_four_phases_are_counted_on_the_letters():
    """Table 1 with 60 %: C, G, M and X, a column each, three seeds."""
    runs = [curves(100, 100), curves(100, 4000), curves(100, None), curves(None, None)]
    data = xr.concat(runs, pd.Index([1.0, 2.0, 3.0, 4.0], name="weight_decay"))
    assert "".join(np.asarray(images.letters(data))[:, 0]) == "CGMX"
    assert claims._four({"cells": data}).verdict == "holds"
    assert claims._four({"cells": data.isel(weight_decay=slice(3))}).verdict == "fails"
    assert claims._four({"cells": data.isel(seed=[0])}).verdict == "undecided"


WORLDS = [
    (claims.size_is_kept, "fails", {"velocity": lambda f, y: -f}),
    (claims.collapse_is_avoided, "holds", {"flow": lambda f, y, times: flow(f - f.mean(0), y, times)}),
    (claims.digits_collapse, "fails", {"flow": lambda f, y, times: np.array([f])}),
]


@pytest.mark.parametrize(("check", "verdict", "world"), WORLDS)
def test_a_check_comes_out_otherwise_in_another_world(check, verdict, world, elsewhere):
    assert elsewhere(check, **world) == verdict


def test_points_of_digits_start_with_their_classes_mixed():
    points, labels = images.encoded(200)
    assert points.shape == (200, 2) and 0.3 < within_class_share(points, labels) < 1


def test_separation_is_blind_to_scale_and_not_to_position():
    rng, labels = np.random.default_rng(0), np.repeat([0, 1], 50)
    points = rng.normal(size=(100, 2)) + np.where(labels, 1.0, -1.0)[:, None]
    assert images.separation(7 * points, labels) == pytest.approx(images.separation(points, labels))
    assert images.separation(points + 20, labels) < 0.8 * images.separation(points, labels)


@pytest.mark.parametrize("verdict", ["holds", "fails", "undecided", "not run"])
@pytest.mark.parametrize("control", ["holds", "fails", "needs an assumption"])
def test_the_answer_follows_the_verdicts(verdict, control):
    told = images.answer({"LM1": verdict, "LM2": verdict, "LM7": control, "L32": "fails"})
    assert told.startswith("> **Answer.**") and told.count(". ") >= 3 and "  " not in told
    assert ("learns nothing" in told) == (control == "needs an assumption")


def test_the_table_of_turning_points_reads_the_run_at_its_steps():
    data = curves(200, 2000, 2)
    norm = 10.0 * 2 ** (-STEPS / 1000)
    data["weight_norm"] = (("seed", "step"), [norm] * 2)
    data["within_class_share"] = data.weight_norm / 10
    rows = images.turning(data, claims.reached(data))
    assert rows["at"].tolist() == ["fits", "generalises", "end"] * 2
    assert rows.step.tolist() == [200, 2000, 4000] * 2
    np.testing.assert_allclose(rows.norm, [2**-0.2, 0.25, 1 / 16] * 2)
    assert images.turning(data, reached(200, None)).empty


def test_figures_draw_what_they_are_given():
    task = DigitsTask(60, source=SMALL)
    assert images.samples(task).axes[0].images[0].get_array().shape == (100, 100)
    points, labels = images.encoded(40)
    figure = images.flowing(points, labels, [0.0, np.inf])
    start, end = (np.asarray(ax.collections[0].get_offsets()) for ax in figure.axes)
    np.testing.assert_allclose(start, points)
    assert len(np.unique(end.round(9), axis=0)) == len(np.unique(labels))
