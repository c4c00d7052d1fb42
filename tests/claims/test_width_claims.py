"""Chapter 09: each verdict follows the runs, with censored ones, and three seeds bear out what one cannot."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from grokbook.claims import width
from grokbook.claims.width import CLAIMS, comparison_table, earlier_by, halved, later, recorded_spread
from grokbook.experiments.gu2025 import fig5
from grokbook.experiments.width import by_start

N = None
STEPS = np.arange(0, 10_001, 100)


def table(*steps, last=10_000):
    return pd.DataFrame({"grok_step": pd.array(steps, dtype="Int64"), "last_step": last})


def dataset(*curves):
    """Runs with these test accuracies at every step, or that jump to 1 at a step (an integer above 1)."""
    rows = [np.where(c <= STEPS, 1.0, 0.1) if c > 1 else np.full(STEPS.size, float(c)) for c in curves]
    series = {"train_accuracy": np.ones_like(rows), "test_accuracy": rows}
    return xr.Dataset(
        {n: (("seed", "step"), np.asarray(v)) for n, v in series.items()}, {"seed": range(len(rows)), "step": STEPS}
    )


@pytest.fixture
def there(monkeypatch):
    """Set what is recorded: words that an experiment's name has -> a dataset; the rest is not run."""

    def put(**found):
        pairs = {tuple(key.split("__")): value for key, value in found.items()}

        def look(experiment):
            name = experiment.name.translate(str.maketrans("[]=,./ ", "_______"))
            return next((v for k, v in pairs.items() if all(f"_{w}_" in f"_{name}_" for w in k)), None)

        monkeypatch.setattr(width, "available", look)

    return put


def verdict(name):
    return next(c for c in CLAIMS if c.id == name).finding().verdict


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.id)
def test_without_runs_nothing_is_decided(there, claim):
    there()
    assert claim.finding().verdict == "not run"


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


@pytest.mark.parametrize(
    ("toeplitz", "normal", "found"),
    [([2000] * 3, [4000] * 3, "holds"), ([3000] * 3, [4000] * 3, "fails"), ([2000], [4000] * 3, "not run")],
)
def test_a_toeplitz_start(there, toeplitz, normal, found):
    there(fig20__toeplitz=dataset(*toeplitz), fig20__normal=dataset(*normal))
    assert verdict("GF20") == found


@pytest.mark.parametrize(("narrow", "found"), [(0.1, "not run"), (9000, "fails")])
def test_widths_of_fig_9(there, narrow, found):
    """A narrow network that groks before step 10,000 cannot be beaten by 10,000 steps."""
    there(fig9__d_64=dataset(*[narrow] * 3))
    assert verdict("GF09") == found


@pytest.mark.parametrize(
    ("small", "middle", "large", "found"),
    [
        (0.7, 0.99, 0.99, "holds"),
        (0.95, 0.99, 0.99, "fails"),
        (0.1, 0.99, 0.99, "not run"),
        (0.7, 0.9, 0.9, "fails"),
        (0.7, 0.99, 1.0, "fails"),
    ],
)
def test_accuracy_at_modulus_43(there, small, middle, large, found):
    there(d_128=dataset(*[small] * 3), d_512=dataset(*[middle] * 3), d_1024=dataset(*[large] * 3))
    assert verdict("GF10") == found


def test_one_run_that_ends_far_above_refutes_the_level_of_the_narrow_network(there):
    there(d_128=dataset(0.05, 0.05, 9000))
    assert verdict("GF10") == "fails"
    there(d_128=dataset(0.05, 0.05, 0.7))
    assert verdict("GF10") == "not run"


@pytest.mark.parametrize(("narrow", "wide", "found"), [(0.1, 500, "holds"), (500, 500, "fails"), (0.1, 0.1, "fails")])
def test_the_boundary_at_modulus_43(there, narrow, wide, found):
    few, many = dataset(*[narrow] * 3), dataset(*[wide] * 3)
    there(d_256=few, d_512=few, d_1024=many, d_2048=many)
    assert verdict("GF11") == found


@pytest.mark.parametrize(("last", "found"), [(4000, "holds"), (2500, "fails")])
def test_shifts(there, last, found):
    steps = {"fig5__97": 1000, "k_45": 2000, "k_60": 3000, "k_81": last}
    there(**{name: dataset(*[s] * 3) for name, s in steps.items()})
    assert verdict("PF03") == found


def test_positions(there):
    there(fig19__on=dataset(2000, 2000, 2000), fig19__off=dataset(1000, 1000, 1000))
    assert verdict("PF19") == "holds"
    there(fig19__on=dataset(1000, 1000, 1000), fig19__off=dataset(2000, 2000, 2000))
    assert verdict("PF19") == "fails"
    there(fig19__on=dataset(1000, 1100, 2500), fig19__off=dataset(900, 2000, 2000))
    assert verdict("PF19") == "not run"
    there(fig20__on=dataset(1000, 3000, 2000), fig20__off=dataset(1500, 2500, 3500))
    assert verdict("PF20") == "holds"
    there(fig20__on=dataset(1000, 1100, 1200), fig20__off=dataset(1500, 2500, 3500))
    assert verdict("PF20") == "fails"
    there(fig21__on=dataset(1000, 1100, 1200), fig21__off=dataset(1500, 1600, 1700))
    assert verdict("PF21") == "holds"
    there(fig21__on=dataset(1000, 2100))
    assert verdict("PF21") == "fails"


@pytest.mark.parametrize(("runs", "found"), [([0.3] * 3, "fails"), ([0.3] * 2, "not run"), ([4000, 0.3], "holds")])
def test_runs_of_one_setting(there, runs, found):
    there(fig5__p_47=dataset(*runs))
    assert verdict("PF22") == found


def test_g51_is_refuted_by_any_of_its_three_parts(there):
    there(d_128=dataset(0.95, 0.95, 0.95))
    assert verdict("G51") == "fails"
    halves = {"fig20__toeplitz": dataset(*[2000] * 3), "fig20__normal": dataset(*[4000] * 3)}
    there(**halves)
    assert verdict("G51") == "not run"


def test_the_table_has_a_row_for_what_was_not_run(there):
    there(fig20__toeplitz=dataset(2000, 0.1), fig20__normal=dataset(4000, 4000))
    rows = comparison_table(by_start(), "normal").set_index("setting")
    assert rows["generalise"].tolist() == ["2 of 2", "1 of 2", "", ""]
    assert rows["grok steps"]["toeplitz"] == "2000, > 10000"
    assert rows["ratio"]["toeplitz"] == "> 1.50" and rows["same seed"]["toeplitz"] == "0.50"
    assert rows["seeds"]["positive"] == 0 and rows["core min"]["positive"] > 0


def test_the_spread_counts_a_setting_once(there):
    there(fig5__p_47=dataset(1000, 2000, 4000))
    same = {"a": fig5(47)}
    assert recorded_spread([same, same]) == pytest.approx((np.log(2), 3, 1))
