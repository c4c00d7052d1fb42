"""Chapter 16: its plan, checks in other worlds, the table's arithmetic, dropped nodes, figures and sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch

from grokbook.chapters import algebraic_solutions as chapter
from grokbook.chapters.algebraic_solutions import claims, figures, trained
from grokbook.claims import Runs
from grokbook.errors import ParameterError
from grokbook.measures.hidden_nodes import FOUR, KINDS, OPPOSED, OTHER, SYNCED, factorise, frequency_table
from grokbook.theory.semiring import Solution, direct_loss, identity, order_four_six_solution, order_six_solution


def network(d: int = 7, spare: int = 2) -> tuple[dict[str, torch.Tensor], np.ndarray]:
    """The parameters and waves of a network without loss on one-hot answers, with nodes of little weight behind it."""
    made = (2 * d) ** (-1 / 3) * order_four_six_solution(d)
    small = 0.001 * Solution(np.concatenate([identity(d).z] * spare, axis=2))
    made = made + small
    a, b, c = (torch.from_numpy(w) for w in made.weights())
    return {"W_E": torch.cat([a, b]), "W_U": c}, made.z


def test_the_run_of_the_page_is_the_sweep_s_and_an_even_modulus_is_refused():
    config = chapter.plan(11, 32, 1e-4, 0.8, 200)["live"].config
    assert (config.model.width, config.optimizer.weight_decay, config.n_train) == (32, 1e-4, 97)
    with pytest.raises(ParameterError, match="p = 12 must be odd"):
        chapter.plan(12, 32, 1e-4, 0.8, 200)


# ---------------------------------------------------------------------------------------------- claims


DRAWN = claims.drawn


def shifted(network_: Solution) -> Solution:
    return Solution(1.1 * network_.z)


WORLDS = [
    (claims.semi_ring, "fails", {"apart": lambda first, second: 1.0}),
    (claims.homomorphisms, "fails", {"potentials": lambda z: np.ones((5, 5, 5)) * z.nodes**2 / 1.5}),
    (claims.loss_formula, "holds", {"drawn": lambda d, q, seed, constant=False: DRAWN(d, q, seed)}),
    (claims.partial_solutions, "fails", {"synced": lambda d, k: identity(d)}),
    (claims.partial_ones, "fails", {"opposed": lambda d, k, nu=1: identity(d)}),
    (claims.six_is_optimal, "fails", {"order_six_solution": lambda d, nu=1: shifted(order_six_solution(d))}),
    (claims.four_and_six_are_optimal, "fails", {"order_four_six_solution": lambda d, k0=1: identity(d)}),
    (claims.memorising, "holds", {"orders": lambda z: np.array([11])}),
    (claims.razor, "fails", {"order_six_solution": lambda d: order_four_six_solution(d)}),
    (claims.razor, "fails", {"levelled_path": lambda y, k0, points: [y]}),
    (
        claims.razor_norm,
        "holds",
        {"unbalanced": lambda d: (order_six_solution(d), identity(d)), "scaled_layers": lambda z, factors: z},
    ),
]


@pytest.mark.parametrize(("claim", "verdict", "world"), WORLDS)
def test_a_check_comes_out_otherwise_in_another_world(claim, verdict, world, elsewhere):
    assert elsewhere(claim, **world) == verdict


def frequencies(seeds: int = 3, **columns) -> pd.DataFrame:
    row = {"order": 4, "factorable": True, "kind": FOUR, "error": 0.01} | columns
    return pd.DataFrame([row | {"seed": seed, "frequency": k} for seed in range(seeds) for k in range(1, 12)])


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [({}, "holds"), ({"order": 5}, "fails"), ({"factorable": False}, "fails"), ({"kind": OTHER}, "fails"),
     ({"seeds": 2}, "undecided")],
)  # fmt: skip
def test_the_table_s_shares_are_judged_on_three_seeds_or_more(changes, verdict):
    found = claims.trained_solutions(Runs({23: frequencies(**changes)}))
    assert found.verdict == verdict and "d = 23" in found.evidence


# ------------------------------------------------------------------------------------------- the table


def test_the_published_shares_of_kinds_add_up():
    for d in (23, 71, 127):
        assert sum(trained.PUBLISHED[kind][d][0] for kind in KINDS) == pytest.approx(100, abs=0.02)
        assert 100 - trained.PUBLISHED[OTHER][d][0] > 97.5


def test_our_means_and_errors_are_those_of_the_authors():
    both = pd.concat([frequencies(1), frequencies(1, kind=OPPOSED, error=0.03).assign(seed=1)])
    ours = trained.our_table({23: both}).set_index("what")
    assert ours.loc[FOUR, "mean"] == 50 and ours.loc[FOUR, "error"] == pytest.approx(50 / np.sqrt(2))
    assert ours.loc["error_4", "mean"] == pytest.approx(2) and np.isnan(ours.loc["error_6", "mean"])
    shown = trained.beside({23: both})
    assert set(shown["d = 71, ours"]) == {"not run"} and "none" in set(shown["d = 23, ours"])


def test_what_is_far_from_the_published_numbers_is_named():
    said = trained.compared({23: frequencies()})
    assert FOUR in said and "100.00, published 47.07" in said
    assert "not run" not in said and trained.compared({}).startswith("None")


# ---------------------------------------------------------------------------------------- dropped nodes


def test_a_network_without_loss_loses_it_with_its_nodes():
    weights, waves = network()
    kept, dropped = trained.kept_nodes(weights), trained.dropped_one(weights, waves)
    assert kept.loss.iloc[0] == pytest.approx(6 / 7) and kept.loss.iloc[-3] < 1e-6 and kept.accuracy.iloc[-3] == 1
    assert dropped.order.value_counts().to_dict() == {4: 8, 6: 6} and dropped.loss.min() > 0.01
    assert trained.alone(weights, dropped.node) == pytest.approx(kept.loss.iloc[-3], abs=1e-9)
    said = trained.dropped_words(dropped, kept.loss.iloc[-1], trained.alone(weights, dropped.node), 16)
    assert "(order 4)" in said and "(order 6)" in said and "next to nothing" in said
    assert trained.dropped_words(dropped, 0.01, 0.5, 16).endswith("they still do something.")
    assert trained.dropped_words(dropped, 0.01, 0.01, 14).endswith("All its nodes count.")
    assert "14 count" in trained.live_words(weights, waves, dropped.node)


def test_the_loss_of_answers_is_that_of_the_semi_ring():
    """On the scale of one-hot answers: o in place of o / 2d."""
    made = Solution(np.random.default_rng(0).normal(size=1) * 0.3 * order_six_solution(7).z)
    a, b, c = (torch.from_numpy(w) for w in made.weights())
    answers = trained.node_answers({"W_E": torch.cat([a, b]), "W_U": c / 14}).sum(axis=0)
    assert trained.loss_of(answers)[0] == pytest.approx(direct_loss(made))


# ------------------------------------------------------------------------------------- figures and words


def test_figures_draw_every_node():
    weights, waves = network()
    assert figures.clock(order_six_solution(11), 3, 4, 2).axes[1].lines[1].get_ydata().argmax() == 7
    fig = figures.neurons(waves)
    assert sum(len(ax.lines) for ax in fig.axes if ax.get_visible()) == 3 * 14 + 3  # and the legend's
    nodes = order_six_solution(7).z[:, 2]
    nodes = nodes[:, np.abs(nodes[0]) > 0]
    assert len(figures.hands({"a": nodes}).axes) == 3
    fig = figures.factor_table(nodes, factorise(nodes))
    assert sum(len(ax.lines) for ax in fig.axes) == 3 * (6 + 2 + 3)
    dropped = trained.dropped_one(weights, waves)
    assert len(figures.without_nodes(trained.kept_nodes(weights), dropped).axes) == 2
    assert len(figures.razor_figure({"a": [0, 1], "b": [0, 0]}, [2, 1]).axes) == 2


def test_chance_passes_seldom_and_never_as_constructed():
    table = chapter.by_chance(60)
    assert table.factor.max() < 15 and table["as constructed"].max() < 5 and len(table) == 4


@pytest.mark.parametrize("kind", ["holds", "fails", "undecided", "not run"])
def test_sentences_follow_their_verdicts(kind):
    verdicts = {"T06": "holds", "T07": "holds", "T10": "fails", "T11": kind}
    said = chapter.answer(verdicts)
    assert ("do not decide" in said) == (kind in ("undecided", "not run")) and said.count(". ") == 3
    assert chapter.survives({"T01": "holds"}).startswith("All")
    found = frequency_table(order_four_six_solution(9).z)
    assert chapter.solved_words(found).startswith("Of 4 frequencies 3 have order 4, 1 order 6 and none another order.")
    assert "allowed" in chapter.factor_words(found.tail(1)) and SYNCED in KINDS
