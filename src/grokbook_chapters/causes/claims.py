"""What chapter 19 settles: the central sentence of each explanation outside the four papers, and
two of our own.

A sentence of others speaks of networks in general, and ours are not theirs, whose texts are not at
hand. So it is asked of every bench of which it predicted something before the runs, and each
prediction of `predictions.csv` is a part: true where the observed word is the predicted one, false
where it is another, not known where the arm is open, did not fit or was not run. It holds where all
parts are true; where one is false our benches do not decide it. Until bench T was set beside it
each of these sentences was asked of bench Q alone: the rule was mended after the runs. A sentence
of ours is about bench Q, and fails where it is false there.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd

from companion.claims import Finding, Runs, claim, judge
from companion.claims.finding import ENOUGH, Part, most, some_of
from grokbook.curves.delay import grok_times
from grokbook.runs.experiment import Experiments
from grokbook_chapters.causes.effects import BENCHES, PART, compared, judged, predictions
from grokbook_chapters.causes.runs import arms
from grokbook_chapters.labelled import Tables

READING = "central statement (our reading)"
DECAY = "Weight decay acts after the fit"
NORM = "At a held norm, larger is later"
MED = "What does not drive it"
SAYS = "ratios of grok steps, or counts of runs that had not generalised by the last step: {said}"
FREE_OF_DECAY = ("gradient-orthogonal-no-decay", "stablemax-no-decay")

Arms = Mapping[tuple[str, str], str]
"""(bench, arm) -> the word that is claimed of it."""


def asked(benches: tuple[str, ...] = BENCHES) -> Experiments:
    """Every arm of some benches by bench and name: a corrected p value needs all that were fixed
    together."""
    experiments = {}
    for bench in benches:
        experiments |= {(bench, name): arm for name, arm in arms(bench).items()}
    return experiments


def predicted(explanation: str, *names: str) -> dict[tuple[str, str], str]:
    """What an explanation predicts of some arms, on the benches of which it says something.

    Example:
        >>> predicted("numerics", "stablemax")
        {('Q', 'stablemax'): 'shorter', ('T', 'stablemax'): 'shorter'}
    """
    table = predictions()
    own = table[(table.explanation == explanation) & table.arm.isin(names)]
    said = own.melt("arm", BENCHES, "bench", "word").query("word != ''")
    return {(row.bench, row.arm): row.word for row in said.itertuples()}


def decided(runs: Runs, claimed: Arms, *, elsewhere: bool = True) -> Finding:
    """A finding whose parts are what is claimed of arms; its value is the ratio of the first.

    An arm with fewer than `ENOUGH` seeds is not known.
    """
    times: dict[str, Tables] = {bench: {} for bench, _ in claimed}
    for (bench, arm), table in runs.items():
        if bench in times and len(table) >= ENOUGH:
            times[bench][arm] = table
    effects = {bench: compared(tables, bench) for bench, tables in times.items()}
    parts: list[Part] = []
    words = []
    band = {}
    for (bench, arm), claimed_word in claimed.items():
        if arm not in effects[bench].index:
            parts.append(None)
            continue
        row = effects[bench].loc[arm]
        parts.append(PART[judged(claimed_word, row.observed)])
        words.append(f"{bench}: {arm.replace('-', ' ')} {_told(row)}, claimed {claimed_word}")
        if len(parts) == 1:
            band = {"value": row.ratio, "low": row.low, "high": row.high}
    return judge(*parts, elsewhere=elsewhere, said="; ".join(words), **band)


def _told(row: pd.Series) -> str:
    """What was observed, with the ratio where it is one: a lower bound where a run stands at the
    last step."""
    if row.observed in ("never", "rarely", "unfit"):
        return f"{row.observed} ({row.late:.0f} of {row.runs:.0f})"
    bound = "at least " if row.late else ""
    return f"{row.observed} ({bound}{row.ratio:.2f})"


general = partial(claim, place=READING, runs=asked, through=grok_times, says=SAYS)
about_q = partial(claim, origin="ours", runs=partial(asked, ("Q",)), through=grok_times, says=SAYS)


@general("V01", "varma2023", section=DECAY)
def after_the_fit(runs: Runs) -> Finding:
    """Weight decay acts after the fit: stopped there nothing generalises, begun there nothing is
    lost."""
    phases = ("decay-until-the-fit", "decay-from-the-fit")
    return decided(runs, predicted("circuit efficiency", *phases))


@general("O01", "liu2023omnigrok", section=NORM)
def start(runs: Runs) -> Finding:
    """A start of larger norm delays generalisation, one of smaller norm brings it sooner."""
    return decided(runs, predicted("start", "start-double", "start-half"))


@general("A01", "arxiv2606.13753", section=NORM)
def norm_held(runs: Runs) -> Finding:
    """Held at 0.7 to 1.45 times the norm at which free runs generalise, networks generalise later
    the larger it is.

    A final LayerNorm, as on bench T, should remove this: the words of the prediction say so for T.
    """
    held = ("norm-at-0.7", "norm-at-0.85", "norm-at-1.2", "norm-at-1.45")
    return decided(runs, predicted("weight norm", *held))


@general("A02", "arxiv2606.18465", section=NORM)
def logit_scale(runs: Runs) -> Finding:
    """At a held norm the scale of the logits moves the delay: larger logits, later.

    Bench L has no softmax, and so no logits: there it should do nothing.
    """
    scales = ("temperature-double-norm-held", "temperature-half-norm-held")
    return decided(runs, predicted("logit scale", *scales))


@general("K01", "kumar2024", section=NORM)
def lazy_to_rich(runs: Runs) -> Finding:
    """The lazier the training, the later: a larger output scale delays, a linearised network never
    generalises."""
    return decided(runs, predicted("lazy to rich", "lazy-4", "rich-4", "linearised", "centred"))


@claim(
    "S01",
    "prieto2025",
    READING,
    section=DECAY,
    runs=partial(asked, ("Q", "T")),
    through=grok_times,
    says="without decay, of the runs of each arm there generalise {said}",
)
def without_decay(runs: Runs) -> Finding:
    """Without the gradient's part along the weights, or with StableMax, networks generalise without
    weight decay.

    Only where runs without a remedy do not; and that none has by the last step refutes nothing.
    """
    parts: list[Part] = []
    words = []
    for bench in ("Q", "T"):
        mostly: dict[str, Part] = {}
        for arm in ("no-decay", *FREE_OF_DECAY):
            table = runs[bench, arm]
            if table is not None:
                generalises = table.grok_step.notna()
                mostly[arm] = most(generalises)
                words.append(f"{bench}: {arm.replace('-', ' ')} {some_of(generalises)}")
        needed = mostly.get("no-decay") is False
        parts += [(needed and mostly.get(arm)) or None for arm in FREE_OF_DECAY]
    return judge(*parts, elsewhere=True, said=", ".join(words))


@general("S02", "prieto2025", section=DECAY)
def sooner(runs: Runs) -> Finding:
    """With weight decay the same two remedies bring generalisation sooner."""
    return decided(runs, predicted("numerics", "gradient-orthogonal-from-the-fit", "stablemax"))


@general("A03", "arxiv2606.32000", section=DECAY, runs=partial(asked, ("Q",)))
def radius(runs: Runs) -> Finding:
    """Hidden activations pulled to a sphere of radius sqrt(d) bring generalisation sooner, also
    without decay.

    The radius of two of the three arms is ours, half of the length that they have when free runs
    fit: free runs of bench Q stay below sqrt(d). That these two come out is no correction of what
    happens at the printed radius.
    """
    spheres = ("radius-at-root-width", "radius-at-half", "radius-at-half-no-decay")
    return decided(runs, predicted("radial suppression", *spheres))


@about_q("C01", "liu2022", "chapter 19, on section 4.1", section=MED)
def features(runs: Runs) -> Finding:
    """On bench Q a given hidden layer brings generalisation sooner, also with renamed symbols.

    The frozen shuffled layer was a part until its runs were seen through: a linear read-out of
    wrong features cannot generalise, whatever is true.
    """
    claimed = {("Q", "embedding-given"): "shorter", ("Q", "embedding-given-renamed"): "shorter"}
    return decided(runs, claimed, elsewhere=False)


@about_q("C02", "gu2025", "chapter 19, on section 1", section=MED)
def pulled(runs: Runs) -> Finding:
    """On bench Q a steady pull to the ring that MED measures delays generalisation, a push away
    brings it sooner.

    Against the free run. Against a pull to a random ring, which delays more, the ring of MED brings
    it sooner.
    """
    claimed = {("Q", "ring-of-step-1"): "longer", ("Q", "ring-of-step-1-away"): "shorter"}
    return decided(runs, claimed, elsewhere=False)
