"""Kernels of chapters: each in a session of its own, which ends when the command that started it
does.

On Linux most are forks of one process, `python -m companion.site.kernel`, which has loaded the
libraries of the pages: each kernel would take seconds for that. Elsewhere `python -m
companion.site.kernel -f FILE` is a kernel itself.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import runpy
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT, Popen
from typing import Any, TextIO

from grokbook.errors import ChapterError
from grokbook.machine import KEEP_MEMORY, answers, started

WATCH_SECONDS = 0.5
"""How often a kernel looks whether its parent is still there."""
LOADED = (
    "ipykernel.kernelapp",
    "torch",
    "xarray",
    "h5py",
    "sympy",
    "scipy.optimize",
    "scipy.stats",
    "seaborn",
)
"""What a kernel finds loaded: nothing of grokbook, whose modules may ask where they are."""
LOG = "kernel.log"
"""The file in a kernel's folder with what it writes beside its cells."""
ENVIRONMENT = KEEP_MEMORY | {
    "OMP_NUM_THREADS": "1",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "PYTHONHASHSEED": "0",
}
"""Variables of every kernel; Python and these libraries read them when they are loaded."""


class Kernels:
    """The kernels that a command runs, to be ended together."""

    def __init__(self) -> None:
        self._running: set[int] = set()

    @contextlib.contextmanager
    def options(self, folder: Path, environment: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Options of a notebook client for one kernel of this very interpreter, whose files lie in
        `folder`.

        The user's kernels, IPython profile and PYTHONSTARTUP are left out of it, so that a page
        does not depend on them. When the block ends, so do the kernel and all that it started.
        """
        from traitlets.config import Config

        pids: list[int] = []

        def note(pid: int) -> None:
            pids.append(pid)
            self._running.add(pid)

        try:
            manager = _manager(folder, {**ENVIRONMENT, **_own_folders(folder), **environment}, note)
            # no other user may listen, and no two kernels take one port
            file = str(folder / "connection.json")
            private = {"transport_encryption": "auto", "cache_ports": True, "connection_file": file}
            config = Config(KernelManager=private)
            yield {
                "kernel_manager_class": manager,
                "shutdown_kernel": "immediate",
                "config": config,
            }
        finally:
            for pid in pids:
                _end(pid)
                self._running.discard(pid)

    def end(self) -> None:
        """End every kernel that runs, and all that they started."""
        for pid in list(self._running):
            _end(pid)


def _own_folders(folder: Path) -> dict[str, str]:
    """Variables with which a kernel keeps what is its own in `folder`; a home only where there is
    none.

    Without one, as of a user that the system does not know, Jupyter ends before the first cell.
    """
    own = {"IPYTHONDIR": str(folder / "ipython")}
    try:
        Path.home()
    except RuntimeError:
        own["HOME"] = str(folder)
    return own


def _end(session: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(session, signal.SIGKILL)


def _manager(folder: Path, environment: Mapping[str, str], note: Callable[[int], None]) -> type:
    """A kernel manager of one specification, found without asking what kernels are installed."""
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    command = [sys.executable, "-Xfrozen_modules=off", "-m", __name__, "-f", "{connection_file}"]
    names = {"argv": command, "display_name": "grokbook", "language": "python"}
    about = {"supported_encryption": ["curve"], "debugger": False}
    # IPython would run the user's file
    plain = {"PYDEVD_DISABLE_FILE_VALIDATION": "1", "PYTHONSTARTUP": ""}
    spec = KernelSpec(**names, metadata=about, env={**plain, **environment})

    class Manager(AsyncKernelManager):
        kernel_spec = spec

        async def start_kernel(self, **options: Any) -> None:
            with (folder / LOG).open("wb") as log:
                await self._async_start_kernel(**options, stdout=log, stderr=STDOUT)
            note(self.provisioner.pid)

        async def _async_launch_kernel(self, kernel_cmd: list[str], **options: Any) -> None:
            if sys.platform != "linux":
                return await super()._async_launch_kernel(kernel_cmd, **options)
            job = {
                "arguments": kernel_cmd[kernel_cmd.index("-f") :],
                "env": options["env"],
                "cwd": str(options.get("cwd") or os.getcwd()),
                "log": str(folder / LOG),
            }
            self.provisioner.process = _Forked(_fork(job))
            self.provisioner.pid = self.provisioner.pgid = self.provisioner.process.pid
            self._reconcile_connection_info(self.provisioner.connection_info)

    return Manager


# -------------------------------------------------------------------------------------------- forks


class _Forked:
    """What a kernel manager asks of a process, for one that is no child of this process."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return -signal.SIGKILL
        return None

    def wait(self) -> int:
        while (code := self.poll()) is None:
            time.sleep(0.02)
        return code

    def send_signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    terminate = kill


_ASKING = threading.Lock()


def _fork(job: Mapping[str, Any]) -> int:
    """Let the process that has the libraries fork a kernel; the kernel's process id."""
    with _ASKING, contextlib.suppress(BrokenPipeError):
        process, answered = _loaded(os.getpid())
        process.stdin.write(json.dumps(job).encode() + b"\n")
        process.stdin.flush()
        if pid := answered.readline():
            return int(pid)
    _loaded.cache_clear()
    raise ChapterError(
        f"no kernel starts: `{sys.executable} -c 'import {', '.join(LOADED)}'` may say why."
    )


@lru_cache(maxsize=1)
def _loaded(parent: int) -> tuple[Popen[bytes], TextIO]:
    """The process that has the libraries; it ends when its standard input does, with `parent` at
    the latest."""
    # nothing of the current folder is loaded
    command = [sys.executable, "-P", "-Xfrozen_modules=off", "-m", __name__]
    streams = {"stdin": PIPE, "stdout": DEVNULL, "stderr": DEVNULL}
    return started(command, os.environ | ENVIRONMENT, start_new_session=True, **streams)


def _serve() -> dict[str, Any]:
    """Load the libraries, then fork a kernel for each job of standard input; returns the job, in
    the fork."""
    for name in LOADED:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead are not kept
    own = str(os.getpid())
    for line in sys.stdin:
        if not os.fork():
            job = json.loads(line)
            return job | {"env": job["env"] | {"JPY_PARENT_PID": own}}
    sys.exit()


def _become(job: Mapping[str, Any], answered: TextIO) -> None:
    """Make of a fork what a process of its own would be, and say its process id."""
    os.setsid()
    print(os.getpid(), file=answered)
    answered.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(job["env"])
    os.chdir(job["cwd"])
    if not os.environ.get("PYTHONSAFEPATH"):
        installed = ("site-packages", "dist-packages")
        before = 0
        while before < len(sys.path) and Path(sys.path[before]).name not in installed:
            before += 1
        sys.path.insert(before, job["cwd"])  # as IPython does it: behind Python's own modules
    sys.argv = [sys.argv[0], *job["arguments"]]
    log = os.open(job["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)


def _watch(parent: int) -> None:
    """End this session when the parent is gone."""
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    if not sys.argv[1:]:
        answered = answers()
        _become(_serve(), answered)
    # IPython would look too, and end the kernel without its children
    parent = int(os.environ.pop("JPY_PARENT_PID"))
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)
