"""Numbers as the papers print them, with their place: data, not results of this book."""

from __future__ import annotations

import pandas as pd

TABLE_1 = (
    ("square", 30, 99.04, 91.27, 1500),
    ("square", 35, 91.07, 80.73, 1500),
    ("square", 40, 84.50, 81.68, 1700),
    ("square", 45, 79.03, 76.07, 1900),
    ("square", 50, 77.39, 66.02, 3400),
    ("square", 55, 62.09, 57.69, 2600),
    ("square", 60, 57.31, 55.18, 2200),
    ("strip", 67, 7.56, 3.58, None),
    ("strip", 60, 33.25, 17.05, 900),
    ("strip", 50, 80.10, 73.61, 1600),
    ("strip", 40, 89.89, 84.80, 1300),
)
"""Table 1 of Gu et al. 2025 (p = 97, addition, 30 % trained): split, hole, U-Acc and L-Acc in percent, GO-Epoch.

U-Acc is the upper limit of the test accuracy, L-Acc the lowest value after reaching it; GO-Epoch, the epoch of
grokking, has a tolerance of 100 (200 for SQUARE 50); "disappear" is printed where None stands here.
"""


def table_1() -> pd.DataFrame:
    """Table 1 of Gu et al. 2025 as printed: columns split, hole, U-Acc, L-Acc (percent) and GO-Epoch.

    Example:
        >>> table_1().query("split == 'strip' and hole == 67")["U-Acc"].item()
        7.56
    """
    frame = pd.DataFrame(TABLE_1, columns=["split", "hole", "U-Acc", "L-Acc", "GO-Epoch"])
    return frame.astype({"GO-Epoch": "Int64"})
