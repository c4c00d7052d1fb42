"""What the tests of several rooms ask of other processes."""

import multiprocessing
import subprocess
import time
from collections.abc import Callable
from pathlib import Path


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder as somebody; what it prints."""
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def children(pid: int) -> list[int]:
    """Process ids of the children of a process."""
    return [
        int(c)
        for path in Path(f"/proc/{pid}/task").glob("*/children")
        for c in path.read_text().split()
    ]


def alive(pid: int) -> bool:
    """Whether a process runs: it is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def all_end(pids: list[int], patience: float = 60) -> bool:
    """Whether these processes end, after some patience if need be."""
    return any(not any(map(alive, pids)) or time.sleep(0.05) for _ in range(int(patience / 0.05)))


def forked(work: Callable[..., object], *arguments: object) -> multiprocessing.process.BaseProcess:
    """A process that was started to do this: a fork of a server that has loaded the library and has
    one thread. A fork of the tests' own process could wait for ever for a lock that a thread of
    another test (Dask's, say) held.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["grokbook.public", "companion.announced"])
    process = context.Process(target=work, args=arguments)
    process.start()
    return process
