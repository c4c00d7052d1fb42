"""What the papers say of MED: its definition and closed forms, and that it moves with the test loss in every figure."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from grokbook.chapters.med_tracking.settings import LEVEL, NORMS, stack, tracked
from grokbook.claims import Claim, Finding, Runs, claim, found, judge
from grokbook.claims.finding import ENOUGH, UNDECIDED, some
from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import LONGER, OPERATIONS, fig5, modular_run, operations
from grokbook.runs.tracking import SETTLED, falls_with_grokking, together, tracking_table
from grokbook.theory.one_frequency import circle
from grokbook.training import Schedule, train

ALMOST_IDENTICAL = 0.9
"""Share of intervals with equal signs from which we call two curves' patterns almost identical."""

BARS = (0.7, 0.8, ALMOST_IDENTICAL)
"""Bars at which that verdict is told; 0.9 was fixed before the runs were looked at, the others after."""

CONTINUED = "p = 47, continued"

MENDED = "2026-11-24T19:47:54 30ed84f"
"""When the test of shifts, what Figs 12 to 19 are asked, and what the second observation asks were last changed."""

OBSERVED = {"section": "What the papers say", "seconds": 5}


# ---------------------------------------------------------------------------------------- definition and closed forms


@claim("G14", "gu2025", "section 4, appendix B.4", section="Closed forms", kind="theorem", shown_by="counterexample",
       says=("renaming leaves all steps of one circle of radius 1 equal (to {uneven:.0e}), so uniform spacing ",
             "survives it; the level of MED does not: {least:.4f} to {most:.4f} (p = {p}) by the name of the ",
             "frequency alone, at equal loss on all cells and equal norms"))  # fmt: skip
def same_function_other_med(p: int = 97) -> Finding:
    """Weight decay is at a local minimum if and only if "the embedding in the equivalence class of the training set
    remains uniform", and MED measures that.

    Relabelling i -> c i (the outputs, the training set and its classes too) turns the weights by a map that keeps every
    norm and the loss, so that local minima go to local minima. Two parts are asked of it: that it keeps equal steps
    equal, and that it keeps MED.
    """
    circles = [circle(p, k) for k in range(1, p // 2 + 1)]
    lengths = np.array([np.linalg.norm(np.roll(phi, -1, axis=0) - phi, axis=1) for phi in circles])
    uneven, values = float(np.ptp(lengths, axis=1).max()), lengths.mean(axis=1)
    ratio = float(values.max() / values.min())
    return judge(uneven < 1e-9, ratio <= 1 + 1e-9, value=ratio, low=1, high=1, uneven=uneven, least=values.min(),
                 most=values.max(), p=p)  # fmt: skip


# ---------------------------------------------------------------------------------------- three observations


@claim("P09", "gu2024", "Property 2", published="100 %", shown_by="runs", **OBSERVED,
       says=("test loss and MED change in the same direction in {value:.0%} of the intervals between logged steps ",
             "after fitting (1 run); p = {p}, {steps} steps, every step logged"))  # fmt: skip
def every_step(p: int = 11, steps: int = 250) -> Finding:
    """Test loss and MED increase and decrease together at every step.

    One small run that is logged at every step: a statement about every step needs one counterexample.
    """
    log = Schedule(dense_until=steps, dense_every=1)
    config = dataclasses.replace(modular_run(p, 0.3, d_model=32, steps=steps), log=log)
    run = train([config], device="cpu", progress=False).swap_dims(run="seed")
    share = float(tracking_table(run).agreement.iloc[0])
    found = judge(share == 1, value=share, low=share, high=share, p=p, steps=steps)
    return dataclasses.replace(found, runs=1)


def two_moduli() -> dict[str, Experiment]:
    """Fig. 5 at the two moduli whose runs were made; those of p = 47 continued too, as far as they are recorded."""
    return {f"p = {p}": fig5(p) for p in (47, 97)}


def beyond() -> dict[str, Experiment]:
    """The runs of `two_moduli` that were continued."""
    return {CONTINUED: fig5(47, steps=LONGER)}


def everywhere() -> dict[str, Experiment]:
    """What "in all experiments" is judged on beside `two_moduli`: `beyond`, and the other operations."""
    return beyond() | operations()


def longest(runs: Runs) -> Runs:
    """Each run once: where the runs of p = 47 are recorded to `LONGER` steps, these stand for the shorter ones.

    Example:
        >>> list(longest(Runs({"p = 47": 1, CONTINUED: 2})))
        ['p = 47, continued']
    """
    return Runs({k: v for k, v in runs.items() if not (k == "p = 47" and CONTINUED in runs)}, runs.experiments)


def _decided(runs: Runs, verdict: str) -> str:
    """The verdict, which stands on too few runs only where it refutes."""
    return verdict if verdict == "fails" or runs.complete() else UNDECIDED


def _shares(table: pd.DataFrame, said: str) -> str:
    """The raw agreement in some runs as words, "" for none."""
    a = table.agreement
    return f"{a.min():.0%} to {a.max():.0%} in {len(a)} runs that {said}" if len(a) else ""


@claim("G27", "gu2025", "Remark 4.3, section 6.2, Fig. 5; Gu 2024, section 5.1", **OBSERVED, runs=two_moduli,
       beside=beyond, through=tracked, published=f"at least {ALMOST_IDENTICAL:.0%} (our reading)",
       bars={"bar": (0.7, 0.8)},
       says=("MED and test loss have equal direction in {shares} of the logged intervals after fitting (other bars: ",
             "{bars}); detrended {detrended:.0%} against {null:.0%} by chance (medians), beyond chance in ",
             "{significant} runs, and of the pairs of a test loss with another run's MED in {strange}"))  # fmt: skip
def nearly_identical(runs: Runs, *, bar: float = ALMOST_IDENTICAL) -> Finding:
    """MED and the test loss "exhibit nearly identical changes".

    Our reading: in every run both change in the same direction in nine of ten intervals. What survives is told beside
    it: an association beyond chance.
    """
    table = stack(longest(runs))
    a, there = table.agreement, table.grok_step.notna()
    missed = [f"{b:.0%}" for b in BARS if a.min() < b]
    shares = (_shares(table[there], "generalise"), _shares(table[~there], "do not generalise"))
    part = bool(a.min() >= bar)
    return judge(
        part if not part or runs.complete() else None, value=a.median(), low=a.min(), high=a.max(),
        shares=" and ".join(filter(None, shares)), count=len(a), detrended=table.detrended.median(),
        missed=f"is below the bars of {', '.join(missed)}" if missed else "reaches every bar",
        null=table.null.median(), significant=some(int((table.p_value <= LEVEL).sum()), len(a)),
        strange=_strangers(table),
    )  # fmt: skip


def _strangers(table: pd.DataFrame) -> str:
    """In how many pairs of a run with another run's MED the association is beyond chance."""
    return f"{table.strangers_beyond.sum()} of {table.strangers.sum()}"


def strata(runs: Runs) -> pd.DataFrame:
    """One row a modulus and outcome: how often MED and the test loss move in the same direction, and at which bars.

    `raw` is the range over runs, `detrended` and `chance` are medians, `beyond chance` counts runs with p <= 0.05, the
    last columns count runs that reach a bar.
    """
    rows = []
    for label, table in longest(runs).items():
        for there, part in table.groupby(table.grok_step.notna()):
            row = {"runs of": f"{label}, {'generalise' if there else 'do not'}", "count": len(part)}
            row |= {"raw": f"{part.agreement.min():.0%} to {part.agreement.max():.0%}"}
            row |= {"detrended": part.detrended.median(), "chance": part.null.median()}
            row |= {"beyond chance": int((part.p_value <= LEVEL).sum())}
            rows.append(row | {f"at {bar:.0%}": int((part.agreement >= bar).sum()) for bar in BARS})
    return pd.DataFrame(rows)


_ONCE = "The same observation as G27: judged once, there."
_DEFINED = "A definition is no claim. The page converts it into the others."
ELSEWHERE = (
    Claim("GF05", "gu2025", "section 6.2, Fig. 5", "At p = 47, 97, 211, 379 MED and test loss change consistently.",
          "observation", "med_tracking", OBSERVED["section"], reason=_ONCE),
    Claim("P5.1a", "gu2024", "section 5.1, first observation", "Test loss and MED vary in an almost identical pattern.",
          "observation", "med_tracking", OBSERVED["section"], reason=_ONCE),
    Claim("G26", "gu2025", "Definition 4.2", "MED is the mean distance of cyclically neighbouring embeddings.",
          "formula", "med_tracking", "Closed forms", reason=_DEFINED),
    Claim("P07", "gu2024", "Definition 6, Eq. 12", "MED is the sum of neighbour distances over both operands' ranges.",
          "formula", "med_tracking", "Definitions", reason=_DEFINED),
)  # fmt: skip


@claim("P5.1b", "gu2024", "section 5.1, second observation", **OBSERVED, runs=two_moduli, beside=everywhere,
       through=tracked, published="every run in which MED falls below", rule_changed=MENDED,
       says="as printed, {printed}; the converse (ours), that a run which generalises has MED below: {who}{rest}")
def second_observation(runs: Runs) -> Finding:
    """ "In all experiments, we observe": "when the MED function falls below its initial value, grokking happens".

    It is asked of runs in which MED comes to stay below: they must generalise, nearer to that step than they fit. One
    that has not generalised may do so later. The converse is ours, and told: a run that generalises has MED below; one
    without counts where it goes on after generalising as long as it took from fitting to that, and is open otherwise.
    """
    table = stack(longest(runs))
    below, grok = table.below_step.notna(), table.grok_step.notna()
    early = below & grok & ~falls_with_grokking(table)
    went_on = (table.last_step >= 2 * table.grok_step - table.fit_step).fillna(False).astype(bool)
    counts = {"grok": grok, "above": grok & ~below & went_on, "open": grok & ~below & ~went_on,
              "below": below, "alone": below & ~grok, "early": early}  # fmt: skip
    numbers = {name: int(those.sum()) for name, those in counts.items()}
    numbers |= {"who": _who(len(table), numbers), "rest": _rest(numbers), "printed": _printed(below, grok)}
    known = numbers["below"] >= ENOUGH and not numbers["alone"] and runs.complete()
    kept = False if numbers["early"] else True if known else None
    return judge(kept, value=float((grok & below).mean()), low=0, high=1, count=len(table), **numbers)


def _who(count: int, numbers: dict[str, Any]) -> str:
    """How many runs generalise, and where MED is then."""
    grok, above, still = numbers["grok"], numbers["above"], numbers["open"]
    if not grok:
        return f"none of {count} runs generalises"
    told = f"{some(grok, count)} runs generalise, and MED falls below its initial value in "
    told += some(grok - above - still, grok)
    if above:
        told += f"; in {above} it does not until they have gone on as long as they took from fitting to generalising"
    return told + (f"; {still} end before that" if still else "")


def _printed(below: pd.Series, grok: pd.Series) -> str:
    """The implication alone: what becomes of the runs in which MED comes to stay below its initial value."""
    kept = some(int((below & grok).sum()), int(below.sum()))
    return f"{kept} runs with MED below generalise" if below.any() else "no run has MED below, so nothing tests it"


def _rest(numbers: dict[str, Any]) -> str:
    """In how many runs MED comes to stay below its initial value, and what becomes of these; "" for none."""
    if not numbers["below"]:
        return ""
    said = f"; it comes to stay below in {numbers['below']} of all runs"
    said += f", of which {numbers['alone']} have not generalised" if numbers["alone"] else ""
    return said + (f"; in {numbers['early']} that is long before the run generalises" if numbers["early"] else "")


@claim("P5.1c", "gu2024", "section 5.1, third observation", **OBSERVED, runs=two_moduli, beside=beyond,
       through=tracked, published="every run", rule_changed="2026-11-22T00:02:24 d135ae3",
       says={"vacuous": "no run that generalises settles before the last tenth of its record",
             "": ("of {count} runs that generalise {settled} settle before the last tenth of the record; the two ends ",
                  "are within a tenth of the run in {both}, MED settles between {first:+.0%} and {late:+.0%} ",
                  "of the run's length after the accuracy")})  # fmt: skip
def third_observation(runs: Runs) -> Finding:
    """When MED oscillates without a downward trend, the test accuracy has stopped rising.

    Asked of runs that generalise: in others the accuracy may rise later. One in which both settle in the last tenth of
    the record only decides nothing, and fewer than three that decide do not refute.
    """
    table = stack(longest(runs))
    table = table[table.grok_step.notna()]
    ends, last = table[["measure_settles", "accuracy_settles"]].astype(float), table.last_step.astype(float)
    decided = (ends.min(axis=1) <= (1 - SETTLED) * last).to_numpy(dtype=bool)
    if not decided.any():
        return found("vacuous", count=len(table))
    both = together(table.measure_settles, table.accuracy_settles, table.last_step)[decided]
    gap = ((ends.measure_settles - ends.accuracy_settles) / last)[decided]
    verdict = UNDECIDED if len(both) < ENOUGH else _decided(runs, "holds" if both.all() else "fails")
    numbers = {"count": len(table), "settled": len(both), "both": some(int(both.sum()), len(both))}
    return found(verdict, float(both.mean()), 0, 1, first=gap.min(), late=gap.max(), **numbers)


def below_words(table: pd.DataFrame) -> str:
    """In how many runs MED comes to stay below its initial value, and how many of these generalise, in a sentence.

    Example:
        >>> steps = pd.Series([None, None], dtype="Int64")
        >>> below_words(pd.DataFrame({"below_step": steps, "grok_step": steps}))
        'In no run does MED fall below its initial value and stay there.'
    """
    below = table.below_step.notna()
    if not below.any():
        return "In no run does MED fall below its initial value and stay there."
    count, there = int(below.sum()), int((below & table.grok_step.notna()).sum())
    if count == 1:
        then = "which generalises" if there else "which has not generalised"
        return f"MED falls below its initial value and stays there in one run, {then}."
    grok = some(there, count)
    return f"MED falls below its initial value and stays there in {count} runs; {grok} generalise at some time."


_ALIKE = {
    "holds": "In our runs the two curves do move alike",
    "fails": "In our runs the two curves do not move nearly alike, though more than a common trend would make them",
}
_BELOW = {
    "holds": "a run in which MED falls below its initial value does generalise then",
    "fails": "MED falls below its initial value long before a run generalises",
}
_SETTLES = {
    "holds": "and it settles when the accuracy does.",
    "fails": "and it does not settle when the accuracy does.",
}
_LEVEL = {
    "holds": "its level is a function of loss and norms",
    "fails": "its level is no function of loss and norms: renaming the symbols changes MED alone",
}


def answer(verdicts: Mapping[str, str], runs: int) -> str:
    """The chapter's answer in a box, from the verdicts of its rows of the ledger by id: claimed, found, how sure.

    Example:
        >>> said = answer({"G27": "fails", "P5.1b": "undecided", "P5.1c": "undecided", "G14": "fails"}, 10)
        >>> said.split(". ")[-1].partition(";")[0]
        'That rests on 10 runs at two moduli, the second on other operations too'
    """
    claimed = (
        "The papers say that MED changes as the test loss does, that grokking happens when it falls below its initial "
        "value, and that it settles when the accuracy stops rising"
    )
    alike = _ALIKE.get(verdicts["G27"], "Whether the two curves move alike is not decided by our runs")
    below = _BELOW.get(verdicts["P5.1b"], "whether grokking happens when MED falls below its start is not decided")
    settles = _SETTLES.get(verdicts["P5.1c"], "and whether it settles when the accuracy does is not decided.")
    sure = f"That rests on {runs} runs at two moduli, the second on other operations too; "
    sure += f"a proof shows that {_LEVEL[verdicts['G14']]}."
    return f"> **Answer.** {claimed}. {alike}; {below}, {settles} {sure}"


# ---------------------------------------------------------------------------------------- figures


def _tracks(table: pd.DataFrame) -> pd.Series:
    """Whether MED moves with a run's test loss beyond chance, and more than the MED of any other run of the setting."""
    return (table.p_value <= LEVEL) & (table.detrended > table.stranger)


def monitors(runs: Runs) -> Finding:
    """Does MED move with the test loss in more than half of the runs, beyond chance and more than any stranger's MED?

    Our reading of "this does not affect the ability of the MED function to monitor" (appendix D.2). An association that
    is not found does not refute. The paper states no number of steps, so how far a run gets is told and not judged.
    """
    table = stack(runs)
    tracks, grok = int(_tracks(table).sum()), int(table.grok_step.notna().sum())
    part = True if tracks > len(table) / 2 and runs.complete() else None
    numbers = {"tracks": some(tracks, len(table)), "null": table.null.median(), "grok": some(grok, len(table))}
    seen = judge(part, value=table.detrended.median(), low=table.detrended.min(), high=table.detrended.max(),
                 beyond=some(int((table.p_value <= LEVEL).sum()), len(table)), strange=_strangers(table),
                 norms=_norms(table), best=table.best.max(), last=int(table.last_step.max()), **numbers)  # fmt: skip
    return seen.told((
        "associated beyond chance in {beyond} runs (detrended {value:.0%} against {null:.0%}, medians) and with ",
        "another run's MED in {strange} pairs; beyond both in {tracks} runs; raw, {norms}; {grok} generalise ",
        "by step {last:,}, best test accuracy {best:.1%}",
    ))  # fmt: skip


def _norms(table: pd.DataFrame) -> str:
    """The raw agreement of the test loss with MED and with both norms, and in how many runs a norm has more."""
    weight, length = table.weight_norm_agreement, table.embedding_norm_agreement
    more = some(int((weight > table.agreement).sum()), len(table))
    return (
        f"MED {table.agreement.median():.2f}, norm of all weights {weight.median():.2f} (more than MED in {more}), "
        f"mean length of a vector {length.median():.2f}"
    )


@claim("GD2", "gu2025", "appendix D.2", section="Other moduli and other operations", seconds=2, through=tracked,
       runs=operations, published="exceptionally capable", rule_changed=MENDED, bars={"by": ("detrended",)},
       says=("beyond chance and above every stranger in {tracks} runs; raw, {norms}; MED above both norms in {above} ",
             "(increments: {bars})"))  # fmt: skip
def exceptionally(runs: Runs, *, by: str = "agreement") -> Finding:
    """On other operations "our MED function is still exceptionally capable of tracking test loss".

    Our reading of "exceptionally": in most runs MED changes in the direction of the test loss more often than the norm
    of all weights does, and than the mean length of a vector. Without the word, that it does at all: `monitors`.
    """
    table = stack(runs)
    known = len(table) >= ENOUGH
    tracks, above = _tracks(table), table[[f"{n}_{by}" for n in NORMS]].lt(table[by], axis=0).all(axis=1)
    parts = [bool(flags.mean() > 0.5) if known else None for flags in (tracks, above)]
    return judge(*parts, corrected=parts[0], value=float(above.mean()), low=0, high=1, norms=_norms(table),
                 tracks=some(int(tracks.sum()), len(table)), above=some(int(above.sum()), len(table)))  # fmt: skip


def _of_operation(figure: str) -> dict[str, Experiment]:
    return {figure: operations()[f"gu2025/{figure}"]}


def _figure(figure: str) -> Claim:
    return claim(
        f"GF{figure[3:]}", "gu2025", f"appendix D.2, Fig. {figure[3:]}", section="Other moduli and other operations",
        seconds=2, through=tracked, runs=partial(_of_operation, figure), statement=OPERATIONS[figure][-1],
        published="MED monitors", rule_changed=MENDED,
    )(monitors)  # fmt: skip


CLAIMS = tuple(_figure(figure) for figure in OPERATIONS)
