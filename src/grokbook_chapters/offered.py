"""The runs behind values that the site offers beside a page's own (`sets` in a front matter).

They are recorded where a build has no minutes to train them; each is as its page plans it.
"""

from __future__ import annotations

from dataclasses import replace

from grokbook.runs.experiment import Experiment
from grokbook_chapters import (
    feature_emergence,
    holes,
    images,
    phase_diagrams,
    progress_measures,
    resnet_grokking,
    separability_and_depth,
    symmetric_form,
    trained_toys,
    transformer_representations,
    what_is_grokking,
    width_and_initialisation,
)


def offered() -> dict[str, Experiment]:
    """The runs of the sets that a build has no minutes to train, by name.

    Example:
        >>> sorted(offered())[-1]
        'small/toy[seed=0]'
    """
    another_prime = what_is_grokking.plan(31, 0.85, 48, 2_000, 3)
    fewer_pairs = what_is_grokking.plan(37, 0.5, 48, 2_000, 3)
    experiments = [
        another_prime["live"],
        another_prime["random"],
        fewer_pairs["live"],
        fewer_pairs["random"],
        *symmetric_form.plan(19, 0.6, 32, 6_000, 3).values(),
        *holes.plan(31, 6, 0.6, 2_000).values(),
        *holes.plan(31, 14, 0.45, 2_000).values(),
        progress_measures.plan(29, 0.6, 32, 1_600, 1)["live"],
        separability_and_depth.plan(47, 0.8, 32, 1_600, 3)["probed"],
        separability_and_depth.plan(47, 0.4, 32, 1_600, 3)["probed"],
    ]
    starts = width_and_initialisation.plan(31, 0.7, 48, 1_000, 2, "toeplitz")
    five = width_and_initialisation.plan(37, 0.7, 48, 1_000, 5, "toeplitz")
    stages = feature_emergence.plan(29, 128, 0.6, 2e-4, 2_000, 3)
    experiments += [*starts.values(), *five.values(), *stages.values()]
    # these have one name at all values
    pictures = resnet_grokking.plan(5, 0.75, 0.0, 1_400, 1)["live"]
    digits = images.plan(100, 4.0, 10_000, 2)["large"]
    few_digits = images.plan(50, 8.0, 10_000, 2)["usual"]
    toy = trained_toys.plan(45, 0, 5_000)["live"]
    few_sums = trained_toys.plan(30, 58, 5_000)["live"]
    lost_sums = phase_diagrams.plan(4, 2, 3_000, 9)["live"]
    decayed = feature_emergence.plan(23, 128, 0.6, 1e-3, 2_000, 3)["decay"]
    experiments += [
        replace(pictures, name="live/shapes[decay=0]"),
        replace(digits, name="live/digits[spread=4]"),
        replace(few_digits, name="live/digits[n=50, usual]"),
        replace(toy, name="small/toy[seed=0]"),
        replace(few_sums, name="small/toy[samples=30]"),
        replace(lost_sums, name="live/phases[seed=9]"),
        replace(decayed, name="live/stages[M=23, decay=0.001]"),
    ]
    for decay in (0.0, 10.0):
        encoder = transformer_representations.plan(17, 0.8, 32, decay, 1_200, 1)["live"]
        experiments.append(replace(encoder, name=f"live/encoder[decay={decay:g}]"))
    return {experiment.name: experiment for experiment in experiments}


RUNS = (offered,)
