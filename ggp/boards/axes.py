"""The order of labels along a side of a board: numbers, letters, or names that a relation of the rules puts in order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ggp.boards.rules import Kind, Row

Chain = tuple[str, ...]
"""Names in the order in which a relation like (right_of a b) has them."""

_NUMBERED = re.compile(r"([a-z_]*?)_?(-?\d+)")
_SQUARE = re.compile(r"([a-z])_?(\d+)")
_NUMBER = re.compile(r"-?\d+")


def chains(static: Mapping[Kind, Sequence[Row]]) -> list[Chain]:
    """What the relations of two arguments put in a row: each name has one that follows, at most, and follows one."""
    found = []
    for (_, count), rows in sorted(static.items()):
        if count == 2 and len(rows) > 1:
            after, before = {row[0]: row[1] for row in rows}, {row[1]: row[0] for row in rows}
            first = sorted(after.keys() - before.keys())
            if len(after) == len(before) == len(rows) and len(first) == 1:
                chain = list(first)
                while chain[-1] in after:
                    chain.append(after[chain[-1]])
                if len(chain) == len(rows) + 1:
                    found.append(tuple(chain))
    return found


def in_order(values: Iterable[str], known: Iterable[Chain]) -> Chain | None:
    """The values in their order; None if they have none."""
    labels = sorted(values)
    if not labels:
        return None
    if all(map(_NUMBER.fullmatch, labels)):
        return tuple(sorted(labels, key=int))
    parts = [_NUMBERED.fullmatch(label) for label in labels]
    if len(labels) > 1 and len({part[1] if part else None for part in parts}) == 1 and parts[0]:
        numbers = {label: int(part[2]) for label, part in zip(labels, parts, strict=True) if part}
        return tuple(sorted(labels, key=lambda label: numbers[label]))
    if all(len(label) == 1 and label.isalpha() for label in labels) and len(labels) > 2:
        return tuple(labels)
    for chain in known:
        if set(labels) <= set(chain):
            return tuple(label for label in chain if label in set(labels))
    return None


def as_squares(values: Iterable[str]) -> dict[str, tuple[str, str]] | None:
    """The column and row of names such as a1 and h8; None if these are no names of squares."""
    labels = sorted(values)
    parts = {label: part.groups() for label in labels if (part := _SQUARE.fullmatch(label))}
    if len(parts) < len(labels) or len(labels) < 6:
        return None
    columns, rows = ({part[i] for part in parts.values()} for i in (0, 1))
    return {k: (v[0], v[1]) for k, v in parts.items()} if len(columns) > 2 and len(rows) > 1 else None
