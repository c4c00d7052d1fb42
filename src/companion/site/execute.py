"""Execute one page with its parameters in a fresh kernel of this interpreter, through papermill."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.checks import absurd
from companion.page.parameters import rewrite
from companion.page.sources import Page, parameters_cell
from companion.site import footer, outputs
from companion.site.kernel import LOG, Kernels
from companion.site.terminal import Progress, ProgressStream
from grokbook.errors import ChapterError, GrokbookError
from grokbook.files import temporary_folder, written

_KERNEL = "grokbook"
_USED = "from companion import page\npage.used()"
"""What is run below the last cell: the page says which data it was made from."""


@dataclass(frozen=True)
class Run:
    """An executed page: the notebook to print, the names of its figures, and the seconds it
    took."""

    notebook: Any
    figures: list[str]
    seconds: float


def execute(
    page: Page,
    root: Path,
    progress: Progress,
    strict: bool = False,
    kernels: Kernels | None = None,
    environment: Mapping[str, str] | None = None,
) -> Run:
    """Run the cells of a page and prepare the result for printing; writes nothing.

    The kernel is one of `kernels`, with the variables of `environment` besides its own. Raises
    ChapterError naming chapter, cell and error when a cell fails, or (strict) writes to standard
    error or says what is absurd; RecordError where the disk is full.
    """
    from nbformat.v4 import new_code_cell

    chapter = page.chapter
    notebook = chapter.notebook()
    if (cell := parameters_cell(notebook)) is not None:
        cell.source = rewrite(cell.source, page.values)  # in place: the page shows one such cell
    notebook.cells.append(new_code_cell(_USED, metadata={outputs.KEY: "the data of the page"}))
    begin = time.monotonic()
    kernels = kernels or Kernels()
    with (
        written(f"what {chapter.label} needs"),
        temporary_folder() as folder,
        kernels.options(folder, environment or {}) as options,
    ):
        training = ProgressStream(progress, chapter.label)
        notebook = run_cells(chapter.label, notebook, root, options, training, folder / LOG)
    seconds = time.monotonic() - begin
    used = outputs.used(notebook)
    notebook.cells = [cell for cell in notebook.cells if outputs.KEY not in cell.metadata]
    try:
        outputs.drop_progress(notebook, strict)
        if strict:
            absurd.refuse(notebook)
        figures = outputs.label_figures(notebook)
    except GrokbookError as error:
        raise ChapterError(f"{chapter.label}, {error}") from error
    outputs.strip(notebook)
    notebook.cells.append(footer.box(page, used, seconds))
    if (cell := parameters_cell(notebook)) is not None:
        notebook.cells.insert(notebook.cells.index(cell) + 1, footer.invitation(page))
    return Run(notebook, figures, seconds)


def run_cells(
    label: str,
    notebook: Any,
    root: Path,
    options: Mapping[str, Any],
    training: ProgressStream,
    log: Path,
) -> Any:
    """The notebook with its cells run in the folder `root`, each line of training on `training`.

    Raises ChapterError naming `label`, cell and error.
    """
    import papermill
    from nbclient.exceptions import DeadKernelError

    logging.getLogger("papermill").setLevel(logging.CRITICAL)  # what fails is said here, once
    try:
        return papermill.execute_notebook(
            notebook,
            None,
            kernel_name=_KERNEL,
            language="python",
            request_save_on_cell_execute=False,
            progress_bar=False,
            stderr_file=training,
            resources={"metadata": {"path": str(root)}},
            iopub_timeout=600,  # a cell may end long before a busy machine hands its output over
            **options,
        )
    except papermill.PapermillExecutionError as error:
        message = str(error.evalue).strip().partition("\n")[0] or "(no message)"
        raise ChapterError(
            f"{label}, {outputs.where(notebook, error.cell_index)}: {error.ename}: {message}"
        ) from error
    except (DeadKernelError, RuntimeError) as error:
        if not isinstance(error, DeadKernelError) and "died" not in str(error):
            raise
        reason = _last_line(log)
        raise ChapterError(f"{label}: its kernel died (was the memory used up?){reason}.") from None


def _last_line(log: Path) -> str:
    """What a kernel wrote last; nothing where that is how one would connect to it, which every
    kernel says first."""
    text = log.read_text("utf-8", "replace").strip() if log.is_file() else ""
    last = text.rpartition("\n")[2].strip()
    return f"; the last it said: {last}" if last and not last.startswith("--existing") else ""
