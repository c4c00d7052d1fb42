"""Chapter 14: the claims come out either way, the controls do what they must, figures are drawn of
all runs."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
import torch
import xarray as xr

from companion.claims import Runs
from companion.claims.finding import UNDECIDED
from grokbook.measures.principal import exceeded_by_chance, on_axes, ring_share
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.parallelograms import equations, permissible_set
from grokbook.training.ensemble import How, train_here
from grokbook.training.forward import split_weights
from grokbook.training.watching import View
from grokbook_chapters.gu2025 import fig5, often
from grokbook_chapters.phase_diagrams import published
from grokbook_chapters.transformer_representations import (
    claims,
    contrast,
    embedding,
    figures,
    numbers,
    runs,
    tickets,
)
from grokbook_chapters.transformer_representations.recorded import HEART, Recorded
from written_pages import functions, names_used

P, D = 31, 64
STEPS = np.arange(0, 4001, 50)
SNAPSHOTS = np.arange(0, 4001, 400)
RNG = np.random.default_rng(0)
PAPER, PLAIN, _, SMALL, *_ = runs.networks()


@pytest.fixture(autouse=True)
def same_draws():
    """Each test draws what it would draw alone."""
    before = RNG.bit_generator.state
    yield
    RNG.bit_generator.state = before


def ring(k: int = 3) -> np.ndarray:
    angle = 2 * np.pi * k * np.arange(P) / P
    return (
        np.stack([np.cos(angle), np.sin(angle)], axis=1)
        @ np.linalg.qr(RNG.normal(size=(D, 2)))[0].T
    )


def run(
    seed: int = 0,
    grok: int = 2000,
    peak: int = 2000,
    circle: float = 4.0,
    left: float = 0.3,
    ringed: int | None = None,
) -> xr.Dataset:
    """A run that fits at step 100: `grok` its step of generalisation, `peak` that of its effective
    dimension.

    Its embedding goes from noise to `left` of it and a ring of length `circle` in a plane of its
    own, which is there at step `ringed` (None: `grok`).
    """
    start, end = np.random.default_rng(seed).normal(size=(P, D)), circle * ring()
    when = np.clip(SNAPSHOTS / max(ringed or grok, 1), 0, 1)[:, None, None] ** 4
    rise = (grok <= STEPS) * 1.0
    dimension = np.interp(STEPS, [0, peak, 4000], [23.0, 24.0, 8.0])
    series = {
        "train_accuracy": (STEPS >= 100) * 1.0,
        "test_accuracy": rise,
        "effective_dimension": dimension,
        "med": 3 - rise,
        "representation_quality": rise,
        **{f"{kind}_{n}": rise * n / 10 for n in runs.AXES for kind in ("now", "end")},
    }
    kept = (("snapshot", "token", "feature"), start * (1 - when * (1 - left)) + end * when)
    curves = {name: ("step", values) for name, values in series.items()}
    return xr.Dataset(
        curves | {"embedding": kept}, {"step": STEPS, "snapshot": SNAPSHOTS, "seed": seed}
    )


def made(count: int = 3, **options) -> xr.Dataset:
    return xr.concat([run(seed, **options) for seed in range(count)], "seed")


def judged(claim, data=None, *, size: str = PAPER, **options):
    """What a claim finds on made-up runs that it is to take for those of a network."""
    return claim(Runs({size: embedding.lives(made(**options) if data is None else data)}))


# ---------------------------------------------------------------------------------------- claims


def test_the_turn_is_where_it_is():
    assert judged(claims.rises_and_falls).verdict == "holds"
    for peak, verdict, value in (
        (2000, "holds", 1),
        (300, "fails", 0.15),
        (3500, "undecided", 1.75),
    ):
        found = judged(claims.turns_at_generalisation, peak=peak)
        assert found.verdict == verdict and found.value == pytest.approx(value)


def test_the_published_curve_turns_early_and_falls_afterwards():
    """The oracle: at 2,000 of 4,100 steps, and at 4,100 above its start."""
    data = made(grok=2000)
    steps, values = zip(*claims.PUBLISHED.items(), strict=True)
    curve = np.interp(STEPS * claims.PUBLISHED_GROK / 2000, steps, values)
    data["effective_dimension"] = data.effective_dimension * 0 + xr.DataArray(curve, dims="step")
    found = judged(claims.turns_at_generalisation, data)
    assert found.verdict == "holds with correction" and found.value == pytest.approx(0.49, abs=0.02)


def test_runs_in_another_setting_alone_leave_it_open():
    for options in ({"size": SMALL}, {"size": PLAIN}, {"count": 2}, {"grok": 9999}):
        assert judged(claims.turns_at_generalisation, **options).verdict == UNDECIDED


def test_runs_in_another_setting_are_told_and_decide_nothing():
    """Those without dropout turn at 0.15 of the step, the authors' at it; small ones get
    nowhere."""
    tables = {PAPER: made(), PLAIN: made(peak=300), SMALL: made(grok=9999)}
    found = claims.turns_at_generalisation(
        Runs({name: embedding.lives(data) for name, data in tables.items()})
    )
    assert found.verdict == "holds" and found.value == pytest.approx(1)
    assert "highest at: p = 59 without dropout: 0.15 (all 3)" in found.evidence
    assert judged(claims.turns_at_generalisation).evidence.endswith("not recorded")


def test_the_runs_at_59_differ_by_dropout_alone():
    paper, plain = (runs.fig7()[name].config for name in ("paper", "plain"))
    undropped = dataclasses.replace(paper, model=dataclasses.replace(paper.model, dropout=0.0))
    assert paper != plain and undropped == plain


def ringed(ring_steps, strict):
    """Fresh runs, read every 100 steps: at 99 % at one step, with half of a ring at another (None:
    never)."""
    read = np.arange(0, 8001, 100)
    series = {
        "train_accuracy": [read >= 100] * len(strict),
        "test_accuracy": [read >= late for late in strict],
        "ring_share": [0.9 * (read >= (at or 1e9)) for at in ring_steps],
    }
    data = made(len(strict))[["embedding"]].assign_coords(step=read)
    data = data.assign(
        {name: (("seed", "step"), np.array(values, float)) for name, values in series.items()}
    )
    return claims.circle_when_it_generalises(
        Runs({"fresh": embedding.lives(data.assign(effective_dimension=data.ring_share + 1))})
    )


STRICT = (3400, 3600, 3700, 3900, 4000, 4200, 4300, 4500, 4600, 4800)


@pytest.mark.parametrize(
    ("rings", "verdict"),
    [
        (STRICT, "holds"),
        ([1.3 * step for step in STRICT], "holds"),
        ([4000] * 10, UNDECIDED),
        ([*STRICT[5:], *STRICT[:5]], UNDECIDED),
        ([2 * step - 800 for step in STRICT], "fails"),
        ([None] * 10, "fails"),
    ],
    ids=["itself", "a factor", "a clock", "other runs' steps", "late", "never"],
)
def test_a_ring_counts_when_the_run_generalises_and_goes_with_it(rings, verdict):
    """LT3: the oracle is the step of 99 % itself; a clock and steps of other runs are within the
    factor and no more."""
    found = ringed(rings, STRICT)
    assert found.verdict == verdict and "nan" not in found.evidence
    assert ringed(rings[:2], STRICT[:2]).verdict == UNDECIDED


def test_the_null_of_the_ring_has_its_size_and_power():
    """Ten runs as spread as those that made the rule (3,600 to 4,600), with their own steps within
    7 %, or others'."""
    rng = np.random.default_rng(0)
    own, strange = [], []
    for _ in range(60):
        strict, other = np.exp(rng.normal(8.3, 0.1, (2, 10)))
        near = np.exp(rng.normal(0.2, 0.07, 10))
        own.append(claims.exchanged(*map(pd.Series, (strict * near, strict)), draws=199))
        strange.append(claims.exchanged(*map(pd.Series, (other * near, strict)), draws=199))
    assert np.mean(np.array(own) <= 0.05) >= 0.8 and np.mean(np.array(strange) <= 0.05) <= 0.1


def test_rings_are_read_at_logged_steps_or_off_the_kept_embeddings():
    kept = embedding.lives(made())
    assert (
        (kept["read"] == 4000).all()
        and (kept.strict == 2000).all()
        and kept["round_0.5"].between(1400, 2000).all()
    )
    read = made().assign(ring_share=(("seed", "step"), np.tile(STEPS / 4000, (3, 1))))
    assert embedding.lives(read)["round_0.5"].tolist() == [2000] * 3


def test_a_circled_run_reads_its_plane():
    config = runs.encoder_run(11, d_model=10, d_mlp=8, steps=4, points=2, snapshots=2)
    found = runs.circled("made/up", config, seeds=(0,)).run(progress=False).isel(seed=0)
    assert found.ring_share.values[-1] == pytest.approx(
        ring_share(found.embedding.values[-1]), abs=1e-6
    )
    assert 0 < float(found.roundness[-1]) <= 1 and 0.2 < float(found.plane_share[-1]) < 1


def test_what_every_start_shows_is_vacuous():
    """A ring in a plane that has nothing to do with the start: its axes contain the start's share
    of it anyway."""
    found = judged(claims.structure_before_training, circle=3.0, left=0.7)
    assert found.verdict == "vacuous"


def test_what_training_keeps_of_the_start_is_not():
    """The end is the start's own part of one frequency, made larger: a stranger with one share does
    not show it."""
    data = made()
    for n in range(3):
        start = data.embedding.values[n, 0].astype(float)
        waves = np.fft.rfft(start, axis=0)
        waves[np.arange(len(waves)) != 4] *= 0.05
        data.embedding[n, -1] = np.fft.irfft(waves, n=P, axis=0)
    found = judged(claims.structure_before_training, data)
    assert found.verdict == "holds with correction"
    assert found.numbers["strange"] < 0.5 < found.numbers["alike"]


def with_axes(data: xr.Dataset, six: bool = True, shift: float = 0.1) -> xr.Dataset:
    """Runs whose axes of the end are ahead of those of the moment by `shift`; six do as well as
    ten."""
    ahead = {f"now_{n}": data[f"now_{n}"] - shift for n in runs.AXES}
    return data.assign(ahead | {"end_6": data.end_10} if six else ahead)


PRUNED = {"left": 0.05, "circle": 0.6}


@pytest.mark.parametrize(
    ("options", "change", "verdict"),
    [
        (PRUNED, {}, "holds"),
        (PRUNED, {"six": False}, UNDECIDED),
        (PRUNED, {"shift": -0.1}, "fails"),
        ({"left": 0.9}, {}, "fails"),
        ({"left": 0.05, "circle": 0.0}, {}, "fails"),
        ({"left": 0.4, "circle": 8.0}, {}, UNDECIDED),
    ],
    ids=["all", "six are few", "worse", "nothing pruned", "shrunk as a whole", "a seventh left"],
)
def test_few_axes_are_enough_and_better_and_others_are_pruned(options, change, verdict):
    """LT5, by each of its parts, and by the other bars, which change the word."""
    data = with_axes(made(**options), **change)
    found = judged(claims.few_axes_are_enough, data)
    assert found.verdict == verdict and set(found.at) == {"6", "0.1", "0.25"}
    assert judged(claims.few_axes_are_enough, data, size=SMALL).verdict == UNDECIDED
    poor = data.assign(end_6=0 * data.end_6, end_10=0 * data.end_10)
    assert judged(claims.few_axes_are_enough, poor).verdict == "fails"


@pytest.mark.parametrize(("left", "circle"), [(0.3, 4.0), (0.9, 4.0), (0.3, 0.0)])
def test_what_is_left_outside_the_axes_of_the_end_is_the_start_s(left, circle):
    """A part of the start is left in all directions; a ring of its own lies on the first axes."""
    table = embedding.lives(made(left=left, circle=circle))
    assert table.outside.between(0.5 * left**2, 1.1 * left**2).all()


def test_a_run_that_never_fits_decides_nothing_of_the_axes():
    """Of three runs with better axes one does not fit: two of three are most; of two that do not,
    nothing is known."""
    data = with_axes(made(**PRUNED))
    for unfit, verdict in ((1, "holds"), (2, UNDECIDED)):
        table = embedding.lives(
            data.assign(train_accuracy=data.train_accuracy.where(data.seed >= unfit, 0))
        )
        assert table.gain.isna().tolist() == [True] * unfit + [False] * (3 - unfit)
        assert claims.few_axes_are_enough(Runs({PAPER: table})).verdict == verdict


def times(*grok):
    steps = pd.array(grok, dtype="Int64")
    return pd.DataFrame({"grok_step": steps, "fit_step": 100, "last_step": 4000})


@pytest.mark.parametrize(
    ("without", "with_decay", "verdict"),
    [
        ((None, None, None), (1000, 1200, None), "holds"),
        ((3000, 3000, 3000), (1000, 1200, None), "holds"),
        ((None, None, None), (3000, 3050, 2000), UNDECIDED),
        ((1500, 1500, 1500), (1000, 1200, 1100), UNDECIDED),
        ((None, None, None), (None, 1200, None), UNDECIDED),
        ((None, None), (1000, 1200, 1300), None),
    ],
)
def test_decay_speeds_companions_or_not(without, with_decay, verdict):
    """LT7: whatever small runs show, of the paper's size it is open; of three runs their word is
    told."""
    found = claims.decay_speeds(Runs({0.0: times(*without), 3.0: times(*with_decay)}))
    assert found.verdict == UNDECIDED and "decay 3:" in found.evidence
    assert found.numbers.get("companions") == verdict
    assert ("at least 1.3 times" in found.evidence) is (with_decay == (3000, 3050, 2000))


@pytest.mark.parametrize(
    ("dropped", "fit", "their_fit", "verdict"),
    [
        ((900, 700, 950), 600, 800, "holds"),
        ((900, 700, 950), 600, None, "holds"),
        ((900, 700, 950), 100, 800, UNDECIDED),
        ((1900, 1000, 1950), 1500, 1800, UNDECIDED),
        ((2100, 2000, None), 2000, 2000, UNDECIDED),
    ],
    ids=["no delay", "not fitted by its end", "a delay without dropout", "late", "no faster"],
)
def test_dropout_ends_the_delay_or_leaves_it_open(dropped, fit, their_fit, verdict):
    """Without dropout no run ends by step 4,000, or, where nothing is left to bring down, all as
    soon as with it."""
    steps = pd.array([their_fit] * 3, dtype="Int64")
    best = times(*dropped).assign(fit_step=fit, their_fit=steps)
    tables = {
        share: best if share == 3 / 18 else times(None, None, None) for share in runs.centre()
    }
    assert claims.dropout_speeds(Runs(tables)).verdict == verdict
    assert claims.dropout_speeds(Runs(tables | {0.0: best})).verdict == UNDECIDED
    assert claims.dropout_speeds(Runs({0.0: tables[0.0], 3 / 18: best})).verdict == UNDECIDED


def test_their_step_of_fitting_is_counted_with_dropout():
    """Two networks right from step 1,000 on; one's training set is right with dropout only from
    step 3,000 on."""
    data = made(2, grok=1000)
    assert (claims.by_their_count(data).their_fit == claims.by_their_count(data).fit_step).all()
    late = data.train_accuracy.where((data.step >= 3000) | (data.seed == 0), 0.5)
    assert claims.by_their_count(data.assign(fit_with_dropout=late)).their_fit.tolist()[1] == 3000


def test_accuracy_with_dropout_is_that_without_where_nothing_is_dropped():
    """On a network that knows its training pairs; half of its numbers dropped cost answers."""
    config = runs.encoder_run(
        5, d_model=16, d_mlp=16, steps=200, learning_rate=1e-2, points=2, snapshots=2
    )
    weights = split_weights(config, train_here([config], How()).weights[0])
    found = {}
    for share in (0.0, 0.5):
        model = dataclasses.replace(config.model, dropout=share)
        view = View(dataclasses.replace(config, model=model), weights, 300)
        before = torch.random.get_rng_state()
        found[share] = runs.fit_with_dropout(view)
        assert runs.fit_with_dropout(view) == found[share] and torch.equal(
            before, torch.random.get_rng_state()
        )
        plain = (view.logits.argmax(-1) == view.task.targets)[view.task.train_index].mean()
        assert plain == found[0.0]
    assert found[0.5] < found[0.0]


def test_the_modulus_is_that_whose_tables_have_the_published_start(monkeypatch):
    """51.7 is that of 59 rows; 46.9 would be that of 53, and 40 that of neither."""
    assert claims.modulus().low < 51.7 < claims.modulus().high
    for start, verdict in ((46.9, "holds"), (40.0, UNDECIDED)):
        monkeypatch.setitem(claims.PUBLISHED, 1, start)
        assert claims.modulus().verdict == verdict


# ---------------------------------------------------------------------------------------- controls


def test_what_is_left_of_a_start_and_the_rest():
    start, other = RNG.normal(size=(2, P, D))
    for by_frequency in (False, True):
        assert np.allclose(embedding.share_left(start, 0.4 * start, by_frequency), 0.4)
        left = embedding.share_left(start, other, by_frequency)
        rest = other - embedding.remains(start, left)
        assert abs((rest * start).sum()) < 1e-8


def test_the_controls_of_a_ring():
    others = {
        "shuffled labels": made(circle=0.0, grok=9999),
        "strong decay": made(circle=9.0, grok=9999, ringed=4000),
    }
    table = embedding.beside_a_ring(run(circle=9.0), others)
    share = table["ring share"]
    assert share["the trained network"] > 0.9
    assert share["a perfect circle, a fresh decoder"] == pytest.approx(1)
    assert share["its symbols renamed at random"] < 0.4
    assert table.accuracy["its embedding, a fresh decoder"] < 0.15
    by_chance = exceeded_by_chance(ring_share, (P, D))
    assert share["shuffled labels"] < by_chance + 0.1 < share["strong decay"] and len(table) == 6


def test_the_planes_are_those_of_figures_1_and_21():
    assert len(figures.starts(run()).axes) == 4
    groks, never = run(grok=2300), run(grok=9999)
    moments = ["start, step 0", "99 % right, step 2,400", "end, step 4,000"]
    assert titles_of(figures.tangle_to_ring(groks)) == moments
    assert titles_of(figures.tangle_to_ring(never)) == [moments[0], moments[-1]]


def titles_of(figure):
    return [ax.get_title(loc="left") for ax in figure.axes]


def test_a_watched_run_asks_the_network_with_its_whole_embedding_last():
    config = runs.encoder_run(11, d_model=10, d_mlp=8, steps=10, points=2, snapshots=2)
    found = runs.projected("made/up", config, seeds=(0,)).run(progress=False).isel(seed=0)
    assert np.isclose(found.end_10[-1], found.test_accuracy[-1])  # ten axes are all there are
    assert np.allclose(found.end_4[-1], found.now_4[-1])


def test_shuffled_labels_are_the_same_labels_elsewhere():
    task = runs.controls()["shuffled labels"].config.with_seed(1).task
    assert sorted(task.labels) == sorted(runs.encoder_run(31).task.labels)
    assert (task.labels == runs.encoder_run(31).task.labels).mean() < 0.1
    assert (task.train_index == runs.encoder_run(31).with_seed(1).task.train_index).all()


# ------------------------------------------------------------------------------- tables and figures


@pytest.mark.parametrize("data", [made(), made(grok=9999)])
def test_figures_are_drawn_for_runs_that_generalise_and_for_others(data):
    left, right = figures.dimensions(dict.fromkeys(runs.networks(), data)).axes
    assert [len(left.lines), len(right.lines)] == [9, 8]  # two kinds of three runs, and marks
    assert len(figures.rings(run(), {"one": data, "other": data}).axes) == 3


def test_turn_and_plane_are_read_off_the_runs():
    """Highest at step 2,000 and 200; a run that gets nowhere has none."""
    late = embedding.lives(made(circle=0.0, peak=2000))
    early = embedding.lives(made(circle=0.0, peak=200))
    assert late.turn.tolist() == pytest.approx([1] * 3)
    assert early.turn.tolist() == pytest.approx([0.1] * 3)
    never = embedding.lives(made(grok=9999))
    assert never[["turn", "left", "at_0.5"]].isna().all(axis=None)
    parts = embedding.lives(made())[["ring_start", "seen"]].to_numpy()
    assert ((parts > 0) & (parts <= 1)).all()


def test_a_start_has_a_say_only_where_it_ranks_higher_than_strangers_whose_start_is_left():
    """An end that is half of its start has that start's strongest frequency, and a stranger's has
    the stranger's."""
    alike = embedding.lives(made(circle=0.0, left=0.5))
    assert embedding.chance_of_rank(alike) == 1
    table = embedding.lives(made(5))
    high = table.assign(rank=1.0, drawn=[[0.2, 0.4, 0.6, 0.8]] * 5)
    middling = table.assign(rank=0.5, drawn=[[0.0, 0.5, 1.0]] * 5)
    assert embedding.chance_of_rank(high) < 0.01 and embedding.chance_of_rank(middling) > 0.3


def test_the_function_of_the_page_is_the_library_s():
    """Equation (14.1) as the page writes it in sight."""
    (in_sight,) = functions("14", "ring")
    table = RNG.normal(size=(P, D))
    assert in_sight(on_axes(table, 2)) == pytest.approx(ring_share(table))


def recorded_runs(data):
    """All that the page loads, of the same made-up runs."""
    networks = {name: with_axes(data) for name in (*runs.networks(), HEART)}
    lives = pd.concat({name: embedding.lives(one) for name, one in networks.items()})
    ways = dict.fromkeys(("normal", "axes", "largest"), times(900, 1000))
    ways |= dict.fromkeys(("random axes", "random numbers"), times(2000, None))
    dropped = dict.fromkeys(runs.SHARES, data.assign(fit_with_dropout=data.test_accuracy))
    letters = xr.DataArray([[list("GCMM"), list("GGCX")]], dims=("seed", "decay", "rate"))
    letters = letters.rename(decay="decoder_weight_decay", rate="decoder_lr")
    one = {name: [1.0, 0.5] for name in contrast.HELD_OUT}
    return Recorded(
        networks,
        lives.rename_axis(["network", "run"]),
        data.isel(seed=0),
        pd.DataFrame({"at_0.5": [1.0, 3.0]}),
        ways,
        {decay: times(900, None) for decay in runs.DECAYS},
        dropped,
        letters,
        {"shuffled labels": data, "strong decay": data},
        contrast.outcomes(chosen_runs(one)),
    )


def test_the_numbers_of_the_prose_follow_the_runs():
    seen = recorded_runs(made())
    beside = embedding.beside_a_ring(seen.first, seen.controls)
    told = numbers(seen, beside, seen.networks[HEART])
    assert told.keys() | {"own_decay"} == names_used("14")
    assert told["circle_near"] == "1 of 2" and told["axes_first"] == "all 2"
    assert (told["largest"], told["random_numbers"]) == ("2 of 2", "1 of 2")
    assert told["less_decay"] == "2 of 4" and told["comprehend"] == "2 of 8"
    assert told["right_covered"] == 1 and told["enough_6"] == "3 of 3"


# ---------------------------------------------------------------------------------- mask and rewind


def test_a_ticket_keeps_its_part_of_the_start_and_nothing_else(monkeypatch):
    """Ten axes or a fifth of the numbers at the values of the ordinary start; what is not kept is
    never trained."""
    monkeypatch.setattr(tickets, "LENGTH", 3)
    tickets.trained.cache_clear()
    run = tickets.tickets()["largest"].config
    task, model = ModularTask(11, train_fraction=0.8), tickets.Ticket(11, 24, 2, 16)
    start = tickets.whole(model).draw(0)
    pairs = torch.from_numpy(task.inputs)
    drawn = {kept: model.draw(0, kept) for kept in model.starts}
    assert torch.allclose(
        model.forward(drawn["normal"], pairs), tickets.whole(model).forward(start, pairs), atol=1e-6
    )
    other = {kept: model.draw(1, kept) for kept in model.starts}
    # what is kept is the seed's own
    assert not torch.equal(drawn["random axes"]["W_P"], other["random axes"]["W_P"])
    assert not torch.equal(drawn["random numbers"]["W_E"] == 0, other["random numbers"]["W_E"] == 0)
    for kept, rank in (("axes", 10), ("random axes", 10), ("largest", 11), ("random numbers", 11)):
        weights = drawn[kept]
        assert torch.linalg.matrix_rank(model.embeddings(weights)[0]) == rank
        assert all(
            torch.equal(w[w != 0], start[name][w != 0])
            for name, w in weights.items()
            if name != "W_P"
        )
        shares = [
            float((w != 0).float().mean())
            for name, w in weights.items()
            if name[:2] == "W_" and name != "W_P"
        ]
        assert shares == pytest.approx([0.2 if rank == 11 else 1] * len(shares), abs=0.01)
        config = dataclasses.replace(run, task=task, model=model, start=kept, steps=3)
        after = split_weights(config, train_here([config], How()).weights[0])
        assert all(
            torch.equal(after[name] == 0, w == 0) for name, w in weights.items() if name[:2] == "W_"
        )
        assert torch.equal(after["W_P"], weights["W_P"]) and not torch.equal(
            after["W_E"], weights["W_E"]
        )
    tickets.trained.cache_clear()


EARLY, LATE = (800, 900, 1000, 1100, 1900), (1600, 1800, 2000, 2200, None)


@pytest.mark.parametrize(
    ("own", "null", "whole", "verdict"),
    [
        (EARLY, LATE, EARLY, "holds"),
        (EARLY, EARLY, EARLY, "fails"),
        (LATE, EARLY, EARLY, "fails"),
        ((None,) * 5, LATE, EARLY, "fails"),
        (EARLY, LATE, (None,) * 5, UNDECIDED),
        (EARLY[:4], LATE[:4], EARLY[:4], UNDECIDED),
    ],
    ids=[
        "tickets",
        "random ones as early",
        "random ones earlier",
        "none",
        "no control",
        "four runs",
    ],
)
def test_a_ticket_must_win_every_pair(own, null, whole, verdict):
    """LT14; of the paper's networks (LT13) small ones decide nothing."""
    tables = {
        "normal": times(*whole),
        "axes": times(*own),
        "random axes": times(*null),
        "largest": times(*own),
        "random numbers": times(*null),
    }
    axes = tickets.axes_are_tickets(Runs(tables))
    assert axes.verdict == UNDECIDED and axes.numbers["companions"] == verdict
    assert tickets.numbers_are_tickets(Runs(tables)).verdict == verdict


# ------------------------------------------------------------------------ four chosen training sets


def chosen_runs(tests: dict[str, list[float]], fit: float = 1.0) -> Runs:
    """Runs of the four sets that end at these test accuracies; `fit` those below 1."""
    found = {}
    for name, ends in tests.items():
        data = xr.Dataset(
            {"test_accuracy": (("seed", "step"), np.array([[0.0, end] for end in ends]))}
        )
        data["train_accuracy"] = (
            ("seed", "step"),
            np.array([[0.0, 1.0 if end == 1 else fit] for end in ends]),
        )
        found[name] = data.assign_coords(seed=range(len(ends)), step=[0, 50])
    return Runs(found)


def test_the_four_sets_differ_in_one_thing_at_a_time():
    """Counted anew: nullity by the rank of all equations, distances by trying every trained
    cell."""
    table = contrast.predictions()
    for name, held in contrast.HELD_OUT.items():
        pairs = contrast.training_pairs(name)
        assert (
            len(pairs) == 42
            and {i + j for i, j in pairs} == set(range(19))
            and not set(pairs) & set(held)
        )
        rows = equations(permissible_set(pairs), 10)
        assert (
            table.freedom[name]
            == 10 - np.linalg.matrix_rank(rows)
            == (2 if name.startswith("line") else 3)
        )
        cells = np.argwhere(contrast.trained_mask(pairs))
        far = max(np.abs(cells - pair).sum(axis=1).min() for pair in held)
        assert table.farthest[name] == far == (1 if name.endswith("covered") else 3)
    assert table.ideal.tolist() == pytest.approx([1, 1, 5 / 13, 5 / 13])
    # so that the papers expect opposite orders
    assert table.rate["line, hole"] > table.rate["line, covered"]


@pytest.mark.parametrize("name", contrast.HELD_OUT)
def test_drawn_sets_are_of_their_kind_and_differ(name):
    experiment, drawn = contrast.drawn()[name], set()
    for seed in experiment.seeds[:5]:
        task = experiment.config.with_seed(seed).task
        pairs = [*map(tuple, task.inputs[task.train_index].tolist())]
        drawn.add(tuple(pairs))
        assert len(pairs) == 42 and {i + j for i, j in pairs} == set(range(19))
        free = 10 - np.linalg.matrix_rank(equations(permissible_set(pairs), 10))
        cells = np.argwhere(contrast.trained_mask(pairs))
        far = max(np.abs(cells - cell).sum(axis=1).min() for cell in np.ndindex(10, 10))
        assert (free, far) == (
            2 if name.startswith("line") else 3,
            1 if name.endswith("covered") else 3,
        )
    assert len(drawn) == 5


@pytest.mark.parametrize(
    ("right", "verdict"),
    [
        ((15, 15, 5, 5), "holds"),
        ((15, 5, 15, 5), "fails"),
        ((5, 15, 5, 15), "fails"),
        ((5, 5, 15, 15), "fails"),
        ((20, 10, 10, 0), "undecided"),
    ],
    ids=["parallelograms decide", "cover decides", "a hole decides", "the reverse", "both alike"],
)
def test_what_decides_is_seen(right, verdict):
    """By the number of sets, of 20 of a kind, whose run answers every test pair; the others answer
    0.4 of them."""
    ends = {
        name: [1.0] * n + [0.4] * (20 - n) for name, n in zip(contrast.HELD_OUT, right, strict=True)
    }
    runs = chosen_runs(ends, fit=0.95)  # who misses a test pair has not fitted
    found = contrast.line_or_cover(runs)
    assert found.verdict == verdict and found.numbers["fitted"] == f"all {sum(right[:2])}"
    assert (
        contrast.line_or_cover(Runs({k: v.isel(seed=slice(19)) for k, v in runs.items()})).verdict
        == "undecided"
    )
    del runs["line, hole"]
    assert (
        contrast.line_or_cover(runs).verdict
        == contrast.line_or_cover(Runs()).verdict
        == "undecided"
    )


def test_what_is_counted_of_the_chosen_sets():
    found = chosen_runs(
        {
            "line, covered": [1.0, 1.0],
            "line, hole": [1.0, 0.5],
            "no line, covered": [5 / 13],
            "no line, hole": [0.0],
        }
    )
    rows = contrast.outcomes(found)
    assert rows.right.tolist() == [True] * 3 + [False] * 3 and rows.line.sum() == 4
    assert rows.step.tolist()[:3] == [50] * 3 and rows.step[3:].isna().all()


# ------------------------------------------------------------------------------ the diagram of LT10

BANDS = ["GCMM", "GCMM", "GCMM", "GGCX", "MGCX", "MMXX", "MMXX"]  # decay down, rate across
# grokking between the others along both axes
ORDERED = ["CCGGMM"] * 5 + ["CGMMXX", "GMMXXX", "MMXXXX"]


def diagram(*seeds: list[str]) -> dict[str, xr.DataArray]:
    grids = [[list(row) for row in rows] for rows in seeds]
    return {"cells": xr.DataArray(grids, dims=("seed", "decoder_weight_decay", "decoder_lr"))}


@pytest.mark.parametrize(
    ("seeds", "verdict"),
    [
        ([ORDERED] * 3, "holds"),
        ([BANDS] * 3, "holds with correction"),  # comprehension is between
        (
            [ORDERED, ORDERED, ["M" * 6] * 4 + ["X" * 6] * 4],
            "holds with correction",
        ),  # too few lines along the rate
        ([ORDERED] * 2, None),  # two seeds
        ([["X" * 6] * 4 + ["M" * 6] * 4] * 3, "fails"),  # upside down, and two phases of four
        (
            [[row[::-1] for row in ORDERED]] * 3,
            "fails",
        ),  # a slow decoder memorises, and is confused
        ([[row.replace("X", "M") for row in ORDERED]] * 3, "fails"),  # no confusion
    ],
)
def test_a_diagram_compares_with_the_toys_by_its_phases_corners_and_order(seeds, verdict):
    """LT10: the word of a small diagram is told, of the paper's size it is open."""
    found = claims.phases_of_the_decoder(diagram(*seeds))
    assert found.verdict == UNDECIDED and found.numbers.get("companions") == verdict


def test_the_published_panel_passes_as_a_diagram_and_the_same_cells_dealt_out_anew_hardly_ever():
    """Oracle and null of LT10: panel 6b three times, and its cells in a random order (0.4 % by the
    binomial law)."""
    cells = published.panels()["b"].values

    def word(one):
        return claims.phases_of_the_decoder.check(diagram(*[one] * 3)).numbers["companions"]

    assert word(cells) == "holds with correction"
    dealt = [RNG.permutation(cells.ravel()).reshape(cells.shape) for _ in range(200)]
    assert [word(one) for one in dealt].count("fails") >= 0.98 * len(dealt)


def test_what_a_cell_of_the_diagram_has_not_reached_at_its_end_counts_as_never():
    """Fits at 100 and has the test set right at 600, at 1,100 (a delay of 1,000) or not; does not
    fit."""
    steps = np.arange(0, 4001, 50)
    reached = xr.DataArray(
        [[[100, 100], [100, 9_999]], [[600, 1_100], [9_999, 9_999]]],
        dims=("set", "decoder_weight_decay", "decoder_lr"),
    )
    high = (
        (xr.DataArray(steps, dims="step", coords={"step": steps}) >= reached)
        .astype(float)
        .expand_dims("seed")
    )
    data = xr.Dataset({"train_accuracy": high.isel(set=0), "test_accuracy": high.isel(set=1)})
    assert claims.letters(data).values.tolist() == [[["C", "G"], ["M", "X"]]]


def test_the_moving_run_is_a_run_of_figure_5_that_differs_in_its_snapshots_alone():
    shown, usual = often()["run"], fig5(97)
    assert dataclasses.replace(shown.config, snapshots=usual.config.snapshots) == usual.config
    assert set(shown.seeds) <= set(usual.seeds)
