"""Work: what the passes may spend. It is counted, never timed, so that a program gives the same circuit everywhere.

The unit is about what one core does in a microsecond. Each pass knows what its steps cost; the figures were fitted to
measured times once and need not be exact: they decide only when a pass stops, and the same way on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Work:
    """A limit and what is spent of it; what a part spends counts for the whole as well."""

    limit: int
    spent: int = 0
    whole: Work | None = None
    check: Callable[[], None] | None = None
    """Asked whenever something is spent; raises if nobody wants the work any more."""

    @property
    def left(self) -> int:
        """What may still be spent."""
        left = max(0, self.limit - self.spent)
        return left if self.whole is None else min(left, self.whole.left)

    def spend(self, amount: int) -> None:
        """Count some work."""
        self.spent += amount
        if self.check is not None:
            self.check()
        if self.whole is not None:
            self.whole.spend(amount)

    def until(self, share: float) -> Work:
        """The part that ends when this share of the limit is spent."""
        return Work(int(self.limit * share) - self.spent, whole=self)
