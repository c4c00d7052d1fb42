"""The names of `import grokbook as gb`; each is also in the room that it comes from."""

from grokbook import measures as measures
from grokbook.curves.comparison import compare as compare
from grokbook.curves.delay import grok_times as grok_times
from grokbook.curves.phases import PhaseRule as PhaseRule
from grokbook.curves.phases import phases as phases
from grokbook.measures import fourier_power as fourier_power
from grokbook.measures import med as med
from grokbook.measures import weight_norm as weight_norm
from grokbook.models.interchange import load_checkpoint as load_checkpoint
from grokbook.models.interchange import to_transformer_lens as to_transformer_lens
from grokbook.models.mlp import MLP as MLP
from grokbook.models.transformer import Shape as _Shape
from grokbook.plotting.runs import plot_curves as plot_curves
from grokbook.plotting.runs import plot_embedding as plot_embedding
from grokbook.runs.experiment import Experiment as Experiment
from grokbook.runs.listing import records as records
from grokbook.runs.results import load as load
from grokbook.runs.results import measure as measure
from grokbook.runs.results import to_pandas as to_pandas
from grokbook.runs.running import sweep as sweep
from grokbook.runs.running import train as train
from grokbook.tasks.arithmetic import ModularTask as ModularTask
from grokbook.tasks.groups import GroupTask as GroupTask
from grokbook.tasks.table import task as task
from grokbook.training.config import RunConfig as RunConfig
from grokbook.training.config import StopRule as StopRule
from grokbook.training.optimisers import AdamW as AdamW
from grokbook.training.optimisers import Muon as Muon
from grokbook.training.optimisers import Sgd as Sgd
from grokbook.training.optimisers import from_torch_optim as from_torch_optim
from grokbook.training.schedule import Schedule as Schedule
from grokbook.training.torch_module import from_module as from_module
from grokbook.training.watching import View as View

Transformer = _Shape
