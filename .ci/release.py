"""The files of a release beside the wheel: every record as netCDF and as tidy CSV, with the
manifest.

python .ci/release.py build/release      (make release)
"""

from __future__ import annotations

import gzip
import shutil
import sys
from pathlib import Path

from grokbook.face.files import to_pandas
from grokbook.files import whole_folder
from grokbook.paths import records_path
from grokbook.runs.store import MANIFEST, Store


def release(store: Store, folder: Path) -> int:
    """Write the records of a store to a new folder, each as it is and its curves as `.csv.gz`; how
    many there are.

    The tables have a row for each run and logged step and a column for each setting and variable.
    Raises RecordError for a record that does not have the sha256 of the manifest.
    """
    with whole_folder(folder) as place:
        shutil.copyfile(store.path / MANIFEST, place / MANIFEST)
        for name, entry in store.entries().items():
            dataset = store.load(entry["key"])
            if dataset is None:
                sys.exit(f"{name} is damaged; nothing was written")
            target = place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(store.path / name, target)
            table = to_pandas(dataset).to_csv(index=False).encode()
            target.with_suffix(".csv.gz").write_bytes(gzip.compress(table, mtime=0))
    return len(store.entries())


if __name__ == "__main__":
    print(f"{release(Store(records_path()), Path(sys.argv[1]))} records in {sys.argv[1]}")
