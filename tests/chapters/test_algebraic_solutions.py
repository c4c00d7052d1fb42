"""Chapter 16: its runs and records, checks in other worlds, the table's arithmetic, dropped nodes,
figures."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.claims import Runs
from grokbook.plotting.style import COLOURS
from grokbook.theory import semiring as sr
from grokbook_chapters.algebraic_solutions import claims, plan, runs, trained
from grokbook_chapters.algebraic_solutions.hidden_nodes import (
    FOUR,
    KINDS,
    OPPOSED,
    OTHER,
    frequency_table,
    orders,
)


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


def test_the_published_shares_of_kinds_add_up(cell):
    published = cell("16", "published =")["published"]
    for d in (23, 71, 127):
        assert sum(published[kind][d][0] for kind in KINDS) == pytest.approx(100, abs=0.02)
        assert 100 - published[OTHER][d][0] > 97.5


def test_our_means_and_errors_are_those_of_the_authors(cell):
    both = pd.concat([frequencies(1), frequencies(1, kind=OPPOSED, error=0.03).assign(seed=1)])
    given = {"published": cell("16", "published =")["published"]}
    table, none = (
        cell("16", "table_row(part)", tables=tables, **given)["both"] for tables in ({23: both}, {})
    )
    ours = table.xs(23, level="d")
    assert ours.loc[FOUR, "mean"] == 50 and ours.loc[FOUR, "error"] == pytest.approx(
        50 / np.sqrt(2)
    )
    assert ours.loc["error_4", "mean"] == pytest.approx(2) and np.isnan(ours.loc["error_6", "mean"])
    assert ours.loc[FOUR, "published"] == 47.07 and ours.loc["error_6", "seeds"] == 0
    assert table.xs(71, level="d")["mean"].isna().all() and none["mean"].isna().all()


# ------------------------------------------------------------------------------------ dropped nodes


def test_a_network_without_loss_loses_it_with_its_nodes(cell):
    weights, waves = network()
    found = cell(
        "16", "strength =", weights=weights, waves=waves, table=frequency_table(waves), factored=[]
    )
    kept, dropped = found["kept"], found["dropped"]
    assert (
        kept.loss.iloc[0] == pytest.approx(6 / 7)
        and kept.loss.iloc[-3] < 1e-6
        and kept.accuracy.iloc[-3] == 1
    )
    assert dropped.order.value_counts().to_dict() == {4: 8, 6: 6} and dropped.loss.min() > 0.01
    assert found["left"] == pytest.approx(kept.loss.iloc[-3], abs=1e-9)


def test_the_loss_of_answers_is_that_of_the_semi_ring(cell):
    """On the scale of one-hot answers: o in place of o / 2d."""
    made = sr.Solution(np.random.default_rng(0).normal(size=1) * 0.3 * sr.order_six_solution(7).z)
    a, b, c = (torch.from_numpy(w) for w in made.weights())
    weights = {"W_E": torch.cat([a, b]), "W_U": c / 14}
    waves = runs.waves_of(weights)
    found = cell(
        "16", "strength =", weights=weights, waves=waves, table=frequency_table(waves), factored=[]
    )
    answers = found["each"].sum(axis=0)
    assert trained.loss_of(answers)[0] == pytest.approx(sr.direct_loss(made))


# ------------------------------------------------------------------------------------------ figures


def test_figures_draw_every_node(cell):
    _, waves = network()
    six, right = sr.order_six_solution(11), plt.figure().subplots()
    cell("16", "alone =", six=six, d=11, a=3, b=4, k=2, right=right, fig=right.figure)
    assert right.lines[1].get_ydata().argmax() == 7
    assert (
        len(cell("16", "dial, right", order_six_solution=sr.order_six_solution, d=11)["dial"].lines)
        == 3
    )
    fig = cell("16", "lw=1.3", waves=waves, p=7)["fig"]
    assert sum(len(ax.lines) for ax in fig.axes if ax.get_visible()) == 3 * 14
    ends = [line.get_color() for line in cell("16", "followed =", d=7, k=2)["ax"].lines]
    ends = ends[3 * (3 + 2) :]  # after both factors the product
    assert len(ends) == 3 * 6 and [
        n for n, colour in enumerate(ends) if colour == COLOURS["measure"]
    ] == [5, 11, 17]
    product = sr.synced(7, 2).z[:, 2, 1] * sr.opposed(7, 2).z[:, 2, 1]
    assert np.allclose(sr.order_six(7, 2).z[:, 2, 3] * 6 ** (1 / 3), product)
    one = pd.DataFrame({"frequency": [2], "order": [6], "error": [0.0]})
    clocks = cell("16", "clocks =", factored=one, waves=sr.order_six_solution(7).z)["clocks"]
    ax = cell("16", "in clocks.items()", best=one, clocks=clocks, half=3, order=6, number=2)["ax"]
    assert len(ax.lines) == 3 * (6 + 2 + 3)
