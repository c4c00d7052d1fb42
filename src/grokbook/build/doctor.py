"""Is this installation able to build the book? One check a function, each with how to mend what it finds."""

from __future__ import annotations

import importlib
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from grokbook.build.browser import chromium_path
from grokbook.errors import GrokbookError
from grokbook.files import temporary_folder
from grokbook.paths import INSTALLED, records_path
from grokbook.project import described

if TYPE_CHECKING:
    from grokbook.training import RunConfig

FREE_DISK_GB = 2.0

TRAIN = f"from {__name__} import train_each_kind; train_each_kind(sys.argv[1])"
"""What the process that tries the networks runs; it writes to a file of its own, as anything may print."""


@dataclass(frozen=True)
class Finding:
    """The result of one check; `mend` says what to do when it is not `ok`."""

    name: str
    ok: bool
    text: str
    mend: str = ""
    needed: bool = True


def examine(root: Path) -> Iterator[Finding]:
    """Run every check in turn; one that fails on the way is a finding, not an end."""
    for check in CHECKS:
        try:
            yield check(root)
        except Exception as error:
            name = check.__name__.replace("_", " ")
            yield Finding(name, False, f"{type(error).__name__}: {error}", "see the message")


def python_version(root: Path) -> Finding:
    """Python is new enough."""
    least = tuple(map(int, re.findall(r"\d+", _declared(root)[0])[:2]))
    text = ".".join(map(str, sys.version_info[:3]))
    mend = f"install Python {'.'.join(map(str, least))} or newer"
    return Finding("python", sys.version_info >= least, text, mend)


def _declared(root: Path) -> tuple[str, list[str]]:
    """The range of Python and the packages that the checkout asks for, without one those of the installed library."""
    if project := described(root):
        extra = project.get("optional-dependencies", {}).get("book", [])
        return project.get("requires-python", ""), [*project.get("dependencies", []), *extra]
    about = metadata.metadata("grokbook")
    lines = [line.partition(";") for line in about.get_all("Requires-Dist") or ()]
    return about["Requires-Python"], [name for name, _, marker in lines if "extra" not in marker or "book" in marker]


def packages(root: Path) -> Finding:
    """Every package of the project and of its extra `book` is installed in an allowed version."""
    from packaging.requirements import Requirement

    wanted, wrong = _declared(root)[1], []
    for one in map(Requirement, wanted):
        have = _have(one.name)
        if have is None or not one.specifier.contains(have, prereleases=True):
            wrong.append(f"{one.name} {f'{have} is not {one.specifier}' if have else 'is missing'}")
    text = f"{len(wanted)} packages in range" if not wrong else "; ".join(wrong)
    return Finding("packages", not wrong, text, "pip install -c constraints.txt -e '.[book]'")


def pinned_versions(root: Path) -> Finding:
    """The versions are those that continuous integration runs with; others may work too."""
    file = root / "constraints.txt"
    if not file.exists():
        return Finding("pinned versions", True, "no constraints.txt here", needed=False)
    pins = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;#]+)", file.read_text("utf-8"), re.MULTILINE)
    found = [(name, (_have(name) or pin).partition("+")[0], pin) for name, pin in pins]
    different = [f"{name} {have} (pinned {pin})" for name, have, pin in found if have != pin]
    text = f"{len(pins)} pins" + (f", {len(different)} differ: {', '.join(different[:4])}" if different else " match")
    return Finding("pinned versions", not different, text, "pip install -c constraints.txt -e '.[book]'", needed=False)


def _have(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def kinds() -> dict[str, RunConfig]:
    """A tiny training of each kind of network, by name."""
    import torch

    from grokbook.models.mlp import MLP, EmbeddingMLP, QuadraticMLP
    from grokbook.models.resnet import ResNet
    from grokbook.models.toy import Toy
    from grokbook.models.transformer import Shape
    from grokbook.tasks.addition import AdditionTask
    from grokbook.tasks.arithmetic import ModularTask
    from grokbook.tasks.digits import DigitsTask
    from grokbook.tasks.shapes import ShapeTask
    from grokbook.training import AdamW, RunConfig

    run, pairs, fast = RunConfig, ModularTask(7, train_fraction=0.5), AdamW(1e-2)
    sums, digits, shapes = AdditionTask(5, 0.5), DigitsTask(50), ShapeTask(3, tile=12)
    side = shapes.show(torch.from_numpy(shapes.inputs[:1])).shape[-1]
    return {
        "transformer": run(pairs, Shape(7, d_model=8), fast, 6),
        "transformer, bfloat16": run(pairs, Shape(7, d_model=8), fast, 6, dtype="bfloat16"),
        "embedding MLP": run(pairs, EmbeddingMLP(7, d_model=8, width=16), fast, 6),
        "quadratic MLP": run(pairs, QuadraticMLP(7, width=16), fast, 6, loss="squared_error"),
        "toy": run(sums, Toy(5, hidden=(16,)), fast, 6, loss="squared_error"),
        "MLP": run(digits, MLP((64, 16, 10)), fast, 6),
        "ResNet": run(shapes, ResNet(shapes.outputs, 4, "small", 1, side), fast, 6, batch_size=8),
    }


def train_each_kind(trained: str) -> None:
    """Train every one of `kinds` and write its name to a file; ends with an error where a loss does not come down."""
    import torch

    from grokbook.training import train

    torch.set_num_threads(1)
    for name, config in kinds().items():
        loss = train([config], device="cpu", progress=False).train_loss.values.ravel()
        if not loss[-1] < loss[0]:
            raise SystemExit(f"{name}: the loss goes from {loss[0]:.3g} to {loss[-1]:.3g}")
        with open(trained, "a", encoding="utf-8") as file:
            print(name, file=file)


def networks_train(root: Path) -> Finding:
    """Each kind of network trains, in a process of its own: on some processors a library's program for them crashes."""
    import torch

    said = f"torch {torch.__version__} on {processor()}"
    with temporary_folder() as folder:
        trained = folder / "trained"
        trained.touch()
        try:
            command = [sys.executable, "-P", "-c", f"import sys; {TRAIN}", str(trained)]
            done = subprocess.run(command, capture_output=True, timeout=300)
            why = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"signal {-done.returncode}"]
            ended = "" if done.returncode == 0 else why[0]
        except subprocess.TimeoutExpired:
            ended = "it does not end"
        those = ", ".join(trained.read_text(encoding="utf-8").splitlines()) or "none"
    text = f"{said}; it ended after {those}: {ended}" if ended else f"{said}: {those}"
    return Finding("networks train", not ended, text, "reinstall torch, or set ONEDNN_MAX_CPU_ISA=AVX")


def processor() -> str:
    """The GPU or processor by its name, with the widest instructions that torch uses.

    Example:
        >>> " (" in processor()
        True
    """
    import torch

    if torch.cuda.is_available():
        return torch.cuda.get_device_name()
    info = Path("/proc/cpuinfo")
    said = info.read_text("utf-8", "replace") if info.is_file() else ""
    names = re.findall(r"^model name\s*: (.*)$", said, re.MULTILINE)
    return f"{names[0] if names else platform.machine()} ({torch.backends.cpu.get_cpu_capability()})"


def kernel_starts(root: Path) -> Finding:
    """A notebook kernel of this interpreter runs a cell."""
    import nbformat
    import papermill

    from grokbook.build.kernel import Kernels

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import sys; print(sys.executable)")])
    with temporary_folder() as folder, Kernels().options(folder, {}) as options:
        named = {"kernel_name": "grokbook", "language": "python", "progress_bar": False}
        done = papermill.execute_notebook(notebook, None, **named, **options)
    ours = done.cells[0].outputs[0].text.strip() == sys.executable
    return Finding("kernel starts", ours, sys.executable, "pip install -c constraints.txt -e '.[book]'")


def book_tools(root: Path) -> Finding:
    """Jupyter Book and its extensions can be imported."""
    for name in ("jupyter_book", "sphinx", "myst_nb", "sphinx_book_theme", "sphinx_proof", "sphinx_exercise"):
        importlib.import_module(name)
    return Finding("book tools", True, f"Jupyter Book {metadata.version('jupyter-book')}")


def mathjax(root: Path) -> Finding:
    """MathJax is here, with fonts and extensions."""
    from grokbook.build.site import MATHJAX_PARTS, mathjax_folder

    folder = mathjax_folder()
    absent = [name for name in MATHJAX_PARTS if not (folder / name).exists()]
    text = f"{len(absent)} parts missing: {', '.join(absent)}" if absent else "scripts, fonts and extensions present"
    return Finding("mathjax", not absent, text, "pip install --force-reinstall sphinx-mathjax-offline")


def records(root: Path) -> Finding:
    """Every committed record is what its manifest says; those that a wheel leaves out are fetched when needed."""
    from grokbook.fetch import address
    from grokbook.runs.store import Store

    store = Store(records_path(root))
    if where := address():
        return Finding("records", True, f"{len(store.entries())} records, fetched when needed from {where}")
    problems = store.verify()
    text = f"{len(store.entries())} records verified" if not problems else "; ".join(problems)
    return Finding("records", not problems, text, "restore data/records from version control, or install again")


def disk(root: Path) -> Finding:
    """There is room for runs and the site."""
    free = shutil.disk_usage(root).free / 1e9
    return Finding("disk", free >= FREE_DISK_GB, f"{free:.0f} GB free", f"free {FREE_DISK_GB:.0f} GB")


def writable(root: Path) -> Finding:
    """What a build or a run writes to can be written."""
    folders = [Path.cwd()] if root == INSTALLED else [root, root / "book"]
    closed = [str(folder) for folder in folders if not os.access(folder, os.W_OK)]
    return Finding("writable", not closed, ", ".join(closed) or str(folders[0]), "change the owner of the folder")


def chapters_readable(root: Path) -> Finding:
    """Every chapter's front matter and parameters can be read."""
    from grokbook.page.sources import load_all

    try:
        found = load_all(root)
    except GrokbookError as error:
        return Finding("chapters", False, str(error), "correct the chapter's source")
    return Finding("chapters", True, f"{len(found)} chapters")


def chromium(root: Path) -> Finding:
    """Chromium, which only the browser tests need."""
    path = chromium_path()
    return Finding("chromium", path is not None, path or "not installed", "apt-get install chromium", needed=False)


CHECKS: tuple[Callable[[Path], Finding], ...] = (
    python_version,
    packages,
    pinned_versions,
    networks_train,
    book_tools,
    kernel_starts,
    mathjax,
    chapters_readable,
    records,
    disk,
    writable,
    chromium,
)
