"""Chapter 16: its runs and records, checks in other worlds, the table's arithmetic, dropped nodes,
figures."""

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.claims import Runs
from grokbook.plotting.style import COLOURS
from grokbook_chapters.algebraic_solutions import claims, figures, numbers, plan, runs, trained
from grokbook_chapters.algebraic_solutions import semiring as sr
from grokbook_chapters.algebraic_solutions.hidden_nodes import (
    FOUR,
    OPPOSED,
    OTHER,
    SYNCED,
    frequency_table,
    orders,
)
from written_pages import functions, names_used


def network(d: int = 7, spare: int = 2) -> tuple[dict[str, torch.Tensor], np.ndarray]:
    """The parameters and waves of a network without loss on one-hot answers, with nodes of little
    weight behind it."""
    made = (2 * d) ** (-1 / 3) * sr.order_four_six_solution(d)
    small = 0.001 * sr.Solution(np.concatenate([sr.identity(d).z] * spare, axis=2))
    made = made + small
    a, b, c = (torch.from_numpy(w) for w in made.weights())
    return {"W_E": torch.cat([a, b]), "W_U": c}, made.z


def test_the_run_of_the_page_is_the_sweep_s():
    config = plan(11, 32, 1e-4, 0.8, 200)["live"].config
    assert (config.model.width, config.optimizer.weight_decay, config.n_train) == (32, 1e-4, 97)


def test_a_record_of_its_nodes_gives_orders_and_kinds_again():
    made = sr.order_four_six_solution(11, k0=3)
    a, b, c = map(torch.from_numpy, made.weights())
    solved = {"W_E": torch.cat([a, b]), "W_U": c}
    assert np.allclose(runs.waves_of(solved), made.z)
    kept = runs.at_the_end(runs.cogo_run(11, 22, 1), solved)
    again = runs.recorded_waves(kept, 11)
    pd.testing.assert_frame_equal(
        frequency_table(again).drop(columns="error"), frequency_table(made.z).drop(columns="error")
    )
    assert kept.node_rest.values.max() < 1e-6 and kept.sizes == {"layer": 3, "node": 22, "part": 2}


def test_a_run_is_watched_and_its_table_has_a_row_a_frequency_and_seed():
    solved = runs.solved("made/up", runs.cogo_run(5, 8, 30), 1)
    run = solved.run((0, 3), progress=False, device="cpu")
    assert "weights" not in run and run.node_wave.shape == (2, 3, 8, 2)
    table = runs.frequency_tables(run)
    assert table.groupby("seed").frequency.apply(list).to_dict() == {0: [1, 2], 3: [1, 2]}
    for seed in (0, 3):
        again = orders(runs.recorded_waves(run.sel(seed=seed), 5))
        assert again.sum() <= run.waves.sel(seed=seed).values[-1]


def test_the_table_s_runs_have_the_settings_of_the_sweep():
    for p, run in runs.cogo_table().items():
        config = run.config
        assert (config.model.width, config.steps, config.optimizer.learning_rate) == (
            512,
            10_000,
            0.01,
        )
        assert config.optimizer.weight_decay == 5e-5 and config.loss == "centred_squared_error"
        assert (
            config.n_train == round(0.9 * p * p)
            and config.start == "uniform"
            and len(run.seeds) >= 5
        )


# ------------------------------------------------------------------------------------------- claims


DRAWN = claims.drawn


WORLDS = [
    (claims.semi_ring, "fails", {"sorted_nodes": lambda network: network.z}),
    (
        claims.homomorphisms,
        "fails",
        {"potentials": lambda z: np.ones((5, 5, 5)) * z.nodes**2 / 1.5},
    ),
    (claims.loss_formula, "holds", {"drawn": lambda d, q, seed, constant=False: DRAWN(d, q, seed)}),
    (claims.partial_ones, "fails", {"opposed": lambda d, k, nu: sr.identity(d)}),
    (
        claims.constructed_are_optimal,
        "fails",
        {"order_six_solution": lambda d, nu=1: 1.1 * sr.order_six_solution(d)},
    ),
    (
        claims.constructed_are_optimal,
        "fails",
        {"order_four_six_solution": lambda d, k0=1: sr.identity(d)},
    ),
    (claims.memorising, "holds", {"orders": lambda z: np.array([11])}),
    (claims.razor, "fails", {"order_six_solution": lambda d: sr.order_four_six_solution(d)}),
    (claims.razor, "fails", {"levelled_path": lambda y, k0, points: [y]}),
    (claims.razor, "undecided", {"wall": lambda draws: 0.0}),
    (claims.razor, "undecided", {"parted": lambda: (sr.identity(2), sr.identity(2))}),
    (
        claims.razor_norm,
        "holds",
        {
            "unbalanced": lambda d: (sr.order_six_solution(d), sr.identity(d)),
            "scaled_layers": lambda z, factors: z,
        },
    ),
]


@pytest.mark.parametrize(("claim", "verdict", "world"), WORLDS)
def test_a_check_comes_out_otherwise_in_another_world(claim, verdict, world, elsewhere):
    assert elsewhere(claim, **world) == verdict


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-2, 2), min_size=6, max_size=6))
def test_no_path_of_two_nodes_modulo_two_flips_a_node(numbers):
    """The proof beside T09: where the first node has c = 0, or a + b = 0 and c > 0, the loss is 1/4
    or more."""
    a, b, c = np.reshape(numbers, (3, 2))
    for first in ((a[0], b[0], 0), (a[0], -a[0], abs(c[0]))):
        assert sr.direct_loss(sr.block(2, 1, [first, (a[1], b[1], c[1])])) >= 0.25 - 1e-12
    z, y = claims.parted()
    ends = [one.z[:, 1, 0].real for one in (z, y * z)]
    assert [(a + b > 0, c > 0) for a, b, c in ends] == [(True, True), (False, True)]


def frequencies(seeds: int = 3, **columns) -> pd.DataFrame:
    row = {"order": 4, "factorable": True, "kind": FOUR, "error": 0.01} | columns
    return pd.DataFrame(
        [row | {"seed": seed, "frequency": k} for seed in range(seeds) for k in range(1, 12)]
    )


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "holds"),
        ({"order": 5}, "fails"),
        ({"factorable": False}, "fails"),
        ({"kind": OTHER}, "fails"),
        ({"seeds": 2}, "undecided"),
    ],
)
def test_the_table_s_shares_are_judged_on_three_seeds_or_more(changes, verdict):
    found = claims.trained_solutions(Runs({71: frequencies(**changes)}))
    assert found.verdict == verdict and "d = 71" in found.evidence


def test_at_23_only_the_seeds_are_judged_that_nobody_had_seen_when_their_number_was_fixed():
    seen, unseen = frequencies(10), frequencies(60, kind=OTHER)
    table = pd.concat([seen, unseen.assign(seed=unseen.seed + 10)])
    found, none = (claims.trained_solutions(Runs({23: part})) for part in (table, seen))
    assert found.verdict == "fails" and found.value == 0 and none.verdict == "undecided"
    assert [len(run.seeds) for run in claims.judged().values()] == [60, 10, 5]


# ---------------------------------------------------------------------------------------- the table


def test_our_mean_and_error_stand_beside_those_of_the_slides():
    """Two seeds, all of their frequencies of one kind each: 50 +- 50 / sqrt(2) of both."""
    both = pd.concat([frequencies(1), frequencies(1, kind=OPPOSED).assign(seed=1)])
    table = trained.kinds_beside({23: both})
    assert table["d = 23, ours"].to_dict() == {
        FOUR: "50.0 ± 35.4",
        OPPOSED: "50.0 ± 35.4",
        SYNCED: "0.0 ± 0.0",
        OTHER: "0.0 ± 0.0",
    }
    assert table["d = 23, slides"][FOUR] == "47.1 ± 1.9"
    assert set(table["d = 71, ours"]) == {"not run"}
    for d in (23, 71, 127):
        total = sum(by_modulus[d][0] for by_modulus in trained.PUBLISHED.values())
        assert total == pytest.approx(100, abs=0.02)


def test_chance_seldom_builds_what_is_constructed():
    chance = trained.by_chance(30)
    assert chance.nodes.tolist() == [4, 4, 6, 6]
    assert chance["as constructed"].max() < 10 and (chance["as constructed"] <= chance.factor).all()


# ------------------------------------------------------------------------------------ dropped nodes


def test_a_network_without_loss_loses_it_with_its_nodes():
    weights, _ = network()
    dropped = trained.drop_nodes(weights)
    kept = dropped.kept
    assert kept.loss.iloc[0] == pytest.approx(6 / 7)
    assert kept.loss.iloc[-3] < 1e-6 and kept.accuracy.iloc[-3] == 1
    orders_of_nodes = dropped.without.order.value_counts().to_dict()
    assert orders_of_nodes == {4: 8, 6: 6} and dropped.without.loss.min() > 0.01
    assert dropped.counting == pytest.approx(kept.loss.iloc[-3], abs=1e-9)


def test_the_loss_of_answers_is_that_of_the_semi_ring():
    """On the scale of one-hot answers: o in place of o / 2d."""
    made = sr.Solution(np.random.default_rng(0).normal(size=1) * 0.3 * sr.order_six_solution(7).z)
    a, b, c = (torch.from_numpy(w) for w in made.weights())
    each = trained.answers_by_node({"W_E": torch.cat([a, b]), "W_U": c / 14})
    assert trained.score(each.sum(axis=0)).loss == pytest.approx(sr.direct_loss(made))


# --------------------------------------------------------------------------------- page and figures


def test_functions_of_the_page_are_the_semi_ring_s():
    """Equations (16.1), (16.3) and the product as the page writes them in sight."""
    answers, product, sums = functions("16", "answers", "product", "sums")
    made = sr.order_six_solution(7)
    assert np.allclose(answers(*made.weights()) / 14, made.outputs())
    syn = sr.synced(7, 2)
    pair = sr.opposed(7, 2, np.exp(0.25j * np.pi))
    assert np.allclose(product(syn.z[:, 2], pair.z[:, 2]), (syn * pair).z[:, 2])
    assert sums((syn * pair).z[:, 2]).to_dict() == {"a + b": 6, "a - b": 0, "2a": 0, "constant": 0}


def test_the_numbers_of_the_prose_follow_the_network():
    weights, waves = network()
    table = frequency_table(waves)
    chance = pd.DataFrame({"factor": [3.0], "as constructed": [0.5]})
    nothing = runs.Recorded({}, {})
    found = numbers(11, table, trained.drop_nodes(weights), chance, nothing)
    assert found["solved"].holds and (found["four"], found["six"]) == (2, 1)
    assert found["rest_is_idle"].holds and found["counting"] == 14
    assert found["built"] == "3 of 3" and found["kept_more"] == "(not run)"
    assert found["table_built"].value is None and found.keys() == names_used("16")
    both = pd.concat([frequencies(2), frequencies(2, order=7, factorable=False)])
    recorded = runs.Recorded({23: both}, {0.0: both, 5e-5: both})
    found = numbers(11, table, trained.drop_nodes(weights), chance, recorded)
    assert found["table_solved"].value == 0.5 and found["table_built"].value == 1
    assert found["kept_more"] == found["kept_few"] == "22 of 44"


def test_figures_draw_every_node():
    _, waves = network()
    dial, right = figures.clock(sr.order_six_solution(11), 3, 4).axes
    assert len(dial.lines) == 3 and right.lines[1].get_ydata().argmax() == 7
    faces = [ax for ax in figures.hands(waves).axes if ax.get_visible()]
    assert sum(len(ax.lines) for ax in faces) == 3 * 14
    (ax,) = figures.blocks(7).axes
    ends = [line.get_color() for line in ax.lines[3 * (3 + 2) :]]  # after both factors
    followed = [n for n, colour in enumerate(ends) if colour == COLOURS["measure"]]
    assert len(ends) == 3 * 6 and followed == [5, 11, 17]
    six = sr.order_six_solution(7).z
    (ax,) = figures.multiplied(six, frequency_table(six)).axes
    assert len(ax.lines) == 3 * (6 + 2 + 3)
    (ax,) = figures.multiplied(0 * six, frequency_table(0 * six)).axes
    assert "no frequency" in ax.texts[0].get_text()
