"""Chapters side by side: the longest first, each with a share of the cores, none left behind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event
from typing import TypeVar

from companion.page.costs import Estimate
from companion.page.sources import Page
from companion.site.kernel import Kernels
from companion.site.terminal import agree
from grokbook.errors import ChapterError, ParameterError
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


def admitted(jobs: Collection[Job], most: int | None = None, yes: bool = False) -> int:
    """How many of these chapters run side by side, after what refuses or asks before they start.

    Raises ParameterError for more memory than is free, and above an hour that nobody agreed to.
    """
    at_once = places(jobs, most)
    refuse_too_large(jobs)
    seconds = seconds_of(jobs, at_once)
    if seconds > LONG:
        agree(f"this is predicted to take {duration(seconds)}", yes)
    return at_once


def seconds_of(jobs: Iterable[Job], at_once: int) -> float:
    """What these chapters are predicted to take together."""
    seconds = [job.predicted.seconds for job in jobs]
    return max(sum(seconds) / at_once, max(seconds, default=0))


def places(jobs: Collection[Job], most: int | None = None) -> int:
    """How many of these chapters run side by side: at most one a core, and no more than would have
    room if each needed as much memory as the largest."""
    largest = max((job.predicted.memory_mb for job in jobs), default=1.0)
    room = int(free_memory_mb() // largest)
    return max(1, min(most or cores(), cores(), len(jobs), room))


def side_by_side(
    jobs: Iterable[Job], work: Callable[[Job, int], T], kernels: Kernels, at_once: int = 1
) -> list[T]:
    """Do `work(job, cores)` for every job, `at_once` at a time, and return what it gave: the
    longest first, sets after pages.

    After one has failed no other starts; those that run are finished, then its error is raised.
    Whoever interrupts this ends `kernels` too.
    """
    share = max(1, cores() // at_once)
    is_over = Event()

    def begin(job: Job) -> T | None:
        if is_over.is_set():
            return None
        try:
            return work(job, share)
        except BaseException:
            is_over.set()
            raise

    # a set finds what its chapter's own page has trained and checked
    longest_first = sorted(jobs, key=lambda job: (bool(job.variant), -job.predicted.seconds))
    with ThreadPoolExecutor(at_once) as pool:
        futures = [pool.submit(begin, job) for job in longest_first]
        try:
            wait(futures)
        except BaseException:
            is_over.set()
            while wait(futures, timeout=0.2).not_done:
                kernels.end()
            raise
    errors = []
    results = []
    for future in futures:
        if error := future.exception():
            errors.append(error)
        elif (result := future.result()) is not None:
            results.append(result)
    if len(errors) > 1:
        raise ChapterError("; ".join(map(str, errors)))
    if errors:
        raise errors[0]
    return results
