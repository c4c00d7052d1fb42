"""Chapter 07: notions of separability in their order, networks in which separability says something, depth."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import xarray as xr

from grokbook.chapters.separability_and_depth import depth, networks, notions, plan, words
from grokbook.claims import Runs
from grokbook.claims.finding import UNDECIDED
from grokbook.errors import ParameterError
from grokbook.measures import class_separability, convexly_separable, separate
from grokbook.models.activations import activations
from grokbook.models.transformer import Shape, initialise
from grokbook.tasks import ModularTask

STEPS = np.arange(0, 1000, 10)
TRIANGLE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


# ------------------------------------------------------------------------------------------------------- notions


@pytest.mark.parametrize(
    ("check", "changes", "verdict"),
    [
        # Eq. 6: simple functions are dense almost everywhere, unless the function is infinite on more than a null set
        (notions.dense_simple_functions, {}, "holds"),
        (notions.dense_simple_functions, {"f": lambda x: 1 / x}, "holds"),
        (notions.dense_simple_functions, {"f": lambda x: np.where(x < 0.5, np.inf, 1.0)}, "fails"),
        # Definition 5.1
        (notions.subspace_is_stronger, {"second": (0.0, 1.0), "trials": 20}, "fails"),
        (notions.subspace_is_stronger, {"second": (1.0, 0.0), "trials": 20}, "holds"),
        (notions.read_out_is_separable, {}, "vacuous"),
        # Gu 2024, appendix C
        (notions.cited_theorems, {}, "holds with correction"),
        (notions.cited_theorems, {"few": 24}, "holds"),
        (notions.cited_theorems, {"measurements": 6}, "fails"),
        (notions.sparse_means_periodic, {}, "vacuous"),
        (notions.sparse_means_periodic, {"values": np.cos(2 * np.pi * 5 * np.arange(97) / 97)}, "holds"),
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


def test_where_steps_miss_the_inverse_root_is_the_closed_form():
    """1/sqrt(x) > n exactly where x < 1/n^2; the tail above n has integral 1/n, the steps add at most 2^-n."""
    found = notions.dense_simple_functions(level=20)
    assert found.value == pytest.approx(1 / 400, rel=1e-3) and found.low == pytest.approx(1 / 6400, rel=1e-3)
    assert found.numbers["mean"] == pytest.approx(1 / 20, abs=1e-4)


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


def test_with_shared_tokens_the_diagonal_cell_suffices():
    """lambda_i + lambda_{r - i} = 2/p for all i: a missing cell leaves its transpose, the diagonal nothing."""
    p, rng = 11, np.random.default_rng(0)
    phi = rng.normal(size=(p, p + 5))
    first, second = ([phi[i] + phi[(r - i) % p] for i in range(p)] for r in (0, 1))
    apart = [convexly_separable(np.delete(first, cells, axis=0), second) for cells in ([0], [3], [3, 8])]
    assert apart == [True, False, True]


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

TASK = ModularTask(23, train_fraction=0.5, split="symmetric")


def test_a_probe_finds_the_class_in_its_indicators_and_nothing_in_noise():
    """Oracle and clock of the probe: one-hot classes score 1 on unseen cells, random rows and dealt labels chance."""
    rng, labels = np.random.default_rng(0), TASK.labels
    answers, noise = np.eye(23)[labels], rng.normal(size=(23**2, 16))
    assert networks.probe_score(answers, TASK, labels, labels) == 1
    chance = [
        networks.probe_score(noise, TASK, labels, labels),
        networks.probe_score(answers, TASK, labels, networks.wrong_labels(TASK)),
        networks.probe_score(answers, TASK, networks.dealt_labels(TASK), labels),
    ]
    assert max(chance) < networks.NOISE


def test_without_learning_the_true_classes_separate_less_than_wrong_ones_and_a_probe_reads_nothing():
    """All classes have one common mean (chapter 3): test cells lie opposite to the training cells of their class."""
    task = ModularTask(23, train_fraction=0.85, split="symmetric")
    table = np.random.default_rng(1).normal(size=(23, 16))
    sums = table[task.pairs[:, 0]] + table[task.pairs[:, 1]]
    assert networks.probe_score(sums, task, task.labels, task.labels) < 1 / 23
    shares = [class_separability(sums, labels, pairs=20).share for labels in (task.labels, networks.wrong_labels(task))]
    assert shares[0] < shares[1]


def test_pairs_do_not_tell_what_the_probe_tells():
    """Rows that hold only whether a cell was trained for its class: pairs are separable under either labelling."""
    rng, wrong = np.random.default_rng(0), networks.wrong_labels(TASK)
    rows = rng.normal(size=(23**2, 44))
    rows[TASK.train_index, :23] += 8 * np.eye(23)[TASK.labels[TASK.train_index]]
    shares = [class_separability(rows, labels, pairs=20).share for labels in (TASK.labels, wrong)]
    assert min(shares) > 0.9
    assert networks.probe_score(rows, TASK, TASK.labels, TASK.labels) < networks.NOISE


def test_wrong_and_dealt_labels_change_what_they_say():
    wrong, dealt = networks.wrong_labels(TASK), networks.dealt_labels(TASK)
    grid = (wrong - TASK.labels).reshape(23, 23)
    assert np.array_equal(np.flatnonzero(wrong != TASK.labels), TASK.test_index)
    assert (grid % 23 == grid.T % 23).all()
    assert np.array_equal(np.sort(dealt), np.sort(TASK.labels))
    assert (dealt[TASK.test_index] == TASK.labels[TASK.test_index]).all()
    assert (dealt == TASK.labels)[TASK.train_index].mean() < 0.2


def test_the_plan_is_probed_at_twenty_looks_and_refuses_a_wide_network():
    run = plan(31, 0.5, 16, 200, 2)["probed"]
    assert run.config.log.steps(200).tolist() == list(range(0, 201, 10)) and run.config.task.split == "symmetric"
    assert run.configuration()["observed"].keys() == networks.watches().keys()
    with pytest.raises(ParameterError, match="d_model = 30 must be below p - 1"):
        plan(31, 0.5, 30, 200, 2)
    few = networks.sparse()["sparse"].config
    assert (few.task.p, few.task.train_fraction, few.model.d_model) == (59, 0.4, 32)


@pytest.mark.parametrize(("d", "low", "high"), [(8, 0, 0.1), (15, 0.25, 0.75), (28, 0.9, 1)])
def test_the_limit_is_where_half_of_all_labellings_are_separable(d, low, high):
    """Cover 1965: 32 points in general position, half of the labellings at d + 1 = 16."""
    rng = np.random.default_rng(0)
    trials = [rng.normal(size=(2, 16, d)) for _ in range(40)]
    assert low <= np.mean([convexly_separable(a, b) for a, b in trials]) <= high


def test_a_run_is_watched_at_both_stages():
    """What is watched of a network is the probe on its own rows: scores are shares, the first look is the start."""
    data = plan(7, 0.6, 4, 40, 2)["probed"].run(progress=False)
    found = data[list(networks.watches())].to_array()
    assert found.sizes == {"variable": 8, "seed": 2, "step": 21} and ((found >= 0) & (found <= 1)).all()
    run = plan(7, 0.6, 4, 40, 2)["probed"].config.with_seed(1)
    rows = activations(initialise(run.model, 1), torch.from_numpy(run.task.pairs), run.model)["MLP 1"].double().numpy()
    expected = networks.probe_score(rows, run.task, run.task.labels, run.task.labels)
    assert float(data.probe_mlp.sel(seed=1, step=0)) == pytest.approx(expected)


LOOKS = np.arange(0, 1001, 50)


def probed(own: int, mlp: int, attention: int = 5000, end: float = 1.0, wrong: float = 1.0) -> xr.Dataset:
    """Three runs that fit at step 100 and whose scores jump to `end` at these steps (or never)."""
    jumps = {"test_accuracy": own, "probe_mlp": mlp, "probe_attention": attention}
    series = {name: np.where(at <= LOOKS, end, 0.0) for name, at in jumps.items()}
    series["train_accuracy"] = 1.0 * (LOOKS >= 100)
    series |= dict.fromkeys(("probe_wrong", "probe_dealt"), np.full(LOOKS.size, 0.02))
    series |= dict.fromkeys(("pairs_attention", "pairs_mlp"), np.ones(LOOKS.size))
    series |= dict.fromkeys(("pairs_attention_wrong", "pairs_mlp_wrong"), np.full(LOOKS.size, wrong))
    data = {name: (("seed", "step"), np.tile(values, (3, 1))) for name, values in series.items()}
    return xr.Dataset(data, {"seed": range(3), "step": LOOKS})


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (probed(500, 450), "one half 50 steps before the network's own answers"),
        (probed(800, 300), "one half 500 steps before the network's own answers"),
        (probed(300, 800), "one half 500 steps after the network's own answers"),
        (probed(500, 500, 400), "the rule is linear already"),
        (probed(500, 450), "the rule is not linear yet"),
        (probed(500, 450, end=0.1), "there is little of the rule to be read"),
        (probed(500, 5000), "The probe fails a control"),
    ],
)
def test_the_sentence_is_that_of_what_came_out(data, said):
    assert said in networks.told(data)


def test_pairs_are_told_beside_their_null():
    assert "there are at least as many, 100% and 100%" in networks.told_pairs(probed(500, 500))
    assert "there are nearly as many" in networks.told_pairs(probed(500, 500, wrong=0.95))
    assert "there are fewer, 20% and 20%" in networks.told_pairs(probed(500, 500, wrong=0.2))
    assert "has not been recorded" in networks.told_sparse({})
    assert "(networks: 3)" in networks.told_sparse({"sparse": probed(500, 500)})


def test_scores_at_three_times():
    table = networks.scores(probed(500, 300))
    assert table.loc["the network itself (oracle)"].tolist() == [0, 0, 1, "500 (3 of 3)"]
    assert table.loc["probe after the attention", "one half"] == "never"


def test_every_series_is_a_line_of_the_figure():
    left, right = networks.pairs_and_probe(probed(500, 300)).axes
    assert (len(left.lines), len(right.lines)) == (4 * 4, 4 * 4)
    assert [len(ax.get_legend().get_texts()) for ax in (left, right)] == [4, 4]


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
    assert finding.verdict == verdict and said in finding.evidence and "The final MED falls" in finding.evidence


@pytest.mark.parametrize(
    ("level", "seeds", "verdict"),
    [(lambda n: 1 / n, 3, "holds"), (lambda n: 0.5, 3, "fails"), (lambda n: n / 4, 3, "fails"),
     (lambda n: [0, 0.9, 0.4, 0.5, 0.3][n], 3, UNDECIDED), (lambda n: 1 / n, 2, UNDECIDED)],
)  # fmt: skip
def test_grokking_diminishes_with_depth_or_does_not(level, seeds, verdict):
    """Runs that reach less at every layer bear it out, runs that reach the same or more do not."""
    runs = {n: made(0.0, 1.0, seeds) for n in depth.LAYERS}
    runs = {n: run.assign(test_accuracy=run.test_accuracy * level(n)) for n, run in runs.items()}
    assert depth.diminishes(Runs(runs)).verdict == verdict
    small = depth.diminishes(Runs({("p = 37, 60 % trained", n): run for n, run in runs.items()}))
    assert small.verdict == UNDECIDED and small.evidence.startswith("at p = 37, 60 % trained, width 24: the highest")
    said = words.best(depth.depth_table(runs), 2_000)
    assert ("is what these runs show by step 2,000, in medians of" in said) == (verdict == "holds")


def test_depths_are_compared_on_the_seeds_that_all_of_them_have():
    """The third seed, which one depth lacks, is left out; two common seeds decide nothing."""
    found = depth.figure_2(Runs({n: made(0.2 * n, 1 / n, 2 if n == 3 else 3) for n in depth.LAYERS}))
    assert found.verdict == UNDECIDED and "2 seeds each" in found.evidence


def test_an_accuracy_near_zero_has_no_room_to_fall():
    """A curve that swings over all of its range passes the test where it has the range, and is not judged without."""
    low = {n: made(0.05, 1 / n) for n in depth.LAYERS}
    for data in low.values():
        data["test_accuracy"] = (data.test_accuracy - 0.85).clip(0)
    found = depth.figure_2(Runs(low))
    assert found.verdict == UNDECIDED and "without room to be violent" in found.evidence


def test_what_the_papers_print_stands_beside_the_runs():
    table = depth.beside(depth.depth_table({1: made(0.1, 1.0), 2: made(0.3, 0.5)}))
    assert list(table.index) == ["1 layer", "2 layers", "largest fall, by layers", "final MED, by layers"]
    assert table["here"].tolist()[:2] == ["all 3 fit, none of 3 generalise"] * 2
    assert table["here"].tolist()[2:] == ["1: 0.100; 2: 0.300", "1: 1.000; 2: 0.500"]


def test_the_easier_study_differs_in_what_it_says():
    """Every depth has what it needs: more is trained, for longer; the clipped runs differ in the optimiser alone."""
    plain, clipped = depth.easier(), depth.easier(1.0)
    config = plain[4].config
    assert (config.task.p, config.task.train_fraction, config.model.d_model, config.steps) == (31, 0.8, 24, 6000)
    assert plain[4].seeds == tuple(range(5))
    assert all(_differ(plain[1], plain[n]) == {"model.n_layers"} for n in (2, 3, 4))
    assert (config.optimizer.learning_rate, clipped[4].config.optimizer.learning_rate) == (1e-3, 1e-3)
    assert clipped[4].config.optimizer.largest == 1 and clipped[4].config.model == config.model


def test_panels_are_of_what_is_recorded():
    first, clipped, last = depth.studies()
    recorded = {first: {1: "a", 2: "b"}, clipped: {2: "c"}, last: {1: "d"}}
    assert depth.panels_of(recorded, first) == {"1 layer": "a", "2 layers": "b", "2 layers, clipped": "c"}
    assert depth.panels_of(recorded, last) == {"1 layer": "d"}


def test_the_small_study_is_told_and_decides_nothing():
    first, *_, last = depth.studies()
    small = {(last, n): made(0.2 * n, 1 / n) for n in (1, 2)}
    found = depth.figure_2(Runs({1: made(0.1, 1)} | small | {(first, 1): made(0.1, 1)}))
    assert found.verdict == UNDECIDED and found.evidence.startswith(f"at {last}, width 24: 1, 2 layers, 3 seeds each")
    both = depth.figure_2(Runs(small | {(first, n): made(0.2 * n, 1 / n) for n in (1, 2, 3)}))
    assert both.verdict == UNDECIDED and both.evidence.startswith(f"at {first}, width 24: 1, 2, 3 layers")
    assert depth.figure_2(Runs()).evidence.endswith("Too few depths are recorded to compare them.")


def test_tables_and_sentences_of_some_and_of_no_runs():
    rows = depth.summary(depth.depth_table({1: made(0.1, 1.0, 2), 3: made(0.3, 0.5, 1)}))
    assert rows["seeds"].tolist() == [2, 1]
    assert rows["fit"].tolist() == ["2 of 2 (step 100 (100 to 100))", "1 of 1 (step 100)"]
    assert rows["generalise"].tolist() == ["0 of 2", "0 of 1"]
    assert depth.summary(depth.depth_table({})).empty
    both = depth.depth_table({"a": made(0.5, 1), "b": made(0.1, 1)}, "what differs")
    assert words.told_causes(both).startswith("a: largest fall 0.50, final test accuracy 0.40, none of 3 gen")


def test_the_training_accuracy_tells_whether_the_seeds_mix():
    def unsteady(low: float) -> xr.Dataset:
        run = made(0.1, 1.0)
        return run.assign(train_accuracy=run.train_accuracy.where(run.step != 500, low))

    def said(**lows: float) -> str:
        runs = {"as they are": unsteady(0.5)} | {name: unsteady(low) for name, low in lows.items()}
        return words.told_training(depth.depth_table(runs, "what differs"))

    assert "each change lessens this oscillation, and none removes it" in said(a=0.9, b=0.8)
    assert "goes below 0.05" in said(a=0.9)
    assert "Below every run as they are: a." in said(a=0.9, b=0.5) and "as they are: none." in said(b=0.1)


@pytest.mark.parametrize(
    ("med", "norm", "said"),
    [(lambda n: 1 / n, lambda n: 1 / n, "has shrunk"), (lambda n: 1 / n, lambda n: 1, "both fall"),
     (lambda n: n, lambda n: 1, "does not fall")],
)  # fmt: skip
def test_med_is_held_against_the_norm(med, norm, said):
    runs = {n: made(0.1, med(n)) for n in (1, 2)}
    runs = {n: run.assign(embedding_norm=run.embedding_norm * norm(n)) for n, run in runs.items()}
    assert said in words.shrunk(depth.depth_table(runs))


def test_studies_that_are_not_run_are_told_with_their_cost():
    first, clipped, last = depth.studies()
    said = words.others(dict.fromkeys((first, clipped, last), depth.depth_table({})), last)
    assert said.startswith(f"Not run: the same at {first} and at {clipped}; ")
    there = words.others({first: depth.depth_table({1: made(0.1, 1.0)}), last: depth.depth_table({})}, last)
    assert there.startswith(f"At {first}. By step 6,000 at {first}, width 24, with 1 layer all 3 fit")
    assert "Not run" not in there
