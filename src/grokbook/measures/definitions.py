"""All definitions of MED side by side on one embedding."""

from __future__ import annotations

import pandas as pd

from grokbook.measures.embedding_difference import MED_DEFINITIONS, expected_initial_med, med_as
from grokbook.measures.inputs import Array, rows


def definition_table(embedding: Array, second: Array | None = None) -> pd.DataFrame:
    """One row a definition of MED: where it stands, its value here, and its expected value at initialisation.

    `embedding` and `second`, shape (p, d): the operands' tables. `expected at start` is for independent normal
    entries of variance 1/d, `value / MED` the value in units of Definition 4.2.

    Raises ParameterError for a table that is not finite numbers of shape (p, d), p >= 3.

    >>> import numpy as np
    >>> definition_table(np.eye(5)).shape
    (7, 5)
    """
    p, d = rows(embedding, least=3).shape
    unit = med_as("gu2025_def_4_2", embedding)
    values = {name: med_as(name, embedding, second) for name in MED_DEFINITIONS}
    return pd.DataFrame(
        [
            {
                "name": name,
                "source": MED_DEFINITIONS[name].source,
                "value": value,
                "expected at start": expected_initial_med(p, d, definition=name),
                "value / MED": value / unit if unit else float("nan"),
            }
            for name, value in values.items()
        ]
    )
