"""Verdicts on uniformity: what the checks find, and that each can come out the other way."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.claims import choose
from grokbook.claims.uniformity import CLAIMS

VERDICTS = {
    "G01": "fails", "G02": "vacuous", "G03": "needs an assumption", "G04": "fails", "G05": "vacuous", "G06": "fails",
    "G07": "fails", "G08": "fails", "G09": "vacuous", "G10": "holds with correction", "G11": "fails", "G12": "fails",
    "G13": "fails", "G50": "holds with correction", "P03": "fails", "P04": "holds with correction", "P06": "fails",
    "P14": "fails",
}  # fmt: skip


@pytest.mark.parametrize(("name", "verdict"), VERDICTS.items())
def test_verdicts(name, verdict):
    found = choose([name])[0].finding()
    assert found.verdict == verdict
    assert np.isfinite(found.value)


def test_the_claims_of_this_chapter_are_all_there():
    assert {c.id for c in CLAIMS} == set(VERDICTS) | {"P08"}
    assert all(c.check and c.page.startswith("03_uniformity: ") for c in CLAIMS)
