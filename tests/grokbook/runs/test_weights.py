"""Final weights: those of the training loop, kept, found again, and trained again where they are
damaged."""

import pytest
import torch

from grokbook.models.transformer import logits
from grokbook.runs import provenance
from grokbook.runs.store import RecordWarning
from grokbook.runs.weights import final_weights
from grokbook.training.config import RunConfig
from grokbook_chapters.gu2025 import live_run


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path / "store"))
    monkeypatch.setattr(provenance, "USED", [])
    return tmp_path


def test_they_are_the_weights_behind_the_last_logged_accuracy(store):
    experiment = live_run(5, 0.5, 8, 30, 2)
    runs = experiment.run(progress=False, device="cpu")
    for seed, w in zip(experiment.seeds, final_weights(experiment), strict=True):
        config: RunConfig = experiment.config.with_seed(seed)
        task = config.task
        right = (
            logits(w, torch.from_numpy(task.tokens), config.model).argmax(1).numpy() == task.labels
        )
        last = runs.sel(seed=seed).isel(step=-1)
        assert right[task.test_index].mean() == pytest.approx(float(last.test_accuracy))
        assert right[task.train_index].mean() == pytest.approx(float(last.train_accuracy))


def test_they_are_trained_once_and_again_when_damaged(store):
    experiment = live_run(5, 0.5, 8, 20, 1)
    first = final_weights(experiment)[0]
    again = final_weights(experiment)[0]
    assert all(torch.equal(first[name], again[name]) for name in first)
    (file,) = store.rglob("*.nc")
    file.write_bytes(file.read_bytes()[:100])
    with pytest.warns(RecordWarning):
        mended = final_weights(experiment)[0]
    assert all(torch.equal(first[name], mended[name]) for name in first)
    assert [row["origin"] for row in provenance.USED] == ["trained", "cached", "trained"]
