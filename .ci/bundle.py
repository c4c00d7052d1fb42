"""The book in one archive for a place without a network: site, wheel, records, PDF, editions, with
checksums.

`python .ci/bundle.py` needs the built site, and Chromium for the PDF.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from companion.teach.pages import site_folder
from grokbook import __version__
from grokbook.files import atomic_write

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / f"grokbook-{__version__}.zip"
README = f"""grokbook {__version__}, without a network

Read      python -m http.server --directory site 8000, then http://localhost:8000 in a browser;
          or grokbook.pdf
Run       pip install wheel/grokbook-{__version__}-py3-none-any.whl, where its dependencies are
          installed; GROKBOOK_RECORDS=records lets it use the recorded runs
Teach     editions/student for a class, editions/instructor with solutions and keys
Check     sha256sum --check SHA256SUMS
"""


def archive(folder: Path, out: Path) -> int:
    """Write checksums of all files of a folder beside them, and the folder to `out`, whole or not
    at all; their number."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = ""
    for path in files:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        sums += f"{digest}  {path.relative_to(folder).as_posix()}\n"
    (folder / "SHA256SUMS").write_text(sums, encoding="utf-8", newline="\n")
    with tempfile.TemporaryDirectory() as place:
        packed = shutil.make_archive(f"{place}/all", "zip", folder.parent, folder.name)
        atomic_write(out, Path(packed).read_bytes())
    return len(files)


def fill(folder: Path) -> None:
    """Everything that the archive holds."""
    shutil.copytree(site_folder(ROOT / "site"), folder / "site")
    shutil.copytree(ROOT / "data" / "records", folder / "records")
    wheel = ["pip", "wheel", "-q", "--no-deps", "-w", folder / "wheel", ROOT]
    student = ["grokbook", "teach", "student", folder / "editions" / "student"]
    instructor = ["grokbook", "teach", "instructor", folder / "editions" / "instructor"]
    paper = ["grokbook", "teach", "paper", folder]
    for command in (wheel, student, instructor, paper):
        subprocess.run([sys.executable, "-m", *command], check=True, cwd=ROOT)
    (folder / "README.txt").write_text(README, encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / OUT.stem
        fill(folder)
        count = archive(folder, OUT)
    print(f"bundle    {OUT}, {count} files, {OUT.stat().st_size / 1e6:.0f} MB")
