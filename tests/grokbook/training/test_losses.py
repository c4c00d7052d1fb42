"""The nearest of the answers that there are, in blocks; when a run is checkpointed first."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from grokbook.training import ensemble, losses


def whole(outputs, targets, known):
    """Right answers from all differences at once."""
    apart = (outputs.flatten(1)[:, None] - known.flatten(1)).square().sum(dim=-1)
    return (known[apart.argmin(dim=-1)] == targets).flatten(1).all(dim=-1)


SMALL = st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0, float("nan")])  # with ties


@given(
    outputs=arrays(np.float32, (7, 2), elements=SMALL | st.floats(-2, 2, width=32)),
    targets=arrays(np.float32, (7, 2), elements=st.sampled_from([-1.0, 0.0, 1.0])),
    block=st.integers(1, 100),
)
@settings(deadline=None)
def test_blocks_of_samples_have_the_answers_of_all_at_once(outputs, targets, block):
    x, y = torch.from_numpy(outputs), torch.from_numpy(targets)
    known = torch.from_numpy(losses.codes(targets))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(losses, "BLOCK", block)
        assert torch.equal(losses.right(x, y, known), whole(x, y, known))


def test_no_more_differences_than_a_block_are_in_memory(monkeypatch):
    seen, plain = [], losses._nearest

    def counted(outputs, codes):
        seen.append(len(outputs) * codes.numel())
        return plain(outputs, codes)

    monkeypatch.setattr(losses, "_nearest", counted)
    known = torch.randn(300, 2, generator=torch.Generator().manual_seed(0))
    targets = known.repeat(67, 1)
    outputs = targets + 0.01
    assert torch.equal(losses.right(outputs, targets, known), whole(outputs, targets, known))
    assert len(seen) == 3 and max(seen) <= losses.BLOCK


@pytest.mark.parametrize("lives", [4, 14, 200])
def test_the_first_checkpoint_is_due_after_a_second_and_then_ever_more_seldom(monkeypatch, lives):
    """A run that is killed every few seconds gets on, one that lives has a checkpoint every 30
    s."""
    now, saved = [0.0], []
    monkeypatch.setattr(ensemble.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(ensemble, "save", lambda *_: saved.append(now[0]))
    saver = ensemble._Saver("run.pt", "run", 30.0)
    for now[0] in np.arange(0, lives, 0.5).tolist():
        saver(None)
    assert saved == [at for at in (1, 3, 7, 15, 31, 61, 91, 121, 151, 181) if at < lives]
