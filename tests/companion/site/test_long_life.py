"""What will be read in ten years: records and executed notebooks without this library."""

import json
import subprocess
import sys

from grokbook.paths import records_path

READ = """
import hashlib, json, sys

class Missing:
    def find_spec(self, name, *rest):
        if name.split(".")[0] in ("grokbook", "torch"):
            raise ModuleNotFoundError(f"{name} is not installed here")

sys.meta_path.insert(0, Missing())
import nbformat, xarray
record, sha256, notebook = sys.argv[1:]
assert hashlib.sha256(open(record, "rb").read()).hexdigest() == sha256
dataset = xarray.open_dataset(record, engine="h5netcdf").load()
cells = nbformat.read(notebook, as_version=4).cells
nbformat.validate(nbformat.read(notebook, as_version=4))
outputs = [kind for cell in cells for output in cell.get("outputs", []) for kind in output.get("data", {})]
said = {"sizes": dict(dataset.sizes), "attrs": sorted(dataset.attrs), "outputs": outputs}
print(json.dumps(said | {"loaded": [name for name in sys.modules if name.split(".")[0] in ("grokbook", "torch")]}))
"""


def test_records_and_executed_notebooks_open_where_there_is_neither_the_library_nor_torch(
    built_once,
):
    """Only xarray with h5netcdf, and nbformat: a record has its sha256, its sizes and where it
    comes from."""
    entries = json.loads((records_path() / "MANIFEST.json").read_text())["records"]
    name, entry = min(entries.items(), key=lambda item: item[1]["bytes"])
    notebook = built_once / "site" / "downloads" / "01_tiny.ipynb"
    command = [sys.executable, "-c", READ, records_path() / name, entry["sha256"], notebook]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["loaded"] == [] and said["sizes"]["seed"] == len(entry["seeds"])
    assert {"provenance", "configuration"} <= set(said["attrs"])
    assert {"image/svg+xml", "text/html"} & set(said["outputs"])
