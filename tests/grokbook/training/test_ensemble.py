"""Many runs in one call: processes, devices, refusals, runs that are lost, runs that are killed."""

import dataclasses
import io
import json
import math
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import interrupted
import numpy as np
import pytest
import torch
from small_runs import small

from grokbook.errors import ParameterError, TrainingError
from grokbook.machine import subnormals_as_zero
from grokbook.models.resnet import ResNet
from grokbook.training import RunConfig, Schedule, train
from grokbook.training.accelerators import Muon
from grokbook.training.checkpoint import CheckpointWarning
from grokbook.training.ensemble import How, checkpoint_path, groups, train_here
from grokbook.training.together import program_key
from grokbook_chapters.resnet_grokking.shapes import ShapeTask

GOOD = [small(0, d=16), small(1, d=16, weight_decay=0.0)]
LOST = small(2, d=16, learning_rate=1e30)


def in_process(config, **arguments):
    """One run in this process."""
    return train([config], device="cpu", progress=False, **arguments)


@pytest.fixture(scope="module")
def lost(tmp_path_factory):
    """Three runs, one of which is lost, on two processes: the error and the folder of the
    checkpoints."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.raises(TrainingError) as caught:
        train([GOOD[0], LOST, GOOD[1]], device="cpu", progress=False, workers=2, checkpoints=folder)
    return caught.value, folder


@pytest.mark.timeout(120)
def test_several_processes_equal_this_process_bit_for_bit(lost):
    history = lost[0].history
    for row, config in ((0, GOOD[0]), (2, GOOD[1])):
        alone = in_process(config).isel(run=0)
        assert set(alone.variables) <= set(history.variables)
        for name in alone.data_vars:
            assert history[name][row].values.tobytes() == alone[name].values.tobytes(), name


def test_a_lost_run_is_named_and_the_others_are_finished(lost):
    error, _ = lost
    assert re.fullmatch(
        r"the training loss became NaN or infinite at step \d+ of \{.*\}\.", str(error)
    )
    assert (
        '"learning_rate":1e+30' in str(error)
        and '"seed":2' in str(error)
        and '":0.001' not in str(error)
    )
    assert error.history.seed.values.tolist() == [0, 2, 1]
    assert np.isfinite(error.history.train_loss[[0, 2]]).all()
    assert np.isfinite(error.history.train_loss[1, 0]) and np.isnan(error.history.train_loss[1, -1])


@pytest.mark.timeout(120)
def test_a_worker_that_fails_is_reported_with_its_last_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainingError) as caught:
        train(GOOD, device="cpu", progress=False, workers=2, checkpoints=tmp_path / "file")
    message = str(caught.value)
    assert re.match("the run p=7 add d=16 seed=[01] ended with exit code 1: ", message)
    assert "was not written" in message


def test_runs_of_one_size_share_a_program():
    base = small(0)
    same = [small(1), small(0, learning_rate=0.1), small(0, weight_decay=0.0)]
    other = [
        small(0, p=11),
        small(0, d=16),
        small(0, steps=21),
        small(0, fraction=0.4),
        small(0, log=Schedule()),
    ]
    assert {program_key(config) for config in (base, *same)} == {program_key(base)}
    assert len({program_key(config) for config in (base, *other)}) == 6
    assert program_key(IMAGES.with_seed(1)) == program_key(IMAGES), (
        "a task that draws what is read, of another seed"
    )


IMAGES = RunConfig(
    ShapeTask(3, 0.5, tile=8), ResNet(17, width=1, stem="small", channels=1, size=16), steps=2
)
UNLIKE = {
    "the update": [
        dataclasses.replace(small(), optimizer=Muon(plain=plain)) for plain in (False, True)
    ],
    "the pictures": [
        dataclasses.replace(IMAGES, task=dataclasses.replace(IMAGES.task, faithful=f))
        for f in (False, True)
    ],
}


@pytest.mark.parametrize("configs", UNLIKE.values(), ids=UNLIKE)
def test_runs_that_a_program_would_not_tell_apart_have_one_each(configs):
    """Rows hold numbers; a flag of an optimiser or a task is read from the first of them."""
    assert groups(configs, None) == [[0], [1]]
    together = train(configs, rows=2, device="cpu", progress=False, keep_weights=True).weights
    alone = [in_process(config, keep_weights=True).weights[0] for config in configs]
    assert abs(alone[0] - alone[1]).max() > 1e-4
    np.testing.assert_allclose(together, alone, atol=1e-6)


@pytest.mark.parametrize("device", ["gpu", None])
def test_an_unknown_device_is_refused(device):
    with pytest.raises(ParameterError) as caught:
        train([small(0)], device=device, progress=False)
    assert str(caught.value) == f"device = {device!r} is unknown; choose auto, cpu or cuda."


@pytest.mark.parametrize("configs", [[small(0), "config"], small(0)])
def test_what_is_no_list_of_runs_is_refused(configs):
    with pytest.raises(
        ParameterError, match=r"^configs = .* must be a list of one RunConfig or more\.$"
    ):
        train(configs, progress=False)


@pytest.mark.parametrize("value", [-1, 0, 2.5, math.nan, math.inf, True])
@pytest.mark.parametrize("name", ["steps", "rows", "workers"])
def test_what_counts_nothing_is_refused(name, value):
    """A number of processes that is NaN is neither below one nor one: none would ever start."""
    with pytest.raises(ParameterError, match=rf"^{name} (is|=) .*must be a whole number"):
        train([small(0)], progress=False, **{name: value})


def test_what_cannot_be_gathered_at_the_end_is_refused_before_anything_is_trained(monkeypatch):
    """Snapshots of embeddings of different shapes have no common table; runs without snapshots need
    none."""
    with monkeypatch.context() as patch:
        patch.setattr(
            "grokbook.training.ensemble.make_stack", lambda *_: pytest.fail("something was trained")
        )
        for other in (small(0, p=11), small(0, d=16)):
            with pytest.raises(
                ParameterError, match=r"\(7, 8\).* do not fit into one dataset; set snapshots=0"
            ):
                train([small(0), other], rows=2, device="cpu", progress=False)
    apart = [small(0, p=p, snapshots=0) for p in (7, 11)]
    assert train(apart, rows=2, device="cpu", progress=False).sizes["run"] == 2


def test_muon_is_refused_where_it_would_move_the_read_out():
    with pytest.raises(
        ParameterError,
        match=r"^Muon needs matrices=\(\.\.\.\) for a network without W_U; choose of ",
    ):
        in_process(dataclasses.replace(IMAGES, optimizer=Muon()))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU on this machine")
def test_runs_on_the_gpu_come_back_in_order():
    configs = [small(0, snapshots=0), small(0, p=11, snapshots=0), small(1, snapshots=0)]
    dataset = train(configs, device="cuda", progress=False)
    assert dataset.seed.values.tolist() == [0, 0, 1] and dataset.attrs["device"] == "cuda"
    np.testing.assert_allclose(dataset.train_loss[2], in_process(small(1)).train_loss[0], atol=1e-3)


def test_a_finished_run_is_not_trained_again_but_for_a_damaged_checkpoint(tmp_path, monkeypatch):
    first = in_process(small(0), checkpoints=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(
            "grokbook.training.loop.advance", lambda *_: pytest.fail("an update was made")
        )
        assert in_process(small(0), checkpoints=tmp_path).identical(first)
    path = Path(checkpoint_path(tmp_path, [small(0)]))
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.warns(CheckpointWarning, match="is damaged; the run starts anew"):
        assert in_process(small(0), checkpoints=tmp_path).identical(first)
    assert path.stat().st_size > 2000


def step_of(path):
    """The step that a whole checkpoint holds, -1 where there is none yet."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return -1
    return torch.load(io.BytesIO(content[content.index(b"\n") + 1 :]), weights_only=True)["step"]


def kill_at(process, path, step):
    """Send SIGKILL once the checkpoint has reached `step`; the step of the checkpoint that is
    left."""
    while step_of(path) < step:
        assert process.poll() is None, process.stderr.read().decode()
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the run ended before it was killed"
    process.stderr.close()
    return step_of(path)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["digits", "own optimiser"])
def test_a_killed_run_continues_and_ends_bit_for_bit_the_same(tmp_path, kind, monkeypatch):
    """SIGKILL at some checkpoint, then to the end, as if nothing had happened: also within an epoch
    of mini-batches."""
    steps = 600
    path = checkpoint_path(tmp_path / "checkpoints", [interrupted.config(steps, kind)])
    command = [sys.executable, interrupted.__file__, str(tmp_path), str(steps), kind]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    left = kill_at(running, path, 45)
    assert 45 <= left < steps
    with monkeypatch.context() as patch:
        # counted in the program
        patch.setattr(interrupted.loop, "advance", interrupted.loop.advance)
        interrupted.main(tmp_path, steps, kind)
    assert int((tmp_path / "updates").read_text()) == steps - left, (
        "it did not continue from the checkpoint"
    )
    whole = in_process(interrupted.config(steps, kind))
    assert json.loads((tmp_path / "result.json").read_text()) == interrupted.values(whole)


def test_numbers_below_the_normal_ones_are_zero_while_runs_are_trained_and_only_then():
    inside = []

    def product(*_: object) -> None:
        inside.append(float(torch.tensor(1e-30) * 1e-10))

    train_here([small()], How(steps=5), report=product)
    assert inside and not any(inside)
    assert float(torch.tensor(1e-30) * 1e-10) > 0
    with subnormals_as_zero(), subnormals_as_zero():
        pass
    assert float(torch.tensor(1e-30) * 1e-10) > 0
