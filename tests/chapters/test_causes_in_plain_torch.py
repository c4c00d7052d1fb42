"""Bench Q of chapter 19 written anew in plain torch: other random numbers, another loop, other
code; what an arm leaves of the wait has to come out alike."""

import itertools

import numpy as np
import pytest
import torch

from grokbook_chapters import causes as chapter

P = 23
WIDTH = 128
SEEDS = 12
RATE = 5e-3
DECAY = 0.3
LAST = 700
LOGGED = range(10, LAST + 1, 10)
STAYS = 4
"""Logged steps in a row for which an accuracy has to stay."""

ANSWERS = torch.arange(P)[:, None].add(torch.arange(P)).remainder(P).flatten()


def shown_pairs(seed):
    """Which of the p² cells are trained: 80 % of them, in whole unordered pairs."""
    pairs = list(itertools.combinations_with_replacement(range(P), 2))
    shown = torch.zeros(P, P, dtype=torch.bool)
    for index in np.random.default_rng([seed, 1]).permutation(len(pairs)):
        if shown.sum() > 0.8 * P**2 - 2:
            break
        a, b = pairs[index]
        shown[a, b] = shown[b, a] = True
    return shown.flatten()


def start(first_seed):
    """First weights of all seeds: normal, of variance one over the inputs of a layer."""
    drawn = torch.Generator().manual_seed(first_seed)
    hidden = torch.randn(SEEDS, 2 * P, WIDTH, generator=drawn) / (2 * P) ** 0.5
    return hidden, torch.randn(SEEDS, P, WIDTH, generator=drawn) / WIDTH**0.5


def logits(hidden, output):
    units = hidden[:, :P, None] + hidden[:, None, P:]
    return units.square().reshape(SEEDS, P**2, WIDTH) @ output.mT


def first_stay(right):
    """Steps from which an accuracy (logged step, seed) stays at 95 % or above; the last is NaN."""
    high = np.lib.stride_tricks.sliding_window_view(right >= 0.95, STAYS, axis=0).all(-1)
    return np.where(high.any(0), np.array(LOGGED)[high.argmax(0)], np.nan)


class Trained:
    """All seeds trained side by side; `decay` is a function of the step. `tables` has the first
    layers every five steps."""

    def __init__(self, hidden, output, decay):
        self.shown = torch.stack([shown_pairs(seed) for seed in range(SEEDS)])
        weights = [table.clone().requires_grad_() for table in (hidden, output)]
        optimiser = torch.optim.AdamW(weights, betas=(0.9, 0.98), eps=1e-8)
        self.tables = {}
        right = []
        for step in range(1, LAST + 1):
            group = optimiser.param_groups[0]
            group["lr"] = RATE * min((step - 1) / 10, 1)
            group["weight_decay"] = decay(step)
            loss = torch.nn.functional.cross_entropy(
                logits(*weights).flatten(0, 1), ANSWERS.repeat(SEEDS), reduction="none"
            ).view(SEEDS, -1)
            optimiser.zero_grad()
            (loss * self.shown).sum(1).div(self.shown.sum(1)).sum().backward()
            optimiser.step()
            if step % 5 == 0:
                self.tables[step] = weights[0].detach().clone()
            if step in LOGGED:
                right.append((logits(*weights).argmax(-1) == ANSWERS).detach())
        right = torch.stack(right)
        self.fit = first_stay(self._share(right, self.shown))
        self.grok = first_stay(self._share(right, ~self.shown))

    def _share(self, right, cells):
        return ((right & cells).sum(-1) / cells.sum(-1)).numpy()

    @property
    def wait(self):
        return self.grok - self.fit


@pytest.mark.slow
def test_three_arms_come_out_alike_in_plain_torch():
    """Twice the decay, decay from the fit alone, features of a donor half way: their 95 %
    intervals of the share of the wait meet the recorded ones, and the free waits are alike."""
    recorded = chapter.recorded_times("Q")
    shares = chapter.shares(recorded, "Q")
    begun = start(0)
    free = Trained(*begun, lambda step: DECAY)
    half_way = ((free.fit + free.grok) / 2).astype(int)
    tables = [free.tables[step][seed] for seed, step in enumerate(half_way)]
    arms = {
        "decay-double": Trained(*begun, lambda step: 2 * DECAY),
        "decay-from-the-fit": Trained(*begun, lambda step: DECAY * (step > 70)),
        "features-50": Trained(torch.stack(tables), start(1)[1], lambda step: DECAY),
    }
    ours = recorded["free"]
    assert np.median(free.wait) == pytest.approx(np.median(ours.grok_step - ours.fit_step), rel=0.2)
    for name, arm in arms.items():
        low, high = np.sort(arm.wait / free.wait)[[2, -3]]  # of the median of twelve
        assert low <= shares.high[name] and shares.low[name] <= high, name
