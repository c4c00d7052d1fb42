"""What is not recorded of some experiments, and what it would cost: the last two columns of many
tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from grokbook.runs.experiment import Experiment


def with_missing(
    rows: Iterable[Mapping[str, object]], experiments: Iterable[Experiment], columns: Sequence[str]
) -> pd.DataFrame:
    """Rows of a table, one an experiment, and of each the seeds that are `missing` and their
    minutes of one core.

    `columns` are those of the rows in their order; a row without one of them has NaN there.

    Raises ValueError for more rows than experiments or fewer.

    Example:
        >>> from grokbook_chapters.gu2025 import fig5
        >>> with_missing([{"setting": "a"}], [fig5(379)], ["setting", "seeds"]).columns.tolist()
        ['setting', 'seeds', 'missing', 'core min']
    """
    found = []
    for row, experiment in zip(rows, experiments, strict=True):
        absent = len(experiment.missing_seeds())
        found.append(
            {**row, "missing": absent, "core min": experiment.predicted(absent).seconds / 60}
        )
    return pd.DataFrame(found).reindex(columns=[*columns, "missing", "core min"])
