"""The provenance box: everything that is needed to make the page again."""

import json

import pytest

from grokbook.book import chapters, footer

MADE_BY = {"commit": "c" * 40, "dirty": True, "versions": {"python": "3.11.7", "torch": "2.13.0"}, "device": "CPU"}
MADE_BY |= {"fingerprint": "now"}
ENTRY = {
    "experiment": "gu2025/fig5[p=97]",
    "key": "0123456789abcdef",
    "seeds": [0, 1],
    "origin": "recorded",
    "seconds": 350.0,
    "device": "CPU (x86_64)",
    "dtype": "float32",
    "fingerprint": "now",
    "commit": "d" * 40,
    "recorded_on": "2026-11-21",
}


@pytest.fixture
def chapter(project):
    return chapters.find(project, "01")


def box(chapter, values, trace):
    return footer.box_text(chapter, values, "laptop", trace, 42.0, MADE_BY)


def test_the_box_says_commit_versions_preset_parameters_and_time(chapter):
    text = box(chapter, chapter.values("laptop"), [])
    for part in (
        "`cccccccccc` with local changes",
        "python 3.11.7, torch 2.13.0",
        "preset `laptop`",
        "device CPU",
        "42 s in all",
        "`p = 59`",
        "nothing was trained or loaded",
        "grokbook run 01 --preset laptop\n",
    ):
        assert part in text


def test_the_command_has_what_differs_from_the_preset(chapter):
    values = chapter.values("laptop", {"p": 113, "train_fraction": 0.4})
    assert footer.command(chapter, values, "laptop") == (
        "grokbook run 01 --preset laptop -p p=113 -p train_fraction=0.4"
    )


def test_each_dataset_has_key_seeds_dtype_device_origin_and_seconds(chapter):
    text = box(chapter, chapter.values("laptop"), [ENTRY])
    for part in (
        "`gu2025/fig5[p=97]`",
        "`0123456789ab`",
        "seeds 0, 1",
        "float32, CPU (x86\\_64)",
        "recorded on 2026-11-21",
        "6 min of training",
    ):
        assert part in text
    assert "changed since" not in text


@pytest.mark.parametrize(
    ("origin", "said"),
    [("trained", "trained while this page was built"), ("cached", "this machine's own store")],
)
def test_the_origin_of_a_dataset_is_said(chapter, origin, said):
    assert said in box(chapter, chapter.values("laptop"), [{**ENTRY, "origin": origin}])


def test_a_record_of_older_code_is_said_to_be_one(chapter):
    text = box(chapter, chapter.values("laptop"), [{**ENTRY, "fingerprint": "then"}])
    assert "**the library's code has changed since** (it was commit `dddddddddd`)" in text


def test_a_dataset_read_twice_is_named_once(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_text(2 * (json.dumps(ENTRY) + "\n"))
    assert footer.read_trace(path) == [ENTRY]
    assert footer.read_trace(tmp_path / "none") == []
