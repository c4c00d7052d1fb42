"""Chapter 15: its plan, checks that can come out otherwise, what is read off runs and points."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from companion.claims import Finding
from grokbook_chapters.images import claims, effective, numbers, refitted, runs
from grokbook_chapters.images.neural_collapse import within_class_share
from written_pages import functions, names_used

STEPS = np.arange(0, 4001, 50)


def curves(fit, grok, seeds=3, fitted=0.99):
    """Runs that fit at one step and generalise at another (None: never)."""

    def rising(at, end=0.99):
        return [[0.1 if at is None or step < at else end for step in STEPS]] * seeds

    data = {
        f"{part}_accuracy": (("seed", "step"), rising(*at))
        for part, at in (("train", (fit, fitted)), ("test", (grok,)))
    }
    return xr.Dataset(data, {"step": STEPS, "seed": range(seeds)})


def reached(fit, grok, seeds=3):
    return claims.reached(curves(fit, grok, seeds))


def test_the_plan_has_two_starts_that_differ_in_nothing_else():
    plan = runs.plan(60, 4.0, 200, 2)
    assert [run.config.model.spread for run in plan.values()] == [4.0, 1.0]
    large, usual = (run.config for run in plan.values())
    assert dataclasses.replace(large, model=usual.model) == usual and usual.batch_size is None


@pytest.mark.parametrize(
    ("large", "usual", "verdict"),
    [
        ((100, 2000), (100, 100), "holds"),
        ((100, 2000), (100, 2000), "fails"),
        ((100, 1000), (100, 100), "fails"),
        ((100, None), (100, 100), "undecided"),
        ((100, 2000), (100, None), "undecided"),
        ((None, 2000), (100, 100), "fails"),
        ((100, 2000, 2), (100, 100), "undecided"),
    ],
)
def test_a_delay_must_come_from_the_large_start_alone(large, usual, verdict):
    """LM1, LM2: the control is the usual start, which must not be late; runs that end too early
    decide nothing."""
    found = claims.grokking_on_mnist(claims.Runs({8.0: reached(*large), 1.0: reached(*usual)}))
    assert found.verdict == verdict and "nan" not in found.numbers["told"]
    alone = claims.grokking_on_small_digits(claims.Runs({8.0: reached(*large)}))
    assert alone.verdict != "holds" and alone.numbers["told"].endswith("with factor 1: not run")


@pytest.mark.parametrize(
    ("decayed", "free", "verdict"),
    [
        ((100, 2000), (100, None), "holds"),
        ((100, 2000), (100, 3000), "fails"),
        ((100, None), (100, None), "undecided"),
        ((100, 2000), (100, None, 2), "undecided"),
        (None, (100, None), "undecided"),
    ],
)
def test_decay_ends_the_delay_only_if_it_does_not_end_without(decayed, free, verdict):
    """LM9: the control is the same start without decay, which must not reach the test set by the
    last step."""
    found = {"decay": decayed and reached(*decayed), "no decay": reached(*free)}
    assert claims.decay_ends_the_delay(claims.Runs(found)).verdict == verdict


@pytest.mark.parametrize(
    ("groks", "verdict"),
    [
        ((3800, 1200, 600, 500), "holds"),
        ((3200, 1600, 800, 400), "undecided"),
        ((2000, 1500, 1000, 500), "undecided"),
        ((200, 200, 200, 200), "undecided"),
        ((None, None, None, None), "undecided"),
        ((500, 1000, 200, 200), "fails"),
    ],
)
def test_waiting_must_grow_rapidly_as_images_become_few(groks, verdict):
    """LM3: a bend holds; a power law, a line in the logarithm and what is never reached are open; a
    rise fails."""
    sizes = (50, 100, 200, 400)
    found = {n: reached(100, at) for n, at in zip(sizes, groks, strict=True)}
    assert claims.less_data_takes_longer(claims.Runs(found)).verdict == verdict
    asked = claims.Runs(found, dict.fromkeys([*sizes, 800]))
    assert claims.less_data_takes_longer_on_small_digits(asked).verdict == "undecided"


@pytest.mark.parametrize(
    ("groks", "verdict"),
    [
        ((None, None, 2000, 1500, 1000), "holds"),
        ((None, None, 3500, 3000, 2500), "undecided"),
        ((None, None, None, None, None), "undecided"),
        ((2000, None, 1500, 1000, 500), "fails"),
        ((3500, 2000, 1500, 1000, 500), "undecided"),
        ((2500, 2000, 1500, 1000, 500), "undecided"),
    ],
)
def test_a_size_that_is_not_reached_takes_at_least_its_last_step(groks, verdict):
    """LM4: a lower bound (4,000 steps) may show a bend, an even fall from it shows none; a rise
    fails."""
    sizes = (25, 50, 100, 200, 400)
    found = {n: reached(100, at) for n, at in zip(sizes, groks, strict=True)}
    check = claims.less_data_takes_longer_on_small_digits
    assert check(claims.Runs(found, dict.fromkeys(sizes))).verdict == verdict
    assert check(claims.Runs(found, dict.fromkeys([*sizes, 800]))).verdict == "undecided"
    few = {n: table[:2] for n, table in found.items()}
    assert check(claims.Runs(few, dict.fromkeys(sizes))).verdict == "undecided"


def test_a_size_without_a_delay_bends_nothing():
    """At 400 images the test set comes before the training set: the slope down to there is told and
    not counted."""
    steps = {50: (100, 3500), 100: (100, 2000), 200: (100, 1500), 400: (500, 200)}
    made = claims.Runs({n: reached(*at) for n, at in steps.items()})
    found = claims.less_data_takes_longer(made)
    assert (
        found.verdict == "holds" and "of 50, 100, 200 a halving costs 3.00 times" in found.evidence
    )
    assert claims.less_data_takes_longer(made, bend=4.0).verdict == "undecided"
    early = claims.Runs({n: reached(500, 200) for n in steps})
    assert claims.less_data_takes_longer(early).verdict == "undecided"


def diagram(letters: list[str]) -> xr.Dataset:
    """Three seeds of a diagram whose cells have these phases: a line a decay, from small to large,
    a letter a rate."""
    ends = {"C": (100, 100), "G": (100, 4000), "M": (100, None), "X": (None, None)}
    lines = [
        xr.concat(
            [curves(*ends[letter]) for letter in line], pd.Index(range(len(line)), name="last_lr")
        )
        for line in letters
    ]
    return xr.concat(lines, pd.Index(range(len(lines)), name="weight_decay"))


@pytest.mark.parametrize(
    ("letters", "places", "ended"),
    [
        (["MMGC", "MMGC", "GGCX", "CCXX"], "holds", "holds"),
        (["MMGC", "MMGC", "GGCC", "CCCC"], "undecided", "holds"),
        (["MMGX", "MMGX", "GGCC", "CCCC"], "undecided", "holds"),
        (["XXGC", "XXGC", "GGMC", "CCMM"], "undecided", "holds"),
        (["XXMM", "XXMM", "MMMM", "MMMM"], "undecided", "undecided"),
        (["CCCC", "GGGG", "MMMM", "MMXX"], "undecided", "undecided"),
    ],
    ids=[
        "as printed",
        "no confusion",
        "rate alone",
        "exchanged",
        "two phases",
        "decay does not end it",
    ],
)
def test_places_and_ends_of_phases_are_read_off_the_letters(letters, places, ended):
    """LM5, LM6, LM14: what one axis alone decides is no corner; our axes are not the paper's, so
    nothing is refuted."""
    data = diagram(letters)
    for check in (claims.phases_of_mnist, claims.phases_of_small_digits):
        assert check(claims.Runs({"cells": data, "more decay": diagram(["X"])})).verdict == places
        assert check(claims.Runs({"cells": data.isel(seed=[0, 1])})).verdict == "undecided"
        assert check(claims.Runs({"more decay": data})).verdict == "undecided"
    assert claims.regularisation_ends_it(claims.Runs({"cells": data})).verdict == ended
    assert (
        claims.regularisation_ends_it(claims.Runs({"cells": data.isel(seed=[0])})).verdict
        == "undecided"
    )


def test_four_phases_are_counted_on_the_letters():
    """Table 1 with 60 % of the test set: C, G, M and X, a column each, three seeds; at 80 % no run
    has fitted."""
    assert np.asarray(claims.letters(curves(100, None, fitted=0.8))).tolist() == ["X"] * 3
    four = [curves(100, 100), curves(100, 4000), curves(100, None), curves(None, None)]
    data = xr.concat(four, pd.Index([1.0, 2.0, 3.0, 4.0], name="weight_decay"))
    assert "".join(np.asarray(claims.letters(data))[:, 0]) == "CGMX"


def test_beyond_a_diagram_decay_alone_turns_no_weight():
    """LM5, LM6: AdamW multiplies by 1 - rate * decay, which is below zero at the corner of both
    axes."""
    for beyond, cells in (
        (runs.fig8_beyond(), runs.fig8_right()),
        (runs.small_beyond(), runs.small_phases()),
    ):
        reach = np.array([max(axis.values) for axis in cells["cells"].axes])
        for name, sweep in beyond.items():
            rates, decays = (np.array(axis.values) for axis in sweep.axes)
            assert sweep.config == cells["cells"].config
            if name == "corner":
                continue
            assert np.outer(rates, decays).max() <= 1
            assert (rates > reach[0]).all() or (decays > reach[1]).all()


SEEN = {"before": 0.9, "after": 0.001, "means": 1.0}


def encoding(own: float, others: float):
    """An encoder that places this share of new images, after labels of its own or dealt ones."""
    rest = {"seen": 0.9, "within": 0.1, "variance": 0.01}
    return lambda seed, dealt=False, centred=False: rest | {"new": others if dealt else own}


WORLDS = [
    (claims.size_is_kept, "fails", {"velocity": lambda f, y: -f}),
    (claims.size_is_kept, "holds", {"velocity": lambda f, y, there=claims.velocity: -there(f, y)}),
    (
        effective.digits_collapse,
        "fails",
        {"free_points": lambda seed, **_: dict(SEEN, after=0.5)},
    ),
    (
        effective.digits_collapse,
        "fails",
        {"free_points": lambda seed, **_: dict(SEEN, means=0.1)},
    ),
    (effective.digits_collapse, "holds", {"free_points": lambda seed, **_: SEEN}),
    (
        effective.digits_collapse,
        "fails",  # the means go to a regular simplex
        {
            "free_points": lambda seed, **_: SEEN,
            "flow": lambda f, y, times: np.eye(5, 6)[None, y],
        },
    ),
    (effective.an_encoder_learns, "holds", {"through_encoder": encoding(0.9, 0.1)}),
    (effective.an_encoder_learns, "fails", {"through_encoder": encoding(0.2, 0.1)}),
    (effective.an_encoder_learns, "undecided", {"through_encoder": encoding(0.9, 0.9)}),
    (
        claims.mode_collapse_is_avoided,
        "holds",
        {"loss": lambda f, y: 1.0, "drawn": lambda centre=0.0, there=claims.drawn: there(0.0)},
    ),
    (
        claims.mode_collapse_is_avoided,
        "fails",
        {"flow": lambda f, y, times: f[None] + 9 * (y == 3)[None, :, None]},
    ),
]


@pytest.mark.parametrize(("check", "verdict", "world"), WORLDS)
def test_a_check_comes_out_otherwise_in_another_world(check, verdict, world, elsewhere):
    assert elsewhere(check, **world) == verdict


def test_every_seed_has_an_encoder_of_each_kind(monkeypatch):
    asked, answer = [], encoding(0.9, 0.1)(0)
    monkeypatch.setattr(
        effective, "through_encoder", lambda seed, *a, **k: asked.append((seed, *k)) or answer
    )
    effective.an_encoder_learns(seeds=2)
    assert {seed for seed, *kind in asked if kind == ["centred"]} == {0, 1} and len(asked) == 6


def test_points_of_digits_start_with_their_classes_mixed():
    points, labels = effective.encoded(200)
    assert points.shape == (200, 2) and 0.3 < within_class_share(points, labels) < 1


def test_points_and_weights_move_under_the_effective_loss():
    """Free points come together, whatever the labels, and keep Z but not the variance; an encoder
    is asked anew."""
    for dealt in (False, True):
        found = effective.free_points(0, dealt, images=60)
        assert found["after"] < 0.1 < found["before"] and found["size"] == pytest.approx(1, abs=0.3)
    first, later = (effective.through_encoder(0, images=60, steps=steps) for steps in (0, 60))
    assert later["within"] < first["within"] and all(0 <= share <= 1 for share in later.values())
    centred = effective.through_encoder(0, centred=True, images=60, steps=60)
    assert centred["variance"] > 10 * later["variance"]


def test_separation_is_blind_to_scale_and_not_to_position():
    rng, labels = np.random.default_rng(0), np.repeat([0, 1], 50)
    points = rng.normal(size=(100, 2)) + np.where(labels, 1.0, -1.0)[:, None]
    assert claims.separation(7 * points, labels) == pytest.approx(claims.separation(points, labels))
    assert claims.separation(points + 20, labels) < 0.8 * claims.separation(points, labels)
    assert claims.separation(points + 20, labels, 0.0) == pytest.approx(
        claims.separation(points, labels, 0.0)
    )


def one_seed(*lines):
    """The phases of one seed on a grid: a line a weight decay, letters along the rate."""
    cells = np.array([[[*line] for line in lines]])
    return xr.DataArray(cells, dims=("seed", "weight_decay", "last_lr"))


def read_out_curves(
    fresh: float,
    *,
    start: float = 0.8,
    grok: int | None = 2000,
    dealt: float = 0.1,
    heavy: float | None = None,
    seeds: int = 3,
) -> xr.Dataset:
    """Runs that fit at step 100; a fresh read-out has `start` of the test set right at step 0, and
    `fresh` afterwards, to the end; with a hundred times the ridge `heavy`, if not the same."""
    data = curves(100, grok, seeds)
    known = {}
    for name, later in {"fresh_readout": fresh, "fresh_readout_heavy": heavy or fresh}.items():
        same = np.full((seeds, STEPS.size), later)
        same[:, 0] = start
        known[name] = same
    known["fresh_readout_dealt"] = np.full_like(same, dealt)
    return data.assign({name: (("seed", "step"), values) for name, values in known.items()})


def test_the_prose_uses_the_numbers_that_there_are(monkeypatch):
    encoder = {"dealt": 0.12, "seen": 0.98, "centred": 0.5}
    judged = {
        "L45": Finding("holds", value=1.5),
        "LM12": Finding("holds", value=0.75, numbers=encoder),
        "LM14": Finding("holds", numbers={"ended": 0.25, "less": 0.5}),
    }
    monkeypatch.setitem(numbers.__globals__, "findings", lambda ids: judged)
    late, soon = curves(100, 2000), curves(100, 150)
    phases = {"MNIST": one_seed("MMGC", "MGCC"), "8 x 8 digits": one_seed("MCGC", "MMMM")}
    made = numbers(
        runs.plan(60, 4.0, 200, 2),
        {"large": late, "usual": soon},
        {8.0: late, 1.0: soon},
        {"decay": late, "no decay": curves(100, None)},
        phases,
        {8.0: read_out_curves(0.3, heavy=0.7), 1.0: soon, "8 x 8 digits": read_out_curves(0.5)},
    )
    assert made["fresh_start"] == "80%" == made["heavy_start"] and made["fresh_own"] == "10%"
    assert (made["fresh_fit"], made["heavy_fit"]) == ("30%", "70%")
    assert made["small_least"] == "50%" and not made["small_ready"].holds
    assert set(made) == names_used("15")
    assert (made["class_at_one"], made["new_own"], made["new_seen"]) == ("1.5", "75%", "98%")
    assert (made["new_dealt"], made["ends_ended"]) == ("12%", "25%")
    assert made["delayed"].holds and made["large_grok"].value == 2000
    assert made["ordered_lines"] == "2 of 3" and not made["ordered"].holds
    assert made["free_there"] == "none of 3" and made["decayed_there"] == "all 3"
    assert made["memorised_low"] == "100%" and made["memorised_rest"] == "17%"


def test_the_wait_of_the_page_is_the_time_in_which_decay_undoes_the_start():
    """(1 - eta lambda)^t alpha = 1 within a step of each thousand."""
    (wait,) = functions("15", "wait")
    steps = wait(8.0, 1e-3, 0.2)
    assert 8.0 * (1 - 1e-3 * 0.2) ** steps == pytest.approx(1, rel=1e-3)


# -------------------------------------------------------------------------------- a fresh read-out


@pytest.mark.parametrize("alpha", [8, 20])
def test_the_change_of_the_page_moves_a_product_of_three_weights_by_one(alpha):
    (change_needed,) = functions("15", "change_needed")
    changed = alpha * (1 + change_needed(alpha))
    assert changed**3 - alpha**3 == pytest.approx(1, rel=1e-3)


def test_what_a_read_out_has_right_is_read_at_the_start_the_fit_and_within_the_wait():
    row = refitted.read_out_wait(read_out_curves(0.7, dealt=0.2)).loc[0]
    assert (row.start, row.at_fit, row.least, row.dealt) == (0.8, 0.7, 0.7, 0.2)
    assert (row.heavy_start, row.heavy_at_fit, row.heavy_least) == (0.8, 0.7, 0.7)
    assert (row.fit_step, row.grok_step, row.own_at_fit) == (100, 2000, 0.1)
    late = curves(100, 150).assign(fresh_readout=curves(100, 150).test_accuracy)
    late["fresh_readout"] = late.fresh_readout.where(late.step != 3000, 0.0)
    after_the_wait = refitted.read_out_wait(late.assign(fresh_readout_dealt=late.test_accuracy))
    assert after_the_wait.least.tolist() == [0.1] * 3


@pytest.mark.parametrize(
    ("large", "usual", "verdict"),
    [
        ({"fresh": 0.7}, {"grok": 100}, "holds"),
        ({"fresh": 0.3, "heavy": 0.7}, {"grok": 100}, "undecided"),  # the ridge decides
        ({"fresh": 0.3}, {"grok": 100}, "fails"),  # the representation is not ready at the fit
        ({"fresh": 0.8}, {"grok": 100}, "fails"),  # it loses nothing
        ({"fresh": 0.77}, {"grok": 100}, "undecided"),  # it loses three points
        ({"fresh": 0.7}, {"grok": 2000}, "fails"),  # the usual recipe waits as well
        ({"fresh": 0.7, "dealt": 0.5}, {"grok": 100}, "undecided"),  # a sham reads as much
        ({"fresh": 0.7, "seeds": 2}, {"grok": 100}, "undecided"),
    ],
)
def test_on_images_the_read_out_alone_must_wait(large, usual, verdict):
    """R02: ready at the fit, worse than at the start, and no wait from the usual start."""
    worlds = {8.0: read_out_curves(**large), 1.0: read_out_curves(0.9, **usual)}
    found = {start: refitted.read_out_wait(data) for start, data in worlds.items()}
    judged = refitted.grokking_is_the_read_out(claims.Runs(found, runs.read_outs()))
    assert judged.verdict == verdict
    alone = claims.Runs({8.0: found[8.0]}, runs.read_outs())
    assert refitted.grokking_is_the_read_out(alone).numbers["told"] == "not run"
