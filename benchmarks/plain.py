"""The training of Gu et al. 2025 written plainly: what the library's is compared with.

The whole sequence goes through the model, an epoch has four forward passes (loss and accuracy of
both sets), the inputs and labels are made from Python lists each time, and every metric is computed
in every epoch. The sums done are those of the paper; the code is ours.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from grokbook.models.transformer import initialise
from grokbook.training import RunConfig

Pairs = list[tuple[int, int]]


class PlainTransformer(nn.Module):
    """One layer over all three positions; the initial weights are those of a run of the library."""

    def __init__(self, config: RunConfig) -> None:
        super().__init__()
        w = {
            name.removesuffix(".0"): nn.Parameter(t)
            for name, t in initialise(config.model, config.seed).items()
        }
        self.w, self.heads = nn.ParameterDict(w), config.model.n_heads
        self.register_buffer("mask", torch.ones(3, 3).triu(1).bool())

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (N, 3, p) of token sequences (N, 3)."""
        w, (n, t) = self.w, tokens.shape
        x = F.embedding(tokens, w["W_E"]) + w["W_pos"]
        q, k, v = (
            F.linear(x, w[f"W_{m}"]).view(n, t, self.heads, -1).transpose(1, 2) for m in "QKV"
        )
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        z = scores.masked_fill(self.mask, -math.inf).softmax(dim=-1) @ v
        x = x + F.linear(z.transpose(1, 2).reshape(n, t, -1), w["W_O"])
        x = x + F.linear(F.relu(F.linear(x, w["W_in"], w["b_in"])), w["W_out"], w["b_out"])
        return F.linear(x, w["W_U"])


def logits_and_labels(model: PlainTransformer, pairs: Pairs, p: int) -> tuple[Tensor, Tensor]:
    """The read-out at the last position and the labels of some pairs, both from Python lists."""
    tokens = torch.tensor([(i, j, p) for i, j in pairs])
    return model(tokens)[:, -1], torch.tensor([(i + j) % p for i, j in pairs])


def loss(model: PlainTransformer, pairs: Pairs, p: int) -> Tensor:
    """Mean cross entropy over the pairs."""
    return F.cross_entropy(*logits_and_labels(model, pairs, p))


@torch.no_grad()
def accuracy(model: PlainTransformer, pairs: Pairs, p: int) -> float:
    """Share of the pairs answered correctly."""
    z, labels = logits_and_labels(model, pairs, p)
    return (z.argmax(dim=-1) == labels).float().mean().item()


@torch.no_grad()
def med(model: PlainTransformer, p: int) -> float:
    """Main embedding difference (Gu et al. 2025, Definition 4.2), one difference after another."""
    phi = model.w["W_E"]
    return sum((phi[(i + 1) % p] - phi[i]).norm().item() for i in range(p)) / p


class PlainTraining:
    """A run that trains one epoch a call."""

    def __init__(self, config: RunConfig) -> None:
        o, self.p = config.optimizer, config.task.p
        self.train = [(int(i), int(j)) for i, j in config.task.train_pairs]
        self.test = [(int(i), int(j)) for i, j in config.task.test_pairs]
        self.model = PlainTransformer(config)
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), o.learning_rate, (o.beta1, o.beta2), o.eps, o.weight_decay
        )
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimiser, lambda step: min(step / o.warmup, 1)
        )
        self.history: list[dict[str, float]] = []

    def epoch(self) -> None:
        """Log every metric, then make one update."""
        train_loss = loss(self.model, self.train, self.p)
        with torch.no_grad():
            test_loss = loss(self.model, self.test, self.p).item()
        self.history.append(
            {
                "train_loss": train_loss.item(),
                "test_loss": test_loss,
                "train_accuracy": accuracy(self.model, self.train, self.p),
                "test_accuracy": accuracy(self.model, self.test, self.p),
                "med": med(self.model, self.p),
            }
        )
        self.optimiser.zero_grad()
        train_loss.backward()
        self.optimiser.step()
        self.schedule.step()
