"""Figures of chapter 13: quotients as graphs, shares of training cells that suffice, and the plane
of the matrices."""

from __future__ import annotations

import numpy as np

from grokbook_chapters.groups.group_deduction import deduced


def quotient_edges(
    table: np.ndarray, trained: np.ndarray, q: int
) -> dict[str, list[tuple[int, int]]]:
    """The edges (b, d) of the graph of q, E_bq E_d = E_b E_qd: those of two trained cells, and
    those deduced besides.

    Example:
        >>> from grokbook.tasks.groups import cayley_table
        >>> edges = quotient_edges(cayley_table("S3"), np.ones((6, 6)), 1)
        >>> len(edges["trained"]), len(edges["deduced"])
        (36, 0)
    """
    b, d = np.indices(table.shape)
    known = deduced(table, trained)[table[table[b, q], d], table[b, q], b]
    mask = np.asarray(trained) > 0
    seen = mask[table[b, q], d] & mask[b, table[q, d]]
    return {"trained": np.argwhere(seen).tolist(), "deduced": np.argwhere(known & ~seen).tolist()}
