"""What was probably meant where a name is not known: the same with other arguments, or the nearest by edit distance."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from gdl.rules import Relation

_COMPARED = 2000
"""Known words that one is compared with; where there are more, they are coordinates and the like."""


def count_arguments(count: int) -> str:
    """The words for a number of arguments.

    >>> count_arguments(0), count_arguments(1)
    ('no arguments', '1 argument')
    """
    return f"{count or 'no'} argument{'' if count == 1 else 's'}"


def hint(unknown: Relation, known: Iterable[Relation], where: str) -> str:
    """The end of a message about a name (of a relation or function; a constant has no arguments) that is not known.

    >>> hint(("markd", 3), [("marked", 3), ("mark", 2)], "here"), hint(("mark", 3), [("mark", 2)], "there")
    ('; did you mean marked?', '; mark has 2 arguments there')
    """
    name, count = unknown
    likely = sorted(known, key=lambda other: (abs(other[1] - count), other))
    for other, arguments in likely:
        if other == name:
            return f"; {name} has {count_arguments(arguments)} {where}"
    meant = nearest(name, dict.fromkeys(other for other, _ in likely))
    return f"; did you mean {meant}?" if meant else ""


def distance(first: str, second: str) -> int:
    """The fewest letters to insert, drop, replace or swap with a neighbour that make one word of the other.

    >>> distance("markd", "marked"), distance("marc", "mark"), distance("form", "from")
    (1, 1, 1)
    """
    previous: list[int] = []
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        older, previous, row = previous, row, [i]
        for j, b in enumerate(second, 1):
            best = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and b == first[i - 2]:
                best = min(best, older[j - 2] + 1)
            row.append(best)
    return row[-1]


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like one that is not known; None if none is like it. The first of equals.

    A word may differ by a third of its letters, at least by one. Numbers are never like each other.

    >>> nearest("xplayr", ["oplayer", "xplayer"]), nearest("9", ["8"]), nearest("x", ["o"])
    ('xplayer', None, None)
    """
    if word.isdigit():
        return None
    found: str | None = None
    least = len(word) + 1
    for other in islice(known, _COMPARED):
        longest = max(len(word), len(other))
        limit = min(max(1, longest // 3), longest - 1)
        if other == word or other.isdigit() or abs(len(word) - len(other)) > limit:
            continue
        apart = distance(word, other)
        if apart < least and apart <= limit:
            found, least = other, apart
    return found
