"""Chapter 07: notions of separability in their order, networks in which separability says something, depth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch
import xarray as xr

from grokbook.claims import Runs
from grokbook.claims.finding import UNDECIDED
from grokbook.errors import ParameterError
from grokbook.measures import class_separability, convexly_separable, separate
from grokbook.models.activations import SUM, activations
from grokbook.models.transformer import Shape, initialise
from grokbook.tasks import ModularTask
from grokbook.topics.separability_and_depth import depth, networks, notions, plan

STEPS = np.arange(0, 1000, 10)
TRIANGLE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


# ------------------------------------------------------------------------------------------------------- notions


@pytest.mark.parametrize(
    ("check", "changes", "verdict"),
    [
        # Eq. 6: simple functions are dense in L1 always, uniformly for bounded functions, not at all for 1/x
        (notions.dense_simple_functions, {}, "needs an assumption"),
        (notions.dense_simple_functions, {"f": np.sqrt}, "holds"),
        (notions.dense_simple_functions, {"f": lambda x: 1 / x}, "fails"),
        # Definition 5.1
        (notions.subspace_is_stronger, {"second": (0.0, 1.0), "trials": 20}, "fails"),
        (notions.subspace_is_stronger, {"second": (1.0, 0.0), "trials": 20}, "holds"),
        (notions.topological_is_stronger, {"second": (1.0,)}, "fails"),
        (notions.topological_is_stronger, {"second": (3.0,)}, "holds"),
        (notions.topological_is_stronger, {"second": (2.0,)}, "holds"),
        (notions.read_out_is_separable, {}, "vacuous"),
        # Gu 2024, appendix C
        (notions.cited_theorems, {}, "holds"),
        (notions.cited_theorems, {"measurements": 6}, "fails"),
        (notions.sparse_is_not_smooth, {}, "fails"),
        (notions.sparse_is_not_smooth, {"ks": (3,)}, "holds"),
        # Definition 4.1: a mapping to 0 and 1 exists exactly if no value occurs both before and after the event
        (notions.any_number_tells, {}, "vacuous"),
        (notions.any_number_tells, {"values": np.zeros(10), "event": 5}, "fails"),
        (notions.any_number_tells, {"values": np.arange(10), "event": 5}, "holds"),
    ],
)
def test_checks_come_out_either_way(check, changes, verdict):
    assert check(**changes).verdict == verdict


def test_sums_that_were_separable_would_bear_the_claim_out(elsewhere):
    sums = {"sums_by_class": lambda p, d: (np.eye(p), np.arange(p))}
    assert elsewhere(notions.read_out_is_separable, **sums) == "holds"


def test_l1_error_of_the_inverse_root_is_the_closed_form():
    """The tail above n has integral 1/n; the steps add at most 2^-n."""
    assert notions.dense_simple_functions(level=20).value == pytest.approx(1 / 20, abs=1e-4)


def test_cited_theorems_on_known_examples():
    """|sin|^3 has a jump in its third derivative, so c_n ~ n^-4; the return map's slope is exp(-4 pi)."""
    assert notions.fourier_decay() == pytest.approx(-4, abs=0.15)
    assert notions.return_slope() == pytest.approx(np.exp(-4 * np.pi), rel=1e-2)


def test_class_means_of_all_cells_coincide():
    """Why no pair is separable: every class has the mean 2 mean(phi)."""
    points, labels = notions.sums_by_class(7, 5)
    means = np.array([points[labels == r].mean(axis=0) for r in range(7)])
    assert np.ptp(means, axis=0).max() < 1e-12


def test_one_missing_cell_of_two_classes_makes_their_sums_separable():
    """With p prime the 2p cells of two classes are one alternating cycle, the only affine dependence between them."""
    p = 11
    first, second = np.random.default_rng(0).normal(size=(2, p, 40))
    i, j = np.indices((p, p)).reshape(2, -1)
    points, labels = first[i] + second[j], (i + j) % p
    kept = np.setdiff1d(np.arange(p * p), [np.flatnonzero(labels == r)[0] for r in range(p)])
    assert class_separability(points, labels).share == 0
    assert class_separability(points[kept], labels[kept]).share == 1


def test_the_middle_line_separates_and_the_slab_touches_the_sets():
    other = TRIANGLE + [1.0, 3.0]
    left, _, right = notions.three_notions(TRIANGLE, other, TRIANGLE + 0.2, separate(TRIANGLE, other)).axes
    slab = sorted(np.array(line.get_ydata()).max() for line in left.lines[-3:])
    assert slab[0] < slab[1] < slab[2]
    assert slab[1] - slab[0] == pytest.approx(slab[2] - slab[1])
    assert (len(left.patches), len(right.patches)) == (2, 2)
    line = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    drawn = notions.three_notions(line, line + [0.0, 3.0], line + 0.1, separate(line, line + [0.0, 3.0]))
    assert drawn.axes[0].patches[:] == []


# ------------------------------------------------------------------------------------------------------ networks

SIZES = {"p": 31, "train_fraction": 0.5, "d_model": 16, "early": 10, "steps": 20, "n_seeds": 2}
SIZES |= {"p_depth": 31, "d_depth": 20, "depths": 2, "depth_steps": 5}


def test_two_stages_of_the_same_networks():
    runs = plan(**SIZES)
    assert {name: e.config.steps for name, e in runs.items()} == {"early": 10, "late": 20, "layers 1": 5, "layers 2": 5}
    assert runs["early"].config.task == runs["late"].config.task
    assert runs["layers 2"].name == "gu2025/depth[layers=2, p=31], 5 steps"


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"d_model": 32}, "d_model = 32 must be below p - 1"),
        ({"d_depth": 30}, "d_depth = 30 must be below p_depth - 1 = 30"),
        ({"early": 20}, "between 1 and"),
        ({"depths": 5}, "depths = 5 must be between 1 and 4"),
    ],
)
def test_refusals(changed, word):
    with pytest.raises(ParameterError, match=word):
        plan(**SIZES | changed)


@pytest.mark.parametrize(("d", "low", "high"), [(8, 0, 0.1), (15, 0.25, 0.75), (28, 0.9, 1)])
def test_the_limit_is_where_half_of_all_labellings_are_separable(d, low, high):
    """Cover 1965: 32 points in general position, half of the labellings at d + 1 = 16."""
    rng = np.random.default_rng(0)
    trials = [rng.normal(size=(2, 16, d)) for _ in range(40)]
    assert low <= np.mean([convexly_separable(a, b) for a, b in trials]) <= high


def test_the_table_of_stages(tmp_path, monkeypatch):
    """Sums of embeddings are never separable on all cells; a fitted network's read-out row is, on training cells."""
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path))
    runs = plan(7, 0.6, 4, 5, 250, 1, 7, 4, 2, 200)
    table = networks.separability_table(runs, pairs=3)
    assert list(dict.fromkeys(table.when)) == ["start", "memorising", "end"]
    assert (table[(table.stage == SUM) & (table.cells == "all")].share == 0).all()
    assert table[["share", "null", "train", "test_unmirrored"]].stack().between(0, 1).all()
    assert len(table) == 3 * 4 * 2
    deep = networks.depth_shares(runs, pairs=3)
    assert deep.groupby("layers").stage.nunique().tolist() == [4, 6]
    assert list(networks.half_apart(deep)) == [1, 2] and SUM not in networks.half_apart(deep).values()
    last = deep[(deep.stage == "MLP 2") & (deep.cells == "train")]
    assert (last.share[last.train == 1] == 1).all()


def test_every_network_and_its_null_is_a_mark():
    shares = (("a", 0.2), ("b", 0.9))
    rows = [(w, c, *pair) for w in ("start", "end") for c in ("all", "train") for pair in shares]
    fig = networks.shares_by_stage(pd.DataFrame(rows, columns=["when", "cells", "stage", "share"]).assign(null=0.1))
    for ax in fig.axes:
        marks = [value for line in ax.lines for value in line.get_ydata()]
        assert sorted(marks) == pytest.approx([0.1] * 4 + [0.2] * 2 + [0.9] * 2)


def test_stages_stand_in_the_order_of_the_computation():
    stages = ["logits", "MLP 2", "attention 2", "MLP 1", "attention 1", "sum of embeddings"]
    rows = [(n, s, c, 0.5, 0.1) for n in (1, 2) for s in stages for c in ("all", "train")]
    fig = networks.shares_by_depth(pd.DataFrame(rows, columns=["layers", "stage", "cells", "share", "null"]))
    assert [label.get_text() for label in fig.axes[0].get_xticklabels()] == stages[::-1]
    drawn = [list(line.get_ydata()) for line in fig.axes[0].lines if len(line.get_ydata())]
    assert drawn == [[0.1] * 6] * 2 + [[0.5] * 6] * 2
    assert [t.get_text() for t in fig.legends[0].get_texts()] == ["1 layer", "2 layers", "labels shuffled"]


# --------------------------------------------------------------------------------------------------------- depth


def _differ(one, other):
    first, second = (e.configuration() for e in (one, other))
    parts = ("task", "model", "optimizer")
    return {f"{part}.{name}" for part in parts for name, v in first[part].items() if second[part][name] != v}


def test_one_thing_differs_at_a_time():
    published, runs, causes = depth.fig_2()[3].config, depth.by_depth(), list(depth.causes().values())
    assert (published.task.p, published.task.shift, published.model.d_model) == (97, 97, 512)
    assert (published.model.n_layers, published.task.train_fraction) == (3, 0.3)
    assert list(runs) == list(depth.LAYERS) and [e.config.model.n_layers for e in runs.values()] == list(runs)
    assert all(_differ(runs[1], runs[n]) == {"model.n_layers"} for n in depth.LAYERS[1:])
    changed = [_differ(causes[0], other) for other in causes]
    assert changed == [set(), {"model.d_mlp"}, {"optimizer.learning_rate"}, {"optimizer.weight_decay"}]
    assert all(e.config.model.d_model < e.config.task.p - 1 for e in (*runs.values(), *causes))
    with pytest.raises(ParameterError, match="n_layers = 0"):
        depth.depth_run(0)


def test_narrow_mlps_keep_the_residual_stream_short():
    """Length of the read-out row after four layers over that after one, fresh weights."""
    growth = {}
    for m in (24, 96):
        shape = Shape(37, d_model=24, n_layers=4, d_mlp=m)
        rows = activations(initialise(shape, 0), torch.from_numpy(ModularTask(37).pairs), shape)
        growth[m] = float(rows["MLP 4"].norm(dim=1).mean() / rows["MLP 1"].norm(dim=1).mean())
    assert growth[24] < growth[96] / 2


def made(swing: float, med: float, seeds: int = 3) -> xr.Dataset:
    """Runs that fit at step 100 and whose test accuracy then goes up and down by `swing`; MED ends at `med`."""
    train = np.where(STEPS >= 100, 1.0, 0.1)
    test = np.where(STEPS >= 100, 0.9 - swing * (np.arange(STEPS.size) % 2), 0.0)
    series = {"train_accuracy": train, "test_accuracy": test, "med": np.linspace(1, med, STEPS.size)}
    series |= {"embedding_norm": np.full(STEPS.size, 2.0)}
    data = {name: (("seed", "step"), np.tile(values, (seeds, 1))) for name, values in series.items()}
    return xr.Dataset(data, {"seed": range(seeds), "step": STEPS})


def test_a_row_holds_what_the_curve_was_made_with():
    row = depth.one_run(made(0.3, 0.5).isel(seed=0))
    assert (row["fit_step"], row["grok_step"]) == (100, None)
    assert (row["largest fall"], row["total fall"]) == pytest.approx((0.3, 0.3 * 45))
    assert (row["final MED"], row["MED over norm"], row["largest fall, training"]) == pytest.approx((0.5, 0.25, 0))


def test_a_run_that_stopped_early_is_read_at_its_last_logged_step():
    data = made(0.3, 0.01).isel(seed=0)
    assert depth.one_run(data.where(data.step <= 500))["final MED"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("swing", "verdict", "said"),
    [(lambda n: 0.2 * n, "holds", "is violent"), (lambda n: 0.2, "fails", "does not grow"),
     (lambda n: 0.001 * n, "fails", "is not violent")],
)  # fmt: skip
def test_figure_2_comes_out_either_way(swing, verdict, said):
    finding = depth.figure_2(Runs({n: made(swing(n), 1 / n) for n in depth.LAYERS}))
    assert finding.verdict == verdict and said in finding.evidence and "the final MED falls" in finding.evidence


def test_depths_are_compared_on_the_seeds_that_all_of_them_have():
    """The third seed, which one depth lacks, is left out; two common seeds decide nothing."""
    found = depth.figure_2(Runs({n: made(0.2 * n, 1 / n, 2 if n == 3 else 3) for n in depth.LAYERS}))
    assert found.verdict == UNDECIDED and "2 seeds each" in found.evidence


def test_the_small_study_is_told_and_decides_nothing():
    found = depth.figure_2(Runs({1: made(0.1, 1)} | {f"small {n}": made(0.2 * n, 1 / n) for n in (1, 2)}))
    assert found.verdict == UNDECIDED and found.evidence.startswith("at p = 37 and width 24: 1, 2 layers, 3 seeds each")
    assert depth.figure_2(Runs()).evidence.endswith("too few depths are recorded to compare them")


def test_tables_and_sentences_of_some_and_of_no_runs():
    rows = depth.summary(depth.depth_table({1: made(0.1, 1.0, 2), 3: made(0.3, 0.5, 1)}))
    assert rows["seeds"].tolist() == [2, 1]
    assert rows["fit"].tolist() == ["2 of 2 (step 100 (100 to 100))", "1 of 1 (step 100)"]
    assert rows["generalise"].tolist() == ["0 of 2", "0 of 1"]
    assert depth.summary(depth.depth_table({})).empty
    both = depth.depth_table({"a": made(0.5, 1), "b": made(0.1, 1)}, "what differs")
    assert depth.told_causes(both).startswith("a, largest fall 0.50, final test accuracy 0.40, 0 of 3 generalise; b,")
