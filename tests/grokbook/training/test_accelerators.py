"""Muon and Grokfast against their definitions and against torch's own Muon."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.training import AdamW
from grokbook.training.accelerators import Grokfast, Muon, is_hidden, orthogonalise

SHAPES = {"W_E": (3, 4), "W_Q.0": (4, 4), "W_in.0": (6, 4), "b_in.0": (6,)}


def moved(settings_, steps=1, seed=0):
    """Weights before and after `steps` updates with random gradients, one run."""
    torch.manual_seed(seed)
    size = sum(torch.Size(s).numel() for s in SHAPES.values())
    weights = torch.randn(1, size)
    state = settings_.init(weights, SHAPES)
    before, gradients = weights.clone(), torch.randn(steps, 1, size)
    for step, g in enumerate(gradients):
        settings_.update(weights, g, state, settings_.numbers(step), SHAPES)
    return before, weights, gradients


def parts(row):
    sizes = [torch.Size(s).numel() for s in SHAPES.values()]
    return {n: x.view(s) for (n, s), x in zip(SHAPES.items(), row.split(sizes), strict=True)}


@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 20))
@settings(max_examples=30, deadline=None)
def test_orthogonalise_keeps_singular_vectors_and_brings_values_near_one(m, n, seed):
    """With G = U S V', the iteration gives U f(S) V', f of each singular value alone: U' X V is
    diagonal."""
    g = torch.randn(m, n, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    u, s, v = torch.linalg.svd(g, full_matrices=False)
    core = u.mT @ orthogonalise(g) @ v.mT
    assert torch.allclose(core, torch.diag(core.diagonal()), atol=1e-6)
    large = s > 0.05 * s.norm()
    assert bool(((core.diagonal()[large] > 0.5) & (core.diagonal()[large] < 1.3)).all())


def test_muon_is_torchs_muon_on_hidden_matrices_and_adamw_elsewhere():
    """torch.optim.Muon computes its iteration in bfloat16: equal to about 2 % of an update."""
    settings_ = Muon(warmup=0, weight_decay=0.5, learning_rate=0.01)
    before, after, gradients = moved(settings_, steps=3)
    plain = moved(AdamW(warmup=0, weight_decay=0.5, learning_rate=0.01), steps=3)[1]
    ours, start, adam = parts(after[0]), parts(before[0]), parts(plain[0])
    for name in SHAPES:
        if not is_hidden(name, SHAPES[name]):
            assert torch.equal(ours[name], adam[name])
            continue
        w = torch.nn.Parameter(start[name].clone())
        theirs = torch.optim.Muon([w], lr=0.01, weight_decay=0.5, adjust_lr_fn="match_rms_adamw")
        for g in gradients:
            w.grad = parts(g[0])[name].clone()
            theirs.step()
        step = (ours[name] - start[name]).norm()
        assert (ours[name] - w.detach()).norm() < 0.05 * step
        assert (ours[name] - adam[name]).norm() > 0.2 * step


def test_grokfast_is_adamw_on_the_amplified_gradient():
    """Lee et al. 2024: g + lambda s, s <- alpha s + (1 - alpha) g, s_0 = 0."""
    settings_ = Grokfast(warmup=0, memory=0.9, gain=3.0)
    _, after, gradients = moved(settings_, steps=4)
    slow, w = torch.zeros_like(gradients[0]), moved(settings_, steps=0)[1]
    w = torch.nn.Parameter(w[0].clone())
    optimiser = torch.optim.AdamW([w], 1e-3, (0.9, 0.98), 1e-8, 1.0)
    for g in gradients:
        slow = 0.9 * slow + 0.1 * g
        w.grad = (g + 3.0 * slow)[0]
        optimiser.step()
    assert torch.allclose(after[0], w.detach(), atol=1e-6)


def test_plain_muon_moves_the_named_matrices_by_the_orthogonal_part_of_the_momentum():
    """Tian 2025: M <- mu M + (1 - mu) G, W <- (1 - lr wd) W - lr O(M), no look ahead, no factor."""
    name, shape = next((n, s) for n, s in SHAPES.items() if n == "W_E")
    plain = Muon(warmup=0, weight_decay=0.5, learning_rate=0.01, matrices=(name,), plain=True)
    before, after, gradients = moved(plain, steps=3)
    w, m = parts(before[0])[name].clone(), torch.zeros(shape)
    for g in gradients:
        m = plain.momentum * m + (1 - plain.momentum) * parts(g[0])[name]
        w = (1 - 0.01 * 0.5) * w - 0.01 * orthogonalise(m)
    torch.testing.assert_close(parts(after[0])[name], w, rtol=1e-5, atol=1e-6)
    with pytest.raises(ParameterError, match="matrices: 'W_Z'"):
        Muon(matrices=("W_Z",)).init(before, SHAPES)
