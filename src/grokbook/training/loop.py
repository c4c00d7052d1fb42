r"""Full-batch training of R runs of one size as one program: the rows of one weight matrix.

Runs may differ in seed, split and optimiser settings; they share sizes, length and schedule. One row is run as
it is; several are mapped with `torch.vmap`, so that a GPU sees one program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.fingerprint import fingerprint
from grokbook.measures.logged import embedding_measures
from grokbook.measures.norms import weight_norm
from grokbook.models.networks import initialise, logits, operand_rows, parameter_shapes
from grokbook.training.accelerators import Grokfast, update
from grokbook.training.checkpoint import load_checkpoint, save_checkpoint
from grokbook.training.config import RunConfig, digest
from grokbook.training.schedule import snapshot_steps

Report = Callable[[int, dict[str, float]], None]


@dataclass
class Stack:
    """R runs in memory: configurations, weights (R, P), optimiser moments, data, and what was logged."""

    configs: list[RunConfig]
    weights: Tensor
    mean: Tensor
    square: Tensor
    slow: Tensor  # (R, P) moving average of the gradient, (R, 0) where the optimiser keeps none
    tokens: Tensor  # (p*p, 3), every cell
    labels: Tensor  # (p*p,)
    train: Tensor  # (R, n) numbers of the training cells
    logged: np.ndarray  # (L,)
    history: list[dict[str, list[float]]]
    snapshots: list[dict[int, Tensor]]
    step: int = 0
    diverged: dict[int, int] | None = None  # run -> step

    @property
    def config(self) -> RunConfig:
        """The first configuration; sizes, length and schedule are the same in all."""
        return self.configs[0]


def split_weights(config: RunConfig, row: Tensor) -> dict[str, Tensor]:
    """The named parameters that a row (P,) of the weight matrix holds, as views."""
    shapes = parameter_shapes(config.model)
    parts = row.split([int(np.prod(s)) for s in shapes.values()])
    return {name: part.view(s) for (name, s), part in zip(shapes.items(), parts, strict=True)}


def make_stack(configs: list[RunConfig], device: torch.device) -> Stack:
    """R fresh runs on `device`, at step 0."""
    first = configs[0]
    rows = [torch.cat([w.reshape(-1) for w in initialise(c.model, c.seed, c.start).values()]) for c in configs]
    weights = torch.stack(rows).to(device)
    train = np.stack([c.task.train_index for c in configs])
    return Stack(
        configs=list(configs),
        weights=weights,
        mean=torch.zeros_like(weights),
        square=torch.zeros_like(weights),
        slow=torch.zeros_like(weights if isinstance(first.optimizer, Grokfast) else weights[:, :0]),
        tokens=torch.from_numpy(first.task.tokens).to(device),
        labels=torch.from_numpy(first.task.labels).to(device),
        train=torch.from_numpy(train).to(device),
        logged=first.log.steps(first.steps),
        history=[{} for _ in configs],
        snapshots=[{} for _ in configs],
        diverged={},
    )


def run_logits(config: RunConfig, row: Tensor, tokens: Tensor) -> Tensor:
    """Logits (N, p) in float32 of one run; products in bfloat16 where the configuration says so."""
    low = config.dtype == "bfloat16"
    with torch.autocast(row.device.type, dtype=torch.bfloat16, enabled=low):
        return logits(split_weights(config, row), tokens, config.model).float()


def cell_losses(config: RunConfig, z: Tensor, labels: Tensor) -> Tensor:
    """The loss (N,) of each sample: cross entropy, or the mean squared error of the logits against one-hot labels."""
    if config.loss == "cross_entropy":
        return F.cross_entropy(z, labels, reduction="none")
    return (z - F.one_hot(labels, z.shape[-1])).square().mean(dim=-1)


def losses_and_gradient(stack: Stack, tokens: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Mean training loss (R,) and its gradient (R, P); tokens (R, n, 3), labels (R, n)."""

    def loss(row: Tensor, x: Tensor, y: Tensor) -> Tensor:
        z = run_logits(stack.config, row, x)
        return F.cross_entropy(z, y) if stack.config.loss == "cross_entropy" else cell_losses(stack.config, z, y).mean()

    weights = stack.weights.detach().requires_grad_()
    if len(stack.configs) == 1:
        values = loss(weights[0], tokens[0], labels[0]).unsqueeze(0)
    else:
        values = torch.vmap(loss)(weights, tokens, labels)
    return values.detach(), torch.autograd.grad(values.sum(), weights)[0]


@torch.no_grad()
def cell_results(stack: Stack) -> tuple[np.ndarray, np.ndarray]:
    """Loss and correctness of every run on every cell: float (R, p*p) and bool (R, p*p)."""

    def one(row: Tensor) -> tuple[Tensor, Tensor]:
        z = run_logits(stack.config, row, stack.tokens)
        return cell_losses(stack.config, z, stack.labels), z.argmax(dim=-1) == stack.labels

    if len(stack.configs) == 1:
        loss, correct = (x.unsqueeze(0) for x in one(stack.weights[0]))
    else:
        loss, correct = torch.vmap(one)(stack.weights)
    return loss.double().cpu().numpy(), correct.cpu().numpy()


def cell_metrics(config: RunConfig, loss: np.ndarray, correct: np.ndarray) -> dict[str, float]:
    """Losses and accuracies of one run from its results on every cell, for each part of the grid.

    `mirrored` and `unmirrored` are the test cells whose transpose is, or is not, a training cell; `in_hole` and
    `outside_hole` occur with a hole. A part without cells has accuracy NaN.
    """
    train = config.task.train_mask.ravel()
    values = {"train_loss": loss[train].mean(), "test_loss": loss[~train].mean()}
    parts = {"train_accuracy": train, "test_accuracy": ~train}
    parts |= {f"test_accuracy_{name}": mask.ravel() for name, mask in config.task.test_groups().items()}
    for name, mask in parts.items():
        values[name] = correct[mask].mean() if mask.any() else np.nan
    return {name: float(value) for name, value in values.items()}


def weight_metrics(config: RunConfig, row: Tensor) -> dict[str, float]:
    """Weight norm and every embedding measure of one run."""
    weights = split_weights(config, row.detach().float().cpu())
    first, second = operand_embeddings(config, weights["W_E"])
    return {"weight_norm": weight_norm(weights), **embedding_measures(first, second)}


def operand_embeddings(config: RunConfig, table: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the word embedding that the first and the second operand use, each (p, d)."""
    first, second = operand_rows(config.model, config.task.shift)
    table = np.asarray(table)
    return table[first], table[second]


def log(stack: Stack) -> None:
    """Append the metrics of every run at the current step; keep the embedding where a snapshot is due."""
    loss, correct = cell_results(stack)
    due = stack.step in snapshot_steps(stack.logged, stack.config.snapshots)
    for r, config in enumerate(stack.configs):
        metrics = cell_metrics(config, loss[r], correct[r])
        if not np.isfinite(metrics["train_loss"]) and r not in stack.diverged:
            stack.diverged[r] = stack.step
        if r in stack.diverged:
            metrics = dict.fromkeys(metrics, np.nan)
        else:
            metrics |= weight_metrics(config, stack.weights[r])
        for name, value in metrics.items():
            stack.history[r].setdefault(name, []).append(value)
        if due and r not in stack.diverged:
            stack.snapshots[r][stack.step] = split_weights(config, stack.weights[r])["W_E"].detach().cpu().clone()
    _pad(stack.history)


def _pad(history: list[dict[str, list[float]]]) -> None:
    """Give every series of a run the same length: a diverged run has no more weight metrics (NaN)."""
    for series in history:
        length = max(len(v) for v in series.values())
        for values in series.values():
            values.extend([np.nan] * (length - len(values)))


def advance(stack: Stack, tokens: Tensor, labels: Tensor) -> None:
    """One optimiser update of every run; a run whose loss is not finite is marked and left where it is."""
    losses, gradient = losses_and_gradient(stack, tokens, labels)
    if not torch.isfinite(losses).all():
        for r in torch.nonzero(~torch.isfinite(losses)).ravel().tolist():
            stack.diverged.setdefault(r, stack.step)
        gradient = gradient.nan_to_num(0.0, 0.0, 0.0)
    settings = [config.optimizer for config in stack.configs]
    state = stack.mean, stack.square, stack.slow
    update(stack.weights, gradient, state, settings, stack.step, parameter_shapes(stack.config.model))
    stack.step += 1


def run_id(configs: list[RunConfig]) -> str:
    """Identity of a stack for its checkpoint: configurations, library code, torch version."""
    return digest({"configs": [c.as_dict() for c in configs], "code": fingerprint(), "torch": torch.__version__})


_STATE = ("weights", "mean", "square", "slow", "step", "history", "snapshots", "diverged")


def save(stack: Stack, path: str) -> None:
    """Checkpoint of all that changes while the stack is trained."""
    save_checkpoint(path, {name: getattr(stack, name) for name in _STATE} | {"run_id": run_id(stack.configs)})


def restore(stack: Stack, path: str) -> bool:
    """Continue from the checkpoint at `path` if it is one of this stack; whether it was."""
    state = load_checkpoint(path, run_id(stack.configs))
    for name in _STATE if state else ():
        value = state[name]
        setattr(stack, name, value.to(stack.weights.device) if isinstance(value, Tensor) else value)
    return state is not None


def stopped(stack: Stack) -> bool:
    """Whether nothing is left to do: every run has diverged or met the stopping rule."""
    rule = stack.config.stop

    def over(r: int) -> bool:
        return r in stack.diverged or (
            rule is not None and rule.logs_needed(stack.history[r][rule.variable]) is not None
        )

    return all(over(r) for r in range(len(stack.configs)))


def train_stack(stack: Stack, *, report: Report | None = None, save_now: Callable[[Stack], None] | None = None) -> None:
    """Train every run of the stack from where it is to its last step, logging on schedule.

    Args:
        stack: the runs; changed in place.
        report: called after each log with the step and the latest metrics of the first run.
        save_now: called after each log with the stack; it decides whether a checkpoint is due.
    """
    index = stack.train
    tokens, labels = stack.tokens[index], stack.labels[index]
    logged = set(stack.logged.tolist())
    while True:
        fresh = len(next(iter(stack.history[0].values()), ())) == np.searchsorted(stack.logged, stack.step)
        if stack.step in logged and fresh:
            log(stack)
            if report:
                report(stack.step, {name: values[-1] for name, values in stack.history[0].items()})
            if save_now:
                save_now(stack)
        if stack.step >= stack.config.steps or stopped(stack):
            return
        advance(stack, tokens, labels)
