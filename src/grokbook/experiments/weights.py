"""The parameters that a run ends with: trained once on this machine, kept in its store, never committed."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock
from torch import Tensor

from grokbook.experiments.base import Experiment
from grokbook.files import atomic_write
from grokbook.fingerprint import fingerprint
from grokbook.paths import local_store_path
from grokbook.records.provenance import provenance
from grokbook.records.store import Store
from grokbook.training.config import RunConfig
from grokbook.training.ensemble import checkpoint_path, train
from grokbook.training.loop import make_stack, restore, split_weights, stopped


@dataclass(frozen=True)
class WeightRun(Experiment):
    """An experiment whose final parameters are wanted: seeds are missing when this machine has not kept theirs."""

    def missing_seeds(self, store: Store | None = None) -> tuple[int, ...]:
        """Seeds whose parameters are not kept here; all of them for a given store, since stores hold no parameters."""
        folder = _folder()
        return tuple(s for s in self.seeds if store is not None or _card(folder, self.config.with_seed(s)) is None)


def _folder() -> Path:
    return local_store_path() / "weights" / fingerprint()


def final_weights(experiment: Experiment, *, progress: bool = True) -> list[dict[str, Tensor]]:
    """The parameters after the last step, one mapping name -> tensor for each seed of the experiment.

    They are the checkpoints of finished runs, kept in this machine's store under the fingerprint of the training
    code. What is missing, damaged or was made by other code is trained, all cores in use; an interrupted call
    continues where it was. The chapter's trace is told what was used.

    Raises TrainingError when a loss became NaN or infinite, RecordError when the store cannot be written.

    Example:
        >>> from grokbook.experiments.gu2025 import live_run
        >>> final_weights(live_run(5, 0.5, 8, 2, 1), progress=False)[0]["W_E"].shape
        torch.Size([6, 8])
    """
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    configs = [experiment.config.with_seed(seed) for seed in experiment.seeds]
    with FileLock(folder / ".lock"):
        made = [_card(folder, config) for config in configs]
        missing = [config for config, card in zip(configs, made, strict=True) if card is None]
        if missing:
            _train(folder, missing, progress)
        found = [_weights(folder, config) for config in configs]
    cards = [_card(folder, config) for config in configs]
    _trace(experiment, cards, "trained" if missing else "cached")
    return found


def _card_path(folder: Path, config: RunConfig) -> Path:
    return Path(checkpoint_path(folder, [config])).with_suffix(".json")


def _card(folder: Path, config: RunConfig) -> dict[str, Any] | None:
    """How the finished run was made; None when there is none, or its weights cannot be read."""
    try:
        card = json.loads(_card_path(folder, config).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    stack = make_stack([config], torch.device("cpu"))
    found = restore(stack, checkpoint_path(folder, [config]))
    return card if found and (stack.step >= config.steps or stopped(stack)) else None


def _train(folder: Path, configs: list[RunConfig], progress: bool) -> None:
    began = time.monotonic()
    train(configs, device="cpu", progress=progress, checkpoints=folder)
    card = provenance("cpu", configs[0].dtype) | {"seconds": round((time.monotonic() - began) / len(configs), 2)}
    for config in configs:
        atomic_write(_card_path(folder, config), (json.dumps(card) + "\n").encode())


def _weights(folder: Path, config: RunConfig) -> dict[str, Tensor]:
    stack = make_stack([config], torch.device("cpu"))
    restore(stack, checkpoint_path(folder, [config]))
    return {name: value.detach().clone() for name, value in split_weights(config, stack.weights[0]).items()}


def _trace(experiment: Experiment, cards: list[dict[str, Any]], origin: str) -> None:
    """Tell the chapter runner (environment variable GROKBOOK_TRACE) which runs a page was made from."""
    path = os.environ.get("GROKBOOK_TRACE")
    if not path:
        return
    row = {"experiment": f"{experiment.name} (weights)", "key": experiment.key, "origin": origin}
    row |= {"seeds": list(experiment.seeds), "seconds": sum(card["seconds"] for card in cards)}
    row |= {name: cards[-1][name] for name in ("device", "dtype", "fingerprint", "commit", "recorded_on")}
    with open(path, "a", encoding="utf-8") as stream:
        stream.write(json.dumps(row) + "\n")
