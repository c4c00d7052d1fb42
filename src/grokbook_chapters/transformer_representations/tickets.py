"""Lottery tickets: a trained network says what is kept of its start, and what is kept is trained
again from there.

Two kinds of tickets after Frankle and Carbin 2019, "mask and rewind": the axes on which the trained
embedding varies most, which Liu et al. 2022 call winning tickets (appendix K), and the largest
numbers of every matrix, as is usual.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from companion.claims import Finding, Runs, claim, judge
from companion.claims.finding import enough, most, of_companions
from grokbook.curves.delay import grok_times, middle
from grokbook.measures.principal import principal_axes
from grokbook.models.encoder import Encoder
from grokbook.models.networks import Parameters, Shapes
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.training.ensemble import How, train_here
from grokbook.training.forward import split_weights
from grokbook.training.optim import Group
from grokbook_chapters.ranges import spread
from grokbook_chapters.transformer_representations.runs import RATES, SMALL, encoder_run

# axes, and share of each matrix's numbers, that a ticket keeps: fixed before the runs
KEPT_AXES = 10
KEPT_SHARE = 0.2
SEEDS = 5  # runs of each kind: in all of five pairs one is first by chance once in 32 times
# steps of a ticket and of the network it is from: small runs with dropout generalise by step 1,900
LENGTH = 2_500


@dataclass(frozen=True)
class Ticket(Encoder):
    """The transformer with a projection `W_P` (d, d) behind its embedding, not trained, and zeros
    that stay zeros.

    Drawn in the ordinary way ("normal") nothing is taken away. Drawn as a ticket, an ordinary
    network of this seed is trained first (`trained`); what it keeps has the values of the same
    start: the embedding on its last table's first axes ("axes") or on as many drawn at random
    ("random axes"); in each matrix the numbers that end largest ("largest") or as many drawn at
    random ("random numbers").
    """

    starts = ("normal", "axes", "random axes", "largest", "random numbers")

    def shapes(self) -> Shapes:
        """As those of the transformer, and the projection."""
        return super().shapes() | {"W_P": (self.d_model, self.d_model)}

    def groups(self) -> dict[str, tuple[str, ...]]:
        """The parameters that have rates of their own; `fixed` is the projection."""
        return whole(self).groups() | {"fixed": ("W_P",)}

    def draw(self, seed: int, start: str = "normal") -> Parameters:
        """Initial parameters, of a ticket those that are kept of them."""
        drawn = whole(self).draw(seed)
        rng = np.random.default_rng((seed, 1))
        projection = torch.eye(self.d_model)
        if start == "axes":
            end = trained(self, seed)["W_E"].double().numpy()
            projection = _onto(principal_axes(end, KEPT_AXES)[1])
        elif start == "random axes":
            projection = _onto(np.linalg.qr(rng.normal(size=(self.d_model, KEPT_AXES)))[0])
        elif start != "normal":
            last = trained(self, seed) if start == "largest" else {}
            for name in filter(_is_matrix, list(drawn)):
                drawn[name] = _thinned(drawn[name], last.get(name), rng)
        return drawn | {"W_P": projection}

    def forward(
        self, weights: Parameters, inputs: Tensor, drop: Callable[[Tensor], Tensor] | None = None
    ) -> Tensor:
        """As the transformer's. A zero of a matrix is not trained: neither its gradient nor its
        decay moves it."""
        masked = dict(weights)
        for name in filter(_is_matrix, weights):
            masked[name] = weights[name] * (weights[name] != 0)
        masked["W_E"] = masked["W_E"] @ weights["W_P"].detach()
        return super().forward(masked, inputs, drop)

    def embeddings(self, weights: Parameters) -> tuple[Any]:
        """The vectors of the symbols as the network reads them, (p, d)."""
        return (weights["W_E"] @ weights["W_P"],)


def _thinned(start: Tensor, last: Tensor | None, rng: np.random.Generator) -> Tensor:
    """A matrix with `KEPT_SHARE` of its numbers, those that end largest or any, and zeros in place
    of the others."""
    size = torch.from_numpy(rng.random(start.shape)).float() if last is None else last.abs()
    n_dropped = round((1 - KEPT_SHARE) * size.numel())
    largest_dropped = size.flatten().kthvalue(n_dropped).values
    return start * (size > largest_dropped)


def _is_matrix(name: str) -> bool:
    """Whether a parameter is a matrix, of which a ticket may keep a part."""
    return name.startswith("W_")


def _onto(axes: np.ndarray) -> Tensor:
    """The projection (d, d) on orthonormal axes (d, n)."""
    return torch.from_numpy(axes @ axes.T).float()


def whole(ticket: Ticket) -> Encoder:
    """The ordinary network of a ticket's sizes."""
    return Encoder(ticket.p, ticket.d_model, ticket.n_layers, ticket.d_mlp, dropout=ticket.dropout)


@lru_cache(maxsize=16)
def trained(ticket: Ticket, seed: int) -> Parameters:
    """The parameters with which the ordinary network of these sizes ends, trained as the tickets
    are."""
    sizes = {
        "d_model": ticket.d_model,
        "d_mlp": ticket.d_mlp,
        "steps": LENGTH,
        "points": 1,
        "snapshots": 0,
    }
    config = encoder_run(ticket.p, dropout=ticket.dropout, **SMALL | sizes).with_seed(seed)
    return split_weights(config, train_here([config], How()).weights[0])


def tickets() -> Experiments:
    """The small runs with dropout by what is kept of their start: all of it, and four kinds of
    tickets."""
    sizes = SMALL | {"steps": LENGTH, "points": 50, "snapshots": 2}
    config = encoder_run(31, dropout=RATES[0], **sizes)
    network = config.model
    model = Ticket(31, network.d_model, network.n_layers, network.d_mlp, dropout=RATES[0])
    groups = (*config.optimizer.groups, Group("fixed", weight_decay=0.0))
    optimizer = dataclasses.replace(config.optimizer, groups=groups)
    experiments = {}
    for start in Ticket.starts:
        ticket = dataclasses.replace(config, model=model, optimizer=optimizer, start=start)
        experiments[start] = Experiment(f"liu2022/ticket[{start}]", ticket).with_seeds(SEEDS)
    return experiments


RUNS = (tickets,)


def _ticket(runs: Runs, own: str, null: str) -> Finding:
    """Whether most networks of a kind of ticket generalise, each before the one that keeps as much
    at random."""
    spans = []
    for name, table in runs.items():
        never = f"later than {int(table.last_step.max()):,}"
        spans.append(f"{name}: {spread(table.grok_step, ',.0f', never)}")
    listed = "; ".join(spans)
    tables = [runs["normal"], runs[own], runs[null]]
    if not enough(*tables, least=SEEDS):
        return judge(None, told=listed)
    normal, ticket, random = [table.grok_step.astype(float) for table in tables]
    first = (ticket < random.fillna(np.inf)).all()
    parts = (most(ticket.notna()), first) if most(normal.notna()) else (None,)
    value = middle(ticket)
    return judge(*parts, told=listed, value=value if np.isfinite(value) else None)


_TICKETS: dict[str, Any] = {"section": "Mask and rewind", "runs": tickets, "through": grok_times}
_SAYS = "95 % of the test set at step (range of the runs): {told}"


@claim(
    "LT13",
    "liu2022",
    "section 4.2",
    **_TICKETS,
    says=f"by small companions: {{companions}}; {_SAYS}",
)
def axes_are_tickets(runs: Runs) -> Finding:
    """ "Some of the structure required for generalization exists before training": the winning
    tickets are "particular axes".

    Our reading, by mask and rewind: with its start on the first ten axes of its end a network
    generalises, in each of five runs before one with its start on ten random axes. Control: the
    whole network must generalise. Not run: a start drawn anew on the axes of the end, which would
    tell the part of the axes from that of the start. The paper speaks of its own networks; ours are
    smaller, see `of_companions`. (Before, they gave "holds".)
    """
    return of_companions(_ticket(runs, "axes", "random axes"))


@claim("LT14", "liu2022", "section 4.2", origin="ours", **_TICKETS, says=_SAYS)
def numbers_are_tickets(runs: Runs) -> Finding:
    """The usual lottery tickets exist here: with the fifth of its numbers that end largest, at the
    values of the start, a network generalises, in each of five runs before one with a random fifth.
    """
    return _ticket(runs, "largest", "random numbers")
