"""The scripts of .ci/trust: what a mutation run changes, and places and tests of ten lies."""

import importlib.util
import json
import re

import pytest
from project_tree import ROOT

TRUST = ROOT / ".ci" / "trust"
SEMANTIC = json.loads((TRUST / "mutants.json").read_text(encoding="utf-8"))["semantic"]


@pytest.fixture(scope="module")
def changes():
    """The function that lists the changes of a module's text."""
    spec = importlib.util.spec_from_file_location("changes", TRUST / "changes.py")
    module = importlib.util.module_from_spec(spec)
    __import__("sys").modules["changes"] = module
    spec.loader.exec_module(module)
    return module.changes


@pytest.mark.parametrize("lie", SEMANTIC, ids=lambda lie: lie["lie"])
def test_a_lie_names_a_place_that_is_there_and_tests_that_are_there(lie):
    assert (ROOT / "src" / "grokbook" / lie["file"]).read_text(encoding="utf-8").count(lie["old"]) == 1
    assert lie["old"] != lie["new"] and lie["tests"]
    for test in lie["tests"]:
        file, name = test.split("[")[0].split("::")
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.M), test


MADE = {
    "if a < b:\n    pass": {"(a <= b)", "(a > b)", "(not (a < b))"},
    "x = a - 2": {"((a) + (2))", "3"},
    "x = np.conj(z).sum(axis=0)": {"(z)", "np.conj(z).mean", "1", "np.conj(z).sum()"},
    "x = [v for v in vs if v.censored]": {"True"},
    "with FileLock(p):\n    os.fsync(f)": {"__import__('contextlib').nullcontext()", "None"},
    "x = draw(seed)": {"0"},
    "x = ~mask & late": {"((~mask) | (late))", "(mask)"},
    '"""Text 1."""\nraise ParameterError(f"{1 + 1}")': set(),
    'x = "é" + name, any(flags)': {"all"},
}


@pytest.mark.parametrize("text", MADE)
def test_a_line_has_these_changes_and_messages_have_none(changes, text):
    found = changes("m.py", text)
    assert {change.new for change in found} == MADE[text]
    for change in found:
        assert change.old in text and compile(change.applied(text), "m.py", "exec")
