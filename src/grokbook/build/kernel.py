"""Kernels of chapters: each in a session of its own, which ends when the command that started it does.

`python -m grokbook.build.kernel` is such a kernel: an IPython kernel that watches its parent.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from subprocess import STDOUT
from typing import Any

WATCH_SECONDS = 0.5
"""How often a kernel looks whether its parent is still there."""


class Kernels:
    """The kernels that a command runs, to be ended together."""

    def __init__(self) -> None:
        self._running: set[int] = set()

    @contextlib.contextmanager
    def options(self, folder: Path, environment: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Options of a notebook client for one kernel of this very interpreter, whose files lie in `folder`.

        The user's kernels and IPython profile (start-up files, settings) are left out of it, so that a page does not
        depend on them. When the block ends, so do the kernel and all that it started.
        """
        from traitlets.config import Config

        started: list[int] = []

        def note(pid: int) -> None:
            started.append(pid)
            self._running.add(pid)

        try:
            made = _manager(folder, {"IPYTHONDIR": str(folder / "ipython"), **environment}, note)
            file = str(folder / "connection.json")  # no other user may listen, and no two kernels take one port
            private = {"transport_encryption": "auto", "cache_ports": True, "connection_file": file}
            config = Config(KernelManager=private)
            yield {"kernel_manager_class": made, "shutdown_kernel": "immediate", "config": config}
        finally:
            for pid in started:
                _end(pid)
                self._running.discard(pid)

    def end(self) -> None:
        """End every kernel that runs, and all that they started."""
        for pid in list(self._running):
            _end(pid)


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
    spec = KernelSpec(**names, metadata=about, env={"PYDEVD_DISABLE_FILE_VALIDATION": "1", **environment})

    class Manager(AsyncKernelManager):
        kernel_spec = spec

        async def start_kernel(self, **options: Any) -> None:
            with (folder / "kernel.log").open("wb") as log:
                await self._async_start_kernel(**options, stdout=log, stderr=STDOUT)
            note(self.provisioner.pid)

    return Manager


def _watch(parent: int) -> None:
    """End this session when the parent is gone."""
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    parent = int(os.environ.pop("JPY_PARENT_PID"))  # IPython would look too, and end the kernel without its children
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)
