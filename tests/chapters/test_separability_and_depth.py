"""Chapter 07: notions of separability in their order, networks in which separability says
something, depth."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
import xarray as xr

from companion.claims import Runs
from companion.claims.finding import UNDECIDED
from grokbook.curves.oscillation import falls
from grokbook.errors import ParameterError
from grokbook.measures.readout import fresh_readout, linear_probe
from grokbook.models.activations import SUM, activations
from grokbook.models.transformer import Shape, initialise
from grokbook.tasks import ModularTask
from grokbook_chapters.separability_and_depth import (
    claims,
    depth,
    networks,
    numbers,
    plan,
    runs,
)
from grokbook_chapters.separability_and_depth.separability import (
    class_separability,
    convexly_separable,
    topologically_separable,
)
from written_pages import functions, names_used

STEPS = np.arange(0, 1000, 10)


# ------------------------------------------------------------------------------------------ notions


@pytest.mark.parametrize(
    ("check", "changes", "verdict"),
    [
        # Eq. 6: simple functions are dense almost everywhere, unless the function is infinite on
        # more than a null set
        (claims.dense_simple_functions, {"f": lambda x: 1 / x}, "holds"),
        (claims.dense_simple_functions, {"f": lambda x: np.where(x < 0.5, np.inf, 1.0)}, "fails"),
        # Definition 5.1
        (claims.subspace_is_stronger, {"second": (0.0, 1.0)}, "fails"),
        (claims.subspace_is_stronger, {"second": (1.0, 0.0)}, "holds"),
        # Gu 2024, appendix C
        (claims.cited_theorems, {"few": 24}, "holds"),
        (claims.cited_theorems, {"measurements": 6}, "fails"),
    ],
)
def test_checks_come_out_either_way(check, changes, verdict):
    assert check(**changes).verdict == verdict


def test_sums_that_were_separable_would_bear_the_claim_out_and_read_outs_that_were_not_refute_it(
    elsewhere,
):
    # a point a class
    apart = {"class_sums": lambda phi: np.eye(len(phi))[:, None].repeat(len(phi), axis=1)}
    assert elsewhere(claims.read_out_is_separable, 7, 7, **apart) == "holds"
    half = {"class_separability": lambda rows, labels: SimpleNamespace(share=0.5)}
    assert elsewhere(claims.read_out_is_separable, 7, 7, **half) == "fails"


def test_where_steps_miss_the_inverse_root_is_the_closed_form():
    """1/sqrt(x) > n exactly where x < 1/n^2."""
    found = claims.dense_simple_functions(level=20)
    assert [found.value, found.numbers["later"]] == pytest.approx([1 / 400, 1 / 6400], rel=1e-3)


def test_one_missing_cell_of_two_classes_makes_their_sums_separable():
    """With p prime the 2p cells of two classes are one alternating cycle, the only affine
    dependence between them."""
    p = 11
    first, second = np.random.default_rng(0).normal(size=(2, p, 40))
    i, j = np.indices((p, p)).reshape(2, -1)
    points, labels = first[i] + second[j], (i + j) % p
    kept = np.setdiff1d(np.arange(p * p), [np.flatnonzero(labels == r)[0] for r in range(p)])
    assert class_separability(points, labels).share == 0
    assert class_separability(points[kept], labels[kept]).share == 1


def test_with_shared_tokens_the_diagonal_cell_suffices():
    """lambda_i + lambda_{r - i} = 2/p for all i: a missing cell leaves its transpose, the diagonal
    nothing."""
    p, rng = 11, np.random.default_rng(0)
    phi = rng.normal(size=(p, p + 5))
    first, second = ([phi[i] + phi[(r - i) % p] for i in range(p)] for r in (0, 1))
    apart = [
        convexly_separable(np.delete(first, cells, axis=0), second) for cells in ([0], [3], [3, 8])
    ]
    assert apart == [True, False, True]


@pytest.mark.parametrize("positional", [True, False])
@pytest.mark.parametrize("p", [11, 13])
def test_transposed_classes_are_one_set_in_the_sum_and_two_after_an_attention_with_positions(
    p, positional
):
    """Subtraction: the cells of class r are those of class -r with the operands exchanged."""
    task, shape = ModularTask(p, "subtract", 0.5), Shape(p, d_model=16, positional=positional)
    classes = (torch.from_numpy(task.tokens[task.labels == r]) for r in (3, p - 3))
    first, second = (activations(initialise(shape, 1), cells, shape) for cells in classes)
    assert not topologically_separable(first[SUM], second[SUM], tolerance=1e-5)
    apart = topologically_separable(first["attention 1"], second["attention 1"], tolerance=1e-5)
    assert apart == positional


# ----------------------------------------------------------------------------------------- networks

TASK = ModularTask(23, train_fraction=0.5, split="symmetric")


def test_a_probe_finds_the_class_in_its_indicators_and_nothing_in_noise():
    """Oracle and clock of the probe: one-hot classes score 1 on unseen cells, random rows and dealt
    labels chance."""
    rng, labels = np.random.default_rng(0), TASK.labels
    answers, noise = np.eye(23)[labels], rng.normal(size=(23**2, 16))
    seen = TASK.train_index
    assert fresh_readout(answers, labels, seen) == 1
    chance = [
        fresh_readout(noise, labels, seen),
        fresh_readout(answers, networks.wrong_labels(TASK), seen),
        fresh_readout(answers, networks.dealt_to_training_cells(TASK), seen),
    ]
    assert max(chance) < networks.NOISE


def test_without_learning_the_true_classes_separate_less_than_wrong_ones_and_a_probe_reads_nothing():
    """All classes have one common mean (chapter 3): test cells lie opposite to the training cells
    of their class."""
    task = ModularTask(23, train_fraction=0.85, split="symmetric")
    table = np.random.default_rng(1).normal(size=(23, 16))
    sums = table[task.pairs[:, 0]] + table[task.pairs[:, 1]]
    assert fresh_readout(sums, task.labels, task.train_index) < 1 / 23
    shares = [
        class_separability(sums, labels, pairs=20).share
        for labels in (task.labels, networks.wrong_labels(task))
    ]
    assert shares[0] < shares[1]


def test_pairs_do_not_tell_what_the_probe_tells():
    """Rows that hold only whether a cell was trained for its class: pairs are separable under
    either labelling."""
    rng, wrong = np.random.default_rng(0), networks.wrong_labels(TASK)
    rows = rng.normal(size=(23**2, 44))
    rows[TASK.train_index, :23] += 8 * np.eye(23)[TASK.labels[TASK.train_index]]
    shares = [class_separability(rows, labels, pairs=20).share for labels in (TASK.labels, wrong)]
    assert min(shares) > 0.9
    assert fresh_readout(rows, TASK.labels, TASK.train_index) < networks.NOISE


def test_wrong_and_dealt_labels_change_what_they_say():
    wrong, dealt = networks.wrong_labels(TASK), networks.dealt_to_training_cells(TASK)
    grid = (wrong - TASK.labels).reshape(23, 23)
    assert np.array_equal(np.flatnonzero(wrong != TASK.labels), TASK.test_index)
    assert (grid % 23 == grid.T % 23).all()
    assert np.array_equal(np.sort(dealt), np.sort(TASK.labels))
    assert (dealt[TASK.test_index] == TASK.labels[TASK.test_index]).all()
    assert (dealt == TASK.labels)[TASK.train_index].mean() < 0.2


def test_the_plan_is_probed_at_twenty_looks_and_refuses_a_wide_network():
    run = plan(31, 0.5, 16, 200, 2)["probed"]
    assert (
        run.config.log.steps(200).tolist() == list(range(0, 201, 10))
        and run.config.task.split == "symmetric"
    )
    assert run.configuration()["observed"].keys() == networks.watches().keys()
    with pytest.raises(ParameterError, match="d_model = 30 must be below p - 1"):
        plan(31, 0.5, 30, 200, 2)
    few = runs.sparse()["sparse"].config
    assert (few.task.p, few.task.train_fraction, few.model.d_model) == (59, 0.4, 32)


@pytest.mark.parametrize(("d", "low", "high"), [(8, 0, 0.1), (15, 0.25, 0.75), (28, 0.9, 1)])
def test_the_limit_is_where_half_of_all_labellings_are_separable(d, low, high):
    """Cover 1965: 32 points in general position, half of the labellings at d + 1 = 16."""
    rng = np.random.default_rng(0)
    trials = [rng.normal(size=(2, 16, d)) for _ in range(40)]
    assert low <= np.mean([convexly_separable(a, b) for a, b in trials]) <= high


def test_a_run_is_watched_at_both_stages():
    """What is watched of a network is the probe on its own rows: scores are shares, the first look
    is the start."""
    data = plan(7, 0.6, 4, 40, 2)["probed"].run(progress=False)
    found = data[list(networks.watches())].to_array()
    assert (
        found.sizes == {"variable": 8, "seed": 2, "step": 21}
        and ((found >= 0) & (found <= 1)).all()
    )
    run = plan(7, 0.6, 4, 40, 2)["probed"].config.with_seed(1)
    rows = (
        activations(initialise(run.model, 1), torch.from_numpy(run.task.tokens), run.model)["MLP 1"]
        .double()
        .numpy()
    )
    expected = fresh_readout(rows, run.task.labels, run.task.train_index)
    assert float(data.probe_mlp.sel(seed=1, step=0)) == pytest.approx(expected)


LOOKS = np.arange(0, 1001, 50)


def probed(own: int, mlp: int) -> xr.Dataset:
    """Three runs whose scores jump to 1 at these steps; what is watched besides stays at 0."""
    series = {name: np.zeros(LOOKS.size) for name in networks.watches()}
    series |= {"test_accuracy": 1.0 * (own <= LOOKS), "probe_mlp": 1.0 * (mlp <= LOOKS)}
    data = {name: (("seed", "step"), np.tile(values, (3, 1))) for name, values in series.items()}
    return xr.Dataset(data, {"seed": range(3), "step": LOOKS})


def test_a_score_is_reached_at_its_first_look_or_never():
    data = probed(500, 300)
    assert networks.reached(data.probe_mlp).tolist() == [300] * 3
    assert np.isnan(networks.reached(data.probe_attention)).all()


# -------------------------------------------------------------------------------------------- depth


def _differ(one, other):
    first, second = (e.configuration() for e in (one, other))
    parts = ("task", "model", "optimizer")
    return {
        f"{part}.{name}"
        for part in parts
        for name, v in first[part].items()
        if second[part][name] != v
    }


def test_one_thing_differs_at_a_time():
    published, small, causes = runs.fig_2()[3].config, runs.by_depth(), list(runs.causes().values())
    assert (published.task.p, published.task.shift, published.model.d_model) == (97, 97, 512)
    assert (published.model.n_layers, published.task.train_fraction) == (3, 0.3)
    assert [*small] == [*runs.LAYERS] == [e.config.model.n_layers for e in small.values()]
    assert all(_differ(small[1], small[n]) == {"model.n_layers"} for n in runs.LAYERS[1:])
    plain, clipped = runs.easier(), runs.easier(1.0)
    assert all(_differ(plain[1], plain[n]) == {"model.n_layers"} for n in (2, 3, 4))
    assert all(part.startswith("optimizer") for part in _differ(plain[4], clipped[4]))
    changed = [_differ(causes[0], other) for other in causes]
    assert changed == [
        set(),
        {"model.d_mlp"},
        {"optimizer.learning_rate"},
        {"optimizer.weight_decay"},
    ]
    assert all(e.config.model.d_model < e.config.task.p - 1 for e in (*small.values(), *causes))
    with pytest.raises(ParameterError, match="n_layers = 0"):
        runs.run(0)


def test_narrow_mlps_keep_the_residual_stream_short():
    """Length of the read-out row after four layers over that after one, fresh weights."""
    wide = depth.stream_lengths(4)
    narrow = depth.stream_lengths(1)
    assert narrow[-1] / narrow[0] < wide[-1] / wide[0] / 2


def made(swing: float, med: float, seeds: int = 3) -> xr.Dataset:
    """Runs that fit at step 100 and whose test accuracy then goes up and down by `swing`; MED ends
    at `med`."""
    train = np.where(STEPS >= 100, 1.0, 0.1)
    test = np.where(STEPS >= 100, 0.9 - swing * (np.arange(STEPS.size) % 2), 0.0)
    series = {
        "train_accuracy": train,
        "test_accuracy": test,
        "med": np.linspace(1, med, STEPS.size),
    }
    series |= {"embedding_norm": np.full(STEPS.size, 2.0)}
    data = {
        name: (("seed", "step"), np.tile(values, (seeds, 1))) for name, values in series.items()
    }
    return xr.Dataset(data, {"seed": range(seeds), "step": STEPS})


def test_a_row_holds_what_the_curve_was_made_with():
    row = depth.lives(made(0.3, 0.5)).loc[0]
    assert row["fit_step"] == 100 and row["grok_step"] is pd.NA
    ends = ["largest fall", "largest fall, training", "final MED", "MED over norm"]
    assert row[ends].tolist() == pytest.approx([0.3, 0, 0.5, 0.25])


def test_a_run_that_stopped_early_is_read_at_its_last_logged_step():
    data = made(0.3, 0.01)
    assert depth.lives(data.where(data.step <= 500))["final MED"].tolist() == pytest.approx(
        [0.5] * 3
    )


def judged(check, found):
    """What a check finds of datasets by depth, or by study and depth."""
    return check(Runs({at: depth.lives(data) for at, data in found.items()}))


@pytest.mark.parametrize(
    ("swing", "med", "verdict"),
    [
        (lambda n: 0.2 * n, lambda n: 1 / n, "holds"),
        (lambda n: 0.2, lambda n: 1 / n, "fails"),
        (lambda n: 0.001 * n, lambda n: 1 / n, "fails"),
        (lambda n: 0.2 * n, lambda n: n, "fails"),
        (lambda n: [0, 0.1, 0.4, 0.3, 0.5][n], lambda n: 1 / n, "holds with correction"),
    ],
    ids=["as printed", "does not grow", "is not violent", "MED grows", "at the last depth alone"],
)
def test_figure_2_comes_out_either_way(swing, med, verdict):
    """A study of another size is told and decides nothing."""
    found = {n: made(swing(n), med(n)) for n in runs.LAYERS}
    assert judged(claims.figure_2, found).verdict == verdict
    between = judged(claims.figure_2, {(runs.BETWEEN, n): run for n, run in found.items()})
    assert between.verdict == UNDECIDED
    assert between.evidence.startswith(f"at {runs.BETWEEN}: 1, 2, 3, 4 layers, 3 seeds each")


def test_depths_that_are_alike_are_told_apart_in_few_draws():
    """Gu et al. 2025, Fig. 2: of 400 draws in which depth does nothing, with a correction or
    without. Exact: one of 24 orders and, with the correction, one of 20 groupings, which leaves at
    most 0.09; for falls and MED at once far less.
    """
    rng = np.random.default_rng(0)
    lives = depth.lives(made(0.2, 1.0))
    columns = ["largest fall", "final MED", "highest test accuracy"]
    borne = []
    for _ in range(400):
        tables = {}
        for n in runs.LAYERS:
            tables[n] = lives.copy()
            for name in columns:
                tables[n][name] = rng.uniform(0.2, 1, 3)
        scarce = {(runs.SCARCE, n): table for n, table in tables.items()}
        checks = (claims.figure_2, tables), (claims.diminishes, tables), (claims.diminishes, scarce)
        borne.append([check(Runs(rows)).verdict.startswith("holds") for check, rows in checks])
    both, *one = np.sum(borne, axis=0)
    assert both <= 8 <= min(one) and max(one) <= 48


@pytest.mark.parametrize(
    ("level", "seeds", "verdict"),
    [
        (lambda n: 1 / n, 3, "holds"),
        (lambda n: 0.5, 3, "fails"),
        (lambda n: n / 4, 3, "fails"),
        (lambda n: [0, 0.9, 0.4, 0.5, 0.3][n], 3, "holds with correction"),
        (lambda n: 1 / n, 2, UNDECIDED),
    ],
)
def test_grokking_diminishes_with_depth_or_does_not(level, seeds, verdict):
    """Runs that reach less at every layer bear it out, runs that reach the same or more do not."""
    found = {n: made(0.0, 1.0, seeds) for n in runs.LAYERS}
    found = {n: run.assign(test_accuracy=run.test_accuracy * level(n)) for n, run in found.items()}
    assert judged(claims.diminishes, found).verdict == verdict
    between = judged(claims.diminishes, {(runs.BETWEEN, n): run for n, run in found.items()})
    assert between.verdict == UNDECIDED
    scarce = {(runs.SCARCE, n): run for n, run in found.items()}
    few = judged(
        claims.diminishes, scarce | {(runs.BETWEEN, n): made(0.0, 1.0) for n in runs.LAYERS}
    )
    assert few.verdict == ("holds with correction" if "holds" in verdict else UNDECIDED)
    assert f"; at {runs.BETWEEN} 0.90, 0.90, 0.90, 0.90 (" in few.evidence


def test_a_depth_with_two_seeds_leaves_it_open():
    found = judged(
        claims.figure_2, {n: made(0.2 * n, 1 / n, 2 if n == 3 else 3) for n in runs.LAYERS}
    )
    assert found.verdict == UNDECIDED and "2 seeds each" in found.evidence


def test_an_accuracy_near_zero_has_no_room_to_fall():
    """A curve that swings over all of its range passes the test where it has the range, and is not
    judged without."""
    low = {n: made(0.05, 1 / n) for n in runs.LAYERS}
    for data in low.values():
        data["test_accuracy"] = (data.test_accuracy - 0.85).clip(0)
    assert judged(claims.figure_2, low).verdict == UNDECIDED


def test_the_small_study_is_told_and_decides_nothing():
    between, first, *_, last = runs.STUDIES
    small = {(last, n): made(0.2 * n, 1 / n) for n in (1, 2)}
    found = judged(claims.figure_2, {1: made(0.1, 1)} | small | {(first, 1): made(0.1, 1)})
    assert found.verdict == UNDECIDED and found.evidence.startswith(
        f"at {last}: 1, 2 layers, 3 seeds each"
    )
    both = judged(
        claims.figure_2, small | {(between, n): made(0.2 * n, 1 / n) for n in runs.LAYERS}
    )
    assert both.verdict == UNDECIDED and both.evidence.startswith(
        f"at {between}: 1, 2, 3, 4 layers"
    )
    assert claims.figure_2(Runs()).evidence.startswith("too few depths")


# ----------------------------------------------------------------------------------------- the page


@pytest.mark.parametrize(("own", "mlp", "first"), [(500, 300, True), (300, 500, False)])
def test_the_numbers_of_the_prose_follow_the_probed_runs(own, mlp, first):
    found = numbers(probed(own, mlp))
    assert found["probe_fair"].holds and found["not_linear_yet"].holds
    assert (found["probe_first"].holds, found["lead"].value) == (first, own - mlp)
    assert found["pairs_blind"].holds  # none is separable, nor with wrong classes
    assert found["networks"] == "3 networks" and found["probe_attention"] == "0%"
    assert (found["live_right"], found["probe_mlp"]) == ("100%", "100%")
    assert found.keys() | {"modulus"} == names_used("07")


def test_functions_of_the_page_are_the_library_s():
    probe, own_falls = functions("07", "probe", "falls")
    rows = np.random.default_rng(0).normal(size=(23**2, 12)) + np.eye(23)[TASK.labels, :12]
    expected = linear_probe(rows, TASK.labels, TASK.train_index)
    assert np.array_equal(probe(rows, TASK.labels, TASK.train_index), expected)
    curve = np.random.default_rng(0).uniform(size=30).round(2)
    assert own_falls(curve) == pytest.approx((falls(curve).largest, falls(curve).total))
