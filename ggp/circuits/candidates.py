"""Groups of bases of which at most one may always hold: suggested by the fluents' texts and by samples, not proved."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from gdl.program import GroundProgram
from ggp.circuits.simulate import padded
from ggp.circuits.solver import Group
from ggp.circuits.work import Work
from ggp.core.arraytypes import Bools, Longs, Words
from ggp.core.kernels import kernel

_PROPOSAL, _WORDS, _PAIRS = 5, 1_000, 100
"""Work for a proposed group; words of samples read, and pairs of members compared, that are one unit."""
_LARGEST, _MOST = 400, 1_500
"""Larger proposals are not mended; more bases are not searched for groups by the samples alone."""


@kernel
def _held(rows: Words, members: Longs) -> tuple[bool, bool]:
    """Do two members ever hold together, and does one always hold?"""
    always = True
    for w in range(rows.shape[1]):
        once = np.uint64(0)
        for i in members:
            if once & rows[i, w]:
                return True, False
            once |= rows[i, w]
        always = always and once == np.uint64(0xFFFFFFFFFFFFFFFF)
    return False, always


@kernel
def _mended(rows: Words, members: Longs) -> Bools:
    """Which members are left when those that clash with most others are dropped, a quarter at most; or none."""
    n = len(members)
    clash = np.zeros((n, n), np.bool_)
    degree = np.zeros(n, np.int64)
    for i in range(n):
        for j in range(i):
            for w in range(rows.shape[1]):
                if rows[members[i], w] & rows[members[j], w]:
                    clash[i, j] = clash[j, i] = True
                    degree[i] += 1
                    degree[j] += 1
                    break
    keep = np.ones(n, np.bool_)
    for left in range(n // 4, -1, -1):
        worst = 0
        for i in range(n):
            if degree[i] > degree[worst]:
                worst = i
        if degree[worst] == 0:
            return keep
        if left == 0:
            break
        keep[worst] = False
        degree[worst] = 0
        for i in range(n):
            if clash[i, worst] and keep[i]:
                degree[i] -= 1
    return np.zeros(n, np.bool_)


@kernel
def _cover(rows: Words, used: Bools, start: int, chosen: Longs) -> int:
    """Choose rows that exclude each other, `start` and then the first that fits; how many if one always holds, else 0."""
    words = rows.shape[1]
    covered = np.zeros(words, np.uint64)
    for w in range(words):
        covered[w] = rows[start, w]
    chosen[0] = start
    n = 1
    for r in range(len(rows)):
        if used[r] or r == start:
            continue
        fits = True
        for w in range(words):
            if covered[w] & rows[r, w]:
                fits = False
                break
        if fits:
            for w in range(words):
                covered[w] |= rows[r, w]
            chosen[n] = r
            n += 1
    for w in range(words):
        if covered[w] != np.uint64(0xFFFFFFFFFFFFFFFF):
            return 0
    return n


def _arguments(fluent: str) -> list[str]:
    """Functor and top-level arguments of a fluent's text."""
    if not fluent.startswith("("):
        return [fluent]
    parts, depth, current = [], 0, ""
    for char in fluent[1:-1]:
        if char == " " and depth == 0:
            parts.append(current)
            current = ""
            continue
        depth += (char == "(") - (char == ")")
        current += char
    return [*parts, current]


def candidate_groups(program: GroundProgram, states: Bools, work: Work) -> list[Group]:
    """Groups suggested by the fluents' texts and by the samples, largest first, no base in two of one kind.

    For each functor, each set of one or two argument positions (or all) is projected out; what is left names
    the group. Bases that ended in no exactly-one group are then collected greedily by the samples alone.
    """
    rows = padded(states)
    words = [_arguments(base.fluent) for base in program.bases]
    by_shape: dict[tuple[str, int], list[int]] = {}
    for i, parts in enumerate(words):
        by_shape.setdefault((parts[0], len(parts)), []).append(i)
    proposals: dict[tuple[int, ...], None] = {}
    for (_, length), same in by_shape.items():
        positions = range(1, length)
        dropped: Iterable[tuple[int, ...]] = itertools.chain(
            itertools.combinations(positions, 1), itertools.combinations(positions, 2), [tuple(positions)]
        )
        for out in dropped:
            found: dict[tuple[str, ...], list[int]] = {}
            for i in same:
                found.setdefault(tuple(w for p, w in enumerate(words[i]) if p not in out), []).append(i)
            proposals.update(dict.fromkeys(tuple(group) for group in found.values() if len(group) > 1))
    propositions = [i for i, parts in enumerate(words) if len(parts) == 1]
    proposals[tuple(propositions)] = None
    groups: list[Group] = []
    exact = np.zeros(len(words), np.bool_)
    for members_ in sorted(proposals, key=lambda g: (-len(g), g)):
        if len(members_) < 2:
            continue
        work.spend(_PROPOSAL + len(members_) * rows.shape[1] // _WORDS)
        members = np.array(members_)
        clash, some = _held(rows, members)
        if not clash:
            groups.append(Group(members_, some))
            exact[members] |= some
        elif work.left:
            groups += _within(members, rows, work)
    groups += _greedy(np.flatnonzero(~exact), rows, work)
    return list(without_subsets(groups))


def _within(members: Longs, rows: Words, work: Work) -> list[Group]:
    """Most of a proposal may still be a group: drop the members that clash most (a step counter with a
    stray).
    """
    if len(members) > _LARGEST:
        return []
    work.spend(_PROPOSAL + len(members) ** 2 // _PAIRS)
    kept = members[_mended(rows, members)]
    return [Group(tuple(kept.tolist()), _held(rows, kept)[1])] if len(kept) > 1 else []


def _greedy(rest: Longs, rows: Words, work: Work) -> list[Group]:
    """Exactly-one groups among bases of any names: cover every sample once, most frequent base first."""
    if not 1 < len(rest) <= _MOST:
        return []
    frequency = np.bitwise_count(rows[rest]).sum(axis=1)
    order = np.argsort(-frequency.astype(np.int64), kind="stable")
    rest = rest[order[frequency[order] > 0]]
    rows = rows[rest]
    groups, used, chosen = [], np.zeros(len(rest), np.bool_), np.zeros(len(rest), np.int64)
    for start in range(len(rest)):
        if used[start] or not work.left:
            continue
        work.spend(len(rest) // _PAIRS)
        n = _cover(rows, used, start, chosen)
        if n > 1:
            used[chosen[:n]] = True
            groups.append(Group(tuple(sorted(rest[chosen[:n]].tolist())), True))
    return groups


def without_subsets(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Drop at-most-one groups inside larger groups."""
    kept: list[Group] = []
    sets: list[frozenset[int]] = []
    containing: dict[int, list[int]] = {}
    for group in sorted(groups, key=lambda g: (-len(g.members), not g.exact, g.members)):
        members = frozenset(group.members)
        near = set(containing.get(group.members[0], ()))
        if any(members <= sets[k] and (kept[k].exact or not group.exact) for k in sorted(near)):
            continue
        for i in group.members:
            containing.setdefault(i, []).append(len(kept))
        kept.append(group)
        sets.append(members)
    return tuple(kept)
