"""Finished chunks of sweeps at any address that fsspec knows: who asks for a sweep takes them and adds to them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from grokbook.errors import GrokbookError, ParameterError
from grokbook.files import atomic_write

LARGEST = 4_000_000_000
"""Bytes of a chunk: as many as of a checkpoint that is loaded."""


def is_address(store: Any) -> bool:
    """Whether a store is named by an address, such as s3://bucket/folder, and not by a folder."""
    return isinstance(store, str) and "://" in store


class Shared:
    """Files `ADDRESS/<key of the sweep>/<chunk>.pt` as workers made them, signed: what is damaged is no chunk.

    Machines that share it need not know of each other: a chunk is named by its runs, and both would write the same.

    Raises ParameterError for an address that fsspec, or a package that it asks for, does not know.

    Example:
        >>> Shared("memory://made-up").take("0123456789abcdef", [Path("here.pt")])
    """

    def __init__(self, address: str) -> None:
        try:
            from fsspec.core import url_to_fs

            self.files, self.root = url_to_fs(address)
        except (ImportError, ValueError) as error:
            raise ParameterError(f"store = {address!r} is no address that can be opened here: {error}.") from None
        self.address = address

    def take(self, key: str, wanted: Iterable[Path]) -> None:
        """Fetch those files of chunks of a sweep that are not there and that somebody made.

        Raises GrokbookError where the address cannot be read, and for a file that is larger than a chunk may be.
        """
        try:
            self.files.invalidate_cache()  # what others wrote since
            there = self.files.ls(f"{self.root}/{key}", detail=False)
        except FileNotFoundError:
            return
        except Exception as error:  # each kind of address raises its own
            raise GrokbookError(f"the store {self.address} cannot be read: {error}.") from error
        made = {name.rpartition("/")[2] for name in there}
        for path in wanted:
            if path.name in made and not path.is_file():
                with self.files.open(f"{self.root}/{key}/{path.name}", "rb") as stream:
                    content = stream.read(LARGEST + 1)
                if len(content) > LARGEST:
                    said = f"{path.name} at {self.address} has more than {LARGEST:,} bytes"
                    raise GrokbookError(f"{said}, which no chunk has; remove it.")
                atomic_write(path, content)

    def give(self, key: str, path: Path) -> None:
        """Add a chunk. Raises GrokbookError where it cannot be written; it stays in its folder."""
        try:
            self.files.makedirs(f"{self.root}/{key}", exist_ok=True)
            self.files.pipe_file(f"{self.root}/{key}/{path.name}", path.read_bytes())
        except Exception as error:
            raise GrokbookError(f"the store {self.address} cannot be written: {error}.") from error
