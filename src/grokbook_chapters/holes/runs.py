"""The runs of chapter 04b: the rows of Table 1 of Gu et al. 2025, and rows with one setting
changed."""

from __future__ import annotations

import dataclasses

from grokbook.files import beside
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.tasks.arithmetic import ModularTask
from grokbook_chapters.gu2025 import live_run, modular_run

# Table 1 of Gu et al. 2025 (p = 97, addition, 30 % trained): split, hole, U-Acc, L-Acc (percent),
# GO-Epoch.
TABLE_1 = {row: (*cells, None)[:5] for row, cells in beside(__file__).items()}
# U-Acc is the upper limit of the test accuracy, L-Acc the lowest value after reaching it; GO-Epoch,
# the epoch of
# grokking, has a tolerance of 100 (200 for SQUARE 50); "disappear" is printed where None stands
# here.

STEPS = 6_000  # of a row: 1.8 times the latest GO-Epoch; the paper states no length
AUTHORS_STEPS = 30_000  # of the authors' programs
LONG = "12,000 steps"
LONGEST = f"{AUTHORS_STEPS:,} steps"
TEXT = "the text's rule"
SHIFTED = "second operand shifted by 60"  # as in the authors' program for STRIP
# What sets a variant of a row apart, in words and as settings; "" is the row itself.
CHANGES = {
    "": {},
    LONG: {"steps": 12_000},
    LONGEST: {"steps": AUTHORS_STEPS},
    TEXT: {"rule": "text"},
    SHIFTED: {"shift": 60},
}

# The rows that differ most, run again with one thing changed, one seed each, in the order of what
# they tell.
VARIANTS = (
    ("SQUARE 40", LONG),
    ("STRIP 50", LONG),
    ("STRIP 50", SHIFTED),
    ("SQUARE 30", LONG),
    ("STRIP 50", TEXT),
    ("STRIP 60", SHIFTED),
    ("SQUARE 40", TEXT),
    ("STRIP 67", TEXT),
)
# Rows that are run for as long as the authors' programs run, two seeds each, in the order of what
# they decide.
LONG_ROWS = ("SQUARE 40", "STRIP 50", "SQUARE 30", "SQUARE 35", "SQUARE 45", "STRIP 40")

SEEDS = {"STRIP 67": 6}
"""How many seeds are recorded of a row, where it is not three."""


def run(row: str, change: str = "", n_seeds: int = 3) -> Experiment:
    """One row of Table 1, addition modulo 97 and 30 % trained by the programs' rule, or one of its
    variants.

    Example:
        >>> run("SQUARE 40", LONG).name, run("STRIP 67").config.n_train
        ('gu2025/table1[square, k=40, steps=12000]', 2813)
    """
    split, hole, *_ = TABLE_1[row]
    letter = "k" if split == "square" else "t"
    apart = [split, f"{letter}={hole}"]
    for name, value in CHANGES[change].items():
        apart.append(value if name == "rule" else f"{name}={value}")
    settings = {"steps": STEPS} | CHANGES[change]
    config = modular_run(97, 0.3, split=split, hole=hole, **settings)
    return Experiment(f"gu2025/table1[{', '.join(apart)}]", config).with_seeds(n_seeds)


def plan(p: int, hole: int, train_fraction: float, steps: int) -> Experiments:
    """The runs of the page: a square and a strip of one size taken out, one seed each.

    Example:
        >>> [run.config.task.split for run in plan(11, 3, 0.5, 100).values()]
        ['square', 'strip']
    """
    experiments = {}
    for split in ("square", "strip"):
        usual = live_run(p, train_fraction, 64, steps, 1)
        task = ModularTask(p, train_fraction=train_fraction, split=split, hole=hole)
        config = dataclasses.replace(usual.config, task=task)
        experiments[split] = Experiment(f"live/{split}[p={p}, {hole}]", config, seeds=(0,))
    return experiments


def rows() -> Experiments:
    """The rows of Table 1, three seeds each, and six of STRIP 67; keys here and below are a row and
    its change."""
    return {(row, ""): run(row, n_seeds=SEEDS.get(row, 3)) for row in TABLE_1}


def changed() -> Experiments:
    """The rows with one setting changed: `VARIANTS`, then `LONG_ROWS`."""
    variants = {(row, change): run(row, change, n_seeds=1) for row, change in VARIANTS}
    return variants | {(row, LONGEST): run(row, LONGEST, n_seeds=2) for row in LONG_ROWS}


def longer() -> Experiments:
    """Those of `changed` that differ from their row in length alone."""
    return {key: experiment for key, experiment in changed().items() if key[1] in (LONG, LONGEST)}


RUNS = (rows, changed)
