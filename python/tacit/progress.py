"""Progress of long work: a bar by tqdm if that is installed, or a function of the caller."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, Union

Report = Callable[[str, int, int], object]
#: None: a bar if somebody watches and tqdm is installed. True: a bar, which needs tqdm. False: no bar. A function is
#: called several times a second with the stage, the finished steps and the number of steps (0: unknown). An exception
#: of the function stops the work.
Progress = Union[None, bool, Report]

_DELAY = 0.5  # seconds that work may take before a bar shows


def _tqdm() -> Any:
    try:
        import tqdm.auto
    except ImportError:
        return None
    return tqdm.auto


def _somebody_watches() -> bool:
    if "ipykernel" in sys.modules:
        return True
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # no stream, or a closed one
        return False


class _Bar:
    """One bar at a time, for the innermost stage."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make
        self._bar: Any = None
        self._stage: tuple[str, int] = ("", 0)

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._bar is None or self._stage != (stage, total):
            self.close()
            self._bar = self._make(desc=stage, total=total or None, leave=False, delay=_DELAY)
            self._stage = (stage, total)
        self._bar.n = min(done, total) if total else done
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


@contextlib.contextmanager
def shown(progress: Progress) -> Iterator[Report | None]:
    """Yields the function that the extension module reports to during the block; None: it reports nothing."""
    if callable(progress):
        yield progress
        return
    tqdm = _tqdm() if progress or (progress is None and _somebody_watches()) else None
    if tqdm is None:
        if progress:
            raise ImportError("progress=True draws with tqdm, which is not installed; pip install tqdm, or give a function")
        yield None
        return
    bar = _Bar(tqdm.tqdm)
    try:
        yield bar
    finally:
        bar.close()
