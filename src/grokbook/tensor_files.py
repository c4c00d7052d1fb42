"""Files of torch that somebody else wrote: tensors, numbers and texts, in a time that their bytes
bound."""

from __future__ import annotations

import io
import pickletools
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import torch

from grokbook.errors import ParameterError
from grokbook.machine import check_fits

DEEPEST = 100
"""Tuples in each other; Python has no bound of its own for their hash, which ends the process."""

MOST_REPEATED = 10_000_000
"""Parts of all tuples that a file names again after it has written them out once."""


def load_tensors(content: bytes) -> Any:
    """What `torch.save` wrote, on the processor; no code of the file is run.

    Sixty tuples, each of which has the one before it twice, are 2^60 parts to whoever hashes the
    last as a key of a dictionary, so tuples are counted before anything is built (`_check_tuples`).

    Raises ParameterError for a file whose tuples are too deep or too many, or which unpacks to more
    than the memory that is free; and what torch raises, of many kinds, for one that it cannot read.
    """
    for stream in _pickles(content):
        _check_tuples(stream)
    return torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)


def _pickles(content: bytes) -> Iterator[BinaryIO]:
    """The pickles of a file, each to be read to its end before the next."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        stream = io.BytesIO(content)
        for _ in range(_OLD_FORM):
            yield stream
        return
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        # what torch writes is not packed, others may pack it tightly
        check_fits(sum(part.file_size for part in parts.infolist()))
        for part in parts.infolist():
            if part.filename.lower().endswith(".pkl"):
                yield io.BytesIO(parts.read(part))


_OLD_FORM = 5
"""Pickles of a file without an archive: a number, the version, the machine, what was saved, keys of
its numbers."""


class _Extent(NamedTuple):
    """Parts of a value that its hash visits, and tuples in each other."""

    parts: int = 1
    depth: int = 0


_NESTING = {"TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "REDUCE", "NEWOBJ"}
"""What makes a value that may be hashed of others: tuples, and calls such as `torch.Size`."""

_ONE = _Extent()
_MARK = _Extent(0, -1)


def _check_tuples(stream: BinaryIO) -> None:
    """Refuse a pickle whose tuples are deeper than `DEEPEST`, or repeat more than `MOST_REPEATED`
    parts.

    The machine that pickle describes is followed with the extent of each value in its place. A
    list or a dictionary is one part, since it has no hash. Raises ParameterError.
    """
    stack: list[_Extent] = []
    memo: dict[Any, _Extent] = {}
    repeated = 0
    for operation, argument, _ in pickletools.genops(stream):
        name = operation.name
        if name == "MARK":
            stack.append(_MARK)
        elif name.endswith("PUT") or name == "MEMOIZE":
            memo[len(memo) if argument is None else argument] = stack[-1]
        elif name.endswith("GET") or name == "DUP":
            stack.append(stack[-1] if name == "DUP" else memo[argument])
            repeated += stack[-1].parts
        else:
            taken = _taken(stack, operation)
            extent = _ONE
            if name in _NESTING:
                extent = _Extent(
                    1 + sum(part.parts for part in taken),
                    1 + max((part.depth for part in taken), default=0),
                )
            stack.extend([extent] * len(operation.stack_after))
        if repeated > MOST_REPEATED or (stack and stack[-1].depth > DEEPEST):
            raise ParameterError("its tuples are in each other too often")


def _taken(stack: list[_Extent], operation: pickletools.OpcodeInfo) -> list[_Extent]:
    """What an operation takes from the top of the stack."""
    before = operation.stack_before
    taken: list[_Extent] = []
    if pickletools.stackslice in before:
        while (top := stack.pop()) is not _MARK:
            taken.append(top)
        before = before[: before.index(pickletools.markobject)]
    taken += [stack.pop() for _ in before]
    return taken
