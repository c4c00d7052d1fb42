"""`import grokbook as gb`: its names, runs and sweeps beside the long way, own parts, what is kept
and refused."""

import dataclasses
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from own_parts import Parity, Sine, Words, largest
from torch import nn
from torch.nn import functional as F

import grokbook as gb
from grokbook import public
from grokbook.errors import ParameterError, RecordError, TrainingError
from grokbook.runs.experiment import Experiment, default_store
from grokbook.runs.results import of_name
from grokbook.runs.store import RecordWarning, Store
from grokbook.runs.sweep import Axis, Sweep
from grokbook.training import AdamW, RunConfig
from grokbook.training import train as train_long
from grokbook.training.identity import restore, save
from grokbook.training.loop import make_stack, train_stack

QUIET = {"progress": False, "store": False}


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("PYTHONPATH", f"{Path(__file__).parent}:{Path(gb.__file__).parents[1]}")


def equal(one, other, *names):
    for name in names or ("train_loss", "test_loss", "test_accuracy", "weight_norm"):
        assert one[name].values.tobytes() == other[name].values.tobytes(), name


# ---------------------------------------------------------------------------------------- the names


def test_every_name_is_there_once():
    assert gb.__all__ == sorted(name for name in vars(public) if name[0] != "_")
    assert all(getattr(gb, name) is getattr(public, name) for name in gb.__all__)
    assert set(gb.__all__) <= set(dir(gb))
    with pytest.raises(AttributeError, match="has no attribute 'trian'"):
        _ = gb.trian


def test_nothing_heavy_is_loaded_before_a_name_is_used():
    heavy = "{'torch', 'numpy', 'xarray', 'pandas', 'matplotlib', 'scipy'}"
    code = f"import sys, grokbook as gb; assert not {heavy} & set(sys.modules); gb.AdamW; assert 'torch' in sys.modules"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# ---------------------------------------------------------------------------------- as the long way


def test_a_default_call_is_answered_by_the_record_of_the_same_configuration():
    """Fig. 10 of Gu et al. 2025 at p = 43: the book's defaults, recorded for three seeds."""
    name, task, net = "gu2025/fig10[p=43, d=128]", gb.ModularTask(43), gb.Transformer(43)
    runs = gb.train(task, net, seeds=3)
    assert runs.attrs["origin"] == "recorded" and gb.records(name)["key"].tolist() == [
        runs.attrs["key"]
    ]
    equal(runs, of_name(name))
    kept = gb.load(name, 1)
    assert kept.embedding.shape == (43, 128) and kept.step == runs.snapshot[-1]
    assert (
        gb.measure("med", kept) == gb.med(kept.embedding) == gb.measure("med", runs).sel(seed=1)[-1]
    )
    np.testing.assert_allclose(gb.measure("med", runs)[:, -1], runs.med[:, -1], rtol=1e-5)
    asked = Experiment("x", RunConfig(task, net), (0,))
    changed = [
        dataclasses.replace(asked, **more)
        for more in ({"keep": "weights"}, {"watch": {"largest": largest}})
    ]
    assert asked.key == runs.attrs["key"] and len({asked.key, *(each.key for each in changed)}) == 3


def test_an_experiment_is_loaded_or_trained_and_says_everything_itself(tmp_path):
    one = Experiment(
        "made/up", RunConfig(gb.ModularTask(5), gb.Transformer(5, d_model=8), steps=20), (3,)
    )
    runs = gb.train(one, store=tmp_path, progress=False)
    assert runs.seed.values.tolist() == [3] and runs.attrs["origin"] == "trained"
    assert gb.train(one, store=tmp_path, progress=False).attrs["origin"] == "cached"
    for said in (
        {"model": one.config.model},
        {"optimizer": gb.Sgd(lr=0.1)},
        {"keep": "weights"},
        {"steps": 30},
        {"seeds": 2},
        {"watch": {"largest": largest}},
        {"log": 1},
    ):
        with pytest.raises(ParameterError, match="is said by the experiment made/up itself"):
            gb.train(one, **said)
    with pytest.raises(ParameterError, match="model is missing"):
        gb.train(gb.ModularTask(5))
    wide = Sweep("made/grid", one.config, (0,), axes=(Axis("weight_decay", (0.0, 1.0)),))
    assert gb.train(wide, store=False, progress=False).sizes["weight_decay"] == 2


def test_own_task_own_network_and_own_measure_over_five_seeds():
    runs = gb.train(
        Parity(),
        Sine(),
        gb.AdamW(lr=1e-2),
        watch={"largest": largest},
        steps=40,
        keep="weights",
        **QUIET,
    )
    config = RunConfig(Parity(), Sine(), AdamW(1e-2), 40)
    equal(runs, train_long([config.with_seed(seed) for seed in range(5)], progress=False))
    for seed in range(5):
        for step in gb.load(runs, seed).steps:
            weights = gb.load(runs, seed, step).weights
            assert runs.largest.sel(seed=seed, step=step) == max(
                float(w.abs().max()) for w in weights.values()
            )
    first = gb.load(runs, 3, 0).weights
    assert all(torch.equal(first[name], part) for name, part in Sine().draw(3).items())


def test_a_grid_on_two_processes_is_the_long_way_and_has_a_coordinate_for_all_that_varies():
    grid = {"lr": [1e-3, 3e-3, 1e-2], "weight_decay": [0, 0.5, 1]}
    found = gb.sweep(Parity(), Sine(), grid=grid, seeds=2, steps=30, workers=2, **QUIET)
    axes = (Axis("learning_rate", (1e-3, 3e-3, 1e-2)), Axis("weight_decay", (0.0, 0.5, 1.0)))
    long = Sweep("x", RunConfig(Parity(), Sine(), steps=30), (0, 1), axes=axes).run(
        progress=False, workers=1
    )
    equal(found, long, "train_loss", "test_loss", "train_accuracy", "test_accuracy")
    assert dict(found.test_loss.sizes) == {"seed": 2, "lr": 3, "weight_decay": 3, "step": 4}
    assert found.lr.values.tolist() == grid["lr"] and found.weight_decay.values.tolist() == [
        0,
        0.5,
        1,
    ]


# -------------------------------------------------------------------------------------- torch's own


def plainly(module, optimiser, x, y, index, steps):
    """A loop as anybody writes it: the loss on all samples before each update and at the end."""
    losses = []
    for _ in range(steps):
        losses.append(F.cross_entropy(module(x), y).item())
        optimiser.zero_grad()
        F.cross_entropy(module(x[index]), y[index]).backward()
        optimiser.step()
    return [*losses, F.cross_entropy(module(x), y).item()]


@pytest.mark.parametrize(
    ("cls", "settings"),
    [
        (torch.optim.RMSprop, {"lr": 1e-2, "momentum": 0.5}),
        (torch.optim.Adagrad, {"lr": 1e-1, "initial_accumulator_value": 0.1}),
        (torch.optim.NAdam, {"lr": 1e-2, "betas": (0.8, 0.99), "weight_decay": 0.1}),
    ],
)
def test_a_module_and_an_optimiser_of_torch_go_as_in_a_plain_loop(cls, settings):
    task, steps = gb.ModularTask(5, train_fraction=0.5), 12
    net = gb.from_module(Words, embedding="embed.weight")
    every = gb.Schedule(dense_every=1)
    runs = gb.train(
        task, net, gb.from_torch_optim(cls, **settings), seeds=1, steps=steps, log=every, **QUIET
    )
    torch.manual_seed(0)
    module = Words()
    x, y = torch.from_numpy(task.inputs), torch.from_numpy(task.targets)
    expected = plainly(module, cls(module.parameters(), **settings), x, y, task.train_index, steps)
    share = task.train_index.size / len(x)
    whole = share * runs.train_loss[0] + (1 - share) * runs.test_loss[0]
    np.testing.assert_allclose(whole, expected, rtol=1e-4)
    end = gb.load(runs).embedding
    np.testing.assert_allclose(end, module.embed.weight.detach().numpy(), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(runs.med[0, -1], gb.med(end), rtol=1e-6)


def test_rows_of_a_torch_optimiser_have_rates_of_their_own_and_go_on_after_a_checkpoint(tmp_path):
    optimizers = [
        gb.from_torch_optim(torch.optim.Adam, lr=rate, weight_decay=0.1) for rate in (1e-3, 1e-2)
    ]
    configs = [
        RunConfig(Parity(), gb.from_module(partial(nn.Linear, 6, 2)), o, 20) for o in optimizers
    ]
    together = train_long(configs, rows=2, progress=False, device="cpu")
    for r, config in enumerate(configs):
        alone = train_long([config], progress=False, device="cpu")
        np.testing.assert_allclose(together.test_loss[r], alone.test_loss[0], rtol=1e-5)
    halves = make_stack(configs, torch.device("cpu"))
    train_stack(halves, steps=10)
    save(halves, str(tmp_path / "half.pt"))
    again = make_stack(configs, torch.device("cpu"))
    assert restore(again, str(tmp_path / "half.pt")) and again.step == 10
    for stack in (halves, again):
        train_stack(stack)
    assert torch.equal(halves.weights, again.weights)


# --------------------------------------------------------------------------------- tables and tasks


def test_a_table_is_a_task_and_runs_of_other_numbers_are_other_runs():
    x = np.arange(12.0).reshape(6, 2)
    task = gb.task(x.tolist(), [0, 1, 0, 1, 0, 1], 0.5, seed=4)
    assert task.train_index.tolist() == sorted(np.random.default_rng(4).permutation(6)[:3])
    net = gb.MLP((2, 2))
    keys = [
        RunConfig(gb.task(x + shift, [0, 1] * 3, 0.5), net, steps=1).as_dict()["task"]
        for shift in (0, 0, 1)
    ]
    assert keys[0] == keys[1] != keys[2]
    real = gb.train(
        gb.task(x, x.sum(1), 0.5), gb.MLP((2, 1)), seeds=1, steps=5, loss="squared_error", **QUIET
    )
    assert np.isfinite(real.test_loss).all()


# ------------------------------------------------------------------------------------- what is kept


def test_runs_are_kept_and_loaded_and_the_listing_names_them(tmp_path):
    ask = partial(gb.train, Parity(), Sine(), steps=10, name="mine/sine", progress=False)
    assert ask(seeds=2).attrs["origin"] == "trained" and ask(seeds=2).attrs["origin"] == "cached"
    more = ask(seeds=3, watch={"largest": largest})
    assert more.attrs["origin"] == "trained" and "largest" in more
    assert ask(seeds=1, store=tmp_path / "other").attrs["origin"] == "trained"
    assert not list(
        Store(tmp_path / "other").entries().keys() - {f"mine/sine/{ask(seeds=1).attrs['key']}.nc"}
    )
    table = gb.records("mine/*")
    assert sorted(map(len, table.seeds)) == [2, 3] and set(table["where"]) == {"here"}
    with pytest.raises(ParameterError, match="names 2 configurations; give one of their keys"):
        gb.load("mine/sine")
    with pytest.raises(
        ParameterError, match="no network of mine/sine was kept at a step: nothing but curves"
    ):
        gb.load(table.key[0])


def test_own_runs_are_loaded_by_name_where_their_module_is_not(monkeypatch):
    runs = gb.train(
        Parity(), Sine(), seeds=1, steps=10, keep="weights", name="mine/kept", progress=False
    )
    monkeypatch.delitem(sys.modules, "own_parts")
    assert gb.load("mine/kept").weights.keys() == gb.load(runs).weights.keys()
    next(default_store().path.glob("mine/kept/*.nc")).write_bytes(b"damaged")
    with (
        pytest.warns(RecordWarning),
        pytest.raises(RecordError, match="mine/kept is damaged, see above"),
    ):
        gb.load("mine/kept")


NOTES = [None, "", "3", "{}", "[1]", '{"W": 5}', '{"W": [5]}', '{"W": ["a"]}', "[" * 5000]


@pytest.mark.parametrize("note", NOTES)
def test_weights_that_do_not_say_what_they_are_get_a_sentence(note):
    """What is computed from a dataset may have lost what it says of its variables."""
    task, net = gb.ModularTask(5), gb.Transformer(5, d_model=8)
    runs = gb.train(task, net, seeds=1, steps=2, keep="weights", **QUIET)
    del runs["weights"].attrs["parameters"]
    if note is not None:
        runs["weights"].attrs["parameters"] = note
    with pytest.raises(ParameterError, match="^the weights do not say which parameters they are"):
        gb.load(runs)


def test_what_was_kept_is_told():
    runs = gb.train(gb.ModularTask(5), gb.Transformer(5, d_model=8), seeds=1, steps=20, **QUIET)
    kept = gb.load(runs, 0, 10)
    assert str(kept) == "own/ModularTask-Shape, seed 0, step 10: the embedding (5, 8), no weights"
    with pytest.raises(ParameterError, match="no weights; train it with keep='weights'"):
        _ = kept.weights
    with pytest.raises(ParameterError, match="step = 11 of .* was not kept; 0, 10, 20 were"):
        gb.load(runs, 0, 11)
    with pytest.raises(ParameterError, match="seed = 7 is none"):
        gb.load(runs, 7)


def test_weights_at_a_step_are_those_of_a_run_that_ends_there_and_stop_where_it_stopped():
    stop = gb.StopRule("train_accuracy", 0.0, hold=2)  # met at the second logged step
    runs = gb.train(Parity(), Sine(), seeds=1, steps=40, keep="weights", stop=stop, **QUIET)
    config = RunConfig(Parity(), Sine(), steps=40)
    end = train_long([config], steps=10, keep_weights=True, progress=False).weights[0]
    found = torch.cat([part.ravel() for part in gb.load(runs).weights.values()])
    assert gb.load(runs).step == 10 and np.array_equal(found.numpy(), end.values)


def test_a_script_is_told_that_its_own_classes_stay_in_one_process(tmp_path):
    source = Path(__file__).with_name("own_parts.py").read_text("utf-8")
    more = "import grokbook as gb\n"
    more += "print(gb.train(Parity(), Sine(), seeds=2, steps=10, workers=2, progress=False, store=False).sizes['seed'])"
    (tmp_path / "script.py").write_text(f"{source}\n{more}\n")
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (
        done.stdout == "2\n"
        and "written in a notebook or script, so they are trained in this process" in done.stderr
    )


# ---------------------------------------------------------------------------------- what is refused


class Noisy(nn.Linear):
    """A layer with noise."""

    def forward(self, x):
        return super().forward(x + torch.rand_like(x))


TASK = gb.task(np.eye(4), [0, 1, 0, 1], 0.5)
REFUSED = {
    "model = Linear.* must be a frozen .* or gb.from_module": lambda: gb.train(
        TASK, nn.Linear(4, 2)
    ),
    "optimizer = <class 'torch.* or gb.from_torch_optim": lambda: gb.train(
        TASK, gb.MLP((4, 2)), torch.optim.Adam
    ),
    "snapshots = 0 keeps no weights": lambda: gb.train(
        TASK, gb.MLP((4, 2)), keep="weights", snapshots=0
    ),
    "grid = {} must": lambda: gb.sweep(TASK, gb.MLP((4, 2)), grid={}),
    "is gathered in a store, which cannot be False": lambda: gb.sweep(
        TASK, gb.MLP((4, 2)), grid={"lr": [1e-3]}, scheduler="tcp://a:1", store=False
    ),
    "a cluster has programs of 4 runs, so rows must be 'auto'": lambda: gb.sweep(
        TASK, gb.MLP((4, 2)), grid={"lr": [1e-3]}, scheduler="tcp://a:1", rows=2
    ),
    "must be what makes a module": lambda: gb.from_module(nn.Linear(4, 2)),
    "embedding = 'E' is no table of the module's; choose of weight": lambda: gb.from_module(
        partial(nn.Linear, 4, 2), embedding="E"
    ),
    "'mde' is no measure; did you mean med": lambda: gb.measure("mde", np.eye(3)),
    "'gu2025/laed' is no record": lambda: gb.load("gu2025/laed"),
}


@pytest.mark.parametrize(("message", "call"), REFUSED.items(), ids=REFUSED)
def test_bad_input_is_one_sentence(message, call):
    with pytest.raises(ParameterError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def broken(view):
    return gb.measure("medd", view)


def no_number(view):
    return "three"


@pytest.mark.parametrize(("watch", "said"), [(broken, "medd"), (no_number, "ValueError")])
def test_a_watch_that_fails_is_told_before_anything_is_trained(tmp_path, watch, said):
    """An error of a reader's watch is no curve of NaN, and leaves no file behind."""
    with pytest.raises(
        ParameterError, match=f"watch 'mine' fails on the network as it is drawn: .*{said}"
    ):
        gb.train(
            gb.ModularTask(5),
            gb.Transformer(5, d_model=8),
            seeds=1,
            steps=20,
            progress=False,
            watch={"mine": watch},
            store=tmp_path,
        )
    assert not list(tmp_path.rglob("*.pt"))


def undefined_later(view):
    return float("nan")


def late(view):
    if view.step:
        raise KeyError("late")
    return 0.0


def later(view):
    return 1 / (20 - view.step)


def mended(view):
    return float(view.step)


def test_watches_that_fail_later_name_themselves_and_a_mended_one_finds_what_was_trained(
    monkeypatch,
):
    ask = partial(gb.train, Parity(), Sine(), seeds=2, steps=20, progress=False, workers=1)
    both = (
        "^watch 'one' fails at step 10 of seed 0: KeyError: 'late'; watch 'two' fails at step 20 "
    )
    with pytest.raises(TrainingError, match=both) as raised:
        ask(watch={"one": late, "two": later, "three": mended})
    assert raised.value.history.three.values.tolist() == 2 * [[0, 10, 20]]
    assert raised.value.history.two[0, :2].values.tolist() == [0.05, 0.1]
    begun = []

    def continued(stack, **options):
        begun.append(stack.step)
        train_stack(stack, **options)

    monkeypatch.setattr("grokbook.training.ensemble.train_stack", continued)
    assert ask(watch={"one": mended}).one.values.tolist() == 2 * [[0, 10, 20]]
    assert begun == [20, 20] and not list(default_store().path.rglob("*.pt"))


def test_a_watch_of_ones_own_that_is_undefined_at_some_steps_is_said(capfd):
    def short(view):
        if view.step > 10:
            raise ParameterError("too late")
        return 1.0

    runs = gb.train(
        Parity(), Sine(), seeds=2, steps=20, progress=False, watch={"mine": short}, store=False
    )
    assert runs.mine.isnull().values.tolist() == 2 * [[False, False, True]]
    assert "mine is NaN, or refuses its input, at 2 logged steps" in capfd.readouterr().err


def test_a_watch_that_is_never_defined_is_said(capfd):
    gb.train(
        gb.ModularTask(5),
        gb.Transformer(5, d_model=8),
        seeds=1,
        steps=20,
        progress=False,
        watch={"mine": undefined_later},
        store=False,
    )
    assert "mine is not defined at any step of these runs: all NaN" in capfd.readouterr().err
