"""A short run of .ci/trust/fuzz.py: hostile input is accepted or gets one sentence, in time; and it can fail."""

import importlib.util
import sys
import time

import pytest
from project_tree import ROOT

from grokbook.errors import ParameterError


@pytest.fixture(scope="module")
def fuzz():
    """The script, with chapters and experiments read."""
    sys.path.insert(0, str(ROOT / ".ci" / "trust"))
    spec = importlib.util.spec_from_file_location("fuzz_script", ROOT / ".ci" / "trust" / "fuzz.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path.pop(0)
    module.prepared()
    return module


@pytest.mark.parametrize(
    ("kind", "tries"), [("parameters", 100), ("operations", 300), ("tasks", 100), ("grids", 20), ("times", 300)]
)
def test_hostile_input_gets_a_sentence_in_time(fuzz, kind, tries):
    assert fuzz.inside(kind, tries, seed=0) == []


def test_hostile_files_get_a_sentence_though_a_pipe_would_wait_for_ever_and_a_device_never_ends(fuzz, tmp_path):
    count, found = fuzz.outside(tmp_path, {"files"}, slower=1)["files"]
    assert found == [] and count > 20 and not list(tmp_path.rglob("owned"))


def test_a_traceback_a_hang_and_a_message_that_is_too_long_are_found(fuzz, monkeypatch):
    monkeypatch.setattr(fuzz, "LIMIT", 0.05)

    def refuse(sentence):
        raise ParameterError(sentence)

    def busy():
        try:
            while True:
                pass
        except Exception:
            pass

    assert fuzz.tried(lambda: 1 / 0).startswith("ZeroDivisionError")
    assert fuzz.tried(busy).startswith("hung") and fuzz.tried(lambda: time.sleep(9)).startswith("hung")
    assert fuzz.tried(lambda: refuse("x" * 9000)).startswith("said") and fuzz.tried(lambda: refuse("no.")) is None
