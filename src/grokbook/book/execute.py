"""Execute one chapter with its parameters in a fresh kernel of this interpreter, through papermill."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grokbook.book import exercises, footer, outputs
from grokbook.book.chapters import Chapter, parameters_cell
from grokbook.book.kernel import Kernels
from grokbook.book.parameters import rewrite
from grokbook.book.terminal import Line, Progress, ProgressStream
from grokbook.errors import ChapterError

_KERNEL = "grokbook"


@dataclass(frozen=True)
class Run:
    """An executed chapter: the notebook to print, and what is known about how it came to be."""

    notebook: Any
    figures: list[str]
    trace: list[dict[str, Any]]
    seconds: float


def execute(
    chapter: Chapter,
    values: Mapping[str, Any],
    preset: str,
    root: Path,
    progress: Progress,
    strict: bool = False,
    kernels: Kernels | None = None,
    environment: Mapping[str, str] | None = None,
) -> Run:
    """Run the chapter's cells with `values` and prepare the result for printing; writes nothing.

    The kernel is one of `kernels`, with the variables of `environment` besides its own. Raises ChapterError naming
    chapter, cell and error when a cell fails, or (strict) writes to standard error, or when an exercise fails, whose
    code then runs below the last cell.
    """
    notebook = chapter.notebook()
    set_values(notebook, values)
    notebook.cells += exercises.cells(chapter.source) if strict else []
    begin = time.monotonic()
    cells = sum(1 for _ in outputs.code_cells(notebook))
    with progress.chapter(chapter.label, cells) as line, tempfile.TemporaryDirectory(prefix="grokbook-") as name:
        folder = Path(name)
        own = _environment(preset, folder / "trace.jsonl") | dict(environment or {})
        with (kernels or Kernels()).options(folder, own) as options:
            notebook = _run_cells(chapter, notebook, root, options, line)
        entries = footer.read_trace(folder / "trace.jsonl")
    exercises.drop(notebook)
    seconds = time.monotonic() - begin
    figures = _prepare(chapter, notebook, strict)
    run = Run(notebook, figures, entries, seconds)
    notebook.cells.append(footer.box(chapter, values, preset, run.trace, seconds))
    if (cell := parameters_cell(notebook)) is not None:
        notebook.cells.insert(notebook.cells.index(cell) + 1, footer.invitation(chapter, values, preset))
    return run


def set_values(notebook: Any, values: Mapping[str, Any]) -> None:
    """Write the values of this run into the parameters cell itself: the page shows one such cell."""
    cell = parameters_cell(notebook)
    if cell is not None:
        cell.source = rewrite(cell.source, values)


def _environment(preset: str, trace: Path) -> dict[str, str]:
    return {
        "OMP_NUM_THREADS": "1",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONHASHSEED": "0",
        "GROKBOOK_TRACE": str(trace),
        "GROKBOOK_PRESET": preset,
    }


def _engine() -> type:
    """papermill's own engine, telling us when a cell begins."""
    from papermill.engines import NBClientEngine

    class Engine(NBClientEngine):
        @classmethod
        def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, on_cell: Any, **options: Any) -> Any:
            begin = nb_man.cell_start

            def cell_start(cell: Any, cell_index: int | None = None, **rest: Any) -> None:
                on_cell(nb_man.nb, cell_index)
                begin(cell, cell_index, **rest)

            nb_man.cell_start = cell_start
            return super().execute_managed_notebook(nb_man, kernel_name, **options)

    return Engine


def _run_cells(chapter: Chapter, notebook: Any, root: Path, options: Mapping[str, Any], line: Line) -> Any:
    import papermill
    from nbclient.exceptions import DeadKernelError
    from papermill.engines import papermill_engines

    def on_cell(nb: Any, index: int) -> None:
        if nb.cells[index].cell_type == "code":
            line.at(sum(1 for i, _ in outputs.code_cells(nb) if i <= index))

    papermill_engines.register(_KERNEL, _engine())
    logging.getLogger("papermill").setLevel(logging.CRITICAL)  # what fails is said here, once
    try:
        return papermill.execute_notebook(
            notebook,
            None,
            engine_name=_KERNEL,
            kernel_name=_KERNEL,
            language="python",
            request_save_on_cell_execute=False,
            progress_bar=False,
            stderr_file=ProgressStream(line),
            resources={"metadata": {"path": str(root)}},
            on_cell=on_cell,
            iopub_timeout=600,  # a cell may end long before a busy machine hands its output over
            **options,
        )
    except papermill.PapermillExecutionError as error:
        place = outputs.where(notebook, error.cell_index)
        raise ChapterError(f"{chapter.label}, {place}: {error.ename}: {_one_line(error.evalue)}") from error
    except (DeadKernelError, RuntimeError) as error:
        if not isinstance(error, DeadKernelError) and "died" not in str(error):
            raise
        raise ChapterError(f"{chapter.label}: its kernel died (was the memory used up?).") from None


def _one_line(text: str) -> str:
    lines = [line.strip() for line in str(text).strip().splitlines() if line.strip()]
    return lines[0] if lines else "(no message)"


def _prepare(chapter: Chapter, notebook: Any, strict: bool) -> list[str]:
    try:
        outputs.drop_progress(notebook)
        if strict:
            outputs.refuse_stray_output(notebook)
        names = outputs.label_figures(notebook)
    except ChapterError as error:
        raise ChapterError(f"{chapter.label}, {error}") from error
    outputs.strip(notebook)
    return names
