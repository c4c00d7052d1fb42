"""Whether this installation can build the book: one check a function, each with how to mend what it
finds."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from grokbook.files import temporary_folder
from grokbook.paths import records_path

FREE_DISK_GB = 2.0
INSTALL = "pip install -c constraints.txt -e '.[book]'"

TRAIN = """
import torch
from grokbook.models.transformer import Shape
from grokbook.tasks.arithmetic import ModularTask
from grokbook.training import AdamW, RunConfig, train

torch.set_num_threads(1)
config = RunConfig(ModularTask(7, train_fraction=0.5), Shape(7, d_model=8), AdamW(1e-2), steps=6)
loss = train([config], device="cpu", progress=False).train_loss.values.ravel()
assert loss[-1] < loss[0], f"the loss goes from {loss[0]:.3g} to {loss[-1]:.3g}"
"""
"""What the process runs that tries to train."""


@dataclass(frozen=True)
class Finding:
    """The result of one check; `mend` says what to do when it is not `ok`."""

    name: str
    ok: bool
    text: str
    mend: str


def examine(root: Path) -> Iterator[Finding]:
    """Run every check in turn; one that fails on the way is a finding, not an end."""
    for check in CHECKS:
        try:
            yield check(root)
        except Exception as error:
            name = check.__name__.replace("_", " ")
            yield Finding(name, False, f"{type(error).__name__}: {error}", "see the message")


def packages(root: Path) -> Finding:
    """Every package that grokbook asks for is installed in an allowed version."""
    from packaging.requirements import Requirement

    wrong = []
    for line in metadata.requires("grokbook") or ():
        asked = Requirement(line)
        if asked.marker and not asked.marker.evaluate({"extra": "book"}):
            continue
        try:
            found = metadata.version(asked.name)
        except metadata.PackageNotFoundError:
            wrong.append(f"{asked.name} is missing")
            continue
        if not asked.specifier.contains(found, prereleases=True):
            wrong.append(f"{asked.name} {found} is not {asked.specifier}")
    return Finding("packages", not wrong, "; ".join(wrong) or "all in range", INSTALL)


def network_trains(root: Path) -> Finding:
    """A network trains, in a process of its own: on some processors a library's program for them
    crashes."""
    done = subprocess.run([sys.executable, "-P", "-c", TRAIN], capture_output=True, timeout=300)
    last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [
        f"signal {-done.returncode}"
    ]
    ok = done.returncode == 0
    text = f"torch {metadata.version('torch')}" if ok else last[0]
    return Finding("network trains", ok, text, "reinstall torch, or set ONEDNN_MAX_CPU_ISA=AVX")


def kernel_starts(root: Path) -> Finding:
    """A notebook kernel of this interpreter runs a cell."""
    import nbformat
    import papermill

    from companion.site.kernel import Kernels

    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("import sys; print(sys.executable)")]
    )
    with temporary_folder() as folder, Kernels().options(folder, {}) as options:
        named = {"kernel_name": "grokbook", "language": "python", "progress_bar": False}
        done = papermill.execute_notebook(notebook, None, **named, **options)
    ours = done.cells[0].outputs[0].text.strip() == sys.executable
    return Finding("kernel starts", ours, sys.executable, INSTALL)


def records(root: Path) -> Finding:
    """Every committed record is what its manifest says; those that a wheel leaves out are fetched
    when needed."""
    from grokbook.fetch import address
    from grokbook.runs.store import Store

    store = Store(records_path(root))
    mend = "restore data/records from version control, or install again"
    if where := address():
        return Finding(
            "records",
            True,
            f"{len(store.entries())} records, fetched when needed from {where}",
            mend,
        )
    problems = store.verify()
    return Finding(
        "records",
        not problems,
        "; ".join(problems) or f"{len(store.entries())} records verified",
        mend,
    )


def disk(root: Path) -> Finding:
    """There is room for runs and the site."""
    free = shutil.disk_usage(root).free / 1e9
    return Finding(
        "disk", free >= FREE_DISK_GB, f"{free:.0f} GB free", f"free {FREE_DISK_GB:.0f} GB"
    )


CHECKS: tuple[Callable[[Path], Finding], ...] = (
    packages,
    network_trains,
    kernel_starts,
    records,
    disk,
)
