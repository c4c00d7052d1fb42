"""Files of torch are read in a time that their bytes bound, and what honest ones hold comes back."""

import io
import pickle
import warnings
import zipfile

import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.models.interchange import load_checkpoint as load_weights
from grokbook.models.mlp import MLP
from grokbook.tensor_files import load_tensors
from grokbook.training.checkpoint import CheckpointWarning, load_checkpoint, save_checkpoint


def doubled(depth):
    """A tuple of 2^depth parts, in so many small ones."""
    value = (1,)
    for _ in range(depth):
        value = (value, value)
    return value


def nested(depth):
    value = ()
    for _ in range(depth):
        value = (value,)
    return value


def archive(payload, name="archive/data.pkl"):
    """The bytes of a file of torch around a pickle."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as parts:
        parts.writestr(name, payload)
        parts.writestr("archive/version", "3\n")
        parts.writestr("archive/byteorder", "little")
    return buffer.getvalue()


def with_key(value, again=1):
    """A pickle of {value: 0}, put together from that of the value, which need not be hashed here."""
    inside = pickle.dumps(value, 2)[2:-1]
    return b"\x80\x02}" + (inside + b"K\x00s") * again + b"."


def with_repeated_key(value, times):
    """The same key, written out once and named again so often."""
    inside = pickle.dumps(value, 2)[2:-1]
    more = b"r\xff\x00\x00\x00K\x00s" + b"j\xff\x00\x00\x00K\x00s" * times
    return b"\x80\x02}" + inside + more + b"."


HOSTILE = {
    "each twice in the next": with_key(doubled(60)),
    "in a list's call": b"\x80\x02cbuiltins\nset\n]" + with_key(doubled(60))[3:-3] + b"a\x85R.",
    "named again": with_repeated_key(tuple(range(10_000)), 5_000),
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("form", ["archive", "capitals", "old"])
def test_tuples_that_repeat_are_refused_before_they_are_hashed(tmp_path, kind, form):
    """2^60 parts in 400 bytes: who hashes them ends never."""
    before = b"".join(pickle.dumps(part, 2) for part in (0x1950A86A20F9469CFC6C, 1001, {}))
    contents = {
        "archive": archive(HOSTILE[kind]),
        "capitals": archive(HOSTILE[kind], "archive/DATA.PKL"),
        "old": before + HOSTILE[kind],
    }
    with pytest.raises(ParameterError, match="its tuples are in each other too often"):
        load_tensors(contents[form])
    file = tmp_path / "net.pt"
    file.write_bytes(contents[form])
    with pytest.raises(ParameterError, match=r"net.pt cannot be read as weights: its tuples"):
        load_weights(file, MLP((3, 4, 2)))


def test_deep_tuples_do_not_end_the_process():
    deep = b"\x80\x02})" + b"\x85" * 1_000_000 + b"K\x00s."
    with pytest.raises(ParameterError, match="in each other too often"):
        load_tensors(archive(deep))


def test_a_signed_state_that_repeats_is_damaged_and_the_run_starts_anew(tmp_path):
    """Tables in tables, each of which has the one before it twice, are looked into no deeper than
    the run's own."""
    path, like = tmp_path / "run.pt", {"weights": {"W": torch.zeros(2)}}
    value = torch.zeros(2)
    for _ in range(60):
        value = {"W": value, "V": value}
    save_checkpoint(path, {"run_id": "me", "weights": value})
    with pytest.warns(CheckpointWarning, match="of other shapes"):
        assert load_checkpoint(path, "me", like) is None


@pytest.mark.parametrize("old", [False, True])
def test_honest_files_come_back(old):
    rows = [(i, (i / 2, "text")) for i in range(3_000)]
    betas = (0.9, 0.98)
    saved = {
        "weights": {f"layer.{i}": torch.full((2, 3), float(i)) for i in range(200)},
        "rows": rows,
        "large": tuple(range(100_000)),
        "groups": [{"betas": betas} for _ in range(1_000)],
        (1, (2, 3)): torch.Size([2, 3]),
        "deep": nested(50),
    }
    buffer = io.BytesIO()
    torch.save(saved, buffer, _use_new_zipfile_serialization=not old)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = load_tensors(buffer.getvalue())
    assert all(torch.equal(found["weights"][name], part) for name, part in saved["weights"].items())
    assert {n: part for n, part in found.items() if n != "weights"} == {
        n: part for n, part in saved.items() if n != "weights"
    }
