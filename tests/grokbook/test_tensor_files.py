"""Files of torch: what unpacks to more than there is room for is refused, what honest ones hold comes
back."""

import io
import warnings
import zipfile

import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.tensor_files import load_tensors
from grokbook.training.checkpoint import CheckpointWarning, load_checkpoint, save_checkpoint


def test_an_archive_that_unpacks_to_more_than_the_free_memory_is_refused(tmp_path, monkeypatch):
    """Zeros are packed to a thousandth."""
    monkeypatch.setattr("grokbook.machine.free_memory_mb", lambda: 1.0)
    file = tmp_path / "net.pt"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("archive/data/0", bytes(3_000_000))
    assert file.stat().st_size < 10_000
    with pytest.raises(ParameterError, match="memory"):
        load_tensors(file.read_bytes())


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
