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

from grokbook.errors import ParameterError
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
# inputs, targets; what each sample counts where they differ
Batch = tuple[tuple[Tensor, Tensor], Tensor | None]


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
        found = (codes(c.task.targets) for c in self.configs)
        tables = [table for table in found if table is not None]
        return torch.from_numpy(np.stack(tables)).to(self.targets) if tables else None

    @cached_property
    def numbers(self) -> Columns:
        """The optimisers' numbers as columns."""
        groups: dict[str, tuple[str, ...]] = getattr(self.config.model, "groups", dict)()
        return Columns([c.optimizer for c in self.configs], self.shapes, groups, self.weights)

    @cached_property
    def whole(self) -> Batch:
        """Inputs (R, n, ...) and targets (R, n, ...) of the training sets, which all count
        alike."""
        return self._of(self.train), None

    @cached_property
    def pictured(self) -> frozenset[int]:
        """The steps at which the embedding is kept."""
        kept = hasattr(self.config.model, "embeddings")
        return frozenset(
            snapshot_steps(self.logged, self.config.snapshots).tolist() if kept else ()
        )

    def _of(self, index: Tensor) -> tuple[Tensor, Tensor]:
        rows = torch.arange(len(self.configs), device=index.device)[:, None]
        return self.inputs[index], self.targets[rows, index]

    def batch(self) -> Batch:
        """What the next update sees: the whole training sets, or a mini-batch of each.

        Where the batches of the runs differ in size, the shorter ones are filled up with samples
        that count nothing.
        """
        n = self.train.shape[1]
        taken = [c.batch_size or n for c in self.configs]
        if min(taken) == n:
            return self.whole
        index = pad_sequence(
            [self._next(r, size) for r, size in enumerate(taken)], batch_first=True
        )
        if len(set(taken)) == 1:
            return self._of(index), None
        sizes = torch.tensor(taken, device=index.device)[:, None]
        return self._of(index), (torch.arange(max(taken), device=index.device) < sizes) / sizes

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
        parts: dict[str, Any] = {n: getattr(self, n)[at] for n in ("weights", "targets", "train")}
        for name in ("configs", "history", "snapshots", "kept"):
            parts[name] = [getattr(self, name)[r] for r in rows]
        state = {name: value[at] for name, value in self.state.items()}
        return replace(self, **parts, state=state, diverged={}, orders={})

    def take(self, part: Stack, rows: list[int], going: list[int]) -> None:
        """Fetch where those runs of a part (its `rows`) are that were not over before."""
        self.step = part.step
        self.diverged |= {rows[k]: step for k, step in part.diverged.items()}
        at = torch.tensor(going, dtype=torch.long, device=self.weights.device)
        there = torch.tensor(
            [rows.index(r) for r in going], dtype=torch.long, device=self.weights.device
        )
        self.weights[at] = part.weights[there]
        for name, value in part.state.items():
            self.state[name][at] = value[there]


def draw(config: RunConfig) -> Tensor:
    """The initial weights of a run as one row (P,)."""
    choice = () if config.start == "normal" else (config.start,)
    return laid_out(config.model, config.model.draw(config.seed, *choice))


def make_stack(configs: list[RunConfig], device: torch.device, keep: bool = False) -> Stack:
    """R fresh runs on `device`, at step 0; with `keep` the weights of every logged step are
    kept."""
    first = configs[0]
    weights = torch.stack([draw(c) for c in configs]).to(device)
    if first.loss in LABELS_ONLY and np.issubdtype(first.task.targets.dtype, np.floating):
        raise ParameterError(
            f"loss = {first.loss!r} needs labels; for real targets choose squared_error."
        )
    stack = Stack(
        configs=list(configs),
        weights=weights,
        inputs=as_tensor(first.task.inputs).to(device),
        targets=_targets(configs).to(device),
        train=torch.from_numpy(np.stack([c.task.train_index for c in configs]).astype(np.int64)).to(
            device
        ),
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
        one = as_tensor(tables[0])
        return one.expand(len(configs), *one.shape)
    return as_tensor(np.stack(tables))


def row_loss(stack: Stack) -> Callable[..., Tensor | tuple[Tensor, Tensor]]:
    """The loss of one run as a function of its weights (P,), inputs, targets and, if need be, what
    each counts (n,).

    With batch statistics it also returns what they become, as the end of a row.
    """
    config, loss = stack.config, LOSSES[stack.config.loss]
    noise = (partial(F.dropout, p=share),) if (share := dropout(config)) else ()

    def one(
        row: Tensor, x: Tensor, y: Tensor, counts: Tensor | None = None
    ) -> Tensor | tuple[Tensor, Tensor]:
        seen: Seen = {}
        outputs = run_outputs(config, row, x, *noise, *((seen,) if names else ()))
        value = loss.mean(outputs, y) if counts is None else (loss.each(outputs, y) * counts).sum()
        return (value, torch.cat([seen[name].reshape(-1) for name in names])) if names else value

    names = statistics(config)

    return one


def with_noise(
    stack: Stack, one: Callable[..., Tensor | tuple[Tensor, ...]], *rows: Tensor
) -> tuple[Tensor, ...]:
    """The same of a network that drops numbers at random: run by run, each with noise drawn by its
    seed and step."""
    found = []
    for config, *row in zip(stack.configs, *rows, strict=True):
        with torch.random.fork_rng():
            torch.manual_seed(
                int(np.random.SeedSequence((config.seed, stack.step)).generate_state(1)[0])
            )
            found.append(as_tuple(one(*row)))
    return tuple(torch.stack(parts) for parts in zip(*found, strict=True))


def losses_and_gradient(stack: Stack, batch: Batch) -> tuple[Tensor, ...]:
    """Mean training loss (R,), its gradient (R, P) and, where there are any, the moved batch
    statistics (R, S)."""
    (inputs, targets), counts = batch
    weights = stack.weights.detach().requires_grad_()
    rows = (inputs, targets) if counts is None else (inputs, targets, counts)
    each = partial(with_noise, stack) if dropout(stack.config) else over_rows
    values, *seen = as_tuple(each(row_loss(stack), weights, *rows))
    return values.detach(), torch.autograd.grad(values.sum(), weights)[0], *seen


@torch.no_grad()
def sample_results(stack: Stack) -> tuple[np.ndarray, np.ndarray]:
    """Loss and correctness of every run on every sample: float (R, N) and bool (R, N)."""
    each = LOSSES[stack.config.loss].each

    def one(row: Tensor, targets: Tensor, known: Tensor | None = None) -> tuple[Tensor, Tensor]:
        z = all_outputs(stack.config, row, stack.inputs)
        return each(z, targets), right(z, targets, known)

    rows = (
        (stack.weights, stack.targets)
        if stack.codes is None
        else (stack.weights, stack.targets, stack.codes)
    )
    loss, correct = over_rows(one, *rows)
    return loss.double().cpu().numpy(), correct.cpu().numpy()


def sample_metrics(config: RunConfig, loss: np.ndarray, correct: np.ndarray) -> dict[str, float]:
    """Losses and accuracies of one run from its results on every sample, for each part of the data.

    The parts are the training set, the test set and the task's groups; one without samples has
    accuracy NaN.
    """
    train = np.zeros(loss.size, dtype=bool)
    train[config.task.train_index] = True
    values = {"train_loss": loss[train].mean(), "test_loss": loss[~train].mean()}
    parts = {"train_accuracy": train, "test_accuracy": ~train}
    parts |= {f"test_accuracy_{name}": part for name, part in config.task.groups().items()}
    for name, part in parts.items():
        values[name] = correct[part].mean() if correct[part].size else np.nan
    return {name: float(value) for name, value in values.items()}


def weight_metrics(config: RunConfig, row: Tensor) -> dict[str, float]:
    """Weight norm of one run and, where its network has embeddings, every embedding measure."""
    weights = split_weights(config, row.detach().float().cpu())
    weights = {name: part for name, part in weights.items() if name not in statistics(config)}
    tables = config.model.embeddings(weights) if hasattr(config.model, "embeddings") else ()
    return {"weight_norm": weight_norm(weights), **(embedding_measures(*tables) if tables else {})}


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
    size, found = config.batch_size or n, []
    kept = (Tensor.clone,) if dropout(config) else ()
    order = torch.from_numpy(np.random.default_rng(config.seed).permutation(n)).to(
        stack.train.device
    )
    for batch in stack.train[r, order[: n // size * size]].split(size):
        outputs = run_outputs(config, stack.weights[r], stack.inputs[batch], *kept, {})
        found.append(
            right(outputs, stack.targets[r, batch], None if stack.codes is None else stack.codes[r])
        )
    return {"train_accuracy_in_batches": float(torch.cat(found).double().mean())}


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

    stack.weights.copy_(over_rows(one, stack.weights, *stack.whole[0]))


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
    logged, last = (
        set(stack.logged.tolist()),
        stack.config.steps if steps is None else min(steps, stack.config.steps),
    )
    going = [r for r in range(len(stack.configs)) if not stack.over(r)]
    while going:
        rows, part = going, stack.part(going)
        move = part.compiled(part) if part.compiled else advance
        # runs that are over leave by halves: each size of a stack is a program
        while 2 * len(going) > len(rows):
            fresh = max(len(h.get("train_loss", ())) for h in part.history) == np.searchsorted(
                part.logged, part.step
            )
            if part.step in logged and fresh:
                log(part)
                stack.take(part, rows, going)
                going = [r for r in going if not stack.over(r)]
                if report:
                    report(
                        stack.step, {name: values[-1] for name, values in part.history[0].items()}
                    )
                if save_now:
                    save_now(stack)
            if part.step >= last or not going:
                stack.take(part, rows, going)
                return
            move(part)
            if any(rows[k] not in stack.diverged for k in part.diverged):
                stack.take(part, rows, going)
                going = [r for r in going if r not in stack.diverged]
