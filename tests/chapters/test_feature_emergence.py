"""Chapter 17: its plan, its checks in other worlds, measures of networks against closed forms, words, figures."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
import xarray as xr

from grokbook.chapters import feature_emergence as chapter
from grokbook.chapters.feature_emergence import claims, figures, settings, trained, watching, words
from grokbook.claims import Runs
from grokbook.errors import ParameterError
from grokbook.theory.feature_energy import energy, example, local_maxima
from grokbook.theory.irreps import irreps
from grokbook.training import View


def test_the_plan_is_a_pair_of_runs_and_refuses_what_shows_nothing():
    runs = chapter.plan(5, 8, 0.6, 1e-3, 20, 2)
    assert [run.config.optimizer.weight_decay for run in runs.values()] == [1e-3, 0.0]
    for M, decay, error in ((6, 1e-3, "odd"), (5, 0.0, "above 0")):
        with pytest.raises(ParameterError, match=error):
            chapter.plan(M, 8, 0.6, decay, 20, 1)


def test_recorded_settings_are_the_papers():
    assert settings.rates()[127].config.n_train == 3225 and settings.followed()[2e-4].config.model.width == 2048
    for M, sweep in settings.boundary().items():
        config = sweep.config
        assert (config.task.p, config.model.width, config.optimizer.learning_rate) == (M, 256, 0.005)
        assert config.optimizer.weight_decay == 5e-5 and len(sweep.seeds) == 5


class Solved:
    """A world in which solved nodes miss part of the target, as a module's names."""

    missing = {"unreached": lambda F, Y: 0.5}


WORLDS = [
    (claims.gradient_formula, "fails", {"as_printed": lambda F, Y, eta: 2 * claims.feature_gradient(F, Y, eta)}),
    (claims.prefactor, "fails", {"shrinkage": lambda K, c, eta: 1.0}),
    (claims.no_decay, "fails", {"feature_gradient": lambda F, Y, eta: np.ones(3)}),
    (claims.large_limits, "fails", {"feature_gradient": lambda F, Y, eta: np.ones(3)}),
    (claims.ascent_of_energy, "fails", {"energy": lambda w, g, cells: energy(w, g, cells=cells) * 2}),
    (claims.energy_by_irreps, "holds", {"by_traces": energy}),
    (claims.energies, "fails", {"energy": lambda w, g, inputs: energy(w, g)}),
    (claims.printed_family, "fails", {"inverse_of": lambda u, g: u}),
    (claims.no_other_maxima, "fails", {"ascend": lambda w, g, steps: w / np.linalg.norm(w, axis=1)[:, None]}),
    (claims.no_other_maxima, "fails", {"spectrum": lambda w, g: np.full((len(w), 3), 1 / 3)}),
    (claims.modular_energies, "fails", {"energy": lambda w, M, inputs="unit": energy(w, M)}),
    (claims.reconstruction, "fails", Solved.missing),
    (claims.enough_of_them, "fails", {"enough_nodes": lambda g: (5, 4)}),
    (claims.more_efficient, "holds", {"enough_nodes": lambda g: (4, 4)}),
    (claims.samples, "holds", {"samples_to_keep": lambda M, draws: np.full(draws, M * np.log(M))}),
    (claims.top_down, "fails", {"modulated": lambda w, M, F, eta: 1.0}),
]


@pytest.mark.parametrize(("claim", "verdict", "world"), WORLDS, ids=[c.id for c, _, _ in WORLDS])
def test_a_check_comes_out_otherwise_in_another_world(claim, verdict, world, elsewhere):
    assert elsewhere(claim, **world) == verdict


def view(w, M, fraction=0.6):
    """A network of nodes w (K, 2M) with an output layer of ones on every second class, at the start of a run."""
    config = settings.live_run(M, len(w), fraction, 0.002, 0.0, 10)
    table = torch.tensor(w.T, dtype=torch.float32)
    out = torch.linspace(-1, 1, M * len(w)).reshape(M, len(w))
    return View(config, {"W_E": table, "W_U": out})


def test_what_is_watched_is_the_gradient_of_the_centred_problem():
    M, w = 5, np.random.default_rng(0).normal(size=(6, 10))
    seen = view(w, M)
    at, V = seen.task.train_index, seen.weights["W_U"].double().T
    F = torch.tensor(w)[:, seen.task.inputs[at, 0]] + torch.tensor(w)[:, M + seen.task.inputs[at, 1]]
    F = (F**2).T.requires_grad_()
    Y = torch.eye(M, dtype=torch.float64)[torch.tensor(seen.task.targets[at])]
    left = Y - F @ V
    loss = ((left - left.mean(0)) ** 2).sum() / 2
    (slope,) = torch.autograd.grad(loss, F)
    assert np.isclose(watching.gradient_norm(seen), float(slope.norm()), rtol=1e-5)
    assert -1 <= watching.alignment(seen) <= 1


def test_measures_of_hills_are_one_and_do_not_see_lengths():
    for group in (7, "S3"):
        w = np.stack([3 * example(rho, seed) for rho in irreps(group)[1:] for seed in (0, 1)])
        got = watching.node_measures(w, group)
        tops = [m.energy for m in local_maxima(group, inputs="unit")]
        assert np.isclose(got["energy"], np.mean(tops)) and np.isclose(got["purity"], 1) and got["found"] == 1
    assert watching.node_measures(np.random.default_rng(0).normal(size=(4, 14)), 7)["found"] == 0


def test_a_grid_keeps_the_numbers_of_its_last_nodes_and_no_embedding():
    sweep = settings.boundary(2)[23]
    small = settings.Ended("made/up", settings.live_run(5, 6, 0.5, 0.005, 0.0, 3), (0, 1),
                           axes=(settings.Axis("train_fraction", (0.4, 0.6)),))  # fmt: skip
    made = small.run(progress=False, workers=1)
    assert (
        set(watching.AT_END) < set(made) and "embedding" not in made and made.energy.dims == ("seed", "train_fraction")
    )
    one = watching.Followed("made/up", small.config, (0,)).run(progress=False)
    assert set(watching.WATCHED) <= set(one) and one.reached.dims == ("seed", "step")
    assert sweep.key != settings.boundary()[41].key and sweep.key == settings.boundary()[23].key


def grid(M, share, seeds=5, jitter=0.0):
    """A sweep whose runs generalise from a share of the pairs on."""
    shares = np.linspace(0.02, 0.9, 45)
    edges = share * (1 + jitter * np.linspace(-1, 1, seeds))
    accuracy = (shares >= edges[:, None]).astype(float)[..., None].repeat(2, axis=2)
    return xr.Dataset({"test_accuracy": (("seed", "train_fraction", "step"), accuracy)},
                      {"seed": range(seeds), "train_fraction": shares, "step": [0, 1000]})  # fmt: skip


@pytest.mark.parametrize(("law", "verdict"), [(lambda M: 3 * np.log(M) / M, "holds"), (lambda M: 0.4, "fails")])
def test_the_exponent_tells_m_log_m_from_a_share(law, verdict):
    runs = Runs({M: grid(M, law(M), jitter=0.15) for M in (23, 41, 71, 127)})
    found = trained.law(runs)
    assert found.verdict == verdict and found.low <= found.value <= found.high
    assert trained.law(Runs({23: grid(23, 0.4)})).verdict == "undecided"


def test_an_exponent_that_rests_on_one_modulus_decides_nothing():
    """The recorded boundary: as M^2 from 23 to 41, slower than M log M from 41 to 71; all together faster."""
    shares = {23: 0.424, 41: 0.424, 71: 0.255}
    runs = Runs({M: grid(M, share, jitter=0.05) for M, share in shares.items()})
    found, fit = trained.law(runs), trained.exponent(runs)
    assert fit["low"] > fit["wanted"] and trained._sides(runs, fit) == {-1, 1}
    assert found.verdict == "undecided" and "as M^2.00, M^1.09" in found.evidence
    table = trained.boundary_table(runs)
    assert np.isclose(fit["value"], np.polyfit(np.log(table.M.astype(float)), np.log(table.n), 1)[0])


def watched(curve, train=(0, 1, 1), test=(0, 0, 1), found=(0, 0, 1), seeds=3):
    """Runs followed at three steps whose gradient's norm is `curve`."""
    names = ("gradient_norm", "reached", "train_accuracy", "test_accuracy", "found")
    curves = (curve, np.linspace(0.1, 0.9, len(curve)), train, test, found)
    data = {name: (("seed", "step"), np.tile(np.asarray(y, dtype=float), (seeds, 1)))
            for name, y in zip(names, curves, strict=True)}  # fmt: skip
    return xr.Dataset(data, {"seed": range(seeds), "step": range(0, 10 * len(curve), 10)})


def arm(*curve, train=(0, 1, 1, 1, 1), test=(0, 0, 0, 0.5, 1), seeds=3):
    """Runs that fit at the second of five steps."""
    return watched(curve, train=train, test=test, found=np.zeros(5), seeds=seeds)


def arms(decayed, small=(1, 3, 2, 4, 1), solved=(1, 1, 2, 1, 0), unsolved=(5, 4, 3, 2, 1), seeds=3):
    """The runs of T29; without decay the norm of G_F rises while the network fits, and then falls."""
    plain = arm(1, 3, 2, 2, 1, seeds=seeds)
    return {("M = 71", True): arm(*decayed, seeds=seeds), ("M = 71", False): plain,
            ("M = 23", True): arm(*small, seeds=seeds), ("M = 23", False): plain,
            ("solved", True): arm(*solved, seeds=seeds), ("solved", False): arm(*unsolved, seeds=seeds)}  # fmt: skip


@pytest.mark.parametrize(("runs", "parts"), [
    (arms([1, 3, 2, 4, 1]), "all 3 runs (highest 2.0 times"),
    (arms([1, 9, 2, 2, 1]), "M = 71, learned: in none of 3 runs"),  # a rise before both have fitted is not of decay
    (arms([1, 3, 2, 2, 1], solved=(3, 2, 2, 1, 1)), "solved, decay 10: in none of 3 runs"),
    (arms([1, 3, 2, 4, 1], unsolved=(1, 2, 3, 2, 1)), "solved, decay 0.0002: in all 3 runs"),
    (arms([1, 3, 2, 4, 1], seeds=1), ""),
])  # fmt: skip
def test_a_bump_is_what_decay_adds_after_the_fit(runs, parts):
    found = trained.bump(Runs(runs))
    whole = "all 3 runs (highest" in parts
    assert parts in found.evidence and (found.verdict == "holds") == whole
    assert ("oracle in all 3 runs, null in none of 3 runs" in found.evidence) == bool(parts)


def test_a_bump_that_other_seeds_show_too_decides_nothing():
    """The null: without decay on either side, two seeds that differ in the same way."""
    plain = arm(1, 3, 2, 2, 1, seeds=4)
    rows = plain.gradient_norm.values.copy()
    rows[::2, 3] *= 4
    wild = plain.assign(gradient_norm=(("seed", "step"), rows))
    assert not any(trained.has_bump(row) for row in trained.excess(plain, plain))
    seen = [trained.has_bump(row) for row in trained.controls(plain, wild)[1]]
    assert seen.count(True) == 2
    assert trained.bump(Runs({(size, decay): wild for size in ("M = 71", "M = 23") for decay in (True, False)})).verdict


def test_what_is_missing_leaves_a_claim_open_and_its_sentence_whole():
    one = watched([1, 4, 1], seeds=1)
    boundary, groups = settings.boundary(), settings.finer_groups()
    law = {M: grid(M, 3 * np.log(M) / M, jitter=0.15) for M in boundary}
    few = {M: data.isel(seed=slice(3)) for M, data in law.items()}
    outside = {M: grid(M, 2.0) for M in boundary}
    rate = rate_grid([1, 1, 0], [0.5, 0.5, 0.9])
    adam = optimised([[1.0, 2.0], [3.0, 1.0]])
    open_ones = [
        (trained.bump, {("solved", True): one}, settings.arms(), ""),
        (trained.bump, {("solved", True): watched([1, 4, 1], seeds=15)}, settings.arms(), "in all 15 runs"),
        (trained.law, {23: law[23]}, boundary, "of the pairs at M = 23"),
        (trained.law, {M: law[M] for M in (23, 41)}, boundary, "over M = 23, 41"),
        (trained.law, few, boundary, ""),
        (trained.law, outside, boundary, "no boundary is inside"),
        (trained.large_rate, {71: rate}, settings.rates(), "M = 71: all 3, all 3, none of 3 generalise"),
        (trained.muon_at_few_nodes, {"adam": adam}, settings.muon(), "Adam 1.000 (+0.0%, 0.01), 1.000 (+0.0%, 0.03)"),
        (trained.other_groups, {"Z23 finer": grid(23, 0.4)}, groups, "Z23 0.39"),
        (trained.other_groups, {"S4 finer": grid(24, 0.4), "Z24 finer": grid(24, 2.0)}, groups, "S4 0.39"),
    ]
    for claim, runs, asked, part in open_ones:
        found = claim(Runs(runs, asked))
        assert found.verdict == "undecided" and part in found.evidence and "nan" not in found.evidence
        assert bool(part) == bool(found.evidence.partition(" (other bars")[0])
    whole = trained.law(Runs(law, boundary))
    assert whole.verdict == "holds" and "95 % of draws of seeds" in whole.evidence
    some = {M: law[M] for M in (23, 41, 71)}
    assert trained.law(Runs(some, boundary)).verdict == "holds"
    wide = {M: grid(M, M**-0.4, jitter=0.9) for M in (23, 24, 25)}
    assert trained.law(Runs(wide)).verdict == "undecided"


def rate_grid(solved, reached):
    shape = (3, len(solved), 2)
    accuracy = np.broadcast_to(np.array(solved, dtype=float)[None, :, None], shape)
    ends = {name: (("seed", "learning_rate"), np.tile(reached, (3, 1))) for name in watching.AT_END}
    return xr.Dataset({"test_accuracy": (("seed", "learning_rate", "step"), accuracy), **ends},
                      {"seed": range(3), "learning_rate": list(settings.ALPHAS), "step": [0, 10]})  # fmt: skip


def test_a_large_rate_memorises_only_where_it_does_and_with_more_energy():
    for solved, reached, verdict in (([1, 1, 0], [0.5, 0.5, 0.9], "holds"), ([1, 1, 0], [0.9, 0.9, 0.5], "fails"),
                                     ([1, 1, 1], [0.5, 0.5, 0.9], "undecided"),
                                     ([0, 0, 0], [0.5, 0.5, 0.9], "undecided")):  # fmt: skip
        assert trained.large_rate(Runs({127: rate_grid(solved, reached)})).verdict == verdict
    assert trained.large_rate(Runs()).verdict == "undecided"


def test_a_modulus_away_from_the_boundary_leaves_the_other_to_decide():
    away, at_it = rate_grid([1, 1, 1], [0.5, 0.5, 0.5]), rate_grid([1, 1, 0], [0.4, 0.4, 0.9])
    found = trained.large_rate(Runs({71: away, 127: at_it}))
    assert found.verdict == "holds" and "not at the boundary" in found.evidence
    rows = trained.rate_table({127: at_it})
    assert rows.generalise.tolist() == [3, 3, 0]


def optimised(losses, fitted=1.0, earlier=1.0, spread=0.0):
    """Three seeds: test losses at the end by width and learning rate, `earlier` times that in the middle."""
    seeds = 1 + spread * np.linspace(-1, 1, 3)[:, None, None, None]
    table = seeds * np.array(losses)[None, :, :, None] * np.array([earlier, earlier, 1.0])
    names = ("seed", "width", "learning_rate", "step")
    return xr.Dataset({"test_loss": (names, table), "train_accuracy": (names, np.full(table.shape, fitted))},
                      {"seed": range(3), "width": [32, 64], "learning_rate": [0.01, 0.03],
                       "step": [0, 1300, 2000]})  # fmt: skip


def test_a_band_covers_the_places_between_the_tried_shares():
    """Two moduli whose brackets are [a, b]: the slope cannot be known better than the grid of shares lets it be."""
    data = {M: grid(M, share) for M, share in ((23, 0.4), (71, 0.3))}
    fit, (first, last) = trained.exponent(data), (np.log(trained.bracket(one)[0]) for one in data.values())
    extremes = 2 + np.array([last[0] - first[1], last[1] - first[0]]) / np.log(71 / 23)
    assert extremes[0] < fit["low"] < fit["value"] < fit["high"] < extremes[1]
    assert fit["high"] - fit["low"] > 0.6 * np.ptp(extremes)


def test_muon_is_judged_where_all_runs_are_apart_and_at_rest():
    adam = optimised([[0.5, 0.9], [0.1, 0.1]])
    cases = [
        (optimised([[0.7, 0.2], [0.3, 0.3]]), "holds"),  # its best rate at the smallest width counts
        (optimised([[0.7, 0.6], [0.1, 0.1]]), "fails"),
        (optimised([[0.7, 0.6], [0.1, 0.1]], earlier=1.1), "fails"),
        (optimised([[0.7, 0.6], [0.1, 0.1]], earlier=1.3), "undecided"),  # the loser still falls
        (optimised([[0.7, 0.2], [0.1, 0.1]], fitted=0.5), "undecided"),  # what has not fitted is not compared
        (optimised([[0.7, 0.49], [0.1, 0.1]], spread=0.05), "undecided"),  # less apart than the seeds are
        (adam, "undecided"),
    ]
    for muon, verdict in cases:
        found = trained.muon_at_few_nodes(Runs({"adam": adam, "muon": muon}))
        assert found.verdict == verdict and "nan" not in found.evidence
    falling = optimised([[0.5, 0.9], [0.1, 0.1]], earlier=2.0)
    assert trained.muon_at_few_nodes(Runs({"adam": falling, "muon": cases[0][0]})).verdict == "undecided"
    assert trained.muon_at_few_nodes(Runs({"adam": adam})).verdict == "undecided"


@pytest.mark.parametrize(("share", "wider", "verdict"), [(0.41, 0.8, "holds"), (0.41, 0.41, "undecided"),
                                                         (0.8, 0.41, "fails")])  # fmt: skip
def test_groups_are_judged_on_representations_of_the_papers_dimensions(share, wider, verdict):
    """Where those with dimension 3 pass as well, the bar tells nothing."""
    runs = Runs({label: grid(24, wider if name in settings.WIDER else share if name != "Z23" else 0.4)
                 for label, name in settings.FINE.items()}, settings.finer_groups())  # fmt: skip
    runs["S4"] = grid(24, 0.5)
    found = trained.other_groups(runs)
    assert found.verdict == verdict and "on the coarse grid, other seeds: S4" in found.evidence
    assert trained.other_groups(runs, factor=3.0).verdict == "undecided"
    few = Runs({name: runs[name] for name in list(runs)[:5]}, settings.finer_groups())
    assert trained.other_groups(few).verdict == "undecided"
    tried = np.array(settings.FINER)
    assert (tried[1:] / tried[:-1]).max() < 1.09


def test_sentences_on_runs_are_chosen_by_the_runs():
    short = watched([1, 1, 1], train=(0, 0, 0.5), test=(0, 0, 0), found=(0, 0, 0), seeds=1)
    said = chapter.stages_said({"decay": short, "none": short})
    assert "too few for this network" in said and "in no run with decay" in said and "points" not in said
    runs = {name: arm(1, 4, 1, 1, 1).assign(alignment=(("seed", "step"), np.full((3, 5), cosine)))
            for name, cosine in (("decay", 0.3), ("none", -0.1))}  # fmt: skip
    said = chapter.stages_said(runs)
    assert "At step 40 the gradient has a cosine of 0.30" in said and "where it points" in said
    assert "not by step 20" in words.learned_said(watched([1, 1, 1], test=(0, 0, 0)))
    flat = {M: np.array([3 * M * np.log(M)]) for M in (7, 11, 17)}
    assert chapter.rate_said(flat) == "ours is flat"
    assert chapter.rate_said({7: np.array([40]), 11: np.array([20]), 17: np.array([90])}) == "ours goes up and down"
    path = chapter.one_ascent(11, 5)
    assert "and not the one" in chapter.climb_said(np.stack([local_maxima(11)[0].w, local_maxima(11)[1].w]), 11)
    assert chapter.climb_said(path, 11).startswith("after 5 steps")


def test_words_follow_the_verdicts():
    assert "as printed" in chapter.answer({"T30": "fails"}) and "does not grow" in chapter.law_said("fails")
    wrong = {"T13": "holds with correction", "T18": "fails", "T23": "holds with correction", "T30": "holds"}
    mended = "a prefactor, a norm for a trace and a conjugate"
    assert f"formulas need {mended}." in chapter.answer(wrong)
    assert f"corrections are {mended}." in chapter.survives(wrong)
    assert "a decay near zero (T27)" in chapter.survives({"T27": "needs an assumption"})
    assert "open" in chapter.law_said("undecided") and chapter.waiting([], "x") == ""
    made_up = settings.boundary()[127]
    made_up = dataclasses.replace(made_up, config=dataclasses.replace(made_up.config, steps=1))
    assert "tian2025/boundary*" in chapter.waiting([made_up], "tian2025/boundary*")


def test_figures_draw_what_is_given():
    table = trained.boundary_table({23: grid(23, 0.4), 71: grid(71, 0.3)})
    fit = trained.exponent({M: grid(M, share, jitter=0.1) for M, share in ((23, 0.4), (71, 0.3))})
    axes = figures.boundaries(table, fit).axes[0]
    line = axes.lines[0].get_ydata()
    assert np.isclose(np.log(line[1] / line[0]) / np.log(71 / 23), fit["value"]) and len(axes.collections) >= 2
    assert [text.get_text() for text in axes.get_xticklabels()] == ["23", "71"]
    kept = {7: np.array([20, 30]), 11: np.array([60, 70])}
    lines = figures.keeping(kept).axes[0].lines
    assert np.allclose(lines[2].get_ydata(), [25 / (7 * np.log(7)), 65 / (11 * np.log(11))])
    ends = figures.climb(5, chapter.one_ascent(5, 30)).axes[0].lines
    assert max(line.get_ydata()[-1] for line in ends) > 0.999
    curves = figures.two_hills(5, *(m.w for m in local_maxima(5))).axes[0].lines
    assert np.allclose(curves[0].get_ydata(), curves[1].get_ydata())


def test_a_grid_over_widths_measures_the_end_of_every_width():
    """Fig. 8: networks of different sizes share no table of embeddings, and each has its own numbers at the end."""
    grid = settings.Ended(
        "made/up", settings.live_run(5, 6, 0.5, 0.005, 0.0, 3), (0,), axes=(settings.Axis("width", (4, 6)),)
    )
    data = grid.run(progress=False)
    assert data.energy.dims == ("seed", "width") and bool(data.energy.notnull().all()) and "embedding" not in data
