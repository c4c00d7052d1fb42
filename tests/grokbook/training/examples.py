"""Kinds of runs that training knows nothing of: real answers, mini-batches, an optimiser of a
reader's own."""

import dataclasses

from own_optimiser import Lion
from small_runs import small

from grokbook.models.mlp import MLP
from grokbook.models.toy import Toy
from grokbook.tasks.addition import AdditionTask
from grokbook.training import AdamW, Group, RunConfig, Schedule
from grokbook_chapters.images.digits import DigitsTask

RATES = AdamW(
    1e-3, weight_decay=0.0, groups=(Group("decoder", learning_rate=1e-2, weight_decay=0.5),)
)
RELU = Toy(10, hidden=(20, 20), activation="relu")
TOY = RunConfig(AdditionTask(10), RELU, RATES, 40, Schedule(40, 10), loss="squared_error")
DIGITS = RunConfig(
    DigitsTask(100),
    MLP((64, 16, 10)),
    AdamW(1e-2, weight_decay=0.0),
    40,
    Schedule(40, 10),
    batch_size=30,
)
KINDS = {
    "modular": small(3, d=16),
    "toy": TOY,
    "digits": DIGITS,
    "own optimiser": dataclasses.replace(small(3), optimizer=Lion()),
}
