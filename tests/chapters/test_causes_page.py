"""Chapter 19: what its page says and draws, from shares that are made up."""

import re

import numpy as np
import pandas as pd
import pytest

from causes_runs import grid_world, inverse
from grokbook.runs.experiment import load_or_run
from grokbook_chapters.causes import figures, handed, laws, predictors, runs
from grokbook_chapters.causes.numbers import (
    TOLD,
    conditions,
    every_arm,
    numbers,
    predictor_table,
)
from written_pages import functions, names_used


def times(groks, fits=50):
    """A table as `grok_times` makes it; None: not by the last step."""
    columns = {"grok_step": groks, "fit_step": [fits] * len(groks)}
    table = pd.DataFrame({name: pd.array(steps, "Int64") for name, steps in columns.items()})
    return table.assign(delay=table.grok_step - table.fit_step, settled_step=table.grok_step)


def test_a_share_is_of_the_arm_that_an_arm_is_compared_with():
    """Free runs wait 400 steps, those of the usual norm 200, those of a larger norm 600."""
    tables = {
        "free": times([450] * 12),
        "norm-at-1": times([250] * 12),
        "norm-at-1.2": times([650] * 12),
        "no-decay": times([None] * 12),
        "float64-no-decay": times([450] * 12),  # nothing to be a share of
    }
    found = handed.shares(tables, "Q")
    assert found["median"].to_dict() == {
        "free": 1.0,
        "norm-at-1": 0.5,
        "norm-at-1.2": 3.0,
        "no-decay": np.inf,
    }
    assert found.observed.tolist() == ["same", "shorter", "longer", "never"]
    assert found.late.tolist() == [0, 0, 0, 12]


def test_the_share_of_the_page_is_the_library_s():
    """Equation (19.1) as the page writes it in sight."""
    (share_of_wait,) = functions("19", "share_of_wait")
    free = times([450, 650])
    changed = times([230, 300], fits=30)
    expected = handed.waits(changed, free)
    np.testing.assert_allclose(share_of_wait(changed, free).astype(float), expected)


def test_the_network_of_the_page_is_bench_q_and_homogeneous_of_degree_three():
    """Equation (19.2) for the library's network: its pair of one-hot operands, hidden and output."""
    (squares,) = functions("19", "squares")
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(4, 6))
    output = rng.normal(size=(3, 4))
    pair = np.array([0.0, 1, 0, 1, 0, 0])
    once = squares(hidden, output, pair)
    np.testing.assert_allclose(output @ (hidden[:, 1] + hidden[:, 3]) ** 2, once)
    np.testing.assert_allclose(squares(1.7 * hidden, 1.7 * output, pair), 1.7**3 * once)


BASES = ("free", "norm-at-1", "data-balanced")
"""What arms are compared with."""

SHARE_OF = {"none": 0.0, "shorter": 0.5, "same": 1.0, "longer": 2.0}


def of_word(word):
    """Twelve runs that come out so beside runs that wait 400 steps."""
    if word in ("never", "no run"):
        return times([None] * 12)
    if word == "unfit":
        return times([None] * 12, fits=None)
    if word == "open":
        return times([170] * 6 + [1250] * 6)
    return times([round(50 + 400 * SHARE_OF[word.removeprefix("all ")])] * 12)


def world(changed=()):
    """Grok times in which each condition of the prose holds, but that some arms wait as long as the
    runs that they are compared with."""
    tables = {bench: {arm: of_word("same") for arm in BASES} for bench in "QTLR"}
    for row in conditions().itertuples():
        word = "same" if row.arm in changed else row.word.split(" or ")[0]
        tables[row.bench][row.arm] = of_word(word)
    return tables


@pytest.fixture(scope="module")
def live():
    """The runs that the page trains, at its smallest."""
    return {name: load_or_run(run) for name, run in runs.plan("decay-double", 1).items()}


def at_the_fit(told=None):
    """What each predictor says of the wait on each bench, as the prose has it or as `told`."""
    found = {}
    for bench, words in (told or TOLD).items():
        rows = {}
        for name in predictors.PREDICTORS:
            word = words.get(name, "not seen")
            rows[name] = predictors.Foretold(0.1, 0.2, 0.1, 0.3, 0.5, word)
        found[bench] = rows
    return found


def published(live, tables, grids, predicted=None):
    shares = {bench: handed.shares(arms, bench) for bench, arms in tables.items()}
    return numbers(live, tables, shares, grids, predicted or at_the_fit())


def steep(settings):
    """Waits that depend on the share of the pairs alone."""
    return 30 * settings.train_fraction**-8.0


def grids(wait):
    made = grid_world(wait)
    return {bench: laws.of_bench(made, bench) for bench in laws.STEPS}


LAWS_HOLD = grids(steep)
LAWS_HOLD["T"] = grids(inverse)["T"].assign(end=1.0)  # there the norm falls


def test_each_condition_of_the_prose_holds_in_its_world_and_not_in_another(live):
    found = published(live, world(), LAWS_HOLD)
    assert all(found[name].holds for name in conditions().condition)
    assert found["Q_features_50"].value == 0.5 and found["T_head_50_band"] == "1.00 to 1.00"
    assert found["Q_free_wait"].value == 400 and found["arm"] == "decay double"
    assert found.keys() == names_used("19")
    share = float(re.search(r"leaves (.*) of the wait", found["arm_did"])[1])
    assert 0.4 < share < 0.9
    changed = ("features-50", "decay-until-the-fit", "temperature-half-norm-held")
    assert all(found[name].holds for name in ("laws_q", "rises_q", "inverse_t"))
    falling = grids(inverse)
    falling["Q"] = falling["Q"].assign(end=1.0)
    other = published(live, world(changed), falling)
    assert not any(other[name].holds for name in ("laws_q", "rises_q", "inverse_t"))
    told = {name for name in conditions().condition if not other[name].holds}
    assert told == {"q_handed", "r_handed", "t_handed", "phases", "logits"}


def test_what_is_said_of_every_run_is_not_said_where_one_comes_out_otherwise(live):
    """Eleven of twelve are most, not all."""
    tables = world()
    tables["R"]["decay-until-the-fit"] = times([450] + [None] * 11)
    tables["Q"]["gradient-orthogonal-no-decay"] = times([250] * 11 + [None])
    found = published(live, tables, LAWS_HOLD)
    told = {name for name in conditions().condition if not found[name].holds}
    assert told == {"phases", "across"}


def test_without_records_nothing_is_known_and_nothing_breaks(live):
    empty = {bench: {} for bench in "QTLR"}
    found = published(live, empty, {"Q": None, "T": None}, dict.fromkeys(TOLD, {}))
    truths = (*conditions().condition, "laws_q", "rises_q", "told_q", "told_t", "told_r")
    assert {found[name].holds for name in truths} == {None}
    shares = {bench: handed.shares({}, bench) for bench in "QTLR"}
    for fig in (
        figures.left_of_the_wait(shares, figures.DECAYED),
        figures.handed_over(shares),
        figures.held_norms(shares),
        figures.off_by({"Q": None, "T": None}),
    ):
        assert fig.axes
    assert every_arm(shares).empty
    assert predictor_table(dict.fromkeys(TOLD, {})).empty


def test_what_the_prose_says_of_predictors_is_of_all_of_them(live):
    """One more that foretells, or one that does not, and the sentence of its bench is not shown."""
    assert published(live, world(), LAWS_HOLD)["told_q"].holds
    other = TOLD | {"Q": {"test_loss": "later"}, "T": {"hidden_norm": "later"}}
    found = published(live, world(), LAWS_HOLD, at_the_fit(other))
    assert [found[name].holds for name in ("told_q", "told_t", "told_r")] == [False, False, True]
    table = predictor_table(at_the_fit(other))
    assert table.loc["hidden norm", "T"] == "0.20 (0.10 to 0.30), later"


def test_arms_that_lose_what_they_have_learned_have_another_word_where_it_has_to_stay(live):
    tables = world()
    lost = tables["Q"]["features-50"]
    tables["Q"]["features-50"] = lost.assign(settled_step=pd.array([None] * 12, "Int64"))
    before = published(live, world(), LAWS_HOLD)["turned"]
    after = published(live, tables, LAWS_HOLD)["turned"]
    assert before.startswith("none of") and after.startswith("1 of")


def test_a_row_has_a_point_at_its_median_and_an_arrow_where_most_runs_do_not_generalise():
    shares = {"Q": handed.shares(world()["Q"], "Q")}
    rows = {"features-50": "features", "no-decay": "no decay", "never-run": "elsewhere"}
    (ax,) = figures.left_of_the_wait(shares, rows, "Q").axes
    marks = {line.get_marker(): line for line in ax.lines if len(line.get_xdata()) == 1}
    assert marks["o"].get_xdata()[0] == 0.5 and marks[">"].get_xdata()[0] == figures.MOST
    assert [text.get_text() for text in ax.get_yticklabels()] == [*rows.values()]


def test_runs_of_the_page_stand_above_the_rows_each_at_its_share():
    shares = {"Q": handed.shares(world()["Q"], "Q")}
    trained = pd.Series([0.5, np.inf, np.nan], name="norm-at-0.7")  # the last one did not fit
    (ax,) = figures.left_of_the_wait(shares, {"features-50": "features"}, "Q", trained).axes
    heights = {line.get_marker(): line for line in ax.lines if set(line.get_ydata()) == {-1}}
    assert heights["P"].get_xdata().tolist() == [0.5]
    assert heights[">"].get_xdata().tolist() == [figures.MOST]
    assert "here: norm at 0.7" in [text.get_text() for text in ax.get_yticklabels()]
