"""Progress of training runs: rich bars on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from grokbook.machine import say


def describe(metrics: dict[str, float]) -> str:
    """Losses and accuracies in one short text."""
    names = {
        "train_loss": "loss",
        "test_loss": "test loss",
        "train_accuracy": "acc",
        "test_accuracy": "test acc",
    }
    return "  ".join(
        f"{label} {metrics[name]:.3g}" for name, label in names.items() if name in metrics
    )


class TrainingProgress:
    """Shows step, losses, accuracies and remaining time of several runs.

    On a terminal: one rich bar a run. Elsewhere (a notebook, a log): at most one line every `every`
    seconds on stderr, each beginning with "grokbook: ". Silent when `enabled` is false. Use as a
    context manager.
    """

    def __init__(self, totals: dict[str, int], enabled: bool = True, every: float = 5.0) -> None:
        self.totals, self.enabled, self.every = totals, enabled, every
        self.last_line = time.monotonic()
        # run -> its first reported step and when that was
        self.first: dict[str, tuple[int, float]] = {}
        console = Console(stderr=True)
        self.bar = (
            self._bar(console)
            if enabled and console.is_terminal and not console.is_jupyter
            else None
        )
        self.tasks = (
            {name: self.bar.add_task(name, total=n, now="") for name, n in totals.items()}
            if self.bar
            else {}
        )

    @staticmethod
    def _bar(console: Console) -> Progress:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        return Progress(*columns, TextColumn("{task.fields[now]}"), console=console, transient=True)

    def __enter__(self) -> TrainingProgress:
        if self.bar:
            self.bar.start()
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar:
            self.bar.stop()

    def update(self, name: str, step: int, metrics: dict[str, float]) -> None:
        """Note that run `name` has reached `step` with these latest metrics."""
        left = self._remaining(name, step)
        if self.bar:
            self.bar.update(self.tasks[name], completed=step, now=describe(metrics))
        elif self.enabled and time.monotonic() - self.last_line >= self.every:
            self.last_line = time.monotonic()
            say(f"{name}  step {step}/{self.totals[name]}  {describe(metrics)}{left}")

    def _remaining(self, name: str, step: int) -> str:
        now = time.monotonic()
        first, began = self.first.setdefault(name, (step, now))
        if step == first:
            return ""
        left = (now - began) / (step - first) * (self.totals[name] - step)
        return f"  about {left:.0f} s left"
