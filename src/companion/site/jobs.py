"""Chapters side by side: the longest first, each with a share of the cores, none left behind."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TypeVar

from companion.page.costs import Estimate
from companion.page.sources import Page
from companion.site.kernel import Kernels
from grokbook.errors import ChapterError, GrokbookError, ParameterError
from grokbook.machine import cores, duration, free_memory_mb

T = TypeVar("T")
LONG = 3600.0
"""Predicted seconds from which a command asks before it starts."""


@dataclass(frozen=True)
class Job:
    """A page to be executed, what that is predicted to take, the key of its sources, and the name
    of its set where it is the page of one."""

    page: Page
    predicted: Estimate
    key: str = ""
    variant: str = ""

    @property
    def label(self) -> str:
        """How messages name it: `chapter 01_what_is_grokking, p = 47`."""
        chapter = self.page.chapter.label
        return f"{chapter}, {self.variant}" if self.variant else chapter


def refuse_too_large(jobs: Iterable[Job]) -> None:
    """Raise ParameterError for the first chapter that is predicted to need more memory than is
    free."""
    free = free_memory_mb()
    for job in jobs:
        needed = job.predicted.memory_mb
        if needed > free:
            raise ParameterError(
                f"{job.label} is predicted to need {needed:,.0f} MB, more than the {free:,.0f} MB"
                " that are free; choose smaller sizes."
            )


def long_run(jobs: Iterable[Job], at_once: int = 1) -> str | None:
    """The sentence to ask about when these chapters are predicted to take more than an hour, else
    None."""
    seconds = seconds_of(jobs, at_once)
    return f"this is predicted to take {duration(seconds)}" if seconds > LONG else None


def seconds_of(jobs: Iterable[Job], at_once: int = 1) -> float:
    """What these chapters are predicted to take together."""
    seconds = [job.predicted.seconds for job in jobs]
    return max(sum(seconds) / at_once, max(seconds, default=0))


def side_by_side(
    jobs: Iterable[Job], work: Callable[[Job, int], T], kernels: Kernels, at_once: int = 1
) -> list[T]:
    """Do `work(job, cores)` for every job, `at_once` at a time; what it gave, in the order in which
    they ended.

    A chapter whose predicted memory is not free waits until others are over. After one has failed
    no other starts; those that run are finished, then its error is raised. Whatever else ends this
    ends `kernels` too.
    """
    waiting = deque(sorted(jobs, key=lambda job: -job.predicted.seconds))
    free = cores()
    running: dict[Future[T], int] = {}
    results: list[T] = []
    errors: list[GrokbookError] = []
    with ThreadPoolExecutor(at_once) as pool:
        try:
            while running or (waiting and not errors):
                places = 0 if errors else min(at_once - len(running), len(waiting))
                if places and _fits(waiting[0], bool(running)):
                    share = max(1, free // places)
                    free -= share
                    running[pool.submit(work, waiting.popleft(), share)] = share
                    continue
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    free += running.pop(future)
                    try:
                        results.append(future.result())
                    except GrokbookError as error:
                        errors.append(error)
        except BaseException:
            while wait(running, timeout=0.2).not_done:
                kernels.end()
            raise
    if errors:
        raise errors[0] if len(errors) == 1 else ChapterError("; ".join(map(str, errors)))
    return results


def _fits(job: Job, others_run: bool) -> bool:
    return not others_run or job.predicted.memory_mb <= free_memory_mb()
