"""Records that a wheel leaves out: from a folder, a server, any address of fsspec; one sentence
where there is none."""

import hashlib
import http.server
import sys
import threading
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from made_up import MadeUp

from grokbook import fetch, paths
from grokbook.errors import ParameterError, RecordError
from grokbook.runs import load_or_run
from grokbook.runs.store import MANIFEST, Store


class Quiet(http.server.SimpleHTTPRequestHandler):
    asked: list[str] = []

    def log_message(self, text, *values):
        self.asked.append(values[0])


@contextmanager
def serving(handler):
    """The address of a server that answers so."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.over = threading.Event()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.over.set()
        server.shutdown()


@pytest.fixture
def served(tmp_path):
    """A folder with one record, and the address of a server that has it."""
    load_or_run(MadeUp(tmp_path / "trained"), Store(tmp_path / "served"))
    handler = partial(Quiet, directory=str(tmp_path / "served"))
    with serving(handler) as address:
        yield f"http://{address}"


@pytest.fixture
def small(tmp_path, served, monkeypatch):
    """The package as a wheel installs it: the manifest alone; an empty cache."""
    folder = tmp_path / "_data" / "data" / "records"
    folder.mkdir(parents=True)
    (folder / MANIFEST).write_bytes((tmp_path / "served" / MANIFEST).read_bytes())
    for module in (fetch, paths):
        monkeypatch.setattr(module, "INSTALLED", tmp_path / "_data")
        monkeypatch.setattr(module, "project_root", lambda *a: tmp_path / "_data")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("GROKBOOK_RECORDS", raising=False)
    return Store(paths.records_path())


def name_of(store):
    return next(iter(store.entries()))


def test_a_record_is_fetched_once_verified_and_kept_in_the_cache(
    small, served, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("GROKBOOK_RECORDS", f"{served}/")
    Quiet.asked.clear()
    found = small.load(MadeUp.key)
    assert found.equals(Store(tmp_path / "served").load(MadeUp.key)) and len(Quiet.asked) == 1
    kept = tmp_path / "cache" / "grokbook" / "records" / name_of(small)
    assert (
        hashlib.sha256(kept.read_bytes()).hexdigest() == small.entries()[name_of(small)]["sha256"]
    )
    assert small.load(MadeUp.key) is not None and len(Quiet.asked) == 1, "from the cache"
    kept.write_bytes(b"cut")
    assert small.load(MadeUp.key) is not None and len(Quiet.asked) == 2, (
        "a damaged copy is fetched again"
    )
    assert capsys.readouterr() == ("", "")


def test_the_record_of_another_version_is_refused(small, served, tmp_path, monkeypatch):
    monkeypatch.setenv("GROKBOOK_RECORDS", served)
    (tmp_path / "served" / name_of(small)).write_bytes(b"other")
    with pytest.raises(RecordError, match="does not give it .*hash"):
        small.load(MadeUp.key)
    assert not list((tmp_path / "cache").rglob("*.nc"))


class Dripping(http.server.BaseHTTPRequestHandler):
    """A byte now and then, of what never ends: before the headers are over, or after them."""

    headers_too = False

    def do_GET(self):
        self.wfile.write(
            b"HTTP/1.1 200 OK\r\nX: " if self.headers_too else b"HTTP/1.1 200 OK\r\n\r\n"
        )
        while not self.server.over.wait(0.02):
            try:
                self.wfile.write(b"x")
                self.wfile.flush()
            except OSError:
                return

    def log_message(self, text, *values):
        pass


@pytest.mark.parametrize("headers_too", [False, True])
def test_a_server_that_drips_is_given_up(small, tmp_path, monkeypatch, headers_too):
    """Each byte comes in time, and the whole would take for ever."""
    monkeypatch.setattr(Dripping, "headers_too", headers_too)
    monkeypatch.setattr(fetch, "FIRST", 0.3)
    refused = pytest.raises(RecordError, match=r"does not give it \(it took more than")
    with serving(Dripping) as address, refused:
        monkeypatch.setenv("GROKBOOK_RECORDS", f"http://{address}")
        small.load(MadeUp.key)
    assert not list((tmp_path / "cache").rglob("*.nc"))


@pytest.mark.parametrize("address", ["http", "file"])
def test_no_more_is_taken_than_the_manifest_says(small, served, tmp_path, monkeypatch, address):
    """Of a file of more bytes, and of any above a limit."""
    monkeypatch.setenv(
        "GROKBOOK_RECORDS", served if address == "http" else f"file://{tmp_path / 'served'}"
    )
    size = small.entries()[name_of(small)]["bytes"]
    with (tmp_path / "served" / name_of(small)).open("ab") as stream:
        stream.truncate(10**10)  # a hole, which takes no place
    with pytest.raises(RecordError, match=f"it has more than {size:,} bytes"):
        small.load(MadeUp.key)
    monkeypatch.setattr(fetch, "LARGEST", 10)
    with pytest.raises(RecordError, match="it has more than 10 bytes"):
        small.load(MadeUp.key)
    assert not list((tmp_path / "cache").rglob("*.nc"))


def test_a_folder_is_read_as_it_is_and_one_without_a_manifest_refused(small, tmp_path, monkeypatch):
    monkeypatch.setenv("GROKBOOK_RECORDS", str(tmp_path / "served"))
    assert fetch.address() is None and paths.records_path() == tmp_path / "served"
    assert (
        Store(paths.records_path()).load(MadeUp.key) is not None
        and not (tmp_path / "cache").exists()
    )
    monkeypatch.setenv("GROKBOOK_RECORDS", str(tmp_path))
    with pytest.raises(ParameterError, match="is no folder of records: it holds no MANIFEST.json"):
        paths.records_path()


def test_any_address_of_fsspec_does(small, tmp_path, monkeypatch):
    monkeypatch.setenv("GROKBOOK_RECORDS", f"file://{tmp_path / 'served'}")
    assert small.load(MadeUp.key) is not None
    (tmp_path / "cache" / "grokbook" / "records" / name_of(small)).unlink()
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(RecordError, match="does not give it .*fsspec"):
        small.load(MadeUp.key)


def test_an_installed_package_asks_the_repository_at_its_version_and_a_clone_nobody(
    small, tmp_path, monkeypatch
):
    where = fetch.address()
    assert where.startswith("https://") and where.endswith("/data/records") and "/raw/v" in where
    monkeypatch.setattr(fetch, "project_root", lambda: Path("clone"))
    assert fetch.address() is None and fetch.fetched(paths.records_path(), "a.nc", "") is None


class Broken(http.server.BaseHTTPRequestHandler):
    """An answer that is none."""

    answer = b""

    def do_GET(self):
        self.wfile.write(self.answer)

    def log_message(self, text, *values):
        pass


ANSWERS = {
    "short": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
    "elsewhere": b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
    "nothing": b"",
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_whatever_a_server_answers_is_one_sentence_without_the_password(small, monkeypatch, answer):
    monkeypatch.setattr(Broken, "answer", ANSWERS[answer])
    said = r"is not here and http://127.0.0.1:\d+ does not give it \("
    with serving(Broken) as address, pytest.raises(RecordError, match=said) as caught:
        monkeypatch.setenv("GROKBOOK_RECORDS", f"http://reader:secret@{address}")
        small.load(MadeUp.key)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "reference://x",
        "nonsense://x",
    ],
)
def test_whatever_an_address_is_it_is_one_sentence(small, monkeypatch, address):
    monkeypatch.setenv("GROKBOOK_RECORDS", address)
    with pytest.raises(RecordError, match="does not give it"):
        small.load(MadeUp.key)
