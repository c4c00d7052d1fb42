"""Settings of every test: property tests have no deadline, runs stay in this process; the reference
numbers."""

import gc
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["small_project"]

settings.register_profile("grokbook", deadline=None, max_examples=50, derandomize=True)
settings.register_profile("nightly", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "grokbook"))

# a process of its own takes longer to start than most runs of the tests
os.environ.setdefault("GROKBOOK_CORES", "1")

# until all tests are collected: most of what is made until then stays, and is searched again and
# again
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def oracle() -> Callable[[str], object]:
    """The value of a reference entry by its id; skips the test where the reference is not at
    hand."""
    folders = [
        parent.joinpath("shared", "reference") for parent in Path(__file__).resolve().parents
    ]
    found = next((f / "oracles.json" for f in folders if (f / "oracles.json").is_file()), None)
    if found is None:
        pytest.skip("the reference values are not beside this checkout")
    values = {entry["id"]: entry["value"] for entry in json.loads(found.read_text())}

    def value(name: str) -> object:
        if name not in values:
            pytest.skip(f"the reference has no {name}")
        return values[name]

    return value
