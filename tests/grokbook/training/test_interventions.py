"""Each intervention against what it says: identities of the update, exact equalities of whole
runs."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.models.intervened import Rescaled, Tempered
from grokbook.models.quadratic import Quadratic
from grokbook.models.transformer import Shape
from grokbook.tasks import ModularTask
from grokbook.training import AdamW, RunConfig, train
from grokbook.training import interventions as iv
from grokbook.training.ensemble import How, train_here
from grokbook.training.forward import split_weights
from grokbook.training.handed_over import HandedOver
from grokbook.training.optim import Adam, Sgd

TASK, MODEL = ModularTask(5, train_fraction=0.5, split="symmetric"), Shape(5, d_model=8)
BASE = RunConfig(TASK, MODEL, AdamW(warmup=0), steps=12, snapshots=0)
SHAPES = {"W_E": (6, 3), "W": (4, 5)}


def hooked(*hooks, optimizer=None, **changes):
    """The base run with hooks."""
    return dataclasses.replace(
        BASE, optimizer=iv.Hooked(optimizer or BASE.optimizer, hooks), **changes
    )


def rows(config, seeds=(0, 1)):
    """The weights (R, P) with which runs of these seeds end, trained as one program."""
    return train_here([config.with_seed(seed) for seed in seeds], How()).weights


def test_without_hooks_or_with_hooks_that_are_off_nothing_changes_bit_for_bit():
    plain = rows(BASE)
    assert torch.equal(plain, rows(hooked()))
    assert torch.equal(plain, rows(hooked(iv.Clamp(1.0, start=12), iv.Freeze(("W_U",), start=99))))
    assert torch.equal(plain, rows(hooked(iv.Hook())))


def test_what_is_frozen_stays_at_its_start_until_the_stop_and_the_rest_is_trained():
    start = MODEL.draw(0)
    ends = split_weights(BASE, rows(hooked(iv.Freeze(("W_E", "W_U"))))[0])
    assert torch.equal(ends["W_E"], start["W_E"]) and torch.equal(ends["W_U"], start["W_U"])
    assert not torch.equal(ends["W_in.0"], start["W_in.0"])
    let_go = split_weights(BASE, rows(hooked(iv.Freeze(("W_E",), stop=11)))[0])
    late = split_weights(BASE, rows(hooked(iv.Freeze(("W_E",), stop=12)))[0])
    assert torch.equal(late["W_E"], start["W_E"]) and not torch.equal(let_go["W_E"], start["W_E"])


def test_at_a_held_norm_decay_is_a_larger_rate_and_nothing_else():
    r"""$(1 - \eta\lambda) w - \eta u$ and $w - \eta/(1 - \eta\lambda)\, u$ have one direction.

    Without the clamp the two ends differ. Chapter 19 rests on it: arms whose norm is held are arms
    without decay.
    """
    rate, decay = 0.01, 5.0
    decayed = AdamW(rate, weight_decay=decay, warmup=0)
    plain = AdamW(rate / (1 - rate * decay), weight_decay=0.0, warmup=0)
    held = [rows(hooked(iv.Clamp(3.0), optimizer=each)) for each in (decayed, plain)]
    free = [rows(hooked(optimizer=each)) for each in (decayed, plain)]
    assert torch.allclose(*held, atol=2e-5) and not torch.allclose(*free, atol=2e-3)


def test_a_clamp_holds_the_norm_at_its_radius_and_on_its_path():
    assert rows(hooked(iv.Clamp(3.0))).norm(dim=1).tolist() == pytest.approx([3.0, 3.0], rel=1e-6)
    path = train([hooked(iv.Clamp(((0, 2.0), (10, 7.0))))], progress=False, device="cpu")
    assert path.weight_norm.values[0, -2:] == pytest.approx([7.0, 7.0], rel=1e-6)  # steps 10 and 12
    part = split_weights(BASE, rows(hooked(iv.Clamp(2.0, ("W_U",))))[1])
    assert float(part["W_U"].norm()) == pytest.approx(2.0, rel=1e-6)


@pytest.mark.parametrize(
    ("optimizer", "power"), [(Sgd(0.05, warmup=0), 2), (Adam(3e-3, eps=1e-30), 1)]
)
def test_a_homogeneous_network_at_norm_rho_is_one_at_norm_1_with_another_rate_and_temperature(
    optimizer, power
):
    """f(rho u) = rho^3 f(u), so the gradient at w = rho u is 1/rho times that at u, with
    temperature T / rho^3.

    Gradient descent then moves u with the rate over rho^2, Adam, which ignores the gradient's size,
    over rho.
    """
    rho, network = 2.5, Quadratic(5, width=12)
    start = torch.cat([w.reshape(-1) for w in network.draw(0).values()])
    at = {size: Rescaled(network, float(size / start.norm())) for size in (rho, 1.0)}
    smaller = dataclasses.replace(optimizer, learning_rate=optimizer.learning_rate / rho**power)
    config = RunConfig(TASK, at[rho], iv.Hooked(optimizer, (iv.Clamp(rho),)), steps=30, snapshots=0)
    unit = dataclasses.replace(
        config, model=Tempered(at[1.0], rho**-3), optimizer=iv.Hooked(smaller, (iv.Clamp(1.0),))
    )
    large, small = (train_here([c], How()).weights[0] for c in (config, unit))
    np.testing.assert_allclose(large / rho, small, atol=2e-5)
    assert float((small - start / start.norm()).norm()) > 0.05  # it has moved


def test_a_held_norm_is_a_clamp_at_the_norm_where_it_begins():
    start = MODEL.draw(0)
    norm = float(torch.cat([w.flatten() for w in start.values()]).norm())
    clamped = rows(hooked(iv.Clamp(norm)))
    torch.testing.assert_close(rows(hooked(iv.Hold()))[0], clamped[0], rtol=1e-4, atol=1e-5)
    late = rows(hooked(iv.Hold(start=5)))
    at_five = rows(hooked(steps=5))
    torch.testing.assert_close(late.norm(dim=1), at_five.norm(dim=1), rtol=1e-5, atol=0)
    assert not torch.equal(late, rows(hooked()))
    ends = split_weights(BASE, rows(hooked(iv.Hold(("W_U",))))[0])
    assert float(ends["W_U"].norm()) == pytest.approx(float(start["W_U"].norm()), rel=1e-5)
    assert float(ends["W_E"].norm()) != pytest.approx(float(start["W_E"].norm()), rel=1e-5)


def test_decay_of_all_weights_is_adamws_and_that_of_a_part_touches_nothing_else_in_its_first_update():
    bare = AdamW(weight_decay=0.0, warmup=0)
    ours = rows(hooked(iv.Decay(1e-3), optimizer=bare))
    np.testing.assert_allclose(ours, rows(BASE), atol=1e-6)
    one = dataclasses.replace(BASE, steps=1)
    free = rows(dataclasses.replace(one, optimizer=bare))
    half = rows(hooked(iv.Decay(0.1, share=0.5, seed=4), optimizer=bare, steps=1))
    start = torch.stack(
        [torch.cat([w.reshape(-1) for w in MODEL.draw(seed).values()]) for seed in (0, 1)]
    )
    touched = (free - half) != 0
    assert 0.4 < float(touched[start != 0].double().mean()) < 0.6
    np.testing.assert_allclose((free - half)[touched], 0.1 * start[touched], atol=1e-6)
    only = rows(hooked(iv.Decay(0.1, ("W_U",)), optimizer=bare, steps=1))
    outside = ~iv.marked(("W_U",), MODEL.shapes(), only)[0]
    assert torch.equal(only[:, outside], free[:, outside]) and not torch.equal(only, free)


@given(st.integers(0, 50))
@settings(max_examples=20, deadline=None)
def test_the_projected_gradient_has_no_part_along_its_direction(seed):
    generator = torch.Generator().manual_seed(seed)
    weights, gradient = torch.randn(2, 2, 38, generator=generator, dtype=torch.float64)
    on = {"on": 1.0}
    found = iv.Project().gradient(weights, gradient, on, SHAPES)
    assert (found * weights).sum(1).abs().max() < 1e-12
    np.testing.assert_allclose(iv.Project().gradient(weights, found, on, SHAPES), found, atol=1e-12)
    alone = iv.Project(each=True).gradient(weights, gradient, on, SHAPES)
    start = 0
    for shape in SHAPES.values():
        own = slice(start, start + math.prod(shape))
        start = own.stop
        only = iv.Project().gradient(weights[:, own], gradient[:, own], on, {"own": shape})
        np.testing.assert_allclose(alone[:, own], only, atol=1e-12)
    sham = iv.Project("random", seed)
    u = gradient - sham.gradient(weights, gradient, on, SHAPES)
    # one direction for all
    assert abs(float(torch.nn.functional.cosine_similarity(u[:1], u[1:]))) == pytest.approx(1)


@given(st.integers(0, 30), st.permutations(range(5)))
@settings(max_examples=20, deadline=None)
def test_the_pull_is_as_strong_as_the_gradient_shortens_the_ring_and_leaves_scale_and_place(
    seed, order
):
    """The relative length is invariant under scaling and shifting: its gradient d has <E, d> = 0
    and rows of sum 0."""
    generator = torch.Generator().manual_seed(seed)
    weights, gradient = torch.randn(2, 2, 38, generator=generator, dtype=torch.float64)
    penalty = iv.RingPenalty(tuple(order), 2.0)
    added = penalty.gradient(weights, gradient, {"on": 1.0, "strength": 2.0}, SHAPES) - gradient
    pull, table = added[:, :18].view(2, 6, 3), weights[:, :18].view(2, 6, 3)
    assert added[:, 18:].abs().max() == 0 and pull[:, 5].abs().max() == 0
    np.testing.assert_allclose(pull.flatten(1).norm(dim=1), 2 * gradient[:, :18].norm(dim=1))
    assert (pull * table).sum((1, 2)).abs().max() < 1e-10 and pull.sum(1).abs().max() < 1e-10
    before, after = (iv.relative_length(t[:, list(order)]) for t in (table, table - 1e-4 * pull))
    assert (after < before).all()


def test_a_transplant_takes_the_donors_parameters_renamed_shuffled_or_of_another_seed():
    donor = iv.trained(BASE, 3)
    assert torch.equal(torch.cat([w.reshape(-1) for w in donor.values()]), rows(BASE, (3,))[0])
    fresh = MODEL.draw(3)
    head = iv.Transplanted(MODEL, BASE, ("W_U", "W_out.0")).draw(3)
    assert torch.equal(head["W_U"], donor["W_U"]) and torch.equal(head["W_E"], fresh["W_E"])
    renamed = iv.Transplanted(MODEL, BASE, renaming=2).draw(3)["W_E"]
    assert torch.equal(renamed[:5], donor["W_E"][[0, 2, 4, 1, 3]]) and torch.equal(
        renamed[5], donor["W_E"][5]
    )
    shuffled = iv.Transplanted(MODEL, BASE, renaming=0).draw(3)["W_E"]
    assert sorted(map(tuple, shuffled.tolist())) == sorted(map(tuple, donor["W_E"].tolist()))
    assert torch.equal(iv.Transplanted(MODEL, BASE, other=1).draw(2)["W_E"], donor["W_E"])


def test_what_is_handed_over_is_that_of_a_donor_stopped_on_its_way_and_the_rest_is_drawn_anew():
    """The donor of seed 2 is that of seed (2 + 1) mod 3, stopped after its own number of updates."""
    handed = HandedOver(MODEL, BASE, ("W_E", "W_U"), steps=(1, 2, 3), other=1)
    donor = iv.trained(dataclasses.replace(BASE, steps=1), 0)
    drawn, fresh = handed.draw(2), MODEL.draw(1_002)
    for name in drawn:
        source = donor if name in ("W_E", "W_U") else fresh
        assert torch.equal(drawn[name], source[name])
    shuffled = dataclasses.replace(handed, renaming=0).draw(2)
    for name in ("W_E", "W_U"):
        assert sorted(map(tuple, shuffled[name].tolist())) == sorted(
            map(tuple, donor[name].tolist())
        )
        assert not torch.equal(shuffled[name], donor[name])


def test_a_renamed_function_is_the_same_function_of_renamed_symbols():
    """With rows i -> c i of W_E and of W_U the logits of (i, j) for k are the donor's of (c i, c j)
    for c k."""
    donor, c = iv.trained(BASE, 0), 3
    moved = iv.Transplanted(MODEL, BASE, ("W_E",), renaming=c).draw(0)["W_E"]
    order = torch.arange(5) * c % 5
    renamed = donor | {"W_E": moved, "W_U": donor["W_U"][order]}
    tokens = torch.from_numpy(TASK.tokens)
    there = MODEL.forward(donor, torch.cat([order[tokens[:, :2]], tokens[:, 2:]], dim=1))[:, order]
    np.testing.assert_allclose(MODEL.forward(renamed, tokens), there, atol=1e-5)


HOOKS = (
    (iv.Freeze, ("W_E",)),
    (iv.Clamp, 1.0),
    (iv.Decay, 0.1),
    (iv.Project, "random"),
    (iv.RingPenalty, range(5)),
)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        *(
            (lambda hook=hook, asked=asked: hook(asked, start=5, stop=5), "0 <= start < stop")
            for hook, asked in HOOKS
        ),
        (lambda: iv.Clamp(0.0), "positive"),
        (lambda: iv.Clamp(((5, 1.0), (5, 2.0))), "increase"),
        (lambda: iv.RingPenalty((0, 1, 1)), "each once"),
        (lambda: iv.Hooked(AdamW(), (3,)), "must be a Hook"),
        (lambda: rows(hooked(iv.Freeze(("W_X",)))), "'W_X' is none of the network's"),
        (lambda: iv.Transplanted(MODEL, BASE, ("W_X",)), "'W_X' is none"),
        (lambda: HandedOver(MODEL, BASE), "steps is empty"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(make, said):
    with pytest.raises(ParameterError, match=said):
        make()
