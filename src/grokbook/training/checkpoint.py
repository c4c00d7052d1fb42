"""The state of a training run on disk: signed, so that what is damaged is never continued from."""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from grokbook.files import atomic_write, whole
from grokbook.tensor_files import load_tensors

LARGEST = 100_000_000_000
"""Bytes of the largest state that is read: hundreds of runs of the largest network, with all their
logged steps."""

MAGIC = b"grokbook checkpoint 2 "


class CheckpointWarning(UserWarning):
    """A checkpoint cannot be continued from; the run starts anew."""


def save_checkpoint(path: str | Path, state: dict[str, Any]) -> None:
    """Save the state of a run (tensors, numbers, texts) atomically, its sha256 before it."""
    buffer = io.BytesIO()
    torch.save(state, buffer)
    content = buffer.getvalue()
    atomic_write(path, MAGIC + hashlib.sha256(content).hexdigest().encode() + b"\n" + content)


def load_checkpoint(
    path: str | Path, run_id: str, like: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """The saved state at `path` if it is whole, belongs to `run_id` and has the tensors of `like`;
    None otherwise.

    What is damaged, of another run or code, or of other shapes is named (CheckpointWarning), and
    the run starts anew: it only costs time. Only a damaged file is removed.
    """
    path = Path(path)
    try:
        content = whole(path, LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return _anew(path, f"cannot be read ({error.strerror})")
    state = _verified(content)
    if state is None:
        path.unlink(missing_ok=True)
        return _anew(path, "is damaged")
    if state.get("run_id") != run_id:
        return _anew(path, "belongs to another run, other code or another torch")
    if not all(_fits(state.get(name), value) for name, value in (like or {}).items()):
        return _anew(path, "has tensors of other shapes")
    return state


def _anew(path: Path, what: str) -> dict[str, Any] | None:
    """None, as there is no state, after a warning."""
    warnings.warn(
        f"the checkpoint {path} {what}; the run starts anew.", CheckpointWarning, stacklevel=4
    )
    return None


def _verified(content: bytes) -> dict[str, Any] | None:
    """The state in a file that has the sha256 which stands before it."""
    digest = content[len(MAGIC) : len(MAGIC) + 64]
    payload = content[len(MAGIC) + 65 :]
    if not content.startswith(MAGIC) or hashlib.sha256(payload).hexdigest().encode() != digest:
        return None
    try:
        state = load_tensors(payload)
    except Exception:  # signed, but nothing that this torch reads: torch raises many kinds
        return None
    return state if isinstance(state, dict) else None


def _fits(value: Any, like: Any) -> bool:
    """Whether tensors, or those of a dictionary, have the shapes and types of others; a file is
    looked into no deeper than what it is held against."""
    if isinstance(like, Tensor):
        form = like.shape, like.dtype
        return isinstance(value, Tensor) and (value.shape, value.dtype) == form
    if isinstance(like, Mapping):
        same = isinstance(value, dict) and value.keys() == like.keys()
        return same and all(_fits(value[name], part) for name, part in like.items())
    return bool(value == like)
