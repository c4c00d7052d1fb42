"""Chapter 19: the statistics against closed forms, predictions against arms, judgements that come
out either way."""

import io
import math
import subprocess
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.claims import Runs
from grokbook.curves.delay import grok_times
from grokbook.errors import ParameterError
from grokbook.paths import project_root
from grokbook.runs.experiment import available
from grokbook.training import train
from grokbook.training.interventions import Hook, Hooked
from grokbook_chapters.causes import claims, effects, runs

ROOT = project_root()
UNPREDICTED = {
    "T": {"data-balanced"},
    "Q": {"data-balanced", "squared-error"},
    "L": {
        "decay-on-hidden-alone",
        "decay-on-output-alone",
        "decay-not-on-output",
        "head-handed-over",
    },
}
"""Arms of which no explanation says anything: baselines, and what theories of other networks would
be asked of L."""


def times(groks, fits=10):
    """A table as `grok_times` makes it."""
    return pd.DataFrame(
        {
            "grok_step": pd.array(groks, dtype="Int64"),
            "fit_step": pd.array([fits] * len(groks), "Int64"),
        }
    )


@given(st.lists(st.floats(0.01, 3), min_size=1, max_size=10))
@settings(max_examples=40, deadline=None)
def test_equal_signs_have_the_least_p_value_and_flipping_all_changes_nothing(logs):
    """Two of the 2^n patterns have a sum of that size: all plus, all minus."""
    assert effects.flips(logs) == pytest.approx(2 ** (1 - len(logs)))
    mixed = [value * (-1) ** k for k, value in enumerate(logs)]
    assert effects.flips(mixed) == pytest.approx(effects.flips([-value for value in mixed]))


def test_the_test_of_signs_keeps_its_level_where_there_is_no_effect():
    rng = np.random.default_rng(0)
    share = np.mean([effects.flips(rng.normal(size=8)) <= 0.05 for _ in range(2_000)])
    assert share < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 2_000)
    assert share > 0.03  # it is exact, not merely safe


def test_holms_rule_by_hand_and_never_below_the_raw_value():
    """m p_(1), then the larger of the one before and (m - 1) p_(2), and so on (Holm 1979)."""
    np.testing.assert_allclose(effects.holm([0.04, 0.001, 0.02, 0.9]), [0.08, 0.004, 0.06, 0.9])
    p = np.random.default_rng(1).uniform(size=30)
    assert (effects.holm(p) >= p).all() and (effects.holm(p) <= 1).all()


def test_an_effect_is_the_geometric_mean_of_the_ratios_and_a_late_run_stands_at_the_cap():
    base, cap = times([100, 200, 400]), 1_000
    found = effects.effect(times([200, 400, 800]), base, cap)
    assert (
        found["ratio"] == pytest.approx(2)
        and found["low"] == pytest.approx(2)
        and found["late"] == 0
    )
    late = effects.effect(times([200, 400, None]), base, cap)
    assert late["ratio"] == pytest.approx((2 * 2 * 2.5) ** (1 / 3)) and late["late"] == 1
    assert effects.effect(times([50, None], None), base, cap)["unfit"] == 2


@pytest.mark.parametrize(
    ("row", "word"),
    [
        ({"ratio": 2.0, "low": 1.5, "high": 2.5, "holm": 0.03}, "longer"),
        ({"ratio": 0.5, "low": 0.4, "high": 0.6, "holm": 0.03}, "shorter"),
        ({"ratio": 1.0, "low": 0.9, "high": 1.1, "holm": 1.0}, "same"),
        ({"ratio": 1.3, "low": 0.7, "high": 2.1, "holm": 0.3}, "open"),
        ({"ratio": 9.0, "low": 8.0, "high": 9.9, "holm": 0.01, "late": 12}, "never"),
        ({"ratio": 9.0, "low": 8.0, "high": 9.9, "holm": 0.01, "late": 11}, "rarely"),
        ({"ratio": 9.0, "low": 8.0, "high": 9.9, "holm": 0.01, "late": 12, "unfit": 7}, "unfit"),
    ],
)
def test_what_was_observed_in_a_word(row, word):
    assert effects.observed({"runs": 12, "late": 0, "unfit": 0} | row) == word


def test_every_prediction_is_judged_both_ways():
    """Each of the four words has an observation that agrees and one that contradicts; unfit decides
    nothing, open only that it was not "never"."""
    for word in ("shorter", "longer", "same", "never"):
        outcomes = {effects.judged(word, seen) for seen in ("shorter", "longer", "same", "never")}
        assert outcomes == {"agrees", "contradicts"}
        assert {effects.judged(word, seen) for seen in ("unfit", "")} == {"open"}
        assert effects.judged(word, "open") == ("contradicts" if word == "never" else "open")
    rarely = {
        word: effects.judged(word, "rarely") for word in ("shorter", "longer", "same", "never")
    }
    assert rarely == {
        "shorter": "contradicts",
        "longer": "agrees",
        "same": "contradicts",
        "never": "open",
    }


def test_every_prediction_is_of_an_arm_and_says_whose_words_it_rests_on():
    table = effects.predictions()
    for bench in effects.BENCHES:
        there = set(runs.arms(bench))
        assert set(table.arm[table[bench] != ""]) <= there
        assert {effects.against(arm, bench) for arm in there} <= there
        assert there - set(table.arm[table[bench] != ""]) == UNPREDICTED[bench] | {"free"}
        assert set(table[bench]) <= {"shorter", "longer", "same", "never", ""}
    assert table.words.astype(bool).all() and table.refuted_by.astype(bool).all()
    assert not table.duplicated(["explanation", "arm"]).any()
    assert {"sham", "check", "oracle", "test"} == set(table.role)


def test_arms_have_keys_of_their_own_and_differ_from_the_free_run_in_one_thing():
    for bench in runs.BENCH_NAMES:
        arms = runs.arms(bench)
        assert len({arm.key for arm in arms.values()}) == len(arms)
        assert all(
            arm.config.steps == arms["free"].config.steps and arm.together for arm in arms.values()
        )


COSINES: list[tuple[float, float]] = []


@dataclass(frozen=True)
class Looked(Hook):
    """What notes the cosine of the gradient with the weights and with the direction of
    `Project("random")`."""

    def gradient(self, weights, gradient, numbers, shapes):
        direction = torch.randn(1, weights.shape[1], generator=torch.Generator().manual_seed(0))
        COSINES.append(
            tuple(float(torch.cosine_similarity(gradient, u)) for u in (weights, direction))
        )
        return gradient


@pytest.mark.parametrize(("seed", "least", "most"), [(3, 0.0, 0.05), (0, 0.3, 1.0)])
def test_a_random_direction_is_no_sham_of_equal_size_and_is_that_of_the_start_for_seed_0(
    seed, least, most
):
    """Page 19 says so: from the fit on beyond -0.7 with the weights, within 0.05 of zero with a
    random direction."""
    free = runs.free("Q")
    COSINES.clear()
    looked = replace(free, steps=200, optimizer=Hooked(free.optimizer, (Looked(),)))
    train([looked.with_seed(seed)], progress=False)
    weights, random = np.array(COSINES[runs.FITTED["Q"] :]).T
    assert len(COSINES) == 200 and weights.max() < -0.7
    assert least <= np.abs(random).min() and np.abs(random).max() <= most


def test_predictions_stand_unchanged_in_the_commits_that_are_said_to_hold_them():
    """Explanation, arm, word and what would refute it, as git has them; a clone without history
    cannot tell."""
    git = partial(subprocess.run, capture_output=True, cwd=ROOT, check=False, text=True)
    for bench in effects.BENCHES:
        table = effects.predictions()
        mine = table[table[bench] != ""].rename(columns={bench: "predicted"})
        mine = mine.assign(committed=[effects.committed(bench, added) for added in mine.added])
        for commit, rows in mine.groupby("committed"):
            tree = git(["git", "ls-tree", "-r", "--name-only", commit])
            if tree.returncode:
                pytest.skip("this clone has no history")
            # the file has moved with its package
            (path,) = [p for p in tree.stdout.split() if p.endswith("causes/predictions.csv")]
            shown = git(["git", "show", f"{commit}:{path}"])
            then = pd.read_csv(io.StringIO(shown.stdout), keep_default_na=False, dtype=str)
            said = {(r["explanation"], r["arm"]): r[bench] for _, r in then.iterrows()}
            assert all(said[row.explanation, row.arm] == row.predicted for row in rows.itertuples())


def test_arms_that_are_added_later_do_not_change_what_the_first_ones_settled():
    """Holm's rule counts the arms of a round: 52 first ones, then 5, 3, 4, 4 and 2 on bench Q."""
    sizes = {bench: [len(names) for names in effects.families(bench)] for bench in "QTL"}
    assert sizes["Q"] == [52, 5, 3, 4, 4, 2]
    assert sizes["T"][1:] == [4] and sizes["L"][1:] == [2]
    tables = {name: times([200] * 12) for name in runs.arms("Q")}
    found = effects.compared(tables | {"free": times([100] * 12)}, "Q")
    against_free = [effects.against(name, "Q") == "free" for name in found.index]
    rounds = [
        next(
            (k for k, names in enumerate((added() for added in runs.ROUNDS), 1) if name in names), 0
        )
        for name in found.index[against_free]
    ]
    least = found.holm[against_free].groupby(rounds).min()
    assert least.tolist() == pytest.approx([n * 2**-11 for n in (52, 5, 3, 4, 4, 2)])


def test_the_tuned_settings_are_the_best_of_the_recorded_search():
    """The least median grok step of three seeds that no arm has; of equals the last."""
    for name, sweep in runs.searches().items():
        assert not set(sweep.seeds) & set(range(runs.SEEDS))
        times = effects.restricted(grok_times(available(sweep)), sweep.config.steps)
        median = times.groupby([axis.name for axis in sweep.axes]).median()
        assert median[median == median.min()].index[-1] == runs.TUNED[name]


def test_an_unknown_bench_or_arm_is_refused():
    with pytest.raises(
        ParameterError, match="'grokfst' is none of the .* arms of bench Q; nearest: grokfast"
    ):
        runs.arm("Q", "grokfst")
    with pytest.raises(ParameterError, match="bench = 'X'"):
        runs.free("X")
    assert np.isnan(effects.flips([]))


# of a claim: the explanation with its arms, and the grok step of one in a world where it is not
# true
WORLDS = {
    "after_the_fit": (
        "circuit efficiency",
        {"decay-until-the-fit": 800, "decay-from-the-fit": None},
    ),
    "start": ("start", {"start-double": None, "start-half": 800}),
    "norm_held": (
        "weight norm",
        {f"norm-at-{r}": None for r in (0.7, 0.85, 1.2)} | {"norm-at-1.45": 200},
    ),
    "logit_scale": (
        "logit scale",
        {"temperature-double-norm-held": None, "temperature-half-norm-held": 200},
    ),
    "lazy_to_rich": (
        "lazy to rich",
        {"lazy-4": None, "rich-4": None, "centred": None, "linearised": 800},
    ),
    "sooner": ("numerics", {"gradient-orthogonal-from-the-fit": None, "stablemax": 800}),
    "radius": (
        "radial suppression",
        {"radius-at-root-width": 800, "radius-at-half": None, "radius-at-half-no-decay": None},
    ),
}
OURS = {
    "features": {("Q", "embedding-given"): "shorter", ("Q", "embedding-given-renamed"): "shorter"},
    "pulled": {("Q", "ring-of-step-1"): "longer", ("Q", "ring-of-step-1-away"): "shorter"},
}


def world(claimed, changed=None, seeds=12):
    """Runs in which every arm does what is claimed of it, but for those that are changed; free runs
    at 400."""
    at = {"shorter": (200,), "longer": (800,), "same": (396, 404), "never": (None,)}
    steps = {(bench, effects.against(arm, bench)): (400,) for bench, arm in claimed}
    steps |= {arm: at[word] for arm, word in claimed.items()}
    steps |= {arm: (step,) for arm, step in (changed or {}).items()}
    return Runs({arm: times([*own * seeds][:seeds]) for arm, own in steps.items()})


def words_of(claimed, check, *others):
    """The verdicts in other worlds; checked are its own, one of too few seeds, one without runs."""
    assert check(world(claimed)).verdict == "holds"
    assert check(world(claimed, seeds=2)).verdict == "undecided"
    if {"shorter", "longer"} & set(claimed.values()):
        assert check(world(claimed, seeds=5)).verdict == "undecided"
    assert check(Runs()).verdict == "undecided"
    return [check(world(claimed, other)).verdict for other in others]


@pytest.mark.parametrize("name", WORLDS)
def test_a_sentence_of_others_holds_where_each_bench_bears_it_out_and_one_bench_alone_leaves_it_undecided(
    name,
):
    explanation, arms = WORLDS[name]
    claimed = claims.predicted(explanation, *arms)
    ((wrong, step),) = [(arm, step) for arm, step in arms.items() if step is not None]
    contrary = [{(bench, wrong): step} for bench, arm in claimed if arm == wrong]
    assert set(words_of(claimed, getattr(claims, name), *contrary)) == {"undecided"}
    assert {arm for _, arm in claimed} == set(arms)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("features", {("Q", "embedding-given-renamed"): 600}),
        ("pulled", {("Q", "ring-of-step-1"): 200}),
    ],
)
def test_a_sentence_of_ours_is_about_bench_q_and_fails_where_it_is_false_there(name, wrong):
    assert words_of(OURS[name], getattr(claims, name), wrong) == ["fails"]


def test_what_an_explanation_does_not_say_of_a_bench_is_no_part():
    assert {bench for bench, _ in claims.predicted("numerics", "stablemax")} == {"Q", "T"}
    assert claims.predicted("weight norm", "norm-at-1.2")["T", "norm-at-1.2"] == "same"


@pytest.mark.parametrize(
    ("plain", "orthogonal", "stable", "verdict"),
    [
        (None, 400, 600, "holds"),
        (None, 400, None, "undecided"),
        (400, 400, 600, "undecided"),
    ],
)
def test_remedies_without_decay_are_tested_only_where_runs_need_them(
    plain, orthogonal, stable, verdict
):
    """On bench T each remedy does it in all three worlds; that a run has not by the last step
    refutes nothing."""
    steps = dict(zip(("no-decay", *claims.FREE_OF_DECAY), (plain, orthogonal, stable), strict=True))
    there = dict(zip(steps, (None, 400, 600), strict=True))
    runs = {("Q", name): times([step] * 12) for name, step in steps.items()}
    found = claims.without_decay(
        Runs(runs | {("T", name): times([step] * 12) for name, step in there.items()})
    )
    assert found.verdict == verdict
    assert (
        claims.without_decay(Runs(runs)).verdict
        == claims.without_decay(Runs()).verdict
        == "undecided"
    )
