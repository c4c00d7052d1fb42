"""Chapter 03: its plan, checks in other worlds, tables of trained embeddings, and figures."""

import dataclasses

import numpy as np
import pytest
import torch
import xarray as xr
from matplotlib.figure import Figure

from companion.claims import Runs
from grokbook.errors import ParameterError
from grokbook.theory.one_frequency import circle, products
from grokbook.theory.uniformity import class_sums, closeness, common_point
from grokbook.training.watching import View
from grokbook_chapters.uniformity import claims, figures, maps, numbers, plan, runs, trained
from grokbook_chapters.uniformity.class_shares import label_share
from grokbook_chapters.uniformity.minimal_map import smallest_map
from written_pages import functions, names_used

GOOD = {"p_recorded": 97, "p_other": 47, "n_seeds": 5}


def test_the_plan_asks_for_the_runs_of_figure_5():
    planned = plan(**GOOD).values()
    assert {e.name for e in planned} == {"gu2025/fig5[p=97]", "gu2025/fig5[p=47]"}
    assert all(e.seeds == (0, 1, 2, 3, 4) and not e.missing_seeds() for e in planned)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"p_other": 97}, "two different moduli"),
        ({"n_seeds": 0}, "n_seeds = 0"),
    ],
)
def test_inconsistent_parameters_are_refused(change, words):
    with pytest.raises(ParameterError, match=words):
        plan(**(GOOD | change))


def changed(**parts):
    """`closeness` with other parts: a function of the embedding and of what is found for it."""

    def found(phi):
        real = closeness(phi)
        return dataclasses.replace(real, **{name: part(real) for name, part in parts.items()})

    return found


LEAST = {"printed_norm": lambda x, r: smallest_map(x, r).norm}
INFINITE = changed(deltas=lambda real: np.full_like(real.deltas, np.inf))
SMALL = changed(deltas=lambda real: 0.1 * real.deltas)

WORLDS = [
    (maps.block_is_additive, (), "holds", {"splitting_error": lambda *args: 0.0}),
    (claims.sums_in_balls, (5,), "fails", {"closeness": INFINITE}),
    (
        claims.sums_in_small_balls,
        (97, 5),
        "holds",
        {"closeness": SMALL, "circle_delta": lambda p: 0.1},
    ),
    (claims.bound_on_med, (11,), "fails", {"med": lambda t: np.inf}),
    (maps.minimum_is_a_manifold, (5, 4, 3), "holds", LEAST),
]


@pytest.mark.parametrize(("claim", "args", "verdict", "world"), WORLDS)
def test_a_check_comes_out_otherwise_in_another_world(claim, args, verdict, world, elsewhere):
    assert elsewhere(claim, *args, **world) == verdict


def test_med_falls_in_every_descent_and_so_does_the_diameter():
    paths = maps.descents(5, 4, 3).set_index(["step", "draw"]).drop(columns="norm")
    assert (paths.loc[200] < paths.loc[0]).all(axis=None)


I = np.arange(7.0)
CALLS = [
    (
        claims.close_exactly_if_equivalent,
        (7, False),
        "holds",
    ),  # Remark 3.6 on i + j without mod p: the line has it
    (claims.close_exactly_if_equivalent, (7,), "fails"),
    (
        claims.additive_targets,
        (7, np.add.outer(I, I * I)[..., None], (7,)),
        "holds",
    ),  # f(i) + g(j) is explained
    (
        claims.additive_targets,
        (7, np.eye(7)[np.maximum.outer(range(7), range(7))], (7,)),
        "holds",
    ),  # max(i, j) in part
]


def test_descent_lowers_the_norm_to_that_of_one_point():
    """The gradient by differences: moving x along it by a little lowers the norm by what the
    weights say."""
    x = np.random.default_rng(0).normal(size=(7, 4)) + 1
    path = maps.descend(x, 300)
    norms = np.array([smallest_map(y, [1.0]).norm for y in path])
    assert (np.diff(norms) <= 1e-9).all() and norms[-1] == pytest.approx(0.5, abs=1e-3)
    assert np.linalg.norm(path, axis=2) == pytest.approx(1)


def test_shuffled_labels_are_fitted_better_than_sums():
    """Same cells, same number of each label: what is left is the rule, which no additive network
    can use."""
    real, dealt = (
        claims.splits_fitted(37, seeds=2, shuffled=shuffled) for shuffled in (False, True)
    )
    assert max(f.trained for f in real) < min(f.trained for f in dealt)
    assert all(f.unseen == 0 for f in real)


@pytest.mark.parametrize(("claim", "args", "verdict"), CALLS)
def test_a_check_comes_out_either_way_on_other_cases(claim, args, verdict):
    assert claim(*args).verdict == verdict


def embedded(p: int, first: float, last: float) -> xr.Dataset:
    """Two networks whose embedding goes from noise to a circle of frequency 2, with these accuracies
    at the ends of the second; the first generalises."""
    noise = np.random.default_rng(0).normal(size=(2, p, 6))
    ring = np.pad(circle(p, 2), ((0, 0), (0, 4)))
    tables = np.stack([noise, np.stack([ring, ring])], axis=1)
    accuracies = np.array([[0.1, 0.5, 1.0], [first, 0.5, last]])
    return xr.Dataset(
        {
            "embedding": (("seed", "snapshot", "token", "feature"), tables),
            "test_accuracy": (("seed", "step"), accuracies),
        },
        {"seed": [0, 1], "snapshot": [0, 100], "step": [0, 50, 101]},
    )


def test_sums_carry_nothing_and_products_of_a_circle_everything():
    runs = {7: embedded(7, 0.2, np.nan), 11: embedded(11, 0.2, 0.4)}
    table = trained.embedding_shares(runs)
    assert table.modulus.value_counts().to_dict() == {7: 4, 11: 4}
    assert table.sums.max() < 1e-12
    table = table[table.modulus == 7]
    assert table[table.step == 100]["products"].to_numpy() == pytest.approx(1)
    assert table[table.step == 0]["products"].max() < 0.95
    assert table[table.seed == 0].test_accuracy.tolist() == [0.1, 1.0]


def test_the_numbers_of_the_prose_follow_the_runs():
    """Modulus 11: the ring is there at the last step, where the second network answers 0.4."""
    pair = {7: embedded(7, 0.2, 0.3), 11: embedded(11, 0.2, 0.4)}
    shares = trained.embedding_shares(pair)
    fits = claims.best_fits([7, 37], seeds=1)
    written = numbers(13, 1, shares, fits, maps.descents(5, 4, 2, 100))
    assert written["ball_radius"] == "1.97"
    assert (written["fit_small"], written["fit_modulus"]) == (7, 37)
    assert (written["n_learned"], written["n_runs"], written["n_first"]) == (1, 2, 2)
    assert (written["n_early"], written["n_early_other"]) == (0, 1)
    assert written["share_learned"].value == pytest.approx(1)
    assert not written["products_first"].holds and written["products_do_not_tell"].holds
    assert written["cannot_fit"].holds and written["rule_is_harder"].holds
    assert written["descents_fall"] == written["descents"] == 2
    assert written.keys() == names_used("03")


def test_the_functions_of_the_page_are_the_library_s():
    """Equations (3.1) and (3.7), and the common point, as the page writes them in sight."""
    product, means, share = functions("03", "products", "class_means", "class_share")
    plane = circle(7, 2)
    assert product(plane[3], plane[5]) == pytest.approx(products(plane)[3, 5], abs=1e-12)
    phi = np.random.default_rng(0).normal(size=7)
    assert means(phi) == pytest.approx(common_point(phi[:, None])[0])
    by_class = class_sums(phi[:, None], phi[::-1, None] ** 2)[..., 0] ** 2
    labels = np.repeat(np.arange(7), 7)
    assert share(by_class) == pytest.approx(label_share(by_class.reshape(49, 1), labels))


def curves(test: float, after: float, seeds: int = 3) -> xr.Dataset:
    """Runs that fit at step 20 and end with this test accuracy and this share after the MLP; other
    shares are 0.05."""
    ones, step = np.ones((seeds, 12)), np.arange(12) * 20
    rise = np.where(step < 100, 0.1, 1.0)
    flat = dict.fromkeys(runs.WATCHED, 0.05 * ones)
    named = {
        "train_accuracy": np.where(step < 20, 0.1, 1.0) * ones,
        "test_accuracy": test * rise * ones,
    }
    named |= flat | {"share_mlp": (0.1 + (after - 0.1) * (step >= 100)) * ones}
    return xr.Dataset(
        {n: (("seed", "step"), v) for n, v in named.items()}, {"seed": range(seeds), "step": step}
    )


@pytest.mark.parametrize(
    ("test", "after", "idle", "verdict"),
    [
        (1.0, 0.9, 0.05, "holds with correction"),
        (1.0, 0.05, 0.05, "undecided"),
        (1.0, 0.4, 0.05, "undecided"),
        (1.0, 0.9, 0.8, "undecided"),
        (0.5, 0.9, 0.05, "undecided"),
    ],
)
def test_deeper_layers_hold_only_where_the_classes_come_together_in_runs_that_learn(
    test, after, idle, verdict
):
    """G54: a clock, which rises in runs that memorise as well, leaves it open; so do runs that do
    not generalise. The size is ours, so that nothing is refuted."""
    made = {
        "learned": trained.share_table(curves(test, after)),
        "memorised": trained.share_table(curves(0.1, idle)),
    }
    assert trained.deeper_layers(Runs(made)).verdict == verdict


def test_the_share_of_unseen_cells_passes_an_oracle_and_not_chance(monkeypatch):
    """One-hot labels as the stage: share 1; with the labels of other cells about (C - 1)/(n - 1) of
    n cells."""
    config = runs.deeper(1)["learned"].config
    view = View(config, config.model.draw(0))
    rows = torch.nn.functional.one_hot(torch.as_tensor(config.task.labels[config.task.test_index]))
    assert all(0 < watch(view) < 0.15 for watch in runs.WATCHED.values())
    monkeypatch.setattr(runs, "activations", lambda weights, inputs, model: {"MLP 1": rows})
    assert runs.unseen_share(view, "MLP 1") == pytest.approx(1)
    assert runs.unseen_share(view, "MLP 1", shuffled=True) == pytest.approx(
        46 / (len(rows) - 1), rel=0.3
    )


def test_three_classes_are_marked_among_all_points():
    """Products of a circle: a marked class is one point, and all p * p points are there."""
    plane, ax = circle(7, 1), Figure().add_subplot()
    by_class = products(plane)[np.arange(7)[None], (np.arange(7)[:, None] - np.arange(7)) % 7]
    assert figures.scatter(ax, by_class, "products") == (0, 2, 4)
    everything, *marked = ax.lines
    assert len(everything.get_xydata()) == 49 and len({line.get_marker() for line in marked}) == 3
    assert all(np.ptp(line.get_xydata(), axis=0).max() < 1e-9 for line in marked)
