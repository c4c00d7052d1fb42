"""Serve the built site on this machine only, to so many at a time and each for so long."""

from __future__ import annotations

import re
import socket
import sys
import threading
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from grokbook.errors import GrokbookError, ParameterError

MOST = 64
SILENT = 10.0
LONGEST = 120.0
"""Connections at a time (others wait in line), seconds in which nothing comes over one, and seconds
one may take."""


class _Quiet(SimpleHTTPRequestHandler):
    """Files of the site, never from the browser's cache, without a line for each request or a list
    of a folder."""

    timeout = SILENT

    def parse_request(self) -> bool:
        """Refuse a request that names another host than this machine: a page elsewhere may have had
        it sent here."""
        good = super().parse_request()
        if good and not re.fullmatch(
            r"(127\.0\.0\.1|localhost)(:\d+)?", self.headers.get("Host", "localhost")
        ):
            super().send_error(HTTPStatus.MISDIRECTED_REQUEST)
            return False
        return good

    def send_head(self) -> Any:
        """A file of the site; one that a link has elsewhere is none."""
        try:
            if self._has(Path(self.translate_path(self.path))):
                return super().send_head()
        except (OSError, RuntimeError, ValueError):  # links in a ring; a NUL in the name
            pass
        return self.send_error(HTTPStatus.NOT_FOUND)

    def _has(self, path: Path) -> bool:
        """Whether a path, all links followed, lies in the site, and if a folder, its first page.

        A pipe is none of it: whoever opens one waits for ever.
        """
        site = Path(self.directory).resolve()
        found = [path, *(path / name for name in ("index.html", "index.htm") if path.is_dir())]
        if any(one.exists() and not one.is_file() and not one.is_dir() for one in found):
            return False
        return all(one.resolve().is_relative_to(site) for one in found)

    def list_directory(self, path: Any) -> None:
        self.send_error(HTTPStatus.NOT_FOUND)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Of what is not there, the page that says so, as web hosts do."""
        page = Path(self.directory) / "404.html"
        if code != HTTPStatus.NOT_FOUND or not page.is_file() or not self._has(page):
            return super().send_error(code, message, explain)
        body = page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    """A page asks for twenty files at once; the line that waits is long enough for several such
    pages."""

    request_queue_size = 128
    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        self.room = threading.BoundedSemaphore(MOST)
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        self.room.acquire()
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        def cut() -> None:
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)

        end = threading.Timer(LONGEST, cut)
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self.room.release()

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
