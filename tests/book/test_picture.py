"""The README's picture is drawn from the recorded runs, or not at all."""

from __future__ import annotations

import pytest

from grokbook.book import picture
from grokbook.errors import RecordError
from grokbook.paths import project_root


def test_without_records_there_is_no_picture(tmp_path, monkeypatch):
    monkeypatch.setattr(picture, "recorded", lambda experiment: None)
    with pytest.raises(RecordError, match=r"gu2025/fig5\[p=97\] are not recorded"):
        picture.draw(tmp_path / "picture.png")
    assert not list(tmp_path.iterdir())


def test_the_recorded_runs_give_the_committed_picture(tmp_path):
    if picture.recorded(picture.fig5(97)) is None:
        pytest.skip("the runs at p = 97 are not recorded in this checkout")
    drawn = picture.draw(tmp_path / "picture.png").read_bytes()
    assert drawn[:8] == b"\x89PNG\r\n\x1a\n"
    assert (project_root() / picture.PICTURE).stat().st_size == pytest.approx(len(drawn), rel=0.2)
