"""The site is served to this machine only."""

import threading
import urllib.request

import pytest

from grokbook.book.serving import server
from grokbook.errors import GrokbookError, ParameterError


def test_the_site_is_served_on_the_local_address(tmp_path):
    (tmp_path / "index.html").write_text("<p>home</p>")
    with server(tmp_path, 0) as http:
        assert http.server_address[0] == "127.0.0.1"
        threading.Thread(target=http.serve_forever, daemon=True).start()
        with urllib.request.urlopen(f"http://127.0.0.1:{http.server_port}/") as answer:
            assert answer.read() == b"<p>home</p>"
            assert answer.headers["Cache-Control"] == "no-store"
        http.shutdown()


def test_without_a_site_the_remedy_is_said(tmp_path):
    with pytest.raises(GrokbookError, match="no built site here: run `grokbook build` first"):
        server(tmp_path / "site")


def test_a_port_in_use_is_refused(tmp_path):
    (tmp_path / "index.html").write_text("x")
    with server(tmp_path, 0) as first, pytest.raises(ParameterError, match="cannot be used .*; try --port"):
        server(tmp_path, first.server_port)
