"""Chapter 01: its claims on made-up runs, where the answer is known; its page asks for the runs of
its parameters."""

from pathlib import Path

import pandas as pd
import pytest
from omnigrok import start_and_decay as chapter

from companion.claims import Runs
from companion.page import sources

ROOT = Path(__file__).resolve().parents[1]


def of(labels, steps):
    return Runs(
        {
            label: pd.DataFrame({"grok_step": [step] * 3})
            for label, step in zip(labels, steps, strict=True)
        }
    )


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [((1, 2, 3, 4), "holds"), ((1, 2, 3, None), "holds"), ((1, 3, 2, 4), "undecided")],
)
def test_a_larger_start_is_later_where_every_median_is_and_a_run_that_never_gets_there_is_last(
    steps, verdict
):
    assert chapter.start_delays(of(chapter.STARTS, steps)).verdict == verdict


@pytest.mark.parametrize(
    ("power", "verdict"), [(-1, "holds"), (-0.5, "holds with correction"), (1, "undecided")]
)
def test_the_wait_is_inverse_where_the_slope_is_minus_one_within_a_quarter(power, verdict):
    finding = chapter.decay_is_inverse(
        of(chapter.DECAYS, [100 * decay**power for decay in chapter.DECAYS])
    )
    assert finding.verdict == verdict and finding.value == pytest.approx(power)


def test_with_too_few_runs_every_claim_is_open():
    assert {
        claim(Runs()).verdict for claim in (chapter.start_delays, chapter.decay_is_inverse)
    } == {"undecided"}


def test_every_preset_asks_for_the_runs_of_its_parameters():
    for chapter_ in sources.load_all(ROOT):
        for preset in chapter_.presets:
            page = chapter_.page(preset)
            assert {len(run.seeds) for run in page.experiments().values()} == {
                page.values["n_seeds"]
            }
