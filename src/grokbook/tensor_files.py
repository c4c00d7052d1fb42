"""Files of torch that somebody else wrote: tensors, numbers and texts, no code."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import torch

from grokbook.machine import check_fits


def load_tensors(content: bytes) -> Any:
    """What `torch.save` wrote, on the processor; no code of the file is run.

    Raises ParameterError for a file that unpacks to more than the memory that is free; and what
    torch raises, of many kinds, for one that it cannot read.
    """
    stream = io.BytesIO(content)
    if zipfile.is_zipfile(stream):
        with zipfile.ZipFile(stream) as parts:
            # what torch writes is not packed, others may pack it tightly
            check_fits(sum(part.file_size for part in parts.infolist()))
    stream.seek(0)
    return torch.load(stream, map_location="cpu", weights_only=True)
