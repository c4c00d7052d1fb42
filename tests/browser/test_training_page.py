"""The page that trains: its numbers are the library's, and it answers to hand, keyboard and
address."""

import dataclasses
import json

import numpy as np
import pytest
import torch

from companion.page import interactive, tables
from grokbook import measures
from grokbook.curves.delay import grok_time
from grokbook.errors import ParameterError
from grokbook.models.quadratic import Quadratic
from grokbook.models.transformer import Shape
from grokbook.tasks import ModularTask
from grokbook.training import Adam, AdamW, RunConfig, Schedule, Sgd, split_weights, train
from grokbook.training.losses import LOSSES
from grokbook.training.optim import Columns
from grokbook_chapters import training_page
from grokbook_chapters.training_page import ALT, NONE, configuration, settings
from visited import alone

STEPS = 100
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def computed(script_of):
    """Call a function of the script in a browser without WebAssembly, where all is float64:
    computed(name, list of argument lists)."""
    return script_of("training_page", before="window.WebAssembly = undefined;")


@pytest.fixture(scope="module")
def computed_by_program(script_of):
    """The same in a browser with it, where cells are float32."""
    return script_of("training_page")


NETWORKS = {
    "squares, squared error": (Quadratic(11, width=24), "squared_error", "uniform"),
    "squares, centred": (Quadratic(11, width=23), "centred_squared_error", "uniform"),
    "transformer": (Shape(7, d_model=16), "cross_entropy", "normal"),
}
OPTIMIZERS = {
    "AdamW": AdamW(3e-3, weight_decay=0.5),
    "Adam": Adam(3e-3, weight_decay=1e-3),
    "Sgd": Sgd(0.05, weight_decay=1e-3),
}


def configured(network, optimizer, split="random"):
    model, loss, start = NETWORKS[network]
    task = ModularTask(model.p, train_fraction=0.5, split=split, seed=3)
    log = Schedule(STEPS, 10)
    return RunConfig(
        task, model, OPTIMIZERS[optimizer], STEPS, log, 0, seed=5, start=start, loss=loss
    )


def in_doubles(config):
    """By the library in float64: weights by name at the end, the loss before each step, whether it
    fits there."""
    task = config.task
    optimizer = config.optimizer
    shapes = config.model.shapes()
    inputs = torch.as_tensor(task.inputs[task.train_index])
    targets = torch.as_tensor(task.targets[task.train_index])
    row = torch.cat(
        [part.flatten() for part in config.model.draw(config.seed, config.start).values()]
    ).double()
    state = optimizer.init(row[None], shapes)
    groups = getattr(config.model, "groups", dict)()
    numbers = Columns([optimizer], shapes, groups, row[None])
    losses = []
    fit = []
    for step in range(config.steps):
        row.requires_grad_(True)
        outputs = config.model.forward(split_weights(config, row), inputs)
        loss = LOSSES[config.loss].mean(outputs, targets)
        losses.append(loss.item())
        fit.append((outputs.argmax(1) == targets).double().mean().item() >= 0.95 - 1e-9)
        (slope,) = torch.autograd.grad(loss, row)
        row = row.detach()
        optimizer.update(row[None], slope[None], state, numbers(step), shapes)
    return split_weights(config, row), losses, fit


def of_script(computed, config):
    """The same run by the script: weights, losses of every step, what it shows at the end."""
    begun = config.model.draw(config.seed, config.start)
    flat = {name: part.flatten().tolist() for name, part in begun.items()}
    return computed(
        "trained", [[as_settings(config), flat, config.task.train_index.tolist(), config.steps]]
    )[0]


def as_settings(config):
    """What the script calls the settings of a run."""
    optimizer = dataclasses.asdict(config.optimizer)
    kind = "transformer" if isinstance(config.model, Shape) else "quadratic"
    named = {"model": kind, "p": config.model.p, "width": config.model.d_model, "loss": config.loss}
    return named | optimizer | {"optimizer": type(config.optimizer).__name__}


ON_ARRAYS = """([vectors, n, m, depth, given]) => {
  const { program, workspace } = window.GrokbookNetworks(vectors), first = [], second = [];
  for (let r = 0; r < n; r++) { first.push(r % 3); second.push(3 + (r % 2)); }
  const lengths = { X: n * depth, Y: n * m, rows: 5 * m, keep: m, bias: m, sum: n * m, square: n * m, out: n * m, first, second };
  const on = workspace(lengths, Math.max(m * depth, n * m));
  for (const name of ["X", "Y", "rows", "keep", "bias"]) on[name].set(given[name]);
  const found = { first, second, program: program !== null };
  const W = Float64Array.from(given.W), back = new Float64Array(depth * m);
  on.times(on.X, W, on.out, n, m, depth);
  found.times = Array.from(on.out);
  on.timesTurned(on.X, W, on.out, n, m, depth);
  found.timesTurned = Array.from(on.out);
  on.turnedTimes(on.X, on.Y, back, depth, m, n);
  found.turnedTimes = Array.from(back);
  on.squares(on.rows, on.first, on.second, on.keep, on.sum, on.square, n, m);
  Object.assign(found, { sum: Array.from(on.sum), square: Array.from(on.square) });
  on.rows.fill(0);
  on.scatter(on.rows, on.first, on.second, on.sum, on.Y, n, m);
  found.rows = Array.from(on.rows);
  on.out.set(on.Y);
  on.gate(on.out, on.sum, n * m);
  found.gated = Array.from(on.out);
  on.rectify(on.Y, on.bias, on.keep, n, m);
  found.rectified = Array.from(on.Y);
  return found;
}"""


@pytest.mark.parametrize("vectors", [True, False])
def test_what_a_pass_computes_is_what_numpy_computes(browser, vectors):
    """By the program and by the loops, for every shape modulo 4 and 8, of less than one block, and
    of more memory than a page of 64 KiB."""
    page = browser.new_page()
    page.add_script_tag(content=tables.script("training_page"))
    rng = np.random.default_rng(0)
    shapes = [(4 + k % 5, 8 + k, 1 + 7 * (k % 4)) for k in range(9)]
    for n, m, depth in [*shapes, (2, 3, 4), (5, 7, 6), (400, 128, 33)]:
        X, W, Y = rng.normal(size=(n, depth)), rng.normal(size=(depth, m)), rng.normal(size=(n, m))
        rows, bias = rng.normal(size=(5, m)), rng.normal(size=m)
        keep = (rng.random(m) < 0.7).astype(float)
        arrays = {"X": X, "W": W, "Y": Y, "rows": rows, "keep": keep, "bias": bias}
        flat = {name: part.ravel().tolist() for name, part in arrays.items()}
        found = page.evaluate(ON_ARRAYS, [vectors, n, m, depth, flat])
        assert found["program"] == vectors
        sums = (rows[found["first"]] + rows[found["second"]]) * keep
        gradient = np.zeros((5, m))
        np.add.at(gradient, found["first"], 2 * sums * Y)
        np.add.at(gradient, found["second"], 2 * sums * Y)
        wanted = {
            "times": X @ W,
            "timesTurned": X @ W.reshape(m, depth).T,
            "turnedTimes": X.T @ Y,
            "sum": sums,
            "square": sums**2,
            "rows": gradient,
            "gated": np.where(sums > 0, Y, 0),
            "rectified": np.maximum(Y + bias, 0) * keep,
        }
        rounding = 2e-6 if vectors else 1e-12
        for name, values in wanted.items():
            bound = rounding * np.abs(values).max()
            np.testing.assert_allclose(
                found[name], values.ravel(), rtol=0, atol=bound, err_msg=name
            )
    page.close()


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("network", NETWORKS)
def test_weights_after_a_hundred_steps_are_the_librarys(computed, network, optimizer):
    """Both compute in float64, so they agree to rounding."""
    config = configured(network, optimizer)
    found = of_script(computed, config)["weights"]
    for name, part in in_doubles(config)[0].items():
        np.testing.assert_allclose(
            found[name], part.flatten().numpy(), rtol=0, atol=1e-7, err_msg=name
        )


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("network", NETWORKS)
def test_the_program_trains_the_same_network_up_to_rounding(
    computed, computed_by_program, network, optimizer
):
    config = configured(network, optimizer)
    exact = of_script(computed, config)
    found = of_script(computed_by_program, config)
    assert found["losses"] != exact["losses"]
    np.testing.assert_allclose(found["losses"], exact["losses"], rtol=1e-4)
    for name, part in exact["weights"].items():
        np.testing.assert_allclose(found["weights"][name], part, rtol=0, atol=1e-4, err_msg=name)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("network", NETWORKS)
def test_what_is_logged_is_what_training_logs(computed, network, optimizer):
    """Against `train`, which computes in float32."""
    config = configured(network, optimizer, "symmetric")
    found = of_script(computed, config)
    run = train([config], progress=False).isel(run=0)
    assert np.allclose(found["losses"][::10], run.train_loss[:-1], rtol=1e-3, atol=1e-4)
    now = found["look"]
    last = run.isel(step=-1)
    assert now["test_loss"] == pytest.approx(float(last.test_loss), rel=1e-3)
    assert now["train_loss"] == pytest.approx(float(last.train_loss), rel=1e-2, abs=1e-4)
    cell = 1.5 / config.model.p**2
    for name, told in (("train", "train_accuracy"), ("test", "test_accuracy")):
        assert now[name] == pytest.approx(float(last[told]), abs=3 * cell)
    assert now["mirrored"] is None and now["unseen"] == now["test"]


@pytest.mark.parametrize("network", NETWORKS)
def test_what_is_read_off_the_weights_is_what_the_library_measures(computed, network):
    """MED, and |P (Y - F V) V^T| (Tian 2025, G_F); with cross entropy the softmax stands for F
    V."""
    config = configured(network, "Adam")
    found = of_script(computed, config)
    weights = in_doubles(config)[0]
    p = config.model.p
    task = config.task
    now = found["look"]
    table = weights["W_E"][:p].numpy()
    assert now["med"] == pytest.approx(measures.med(table), abs=1e-7)
    outputs = config.model.forward(weights, torch.as_tensor(task.inputs))
    assert [bool(x) for x in now["right"]] == (outputs.argmax(1).numpy() == task.targets).tolist()
    said = outputs.softmax(1) if config.loss == "cross_entropy" else outputs
    rest = (np.eye(p)[task.targets] - said.numpy())[task.train_index]
    gradient = (rest - rest.mean(0)) @ weights["W_U"].numpy()
    assert now["feature_gradient"] == pytest.approx(np.linalg.norm(gradient), rel=1e-6)


INTERVENTIONS = {
    "embedding frozen": {"freeze": "start"},
    "embedding frozen once fitted": {"freeze": "fitted"},
    "norm held": {"hold": "start"},
    "norm held once fitted": {"hold": "fitted"},
    "norm held, embedding frozen later": {"hold": "start", "freeze": "fitted"},
    "embedding frozen, norm held later": {"hold": "fitted", "freeze": "start"},
    "temperature": {"temperature": 2.5},
    "decay on the embedding": {"decay_hidden": 0, "decay_output": 0},
    "decay on the output": {"decay_embedding": 0, "decay_hidden": 0},
    "decay on hidden weights": {"decay_embedding": 0, "decay_output": 0},
    "all": {"freeze": "fitted", "hold": "fitted", "temperature": 0.5, "decay_output": 0},
}
TAUGHT = {  # small, and fitted within the steps
    "quadratic": {"p": 11, "width": 32, "train_fraction": 0.5, "learning_rate": 0.02},
    "transformer": {"p": 7, "width": 16, "train_fraction": 0.6, "learning_rate": 0.02},
}


def fitted_by_script(computed, given):
    """A run by the script with settings of a page, started as the library starts it; and the
    library's run."""
    config = configuration(given, fitted=given["steps"])
    flat = {
        name: part.flatten().tolist()
        for name, part in config.model.draw(config.seed, config.start).items()
    }
    found = computed("trained", [[given, flat, config.task.train_index.tolist(), config.steps]])[0]
    at = found["look"]["fitted"]
    return found, configuration(given, fitted=given["steps"] if at is None else at)


BY_OPTIMIZER = [
    (kind, name)
    for kind in INTERVENTIONS
    for name in OPTIMIZERS
    if "decay" in kind or name == "Adam"
]
BY_OPTIMIZER += [("all", "AdamW"), ("all", "Sgd")]


@pytest.mark.parametrize("model", TAUGHT)
@pytest.mark.parametrize(("kind", "optimizer"), BY_OPTIMIZER)
def test_an_intervention_is_the_librarys(computed, kind, model, optimizer):
    """Hooks `Freeze` and `Hold`, `Tempered`, decay by groups: losses, weights, and the step from
    which it acts."""
    rates = {
        "AdamW": {"weight_decay": 0.5},
        "Adam": {"weight_decay": 1e-3},
        "Sgd": {"learning_rate": 0.05},
    }[optimizer]
    given = settings(
        model, **TAUGHT[model] | {"steps": 60, "optimizer": optimizer} | rates | INTERVENTIONS[kind]
    )
    found, config = fitted_by_script(computed, given)
    weights, losses, fit = in_doubles(config)
    np.testing.assert_allclose(found["losses"], losses, rtol=1e-7)
    for name, part in weights.items():
        np.testing.assert_allclose(
            found["weights"][name], part.flatten().numpy(), rtol=0, atol=1e-7, err_msg=name
        )
    if "fitted" in INTERVENTIONS[kind].values():
        assert found["look"]["fitted"] == (fit.index(True) if any(fit) else None)


@pytest.mark.parametrize("model", TAUGHT)
def test_each_intervention_changes_the_run_and_none_leaves_every_number(computed, model):
    """Bit for bit; the runs are fitted on the way, so that what begins there begins."""
    given = settings(
        model, **TAUGHT[model] | {"steps": 60, "weight_decay": 1e-3, "optimizer": "Adam"}
    )
    plain = fitted_by_script(computed, given)[0]["losses"]
    bare = {name: value for name, value in given.items() if name not in NONE}
    config = configuration(given)
    flat = {
        name: part.flatten().tolist()
        for name, part in config.model.draw(config.seed, config.start).items()
    }
    assert (
        computed("trained", [[bare, flat, config.task.train_index.tolist(), 60]])[0]["losses"]
        == plain
    )
    for kind, changes in INTERVENTIONS.items():
        assert fitted_by_script(computed, given | changes)[0]["losses"] != plain, kind


@pytest.mark.parametrize("network", NETWORKS)
def test_a_dropped_neuron_takes_no_part(computed, network):
    """Without some neurons the rest trains as a network in which what they add was zero from the
    start (no decay)."""
    config = dataclasses.replace(configured(network, "Sgd"), optimizer=Sgd(0.05))
    begun = config.model.draw(config.seed, config.start)
    silent = {name: part.clone() for name, part in begun.items()}
    out = [5, 6, 7, 8]
    zero = (
        [name for name in ("W_U", "W_E") if name in silent]
        if "squares" in network
        else ["W_in.0", "W_out.0"]
    )
    for name in zero:
        part = silent[name]
        part[out if name == "W_in.0" else (slice(None), out)] = 0
    cells = config.task.train_index.tolist()

    def flat(w):
        return {n: part.flatten().tolist() for n, part in w.items()}

    calls = [
        [as_settings(config), flat(w), cells, 30, off]
        for w, off in ((begun, out), (silent, []), (begun, []))
    ]
    dropped, without, whole = computed("trained", calls)
    assert np.allclose(dropped["losses"], without["losses"], rtol=1e-12)
    assert dropped["losses"] != whole["losses"]


def test_the_spectrum_is_that_of_each_neuron_in_falling_order(computed):
    """Against the Fourier transform of what each neuron adds for the first operand and for the
    second."""
    config = configured("squares, squared error", "Adam")
    found = of_script(computed, config)
    p = config.model.p
    both = np.array(found["weights"]["W_E"]).reshape(2, p, -1)
    power = (np.abs(np.fft.rfft(both, axis=1)[:, 1:]) ** 2).sum(axis=0)
    ranked = np.sort(power, axis=0)[::-1].sum(axis=1)
    assert np.allclose(found["ranks"], ranked / ranked.sum())
    assert [clock[0] - 1 for clock in found["clocks"]] == power.argmax(axis=0).tolist()


def test_the_numbers_stand_on_the_strongest_circle_of_the_first_layer(computed):
    """Frequency and share by the Fourier transform of the table; the places are its projection on
    an orthonormal pair of directions that spans the cosine and the sine sums."""
    config = configured("squares, squared error", "Adam")
    found = of_script(computed, config)
    p = config.model.p
    table = np.array(found["weights"]["W_E"]).reshape(2, p, -1)[0]
    sums = np.fft.rfft(table, axis=0)[1:]
    power = (np.abs(sums) ** 2).sum(axis=1)
    strongest = int(power.argmax())
    assert found["ring"]["frequency"] == strongest + 1
    assert found["ring"]["share"] == pytest.approx(power[strongest] / power.sum())
    plane = np.stack([sums[strongest].real, sums[strongest].imag])
    projector = np.linalg.pinv(plane) @ plane
    points = np.array(found["ring"]["points"])
    np.testing.assert_allclose(points @ points.T, table @ projector @ table.T, atol=1e-9)


def test_numbers_on_a_circle_are_drawn_on_one(computed):
    """A table of cosines and sines of one frequency, before any step: one radius, equal angles, all
    of the power."""
    config = configured("squares, squared error", "Adam")
    p, width = config.model.p, config.model.d_model
    angle = 2 * np.pi * 3 * np.arange(p) / p
    table = np.zeros((2 * p, width))
    table[:p, 4], table[:p, 9] = np.cos(angle), np.sin(angle)
    flat = {"W_E": table.ravel().tolist(), "W_U": np.ones(p * width).tolist()}
    settings_of = as_settings(config)
    found = computed("trained", [[settings_of, flat, config.task.train_index.tolist(), 0]])[0]
    points = np.array(found["ring"]["points"])
    assert found["ring"]["frequency"] == 3
    assert found["ring"]["share"] == pytest.approx(1)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1)
    turned = np.unwrap(np.arctan2(points[:, 1], points[:, 0]))
    np.testing.assert_allclose(np.abs(np.diff(turned)), 2 * np.pi * 3 / p)


HANDED = """(settings) => {
  const core = window.GrokbookTrainer(window.GrokbookNetworks()), begun = {};
  for (const given of ["nothing", "half", "finished", "shuffled"]) {
    const run = core.start({ ...settings, given }), curve = [core.look(run)];
    begun[given] = { table: Array.from(run.w.W_E), head: Array.from(run.w.W_U), cells: run.cells, tables: {} };
    while (run.step < settings.steps) {
      run.advance();
      if (!core.logged(run.step)) continue;
      curve.push(core.look(run));
      if (given === "nothing") begun[given].tables[run.step] = Array.from(run.w.W_E);
    }
    [begun[given].fit, begun[given].rule] = ["train", "test"].map((name) => core.reached(curve, name));
  }
  return begun;
}"""


def test_a_first_layer_is_that_of_the_same_run_half_way_or_where_it_has_the_rule(browser):
    """The rest is drawn anew, the pairs are the same; what is shuffled has the rows of each operand
    in one other order; and what is handed over shortens the wait."""
    given = settings(width=64, train_fraction=0.6, split="symmetric", steps=700, seed=1)
    page = browser.new_page()
    page.add_script_tag(content=tables.script("training_page"))
    found = page.evaluate(HANDED, given)
    page.close()
    free = found["nothing"]
    assert free["fit"] < free["rule"] <= 700
    layers = {int(step): np.array(table) for step, table in free["tables"].items()}
    middle = max(step for step in layers if step <= (free["fit"] + free["rule"]) / 2)
    for name, step in (("half", middle), ("finished", free["rule"])):
        np.testing.assert_array_equal(found[name]["table"], layers[step])
    for name in ("half", "finished", "shuffled"):
        assert found[name]["cells"] == free["cells"]
        assert found[name]["head"] != free["head"]
        assert found[name]["head"] == found["half"]["head"]
    finished = layers[free["rule"]].reshape(2, 23, 64)
    shuffled = np.array(found["shuffled"]["table"]).reshape(2, 23, 64)
    order = [int(np.flatnonzero((finished[0] == row).all(axis=1))[0]) for row in shuffled[0]]
    assert sorted(order) == list(range(23)) != order
    np.testing.assert_array_equal(shuffled, finished[:, order])
    waits = {name: one["rule"] - one["fit"] for name, one in found.items()}
    assert waits["finished"] < waits["half"] < waits["nothing"]


def test_a_run_reaches_when_the_library_says_so(computed):
    """`grok_time`, on curves that hold, that fall back within three points, that end too early,
    that never rise."""
    steps = np.arange(10) * 10
    curves = np.zeros((4, 10))
    curves[0, 4:] = 0.96
    curves[1, [2, 3, 5, 6, 7, 8]] = 0.95
    curves[2, 7:] = 1
    points = [
        [{"step": int(s), "test": float(v)} for s, v in zip(steps, curve, strict=True)]
        for curve in curves
    ]
    found = computed("reached", [[curve, "test"] for curve in points])
    assert (
        found
        == [grok_time(steps, curve, curve).grok_step for curve in curves]
        == [40, 50, None, None]
    )


# ---------------------------------------------------------------------------- the page in a browser


SETTINGS = "JSON.parse(document.getElementById('fig-train-area').dataset.settings)"
SMALL = {"p": 7, "width": 16, "train_fraction": 0.6, "steps": 40, "n_seeds": 2}


@pytest.fixture
def figure(opened_at, tmp_path_factory):
    """The page alone in a file, with small settings; `part` follows its address."""
    body = interactive.markup("training_page", "fig-train", ALT, settings(**SMALL))
    file = alone(tmp_path_factory.mktemp("train"), body)
    return lambda part="", **options: opened_at(file.as_uri() + part, **options)


def state(page, key):
    return json.loads(page.locator("#fig-train-area").get_attribute(f"data-{key}"))


def press(page, name):
    page.locator(f"#fig-train-area button[data-act='{name}']").click()


def unfold(page, open=True):
    page.evaluate(
        "open => document.querySelectorAll('#fig-train-area details').forEach(e => { e.open = open; })",
        open,
    )


def run_to_the_end(page):
    press(page, "train")
    page.wait_for_function("document.getElementById('fig-train-area').dataset.over === 'true'")
    page.wait_for_function("document.getElementById('fig-train-area').dataset.going === 'false'")
    return {
        key: state(page, key)
        for key in ("step", "train", "test", "keep", "med", "gradient", "loss")
    }


def choose(page, name, value):
    field = page.locator(f"#fig-train-area-{name}")
    field.evaluate(
        "(e, value) => { e.value = value; e.dispatchEvent(new Event('change')); }", str(value)
    )


def test_a_run_ends_where_the_script_says_and_a_link_repeats_it_with_dropped_neurons(
    figure, computed
):
    page = figure()
    unfold(page)
    for _ in range(3):
        press(page, "step")
    page.wait_for_function("document.getElementById('fig-train-area').dataset.step === '3'")
    unfold(page)
    page.locator("#fig-train-area button[data-unit='5']").click()
    page.wait_for_function(
        "JSON.parse(document.getElementById('fig-train-area').dataset.keep)[5] === 0"
    )
    first = run_to_the_end(page)
    link = page.locator(".gb-link").get_attribute("href")
    assert first["step"] == SMALL["steps"] and first["keep"][5] == 0 and "drops=0.5.3.0" in link
    again = figure(link)
    again.wait_for_function("document.getElementById('fig-train-area').dataset.over === 'true'")
    assert {key: state(again, key) for key in first} == first
    found = computed("fromAddress", [["fig-train-area", link]])[0]
    assert found["settings"] == state(page, "settings")
    assert found["drops"] == [{"seed": 0, "unit": 5, "step": 3, "on": False}]
    asked = [url for url in page.seen["requests"][1:] if not url.startswith("blob:")]
    assert (page.seen["errors"], page.seen["failed"], asked) == ([], [], [])


def test_every_setting_starts_the_run_again(figure):
    page = figure()
    unfold(page)
    press(page, "reset")
    run_to_the_end(page)
    for name, value in [
        ("seed", 4),
        ("split", "symmetric"),
        ("train_fraction", 0.5),
        ("weight_decay", 0.1),
        ("learning_rate", 0.01),
        ("optimizer", "Sgd"),
        ("n_seeds", 3),
    ]:
        choose(page, name, value)
        page.wait_for_function(f"{SETTINGS}.{name} === {json.dumps(value)}")
        assert state(page, "step") == 0
    assert page.locator("#fig-train-area button[data-seed]").count() == 3
    choose(page, "model", "transformer")
    page.wait_for_function(f"{SETTINGS}.model === 'transformer'")
    now = state(page, "settings")
    assert (now["loss"], now["optimizer"], now["width"]) == ("cross_entropy", "AdamW", 32)
    press(page, "reset")
    page.wait_for_function(f"{SETTINGS}.model === 'quadratic'")
    assert page.seen["errors"] == []


def test_the_keyboard_reaches_every_neuron_by_one_stop(figure):
    page = figure()
    unfold(page)
    press(page, "reset")
    clocks = page.locator("#fig-train-area .gb-clocks button")
    assert (clocks.count(), page.locator(".gb-clocks button[tabindex='0']").count()) == (
        SMALL["width"],
        1,
    )
    clocks.first.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight", "Space"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.dataset.unit") == "2"
    page.wait_for_function(
        "JSON.parse(document.getElementById('fig-train-area').dataset.keep)[2] === 0"
    )
    assert clocks.nth(2).get_attribute("aria-pressed") == "true"
    assert clocks.nth(2).get_attribute("aria-label").startswith("drop neuron 2: frequency ")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_scrolls_only_down_and_neurons_can_be_hit(figure, scheme):
    """WCAG 2.2, 2.5.8: targets of at least 24 pixels."""
    page = figure(width=390, scheme=scheme, has_touch=True, is_mobile=True)
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    boxes = page.locator("#fig-train-area button:visible").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).map(b => Math.min(b.width, b.height))"
    )
    assert min(boxes) >= 24


@pytest.mark.parametrize("width", [1280, 390])
def test_no_choice_of_a_list_is_cut(figure, width):
    """Each option as wide as its text, beside the arrow of its list."""
    page = figure(width=width)
    unfold(page)
    cut = """() => [...document.querySelectorAll('select')].flatMap(select => {
      const pen = document.createElement('canvas').getContext('2d'), look = getComputedStyle(select);
      pen.font = `${look.fontSize} ${look.fontFamily}`;
      return [...select.options].map(o => o.text).filter(text => pen.measureText(text).width > select.clientWidth - 30);
    })"""
    assert page.evaluate(cut) == []


def test_dragging_through_a_run_shows_the_table_that_a_run_to_that_step_has(figure):
    """By the slider and by a pointer over the curves; at its end it shows the run as it is."""
    seen = """() => [document.querySelector('.gb-said').innerText, document.querySelector('canvas').toDataURL()]"""
    short = figure()
    whole = figure()
    unfold(short)
    for _ in range(6):
        press(short, "step")
    short.wait_for_function("document.querySelector('.gb-said').innerText.includes('Step 6:')")
    run_to_the_end(whole)
    time = whole.locator("#fig-train-area-time")
    end = whole.evaluate(seen)
    time.fill("0.78")  # log10 of 6
    whole.wait_for_function("document.querySelector('.gb-said').innerText.includes('Step 6:')")
    assert whole.evaluate(seen) == short.evaluate(seen) != end
    box = whole.locator(".gb-both svg").bounding_box()
    whole.mouse.move(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2)
    whole.wait_for_function("document.querySelector('.gb-said').innerText.includes('Step 40:')")
    assert whole.evaluate(seen) == end and float(time.input_value()) == pytest.approx(
        float(time.get_attribute("max"))
    )


def test_two_runs_of_one_seed_stand_beside_each_other_and_a_link_repeats_them(figure):
    """The run without has the numbers of a page on which nothing was switched on."""
    page = figure()
    unfold(page)
    press(page, "reset")
    plain = run_to_the_end(page)
    page.locator("#fig-train-area-beside").check()
    choose(page, "freeze", "start")
    page.wait_for_function(f"{SETTINGS}.freeze === 'start' && {SETTINGS}.beside === 1")
    page.wait_for_function("document.getElementById('fig-train-area').dataset.over === 'true'")
    said = page.locator(".gb-said").inner_text()
    assert (
        said.startswith("With. Step 40, embedding frozen from the start:")
        and state(page, "med") != plain["med"]
    )
    med = state(page, "med")
    link = page.locator(".gb-link").get_attribute("href")
    page.locator("#fig-train-area button[data-seed='1']").click()
    page.wait_for_function(
        "document.querySelector('.gb-said').innerText.startsWith('Without. Step 40:')"
    )
    assert {key: state(page, key) for key in ("train", "test", "med", "loss")} == {
        key: plain[key] for key in ("train", "test", "med", "loss")
    }
    assert (
        page.locator("#fig-train-area path.beside").count() > 0
        and "freeze=start" in link
        and "hold" not in link
    )
    again = figure(link)
    again.wait_for_function("document.getElementById('fig-train-area').dataset.over === 'true'")
    assert (state(again, "med"), page.seen["errors"]) == (med, [])


@pytest.mark.parametrize("width", [1280, 390])
def test_the_interventions_answer_to_the_keyboard_and_can_be_hit(figure, width):
    """WCAG 2.2, 2.5.8: targets of at least 24 pixels; the box for weights that the network does not
    have is off."""
    page = figure(width=width)
    unfold(page)
    press(page, "reset")
    page.wait_for_function(f"{SETTINGS}.temperature === 1")
    slider = page.locator("#fig-train-area-temperature")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{SETTINGS}.temperature === 1.1")
    assert "1.1" in page.locator("label[for='fig-train-area-temperature']").inner_text()
    page.locator("#fig-train-area-decay_output").focus()
    page.keyboard.press("Space")
    page.wait_for_function(f"{SETTINGS}.decay_output === 0")
    page.wait_for_function(
        "document.querySelector('.gb-said').innerText.includes('decay on embedding alone, T = 1.1')"
    )
    assert page.locator("#fig-train-area-decay_hidden").is_disabled()
    boxes = page.locator("#fig-train-area :is(input, select):visible").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).map(b => Math.min(b.width, b.height))"
    )
    assert min(boxes) >= 24 and page.evaluate("document.documentElement.scrollWidth") <= width
    press(page, "reset")


def test_one_button_takes_the_weight_decay_away_and_gives_it_back_beside_the_curve_of_before(
    figure,
):
    page = figure()
    unfold(page)
    press(page, "reset")
    run_to_the_end(page)
    for decay in (0, settings(**SMALL)["weight_decay"]):
        press(page, "decay")
        page.wait_for_function(f"{SETTINGS}.weight_decay === {decay}")
        page.wait_for_function("document.getElementById('fig-train-area').dataset.over === 'true'")
        assert ("no weight decay" in page.locator(".gb-said").inner_text()) == (decay == 0)
        assert page.locator("#fig-train-area path.before").count() == 1


def test_a_run_that_is_left_early_is_drawn_whole_behind_the_next_and_the_same_again_does_not_replace_it(
    figure,
):
    page = figure()
    before = "document.querySelector('#fig-train-area path.before')?.getAttribute('d')"
    unfold(page)
    press(page, "reset")
    press(page, "train")
    page.wait_for_function("document.getElementById('fig-train-area').dataset.step > 2")
    press(page, "decay")
    # it reaches the right end of the chart
    page.wait_for_function(f"{before}?.split('L').at(-1).startsWith('228.0 ')")
    whole = page.evaluate(before)
    press(page, "again")
    run_to_the_end(page)
    assert page.evaluate(before) == whole
    assert page.seen["errors"] == []


# ----------------------------------------------------------------------------------------- settings


@pytest.mark.parametrize("model", ["quadratic", "transformer"])
def test_both_sides_have_the_same_usual_settings(computed, model):
    found = computed("settled", [[{"model": model}]])[0]
    assert {name: found[name] for name in settings(model)} == settings(model)


def test_what_an_address_says_is_put_in_range(computed):
    wild = {
        "model": "other",
        "p": 1000,
        "width": -3,
        "train_fraction": 7,
        "seed": 1.4,
        "steps": "x",
        "optimizer": "Z",
    }
    found = computed("settled", [[wild]])[0]
    seen = [
        found[name]
        for name in ("model", "p", "width", "train_fraction", "seed", "steps", "optimizer")
    ]
    assert seen == ["quadratic", 59, 16, 0.95, 1, 3000, "Adam"]


def test_an_intervention_once_fitted_needs_the_step():
    with pytest.raises(ParameterError, match="needs the step"):
        configuration(settings(freeze="fitted"))


def test_a_given_first_layer_is_trained_by_the_page_alone():
    with pytest.raises(ParameterError, match="HandedOver"):
        configuration(settings(given="half"))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"model": "mlp"}, "unknown"), ({"p": 61}, "too large"), ({"speed": 2}, "no setting")],
)
def test_what_a_page_cannot_train_is_refused(wrong, words):
    with pytest.raises(ParameterError, match=words):
        settings(**wrong)


def test_a_chapter_opens_it_in_one_line(monkeypatch):
    seen = []
    monkeypatch.setattr(training_page, "interactive", lambda *found: seen.append(found))
    monkeypatch.setattr(training_page, "load_or_run", lambda e: e.run(progress=False))
    training_page.training_page("fig-try", caption="Look.", **SMALL)
    script, name, caption, _, options, picture = seen[0]
    assert (script, name, options) == (
        "training_page",
        "fig-try",
        settings(**SMALL) | {"begin": False, "story": False},
    )
    assert caption.startswith("Look. The two-layer network") and "modulo 7 from 60 % of" in caption
    assert [len(ax.lines) for ax in picture.axes] == [0, 2]
