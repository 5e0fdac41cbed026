"""Records in an array: open addressing, many at a time. The array may be a file in memory that somebody else writes to.

A place holds a record, nothing, or the torn rest of one: that stays where it is and is passed by, so that what lies
behind it is found.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.knowledge.records import Records, Words, are_empty, are_sound, know_more


class FullError(Exception):
    """There is no place left."""


def enter(table: Records, records: Records) -> int:
    """Put records (of different positions) into a table, where they know more than what is there. How many are new."""
    places, pending, new = _starts(records["key"], len(table)), np.arange(len(records)), 0
    for _ in range(len(table)):
        if not len(pending):
            return new
        here, mine = places[pending], records[pending]
        there = table[here]
        same = (there["key"] == mine["key"]).all(axis=1) & are_sound(there)
        better = same & know_more(mine, there)
        table[here[better]] = mine[better]
        empty = np.flatnonzero(are_empty(there))
        claimed, first = np.unique(here[empty], return_index=True)
        table[claimed] = mine[empty[first]]
        new += len(first)
        done = same
        done[empty[first]] = True
        pending = pending[~done]
        places[pending] = (places[pending] + 1) % len(table)
    if len(pending):
        raise FullError
    return new


def find(table: Records, keys: Words, capacity: int) -> tuple[NDArray[np.bool_], Records]:
    """Which keys (uint64 [n, 2]) have a record, and the records; zeros for the others.

    `capacity`: the places that there should be; a torn file has fewer.
    """
    known, found = np.zeros(len(keys), np.bool_), np.zeros(len(keys), table.dtype)
    places, pending = _starts(keys, capacity), np.arange(len(keys))
    for _ in range(capacity):
        pending = pending[places[pending] < len(table)]
        if not len(pending):
            break
        there = table[places[pending]]
        same = (there["key"] == keys[pending]).all(axis=1) & are_sound(there)
        known[pending[same]] = True
        found[pending[same]] = there[same]
        pending = pending[~same & ~are_empty(there)]
        places[pending] = (places[pending] + 1) % capacity
    return known, found


def _starts(keys: Words, capacity: int) -> NDArray[np.int64]:
    """Where the search for each key begins."""
    return (keys[:, 0] & np.uint64(capacity - 1)).astype(np.int64)
