"""The archive of the whole book: paths that every system can write, checksums of what is in it."""

import hashlib
import importlib.util
import zipfile

import pytest

from grokbook.errors import GrokbookError
from grokbook.paths import project_root

spec = importlib.util.spec_from_file_location("bundle", project_root() / ".ci" / "bundle.py")
bundle = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bundle)


@pytest.mark.parametrize(
    "names",
    [
        ["a:b"],
        ["what?"],
        ["a\\b"],
        ["site/con"],
        ["AUX.txt"],
        ["end./a"],
        ["a "],
        ["x" * 181],
        ["a/B", "a/b"],
        ["a\x01"],
    ],
)
def test_a_path_that_some_system_cannot_write_is_named(names):
    with pytest.raises(
        GrokbookError, match="cannot be unpacked everywhere|where case does not count"
    ):
        bundle.portable(names)


def test_usual_paths_are_fine():
    bundle.portable(
        ["site/chapters/01_what.html", "records/a/0f.nc", "console.txt", ".nojekyll", "x" * 180]
    )


def test_an_archive_holds_every_file_with_its_checksum(tmp_path):
    folder = tmp_path / "all"
    (folder / "site").mkdir(parents=True)
    (folder / "site" / "index.html").write_text("one")
    (folder / "README.txt").write_text("two")
    assert bundle.archive(folder, tmp_path / "book.zip") == 2
    with zipfile.ZipFile(tmp_path / "book.zip") as packed:
        held = {name: packed.read(name) for name in packed.namelist()}
    sums = dict(
        reversed(line.split("  ")) for line in held.pop("book/SHA256SUMS").decode().splitlines()
    )
    assert sums == {
        name.removeprefix("book/"): hashlib.sha256(text).hexdigest() for name, text in held.items()
    }
    assert set(sums) == {"site/index.html", "README.txt"}
