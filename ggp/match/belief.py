"""What a role knows of the position: the position itself, or particles that agree with all that the role has seen.

Where joint moves are told there is one position. Where percepts are told, positions are sampled: the moves of the others
(chance included) are drawn uniformly, and what the role would then have seen decides whether a position is kept. When
none is left, a path from the first position that agrees with everything is searched for, with backtracking.
"""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gdl.terms import Term
from ggp.machines.machine import JointMove, Machine, Situation, by_text

_TRIES = 4
"""Samples for each particle that is wanted, before those that were found must do."""


@dataclass(frozen=True)
class Seen:
    """A step as our role saw it: its own move and its percepts."""

    own: Term
    percepts: tuple[Term, ...]
    """Sorted by text, each once."""


class Belief:
    """The positions that a role of a match may be in."""

    def __init__(self, machine: Machine[Any], role: int, seed: int, size: int) -> None:
        self._machine = machine
        self._role = role
        self._size = size
        self._generator = random.Random(seed)
        self._initial = machine.initial()
        self._past: list[Seen] = []
        self.positions: list[Any] = [self._initial]

    def situation(self) -> Situation:
        """What is known of the position; the legal moves of our own role are the same in all that agree."""
        return self._machine.situation(self.positions[0])

    def common(self) -> list[tuple[Any, int]]:
        """The particles with how many of each there are, the most common first."""
        return Counter(self.positions).most_common()

    def place(self, fluents: Iterable[Term]) -> None:
        """Be in one known position."""
        self._anchor(self._machine.position(fluents))

    def apply_moves(self, joint: JointMove) -> None:
        """Go on by a known joint move."""
        following = dict.fromkeys(self._machine.next(position, joint) for position in self.positions)
        self.positions = list(following)
        if len(self.positions) == 1:
            self._anchor(self.positions[0])

    def apply_percepts(self, own: Term, percepts: Iterable[Term], until: float) -> bool:
        """Go on by our own move and what was seen; False if no position was found that agrees (then all are kept).

        `until` is when to make do with what was found, on the clock of `time.monotonic`.
        """
        seen = Seen(own, by_text(percepts))
        self._past.append(seen)
        found = self._sample(seen, until)
        if not found:
            path_end = self._search(until)
            found = [] if path_end is None else [path_end]
        if found:
            self.positions = found
            return True
        self.positions = [self._machine.next(p, joint) for p in self.positions for joint in self._drawn(p, own, 1)]
        if not self.positions:
            self.positions = [self._initial]
        return False

    def _anchor(self, position: Any) -> None:
        """Know that this is the position: what was seen before no longer matters."""
        self._initial, self._past, self.positions = position, [], [position]

    def _sample(self, seen: Seen, until: float) -> list[Any]:
        """Up to `size` positions that follow from the particles; each has its turn, for drawing them would lose some.

        If that gives none, all that may follow from them.
        """
        found: list[Any] = []
        rounds = -(-self._size * _TRIES // len(self.positions))
        for _ in range(rounds):
            for position in self._generator.sample(self.positions, len(self.positions)):
                if len(found) >= self._size or time.monotonic() > until:
                    return found
                for joint in self._drawn(position, seen.own, 1):
                    found.extend(self._after(position, joint, seen))
        if not found:
            for position in dict.fromkeys(self.positions):
                found.extend(itertools.islice(self._consistent(position, seen, until), self._size - len(found)))
        return found

    def _search(self, until: float) -> Any | None:
        """The end of some path from the first position that agrees with all that was seen; None if time is up."""
        stack = [self._consistent(self._initial, self._past[0], until)]
        while stack:
            following = next(stack[-1], None)
            if following is None:
                stack.pop()
            elif len(stack) == len(self._past):
                return following
            else:
                stack.append(self._consistent(following, self._past[len(stack)], until))
        return None

    def _consistent(self, position: Any, seen: Seen, until: float) -> Iterator[Any]:
        """All positions that may follow, each once, in random order."""
        known = set()
        for joint in self._drawn(position, seen.own, None):
            if time.monotonic() > until:
                return
            for following in self._after(position, joint, seen):
                if following not in known:
                    known.add(following)
                    yield following

    def _after(self, position: Any, joint: JointMove, seen: Seen) -> Iterator[Any]:
        if self._machine.sees(position, joint)[self._role] == seen.percepts:
            yield self._machine.next(position, joint)

    def _drawn(self, position: Any, own: Term, count: int | None) -> Iterator[JointMove]:
        """Joint moves with our own move fixed: `count` drawn at random, or all in random order; none if it is illegal."""
        situation = self._machine.situation(position)
        if situation.terminal or own not in situation.legal[self._role] or not all(situation.legal):
            return
        choices = [(own,) if role == self._role else moves for role, moves in enumerate(situation.legal)]
        if count is None:
            shuffled = [self._generator.sample(moves, len(moves)) for moves in choices]
            yield from itertools.product(*shuffled)
            return
        for _ in range(count):
            yield tuple(self._generator.choice(moves) for moves in choices)
