"""Several requests at a time."""

from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from threading import Event
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def each(work: Callable[[T], R], items: Iterable[T], workers: int) -> list[R]:
    """Do work for all items, `workers` at a time, and return the results in the order of the items.

    After the first error no more work begins, and the error is raised when what had begun has ended.
    """
    stop = Event()

    def guarded(item: T) -> R:
        if stop.is_set():
            raise CancelledError
        try:
            return work(item)
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(guarded, item) for item in items]
        try:
            errors = [future.exception() for future in futures]
        except BaseException:
            stop.set()
            raise
    for error in errors:
        if error is not None and not isinstance(error, CancelledError):
            raise error
    return [future.result() for future in futures]
