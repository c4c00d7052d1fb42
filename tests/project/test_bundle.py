"""The archive of the whole book: checksums of what is in it."""

import hashlib
import importlib.util
import zipfile

from grokbook.paths import project_root

spec = importlib.util.spec_from_file_location("bundle", project_root() / ".ci" / "bundle.py")
bundle = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bundle)


def test_an_archive_holds_every_file_with_its_checksum(tmp_path):
    folder = tmp_path / "book"
    (folder / "site").mkdir(parents=True)
    (folder / "site" / "index.html").write_text("one")
    (folder / "README.txt").write_text("two")
    assert bundle.archive(folder, tmp_path / "book.zip") == 2
    with zipfile.ZipFile(tmp_path / "book.zip") as packed:
        held = {name: packed.read(name) for name in packed.namelist() if not name.endswith("/")}
    sums = dict(
        reversed(line.split("  ")) for line in held.pop("book/SHA256SUMS").decode().splitlines()
    )
    assert sums == {
        name.removeprefix("book/"): hashlib.sha256(text).hexdigest() for name, text in held.items()
    }
    assert set(sums) == {"site/index.html", "README.txt"}
