r"""Training of R runs of one size as one program: the rows of one weight matrix.

Runs may differ in seed, split and optimiser settings; they share data, sizes, length and schedule. One row is run as
it is; several are mapped with `torch.vmap`, so that a GPU sees one program.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from grokbook.errors import ParameterError
from grokbook.fingerprint import fingerprint
from grokbook.measures.logged import embedding_measures
from grokbook.measures.norms import weight_norm
from grokbook.training.checkpoint import load_checkpoint, save_checkpoint
from grokbook.training.config import RunConfig, digest
from grokbook.training.losses import LOSSES, codes, right
from grokbook.training.optim import Columns, State
from grokbook.training.schedule import snapshot_steps

Report = Callable[[int, dict[str, float]], None]


@dataclass
class Stack:
    """R runs in memory: configurations, weights (R, P), optimiser state, data, and what was logged."""

    configs: list[RunConfig]
    weights: Tensor
    inputs: Tensor  # (N, ...) every sample
    targets: Tensor  # (N, ...)
    train: Tensor  # (R, n) numbers of the training samples
    logged: np.ndarray  # (L,)
    state: State = field(default_factory=dict)
    history: list[dict[str, list[float]]] = field(default_factory=list)
    snapshots: list[dict[int, Tensor]] = field(default_factory=list)
    keep: bool = False  # whether the weights of every logged step are kept
    kept: dict[int, Tensor] = field(default_factory=dict)  # logged step -> weights (R, P)
    step: int = 0
    diverged: dict[int, int] = field(default_factory=dict)  # run -> step
    order: tuple[int, Tensor | None] = (-1, None)  # an epoch and the order (R, n) of the training samples in it
    compiled: Callable[[Stack], None] | None = None  # in place of `advance`

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
        """The distinct real targets, on the stack's device; None for labels."""
        found = codes(self.targets.cpu().numpy())
        return None if found is None else torch.from_numpy(found).to(self.targets.device)

    @cached_property
    def numbers(self) -> Columns:
        """The optimisers' numbers as columns."""
        groups = getattr(self.config.model, "groups", dict)()
        return Columns([c.optimizer for c in self.configs], self.shapes, groups, self.weights)

    @cached_property
    def whole(self) -> tuple[Tensor, Tensor]:
        """Inputs (R, n, ...) and targets (R, n, ...) of the training sets."""
        return self.inputs[self.train], self.targets[self.train]

    def batch(self) -> tuple[Tensor, Tensor]:
        """What the next update sees: the whole training sets, or a mini-batch of each."""
        size = self.config.batch_size
        if size is None:
            return self.whole
        n = self.train.shape[1]
        epoch, k = divmod(self.step, n // size)
        if self.order[0] != epoch:
            drawn = [np.random.default_rng((c.seed, epoch)).permutation(n) for c in self.configs]
            self.order = epoch, torch.from_numpy(np.stack(drawn)).to(self.train.device)
        index = self.train.gather(1, self.order[1][:, k * size : (k + 1) * size])
        return self.inputs[index], self.targets[index]


def split_weights(config: RunConfig, row: Tensor) -> dict[str, Tensor]:
    """The named parameters that a row of the weight matrix begins with, as views."""
    shapes = config.model.shapes()
    sizes = [math.prod(s) for s in shapes.values()]
    parts = row[: sum(sizes)].split(sizes)
    return {name: part.view(s) for (name, s), part in zip(shapes.items(), parts, strict=True)}


def draw(config: RunConfig) -> Tensor:
    """The initial weights of a run as one row (P,)."""
    choice = () if config.start == "normal" else (config.start,)
    return torch.cat([w.reshape(-1) for w in config.model.draw(config.seed, *choice).values()])


def make_stack(configs: list[RunConfig], device: torch.device, keep: bool = False) -> Stack:
    """R fresh runs on `device`, at step 0; with `keep` the weights of every logged step are kept."""
    first = configs[0]
    weights = torch.stack([draw(c) for c in configs]).to(device)
    if first.loss == "cross_entropy" and np.issubdtype(first.task.targets.dtype, np.floating):
        raise ParameterError("loss = 'cross_entropy' needs labels; for real targets choose squared_error.")
    stack = Stack(
        configs=list(configs),
        weights=weights,
        inputs=as_tensor(first.task.inputs).to(device),
        targets=as_tensor(first.task.targets).to(device),
        train=torch.from_numpy(np.stack([c.task.train_index for c in configs])).to(device),
        logged=first.log.steps(first.steps),
        history=[{} for _ in configs],
        snapshots=[{} for _ in configs],
        keep=keep,
    )
    stack.state = first.optimizer.init(weights, stack.shapes)
    return stack


def as_tensor(array: np.ndarray) -> Tensor:
    """An array of a task as a tensor: integers as they are, real numbers in float32."""
    return torch.from_numpy(array.astype(np.float32) if np.issubdtype(array.dtype, np.floating) else array)


def run_outputs(config: RunConfig, row: Tensor, inputs: Tensor) -> Tensor:
    """Outputs (N, ...) in float32 of one run; products in bfloat16 where the configuration says so."""
    low = config.dtype == "bfloat16"
    with torch.autocast(row.device.type, dtype=torch.bfloat16, enabled=low):
        return config.model.forward(split_weights(config, row), inputs).float()


def losses_and_gradient(stack: Stack, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Mean training loss (R,) and its gradient (R, P); inputs (R, n, ...), targets (R, n, ...)."""
    mean = LOSSES[stack.config.loss].mean

    def loss(row: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return mean(run_outputs(stack.config, row, x), y)

    weights = stack.weights.detach().requires_grad_()
    if len(stack.configs) == 1:
        values = loss(weights[0], inputs[0], targets[0]).unsqueeze(0)
    else:
        values = torch.vmap(loss)(weights, inputs, targets)
    return values.detach(), torch.autograd.grad(values.sum(), weights)[0]


@torch.no_grad()
def sample_results(stack: Stack) -> tuple[np.ndarray, np.ndarray]:
    """Loss and correctness of every run on every sample: float (R, N) and bool (R, N)."""
    each = LOSSES[stack.config.loss].each

    def one(row: Tensor) -> tuple[Tensor, Tensor]:
        z = run_outputs(stack.config, row, stack.inputs)
        return each(z, stack.targets), right(z, stack.targets, stack.codes)

    if len(stack.configs) == 1:
        loss, correct = (x.unsqueeze(0) for x in one(stack.weights[0]))
    else:
        loss, correct = torch.vmap(one)(stack.weights)
    return loss.double().cpu().numpy(), correct.cpu().numpy()


def sample_metrics(config: RunConfig, loss: np.ndarray, correct: np.ndarray) -> dict[str, float]:
    """Losses and accuracies of one run from its results on every sample, for each part of the data.

    The parts are the training set, the test set and the task's groups; one without samples has accuracy NaN.
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
    tables = config.model.embeddings(weights) if hasattr(config.model, "embeddings") else ()
    return {"weight_norm": weight_norm(weights), **(embedding_measures(*tables) if tables else {})}


def log(stack: Stack) -> None:
    """Append the metrics of every run at the current step; keep embedding and weights where they are due."""
    loss, correct = sample_results(stack)
    due = hasattr(stack.config.model, "embeddings") and stack.step in snapshot_steps(
        stack.logged, stack.config.snapshots
    )
    for r, config in enumerate(stack.configs):
        metrics = sample_metrics(config, loss[r], correct[r])
        if not np.isfinite(metrics["train_loss"]) and r not in stack.diverged:
            stack.diverged[r] = stack.step
        if r in stack.diverged:
            metrics = dict.fromkeys(metrics, np.nan)
        else:
            metrics |= weight_metrics(config, stack.weights[r])
        for name, value in metrics.items():
            stack.history[r].setdefault(name, []).append(value)
        if due and r not in stack.diverged:
            table = config.model.embeddings(split_weights(config, stack.weights[r]))[0]
            stack.snapshots[r][stack.step] = table.detach().cpu().clone()
    if stack.keep:
        stack.kept[stack.step] = stack.weights.detach().cpu().clone()
    _pad(stack.history)


def _pad(history: list[dict[str, list[float]]]) -> None:
    """Give every series of a run the same length: a diverged run has no more weight metrics (NaN)."""
    for series in history:
        length = max(len(v) for v in series.values())
        for values in series.values():
            values.extend([np.nan] * (length - len(values)))


def advance(stack: Stack) -> None:
    """One optimiser update of every run; a run whose loss is not finite is marked and left where it is."""
    losses, gradient = losses_and_gradient(stack, *stack.batch())
    if not torch.isfinite(losses).all():
        mark(stack, losses)
        gradient = gradient.nan_to_num(0.0, 0.0, 0.0)
    stack.config.optimizer.update(stack.weights, gradient, stack.state, stack.numbers(stack.step), stack.shapes)
    stack.step += 1


def mark(stack: Stack, losses: Tensor) -> None:
    """Note the runs whose loss (R,) is not finite at this step."""
    for r in torch.nonzero(~torch.isfinite(losses)).ravel().tolist():
        stack.diverged.setdefault(r, stack.step)


def own_modules(config: RunConfig) -> list[str]:
    """The modules of a run's task, network and optimiser."""
    return sorted({type(part).__module__ for part in (config.task, config.model, config.optimizer)})


def code_of(config: RunConfig) -> str:
    """The fingerprint of the code that a run's numbers go through, the modules of its parts included."""
    return fingerprint(*own_modules(config))


def run_id(configs: list[RunConfig], keep: bool = False) -> str:
    """Identity of a stack for its checkpoint: configurations, code, torch version, what is kept."""
    found = {"configs": [c.as_dict() for c in configs], "code": code_of(configs[0]), "torch": torch.__version__}
    return digest(found | ({"keep": True} if keep else {}))


_STATE = ("weights", "state", "step", "history", "snapshots", "kept", "diverged")


def save(stack: Stack, path: str) -> None:
    """Checkpoint of all that changes while the stack is trained."""
    found = {name: getattr(stack, name) for name in _STATE}
    save_checkpoint(path, found | {"run_id": run_id(stack.configs, stack.keep)})


def restore(stack: Stack, path: str) -> bool:
    """Continue from the checkpoint at `path` if it is one of this stack; whether it was."""
    fresh = {"weights": stack.weights, "state": stack.state}
    found = load_checkpoint(path, run_id(stack.configs, stack.keep), fresh)
    for name in _STATE if found else ():
        setattr(stack, name, _moved(found[name], stack.weights.device) if name in fresh else found[name])
    return found is not None


def _moved(value: Tensor | State, device: torch.device) -> Tensor | State:
    return value.to(device) if isinstance(value, Tensor) else {name: part.to(device) for name, part in value.items()}


def stopped(stack: Stack) -> bool:
    """Whether nothing is left to do: every run has diverged or met the stopping rule."""
    rule = stack.config.stop

    def over(r: int) -> bool:
        return r in stack.diverged or (
            rule is not None and rule.logs_needed(stack.history[r][rule.variable]) is not None
        )

    return all(over(r) for r in range(len(stack.configs)))


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
    move = stack.compiled or advance
    while True:
        fresh = len(next(iter(stack.history[0].values()), ())) == np.searchsorted(stack.logged, stack.step)
        if stack.step in logged and fresh:
            log(stack)
            if report:
                report(stack.step, {name: values[-1] for name, values in stack.history[0].items()})
            if save_now:
                save_now(stack)
        if stack.step >= last or stopped(stack):
            return
        move(stack)
