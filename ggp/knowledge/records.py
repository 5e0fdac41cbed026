"""Records: what is known of a position for a role that chooses there, each with a checksum of its own.

Of two records of one position the one that knows more stands: a proof before an estimate, of proofs the shorter (so that
whoever follows proofs of several searches comes ever nearer to the end), then the larger search. That is an order of all
records, so bases can be merged in any order, and any number of times, with the same result.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Records: TypeAlias = NDArray[np.void]
"""Of a type that `kind` gives."""
Words: TypeAlias = NDArray[np.uint64]

ALPHA = 1.0
"""What the share of a move in the visits of its position weighs, where a sure win weighs 1."""
_SALT, _FACTOR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)


def kind(roles: int) -> np.dtype[np.void]:
    """The type of the records of a game for so many roles: whole words of 64 bits."""
    fields: list[Any] = [
        ("key", np.uint64, (2,)),  # of the position and the role: see `names`
        ("move", np.uint64),  # the first word of its code
        ("check", np.uint64),  # of all other words
        ("visits", np.float32),  # V: simulations that came by
        ("tried", np.float32),  # v_i: those of them that took the move
        ("proven", np.uint16),  # 1: the goals are exact
        ("length", np.uint16),  # where it is proven: steps to the end of the game
        ("goals", np.float32, (roles,)),  # of each role, if the move is played
    ]
    if roles % 2 == 0:
        fields.append(("spare", np.uint32))
    return np.dtype(fields)


def checks(records: Records) -> Words:
    """The checksum that each record should have."""
    words = np.ascontiguousarray(records).view(np.uint64).reshape(len(records), records.dtype.itemsize // 8)
    found = np.full(len(records), _SALT)
    for column in range(words.shape[1]):
        if column != 3:  # where the checksum stands
            found = (found ^ words[:, column]) * _FACTOR
            found ^= found >> np.uint64(32)
    return found


def signed(records: Records) -> Records:
    """The records with their checksums."""
    records["check"] = checks(records)
    return records


def are_sound(records: Records) -> NDArray[np.bool_]:
    """Which records are whole: neither empty nor torn."""
    sound: NDArray[np.bool_] = records["check"] == checks(records)
    return sound


def are_empty(records: Records) -> NDArray[np.bool_]:
    """Which places have never held a record, as far as what would stand first in it tells."""
    empty: NDArray[np.bool_] = (records["key"] == 0).all(axis=1) & (records["check"] == 0)
    return empty


def confidence(records: Records, role: int, highest: float) -> NDArray[np.float64]:
    """MCD = α·v_i/V + win rate of each record, with the role's highest goal as a win; 1 + α where a win is proven."""
    share = np.where(records["proven"] > 0, 1.0, records["tried"] / np.maximum(1, records["visits"]))
    found: NDArray[np.float64] = ALPHA * share + records["goals"][:, role] / max(1.0, highest)
    return found


def know_more(these: Records, others: Records) -> NDArray[np.bool_]:
    """Which of these records stand before the others of the same positions; none where both are equal."""
    more, same = np.zeros(len(these), np.bool_), np.ones(len(these), np.bool_)
    for mine, theirs in zip(_ranks(these), _ranks(others), strict=True):
        more |= same & (mine > theirs)
        same &= mine == theirs
    return more


def distinct(records: Records) -> Records:
    """One record for each position: of several, the one that knows most."""
    if len(records) < 2:
        return records
    order = np.lexsort([*reversed(_ranks(records)), records["key"][:, 1], records["key"][:, 0]])
    ordered = records[order]
    is_last = np.append((ordered["key"][1:] != ordered["key"][:-1]).any(axis=1), True)
    last: Records = ordered[is_last]
    return last


def _ranks(records: Records) -> list[NDArray[Any]]:
    """By what records are compared, the weightiest first."""
    shorter = -records["length"].astype(np.int32)
    plain = [records[name] for name in ("visits", "tried", "move")]
    return [records["proven"], shorter, *plain, *records["goals"].T]
