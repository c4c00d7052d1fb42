"""The provenance box: everything that is needed to make the page again."""

import json

import pytest

from grokbook.book import chapters, footer

MADE_BY = {"commit": "c" * 40, "dirty": True, "versions": {"python": "3.11.7", "torch": "2.13.0"}, "device": "CPU"}
MADE_BY |= {"fingerprint": "now"}
ENTRY = {"experiment": "gu2025/fig5[p=97]", "key": "0123456789abcdef", "seeds": [0, 1], "origin": "recorded"}
ENTRY |= {"seconds": 350.0, "device": "CPU (x86_64)", "dtype": "float32", "fingerprint": "now", "commit": "d" * 40}
ENTRY |= {"recorded_on": "2026-11-21"}


@pytest.fixture
def box(project):
    chapter = chapters.find(project, "01")
    return lambda trace: footer.box_text(chapter, chapter.values("laptop"), "laptop", trace, 42.0, MADE_BY)


def test_the_box_says_commit_versions_preset_parameters_and_time(box):
    said = ["`cccccccccc` with local changes", "python 3.11.7, torch 2.13.0", "preset `laptop`", "device CPU"]
    said += ["`p = 59`", "42 s in all", "nothing was trained or loaded", "grokbook run 01 --preset laptop\n"]
    assert [part for part in said if part not in box([])] == []


def test_the_command_has_what_differs_from_the_preset(project):
    chapter = chapters.find(project, "01")
    values = chapter.values("laptop", {"p": 113, "train_fraction": 0.4})
    assert footer.command(chapter, values, "laptop") == (
        "grokbook run 01 --preset laptop -p p=113 -p train_fraction=0.4"
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, "`gu2025/fig5[p=97]` (record `0123456789ab`), seeds 0, 1, float32, CPU (x86\\_64): recorded on"),
        ({}, "recorded on 2026-11-21, 6 min of training.\n"),
        ({"origin": "trained"}, "trained while this page was built"),
        ({"origin": "cached"}, "this machine's own store"),
        ({"fingerprint": "then"}, "**the library's code has changed since** (it was commit `dddddddddd`)"),
    ],
)
def test_a_dataset_has_key_seeds_dtype_device_origin_seconds_and_the_code_that_made_it(box, changed, said):
    assert said in box([{**ENTRY, **changed}])


def test_a_dataset_read_twice_is_named_once(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_text(2 * (json.dumps(ENTRY) + "\n"))
    assert footer.read_trace(path) == [ENTRY]
    assert footer.read_trace(tmp_path / "none") == []
