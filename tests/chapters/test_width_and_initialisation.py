"""Chapter 09: settings differ in what they say, each verdict follows the runs, figures and tables
show every run."""

import dataclasses
from math import comb

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from companion.claims import Runs, choose
from companion.claims.finding import UNDECIDED
from grokbook.models.start import embedding_start
from grokbook.runs.recording import catalogue
from grokbook.theory.toeplitz_start import squared_steps
from grokbook.training.cost import step_seconds
from grokbook.training.optim import AdamW
from grokbook_chapters.gu2025 import fig5, modular_run
from grokbook_chapters.width_and_initialisation import (
    STARTS,
    claims,
    delays,
    numbers,
    planning,
    runs,
    staircases,
    tables,
)
from grokbook_chapters.width_and_initialisation.recorded import Recorded
from written_pages import functions, names_used

N = None
STEPS = np.arange(0, 10_001, 100)
LIVE = {
    "p": 11,
    "train_fraction": 0.6,
    "d_model": 16,
    "steps": 100,
    "n_seeds": 2,
    "start": "toeplitz",
}


def table(*steps, last=10_000):
    seen = pd.array(steps, dtype="Int64")
    return pd.DataFrame({"grok_step": seen, "onset_step": seen, "last_step": last})


def dataset(*curves):
    """Runs with these test accuracies at every step, or that jump to 1 at a step (an integer above
    1).

    A negative one is swung about, by 0.04 up and down.
    """
    swings = 0.04 * (-1.0) ** np.arange(STEPS.size)
    rows = [np.where(c <= STEPS, 1.0, 0.01) if c > 1 else abs(c) + (c < 0) * swings for c in curves]
    series = {
        "train_accuracy": np.ones_like(rows),
        "test_accuracy": rows,
        "test_accuracy_unmirrored": rows,
    }
    return xr.Dataset(
        {n: (("seed", "step"), np.asarray(v)) for n, v in series.items()},
        {"seed": range(len(rows)), "step": STEPS},
    )


def verdict(name, runs):
    """What a claim's check says at its own bar of runs with these curves, by label."""
    claim = choose([name])[0]
    assert set(runs) <= {*claim.runs(), *(claim.beside() if claim.beside else ())}
    look = claim.through or (lambda d: d)
    return claim.check(
        Runs({label: look(dataset(*curves)) for label, curves in runs.items()})
    ).verdict


# ---------------------------------------------------------------------------------------- settings


def test_settings_of_one_question_differ_in_it_alone():
    optimised = runs.by_optimiser().values()
    assert len({dataclasses.replace(e.config, optimizer=AdamW()) for e in optimised}) == 1
    for e in optimised:  # one protocol
        assert (e.config.optimizer.warmup, e.config.optimizer.weight_decay) == (
            AdamW().warmup,
            AdamW().weight_decay,
        )
    rates = {(type(e.config.optimizer), e.config.optimizer.learning_rate) for e in optimised}
    assert rates == {
        (kind, rate) for kind in runs.ACCELERATORS.values() for rate in (3e-4, 1e-3, 3e-3)
    }
    for settings in (runs.by_start(), runs.small_by_start(), runs.fresh(), runs.plan(**LIVE)):
        assert len({dataclasses.replace(e.config, start="normal") for e in settings.values()}) == 1
    shifts = [e.config for e in runs.small_by_shift().values()]
    assert [c.task.shift for c in shifts] == [c.model.shift for c in shifts] == [0, 20, 40, 59]
    assert len({(c.steps, c.n_train, c.model.d_model) for c in shifts}) == 1


def test_labels_say_what_the_settings_are():
    """Gu et al. 2025, captions of Figs 9 to 11: (97, 85), (47, 0), (43, 0), (43, 43)."""
    for label, run in runs.by_width().items():
        task, model = run.config.task, run.config.model
        longer = f", {run.config.steps:,} steps" if "steps" in run.name else ""
        assert label == f"p = {task.p}, k = {task.shift}, d = {model.d_model}{longer}"
    each = runs.by_position, runs.small_by_position, runs.wider_by_position, runs.many_by_position
    for label, run in (item for settings in each for item in settings().items()):
        assert label.endswith("on") == run.config.model.positional
        assert run.config.task.shift == run.config.task.p


def test_what_is_recorded_has_three_seeds_unless_more_were_set_aside():
    compared = {runs.unchanged()}  # what others are compared with has all of its seeds
    for run in {run for settings in runs.RUNS for run in settings().values()} - compared:
        many = {
            "gu2025/fig5[p=97]": 19,
            "gu2024/fig20[positions": 6,
            "gu2025/fig5": 10,
            "gu2025/fig10[p=43, d=128, steps=2": 15,
            "gu2025/fig10[p=43, d=128, steps=6": 10,
            "small/fig9[": len(runs.WIDTH_SEEDS),
            "small/fig19[d=48, ": len(runs.MANY),
            "small/fig19[": runs.PAIRS,
            "small/fig20[d=96, ": 18,
            "small/fig21[d=48, ": 21,
            "small/fig21[": 13,
        }
        found = [seeds for name, seeds in many.items() if run.name.startswith(name)]
        assert (
            len(run.seeds) == (found or [13 if run in runs.with_fresh_seeds().values() else 3])[0]
        )


def test_a_claim_has_seeds_enough_to_be_refuted():
    """Three runs with a level are found among ten where half have one (binomial: 0.95)."""
    assert 1 - sum(comb(10, n) for n in range(3)) / 2**10 == pytest.approx(0.95, abs=0.005)
    young, old = claims.fig20()["30%, toeplitz"], claims.fig20()["30%, normal"]
    assert young.seeds == old.seeds == tuple(range(5, 15))
    assert {len(e.seeds) for e in claims.at_width(256).values()} == {claims.ORDERED}


def test_the_seeds_that_decide_are_not_those_that_were_looked_at():
    """Only structure, scale or mean differs from the normal start, and no seed of the first runs is
    among them."""
    looked_at = {seed for run in runs.small_by_start().values() for seed in run.seeds}
    assert all(
        not looked_at & set(run.seeds) and len(run.seeds) == 10 for run in runs.fresh().values()
    )
    assert set(runs.fresh()) == {
        "normal",
        "toeplitz",
        "toeplitz_normal",
        "small_normal",
        "normal_mean",
    }


def test_the_level_of_width_128_is_asked_of_seeds_that_were_not_looked_at():
    """No seed of shorter runs of Fig. 10 at width 128 is among those of the longest, which alone
    may refute GF10."""
    *seen, last = (
        e for label, e in runs.by_width().items() if label.startswith("p = 43, k = 0, d = 128")
    )
    assert last.config.steps > max(e.config.steps for e in seen)
    assert not set(last.seeds) & {seed for e in seen for seed in e.seeds}


def test_configurations_differ_except_where_two_figures_share_one():
    """Random start at 30 %, p = 97, is Fig. 5 and a curve of Fig. 20."""
    by_key: dict[str, list[str]] = {}
    for name, run in catalogue().items():
        by_key.setdefault(run.key, []).append(name)
    shared = [names for names in by_key.values() if len(names) > 1]
    assert shared == [["gu2025/fig5[p=97]", "gu2025/fig20[start=normal, frac=0.3]"]]
    assert runs.by_start()["normal"].key == fig5(97).key


def test_a_companion_takes_changes_of_every_kind():
    config = runs.small(
        "x", train_fraction=0.3, start="positive", positional=False, d_model=32
    ).config
    assert (config.start, config.model.positional, config.n_train) == ("positive", False, 1044)
    assert config.model.d_model == 32


# ------------------------------------------------------------------------------ parts of statements


@pytest.mark.parametrize(
    ("first", "second", "answer"),
    [
        (table(*[500] * 5), table(*[1000] * 5), True),
        (table(*[800] * 5), table(*[1000] * 5), False),
        (table(500, 500), table(1000, 1000, 1000), None),
        (table(*[5000] * 5), table(*[N] * 5), True),
        (table(*[N] * 5), table(*[1000] * 5), False),
        (None, table(1, 2, 3), None),
        (table(500, 500, 500), table(1000, 1000, 1000), None),  # three pairs cannot go below 1/8
        (
            table(500, 500, 500, 500, 2000),
            table(*[1000] * 5),
            None,
        ),  # the median is half, but one run is not
    ],
)
def test_halved(first, second, answer):
    assert claims.halved(first, second) is answer


@pytest.mark.parametrize(
    ("narrow", "wide", "answer"),
    [
        (table(N, N, N, last=20_000), table(500, 500, 500), True),
        (table(9000, 9000, 9000), None, False),
        (table(9000, 9000), None, None),
        (table(N, N, N, last=20_000), None, None),
        (table(N, N, N, last=20_000), table(15_000, 15_000, 15_000), None),
        (table(15_000, 15_000, 15_000, last=20_000), table(N, N, N, last=20_000), False),
        (None, None, None),
    ],
)
def test_earlier_by_ten_thousand(narrow, wide, answer):
    assert claims.earlier_by(narrow, wide, 10_000) is answer


@pytest.mark.parametrize(
    ("second", "first", "answer"),
    [
        (table(2, 2, 2), table(1, 1, 1), True),
        (table(1, 1, 1), table(2, 2, 2), False),
        (table(N, N, N), table(1, 1, 1), True),
        (table(N, N, N), table(N, N, N), None),
        (table(2, 2), table(1, 1, 1), None),
        (table(2, 5, 6), table(1, 3, 4), None),  # a later median of overlapping runs
    ],
)
def test_earlier_by(second, first, answer):
    assert claims.earlier_by(second, first) is answer


@pytest.mark.parametrize(
    ("curves", "about", "speeds", "apart"),
    [
        ([0.7, 0.72, 0.68], True, None, False),
        ([0.94] * 3, False, None, False),
        ([0.7, 0.94, 0.94], None, None, True),
        ([0.7, 0.94], None, None, True),  # two runs do differ; three are needed for the rest
        ([0.1, 0.2, 0.9], None, None, None),  # low is late
        ([9900, 9900, 9900], None, None, None),  # still rising
        ([2000, 5000, 5000], False, True, False),
        ([2000, 3000, 3500], False, False, False),
        ([2000, 3000, 0.1], None, True, None),  # the late one takes more than three times as long
        ([6000, 7000, 0.1], None, None, None),
    ],
)
def test_a_run_that_is_low_or_still_rises_has_no_level_and_is_only_late(
    curves, about, speeds, apart
):
    """ "Not by step T" and nothing else: Gu 2024, Figs 9 and 22 print no number of epochs."""
    runs = tables.times(dataset(*curves))
    assert (claims.about_07(runs), claims.speeds_differ(runs), claims.levels_differ(runs)) == (
        about,
        speeds,
        apart,
    )


# ---------------------------------------------------------------------------------------- claims

LOW, HIGH, TOP = [0.1] * 3, [0.99] * 3, [1.0] * 3
NARROW, WIDE = "p = 47, k = 0, d = 64", "p = 47, k = 0, d = 256"
EARLY, LATE = list(range(1000, 2000, 100)), list(range(2000, 4000, 200))
FRESH = {"normal": LATE, "toeplitz_normal": EARLY}
MIXED = [1500, 1600, 1700, 1800, 1900, 2000]


def starts(step):
    """Fig. 20, its Toeplitz runs beginning at this step and the others at 4000."""
    steps = {"toeplitz": [step] * 3, "normal": [4000] * 3}
    return {f"{f}, {start}": s for f in ("30%", "25%", "20%") for start, s in steps.items()}


def paired(factor, pairs=128, where="d = 48, 8,000 steps"):
    """Pairs with and without position vectors, those with them at `factor` times the steps."""
    off = [1000 + 137 * (7 * seed % 10) for seed in range(pairs)]
    on = [round(step * factor * 1.2 ** ((-1) ** seed)) for seed, step in enumerate(off)]
    return {f"{where}, on": on, f"{where}, off": off}


def rarely():
    """Two pairs of five are five times as late, the others a little earlier."""
    at = paired(1.0)
    with_them, without = at
    on = [step * 5 if seed % 5 < 2 else round(step * 0.95) for seed, step in enumerate(at[without])]
    return at | {with_them: on}


def at_128(on, off):
    """The runs of Fig. 19 at the paper's size."""
    return {"p = 97, d = 128, on": on, "p = 97, d = 128, off": off}


@pytest.mark.parametrize(
    ("name", "runs", "answer"),
    [
        (
            "GF20",
            {"30%, toeplitz": [2000] * 3, "30%, normal": [4000] * 3},
            UNDECIDED,
        ),  # one of three shares
        ("GF20", starts(2000), "holds"),
        ("GF20", starts(3400), "holds with correction"),  # earlier, and no half
        ("GF20", starts(4000), "fails"),
        ("GF09", {NARROW: LOW}, UNDECIDED),
        ("GF09", {NARROW: [9000] * 3}, "fails"),  # cannot be beaten by 10,000 steps
        ("GF10", {"d = 128": [-0.7] * 3, "d = 512": HIGH, "d = 1024": HIGH}, "holds"),
        ("GF10", {"d = 128": [-0.95] * 3, "d = 512": HIGH, "d = 1024": HIGH}, "fails"),
        (
            "GF10",
            {"d = 128": [0.7] * 3, "d = 512": HIGH, "d = 1024": HIGH},
            "fails",
        ),  # without a swing
        ("GF10", {"d = 128": LOW, "d = 512": HIGH, "d = 1024": HIGH}, UNDECIDED),
        ("GF10", {"d = 128": [-0.7] * 3, "d = 512": [0.9] * 3, "d = 1024": [0.9] * 3}, "fails"),
        (
            "GF10",
            {"d = 128": [-0.7] * 3, "d = 512": HIGH, "d = 1024": TOP},
            "holds",
        ),  # 0.01 is no significant gain
        ("GF10", {"d = 128": [-0.7] * 3, "d = 512": HIGH, "d = 1024": [0.9] * 3}, "holds"),
        (
            "GF10",
            {"d = 128": [0.05, 0.05, 9000]},
            UNDECIDED,
        ),  # one run that still rises, two that may be late
        (
            "GF10",
            {"d = 128": [-0.7] * 3, "d = 512": LOW, "d = 1024": HIGH},
            UNDECIDED,
        ),  # 512 is late, not low
        (
            "GF10",
            {"d = 128": [9900] * 3, "d = 128, 20,000 steps": [3000] * 3},
            "fails",
        ),  # the longest runs count
        ("GF10", {"d = 128": [0.7] * 3, "d = 128, 20,000 steps": LOW}, UNDECIDED),
        (
            "GF10",
            {"d = 128, 60,000 steps": [-0.95] * 9, "d = 512": HIGH, "d = 1024": HIGH},
            UNDECIDED,
        ),  # not all ten
        (
            "GF10",
            {"d = 128, 60,000 steps": [-0.95] * 10, "d = 512": HIGH, "d = 1024": HIGH},
            "fails",
        ),
        ("GE1", FRESH, "holds with correction"),  # in a setting of ours
        (
            "GE1",
            {"normal": EARLY, "toeplitz_normal": LATE},
            UNDECIDED,
        ),  # that it can help is not refuted here
        ("GE1", {"normal": EARLY, "toeplitz_normal": EARLY}, UNDECIDED),
        (
            "GE1",
            {"normal": LATE[:9], "toeplitz_normal": EARLY[:9]},
            UNDECIDED,
        ),  # not before all ten are there
        (
            "GE1",
            {"normal": [100, 9000] * 5, "toeplitz_normal": EARLY},
            UNDECIDED,
        ),  # too much scatter to find a half
        ("GE1", {"toeplitz_normal": EARLY, "small_normal": EARLY}, UNDECIDED),
        (
            "GF11",
            {"d = 256": LOW, "d = 512": LOW, "d = 1024": [500] * 3, "d = 2048": [500] * 3},
            "holds",
        ),
        ("GF11", {"d = 256": LOW, "d = 512": LOW, "d = 1024": [500] * 3, "d = 2048": LOW}, "fails"),
        ("GF11", {"d = 256": LOW, "d = 512": [500]}, UNDECIDED),  # one easy training set
        ("GF11", {"d = 256": LOW, "d = 512": [500] * 3}, "fails"),
        (
            "GF11",
            {"d = 256": LOW, "d = 512": LOW, "d = 1024": LOW, "d = 2048": LOW},
            UNDECIDED,
        ),  # late
        (
            "PF03",
            {f"k = {k}": [s] * 3 for k, s in {0: 1000, 45: 2000, 60: 3000, 81: 4000}.items()},
            "holds",
        ),
        (
            "PF03",
            {f"k = {k}": [s] * 3 for k, s in {0: 4000, 45: 3000, 60: 2500, 81: 1000}.items()},
            "fails",
        ),
        ("PF03", {f"k = {k}": [1000, 2000, 3000] for k in (0, 45, 60, 81)}, UNDECIDED),
        (
            "PF03",
            {"k = 0": [*MIXED, 0.1, 0.1], "k = 45": MIXED[:3], "k = 60": LOW, "k = 81": LOW},
            "holds",
        ),
        (
            "PF03",
            {"k = 0": MIXED} | {f"k = {k}": LOW for k in (45, 60, 81)},
            "holds with correction",
        ),  # a shift delays
        ("PF19", at_128([2000] * 3, [1000] * 3), "holds"),
        ("PF19", at_128([1000] * 3, [2000] * 3), "fails"),
        ("PF19", at_128([1000, 1100, 2500], [900, 2000, 2000]), UNDECIDED),
        ("PF19", paired(1.5), "holds with correction"),  # in a setting of ours
        ("PF19", paired(1.0), UNDECIDED),
        ("PF19", paired(0.7), UNDECIDED),  # earlier, in a setting of ours
        ("PF19", paired(1.5, 127), UNDECIDED),  # not all of them
        ("PF19", rarely(), UNDECIDED),  # far later in the mean, but not often
        ("PF19", paired(1.5) | at_128([1000] * 3, [2000] * 3), "fails"),  # the figure decides
        ("PF20", {"d = 256, on": MIXED, "d = 256, off": MIXED}, "holds"),
        (
            "PF20",
            {"d = 256, on": MIXED[:3], "d = 256, off": MIXED[:3]},
            UNDECIDED,
        ),  # 2 of 20 orders
        (
            "PF20",
            {"d = 256, on": [100, 9000] * 3, "d = 256, off": [200, 8000] * 3},
            UNDECIDED,
        ),  # a half is not found
        ("PF20", {"d = 256, on": MIXED, "d = 256, off": [2 * s for s in MIXED]}, "fails"),
        ("PF21", {"d = 512, on": [1000, 1100, 1200], "d = 512, off": [1500, 1600, 1700]}, "holds"),
        ("PF21", {"d = 512, on": [1000, 2100]}, "fails"),
        ("PF22", {"p = 47": [0.3] * 3}, UNDECIDED),  # none has left the floor
        ("PF22", {"p = 47": [4000, 0.3]}, UNDECIDED),  # the other may only be late
        ("PF22", {"p = 47": [4000, 0.7]}, "holds"),
        ("PF22", {"p = 47": [4000, 0.7], "p = 47, 60,000 steps": [4000, 4100, 4200]}, "fails"),
    ],
)
def test_the_verdict_follows_the_runs(name, runs, answer):
    assert verdict(name, runs) == answer


# a check, the last step of a run, its settings, the grok step in the middle of each where the paper
# is right, and where nothing is there
ON_OFF = ["p = 97, d = 128, on", "p = 97, d = 128, off"]
SHARES = [f"{share}, {kind}" for share in ("30%", "25%", "20%") for kind in ("toeplitz", "normal")]
TRUTHS = {
    "GF20": (10_000, SHARES, [2e3, 4e3] * 3, [4e3] * 6),
    "GF11": (
        200_000,
        [f"d = {d}" for d in (256, 512, 1024, 2048)],
        [1e7, 1e7, 2e4, 2e4],
        [2e4] * 4,
    ),
    "PF03": (10_000, [f"k = {k}" for k in (0, 45, 60, 81)], [3e3, 5e3, 8e3, 12e3], [3e3] * 4),
    "PF19": (20_000, ON_OFF, [8e3, 4e3], [6e3] * 2),
    "PF20": (20_000, ["d = 256, on", "d = 256, off"], [6e3] * 2, [8e3, 4e3]),
}


def drawn(middles, last, seeds, rng, spread=0.22):
    """Log-normal grok steps about these middles, by setting, censored at the last step."""
    tables = {}
    for label, middle in middles.items():
        steps = pd.Series(middle * np.exp(spread * rng.normal(size=seeds)))
        seen = steps.where(steps <= last)
        level = seen.notna() * 1.0
        columns = {"grok_step": seen, "onset_step": seen, "best": level, "late": level}
        tables[label] = pd.DataFrame(columns | {"last_step": last, "rises": False, "swing": 0.0})
    return Runs(tables)


@pytest.mark.parametrize(
    ("name", "seeds"), [("GF20", 3), ("GF11", 3), ("PF03", 3), ("PF19", 3), ("PF20", 6)]
)
def test_a_rule_finds_what_it_looks_for_and_is_quiet_where_nothing_is_there(name, seeds):
    """Twenty draws of each world, at a spread of half of the papers'."""
    last, labels, right, nothing = TRUTHS[name]
    verdicts = {}
    for world, middles in (("right", right), ("nothing", nothing)):
        rng = np.random.default_rng(0)
        at = dict(zip(labels, middles, strict=True))
        check = choose([name])[0].check
        verdicts[world] = [check(drawn(at, last, seeds, rng)).verdict for _ in range(20)]
    assert verdicts["right"].count("holds") >= 14
    assert verdicts["right"].count("fails") <= 5
    assert verdicts["nothing"].count("holds") <= 4


def test_three_seeds_are_too_few_to_call_an_order_unstable():
    last, labels, right, _ = TRUTHS["PF20"]
    rng = np.random.default_rng(0)
    for _ in range(5):
        found = drawn(dict(zip(labels, right, strict=True)), last, 3, rng)
        assert claims.order_is_unstable.check(found).verdict == UNDECIDED


# ---------------------------------------------------------------------------------------- tables


def test_the_spread_counts_a_setting_once_and_its_late_runs(monkeypatch):
    run, longer = fig5(47), fig5(47, steps=60_000)
    made = {
        (run.key, 5): dataset(1000, 2000, 4000),
        (longer.key, 5): dataset(1000, 2000, 4000, 0.1),
    }
    monkeypatch.setattr(
        tables, "load", lambda settings, through: {n: through(made[n]) for n in settings}
    )
    assert tables.recorded_spread([{"a": run}, {"a": run}]) == pytest.approx(
        (np.log(2), 3, 1), rel=1e-4
    )
    spread, count, settings = tables.recorded_spread([{"a": run, "longer": longer}])
    assert spread > np.log(2) and (count, settings) == (3, 1)  # the same runs, followed longer
    assert (
        tables.longest({"a": tables.times(made[run.key, 5]), "b": 0}, "a") == "a"
        and tables.longest({}, "a") is None
    )


@pytest.mark.parametrize(
    ("kind", "square"),
    [
        ("normal", 2),
        ("toeplitz_normal", 2),
        ("toeplitz", 1 / 6),
        ("positive", 1 / 6),
        ("circulant", 1 / 6),
    ],
)
def test_the_mean_square_step_of_a_start_depends_on_the_variance_alone(kind, square):
    """E|step|^2 = 2 Var(entry) d: variance 1/d, or 1/(12 d) of uniform numbers over the root of
    d."""
    tables = [embedding_start(kind, 59, 64, draw).double().numpy() for draw in range(100)]
    found = np.mean([squared_steps(each)[:-1].mean() for each in tables])
    assert found == pytest.approx(square, rel=0.05)


def test_steps_of_a_circulant_start_are_equally_long():
    """Where it has as many columns as symbols."""
    alike = squared_steps(embedding_start("circulant", 53, 53, 0).double().numpy())
    assert np.ptp(alike) < 1e-6 * alike.mean()


def test_a_pattern_makes_some_circles_stronger_than_others():
    """The table in sight: in independent numbers no circle stands out, in a Toeplitz table some
    do."""
    (strongest,) = functions("09", "strongest")
    for draw in range(5):
        tables = {kind: embedding_start(kind, 59, 64, draw).numpy() for kind in STARTS}
        found = {kind: strongest(table) for kind, table in tables.items()}
        assert max(found["normal"], found["small_normal"]) < 1.5
        assert min(found["toeplitz"], found["toeplitz_normal"]) > 2


# ---------------------------------------------------------------------------------------- the page


def test_the_formulas_in_sight_are_the_library_s():
    chance, seeds = functions("09", "chance", "seeds")
    for q, s in ((2, 0.5), (1.3, 0.2), (5, 0.9)):
        assert chance(q, s) == pytest.approx(planning.chance_of_ratio(s, q), rel=1e-12)
        assert seeds(q, s) == pytest.approx(seeds(1 / q, s), rel=1e-12)
    assert seeds(0.5, 0.5) == pytest.approx(0.5 * (2.4865 / np.log(2)) ** 2, rel=1e-3)


def test_muon_in_sight_has_singular_values_of_one_and_grokfast_its_gain():
    muon, grokfast = functions("09", "muon", "grokfast")
    update = np.random.default_rng(0).normal(size=(5, 5))
    assert muon(update) @ muon(update).T == pytest.approx(np.eye(5))
    slow = 0.0
    for _ in range(600):
        slow, seen = grokfast(slow, 1.0)
    assert seen == pytest.approx(3, abs=1e-4)  # a gradient that never changes counts 1 + gain times


def made_up(shifted=(N, N, N), wide=(1000,) * 8, late=0.001):
    """The recorded runs of the page in a world of one's own."""
    often = table(1000, 2000, 4000).assign(late=late, best=1.0)
    pairs = {"on": table(2000, 3000, N), "off": table(1000, 4000, 5000)}
    widths = {}
    for k, share, lengths in runs.PANELS:
        for d in lengths:
            steps = wide if d == 192 else (4000,) * 8
            widths[f"p = 37, k = {k}, d = {d}, {share:.0%} trained"] = table(*steps)
    shifts = {"k = 0": table(*[1000] * 6)}
    shifts |= {f"k = {k}": table(*shifted) for k in (20, 40, 59)}
    return Recorded(
        alike={"p = 97": often, "p = 47": table(3000, N, N)},
        large_shifts=shifts,
        small_shifts=shifts,
        positions=pairs,
        wider_positions={f"d = {d}, {state}": often for d in (96, 192) for state in ("on", "off")},
        own_positions={"on": often, "off": often},
        widths={},
        narrow=often,
        companions=widths,
        starts=dict.fromkeys(STARTS, often),
        onsets=dict.fromkeys(SHARES, often),
        race=dict.fromkeys(runs.ACCELERATORS, often),
    )


@pytest.fixture
def told(monkeypatch):
    """The numbers of the page without the ledger and the spread of all records."""
    known = numbers.__globals__
    judged = {"GE1": claims.Finding("undecided", value=0.3)}
    monkeypatch.setitem(known, "findings", lambda ids: judged)
    monkeypatch.setitem(known, "recorded_spread", lambda groups: tables.Spread(0.5, 20, 4))
    return lambda live, recorded: numbers(live, recorded)


def test_the_numbers_of_the_prose_are_those_that_the_page_uses(told):
    live = {"normal": table(500, N), "toeplitz": table(300, N)}
    found = told(live, made_up())
    assert found.keys() | {"p"} == names_used("09")
    assert (found["many_later"], found["many_earlier"], found["many_with"]) == (2, 1, "2 of 3")
    assert (found["alike_47"], found["alike_47_at"]) == ("1 of 3", "3,000")
    assert (found["chance_two"], found["live_least"]) == ("33%", "0.17")
    assert found["shifts_never"].holds and found["shifts_later"].holds and found["wide_one"].holds
    assert found["own_below"].holds and found["one_rate"].holds
    assert found["starts_alike"].holds and found["toeplitz_ratio"] == "1.00"


def test_a_sentence_goes_where_its_runs_do_not_bear_it_out(told):
    live = {"normal": table(*[900] * 5), "positive": table(*[800] * 5)}
    found = told(live, made_up(shifted=(900, N, N), wide=(4000,) * 8, late=0.5))
    for name in ("shifts_never", "shifts_later", "wide_one", "own_below"):
        assert found[name].holds is False, name


def test_a_staircase_goes_up_once_a_network_and_ends_with_the_runs():
    drawing = staircases({"": {"here": table(100, 300, N, last=900), "none": table(N, last=900)}})
    one, _, none, _ = drawing.axes[0].lines
    assert one.get_xdata().tolist() == [100, 100, 300, 900]
    assert one.get_ydata() == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3])
    assert none.get_ydata().tolist() == [0, 0]


def test_pairs_are_counted_on_the_side_of_the_later_network():
    with_them = table(2000, 500, N, N, 1000)
    without = table(1000, 1000, 1000, N, 1000)
    drawing = delays(with_them, without)
    texts = [text.get_text() for text in drawing.axes[0].get_legend().get_texts()]
    assert texts == ["later with them (2)", "earlier with them (1)"]


def test_a_step_of_each_optimiser_is_timed_once_a_turn():
    found = step_seconds(dict.fromkeys("ab", modular_run(7, 0.5, d_model=8, steps=4)), 3)
    assert [*found] == ["a", "b"] and all(
        len(each) == 3 and min(each) > 0 for each in found.values()
    )
