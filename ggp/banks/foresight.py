"""Playouts that look one move ahead, as gates: a role takes a win that is there, and leaves none to the next role.

For each legal move of the role whose turn it is, the rules are copied into the network once more with that one move
played, as far as the move changes anything. The result says whether the game is over with the role's best goal, and
whether the position that follows has such a move for the role whose turn it then is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from heapq import heapify, heappop, heappush
from itertools import pairwise

import numpy as np

from ggp.banks.network import AND, FALSE, LEAF, TRUE, Literal, Network
from ggp.banks.phases import UNKNOWN, Phases
from ggp.circuits.circuit import Circuit

Values = dict[int, Literal]
"""What gates and leaves of a cone are in the network."""


MOST = 600_000
"""Nodes of a network that looks ahead, at most: a second of building. Few of them are used in the end."""


class TooWideError(Exception):
    """To look ahead takes too many gates, or the rules have positive cycles."""


class Cone:
    """The gates that some literals of an and-inverter graph need: to be copied, and again with some leaves changed."""

    def __init__(self, left: list[int], right: list[int], gates: Sequence[int], targets: Sequence[int]) -> None:
        """`gates`: those that may be copied, ascending; all else is a leaf."""
        self._left, self._right = left, right
        self._users: dict[int, list[int]] = {}
        self._order: list[int] = []
        wanted = {x >> 1 for x in targets}
        for g in reversed(gates):
            if g in wanted:
                self._order.append(g)
                for operand in {left[g] >> 1, right[g] >> 1}:
                    wanted.add(operand)
                    self._users.setdefault(operand, []).append(g)
        self._order.reverse()

    def copy(self, net: Network, value: Values) -> None:
        """Define all gates, from the leaves."""
        left, right, land = self._left, self._right, net.land
        for g in self._order:
            x, y = left[g], right[g]
            value[g] = land(value[x >> 1] ^ (x & 1), value[y >> 1] ^ (y & 1))

    def change(self, net: Network, value: Values, changed: Values) -> None:
        """Add to `changed` the gates that it changes."""
        users = self._users
        heap = list({g for leaf in changed for g in users.get(leaf, ())})
        heapify(heap)
        last = -1
        while heap:
            g = heappop(heap)
            if g == last:
                continue
            last = g
            x, y = self._left[g], self._right[g]
            a, b = x >> 1, y >> 1
            p, q = changed[a] if a in changed else value[a], changed[b] if b in changed else value[b]
            new = net.land(p ^ (x & 1), q ^ (y & 1))
            if new != value[g]:
                changed[g] = new
                for user in users.get(g, ()):
                    heappush(heap, user)


class _Threat:
    """Whether the role whose turn it is at a phase can win at once: a graph over the bases."""

    def __init__(self, net: Network, role: int, some: Literal) -> None:
        kinds, left, right = (x.tolist() for x in net.arrays())
        self.role, self.some = role, some
        self.base_of = {node: left[node] for node, kind in enumerate(kinds) if kind == LEAF}
        self.cone = Cone(left, right, [node for node, kind in enumerate(kinds) if kind == AND], [some])


class Foresight:
    """Looks ahead in one circuit, where a single role decides: at those phases at which all others can only wait."""

    def __init__(self, circuit: Circuit, phases: Phases) -> None:
        if len(circuit.loops) or circuit.gates > MOST // 10:
            raise TooWideError
        self.circuit, self.phases = circuit, phases
        self._left, self._right = circuit.left.tolist(), circuit.right.tolist()
        self._next, self._legal = circuit.next.tolist(), circuit.legal.tolist()
        self._moves = self._cone(circuit.cut, circuit.gates, self._next)
        self._bases_of: dict[int, list[int]] = {}
        for base, x in enumerate(self._next):
            self._bases_of.setdefault(x >> 1, []).append(base)
        self._threat = cache(self._find_threat)
        self._ending = cache(self._find_ending)

    def _cone(self, lo: int, hi: int, targets: Sequence[int]) -> Cone:
        return Cone(self._left, self._right, range(lo, hi), targets)

    def _find_ending(self, role: int) -> tuple[list[int], Cone]:
        """The literals of the role's best goal, and the cone of the game's end with it."""
        c = self.circuit
        own = np.flatnonzero(c.goal_roles == role)
        best = c.goal_literals[own[c.goal_values[own] == c.goal_values[own].max()]].tolist() if len(own) else []
        return best, self._cone(c.first, c.cut, [c.terminal, *best])

    def _known(self, phase: int) -> list[int]:
        known: list[int] = self.phases.known[phase % self.phases.period].tolist()
        return known

    def mover(self, value: Sequence[Literal]) -> int:
        """The only role that can have a choice in a position; -1 if several can, or none."""
        starts = self.circuit.role_starts.tolist()
        wide = []
        for role, (lo, hi) in enumerate(pairwise(starts)):
            if sum(_read(value, x) != FALSE for x in self._legal[lo:hi]) > 1:
                wide.append(role)
        return wide[0] if len(wide) == 1 else -1

    def _find_threat(self, phase: int) -> _Threat | None:
        """None if nobody is the only one to move at this phase."""
        c, net = self.circuit, Network()
        bases = [net.leaf(i) if x == UNKNOWN else x for i, x in enumerate(self._known(phase))]
        values: Values = dict(enumerate([FALSE, *bases, *[FALSE] * c.inputs]))
        self._cone(c.first, c.gates, [*self._legal, *self._next, c.terminal]).copy(net, values)  # moves: see `_ahead`
        value = [values.get(g, FALSE) for g in range(c.gates)]
        role = self.mover(value)
        if role < 0:
            return None
        wins = [x for x, _ in self._ahead(net, value, role, phase, None)]
        return _Threat(net, role, net.land(_tree(net, wins), _read(value, c.terminal) ^ 1))

    def _ahead(
        self, net: Network, value: Sequence[Literal], role: int, phase: int, threat: _Threat | None
    ) -> list[tuple[Literal, Literal]]:
        """For each input of a role: whether it is legal and wins at once, and whether the next role can then."""
        c = self.circuit
        starts = c.role_starts.tolist()
        before: Values = dict(enumerate(value))
        for other, (lo, hi) in enumerate(pairwise(starts)):
            for j in range(lo, hi):
                before[1 + c.bases + j] = FALSE if other == role else _read(value, self._legal[j])
        self._moves.copy(net, before)
        known = self._known(phase + 1)
        after: Values = {0: FALSE}
        for base, x in enumerate(self._next):
            after[1 + base] = before[x >> 1] ^ (x & 1) if known[base] == UNKNOWN else known[base]
        best, ending = self._ending(role)
        ending.copy(net, after)
        reply: Values = {}
        if threat is not None:
            reply = {0: FALSE, **{node: after[1 + base] for node, base in threat.base_of.items()}}
            threat.cone.copy(net, reply)
        found = []
        for j in range(starts[role], starts[role + 1]):
            legal = _read(value, self._legal[j])
            if legal == FALSE:
                found.append((FALSE, FALSE))
                continue
            played: Values = {1 + c.bases + j: TRUE}
            self._moves.change(net, before, played)
            reached: Values = {}
            for g, new in played.items():
                for base in self._bases_of.get(g, ()):
                    x = new ^ (self._next[base] & 1)
                    if known[base] == UNKNOWN and x != after[1 + base]:
                        reached[1 + base] = x
            answered: Values = {}
            if threat is not None:
                for node, base in threat.base_of.items():
                    if 1 + base in reached:
                        answered[node] = reached[1 + base]
                threat.cone.change(net, reply, answered)
            ending.change(net, after, reached)
            win = net.land(_in(reached, after, c.terminal), _tree(net, [_in(reached, after, x) for x in best]))
            found.append((net.land(legal, win), _in(answered, reply, threat.some) if threat is not None else FALSE))
            if len(net) > MOST:
                raise TooWideError
        return found

    def choices(self, net: Network, phase: int, value: Sequence[Literal]) -> list[Literal]:
        """The inputs to choose from, given the position cone: the legal ones, without those that foresight rules out."""
        legal = [_read(value, x) for x in self._legal]
        role = self.mover(value)
        if role < 0:
            return legal
        lo, hi = self.circuit.role_starts[role : role + 2].tolist()
        threat = self._threat((phase + 1) % self.phases.period)
        if threat is not None and threat.role == role:  # a role that moves again does not threaten itself
            threat = None
        found = self._ahead(net, value, role, phase, threat)
        wins = [win for win, _ in found]
        safe = [net.land(x, danger ^ 1) for x, (_, danger) in zip(legal[lo:hi], found, strict=True)]
        can_win, can_be_safe = _tree(net, wins), _tree(net, safe)
        for j, win, calm in zip(range(lo, hi), wins, safe, strict=True):
            legal[j] = net.mux(can_win, win, net.mux(can_be_safe, calm, legal[j]))
        return legal


def _read(value: Sequence[Literal], x: int) -> Literal:
    return value[x >> 1] ^ (x & 1)


def _in(changed: Values, value: Values, x: int) -> Literal:
    gate = x >> 1
    return (changed[gate] if gate in changed else value[gate]) ^ (x & 1)


def _tree(net: Network, literals: list[Literal]) -> Literal:
    """Whether any holds, as a tree: a change of one of them changes few gates."""
    row = [x for x in literals if x != FALSE]
    while len(row) > 1:
        row = [net.lor(row[i], row[i + 1]) if i + 1 < len(row) else row[i] for i in range(0, len(row), 2)]
    return row[0] if row else FALSE
