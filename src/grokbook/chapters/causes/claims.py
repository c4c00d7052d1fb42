"""What chapter 19 settles: the central sentence of each explanation outside the four papers, and two of our own.

A part of a statement is a prediction of `predictions.csv`, true where the observed word is the predicted one, false
where it is another, not known where the arm is open, did not fit, or was not run. The networks are not those of the
papers, whose texts are not at hand: a statement that fails here is undecided, one of our own about bench Q fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from grokbook.chapters.causes.effects import (
    LEVEL,
    SAME,
    against,
    compared,
    corrected,
    effect,
    families,
    judged,
    observed,
)
from grokbook.chapters.causes.runs import SEEDS, Arm, arms, radial
from grokbook.claims import Finding, Runs, claim, enough, judge
from grokbook.claims.finding import ENOUGH
from grokbook.runs.delay import grok_times

READING = "central statement (our reading)"
DECAY, NORM = "Weight decay acts after the fit", "A larger norm and larger logits delay"
LAZY = "A linearised network never generalises, a tuned one hardly waits"
FEATURES, RING = "A given embedding shortens the delay or ends it", "A pull to MED's ring delays"
FAMILY = 52  # arms of bench Q that were fixed together: over these Holm's rule corrects, here as on the page
CAP = 5_000  # the last step of bench Q
PART = {"agrees": True, "contradicts": False, "open": None}


def asked(number: int = 0) -> dict[str, Arm]:
    """The arms of bench Q that were fixed together in a round, and what they are compared with: a p value needs all."""
    names = families("Q")[number]
    wanted = names | {against(name, "Q") for name in names}
    return {name: arm for name, arm in arms("Q").items() if name in wanted}


def decided(
    runs: Runs, predicted: dict[str, str], elsewhere: bool = True, *, corrected_by: Sequence[str] = (),
    family: int = FAMILY,
) -> Finding:  # fmt: skip
    """A finding whose parts are predictions, arm -> word; its value is the ratio of the first arm.

    An arm with fewer than `ENOUGH` seeds is not known. With correction where the arms of `corrected_by` came out.
    """
    times = {name: table for name, table in runs.items() if table is not None and len(table) >= ENOUGH}
    found = compared(times, "Q", CAP)
    if not len(found):
        return judge(None, said="")
    found["holm"] = corrected(found.p, family)
    found["observed"] = [observed(row) for row in found.to_dict("records")]
    rows = {arm: found.loc[arm] for arm in predicted if arm in found.index}
    parts = [PART[judged(word, rows[arm].observed)] if arm in rows else None for arm, word in predicted.items()]
    said = [f"{arm.replace('-', ' ')} {row.observed} ({row.ratio:.2f})" for arm, row in rows.items()]
    first = rows.get(next(iter(predicted)))
    band = {} if first is None else {"value": first.ratio, "low": first.low, "high": first.high}
    mended = [part for part, arm in zip(parts, predicted, strict=True) if arm in corrected_by]
    return judge(*parts, corrected=bool(mended) and all(mended), elsewhere=elsewhere, said=", ".join(said), **band)


SAYS = "bench Q, ratios of grok steps: {said}"
AFTER = ("decay-until-the-fit", "decay-from-the-fit")
START = {"start-double": "longer", "start-half": "shorter"}
HELD = {"norm-at-0.7": "shorter", "norm-at-0.85": "shorter", "norm-at-1.2": "longer", "norm-at-1.45": "longer"}
SCALE = {"temperature-double-norm-held": "shorter", "temperature-half-norm-held": "longer"}
RICH = {"lazy-4": "longer", "rich-4": "shorter", "linearised": "never", "centred": "same"}
STEADY = {"gradient-orthogonal-from-the-fit": "shorter", "stablemax": "shorter"}
GIVEN = {"embedding-given": "shorter", "embedding-given-renamed": "shorter"}
PULLED = {"ring-of-step-1": "longer", "ring-of-step-1-away": "shorter"}
SPHERE = dict.fromkeys(("radius-at-root-width", "radius-at-half", "radius-at-half-no-decay"), "shorter")
FREE_OF_DECAY = ("gradient-orthogonal-no-decay", "stablemax-no-decay")


def in_two_phases() -> dict[str, Arm]:
    """The arms of bench Q that have decay until the fit or from it on, and the free runs."""
    return {name: arms("Q")[name] for name in ("free", *AFTER)}


@claim("V01", "varma2023", READING, section=DECAY, runs=in_two_phases, through=grok_times, bars={"same": (1.1, 1.2)},
       rule_changed="2026-11-26T18:06:00+00:00 b63b42e",
       says=("bench Q, {seeds} seeds: with decay until the fit {late} of {seeds} do not generalise; with decay from ",
             "the fit it takes {value:.2f} times the steps ({low:.2f} to {high:.2f}; p = {p:.4f}), where a ratio ",
             "below {same:g} is called the same (other bars: {bars})"))  # fmt: skip
def after_the_fit(runs: Runs, *, same: float = SAME) -> Finding:
    """Weight decay acts after the fit: stopped there nothing generalises, begun there nothing is lost.

    Lost is what an exact test of the pairs of one seed finds. With correction where something is, but the interval of
    the ratio ends below `same`. The two arms were chosen when twelve seeds had been seen; twelve others decide.
    """
    if not enough(*(runs[name] for name in ("free", *AFTER)), least=SEEDS):
        return judge(None, seeds=0, late=0, p=np.nan, same=same, value=np.nan, low=np.nan, high=np.nan)
    until, begun = (effect(runs[arm], runs["free"], CAP) for arm in AFTER)
    stopped, little = 2 * until["late"] > until["runs"], begun["high"] < same
    lost = begun["p"] <= LEVEL and begun["ratio"] > 1
    band = {name: begun[name] for name in ("low", "high", "p")}
    return judge(stopped, False if lost else True if little else None, corrected=stopped and little, elsewhere=True,
                 value=begun["ratio"], seeds=until["runs"], late=until["late"], same=same, **band)  # fmt: skip


@claim("O01", "liu2023omnigrok", READING, section=NORM, runs=asked, through=grok_times, says=SAYS)
def start(runs: Runs) -> Finding:
    """A start of larger norm delays generalisation, one of smaller norm brings it sooner."""
    return decided(runs, START)


@claim("A01", "arxiv2606.13753", READING, section=NORM, runs=asked, through=grok_times, says=SAYS)
def norm_held(runs: Runs) -> Finding:
    """Held at 0.7 to 1.45 times the norm at which free runs generalise, networks generalise later the larger it is."""
    return decided(runs, HELD)


@claim("A02", "arxiv2606.18465", READING, section=NORM, runs=asked, through=grok_times, says=SAYS)
def logit_scale(runs: Runs) -> Finding:
    """At a held norm the scale of the logits moves the delay: larger logits, later."""
    return decided(runs, SCALE)


@claim("K01", "kumar2024", READING, section=LAZY, runs=asked, through=grok_times, says=SAYS)
def lazy_to_rich(runs: Runs) -> Finding:
    """The lazier the training, the later: a larger output scale delays, a linearised network never generalises."""
    return decided(runs, RICH)


@claim("S01", "prieto2025", READING, section=DECAY, runs=asked,
       through=grok_times, says="bench Q without decay, of {seeds} runs each generalise: {said}")  # fmt: skip
def without_decay(runs: Runs) -> Finding:
    """Without the gradient's part along the weights, or with StableMax, networks generalise without weight decay."""
    tables = {name: runs[name] for name in ("no-decay", *FREE_OF_DECAY)}
    counts = {n: t.grok_step.notna() for n, t in tables.items() if t is not None and len(t) >= ENOUGH}
    most = [None if name not in counts else bool(2 * counts[name].sum() > len(counts[name])) for name in tables]
    said = ", ".join(f"{name.replace('-', ' ')} {counts[name].sum()}" for name in counts)
    needed = None if most[0] is None else not most[0]  # a control: where runs need no remedy, none is tested
    parts = [None if needed is not True else part for part in most[1:]]
    share = float(counts[FREE_OF_DECAY[0]].mean()) if FREE_OF_DECAY[0] in counts else np.nan
    seeds = max(map(len, counts.values()), default=0)
    return judge(*parts, elsewhere=True, value=share, low=0, high=1, said=said, seeds=seeds)


@claim("S02", "prieto2025", READING, section=LAZY, runs=asked, through=grok_times, says=SAYS)
def sooner(runs: Runs) -> Finding:
    """With weight decay the same two remedies bring generalisation sooner."""
    return decided(runs, STEADY)


@claim("A03", "arxiv2606.32000", READING, section=DECAY, runs=partial(asked, -1), through=grok_times, says=SAYS)
def radius(runs: Runs) -> Finding:
    """Hidden activations pulled to a sphere of radius sqrt(d) bring generalisation sooner, also without decay.

    With correction where a sphere of half the length that they have when free runs fit does; free runs of bench Q stay
    below sqrt(d). The three predictions are older than the runs, this reading of a correction is not.
    """
    return decided(runs, SPHERE, corrected_by=[*SPHERE][1:], family=len(radial()))


@claim("C01", "liu2022", "chapter 19, on section 4.1", section=FEATURES, origin="ours", runs=asked,
       through=grok_times, says=SAYS)  # fmt: skip
def features(runs: Runs) -> Finding:
    """On bench Q a given hidden layer brings generalisation sooner, also with renamed symbols.

    The frozen shuffled layer was a part until its runs were seen through: a linear read-out of wrong features cannot
    generalise, whatever is true.
    """
    return decided(runs, GIVEN, elsewhere=False)


@claim("C02", "gu2025", "chapter 19, on section 1", section=RING, origin="ours", runs=asked,
       through=grok_times, says=SAYS)  # fmt: skip
def pulled(runs: Runs) -> Finding:
    """On bench Q a steady pull to the ring that MED measures delays generalisation, a push away brings it sooner.

    Against the free run. Against a pull to a random ring, which delays more, the ring of MED brings it sooner.
    """
    return decided(runs, PULLED, elsewhere=False)
