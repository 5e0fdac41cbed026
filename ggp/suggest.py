"""What to say of a name that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable


def unknown(what: str, name: str, known: Iterable[str], otherwise: str = "") -> str:
    """That there is no such thing, and the nearest name; where none is near, all of them, or `otherwise`.

    >>> unknown("player", "udc", ["ucd", "mc", "random"])
    "there is no player 'udc'; did you mean ucd?"
    >>> unknown("player", "clever", ["ucd", "mc", "random"])
    "there is no player 'clever'; known are: ucd, mc, random"
    """
    names = list(known)
    near = nearest(name, names)
    hint = f"did you mean {near}?" if near else otherwise or f"known are: {', '.join(names)}"
    return f"there is no {what} {name!r}; {hint}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that a slip or two would turn into this one; None if all are too far.

    >>> nearest("conect_fuor", ["connect_four", "chess"])
    'connect_four'
    """
    far = 1 + max(1, len(name) // 3)
    distance, found = min(((_slips(name.lower(), other), other) for other in known), default=(far, ""))
    return found if distance < far else None


def _slips(a: str, b: str) -> int:
    """How many letters must be changed, left out, put in, or swapped with the next, to make one word of the other."""
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a):
        row = [i + 1]
        for j, y in enumerate(b):
            least = min(last[j] + (x != y), last[j + 1] + 1, row[j] + 1)
            if i and j and x == b[j - 1] and a[i - 1] == y:
                least = min(least, before[j - 1] + 1)
            row.append(least)
        before, last = last, row
    return last[-1]
