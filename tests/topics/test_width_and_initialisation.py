"""Chapter 09: settings differ in what they say, each verdict follows the runs, figures and tables show every run."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from grokbook.claims import Runs, choose
from grokbook.claims.finding import UNDECIDED
from grokbook.errors import ParameterError
from grokbook.experiments.gu2025 import fig5, modular_run
from grokbook.experiments.recording import catalogue
from grokbook.topics.width_and_initialisation import settings as width
from grokbook.topics.width_and_initialisation import tables
from grokbook.topics.width_and_initialisation.claims import SMALL_SIZE, earlier_by, halved, later, positions_delay
from grokbook.topics.width_and_initialisation.figures import grok_steps, starting_tables
from grokbook.training.optim import AdamW

N = None
STEPS = np.arange(0, 10_001, 100)
LIVE = {"p": 11, "train_fraction": 0.6, "d_model": 16, "steps": 100, "n_seeds": 2, "start": "toeplitz"}


def table(*steps, last=10_000):
    return pd.DataFrame({"grok_step": pd.array(steps, dtype="Int64"), "last_step": last})


def dataset(*curves):
    """Runs with these test accuracies at every step, or that jump to 1 at a step (an integer above 1)."""
    rows = [np.where(c <= STEPS, 1.0, 0.1) if c > 1 else np.full(STEPS.size, float(c)) for c in curves]
    series = {"train_accuracy": np.ones_like(rows), "test_accuracy": rows}
    return xr.Dataset(
        {n: (("seed", "step"), np.asarray(v)) for n, v in series.items()}, {"seed": range(len(rows)), "step": STEPS}
    )


def verdict(name, runs):
    """What a claim says of runs with these curves, by label."""
    claim = choose([name])[0]
    assert set(runs) <= set(claim.runs())
    look = claim.through or (lambda d: d)
    return claim(Runs({label: look(dataset(*curves)) for label, curves in runs.items()})).verdict


# ---------------------------------------------------------------------------------------- settings


@pytest.mark.parametrize("start", ["normal", "made up"])
def test_a_start_that_cannot_be_compared_is_refused(start):
    with pytest.raises(ParameterError, match=f"start = '{start}' must be one of toeplitz"):
        width.plan(**(LIVE | {"start": start}))


def test_settings_of_one_question_differ_in_it_alone():
    runs = width.by_optimiser().values()
    assert len({dataclasses.replace(e.config, optimizer=AdamW()) for e in runs}) == 1
    for e in runs:  # one protocol
        o, plain = e.config.optimizer, AdamW()
        assert (o.learning_rate, o.warmup, o.weight_decay) == (plain.learning_rate, plain.warmup, plain.weight_decay)
    for settings in (width.by_start(), width.small_by_start(), width.plan(**LIVE)):
        assert len({dataclasses.replace(e.config, start="normal") for e in settings.values()}) == 1
    shifts = [e.config for e in width.small_by_shift().values()]
    assert [c.task.shift for c in shifts] == [c.model.shift for c in shifts] == [0, 20, 40, 59]
    assert len({(c.steps, c.n_train, c.model.d_model) for c in shifts}) == 1


def test_labels_say_what_the_settings_are():
    """Gu et al. 2025, captions of Figs 9 to 11: (97, 85), (47, 0), (43, 0), (43, 43)."""
    for label, run in width.by_width().items():
        task, model = run.config.task, run.config.model
        assert label == f"p = {task.p}, k = {task.shift}, d = {model.d_model}"
    for label, run in (width.by_position() | width.small_by_position()).items():
        assert label.endswith("on") == run.config.model.positional
        assert run.config.task.shift == run.config.task.p
    found = {(c.task.p, c.task.shift, c.model.d_model) for c in (run.config for run in width.by_width().values())}
    assert found == {(97, 85, d) for d in (128, 256)} | {(47, 0, d) for d in (64, 128, 256)} | {
        (43, k, d) for k in (0, 43) for d in (256, 512, 1024)} | {(43, 0, 128), (43, 43, 2048)}  # fmt: skip


def test_what_is_recorded_says_what_the_paper_says_where_and_what_is_left_open():
    for name, run in ((run.name, run) for settings in width.RUNS for run in settings().values()):
        shared = name.startswith("gu2025/fig5")
        assert run.statement and run.source and (run.choices or shared), name
        assert run.seeds == (0, 1, 2, 3, 4) if shared else run.seeds == (0, 1, 2)


def test_configurations_differ_except_where_two_figures_share_one():
    """Random start at 30 %, p = 97, is Fig. 5 and a curve of Fig. 20."""
    by_key: dict[str, list[str]] = {}
    for name, run in catalogue().items():
        by_key.setdefault(run.key, []).append(name)
    shared = [names for names in by_key.values() if len(names) > 1]
    assert shared == [["gu2025/fig5[p=97]", "gu2025/fig20[start=normal, frac=0.3]"]]
    assert width.by_start()["normal"].key == fig5(97).key


def test_a_companion_takes_changes_of_every_kind():
    config = width.small_run("small/x", "s", train_fraction=0.3, start="positive", positional=False, d_model=32).config
    assert (config.start, config.model.positional, config.n_train) == ("positive", False, 1044)
    assert config.model.d_model == 32


# ---------------------------------------------------------------------------------------- parts of statements


@pytest.mark.parametrize(
    ("first", "second", "answer"),
    [
        (table(500, 500, 500), table(1000, 1000, 1000), True),
        (table(700, 700, 700), table(1000, 1000, 1000), False),
        (table(500, 500), table(1000, 1000, 1000), None),
        (table(5000, 5000, 5000), table(N, N, N), True),
        (table(7000, 7000, 7000), table(N, N, N), None),
        (table(N, N, N), table(1000, 1000, 1000), False),
        (None, table(1, 2, 3), None),
        (table(500, 500, 900), table(1000, 1000, 1000), None),  # the median is half, but one run is not
    ],
)
def test_halved(first, second, answer):
    assert halved(first, second) is answer


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
    assert earlier_by(narrow, wide, 10_000) is answer


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
def test_later(second, first, answer):
    assert later(second, first) is answer


# ---------------------------------------------------------------------------------------- claims

LOW, HIGH, TOP = [0.1] * 3, [0.99] * 3, [1.0] * 3


@pytest.mark.parametrize(
    ("name", "runs", "answer"),
    [
        ("GF20", {("30%", "toeplitz"): [3000] * 3, ("30%", "normal"): [4000] * 3}, "fails"),
        ("GF20", {("30%", "toeplitz"): [2000] * 3, ("30%", "normal"): [4000] * 3}, UNDECIDED),  # one of three shares
        ("GF09", {"p=47, d=64": LOW}, UNDECIDED),
        ("GF09", {"p=47, d=64": [9000] * 3}, "fails"),  # cannot be beaten by 10,000 steps
        ("GF10", {"d = 128": [0.7] * 3, "d = 512": HIGH, "d = 1024": HIGH}, "holds"),
        ("GF10", {"d = 128": [0.95] * 3, "d = 512": HIGH, "d = 1024": HIGH}, "fails"),
        ("GF10", {"d = 128": LOW, "d = 512": HIGH, "d = 1024": HIGH}, UNDECIDED),
        ("GF10", {"d = 128": [0.7] * 3, "d = 512": [0.9] * 3, "d = 1024": [0.9] * 3}, "fails"),
        ("GF10", {"d = 128": [0.7] * 3, "d = 512": HIGH, "d = 1024": TOP}, "fails"),
        ("GF10", {"d = 128": [0.05, 0.05, 9000]}, "fails"),  # one run that ends far above
        ("GF10", {"d = 128": [0.05, 0.05, 0.7]}, UNDECIDED),
        ("GF11", {"d = 256": LOW, "d = 512": LOW, "d = 1024": [500] * 3, "d = 2048": [500] * 3}, "holds"),
        ("GF11", {"d = 256": LOW, "d = 512": [500]}, "fails"),
        ("GF11", {"d = 256": LOW, "d = 512": LOW, "d = 1024": LOW, "d = 2048": LOW}, "fails"),
        ("G51", {"d = 128": [0.95] * 3}, "fails"),  # any of the three parts refutes it
        ("G51", {("30%", "toeplitz"): [2000] * 3, ("30%", "normal"): [4000] * 3}, UNDECIDED),
        ("PF03", {f"k = {k}": [s] * 3 for k, s in {0: 1000, 45: 2000, 60: 3000, 81: 4000}.items()}, "holds"),
        ("PF03", {f"k = {k}": [s] * 3 for k, s in {0: 1000, 45: 2000, 60: 3000, 81: 2500}.items()}, "fails"),
        ("PF19", {"d = 128, on": [2000] * 3, "d = 128, off": [1000] * 3}, "holds"),
        ("PF19", {"d = 128, on": [1000] * 3, "d = 128, off": [2000] * 3}, "fails"),
        ("PF19", {"d = 128, on": [1000, 1100, 2500], "d = 128, off": [900, 2000, 2000]}, UNDECIDED),
        ("PF20", {"d = 256, on": [1000, 3000, 2000], "d = 256, off": [1500, 2500, 3500]}, "holds"),
        ("PF20", {"d = 256, on": [1000, 1100, 1200], "d = 256, off": [1500, 2500, 3500]}, "fails"),
        ("PF21", {"d = 512, on": [1000, 1100, 1200], "d = 512, off": [1500, 1600, 1700]}, "holds"),
        ("PF21", {"d = 512, on": [1000, 2100]}, "fails"),
        ("PF22", {"p = 47": [0.3] * 3}, "fails"),
        ("PF22", {"p = 47": [0.3] * 2}, UNDECIDED),
        ("PF22", {"p = 47": [4000, 0.3]}, "holds"),
    ],
)
def test_the_verdict_follows_the_runs(name, runs, answer):
    assert verdict(name, runs) == answer


def test_a_toeplitz_start_that_halves_at_every_share_bears_the_statement_out():
    steps = {"toeplitz": [2000] * 3, "normal": [4000] * 3}
    assert verdict("GF20", {(f, start): s for f in ("30%", "25%", "20%") for start, s in steps.items()}) == "holds"


def test_companions_are_shown_and_decide_nothing():
    found = positions_delay(Runs({(SMALL_SIZE, "d = 64, on"): table(5, N)}))
    assert found.verdict == UNDECIDED
    assert found.evidence.startswith(" (companions of this book, p = k = 59: d = 64, on: 1 of 2 generalise by step")


# ---------------------------------------------------------------------------------------- tables


@pytest.fixture
def there(monkeypatch):
    """Set what is recorded: label -> dataset; the rest is not run."""

    def put(**found):
        monkeypatch.setattr(tables, "load", lambda settings, through: Runs({
            label: through(found[label]) for label in settings if label in found}))  # fmt: skip

    return put


def test_the_table_has_a_row_for_what_was_not_run(there):
    there(toeplitz=dataset(2000, 0.1), normal=dataset(4000, 4000))
    rows = tables.comparison_table(width.by_start(), "normal").set_index("setting")
    assert rows["generalise"].tolist() == ["2 of 2", "1 of 2", "", ""]
    assert rows["grok steps"]["toeplitz"] == "2000, > 10000"
    assert rows["ratio"]["toeplitz"] == "> 1.50" and rows["same seed"]["toeplitz"] == "0.50"
    assert rows["seeds"]["positive"] == 0 and rows["core min"]["positive"] > 0


def test_the_spread_counts_a_setting_once(there):
    there(**{fig5(47).key: dataset(1000, 2000, 4000)})
    same = {"a": fig5(47)}
    assert tables.recorded_spread([same, same]) == pytest.approx((np.log(2), 3, 1))


def test_steps_of_the_starts_have_their_expected_length():
    """E|step|^2 = 2 Var(entry) d: 2 for variance 1/d, 1/6 for uniform entries over the root of d (variance 1/12d)."""
    found = tables.start_table(53, 53, draws=40).set_index("start")
    assert np.allclose(found["MED"], found["expected step"], rtol=0.05)
    assert np.isclose(found["expected step"]["normal"] / found["expected step"]["positive"], np.sqrt(12))
    spread = found["step spread"]
    assert spread["circulant"] < 1e-6 < spread["toeplitz"] < spread["positive"]
    with pytest.raises(ParameterError, match="draws = 0"):
        tables.start_table(5, 4, 0)


def test_costs_are_relative_to_the_first_optimiser():
    config = modular_run(7, 0.5, d_model=8, steps=4)
    found = tables.step_costs(config, {"a": AdamW(), "b": AdamW()}, repeats=3)
    assert found.ratio[0] == 1.0 and (found["ms a step"] > 0).all()
    assert np.isclose(found.ratio[1], found["ms a step"][1] / found["ms a step"][0])
    with pytest.raises(ParameterError, match="repeats = 0"):
        tables.step_costs(config, repeats=0)


# ---------------------------------------------------------------------------------------- figures


def test_dots_and_triangles():
    ax = grok_steps({"a": table(100, N, last=900), "b": None}).axes[0]
    marks = {line.get_marker(): line.get_xdata() for line in ax.lines}
    assert marks["o"].tolist() == [100.0] and marks[">"].tolist() == [900.0]
    assert [t.get_text() for t in ax.texts] == ["not run"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b"]


def test_tables_share_one_scale():
    fig = starting_tables({"a": np.eye(3), "b": -2 * np.eye(3)})
    assert {ax.images[0].get_clim() for ax in fig.axes} == {(-2.0, 2.0)}


@pytest.mark.parametrize("draw", [grok_steps, starting_tables])
def test_nothing_to_draw_is_refused(draw):
    with pytest.raises(ParameterError, match="to draw"):
        draw({})
