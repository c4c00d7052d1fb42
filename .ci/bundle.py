"""The book in one archive for a place without a network: site, wheel, records, PDF, editions, with
checksums.

`python .ci/bundle.py OUT.zip` needs the built site, and Chromium for the PDF (not with
`--no-paper`).
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from companion.teach.pages import site_folder
from grokbook import __version__
from grokbook.errors import GrokbookError
from grokbook.files import atomic_write

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 180
"""Characters of a path in the archive: with the folder that it is unpacked in, Windows reads
260."""
RESERVED = re.compile(
    r'[<>:"\\|?*\0-\x1f]|[. ](/|$)|(^|/)(con|prn|aux|nul|com\d|lpt\d)(\.|/|$)', re.IGNORECASE
)
RULE = (
    f"a path has at most {LONGEST} characters, none of <>:|?*, no part that ends in a dot or is the"
    " name of a device"
)
README = f"""grokbook {__version__}, without a network

Read      python -m http.server --directory site 8000, then http://localhost:8000 in a browser;
          or grokbook.pdf
Run       pip install wheel/grokbook-{__version__}-py3-none-any.whl, where its dependencies are
          installed; GROKBOOK_RECORDS=records lets it use the recorded runs
Teach     editions/student for a class, editions/instructor with solutions and keys
Check     sha256sum --check SHA256SUMS
"""


def portable(names: Iterable[str]) -> None:
    """Raises GrokbookError for a path that some system cannot write, and for two that differ in
    case alone."""
    seen: dict[str, str] = {}
    for name in names:
        if RESERVED.search(name) or len(name) > LONGEST:
            raise GrokbookError(f"{name!r} cannot be unpacked everywhere: {RULE}.")
        if (other := seen.setdefault(name.casefold(), name)) != name:
            raise GrokbookError(f"{other!r} and {name!r} are one file where case does not count.")


def archive(folder: Path, out: Path) -> int:
    """Write checksums of all files of a folder beside them, and it all to `out`, whole or not at
    all; their number."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [path.relative_to(folder).as_posix() for path in files]
    portable(names)
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}\n"
        for path, name in zip(files, names, strict=True)
    ]
    (folder / "SHA256SUMS").write_text("".join(sums), encoding="utf-8", newline="\n")
    with tempfile.TemporaryFile() as made:
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in (folder / "SHA256SUMS", *files):
                packed.write(path, Path(out.stem) / path.relative_to(folder))
        made.seek(0)
        atomic_write(out, made.read())
    return len(files)


def fill(folder: Path, paper: bool) -> None:
    """Everything that the archive holds."""
    shutil.copytree(site_folder(ROOT / "site"), folder / "site")
    shutil.copytree(ROOT / "data" / "records", folder / "records")
    grokbook = [sys.executable, "-m", "grokbook", "teach"]
    commands = [
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder / "wheel", ROOT]
    ]
    commands += [
        [*grokbook, kind, folder / "editions" / kind] for kind in ("student", "instructor")
    ]
    commands += [[*grokbook, "paper", folder]] if paper else []
    for command in commands:
        subprocess.run(command, check=True, cwd=ROOT)
    (folder / "README.txt").write_text(README, encoding="utf-8")


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument(
        "out", type=Path, nargs="?", default=ROOT / "build" / f"grokbook-{__version__}.zip"
    )
    asked.add_argument("--no-paper", action="store_true")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as work:
        fill(Path(work), not given.no_paper)
        count = archive(Path(work), given.out)
    print(f"bundle    {given.out}, {count} files, {given.out.stat().st_size / 1e6:.0f} MB")
