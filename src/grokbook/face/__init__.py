"""The names of `import grokbook as gb`, each with one obvious use; every one is also in the room that it comes from."""

from grokbook import measures, records
from grokbook.claims import Paper, claim, ledger
from grokbook.face.files import export, to_pandas
from grokbook.face.optimisers import AdamW, Muon, Sgd, from_torch_optim
from grokbook.face.parts import from_module, task
from grokbook.face.results import load, measure, plot_curves, plot_embedding
from grokbook.face.running import sweep, train
from grokbook.face.weights import load_checkpoint, to_transformer_lens
from grokbook.measures import fourier_power, med, weight_norm
from grokbook.models.mlp import MLP
from grokbook.models.transformer import Shape as Transformer
from grokbook.runs.comparison import compare
from grokbook.runs.delay import grok_times
from grokbook.runs.phases import PhaseRule, phases
from grokbook.tasks.arithmetic import ModularTask
from grokbook.tasks.groups import GroupTask
from grokbook.training.config import RunConfig as Run
from grokbook.training.config import StopRule
from grokbook.training.schedule import Schedule
from grokbook.training.watching import View

__all__ = [
    "AdamW",
    "GroupTask",
    "MLP",
    "ModularTask",
    "Muon",
    "Paper",
    "PhaseRule",
    "Run",
    "Schedule",
    "Sgd",
    "StopRule",
    "Transformer",
    "View",
    "claim",
    "compare",
    "export",
    "fourier_power",
    "from_module",
    "from_torch_optim",
    "grok_times",
    "ledger",
    "load",
    "load_checkpoint",
    "measure",
    "measures",
    "med",
    "phases",
    "plot_curves",
    "plot_embedding",
    "records",
    "sweep",
    "task",
    "to_pandas",
    "to_transformer_lens",
    "train",
    "weight_norm",
]
