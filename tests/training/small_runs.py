"""Runs of a fraction of a second, and an independent way to train them, for the tests of the training room."""

from __future__ import annotations

import torch
from torch.nn import functional as F

from grokbook.models.transformer import Shape, initialise
from grokbook.tasks import ModularTask
from grokbook.training import AdamW, RunConfig, Schedule, StopRule

EVERY_FIVE = Schedule(dense_until=1000, dense_every=5)


def small(
    seed: int = 0,
    *,
    p: int = 7,
    fraction: float = 0.5,
    d: int = 8,
    steps: int = 20,
    layers: int = 1,
    shift: int = 0,
    log: Schedule = EVERY_FIVE,
    stop: StopRule | None = None,
    dtype: str = "float32",
    snapshots: int = 3,
    **optimizer: float,
) -> RunConfig:
    """A tiny run: split and weights from `seed`, the optimiser's settings by name."""
    task = ModularTask(p, train_fraction=fraction, shift=shift, seed=seed)
    model = Shape(p, d_model=d, n_heads=2, n_layers=layers, shift=shift)
    settings = AdamW(**optimizer)
    return RunConfig(task, model, settings, steps, log, snapshots, stop, dtype, seed)


def whole_sequence_logits(w: dict[str, torch.Tensor], tokens: torch.Tensor, config: RunConfig) -> torch.Tensor:
    """Logits by torch's own attention over the whole sequence (Gu et al. 2025, Eqs 1-2)."""
    x, heads = w["W_E"][tokens] + w["W_pos"], config.model.n_heads
    for l in range(config.model.n_layers):
        n, t, d = x.shape
        q, k, v = ((x @ w[f"W_{name}.{l}"].T).view(n, t, heads, d // heads).transpose(1, 2) for name in "QKV")
        z = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(n, t, d)
        x = x + z @ w[f"W_O.{l}"].T
        x = x + (x @ w[f"W_in.{l}"].T + w[f"b_in.{l}"]).relu() @ w[f"W_out.{l}"].T + w[f"b_out.{l}"]
    return x[:, -1] @ w["W_U"].T


def evaluate(w: dict[str, torch.Tensor], config: RunConfig) -> dict[str, float]:
    """Losses and accuracies on both sets, one cell at a time, in float64."""
    task, results = config.task, {}
    with torch.no_grad():
        z = whole_sequence_logits({n: v.double() for n, v in w.items()}, torch.from_numpy(task.tokens), config)
    for name, index in (("train", task.train_index), ("test", task.test_index)):
        rows = [(z[cell], int(task.labels[cell])) for cell in index]
        results[f"{name}_loss"] = sum(float(row.logsumexp(0) - row[label]) for row, label in rows) / len(rows)
        results[f"{name}_accuracy"] = sum(int(row.argmax()) == label for row, label in rows) / len(rows)
    return results


def train_independently(config: RunConfig) -> dict[int, dict[str, float]]:
    """The run by torch.optim.AdamW, LambdaLR and the whole-sequence model: metrics by logged step."""
    w = {name: value.requires_grad_() for name, value in initialise(config.model, config.seed).items()}
    o = config.optimizer
    optimiser = torch.optim.AdamW(w.values(), o.learning_rate, (o.beta1, o.beta2), o.eps, o.weight_decay)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: min(step / o.warmup, 1))
    tokens, labels = torch.from_numpy(config.task.tokens), torch.from_numpy(config.task.labels)
    rows, logged = torch.from_numpy(config.task.train_index), {}
    for step in range(config.steps + 1):
        if step in config.log.steps(config.steps):
            logged[step] = evaluate(w, config)
        loss = F.cross_entropy(whole_sequence_logits(w, tokens[rows], config), labels[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    return logged
