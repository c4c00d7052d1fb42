"""Memory that a process keeps."""

import subprocess
import sys

import pytest

from grokbook.machine import KEEP_MEMORY

FAULTS = """
import resource
import numpy
from grokbook.machine import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(4):
        numpy.full(2**22, 1.0)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

given_back = faults()
keep_freed_memory()
faults()
print(given_back, faults())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="another allocator")
def test_blocks_that_were_freed_are_used_again(monkeypatch):
    """Four blocks of 32 MB, one after the other: pages that the system fills anew, and none."""
    for name in KEEP_MEMORY:
        monkeypatch.delenv(name, raising=False)
    command = [sys.executable, "-c", FAULTS]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    given_back, kept = map(int, answer.stdout.split())
    assert given_back >= 4 * 2**25 / 2**21 > kept  # pages of 2 MB at most
