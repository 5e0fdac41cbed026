"""A perfect player of connect four, for positions in which some twenty discs lie: bit boards and alpha-beta.

Each column has seven bits, the lowest for the lowest row; the seventh stays empty, so that lines do not run on into the
next column. The value of a position is 1 if whoever is to move wins, −1 if he loses, 0 for a draw.
"""

from __future__ import annotations

from collections.abc import Iterable

WIDTH, HEIGHT = 7, 6
STRIDE = HEIGHT + 1
ORDER = (3, 2, 4, 1, 5, 0, 6)
FULL = sum(((1 << HEIGHT) - 1) << STRIDE * column for column in range(WIDTH))
BOTTOM = sum(1 << STRIDE * column for column in range(WIDTH))


def has_four(discs: int) -> bool:
    """Whether four discs are in a line."""
    for step in (1, STRIDE, STRIDE + 1, STRIDE - 1):
        pairs = discs & discs >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


class Perfect:
    """Remembers what it has worked out."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], int] = {}

    def values(self, columns: Iterable[int]) -> dict[int, int]:
        """The value of each move, for whoever makes it, after discs in these columns (0 to 6)."""
        mine, theirs = 0, 0
        for column in columns:
            mine, theirs = theirs, mine | self._place(mine | theirs, column)
        return {
            column: self._after(mine | place, theirs)
            for column in range(WIDTH)
            if (place := self._place(mine | theirs, column)) & FULL
        }

    def _place(self, taken: int, column: int) -> int:
        """The lowest place of a column that is empty; none of the board if it is full."""
        return (taken + (1 << STRIDE * column)) & ((1 << STRIDE) - 1) << STRIDE * column & ~taken

    def _after(self, moved: int, other: int) -> int:
        return 1 if has_four(moved) else -self._value(other, moved, -1, 1)

    def _value(self, mine: int, theirs: int, low: int, high: int) -> int:
        taken = mine | theirs
        if taken == FULL:
            return 0
        places = [place for column in ORDER if (place := self._place(taken, column)) & FULL]
        if any(has_four(mine | place) for place in places):
            return 1
        if (mine, theirs) in self._known:
            return self._known[mine, theirs]
        best, is_exact = -1, True
        for place in places:
            best = max(best, -self._value(theirs, mine | place, -high, -max(low, best)))
            if best >= high:
                is_exact = best == 1
                break
        if is_exact and (best > low or best == -1):
            self._known[mine, theirs] = best
        return best
