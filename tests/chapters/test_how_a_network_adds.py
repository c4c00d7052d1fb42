"""Chapter 02a: what is recorded of a network's end, its checks come out either way, and its figures
count all sets."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from companion.claims import Runs
from grokbook.errors import ParameterError
from grokbook.runs.experiment import Experiment
from grokbook_chapters import how_a_network_adds as chapter
from grokbook_chapters.how_a_network_adds import claims, figures, plan, runs
from grokbook_chapters.how_a_network_adds import frequencies as fr
from grokbook_chapters.how_a_network_adds import sum_of_angles as angles
from grokbook_chapters.how_a_network_adds.built import built_quadratic
from written_pages import functions, names_used


def test_the_plan_trains_transformers_and_refuses_what_does_not_fit():
    assert len(plan(11, 16, 200, 3)["live"].seeds) == 3
    with pytest.raises(ParameterError):
        plan(11, 15, 200, 1)


def test_the_end_of_a_network_is_read():
    """A quadratic network that was built: a clock of two frequencies, of which a pizza explains
    about 8/pi^2."""
    config = runs.two_layers("square", p=11, width=12)
    _, weights = built_quadratic(11, [1, 3])
    found = runs.read(config, weights)
    assert float(found.accuracy) == 1 and float(found["keys"]) == 2
    assert found.clock.values[[0, 2]] == pytest.approx([0.5, 0.5], abs=1e-6)
    assert float(found.pizza.sum()) == pytest.approx(8 / np.pi**2, abs=0.02)


def test_what_is_read_is_part_of_the_key():
    run = runs.kinds()[runs.TRANSFORMER]
    assert run.key != Experiment(run.name, run.config, seeds=run.seeds).key


def made(keys=2.0, restricted=0.0, excluded=5.0, clock=0.9, pizza=0.7, seeds=3):
    each = {"keys": keys, "restricted": restricted, "excluded": excluded}
    data = {name: ("seed", np.full(seeds, value)) for name, value in each.items()}
    shares = {
        name: (("seed", "frequency"), np.full((seeds, 14), v / 14))
        for name, v in (("clock", clock), ("pizza", pizza))
    }
    return xr.Dataset(data | shares, {"seed": range(seeds), "frequency": range(1, 15)})


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "holds"),
        ({"keys": 3.0}, "undecided"),
        ({"keys": 9.0}, "fails"),
        ({"restricted": 1.0}, "fails"),
        ({"excluded": 1.0}, "fails"),
        ({"seeds": 2}, "undecided"),
    ],
)
def test_key_frequencies_are_few_and_answer_alone(changes, verdict):
    assert claims.key_frequencies(Runs({runs.TRANSFORMER: made(**changes)})).verdict == verdict


@pytest.mark.parametrize(("keys", "verdict"), [(13.0, "holds"), (3.0, "fails")])
def test_two_layer_networks_use_nearly_all(keys, verdict):
    there = Runs(dict.fromkeys((runs.RELU, runs.SQUARE), made(keys=keys)))
    assert claims.nearly_all(there).verdict == verdict


def ahead(pizzas, seeds, lead=0.15):
    """Runs of which the first few are nearer to a pizza by `lead`, and the others as far from
    it."""
    flags = np.arange(seeds) < pizzas
    explained = made(seeds=seeds).clock.sum("frequency") + np.where(flags, lead, -lead)
    return made(seeds=seeds).assign(pizza=made(seeds=seeds).pizza * (explained / 0.7))


@pytest.mark.parametrize(
    ("attention", "uniform", "seeds", "lead", "verdict"),
    [
        (0, 80, 80, 0.15, "holds"),
        (0, 5, 80, 0.15, "holds"),
        (2, 10, 80, 0.15, "holds"),
        (0, 4, 80, 0.15, "undecided"),
        (6, 6, 80, 0.15, "undecided"),
        (60, 80, 80, 0.15, "undecided"),
        (0, 79, 79, 0.15, "undecided"),
        (0, 80, 80, 0.07, "undecided"),
    ],
)
def test_uniform_attention_turns_clocks_into_pizzas_or_not(
    attention, uniform, seeds, lead, verdict
):
    """Z01: five of 80 pairs turn, none back, is p = 1/32; where both are pizzas there is no clock
    to turn; a change of sign that is small beside what sets exact networks apart is none."""
    there = Runs(
        {runs.TRANSFORMER: ahead(attention, seeds, lead), runs.UNIFORM: ahead(uniform, seeds, lead)}
    )
    assert claims.two_rules(there).verdict == verdict
    assert claims.two_rules(Runs()).verdict == "undecided"


@pytest.mark.parametrize(("chance", "least", "most"), [(1 / 8, 0.9, 1), (0.0, 0, 0)])
def test_the_number_of_pairs_finds_an_eighth_that_turns(chance, least, most):
    """Z01's rule in 200 worlds where uniform attention turns a pair with this chance, after what is
    seen by hand."""
    rng = np.random.default_rng(0)
    turned = rng.binomial(claims.PAIRS, chance, 200)
    clocks = ahead(0, claims.PAIRS)
    held = [
        claims.two_rules(
            Runs({runs.TRANSFORMER: clocks, runs.UNIFORM: ahead(n, claims.PAIRS)})
        ).verdict
        == "holds"
        for n in turned
    ]
    assert least <= np.mean(held) <= most


def test_theorems_are_checked():
    assert claims.order_log((5, 7, 11)).verdict == "holds"
    assert claims.adds_first(7).verdict == "holds"


def test_figures_are_drawn():
    left, right = figures.how_many(23).axes
    assert len(left.lines) == 4 and right.lines[1].get_ydata()[-1] == 3
    face, logits = figures.turns(11).axes  # 2 + 3 = 5
    assert [float(line.get_ydata()[5]) for line in logits.lines[:3]] == pytest.approx([1, 1, 1])


KINDS = (runs.TRANSFORMER, runs.UNIFORM, runs.RELU, runs.SQUARE)


def waves_and_table(without, exchanged):
    """Logits of two waves modulo 13, and what is right without each of six frequencies, or with
    another circle in its place."""
    logits = fr.waves(13, [0.0, 8.0, 0.0, 0.0, 6.0])
    table = {"frequency": range(1, 7), "without": 1.0, "exchanged": 1.0}
    table = pd.DataFrame(table).assign(share=fr.wave_shares(logits))
    keys = table.frequency.isin([2, 5])
    table.loc[keys, "without"] = without
    table.loc[keys, "exchanged"] = exchanged
    return logits, table


@pytest.mark.parametrize(
    ("without", "exchanged", "others_idle", "donor_fails"),
    [(0.3, 0.2, True, True), (0.95, 0.2, False, True), (0.3, 0.95, True, False)],
)
def test_the_numbers_of_the_prose_follow_the_runs(without, exchanged, others_idle, donor_fails):
    logits, table = waves_and_table(without, exchanged)
    found = chapter.numbers(23, logits, table, dict.fromkeys(KINDS, made()))
    assert (found["keys"], found["idle"].value, found["modulus"]) == ("2, 5", 1.0, 13)
    assert found["others_idle"].holds == others_idle
    assert found["donor_fails"].holds == donor_fails
    assert found["drop_low"] == found["drop_high"] == f"{without:.0%}"
    assert found["one"] == f"{1 - np.cos(2 * np.pi / 23):.5f}" and found["least"] == 3
    assert found["meet_rule"] == found["transformers"] == 3
    assert (found["lead_low"], found["lead_high"]) == ("-0.20", "-0.20")
    assert found.keys() == names_used("02a")


def test_the_equations_of_the_page_are_those_of_the_chapter():
    g, amplitude = functions("02a", "g", "amplitude")
    for p, frequencies in ((7, [2]), (29, [1, 5, 12])):
        assert g(p, frequencies) == pytest.approx(angles.profile(p, frequencies))
    logits = np.random.default_rng(0).normal(size=(49, 7))
    amplitudes = [amplitude(logits, k) for k in (1, 2, 3)]
    assert amplitudes == pytest.approx(fr.wave_amplitudes(logits).tolist())
