"""Files that are either whole or not there: atomic writes, and the state of a training run."""

from __future__ import annotations

import errno
import io
import os
import tempfile
from pathlib import Path
from typing import Any

import torch

from grokbook.errors import RecordError


def atomic_write(path: str | Path, content: bytes) -> None:
    """Write `content` to `path` so that a reader finds the old file or the whole new one, never a part.

    The bytes go to a temporary file in the same folder, reach the disk (fsync) and then take the name. Whatever
    goes wrong, the temporary file is removed.

    Raises RecordError naming the file when the disk is full or the folder cannot be written.
    """
    path = Path(path)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else (error.strerror or str(error))
        raise RecordError(f"{path} was not written: {reason}; what was there before is untouched.") from error
    finally:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)


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
