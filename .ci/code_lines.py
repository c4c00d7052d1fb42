"""Lines of code of the library by room: bodies and signatures; no docstring, comment, blank line or import.

`python .ci/code_lines.py [FOLDER ...]` prints a column for each checkout (default: this one), to compare two of them.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def code_lines(source: str) -> set[int]:
    """The numbers of the lines that count."""
    skipped: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            skipped.update(range(node.lineno, node.end_lineno + 1))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            skipped.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = enumerate(source.splitlines(), 1)
    return {n for n, line in lines if line.strip() and not line.strip().startswith("#") and n not in skipped}


def functions(source: str) -> list[int]:
    """Of each function its lines with all that belongs to it: decorators, docstring, two blank lines."""
    found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    return [f.end_lineno - min([f.lineno, *(d.lineno for d in f.decorator_list)]) + 3 for f in found]


def counts(root: Path) -> Counter[str]:
    """Lines by room and by chapter, and the sums."""
    found: Counter[str] = Counter()
    package, lengths = root / "src" / "grokbook", []
    for path in package.rglob("*.py"):
        source, parts = path.read_text(encoding="utf-8"), path.relative_to(package).parts
        count = len(code_lines(source))
        room = "chapters" if parts[0] == "topics" else parts[0] if len(parts) > 1 else "(ground)"
        found[room] += count
        if room == "chapters":
            found[f"chapters/{parts[1].removesuffix('.py')}"] += count
        found["~ code lines"] += count
        found["~ all lines"] += len(source.splitlines())
        lengths += functions(source)
    found["~ median function"] = int(statistics.median(lengths))
    found["~ lines of tests"] = sum(len(p.read_text("utf-8").splitlines()) for p in (root / "tests").rglob("*.py"))
    return found


if __name__ == "__main__":
    columns = [counts(Path(folder)) for folder in sys.argv[1:] or [HERE]]
    for name in sorted(set().union(*columns)):
        print(f"{name:42}" + "".join(f"{column[name]:10,}" for column in columns))
