"""Playouts that look one move ahead, as gates: a role takes a win that is there, and leaves none to the next role.

For each legal move of the role whose turn it is, the rules are copied into the network once more with that one move
played, as far as the move changes anything. The result says whether the game is over with the role's best goal, and
whether the position that follows has such a move for the role whose turn it then is.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ggp.circuits.circuit import Circuit
from ggp.core.arraytypes import Bools, Bytes, Int, Ints, Longs, Words
from ggp.core.kernels import borrowing, kernel
from ggp.lanes.network import AND, FALSE, LEAF, TRUE, Literals, Network, Nodes, any_of, land, read
from ggp.lanes.phases import UNKNOWN, Phases

MOST = 600_000
"""Nodes of a network that looks ahead, at most: few of them are used in the end."""


class TooWideError(Exception):
    """To look ahead takes too many gates, or the rules have positive cycles."""


class Cone(NamedTuple):
    """The gates that some literals of an and-inverter graph need: to be copied, and again with some leaves changed."""

    left: Ints
    right: Ints
    order: Longs
    """The gates, ascending."""
    start: Ints
    """[gates + 1] where the users of each gate begin in `users`"""
    users: Ints
    waiting: Bytes
    """[gates] 1: to be looked at, because an operand has changed"""
    eight: Words
    """The same, eight gates a word"""
    value: Literals
    """[gates] what the gates and leaves of the cone are in the network: room for a copy"""
    old: Literals
    """[gates] what those in `changed` were before"""
    changed: Ints
    """A list of gates, with room for all"""
    length: Longs
    """[1] how many there are in it"""


def cone_of(left: Ints, right: Ints, is_inside: Bools, targets: Ints) -> Cone:
    """The cone of target literals. `is_inside`: the gates that may be copied; all else is a leaf."""
    gates = len(left)
    wanted = np.zeros(gates, np.bool_)
    wanted[targets >> 1] = True
    _need(left, right, is_inside, wanted)
    order = np.flatnonzero(wanted & is_inside)
    start = np.zeros(gates + 1, np.int32)
    np.cumsum(np.bincount(np.append(left[order], right[order]) >> 1, minlength=gates), out=start[1:])
    eight = np.zeros(gates // 8 + 1, np.uint64)
    return Cone(
        left=left,
        right=right,
        order=order,
        start=start,
        users=_users(left, right, order, start),
        waiting=eight.view(np.uint8),
        eight=eight,
        value=np.full(gates, FALSE, np.int64),
        old=np.empty(gates, np.int64),
        changed=np.empty(gates, np.int32),
        length=np.zeros(1, np.int64),
    )


@kernel
def _need(left: Ints, right: Ints, is_inside: Bools, wanted: Bools) -> None:
    """Extend wanted (bool [gates]) to all that it needs."""
    for g in range(len(left) - 1, -1, -1):
        if wanted[g] and is_inside[g]:
            wanted[left[g] >> 1] = True
            wanted[right[g] >> 1] = True


@kernel
def _users(left: Ints, right: Ints, order: Longs, start: Ints) -> Ints:
    at, users = start[:-1].copy(), np.empty(start[-1], np.int32)
    for g in order:
        for x in (left[g] >> 1, right[g] >> 1):
            users[at[x]] = g
            at[x] += 1
    return users


@borrowing
def _set(cone: Cone, g: Int, x: Int) -> None:
    """Let a gate or leaf be something else; its users are to be looked at."""
    cone.changed[cone.length[0]] = g
    cone.length[0] += 1
    cone.old[g] = cone.value[g]
    cone.value[g] = x
    for user in cone.users[cone.start[g] : cone.start[g + 1]]:
        cone.waiting[user] = 1


@borrowing
def _change(cone: Cone, net: Nodes) -> None:
    """Make the gates that change with those that were set."""
    for word in range(len(cone.eight)):
        while cone.eight[word]:
            for g in range(8 * word, 8 * word + 8):
                if cone.waiting[g]:
                    cone.waiting[g] = 0
                    x, y = cone.left[g], cone.right[g]
                    new = land(net, cone.value[x >> 1] ^ (x & 1), cone.value[y >> 1] ^ (y & 1))
                    if new != cone.value[g]:
                        _set(cone, g, new)


@borrowing
def _undo(cone: Cone) -> None:
    """All is again as it was before anything was set."""
    for g in cone.changed[: cone.length[0]]:
        cone.value[g] = cone.old[g]
    cone.length[0] = 0


class _Rules(NamedTuple):
    """What looking one move of a role ahead needs to know, beside the cones."""

    first_input: int
    """The gate of the first input."""
    legal: Literals
    """[inputs] what the legal literals are in the network"""
    next: Ints
    """[bases]"""
    known: Bytes
    """[bases] at the next phase"""
    goal: Ints
    """Literals: the role's best goal, and the end of the game last."""
    some: int
    """A literal of the threat's graph: whether the next role can win at once."""
    reply: Ints
    """[bases] the node of each base in the threat's graph, -1: none"""
    start: Ints
    """[gates + 1] where the bases that a gate makes begin in `bases`"""
    bases: Ints


@kernel
def _look_ahead(
    net: Nodes,
    rules: _Rules,
    moves: Cone,
    ending: Cone,
    threat: Cone,
    start: int,
    end: int,
    room: int,
    win: Literals,
    danger: Literals,
) -> int:
    """For inputs from start on: whether each is legal and wins at once, and whether the next role can then.

    moves, ending, threat: cones, copied with no move played. Returns the first input that is not done: all are, or there
    is no room for more nodes.
    """
    row = np.empty(len(rules.goal), np.int64)
    last = len(rules.goal) - 1
    for j in range(start, end):
        win[j] = danger[j] = FALSE
        if rules.legal[j] == FALSE:
            continue
        if net.size[0] + room > len(net.node):
            return j
        _set(moves, rules.first_input + j, np.int64(TRUE))
        _change(moves, net)
        for g in moves.changed[: moves.length[0]]:
            for base in rules.bases[rules.start[g] : rules.start[g + 1]]:
                x = moves.value[g] ^ (rules.next[base] & 1)
                if rules.known[base] == UNKNOWN and x != ending.value[1 + base]:
                    _set(ending, 1 + base, x)
                    if rules.reply[base] >= 0:
                        _set(threat, np.int64(rules.reply[base]), x)
        _undo(moves)
        _change(threat, net)
        _change(ending, net)
        for i in range(len(rules.goal)):
            x = rules.goal[i]
            row[i] = ending.value[x >> 1] ^ (x & 1)
        over = row[last]
        win[j] = land(net, rules.legal[j], land(net, over, any_of(net, row, last)))
        danger[j] = threat.value[rules.some >> 1] ^ (rules.some & 1)
        _undo(ending)
        _undo(threat)
    return end


class _Threat:
    """Whether the role whose turn it is at a phase can win at once: a graph over the bases."""

    def __init__(self, net: Network, bases: int, role: int, some: int) -> None:
        kind, left, right = net.arrays()
        leaves = np.flatnonzero(kind == LEAF)
        self.role, self.some = role, some
        self.node_of = np.full(bases, -1, np.int32)
        self.node_of[left[leaves]] = leaves
        self.cone = cone_of(left, right, kind == AND, np.array([some], np.int32))


class Foresight:
    """Looks ahead in one circuit, where a single role decides: at those phases at which all others can only wait."""

    def __init__(self, circuit: Circuit, phases: Phases) -> None:
        if len(circuit.loops) or circuit.gates > MOST // 10:
            raise TooWideError
        self.circuit, self.phases = circuit, phases
        self._moves = self._cone(circuit.cut, circuit.gates, circuit.next)
        made_by = circuit.next >> 1
        self._bases = np.argsort(made_by, kind="stable").astype(np.int32)
        self._starts = np.append(0, np.cumsum(np.bincount(made_by, minlength=circuit.gates))).astype(np.int32)
        only_false = np.zeros(1, np.int32)
        self._nothing = cone_of(only_false, only_false, np.zeros(1, np.bool_), only_false)
        self._threat = cache(self._find_threat)
        self._ending = cache(self._find_ending)

    def _cone(self, lo: int, hi: int, targets: Ints) -> Cone:
        gates = np.arange(self.circuit.gates)
        return cone_of(self.circuit.left, self.circuit.right, (gates >= lo) & (gates < hi), targets)

    def _find_ending(self, role: int) -> tuple[Ints, Cone]:
        """The literals of the role's best goal and the end, and their cone."""
        c = self.circuit
        own = np.flatnonzero(c.goal_roles == role)
        best = c.goal_literals[own[c.goal_values[own] == c.goal_values[own].max()]] if len(own) else c.goal_literals[:0]
        literals = np.append(best, c.terminal).astype(np.int32)
        return literals, self._cone(c.first, c.cut, literals)

    def _known(self, phase: int) -> Bytes:
        known: Bytes = self.phases.known[phase % self.phases.period]
        return known

    def mover(self, legal: Literals) -> int:
        """The only role that can have a choice in a position; -1 if several can, or none."""
        starts = self.circuit.role_starts.tolist()
        wide = [role for role, (lo, hi) in enumerate(pairwise(starts)) if (legal[lo:hi] != FALSE).sum() > 1]
        return wide[0] if len(wide) == 1 else -1

    def _find_threat(self, phase: int) -> _Threat | None:
        """None if nobody is the only one to move at this phase."""
        c, net = self.circuit, Network()
        known = self._known(phase)
        value = np.full(c.gates, FALSE, np.int64)
        value[1 : 1 + c.bases] = np.where(known == UNKNOWN, net.leaves(range(c.bases)), known)
        every = self._cone(c.first, c.gates, np.concatenate([c.legal, c.next, [c.terminal]]))
        net.copy(c.left, c.right, every.order, value)  # what needs the moves is made again: see `_ahead`
        legal = read(value, c.legal)
        role = self.mover(legal)
        if role < 0:
            return None
        wins, _ = self._ahead(net, value, legal, role, phase, None)
        some = net.land(net.any(wins), read(value, c.terminal) ^ 1)
        return _Threat(net, c.bases, role, some)

    def _ahead(
        self, net: Network, value: Literals, legal: Literals, role: int, phase: int, threat: _Threat | None
    ) -> tuple[Literals, Literals]:
        """For each input of a role: whether it is legal and wins at once, and whether the next role can then."""
        c, moves = self.circuit, self._moves
        lo, hi = c.role_starts[role : role + 2].tolist()
        inputs = slice(1 + c.bases, c.first)
        moves.value[:] = value
        moves.value[inputs] = legal
        moves.value[inputs][lo:hi] = FALSE
        net.copy(c.left, c.right, moves.order, moves.value)
        known = self._known(phase + 1)
        after = np.where(known == UNKNOWN, read(moves.value, c.next), known)
        goal, ending = self._ending(role)
        ending.value[1 : 1 + c.bases] = after
        net.copy(c.left, c.right, ending.order, ending.value)
        reply, node_of = self._nothing, np.full(c.bases, -1, np.int32)
        if threat is not None:
            reply, node_of = threat.cone, threat.node_of
            has_node = np.flatnonzero(node_of >= 0)
            reply.value[node_of[has_node]] = after[has_node]
            net.copy(reply.left, reply.right, reply.order, reply.value)
        some = threat.some if threat is not None else FALSE
        rules = _Rules(1 + c.bases, legal, c.next, known, goal, some, node_of, self._starts, self._bases)
        win, danger = np.empty(c.inputs, np.int64), np.empty(c.inputs, np.int64)
        room = len(moves.order) + len(ending.order) + len(reply.order) + len(goal) + 1
        at = lo
        while at < hi:
            at = _look_ahead(net.reserve(room), rules, moves, ending, reply, at, hi, room, win, danger)
            if len(net) > MOST:
                raise TooWideError
        return win[lo:hi], danger[lo:hi]

    def choices(self, net: Network, phase: int, value: Literals) -> Literals:
        """The inputs to choose from, given the position cone: the legal ones, without those that foresight rules out."""
        legal: Literals = read(value, self.circuit.legal)
        role = self.mover(legal)
        if role < 0:
            return legal
        own = slice(*self.circuit.role_starts[role : role + 2].tolist())
        threat = self._threat((phase + 1) % self.phases.period)
        if threat is not None and threat.role == role:  # a role that moves again does not threaten itself
            threat = None
        wins, danger = self._ahead(net, value, legal, role, phase, threat)
        safe = net.each_and(legal[own], danger ^ 1)
        can_win, can_be_safe = net.any(wins), net.any(safe)
        legal[own] = net.each_mux(can_win, wins, net.each_mux(can_be_safe, safe, legal[own]))
        return legal
