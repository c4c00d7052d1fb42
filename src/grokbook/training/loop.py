r"""Training of R runs of one size as one program: the rows of one weight matrix.

Runs may differ in seed, split and optimiser settings; they share data, sizes, length and schedule.
One row is run as it is; several are mapped with `torch.vmap`, so that a GPU sees one program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from grokbook.errors import ParameterError, shown
from grokbook.measures.logged import embedding_measures
from grokbook.measures.norms import weight_norm
from grokbook.training.config import RunConfig
from grokbook.training.contract import as_tensor, laid_out
from grokbook.training.forward import (
    Seen,
    all_outputs,
    as_tuple,
    dropout,
    over_rows,
    run_outputs,
    split_weights,
    statistics,
)
from grokbook.training.losses import LABELS_ONLY, LOSSES, codes, right
from grokbook.training.optim import Columns, State
from grokbook.training.schedule import snapshot_steps

Report = Callable[[int, dict[str, float]], None]
# inputs, targets and, where they differ, what each sample counts
Batch = tuple[Tensor, ...]


@dataclass
class Stack:
    """R runs in memory: configurations, weights (R, P), optimiser state, data, and what was
    logged."""

    configs: list[RunConfig]
    weights: Tensor
    inputs: Tensor  # (N, ...) every sample
    targets: Tensor  # (R, N, ...)
    train: Tensor  # (R, n) numbers of the training samples
    logged: np.ndarray  # (L,)
    state: State = field(default_factory=dict)
    history: list[dict[str, list[float]]] = field(default_factory=list)
    snapshots: list[dict[int, Tensor]] = field(default_factory=list)
    keep: bool = False  # whether the weights of every logged step are kept
    # of each run, logged step -> weights (P,)
    kept: list[dict[int, Tensor]] = field(default_factory=list)
    step: int = 0
    diverged: dict[int, int] = field(default_factory=dict)  # run -> step
    # run -> an epoch, its order (n,) of samples
    orders: dict[int, tuple[int, Tensor]] = field(default_factory=dict)
    compiled: Callable[[Stack], Callable[[Stack], None]] | None = (
        None  # what makes a stack's update, if not `advance`
    )

    @property
    def config(self) -> RunConfig:
        """The first configuration; sizes, length and schedule are the same in all."""
        return self.configs[0]

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every parameter, in the order of a row."""
        return self.config.model.shapes()

    @cached_property
    def codes(self) -> Tensor | None:
        """The distinct real targets of each run, (R, K, ...), on the stack's device; None for
        labels."""
        tables = []
        for config in self.configs:
            table = codes(config.task.targets)
            if table is None:
                return None
            tables.append(table)
        return torch.from_numpy(np.stack(tables)).to(self.targets)

    @cached_property
    def numbers(self) -> Columns:
        """The optimisers' numbers as columns."""
        groups: dict[str, tuple[str, ...]] = getattr(self.config.model, "groups", dict)()
        return Columns([c.optimizer for c in self.configs], self.shapes, groups, self.weights)

    @cached_property
    def whole(self) -> Batch:
        """Inputs (R, n, ...) and targets (R, n, ...) of the training sets, which all count
        alike."""
        return self._of(self.train)

    @cached_property
    def pictured(self) -> frozenset[int]:
        """The steps at which the embedding is kept."""
        if not hasattr(self.config.model, "embeddings"):
            return frozenset()
        return frozenset(snapshot_steps(self.logged, self.config.snapshots).tolist())

    def _of(self, index: Tensor) -> Batch:
        rows = torch.arange(len(self.configs), device=index.device)[:, None]
        return self.inputs[index], self.targets[rows, index]

    def batch(self) -> Batch:
        """What the next update sees: the whole training sets, or a mini-batch of each.

        Where the batches of the runs differ in size, the shorter ones are filled up with samples
        that count nothing.
        """
        n = self.train.shape[1]
        sizes = [config.batch_size or n for config in self.configs]
        if min(sizes) == n:
            return self.whole
        index = pad_sequence([self._next(r, size) for r, size in enumerate(sizes)], True)
        if len(set(sizes)) == 1:
            return self._of(index)
        of_row = torch.tensor(sizes, device=index.device)[:, None]
        counts = (torch.arange(max(sizes), device=index.device) < of_row) / of_row
        return *self._of(index), counts

    def _next(self, r: int, size: int) -> Tensor:
        """Numbers (size,) of the samples in the next batch of run r."""
        n = self.train.shape[1]
        epoch, k = divmod(self.step, n // size)
        if self.orders.get(r, (-1,))[0] != epoch:
            drawn = np.random.default_rng((self.configs[r].seed, epoch)).permutation(n)
            self.orders[r] = epoch, torch.from_numpy(drawn).to(self.train.device)
        return self.train[r, self.orders[r][1][k * size : (k + 1) * size]]

    def over(self, r: int) -> bool:
        """Whether run r has diverged or met the stopping rule."""
        rule = self.config.stop
        if rule is None or r in self.diverged:
            return r in self.diverged
        # what is over is not logged any more
        return rule.met(self.history[r].get(rule.variable, []))

    def part(self, rows: list[int]) -> Stack:
        """Some of the runs as a stack of their own, which logs where this one does."""
        at = torch.tensor(rows, device=self.weights.device)
        parts: dict[str, Any] = {"diverged": {}, "orders": {}}
        for name in ("weights", "targets", "train"):
            parts[name] = getattr(self, name)[at]
        for name in ("configs", "history", "snapshots", "kept"):
            parts[name] = [getattr(self, name)[r] for r in rows]
        parts["state"] = {name: value[at] for name, value in self.state.items()}
        return replace(self, **parts)

    def take(self, part: Stack, rows: list[int], going: list[int]) -> None:
        """Fetch where those runs of a part (its `rows`) are that were not over before."""
        self.step = part.step
        for k, step in part.diverged.items():
            self.diverged[rows[k]] = step
        places = [rows.index(r) for r in going]
        ours, theirs = torch.tensor([going, places], device=self.weights.device, dtype=torch.long)
        self.weights[ours] = part.weights[theirs]
        for name, value in part.state.items():
            self.state[name][ours] = value[theirs]


def draw(config: RunConfig) -> Tensor:
    """The initial weights of a run as one row (P,)."""
    choice = () if config.start == "normal" else (config.start,)
    return laid_out(config.model, config.model.draw(config.seed, *choice))


def make_stack(configs: list[RunConfig], device: torch.device, keep: bool = False) -> Stack:
    """R fresh runs on `device`, at step 0; with `keep` the weights of every logged step are
    kept."""
    first = configs[0]
    weights = torch.stack(list(map(draw, configs))).to(device)
    train = np.stack([config.task.train_index for config in configs]).astype(np.int64)
    if first.loss in LABELS_ONLY and np.issubdtype(first.task.targets.dtype, np.floating):
        raise ParameterError(
            f"loss = {shown(first.loss)} needs labels; for real targets choose squared_error."
        )
    stack = Stack(
        configs=list(configs),
        weights=weights,
        inputs=as_tensor(first.task.inputs).to(device),
        targets=_targets(configs).to(device),
        train=torch.from_numpy(train).to(device),
        logged=first.log.steps(first.steps),
        history=[{} for _ in configs],
        snapshots=[{} for _ in configs],
        kept=[{} for _ in configs],
        keep=keep,
    )
    stack.state = first.optimizer.init(weights, stack.shapes)
    settle(stack)
    return stack


def _targets(configs: list[RunConfig]) -> Tensor:
    """The answers of R runs, (R, N, ...): one table where all have the same."""
    tables = [c.task.targets for c in configs]
    if all(np.array_equal(tables[0], table) for table in tables[1:]):
        first = as_tensor(tables[0])
        return first.expand(len(configs), *first.shape)
    return as_tensor(np.stack(tables))


def row_loss(stack: Stack) -> Callable[..., Tensor | tuple[Tensor, Tensor]]:
    """The loss of one run as a function of its weights (P,), inputs, targets and, if need be, what
    each counts (n,).

    With batch statistics it also returns what they become, as the end of a row.
    """
    config = stack.config
    loss = LOSSES[config.loss]
    names = statistics(config)
    noise: list[Any] = [partial(F.dropout, p=dropout(config))] if dropout(config) else []

    def one(
        row: Tensor, x: Tensor, y: Tensor, counts: Tensor | None = None
    ) -> Tensor | tuple[Tensor, Tensor]:
        seen: Seen = {}
        more = [*noise, seen] if names else noise
        outputs = run_outputs(config, row, x, *more)
        value = (
            loss.mean(outputs, y)
            if counts is None
            else (loss.per_sample(outputs, y) * counts).sum()
        )
        if not names:
            return value
        return value, torch.cat([seen[name].reshape(-1) for name in names])

    return one


def with_noise(
    stack: Stack, function: Callable[..., Tensor | tuple[Tensor, ...]], *rows: Tensor
) -> tuple[Tensor, ...]:
    """The same of a network that drops numbers at random: run by run, each with noise drawn by its
    seed and step."""
    results = []
    for config, *row in zip(stack.configs, *rows, strict=True):
        seed = np.random.SeedSequence((config.seed, stack.step)).generate_state(1)[0]
        with torch.random.fork_rng():
            torch.manual_seed(int(seed))
            results.append(as_tuple(function(*row)))
    return tuple(map(torch.stack, zip(*results, strict=True)))


def losses_and_gradient(stack: Stack, batch: Batch) -> tuple[Tensor, ...]:
    """Mean training loss (R,), its gradient (R, P) and, where there are any, the moved batch
    statistics (R, S)."""
    weights = stack.weights.detach().requires_grad_()
    by_rows = partial(with_noise, stack) if dropout(stack.config) else over_rows
    values, *seen = as_tuple(by_rows(row_loss(stack), weights, *batch))
    return values.detach(), torch.autograd.grad(values.sum(), weights)[0], *seen


@torch.no_grad()
def sample_results(stack: Stack) -> tuple[np.ndarray, np.ndarray]:
    """Loss and correctness of every run on every sample: float (R, N) and bool (R, N)."""
    of_samples = LOSSES[stack.config.loss].per_sample

    def one(row: Tensor, targets: Tensor, known: Tensor | None = None) -> tuple[Tensor, Tensor]:
        z = all_outputs(stack.config, row, stack.inputs)
        return of_samples(z, targets), right(z, targets, known)

    known = () if stack.codes is None else (stack.codes,)
    loss, correct = over_rows(one, stack.weights, stack.targets, *known)
    return loss.double().cpu().numpy(), correct.cpu().numpy()


def sample_metrics(config: RunConfig, loss: np.ndarray, correct: np.ndarray) -> dict[str, float]:
    """Losses and accuracies of one run from its results on every sample, for each part of the data.

    The parts are the training set, the test set and the task's groups; one without samples has
    accuracy NaN.
    """
    train = np.zeros(loss.size, dtype=bool)
    train[config.task.train_index] = True
    values = {"train_loss": float(loss[train].mean()), "test_loss": float(loss[~train].mean())}
    parts = {"train_accuracy": train, "test_accuracy": ~train}
    for name, part in config.task.groups().items():
        parts[f"test_accuracy_{name}"] = part
    for name, part in parts.items():
        answers = correct[part]
        values[name] = float(answers.mean()) if answers.size else np.nan
    return values


def weight_metrics(config: RunConfig, row: Tensor) -> dict[str, float]:
    """Weight norm of one run and, where its network has embeddings, every embedding measure."""
    weights = split_weights(config, row.detach().float().cpu())
    for name in statistics(config):
        del weights[name]
    metrics = {"weight_norm": weight_norm(weights)}
    if hasattr(config.model, "embeddings"):
        metrics |= embedding_measures(*config.model.embeddings(weights))
    return metrics


@torch.no_grad()
def batch_metrics(stack: Stack, r: int) -> dict[str, float]:
    """Training accuracy of run r as a loop that trains sees it: each batch normalised by its own
    statistics.

    The batches are those of one random order, and a remainder that fills none is left out; nothing
    is dropped.
    """
    config, n = stack.configs[r], stack.train.shape[1]
    if not statistics(config):
        return {}
    size = config.batch_size or n
    no_noise = [Tensor.clone] if dropout(config) else []
    known = None if stack.codes is None else stack.codes[r]
    order = torch.from_numpy(np.random.default_rng(config.seed).permutation(n))
    whole = order[: n // size * size].to(stack.train.device)
    correct = []
    for batch in stack.train[r, whole].split(size):
        outputs = run_outputs(config, stack.weights[r], stack.inputs[batch], *no_noise, {})
        correct.append(right(outputs, stack.targets[r, batch], known))
    return {"train_accuracy_in_batches": float(torch.cat(correct).double().mean())}


def log(stack: Stack) -> None:
    """Append the metrics of every run that is not over at the current step; keep embedding and
    weights where due."""
    loss, correct = sample_results(stack)
    due = stack.step in stack.pictured
    for r, config in enumerate(stack.configs):
        if stack.over(r):
            continue
        metrics = sample_metrics(config, loss[r], correct[r])
        if not np.isfinite(metrics["train_loss"]):
            stack.diverged[r] = stack.step
            metrics = dict.fromkeys(metrics, np.nan)
        else:
            metrics |= weight_metrics(config, stack.weights[r]) | batch_metrics(stack, r)
        for name, value in metrics.items():
            stack.history[r].setdefault(name, []).append(value)
        if due and r not in stack.diverged:
            model: Any = config.model  # one with embeddings, else nothing is due
            table = model.embeddings(split_weights(config, stack.weights[r]))[0]
            stack.snapshots[r][stack.step] = table.detach().cpu().clone()
        if stack.keep:
            stack.kept[r][stack.step] = stack.weights[r].detach().cpu().clone()
    _pad(stack.history)


def _pad(history: list[dict[str, list[float]]]) -> None:
    """Give every series of a run the same length: a diverged run has no more weight metrics
    (NaN)."""
    for series in history:
        length = max(len(v) for v in series.values())
        for values in series.values():
            values.extend([np.nan] * (length - len(values)))


def advance(stack: Stack) -> None:
    """One optimiser update of every run; a run whose loss is not finite is marked and left where it
    is."""
    losses, gradient, *seen = losses_and_gradient(stack, stack.batch())
    if not torch.isfinite(losses).all():
        mark(stack, losses)
        gradient = gradient.nan_to_num(0.0, 0.0, 0.0)
    stack.config.optimizer.update(
        stack.weights, gradient, stack.state, stack.numbers(stack.step), stack.shapes
    )
    for moved in seen:
        stack.weights[:, -moved.shape[1] :] = moved
    settle(stack)
    stack.step += 1


@torch.no_grad()
def settle(stack: Stack) -> None:
    """Solve the parameters that a network does not learn (`Network`, `settle`) on the training
    sets, in place."""
    config = stack.config
    model: Any = config.model  # one with `settle` where it is solved
    if not getattr(model, "solved", False):
        return

    def one(row: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return laid_out(model, model.settle(split_weights(config, row), x, y), "settle")

    stack.weights.copy_(over_rows(one, stack.weights, *stack.whole))


def mark(stack: Stack, losses: Tensor) -> None:
    """Note the runs whose loss (R,) is not finite at this step."""
    for r in torch.nonzero(~torch.isfinite(losses)).ravel().tolist():
        stack.diverged.setdefault(r, stack.step)


def train_stack(
    stack: Stack,
    *,
    report: Report | None = None,
    save_now: Callable[[Stack], None] | None = None,
    steps: int | None = None,
) -> None:
    """Train every run of the stack from where it is to its last step, logging on schedule.

    Args:
        stack: the runs; changed in place.
        report: called after each log with the step and the latest metrics of the first run.
        save_now: called after each log with the stack; it decides whether a checkpoint is due.
        steps: where to stop before the last step.
    """
    logged = set(stack.logged.tolist())
    last = stack.config.steps if steps is None else min(steps, stack.config.steps)
    going = [r for r in range(len(stack.configs)) if not stack.over(r)]
    while going:
        rows, part = going, stack.part(going)
        move = part.compiled(part) if part.compiled else advance
        # runs that are over leave by halves: each size of a stack is a program
        while 2 * len(going) > len(rows):
            if part.step in logged and _is_due(part):
                log(part)
                stack.take(part, rows, going)
                going = [r for r in going if not stack.over(r)]
                if report:
                    latest = {name: values[-1] for name, values in part.history[0].items()}
                    report(stack.step, latest)
                if save_now:
                    save_now(stack)
            if part.step >= last or not going:
                stack.take(part, rows, going)
                return
            move(part)
            if any(rows[k] not in stack.diverged for k in part.diverged):
                stack.take(part, rows, going)
                going = [r for r in going if r not in stack.diverged]


def _is_due(stack: Stack) -> bool:
    """Whether this step has not been logged: a stack from a checkpoint may stand at one that
    has."""
    entries = max(len(history.get("train_loss", ())) for history in stack.history)
    return entries == np.searchsorted(stack.logged, stack.step)
