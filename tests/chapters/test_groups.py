"""Chapter 13: its plan, checks in other worlds, what is measured of networks, figures that draw
what is computed."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from companion.claims import Runs
from grokbook.errors import ParameterError
from grokbook.tasks.groups import cayley_table
from grokbook_chapters.groups import claims, figures, numbers, plan, runs, trained
from grokbook_chapters.groups.group_deduction import (
    additive_nullity,
    coset_representation,
    deduced_accuracy,
    first_forced,
    random_places,
    rigid_sizes,
)
from written_pages import functions, names_used

S3 = cayley_table("S3")


def test_nothing_is_trained_and_what_shows_nothing_is_refused():
    assert plan("D4", 20) == {}
    for group, cells, words in (
        ("S4", 5, "24 elements"),
        ("Z2", 1, "2 elements"),
        ("S3", 36, "between 1 and 35"),
    ):
        with pytest.raises(ParameterError, match=words):
            plan(group, cells)


WORLDS = [
    (claims.abelian_groups, "holds", {"additive_nullity": lambda table, field=None: 2}),
    (
        claims.three_needed,
        "holds",  # equal products imply nothing, and every matrix has an inverse
        {
            "consequences": lambda table, equal, quotients=True: (
                equal | equal.mT | np.eye(len(table), dtype=bool)
            ),
            "CORNER": np.eye(2),
        },
    ),
    (
        claims.critical_share,
        "undecided",
        {"implied_sizes": lambda table, n: np.full(n, 18)},
    ),  # as by the two rules
    (
        claims.critical_share,
        "holds",
        dict.fromkeys(("implied_sizes", "rigid_sizes"), lambda table, *_: np.full(200, 18)),
    ),
    (
        claims.three_needed,
        "fails",
        {"third_ones": lambda group: (np.ones(3, bool), np.array([True, False, False]))},
    ),
]


@pytest.mark.parametrize(("claim", "verdict", "world"), WORLDS)
def test_a_check_comes_out_otherwise_in_another_world(claim, verdict, world, elsewhere):
    assert elsewhere(claim, **world) == verdict


def test_only_pairs_that_share_a_product_imply_a_third():
    """Six products of six cells: two of the 15 pairs of cells of one product share a cell in 60
    ways."""
    implied, joined = claims.third_ones("S3")
    assert (
        implied.sum() == 6 * 60 == joined.sum()
        and (implied == joined).all()
        and len(implied) == 90 * 89 // 2
    )


@pytest.mark.parametrize("g", [1, 3])
def test_edges_are_equalities_of_the_table_and_a_path_of_three_gives_the_fourth(g):
    two = figures.cells_of(S3, g, [(0, 1), (1, 1)])
    three = figures.cells_of(S3, g, [(0, 1), (1, 1), (1, 2)])
    assert [0, 2] not in figures.quotient_edges(S3, two, g)["deduced"]
    edges = figures.quotient_edges(S3, three, g)
    assert [0, 2] in edges["deduced"]
    assert all(edge in edges["trained"] for edge in ([0, 1], [1, 1], [1, 2]))
    for b, d in edges["trained"]:
        assert S3[S3[b, g], d] == S3[b, S3[g, d]]
        assert three[S3[b, g], d] and three[b, S3[g, d]]


def test_a_graph_draws_its_edges_and_names_their_ends():
    trained = figures.random_cells(S3, 12, 0)
    edges = figures.quotient_edges(S3, trained, 3)
    (ax,) = figures.quotients(S3, 3, {"a": trained}).axes
    ends = sum(edges.values(), [])
    named = len({b for b, _ in ends}) + len({d for _, d in ends})
    assert len(ax.lines) == len(ends) + named
    assert len(ax.texts) == named


def test_an_ideal_model_never_answers_less_than_it_was_trained_on():
    table = cayley_table("Z4")
    masks = np.stack(
        [[figures.random_cells(table, n, seed) for seed in range(30)] for n in range(17)]
    )
    curve = np.array([deduced_accuracy(table, each) for each in masks])
    assert (curve >= np.linspace(0, 1, 17)[:, None] - 1e-12).all() and (
        np.diff(curve, axis=0) >= -1e-12
    ).all()
    assert (curve[-1] == 1).all()


@pytest.mark.parametrize("name", ["Z5", "Z12", "Z2xZ4", "D4", "S3", "Q8"])
def test_sums_of_real_vectors_collapse_in_every_group(name):
    """The whole table leaves one degree of freedom a coordinate: all vectors are equal."""
    assert additive_nullity(cayley_table(name)) == 1


def test_sums_that_commute_need_fewer_cells_than_the_two_rules():
    """Over F_7 sums give (b, a) with (a, b): at a size at which one order in ten deduces all, most
    leave only lines."""
    table = cayley_table("Z7")
    size = int(np.quantile(first_forced(table, 50), 0.1))
    left = [
        additive_nullity(table, figures.random_cells(table, size, seed), field=7)
        for seed in range(20)
    ]
    assert np.mean([nullity == 2 for nullity in left]) > 0.9


def test_no_set_below_the_count_makes_matrices_rigid():
    """Equation (13.5): N cells with r products have at most N - r independent equalities."""
    matrices = coset_representation(S3, claims.SWAP)
    (least_cells,) = functions("13", "least_cells")
    place = random_places(36, 60, seed=0).reshape(60, 6, 6)
    sizes = rigid_sizes(S3, matrices, 60, seed=0)
    products = [len({*S3[order < size]}) for order, size in zip(place, sizes, strict=True)]
    assert all(sizes >= [least_cells(6, r) for r in products])


def test_permutation_matrices_close_equal_products_and_no_others():
    """Equation (13.1) as the page writes it in sight."""
    (closes,) = functions("13", "closes")
    matrices = coset_representation(S3, claims.SWAP)
    cells = [*np.ndindex(6, 6)]
    for first, second in product(cells, cells):
        assert closes(matrices, first, second) == (S3[first] == S3[second])


def test_the_numbers_of_the_prose_follow_the_tables():
    curves = pd.DataFrame(
        {
            "deduced by two rules": [0.0, 0.0, 1.0],
            "implied in every group": [0.0, 0.5, 1.0],
            "matrices rigid": [0.0, 1.0, 1.0],
        }
    )
    shares = pd.DataFrame(
        {"elements": [4, 8, 8], "Abelian": [True, True, False], "cells": [8, 16, 24]}
    )
    shares["share"] = shares.cells / shares.elements**2
    rows = pd.DataFrame(
        {"cells": [12, 24, 30], "accuracy": [1.0, 1.0, 0.9], "rqi": [0.9, 0.2, 1.0]}
    )
    hexagons = pd.DataFrame(
        [("none", "permutations", 1.0), ("none", "permutations times the sign", 0.2)]
        + [("all", "random", 0.1)],
        columns=["noise", "matrices", "PC1 and PC3"],
    )
    modulo = pd.DataFrame({"p": [11, 23], "share": [0.3, 0.17]})
    shown = pd.DataFrame(
        {"p": [47, 97], "ordered": 0.3, "unordered": 0.5, "runs": 4, "generalise": [0, 3]}
    )
    found = numbers(curves, shares, rows, hexagons, modulo, shown)
    assert (found["rigid"], found["implied_share"], found["forced"]) == ("0.25", "0.50", "0.75")
    assert found["share_falls"].holds and not found["commuting_is_cheap"].holds
    assert (found["few_closed"], found["many_closed"]) == ("1 of 2", "0 of 0")
    assert found["exact_may_hide"].holds and found["generalised_97"] == "3 of 4"
    edges = {"edges_trained", "edges_deduced"}
    assert found.keys() | edges | {"group", "group_in_words", "cells"} == names_used("13")


def test_both_kinds_are_exact_and_one_alone_shows_a_hexagon():
    for matrices in trained.exact_kinds().values():
        assert np.allclose(matrices[:, None] @ matrices[None], matrices[S3])
    shares = trained.hexagon_shares(trained.exact_kinds(), 60)
    share = shares.set_index(["matrices", "noise"])["PC1 and PC3"]
    assert share["permutations", "none"] == 1 and share["permutations times the sign", "none"] < 0.4
    assert share["random", "all"] < 0.2 and (shares["any plane"] >= shares["PC1 and PC3"]).all()


def test_components_are_the_projections_on_the_axes_of_largest_variance():
    matrices = np.random.default_rng(0).normal(size=(6, 3, 3))
    points, rows = trained.components(matrices), matrices.reshape(6, 9)
    values = np.linalg.eigvalsh(np.cov(rows.T, bias=True))[::-1][:3]
    assert np.allclose(points.var(axis=0), values) and np.allclose(points.mean(axis=0), 0)
    assert np.allclose(np.abs(trained.components(3 * matrices + 1)), np.abs(3 * points))


# --------------------------------------------------------------------------------- trained networks


def made(final: np.ndarray, test: float, seeds: int = 3) -> xr.Dataset:
    """Runs that begin with noise and end with these matrices (n, k, k) and test accuracy, all
    fitted."""
    noise = np.random.default_rng(1).normal(size=final.shape)
    table = np.stack([noise, final]).reshape(2, len(final), -1)
    data = xr.Dataset(
        {"train_accuracy": ("step", [0.1, 1.0]), "test_accuracy": ("step", [0.1, test])}
    )
    data["embedding"] = (("snapshot", "token", "feature"), table)
    return data.assign_coords(step=[0, 50], snapshot=[0, 50]).expand_dims(seed=list(range(seeds)))


def world(good: int, above: np.ndarray, below: np.ndarray, test: float = 1.0) -> Runs:
    """Runs of both settings: matrices `above` from so many cells on, and `below` with fewer; as
    printed the latter."""
    return Runs(
        {
            (name, cells): made(above, test)
            if cells >= good and name != "as printed"
            else made(below, 0.0)
            for name in runs.DECAYS
            for cells in runs.CELLS
        }
    )


EXACT, SIGNED = trained.exact_kinds().values()
TURNED = np.diag([1.0, 2.0, 3.0]) @ EXACT @ np.diag([1, 1 / 2, 1 / 3])
NOISE = np.random.default_rng(5).normal(size=(6, 3, 3))
PART = TURNED + 0.2 * NOISE


@pytest.mark.parametrize(
    ("good", "verdict", "stands"),
    [(19, "holds", 4), (17, "undecided", 3), (99, "undecided", 3)],
    ids=["half", "below half", "never"],
)
def test_the_transition_is_judged_at_half_of_the_cells(good, verdict, stands):
    """LG2: runs that get there with fewer do not refute it, since rates and decays are ours; nor do
    sizes far apart."""
    sizes = {*runs.around_half(), ("again", 19)}
    again = {key: made(TURNED if key[1] >= good else NOISE, 0.0, runs.SEEDS) for key in sizes}
    fig18 = world(18, TURNED, NOISE)
    plain = {key: made(TURNED, 0.0) for key in fig18 if key[0] == "as printed" and key[1] > 18}
    found = trained.transition(Runs(again | fig18 | plain, again))
    assert (found.verdict, found.stands) == (verdict, (stands, 4))
    few = {key: data.isel(seed=slice(3)) for key, data in again.items()}
    assert trained.transition(Runs(few | fig18 | plain, again)).verdict == "undecided"
    wide = {key: data for key, data in again.items() if key[1] != 19}
    assert trained.transition(Runs(wide | fig18 | plain, wide)).verdict == "undecided"
    assert trained.transition(Runs(again | fig18, again)).verdict == "undecided"


def test_a_hexagon_counts_in_runs_that_have_the_representation():
    flat = np.ones((6, 3, 3)) * np.arange(6).reshape(6, 1, 1)  # on a line: never a hexagon
    good = trained.hexagon(world(21, TURNED, NOISE))
    assert good.verdict == "holds" and good.numbers["seen"] == "all 9"
    assert trained.hexagon(world(99, TURNED, flat + 1e-3 * NOISE)).verdict == "undecided"


def test_a_hexagon_is_not_judged_in_runs_whose_exact_matrices_need_not_show_one():
    signed = trained.hexagon(
        world(21, np.diag([1.0, 2.0, 3.0]) @ SIGNED @ np.diag([1, 1 / 2, 1 / 3]), NOISE)
    )
    assert signed.verdict == "undecided" and signed.numbers["telling"] == "none of 9"


@pytest.mark.parametrize(("test", "verdict"), [(1.0, "holds"), (0.0, "undecided")])
def test_the_lower_bound_is_not_seen_where_matrices_promise_more_than_the_network_answers(
    test, verdict
):
    seen = world(21, TURNED, NOISE, test)
    seen["matrices decay", 18] = made(PART, 0.9)  # answers more than its matrices say
    assert trained.lower_bound(seen).verdict == verdict


def test_a_bound_by_the_rule_with_a_scale_alone_is_a_correction():
    """Small matrices close everything by the printed rule, which has no scale, and promise what is
    not answered."""
    seen = world(21, TURNED, 1e-3 * NOISE)
    seen["matrices decay", 18] = made(PART, 0.9)
    assert trained.lower_bound(seen).verdict == "holds with correction"


def test_a_lower_bound_that_holds_for_any_matrices_of_that_size_is_none():
    blind = world(99, TURNED, NOISE)  # nothing is closed: the trained share
    assert trained.lower_bound(blind).verdict == "undecided"
    # all answer everything, whatever their matrices say
    easy = Runs({key: made(PART, 1.0) for key in blind})
    assert trained.lower_bound(easy).verdict == "undecided"


def test_what_is_measured_of_a_run():
    rows = trained.measured(
        {("as printed", 12): made(TURNED, 0.5), ("as printed", 30): made(NOISE, 0.5)}
    )
    first, last = rows.iloc[0], rows.iloc[-1]
    assert (first.rqi, first.step, first.hexagon) == (1.0, 50, True) and np.isnan(last.step)
    assert first.accuracy == pytest.approx((12 + 0.5 * 24) / 36) and last.predicted >= 30 / 36
    assert rows.kind[0] == "permutations" and not rows["at start"][0]
    signed = trained.measured({("as printed", 12): made(-2.0 * SIGNED, 0.5)})
    assert set(signed.kind) == {"permutations times the sign"}
    counts, closed, predicted = figures.networks(rows).axes
    assert [len(ax.lines) for ax in (counts, closed, predicted)] == [3, 1, 2]
