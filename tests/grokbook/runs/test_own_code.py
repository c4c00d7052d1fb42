"""Networks, tasks and optimisers of a reader's own: the store answers with runs of their present
code, or with none."""

import importlib
import json
import linecache
import sys
from dataclasses import dataclass, replace
from functools import partial
from types import ModuleType

import nbformat
import numpy as np
import pytest
import torch
from nbclient import NotebookClient

import grokbook as gb
from grokbook.errors import TrainingError
from grokbook.machine import limited_threads
from grokbook.models.toy import Toy
from grokbook.models.transformer import Shape
from grokbook.own_code import Code, code_behind, is_builtin
from grokbook.runs import Experiment, load_or_run
from grokbook.runs.store import Store
from grokbook.tasks import ModularTask
from grokbook.tasks.addition import AdditionTask
from grokbook.training import AdamW, RunConfig, train
from grokbook.training.checkpoint import CheckpointWarning
from grokbook.training.identity import code_and_probe, probe
from grokbook_chapters.uniformity.runs import unseen_share

NET = """
from dataclasses import dataclass
import torch
from torch.nn import functional as F
{head}

@dataclass(frozen=True)
class Net{bases}:
    p: int = 5
    width: int = 4
    act: object = None

    def shapes(self):
        return {{"W": (self.width, 2 * self.p), "U": (self.p, self.width)}}

    def draw(self, seed):
        g = torch.Generator().manual_seed(seed)
        return {{name: torch.randn(shape, generator=g) for name, shape in self.shapes().items()}}

    def forward(self, w, x{more}):
        return {call}(F.one_hot(x[:, :2], self.p).flatten(1).float() @ w["W"].T) @ w["U"].T
"""


def net(head="", bases="", more="", call="torch.relu"):
    """The source of a network."""
    return NET.format(head=head, bases=bases, more=more, call=call)


RELU, TANH = net(), net(call="torch.tanh")


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    """A store and a folder of modules for each test."""
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path / "store"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def written(tmp_path):
    """A module with this source, imported or loaded again."""

    def write(name, source, load=True):
        (tmp_path / f"{name.replace('.', '/')}.py").write_text(source)
        importlib.invalidate_caches()
        if load:
            return (
                importlib.reload(sys.modules[name])
                if name in sys.modules
                else importlib.import_module(name)
            )
        return None

    return write


def made(model, **more):
    return Experiment(
        "own/net",
        RunConfig(ModularTask(5, train_fraction=0.5), model, steps=20, **more),
        seeds=(0,),
    )


def loss(dataset):
    return float(dataset.test_loss.values.ravel()[-1])


def plainly(model):
    return loss(train([made(model).config.with_seed(0)], device="cpu", progress=False))


def asked(model):
    """Origin and loss of what the store gives; the loss is that of a run that no store has seen."""
    found = load_or_run(made(model), progress=False)
    assert loss(found) == plainly(model)
    return found.attrs["origin"], loss(found)


def kept_again(model):
    """The loss of a run that is trained, kept and loaded."""
    assert asked(model)[0] == "trained"
    origin, value = asked(model)
    assert origin == "cached"
    return value


def test_two_modules_with_one_class_and_fields_have_two_keys(written):
    own, other = written("own", RELU), written("other", TANH)
    assert made(own.Net()).key != made(other.Net()).key
    assert kept_again(own.Net()) != kept_again(other.Net())
    together = train(
        [made(m.Net()).config for m in (own, other)], rows=2, device="cpu", progress=False
    )
    assert together.test_loss.values[:, -1].tolist() == [plainly(own.Net()), plainly(other.Net())]


def test_a_helper_of_the_networks_module_is_part_of_its_code(written):
    """Also one that is reached through a module between, and one that is imported in a function."""
    for head, call in (
        ("from between import act", "act"),
        ("import between", "between.act"),
        ("def late(x):\n    from between import act\n    return act(x)", "late"),
    ):
        written("helper", "import torch\ndef act(x):\n    return torch.relu(x)\n")
        written("between", "from helper import act\n")
        model = written("own", net(head, call=call)).Net
        first = kept_again(model())
        written("helper", "import torch\ndef act(x):\n    return torch.tanh(x)\n")
        written("between", "from helper import act\n")
        model = written("own", net(head, call=call)).Net
        assert kept_again(model()) != first


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class Base:\n    def act(self, x):\n        return torch.relu(x)\n", ("relu", "tanh")),
        (
            "@dataclass(frozen=True)\nclass Base:\n    scale: int = 1\n    def act(self, x):\n        return 1 * x\n",
            ("1 * x", "-self.scale * x"),
        ),
    ],
    ids=["a base", "a base that is a dataclass"],
)
def test_bases_are_part_of_the_code_wherever_they_are(written, before, after):
    source = NET.format(
        head="from base import Base", bases="(Base)", more="", call="super().act"
    ).replace("    act: object = None\n", "")
    head = "from dataclasses import dataclass\nimport torch\n"
    written("base", head + before)
    first = kept_again(written("own", source).Net())
    written("base", head + before.replace(*after))
    assert kept_again(written("own", source).Net()) != first


def test_a_module_that_imports_the_library_itself_is_known(written):
    """As the cookbook begins: `import grokbook as gb`, which is a package with names that are
    texts."""
    code = code_behind(written("with_gb", net("import grokbook as gb")).Net())
    assert code.digest not in (None, code_behind(written("without_gb", RELU).Net()).digest)


def test_a_module_that_was_loaded_again_and_one_that_was_not(written, capsys):
    """A file that was changed and not loaded again is not the code that runs: nothing is kept."""
    old = written("own", RELU)
    stale, first = old.Net(), kept_again(old.Net())
    written("own", TANH, load=False)
    assert asked(stale) == ("trained", first) == asked(stale)
    assert "nothing of own/net is kept" in capsys.readouterr().err
    fresh = written("own", TANH).Net()
    assert kept_again(fresh) != first
    written("own", RELU)
    assert asked(sys.modules["own"].Net()) == ("trained", first), (
        "the record is now that of the other code"
    )


def test_a_function_in_a_field_is_named_and_covered_and_so_is_a_partial_of_one(written):
    head = "def scaled(x, by=1.0):\n    return by * torch.tanh(x)\n"
    own = written("own", net(head, call="self.act"))
    twice, thrice = (partial(own.scaled, by=by) for by in (2.0, 3.0))
    keys = {made(own.Net(act=act)).key for act in (own.scaled, twice, thrice)}
    assert len(keys) == 3 and "own.scaled" in json.dumps(made(own.Net(act=twice)).configuration())
    losses = {kept_again(own.Net(act=act)) for act in (own.scaled, twice, thrice)}
    assert len(losses) == 3
    again = written("own", net(head.replace("tanh", "relu"), call="self.act"))
    assert kept_again(again.Net(act=partial(again.scaled, by=2.0))) not in losses


def test_arrays_in_a_field_are_told_apart_by_all_of_their_values(written):
    own = written("own", net("", call="(lambda z: self.act[0] * z)"))
    tables = [np.ones(5000), np.r_[np.ones(2500), 2, np.ones(2499)]]
    assert (
        len({made(own.Net(act=table)).key for table in (*tables, *map(torch.from_numpy, tables))})
        == 4
    )


def closure(by):
    def scaled(x):
        return by * torch.relu(x)

    return scaled


NAMELESS = {
    "lambdas": (lambda z: torch.relu(z), lambda z: torch.tanh(z)),
    "closures": (closure(2.0), closure(3.0)),
    "partials": (partial(closure(2.0)), partial(closure(3.0))),
}


@pytest.mark.parametrize(("one", "other"), NAMELESS.values(), ids=NAMELESS)
def test_functions_of_one_name_are_told_apart_by_their_places_and_what_they_hold(
    written, one, other
):
    net_with = written("own", net(call="self.act")).Net
    assert kept_again(net_with(act=one)) != kept_again(net_with(act=other))


class Logged:
    """A function that holds an open file."""

    def __init__(self):
        self.file = open(__file__)  # noqa: SIM115

    def __call__(self, z):
        return torch.relu(z)


def test_nothing_is_kept_of_what_cannot_be_written_down_and_one_line_says_so(
    written, capsys, tmp_path
):
    model = written("own", net(call="self.act")).Net(act=Logged())
    capsys.readouterr()
    assert asked(model)[0] == "trained" == asked(model)[0]
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("grokbook: nothing of own/net is kept: ") for line in lines)
    store = tmp_path / "store"
    assert Store(store).entries() == {} and not list(store.rglob("*.pt"))
    train([made(model).config], device="cpu", progress=False, checkpoints=tmp_path / "kept")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("grokbook: no checkpoint of these runs is kept: ")
    assert not (tmp_path / "kept").exists()


def test_a_class_without_source_is_not_kept(capsys):
    exec(compile(RELU, "<text>", "exec"), space := {"__name__": "nowhere"})
    assert asked(space["Net"]())[0] == "trained" == asked(space["Net"]())[0]
    assert "the source of nowhere.Net" in capsys.readouterr().err


def test_a_class_made_where_no_name_was_is_no_builtin(capsys):
    """Else other code by the same name would get the old result."""
    for source in (RELU, TANH):
        exec(compile(source, "<text>", "exec"), space := {})
        assert asked(space["Net"]())[0] == "trained"
        assert "Net was made by exec without a __name__" in capsys.readouterr().err
    assert all(map(is_builtin, (type(None), type(len), dict))) and not is_builtin(space["Net"])


def watched(steps, store, **watch):
    """A small run of one seed with a watch, kept in a store."""
    task, model = ModularTask(5, train_fraction=0.5), Shape(5, d_model=8)
    return gb.train(task, model, seeds=1, steps=steps, watch=watch, store=store, progress=False)


TABLES = {
    "a number": ("AFTER = 2", "AFTER", "AFTER = 20"),
    "a dictionary": ("AFTER = {'step': 2}", "AFTER['step']", "AFTER['step'] = 20"),
    "a list in a list": ("AFTER = [[2]]", "AFTER[0][0]", "AFTER[0][0] = 20"),
    "an array": ("import numpy as np\nAFTER = np.array([2])", "AFTER[0]", "AFTER[0] = 20"),
    "a set": ("AFTER = {2}", "max(AFTER)", "AFTER |= {20}"),
    "a class": ("class Rule:\n    after = 2", "Rule.after", "Rule.after = 20"),
    "a table of a class": ("class Rule:\n    at = {0: 2}", "Rule.at[0]", "Rule.at[0] = 20"),
}


@pytest.mark.parametrize("what", TABLES)
def test_a_table_that_acts_late_is_known_by_its_entries(written, tmp_path, what):
    """The probe's three updates do not reach what a table says of later steps."""
    table, after, change = TABLES[what]
    module = written(
        "own_table", f"{table}\n\ndef late(view):\n    return float(view.step > {after})\n"
    )

    def runs():
        return watched(40, tmp_path, late=module.late)

    assert [runs().attrs["origin"], runs().attrs["origin"]] == ["trained", "cached"]
    exec(change, vars(module))
    second = runs()
    assert second.attrs["origin"] == "trained"
    assert second.late.values.ravel().tolist() == (second.step.values > 20).tolist()


def test_a_table_that_own_code_fills_is_no_part_of_it(written, tmp_path):
    """A cache, or a count of calls, is another one after every run."""
    module = written(
        "own_cache",
        "SEEN = {}\nCALLS = []\n\nclass Count:\n    calls = 0\n\n"
        "def late(view):\n    SEEN[view.step] = 1\n    CALLS.append(view.step)\n"
        "    Count.calls += 1\n    return float(len(SEEN) > 0)\n",
    )
    origins = [watched(4, tmp_path, late=module.late).attrs["origin"] for _ in range(2)]
    assert origins == ["trained", "cached"] and module.Count.calls > 1


OPTIMISER = """
from dataclasses import dataclass
import contextlib
import torch

@contextlib.contextmanager
def quiet(by=1):
    yield

@dataclass(frozen=True)
class Plain:
    lr: float = 0.1

    def init(self, weights, shapes):
        return {{}}

    def numbers(self, step):
        return {{"lr": self.lr}}

    @{decorator}
    def update(self, weights, gradient, state, numbers, shapes):
        weights.sub_({gain} * numbers["lr"] * gradient)
"""
DECORATORS = [
    "torch.no_grad()",
    "quiet()",
]


def in_a_cell(source):
    """The class that a notebook's cell makes: its source is known by lines alone, its module has no
    file."""
    module = sys.modules["cells"] = ModuleType("cells")
    name = f"<cell {len(linecache.cache)}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    exec(compile(source, name, "exec"), vars(module))
    return module


@pytest.mark.parametrize("decorator", DECORATORS)
def test_a_decorated_optimiser_of_a_cell_is_kept_and_known_by_what_it_does(own_store, decorator):
    def origin(decorator, gain=1.0):
        optimiser = in_a_cell(OPTIMISER.format(decorator=decorator, gain=gain)).Plain()
        config = RunConfig(ModularTask(5), Shape(5, d_model=8), optimiser, 20)
        return load_or_run(Experiment("own/opt", config, (0,)), progress=False).attrs["origin"]

    assert [origin(decorator), origin(decorator)] == ["trained", "cached"]
    assert [origin(decorator, 2.0), origin("torch.enable_grad()")] == ["trained", "trained"]


def test_the_code_of_the_librarys_own_classes_is_its_version():
    config = RunConfig(AdditionTask(5), Toy(5), steps=10, loss="squared_error")
    assert code_behind(config.task, config.model, config.optimizer) == Code()
    assert "class" not in json.dumps(config.as_dict())


@dataclass(frozen=True)
class Wide(Toy):
    """A dataclass that only changes a default."""

    hidden: tuple[int, ...] = (3,)


def test_a_dataclass_that_inherits_from_the_library_is_the_readers_own(written):
    toys = [
        RunConfig(AdditionTask(5), toy, loss="squared_error")
        for toy in (Wide(5), Toy(5, hidden=(3,)))
    ]
    assert len({Experiment("own/net", toy).key for toy in toys}) == 2 and Wide(5).hidden == (3,)
    written("own", RELU)
    source = "from dataclasses import dataclass\nfrom own import Net\n\n@dataclass(frozen=True)\nclass Child(Net):\n"
    source += "    width: int = 6\n"
    first = kept_again(written("child", source).Child())
    written("own", TANH)
    assert kept_again(written("child", source).Child()) != first


CELLS = [
    "from grokbook.runs import Experiment, load_or_run\nfrom grokbook.tasks import ModularTask\n"
    "from grokbook.training import RunConfig, train\nimport torch\n"
    "def asked(model):\n"
    "    config = RunConfig(ModularTask(5, train_fraction=0.5), model, steps=20)\n"
    "    found = load_or_run(Experiment('own/net', config, seeds=(0,)), progress=False)\n"
    "    plain = train([config], device='cpu', progress=False)\n"
    "    assert float(found.test_loss.values[0, -1]) == float(plain.test_loss.values[0, -1])\n"
    "    print(found.attrs['origin'])",
    RELU,
    "asked(Net())\nasked(Net())",
    TANH,
    "asked(Net())\nasked(Net())",
    "def act(x):\n    return torch.relu(x)",
    net(call="act"),
    "asked(Net())\nasked(Net())",
    "def act(x):\n    return -x",
    "asked(Net())\nasked(Net())",
    "GAIN = 1.0\ndef act(x):\n    return GAIN * x",
    "asked(Net())\nasked(Net())",
    "GAIN = 2.0",
    "asked(Net())\nasked(Net())",
    "gain = 2.0\n" + net(more=", gain=gain", call="(lambda z: gain * z)"),
    "asked(Net())\nasked(Net())",
    "gain = 3.0",
    net(more=", gain=gain", call="(lambda z: gain * z)"),
    "asked(Net())\nasked(Net())",
    "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Wide(Net):\n    width: int = 6",
    "asked(Wide())\nasked(Wide())",
    "state = torch.Generator()\n" + net(call="(state is None or torch.relu)"),
    "asked(Net())\nasked(Net())",
]


def test_a_notebooks_cells_are_code_that_is_known_by_its_source(tmp_path):
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    said = [
        "".join(
            o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stdout"
        ).split()
        for cell in notebook.cells
        if cell.source.startswith("asked(")
    ]
    assert said == 10 * [["trained", "cached"]]


READS = """
import os
from pathlib import Path

{table}

def act(x):
    {call}
"""

STALE = {
    "a dictionary of the module": (
        "SCALE = {'by': 1.0}",
        "return SCALE['by'] * x.relu()",
        "SCALE['by'] = 2.0",
    ),
    "an array of the module": (
        "import numpy as np\nSCALE = np.ones(1)",
        "return float(SCALE[0]) * x.relu()",
        "SCALE[0] = 2.0",
    ),
    "a function of the module": (
        "import torch\nACT = torch.relu",
        "return ACT(x)",
        "ACT = torch.tanh",
    ),
    "a data file": (
        "FILE = Path(__file__).with_name('scale.txt')",
        "return (float(FILE.read_text()) if FILE.exists() else 1.0) * x.relu()",
        "FILE.write_text('2.0')",
    ),
    "a variable of the environment": (
        "",
        "return float(os.environ.get('SCALE_OF_A_TEST', 1)) * x.relu()",
        "os.environ['SCALE_OF_A_TEST'] = '2'",
    ),
    "a method that was replaced": (
        "class Held:\n    def scale(self):\n        return 1.0\nHELD = Held()",
        "return HELD.scale() * x.relu()",
        "Held.scale = lambda self: 2.0",
    ),
}


@pytest.mark.parametrize("what", STALE)
def test_what_own_code_reads_is_part_of_what_a_run_is_known_by(written, monkeypatch, what):
    """The seven ways to be served a stale result, and brothers: what is set afterwards is read
    anew, the rest found."""
    monkeypatch.setenv("SCALE_OF_A_TEST", "1")
    table, call, change = STALE[what]
    helper = written("read_by_own", READS.format(table=table, call=call))
    module = written("own_stale", net(head="from read_by_own import act", call="act"))
    run = made(module.Net())
    first = load_or_run(run, progress=False)
    assert load_or_run(run, progress=False).attrs["origin"] == "cached"
    exec(change, vars(helper))  # a change as a reader's next line makes it
    second = load_or_run(run, progress=False)
    assert second.attrs["origin"] == "trained"
    assert not np.array_equal(first.train_loss, second.train_loss)
    assert load_or_run(run, progress=False).attrs["origin"] == "cached"


def test_a_checkpoint_is_not_continued_where_own_code_computes_something_else(written, tmp_path):
    module = written(
        "own_scaled",
        net(head="SCALE = {'by': 1.0}\ndef act(x):\n    return SCALE['by'] * x.relu()", call="act"),
    )
    config = made(module.Net()).config
    train([config], steps=2, checkpoints=tmp_path, progress=False)
    module.SCALE["by"] = 2.0
    with pytest.warns(CheckpointWarning, match="belongs to another run"):
        resumed = train([config], checkpoints=tmp_path, progress=False)
    fresh = train([config], progress=False)
    assert np.array_equal(resumed.train_loss, fresh.train_loss)


def test_a_process_that_computes_something_else_is_refused(written, tmp_path):
    """A value set after its module was loaded does not travel to another process, which imports the
    module anew."""
    module = written(
        "own_set",
        net(head="SCALE = {'by': 1.0}\ndef act(x):\n    return SCALE['by'] * x.relu()", call="act"),
    )
    configs = [made(module.Net()).config.with_seed(seed) for seed in (0, 1)]
    train(configs, workers=2, progress=False)
    module.SCALE["by"] = 2.0
    with pytest.raises(TrainingError, match="was set after its module was loaded"):
        train(configs, workers=2, progress=False)
    train(configs, workers=1, progress=False)


def test_a_probe_is_the_same_in_another_call_and_another_number_of_threads():
    config = RunConfig(ModularTask(7, train_fraction=0.5), Shape(7, d_model=16), steps=20)
    first = probe(config)
    with limited_threads(2):
        assert probe(config) == first
    assert probe(config.with_seed(3)) == first  # seed 0 is probed, whichever is trained
    assert probe(replace(config, optimizer=AdamW(learning_rate=2e-3))) != first


def test_a_watch_of_the_library_is_no_code_of_a_readers_own():
    """Records of the chapters are watched by functions of the library, given arguments by
    `functools.partial` too."""
    config = RunConfig(ModularTask(7, train_fraction=0.5), Shape(7, d_model=16), steps=20)
    assert not code_and_probe(config, {"share": partial(unseen_share, stage="MLP 1")}).own
    assert code_and_probe(config, {"share": partial(np.add, 1)}).own
