"""What clingo may do in this process.

Clingo cannot be interrupted, and it ends the process where memory runs out. Within `guarded`, what is handed to it is
first bounded (`bounds`), and grounding ends when the tape is full: `TooLargeError` asks for a process of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gdl.errors import GroundingError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class TooLargeError(GroundingError):
    """Not surely small."""

    def __init__(self) -> None:
        super().__init__("grounding this needs a process of its own")


@dataclass(frozen=True)
class Guard:
    """What may be grounded here."""

    words: int
    """Of the tape: a rule has two and one for each literal."""
    work: float = math.inf
    """Combinations of values that clingo may have to look at, by `work_bound`; more raises TooLargeError."""

    known: dict[tuple[str, int], npt.NDArray[np.uint64]] = field(default_factory=dict)
    """Instances of relations that have been ground on the way, for the bounds."""

    @property
    def is_strict(self) -> bool:
        """Is this a process that must not come to harm?"""
        return self.work < math.inf


_WORDS = 96_000_000
"""Where nothing is said."""

_guard: ContextVar[Guard | None] = ContextVar("guard", default=None)


def guard() -> Guard:
    """The one that holds in this thread."""
    return _guard.get() or Guard(_WORDS)


@contextmanager
def guarded(within: Guard) -> Iterator[None]:
    """Ground within bounds meanwhile, in this thread."""
    token = _guard.set(within)
    try:
        yield
    finally:
        _guard.reset(token)
