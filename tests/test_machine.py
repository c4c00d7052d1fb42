"""What a process may use: its share of the cores, and memory that is free."""

import math
import os

import pytest

from grokbook import machine


@pytest.mark.parametrize("share", ["", "0", "-1", "many", "1.5"])
def test_a_share_that_is_no_number_of_cores_is_none(monkeypatch, share):
    monkeypatch.setenv(machine.CORES, share)
    assert machine.cores() == os.cpu_count()


def test_a_share_is_what_a_process_may_use(monkeypatch):
    monkeypatch.setenv(machine.CORES, "3")
    assert machine.cores() == 3


def test_free_memory_is_what_is_available_within_the_limit_of_the_group(tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  2000000 kB\n")
    assert machine._available(tmp_path / "meminfo") == 2048
    assert machine._available(tmp_path / "absent") == machine._left_in_group(tmp_path) == math.inf
    group = {"memory.max": "max", "memory.current": "600000000", "memory.stat": "anon 1\ninactive_file 100000000\n"}
    for name, text in group.items():
        (tmp_path / name).write_text(text)
    assert machine._left_in_group(tmp_path) == math.inf
    (tmp_path / "memory.max").write_text("1000000000\n")
    assert machine._left_in_group(tmp_path) == 500
