"""Where a number comes from."""

import datetime
import json
import platform
import re

import numpy as np
import pytest
import torch

import grokbook
from grokbook.runs import provenance as module
from grokbook.runs.provenance import commit, device_name, precision, provenance
from processes import git


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A git checkout with one committed source file."""
    for name in ("notebooks", "book", "src", "tests"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file.py").write_text("1\n")
    (tmp_path / "book" / "_config.yml").write_text("")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    monkeypatch.setenv("GROKBOOK_HOME", str(tmp_path))
    return tmp_path


def test_the_commit_whether_sources_differ_from_it_and_none_outside_a_checkout(
    checkout, monkeypatch
):
    head = git(checkout, "rev-parse", "HEAD")
    assert re.fullmatch(r"[0-9a-f]{40}", head) and commit() == (head, False)
    (checkout / "tests" / "file.py").write_text("2\n")
    assert commit() == (head, False)
    (checkout / "src" / "file.py").write_text("2\n")
    assert commit() == (head, True)
    monkeypatch.setenv("GROKBOOK_HOME", str(checkout.parent))
    assert commit() == ("unknown", False)


def test_provenance_is_plain_and_complete():
    made = provenance("cpu", "bfloat16")
    assert json.loads(json.dumps(made)) == made
    told = {
        "commit",
        "dirty",
        "versions",
        "device",
        "processor",
        "dtype",
        "recorded_on",
        "recorded_at",
    }
    assert set(made) == told and made["processor"].startswith(
        torch.backends.cpu.get_cpu_capability()
    )
    expected = {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }
    assert expected | {"grokbook": grokbook.__version__} == {
        name: made["versions"][name] for name in ("python", "torch", "numpy", "grokbook")
    }
    assert made["dtype"] == "bfloat16"
    at = datetime.datetime.fromisoformat(made["recorded_at"])
    assert (
        at.date().isoformat() == made["recorded_on"] and not at.utcoffset() and not at.microsecond
    )
    assert abs(datetime.datetime.now(datetime.UTC) - at) < datetime.timedelta(minutes=5)


def test_rounded_products_of_a_gpu_are_named(monkeypatch):
    monkeypatch.setattr(module.torch, "get_float32_matmul_precision", lambda: "high")
    assert precision("cuda:0") == "float32 (products in TF32)" == provenance("cuda")["dtype"]
    assert precision("cpu") == "float32"


def test_the_device_has_a_readable_name(monkeypatch):
    assert device_name("cpu") == f"CPU ({platform.machine()})"
    monkeypatch.setattr(module.torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(module.torch.cuda, "get_device_name", lambda: "A GPU")
    assert (device_name("cuda"), device_name("cpu")) == ("A GPU", f"CPU ({platform.machine()})")
