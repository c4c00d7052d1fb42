"""The state of a training run on disk: whole or not there."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import torch

from grokbook.files import atomic_write


def save_checkpoint(path: str | Path, state: dict[str, Any]) -> None:
    """Save the state of a run (tensors, numbers, texts) atomically."""
    buffer = io.BytesIO()
    torch.save(state, buffer)
    atomic_write(path, buffer.getvalue())


def load_checkpoint(path: str | Path, run_id: str) -> dict[str, Any] | None:
    """The saved state at `path` if it is whole and belongs to `run_id`; None when there is none or it does not.

    A damaged checkpoint only costs time: it is removed and the run starts again.
    """
    path = Path(path)
    if not path.exists():
        return None
    try:
        state = torch.load(path, weights_only=True, map_location="cpu")
    except Exception:  # torch raises many kinds for a truncated or damaged file
        path.unlink(missing_ok=True)
        return None
    return state if isinstance(state, dict) and state.get("run_id") == run_id else None
