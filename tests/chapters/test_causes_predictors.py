"""Chapter 19: what is read at the fit step and the wait: the statistics by hand and by other
computations, predictions against git and records, worlds in which the check comes out otherwise."""

import dataclasses
import io

import numpy as np
import pandas as pd
import pytest
import torch
import xarray as xr
from scipy.stats import kendalltau
from torch.func import grad, jvp
from torch.nn import functional as F

from causes_runs import git, recorded_at
from companion.claims import Runs
from grokbook.models.networks import parts_of
from grokbook.training.watching import View
from grokbook_chapters.causes import effects, handed, predictors, runs, stays


def view(bench, seed=3):
    """A network as it is drawn."""
    config = dataclasses.replace(runs.free(bench), steps=5).with_seed(seed)
    return View(config, config.model.draw(seed))


def test_steps_on_the_same_batch_commute():
    """With the whole training set in each batch both orders are the same two steps."""
    assert predictors.commutator_defect(view("Q"), pairs=2, share=1.0) < 1e-9


@pytest.mark.parametrize("bench", ["Q", "T"])
def test_the_commutator_defect_is_that_of_products_of_hessians_and_gradients(bench):
    r"""For a small rate the two orders are $\eta^2 (H_A g_B - H_B g_A)$ apart."""
    seen = view(bench)
    network = seen.config.model
    task = seen.task
    rng = np.random.default_rng([seen.config.seed, seen.step])
    size = round(0.2 * len(task.train_index))
    row = torch.cat([seen.weights[name].reshape(-1) for name in network.shapes()]).double()
    gradients = []
    for _ in "AB":
        batch = torch.as_tensor(rng.choice(task.train_index, size, replace=False))
        inputs = torch.as_tensor(task.inputs)[batch]
        targets = torch.as_tensor(task.targets)[batch]

        def loss(point, inputs=inputs, targets=targets):
            return F.cross_entropy(
                network.forward(parts_of(point, network.shapes()), inputs), targets
            )

        gradients.append(grad(loss))
    first, second = (gradient(row) for gradient in gradients)
    _, there = jvp(gradients[0], (row,), (second,))
    _, back = jvp(gradients[1], (row,), (first,))
    expected = (there - back).norm() / (first.norm() * second.norm())
    found = predictors.commutator_defect(seen, pairs=1, rate=1e-6)
    assert found == pytest.approx(float(expected), rel=1e-3)


def test_what_is_read_is_read_where_the_training_set_is_fitted_and_not_late():
    drawn = view("Q")
    assert np.isnan(predictors.early(lambda _: 1.0, drawn))  # it has not fitted
    fitted = View(drawn.config, drawn.weights, step=50)
    logits = np.eye(drawn.task.p)[np.asarray(drawn.task.targets)]
    vars(fitted)["logits"] = logits
    assert predictors.early(lambda _: 1.0, fitted) == 1.0
    late = View(drawn.config, drawn.weights, step=predictors.LATEST + 1)
    vars(late)["logits"] = logits
    assert np.isnan(predictors.early(lambda _: 1.0, late))


def setting(foretells=0.0, seed=0, n=48):
    """Runs of a setting: the wait depends on the fit step, and on a fresh read-out as far as it
    foretells it; all other predictors are noise, but for a norm that is the fit step's shadow."""
    rng = np.random.default_rng(seed)
    names = (*predictors.PREDICTORS, "later_accuracy", "shuffled")
    table = pd.DataFrame({name: rng.normal(size=n) for name in names})
    table["fit_step"] = 5.0 * rng.integers(10, 18, size=n)
    table["weight_norm"] = table.fit_step**2 + rng.normal(size=n)
    logs = rng.normal(size=n) - foretells * table.fresh_readout + 0.05 * table.fit_step
    return table.assign(wait=400 * np.exp(0.1 * logs))


def settings(foretells, count=3):
    return [setting(foretells, seed) for seed in range(count)]


def test_tau_is_scipy_s_and_its_p_value_near_that_of_the_normal_law():
    table = setting(0.4)
    order = predictors.ordered(table, "fresh_readout", free_of_fit=False)
    tau, p = kendalltau(table.fresh_readout, table.wait)
    assert order.tau() == pytest.approx(tau)
    dealt = predictors.dealt_taus([order])
    assert np.mean(np.abs(dealt) >= abs(tau)) == pytest.approx(p, abs=0.02)
    tied = table.assign(fresh_readout=table.fresh_readout.round())
    own = predictors.ordered(tied, "fresh_readout", free_of_fit=False)
    assert own.tau() == pytest.approx(kendalltau(tied.fresh_readout, tied.wait).statistic)


def test_a_predictor_is_seen_by_its_sign_and_the_shadow_of_the_fit_step_is_not():
    found = predictors.foretold(settings(0.8))
    assert found["fresh_readout"].word == "sooner" and found["fresh_readout"].tau < -0.2
    assert found["fit_step"].word == "later" and found["fit_step"].plain == found["fit_step"].tau
    assert found["weight_norm"].plain > 0.2 and found["weight_norm"].word == "not seen"
    noise = set(found) - {"fresh_readout", "fit_step", "weight_norm"}
    assert {found[name].word for name in noise} == {"not seen"}
    other = predictors.foretold(settings(-0.8))
    assert other["fresh_readout"].word == "later"


def test_a_predictor_that_does_not_vary_foretells_nothing():
    flat = [table.assign(test_accuracy=0.0) for table in settings(0.0, 1)]
    assert predictors.foretold(flat)["test_accuracy"].p == 1


@pytest.mark.parametrize(
    ("word", "low", "high", "expected"),
    [
        ("sooner", -0.5, -0.3, True),
        ("later", 0.3, 0.5, False),
        ("not seen", -0.3, 0.1, None),
        ("not seen", -0.08, 0.1, False),
    ],
)
def test_not_seen_is_refuted_only_where_no_useful_tau_is_left(word, low, high, expected):
    row = predictors.Foretold(0.0, (low + high) / 2, low, high, 0.5, word)
    assert predictors.as_predicted(row, "sooner") is expected
    mirrored = predictors.Foretold(0.0, -(low + high) / 2, -high, -low, 0.5, word)
    if word == "not seen":
        assert predictors.as_predicted(mirrored, "later") is expected


def curves(*made, last=1_000):
    """Runs that fit at the first step and generalise at the second of each pair; None: never."""
    steps = np.arange(0, last + 1, 10)
    train = [steps >= fit for fit, _ in made]
    test = [steps >= (grok or last + 1) for _, grok in made]
    data = {"train_accuracy": train, "test_accuracy": test}
    for place, name in enumerate(predictors.PREDICTORS):
        if name != "test_accuracy":
            data[name] = [steps + 1_000.0 * seed + place for seed in range(len(made))]
    variables = {
        name: (("seed", "step"), np.array(values, dtype=float)) for name, values in data.items()
    }
    return xr.Dataset(variables, {"seed": range(len(made)), "step": steps})


def test_predictors_are_read_at_the_fit_step_and_late_runs_are_ranked_last():
    table = predictors.at_the_fit(curves((50, 300), (60, 500), (70, None), (200, 400)))
    assert table.wait.tolist() == [250, 440, np.inf] and table.fit_step.tolist() == [50, 60, 70]
    place = predictors.PREDICTORS.index("test_loss")
    assert table.test_loss.tolist() == [50 + place, 1_060 + place, 2_070 + place]
    assert table.later_accuracy.tolist() == [1, 0, 0]
    assert sorted(table.shuffled) == sorted(table.fresh_readout)


def test_a_late_run_that_was_followed_for_less_than_the_longest_wait_is_left_out():
    data = curves((50, 900), (60, None))
    short = data.where((data.seed == 0) | (data.step <= 500))
    assert predictors.at_the_fit(short).index.tolist() == [0]
    assert predictors.at_the_fit(data).index.tolist() == [0, 1]


def test_the_predictors_stand_in_a_commit_older_than_their_runs():
    (commit,) = effects.commits().set_index("round").commit[["tenth"]]
    folder = "src/grokbook_chapters/causes"
    then = git("show", f"{commit}:{folder}/predictors.csv")
    before = pd.read_csv(io.BytesIO(then), keep_default_na=False, dtype=str)
    pd.testing.assert_frame_equal(before, predictors.predictions())
    rows = set(predictors.predictions().predictor)
    assert rows == {*predictors.PREDICTORS, "fit_step", "shuffled", "later_accuracy"}
    written = pd.Timestamp(git("show", "-s", "--format=%cI", commit).decode().strip())
    asked = [*stays.larger().values()]
    for bench in predictors.SETTINGS:
        asked += predictors.settings(bench).values()
    assert all(when > written for one in asked for when in recorded_at(one))
    used = {*range(runs.SEEDS), 12, 13, 14, *range(24, 27)}
    assert not used & set(predictors.SEEDS)


def world(**foretells):
    return Runs(
        {
            (bench, at): setting(strength, seed)
            for bench, strength in foretells.items()
            for seed, at in enumerate(predictors.SETTINGS[bench])
        }
    )


@pytest.mark.parametrize(
    ("foretells", "verdict"),
    [
        ({"Q": 0.8, "T": 0.8}, "holds"),
        ({"Q": 0.8, "T": -0.8}, "fails"),
        ({"Q": 0.8}, "undecided"),
        ({}, "undecided"),
    ],
)
def test_the_read_out_foretells_only_where_it_does_on_both_benches(foretells, verdict):
    assert predictors.read_out_foretells(world(**foretells)).verdict == verdict


def test_counted_when_it_stays_a_run_generalises_at_its_last_stay_or_not_at_all():
    steps = np.arange(0, 1_001, 10)
    made = []
    for lost in ((2_000, 2_000), (300, 400), (900, 2_000)):
        test = np.where(steps >= 100, 1.0, 0.2)
        test[(steps >= lost[0]) & (steps < lost[1])] = 0.5
        made.append(test)
    data = xr.Dataset(
        {
            "test_accuracy": (("seed", "step"), made),
            "train_accuracy": (("seed", "step"), np.ones_like(made)),
        },
        {"step": steps, "seed": range(3)},
    )
    table = stays.after(data)
    found = stays.staying(table)
    assert table.grok_step.tolist() == [100, 100, 100]
    assert found.grok_step.tolist()[:2] == [100, 400] and pd.isna(found.grok_step[2])
    assert found.delay.tolist()[:2] == [100, 400]
    assert np.isinf(handed.waits(found, table)[2])
