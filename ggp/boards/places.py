"""Which arguments of a fluent say where something is.

Candidates are arguments whose values have an order. Of several, those that name the place determine the rest: in the
first position no two facts share them. Where the rules start with an empty board, moves and other atoms that share
the variables tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from ggp.boards.axes import Chain, as_squares, in_order
from ggp.boards.rules import Kind, Row, Rules

_MOST_COORDINATES = 4
_LARGEST_AXIS = 64
_MOST_NAMES = 12
_FULL = 6
"""Facts of the first position that make a board of named rows and columns believable."""
_FILLED = 16
"""Facts of the first position that show which values an argument has."""
_MOVE_WEIGHT = 5


def coordinates(rules: Rules, kind: Kind, domains: Sequence[set[str]], known: Sequence[Chain]) -> tuple[int, ...]:
    """The positions of the arguments that name a cell; none where the fluents of a kind are not on a board.

    One position stands for names such as a1, which are column and row at once.
    """
    axes = [i for i, domain in enumerate(domains) if is_axis(domain, rules.roles, known)]
    bare = [i for i in axes if _only_letters(domains[i], known)]
    if bare and len(axes) - len(bare) < 1:
        axes = []  # letters that no relation puts in order are names, unless numbers stand beside them
    if len(axes) >= 2:
        return _several(rules, kind, axes, domains)
    squares = [i for i, domain in enumerate(domains) if as_squares(domain)]
    return (squares[0],) if squares else _named(rules, kind, domains)


def narrowed(domains: Sequence[set[str]], rows: Sequence[Row], known: Sequence[Chain]) -> list[set[str]]:
    """Domains in which letters and numbers got mixed, as the first position has them if it has many facts."""
    found = []
    for place, domain in enumerate(domains):
        seen = {row[place] for row in rows}
        mixed = in_order(domain, known) is None and len(seen) * 2 >= len(domain) and len(rows) >= _FILLED
        found.append(seen if mixed and len(seen) > 2 and in_order(seen, known) is not None else domain)
    return found


def _only_letters(domain: set[str], known: Sequence[Chain]) -> bool:
    return all(len(label) == 1 and label.isalpha() for label in domain) and not any(domain <= set(c) for c in known)


def is_axis(domain: set[str], roles: Sequence[str], known: Sequence[Chain]) -> bool:
    """Whether the values of an argument can be the rows or columns of a board."""
    return 2 <= len(domain) <= _LARGEST_AXIS and not domain <= set(roles) and in_order(domain, known) is not None


def is_key(rows: Sequence[Row], places: Sequence[int]) -> bool:
    """Whether no two facts have the same values there."""
    return len({tuple(row[i] for i in places) for row in rows}) == len(rows)


def _several(rules: Rules, kind: Kind, axes: list[int], domains: Sequence[set[str]]) -> tuple[int, ...]:
    """The coordinates of a fluent that has several arguments with an order."""
    rows = rules.init.get(kind, [])
    if len(rows) > 1 and kind[1] == 2 and is_key(rows, (0,)) and _lists_things(rows, domains):
        return ()
    weights = _weights(rules, kind)
    options = [c for n in range(2, _MOST_COORDINATES + 1) for c in combinations(axes, n)]
    keys = [option for option in options if is_key(rows, option)]
    used = [option for option in keys if weights[option]]
    seated = [c for c in _with_role(rules, domains, axes) if weights[tuple(sorted(c))] and is_key(rows, c)]
    if seated and not used:
        return seated[0]
    if rows and used:  # the fewest that determine the rest
        return min(used, key=lambda c: (len(c), -weights[c], c))
    if not used and len(axes) > _MOST_COORDINATES:
        return ()
    return max(used, key=lambda c: (weights[c], -len(c)), default=(keys or options)[0])


def _lists_things(rows: Sequence[Row], domains: Sequence[set[str]]) -> bool:
    """A value for each of a list of things (heaps, switches), or things that lie on each other (blocks)."""
    numbers = all(label.lstrip("-").isdigit() for label in domains[1])
    return {row[0] for row in rows} == domains[0] or (domains[0] == domains[1] and not numbers)


def _weights(rules: Rules, kind: Kind) -> Counter[tuple[int, ...]]:
    """How often just these arguments of a fluent are those of another atom in the same rule; moves tell most."""
    weights: Counter[tuple[int, ...]] = Counter()
    for (key, pairs), count in rules.shared(kind).items():
        weights[tuple(sorted({i for i, _ in pairs}))] += count * (_MOVE_WEIGHT if key[0].startswith("does(") else 1)
    return weights


def _with_role(rules: Rules, domains: Sequence[set[str]], axes: list[int]) -> list[tuple[int, ...]]:
    """A row for each role: the pits of Kalah."""
    roles = [i for i, domain in enumerate(domains) if domain and domain <= set(rules.roles)]
    return [(axis, role) for role in roles for axis in axes]


def _named(rules: Rules, kind: Kind, domains: Sequence[set[str]]) -> tuple[int, ...]:
    """Two arguments without an order, which moves name together: rings and directions."""
    rows = rules.init.get(kind, [])
    names = [i for i, domain in enumerate(domains) if 2 <= len(domain) <= _MOST_NAMES and not domain <= set(rules.roles)]
    weights: Counter[tuple[int, ...]] = Counter()
    for (key, pairs), count in rules.shared(kind).items():
        if key[0].startswith("does("):
            weights[tuple(sorted({i for i, _ in pairs}))] += count
    good = [pair for pair in combinations(names, 2) if weights[pair] and len(rows) >= _FULL and is_key(rows, pair)]
    return max(good, key=lambda pair: weights[pair], default=())
