"""Serve the built site on this machine only."""

from __future__ import annotations

import re
import sys
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from grokbook.errors import GrokbookError, ParameterError

SILENT = 10.0
"""Seconds after which a connection over which nothing comes is closed."""


class _Quiet(SimpleHTTPRequestHandler):
    """Files of the site, never from the browser's cache, without a line for each request or a list
    of a folder."""

    timeout = SILENT

    def parse_request(self) -> bool:
        """Refuse a request that names another host than this machine: a page elsewhere may have had
        it sent here."""
        if not super().parse_request():
            return False
        host = self.headers.get("Host", "localhost")
        if not re.fullmatch(r"(127\.0\.0\.1|localhost)(:\d+)?", host):
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            return False
        return True

    def send_head(self) -> Any:
        """A file of the site; one that a link has elsewhere is none."""
        try:
            if self._has(Path(self.translate_path(self.path))):
                return super().send_head()
        except (OSError, RuntimeError, ValueError):  # links in a ring; a NUL in the name
            pass
        return self.send_error(HTTPStatus.NOT_FOUND)

    def _has(self, path: Path) -> bool:
        """Whether a path, all links followed, lies in the site, and if a folder, its first page."""
        site = Path(self.directory).resolve()
        pages = [path / name for name in ("index.html", "index.htm")] if path.is_dir() else []
        return all(file.resolve().is_relative_to(site) for file in [path, *pages])

    def list_directory(self, path: Any) -> None:
        self.send_error(HTTPStatus.NOT_FOUND)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    """A page asks for twenty files at once; the line that waits is long enough for several such
    pages."""

    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A reader who went away is no error."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def server(site: Path, port: int = 8000) -> ThreadingHTTPServer:
    """A server of `site` at 127.0.0.1 (port 0: any free one); the caller runs and closes it.

    Raises GrokbookError when the site was not built, ParameterError when the port cannot be had.
    """
    if not (site / "index.html").is_file():
        raise GrokbookError("there is no built site here: run `grokbook build` first.")
    try:
        return _Server(("127.0.0.1", port), partial(_Quiet, directory=str(site)))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ParameterError(
            f"port = {port} cannot be used ({reason}); try --port {port % 60000 + 1}."
        ) from None
