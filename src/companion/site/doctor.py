"""Whether this installation can build the book: what is wrong with it, each with how to mend it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from grokbook.errors import GrokbookError
from grokbook.paths import records_path

INSTALL = "pip install -c constraints.txt -e '.[book]'"

TRAIN = f"from {__name__} import train_a_tiny_network; train_a_tiny_network()"
"""What a process of its own runs: on some processors a library's program for them crashes."""


def train_a_tiny_network() -> None:
    """Train six steps; raises GrokbookError where the loss does not fall."""
    import torch

    import grokbook as gb

    torch.set_num_threads(1)
    small = {"seeds": 1, "steps": 6, "store": False, "progress": False}
    runs = gb.train(gb.ModularTask(7), gb.Transformer(7, d_model=8), gb.AdamW(lr=1e-2), **small)
    if not (runs.train_loss[..., -1] < runs.train_loss[..., 0]).all():
        raise GrokbookError("the loss does not fall")


def problems(root: Path) -> Iterator[str]:
    """Sentences on what is wrong here: packages, a network that is trained, the records."""
    from packaging.requirements import Requirement

    from grokbook.fetch import address
    from grokbook.runs.store import Store

    for line in metadata.requires("grokbook") or ():
        requirement = Requirement(line)
        if requirement.marker and not requirement.marker.evaluate({"extra": "book"}):
            continue
        name = requirement.name
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield f"{name} is missing: {INSTALL}"
            continue
        if not requirement.specifier.contains(version, prereleases=True):
            yield f"{name} {version} is not {requirement.specifier}: {INSTALL}"
    done = subprocess.run([sys.executable, "-P", "-c", TRAIN], capture_output=True, timeout=300)
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        last = lines[-1] if lines else f"signal {-done.returncode}"
        mend = "reinstall torch, or set ONEDNN_MAX_CPU_ISA=AVX"
        yield f"no network can be trained ({last}): {mend}"
    if address():  # records are fetched, and checked then
        return
    for problem in Store(records_path(root)).verify():
        yield f"{problem}: restore data/records from version control, or install again"
