"""Runs of a fraction of a second for the tests of the training room."""

from grokbook.models.transformer import Shape
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
