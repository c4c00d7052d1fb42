"""The transformer of Gu et al. 2025 (Eqs 1-2) from its equations with torch's own attention, and a
way to train it."""

import torch
from torch.nn import functional as F

from grokbook.models.transformer import Shape, initialise
from grokbook.training import RunConfig


def whole_sequence_logits(
    w: dict[str, torch.Tensor], tokens: torch.Tensor, shape: Shape
) -> torch.Tensor:
    """Logits (N, p): all three rows through every layer, the cls row of the last stream times the
    unembedding."""
    x = w["W_E"][tokens]
    if shape.positional:
        x = x + w["W_pos"]
    for l in range(shape.n_layers):
        n, t, d = x.shape
        heads = (torch.einsum("ntd,ed->nte", x, w[f"W_{name}.{l}"]) for name in "QKV")
        q, k, v = (
            a.reshape(n, t, shape.n_heads, d // shape.n_heads).transpose(1, 2) for a in heads
        )
        mixed = (
            F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(n, t, d)
        )
        x = x + torch.einsum("nte,de->ntd", mixed, w[f"W_O.{l}"])
        hidden = (torch.einsum("ntd,md->ntm", x, w[f"W_in.{l}"]) + w[f"b_in.{l}"]).clamp(min=0)
        x = x + torch.einsum("ntm,dm->ntd", hidden, w[f"W_out.{l}"]) + w[f"b_out.{l}"]
    return torch.einsum("nd,pd->np", x[:, 2], w["W_U"])


def evaluate(w: dict[str, torch.Tensor], config: RunConfig) -> dict[str, float]:
    """Losses and accuracies on both sets, one cell at a time, in float64."""
    task, results = config.task, {}
    with torch.no_grad():
        z = whole_sequence_logits(
            {n: v.double() for n, v in w.items()}, torch.from_numpy(task.tokens), config.model
        )
    for name, index in (("train", task.train_index), ("test", task.test_index)):
        rows = [(z[cell], int(task.labels[cell])) for cell in index]
        results[f"{name}_loss"] = sum(
            float(row.logsumexp(0) - row[label]) for row, label in rows
        ) / len(rows)
        results[f"{name}_accuracy"] = sum(int(row.argmax()) == label for row, label in rows) / len(
            rows
        )
    return results


def train_independently(config: RunConfig) -> dict[int, dict[str, float]]:
    """The run by torch.optim.AdamW, LambdaLR and the whole-sequence model: metrics by logged
    step."""
    w = {
        name: value.requires_grad_()
        for name, value in initialise(config.model, config.seed).items()
    }
    o = config.optimizer
    optimiser = torch.optim.AdamW(
        w.values(), o.learning_rate, (o.beta1, o.beta2), o.eps, o.weight_decay
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: min(step / o.warmup, 1))
    tokens, labels = torch.from_numpy(config.task.tokens), torch.from_numpy(config.task.labels)
    rows, logged = torch.from_numpy(config.task.train_index), {}
    for step in range(config.steps + 1):
        if step in config.log.steps(config.steps):
            logged[step] = evaluate(w, config)
        loss = F.cross_entropy(whole_sequence_logits(w, tokens[rows], config.model), labels[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    return logged
