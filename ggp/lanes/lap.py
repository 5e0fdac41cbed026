"""One period of steps as a single network: rows in, rows out.

`playout_lap` is for uniformly random complete playouts: lanes whose game ended are counted and refilled
inside. Three are for a search: `tick` is one step, in which lanes take given moves where there are some; `rollout`
plays loaded positions to their end, by any policy and with any evidence (`policies`); and `stride` does so step by step,
each a program of its own, so that others may look at a lane and say what it shall prefer next. All may be made
hastily, see `cover`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ggp.circuits.circuit import Circuit
from ggp.core.kernels import kernel
from ggp.lanes.choice import RING, Luck, choose
from ggp.lanes.goals import counted, rivals
from ggp.lanes.network import FALSE, TRUE, Fixpoint, Literal, Literals, Network, read
from ggp.lanes.phases import UNKNOWN, Phases
from ggp.lanes.policies import Evidence, Uniform
from ggp.lanes.program import TABLE, Program, build_program

UNDEFINED = -1
"""Instead of a literal."""


@dataclass(frozen=True)
class Rows:
    """Which memory row holds what, the same for all programs of a circuit. Hot rows come first."""

    bases: int
    inputs: int
    goals: int
    period: int = 1

    @property
    def ring(self) -> int:
        """The last words of the random generator."""
        return self.bases

    @property
    def done(self) -> int:
        """Lanes that ended in an earlier phase of the last lap and wait to be refilled."""
        return self.ring + RING

    @property
    def fresh(self) -> int:
        """Lanes refilled since this row was last cleared: the others may be over the step limit."""
        return self.done + 1

    @property
    def waits(self) -> int:
        """Rollouts: a row for each step of a lap but the last, with the lanes that begin only after it. Playouts: number
        of lanes, per word, that waited from that step on.
        """
        return self.fresh + 1

    @property
    def ended(self) -> int:
        """Playouts: number of games that ended within a lap, per word. Ticks: lanes whose position is terminal."""
        return self.waits + self.period - 1

    @property
    def stuck(self) -> int:
        """The same for lanes with a role that had no legal move."""
        return self.ended + 1

    @property
    def replaced(self) -> int:
        """Playouts: number of games whose end was found, and replaced, at the start of a lap: their lanes do not wait."""
        return self.stuck + 1

    @property
    def goal(self) -> int:
        """Playouts: number of games that ended with this goal, per word; see `goals.counted`. Ticks: its literal."""
        return self.replaced + 1

    @property
    def given(self) -> int:
        """Lanes whose joint move is given; cleared by the tick that plays it."""
        return self.goal + self.goals

    @property
    def moves(self) -> int:
        """The given move, one row per input."""
        return self.given + 1

    @property
    def legal(self) -> int:
        """Legal moves of the position before the tick, one row per input."""
        return self.moves + self.inputs

    @property
    def total(self) -> int:
        """Feedback values of positive cycles and slots of intermediate values come after these."""
        return self.legal + self.inputs


def rows_of(circuit: Circuit, phases: Phases) -> Rows:
    """The rows of a circuit's programs."""
    return Rows(circuit.bases, circuit.inputs, len(circuit.goal_literals), phases.period)


def _feedback(circuit: Circuit, lo: int, hi: int) -> npt.NDArray[np.int32]:
    """The gates of a cycle that are used before they are defined."""
    operands = np.stack([circuit.left[lo:hi], circuit.right[lo:hi]]) >> 1
    return np.unique(operands[(operands >= np.arange(lo, hi)) & (operands < hi)])


@kernel
def _mark(left, right, first, loops, wanted):  # type: ignore[no-untyped-def]
    """Extend wanted (bool [gates]) to all that it needs; all of a cycle if any of it."""
    g = len(left) - 1
    k = len(loops) - 1
    while g >= first:
        if k >= 0 and g == loops[k, 1] - 1:
            lo, hi = loops[k, 0], loops[k, 1]
            some = False
            for i in range(lo, hi):
                some = some or wanted[i]
            if some:
                for i in range(lo, hi):
                    wanted[left[i] >> 1] = True
                    wanted[right[i] >> 1] = True
            for i in range(lo, hi):
                wanted[i] = some
            g, k = lo - 1, k - 1
            continue
        if wanted[g]:
            wanted[left[g] >> 1] = True
            wanted[right[g] >> 1] = True
        g -= 1


class _Copier:
    """Copies parts of a circuit into a network, once per step and cone."""

    def __init__(self, circuit: Circuit, net: Network, rows: Rows) -> None:
        self.circuit, self.net = circuit, net
        self.next_row = rows.total  # of feedback values: every copy of a cycle has its own
        self._feedback = [_feedback(circuit, lo, hi) for lo, hi in circuit.loops.tolist()]

    def copy(self, value: Literals, lo: int, hi: int, targets: npt.NDArray[np.int32]) -> None:
        """Define value[g] for the gates in lo..hi-1 that the target literals need. value: a literal per
        gate, or `UNDEFINED`.
        """
        c, net = self.circuit, self.net
        wanted = np.zeros(c.gates, np.bool_)
        wanted[targets >> 1] = True
        inside = np.flatnonzero((c.loops[:, 0] >= lo) & (c.loops[:, 0] < hi))
        _mark(c.left, c.right, lo, c.loops[inside], wanted)
        gates = lo + np.flatnonzero(wanted[lo:hi] & (value[lo:hi] == UNDEFINED))
        edges = np.searchsorted(gates, c.loops[inside])
        at = 0
        for number, (start, end) in zip(inside.tolist(), edges.tolist(), strict=True):
            if start < end:
                net.copy(c.left, c.right, gates[at:start], value)
                self._copy_loop(value, gates[start:end], self._feedback[number])
                at = end
        net.copy(c.left, c.right, gates[at:], value)

    def _copy_loop(self, value: Literals, gates: npt.NDArray[np.int64], back: npt.NDArray[np.int32]) -> None:
        net, start = self.net, len(self.net)
        old = net.leaves(range(self.next_row, self.next_row + len(back)))
        self.next_row += len(back)
        value[back] = old
        net.copy(self.circuit.left, self.circuit.right, gates, value)
        net.fixpoints.append(Fixpoint(start, len(net), old, value[back]))


@dataclass(frozen=True, eq=False)
class Lap:
    """A program, and the steps that one run of it makes.

    The program stays with the process that made it: others have what runs it, and that is as large.
    """

    program: Program
    steps: int
    gates: int  # in the network, before covering
    rivals: Sequence[Sequence[int]] = ()  # playouts: goals that are counted together, see `goals.counted`

    def __getstate__(self) -> dict[str, object]:
        known = self.__dict__ | {"operations": self.operations, "tables": self.tables}
        return {name: part for name, part in known.items() if name != "program"}

    @cached_property
    def operations(self) -> int:
        """How many operations the program has."""
        return self.program.size

    @cached_property
    def tables(self) -> int:
        """How many of them are tables."""
        return int((self.program.what == TABLE).sum())


SHORT_GAME = 20
"""Steps. A lane that is not refilled eagerly idles for one more step a game: the shorter the games, the
dearer."""

LARGE = 200_000
"""Gates of a circuit above which the two ways of refilling are not compared: building both takes too long."""


_NODES_PER_INPUT = 20
"""What the choice of a move spends on each input, and taking over a given move."""


def playout_lap(circuit: Circuit, phases: Phases, eager: bool | None = None, *, hasty: bool = False) -> Lap:
    """Random play with refilling.

    `eager`: a terminal position at the start of the lap is replaced before it is played on, at the price of
    evaluating its terminal cone apart from the rest; otherwise such a lane idles for the lap. None: whichever
    is cheaper for short games.
    """
    contested = rivals(circuit)
    if eager is None and circuit.gates > LARGE:
        eager = False
    if eager is None:
        parts = [_playout_network(circuit, phases, contested, way) for way in (True, False)]
        price = [len(p[0].net) * (SHORT_GAME + k) for k, p in enumerate(parts)]
        copier, stores, counts, first = parts[0 if price[0] <= price[1] else 1]
    else:
        copier, stores, counts, first = _playout_network(circuit, phases, contested, eager)
    used, also = ({row: x for row, x in found.items() if x != FALSE} for found in (counts, first))
    program = build_program(copier.net, stores, used, copier.next_row, also=also, hasty=hasty)
    return Lap(program, phases.period, len(copier.net), contested)


def _playout_network(
    circuit: Circuit, phases: Phases, contested: list[list[int]], eager: bool
) -> tuple[_Copier, dict[int, Literal], dict[int, Literal], dict[int, Literal]]:
    """The network with its stores, and what it counts: within the lap, and apart from that at its start.

    `contested`: see `goals.rivals`. A lane ends at most once within the lap, but one that is refilled at the start may
    end again within the same lap, if the game can be that short.
    """
    net, rows = _network(circuit, phases.period), rows_of(circuit, phases)
    copier, luck = _Copier(circuit, net, rows), Luck(net, rows.ring)
    bases = _known(phases, 0, net.leaves(range(circuit.bases)))
    late = eager and phases.period > 1  # lanes that end within the lap are refilled at the start of the next
    waiting = net.leaf(rows.done) if late else FALSE
    ended, stuck, done, refill = FALSE, FALSE, FALSE, waiting
    ends: list[tuple[Literal, Literals]] = []
    first: dict[int, Literal] = {}
    waits: dict[int, Literal] = {}
    if eager:
        over, values = _outcome(copier, bases)
        first[rows.replaced] = net.land(over, waiting ^ 1)
        at_once = counted(net, [(first[rows.replaced], values)], rows.goals, contested)
        first.update((rows.goal + goal, x) for goal, x in at_once.items())
        refill = net.lor(over, waiting)
        bases = _refilled(copier, phases, bases, refill)
    for t in range(phases.period):
        value = _position(copier, bases)
        if t or not eager:
            over, values = _outcome(copier, bases, value)
            now = net.land(over, done ^ 1)
            ends.append((now, values))
            ended, done = net.lor(ended, now), net.lor(done, now)
        free = _move(copier, value, luck)
        blocked = net.land(free ^ 1, done ^ 1)
        stuck, done = net.lor(stuck, blocked), net.lor(done, blocked)
        if t < phases.period - 1:
            waits[rows.waits + t] = done
        bases = _known(phases, t + 1, _next(copier, value))
    stores: dict[int, Literal] = {}
    if late:
        stores[rows.done] = done
    else:
        refill = net.lor(refill, done)
        bases = _refilled(copier, phases, bases, done)
    stores.update(_unknown(phases, bases))
    stores.update(luck.stores())
    stores[rows.fresh] = net.lor(net.leaf(rows.fresh), refill)
    counts = {rows.ended: ended, rows.stuck: stuck, **waits}
    counts.update((rows.goal + goal, x) for goal, x in counted(net, ends, rows.goals, contested).items())
    return copier, stores, counts, first


def _network(circuit: Circuit, steps: int) -> Network:
    """Room for so many steps, roughly: where roles wait at known steps it takes less."""
    return Network(4096 + steps * (circuit.gates + _NODES_PER_INPUT * circuit.inputs))


def _known(phases: Phases, t: int, bases: Literals) -> Literals:
    """The bases at step t, where they are known as constants."""
    known = phases.known[t % phases.period]
    found: Literals = np.where(known == UNKNOWN, bases, known)
    return found


def _unknown(phases: Phases, bases: Literals) -> dict[int, Literal]:
    """The bases that are not known at phase 0, to be stored."""
    at = np.flatnonzero(phases.known[0] == UNKNOWN)
    return dict(zip(at.tolist(), bases[at].tolist(), strict=True))


def _stored(row: int, literals: Literals) -> dict[int, Literal]:
    """Literals to be stored to a row and those that follow."""
    return dict(enumerate(literals.tolist(), row))


def _refilled(copier: _Copier, phases: Phases, bases: Literals, mask: Literal) -> Literals:
    """The initial position in the lanes of the mask. Known bases stay known: refilling happens at phase 0."""
    initial = copier.circuit.initial.astype(np.int64)
    return _known(phases, 0, copier.net.each_and(bases ^ initial, mask ^ 1) ^ initial)


def _lap(copier: _Copier, stores: dict[int, Literal], steps: int, hasty: bool) -> Lap:
    return Lap(build_program(copier.net, stores, {}, copier.next_row, hasty=hasty), steps, len(copier.net))


def _position(copier: _Copier, bases: Literals) -> Literals:
    """A literal per gate; so far only the leaves are defined."""
    value = np.full(copier.circuit.gates, UNDEFINED, np.int64)
    value[0], value[1 : 1 + len(bases)] = FALSE, bases
    return value


def _outcome(copier: _Copier, bases: Literals, value: Literals | None = None) -> tuple[Literal, Literals]:
    """Whether the position is terminal, and its goal literals."""
    c = copier.circuit
    value = _position(copier, bases) if value is None else value
    copier.copy(value, c.first, c.cut, np.append(c.goal_literals, c.terminal))
    return int(read(value, c.terminal)), read(value, c.goal_literals)


def _move(copier: _Copier, value: Literals, luck: Luck, choices: Callable[[Literals], Literals] | None = None) -> Literal:
    """Choose a move for each role: defines the inputs. Returns whether every role has a legal move.

    `choices`: given the position cone, the literals of the inputs to choose from, if not all that are legal.
    """
    c, net = copier.circuit, copier.net
    copier.copy(value, c.first, c.cut, np.concatenate([c.legal, c.next]))
    legal = read(value, c.legal) if choices is None else choices(value)
    free = TRUE
    for lo, hi in pairwise(c.role_starts.tolist()):
        picks, some = choose(net, legal[lo:hi], luck)
        value[1 + c.bases + lo : 1 + c.bases + hi] = picks
        free = net.land(free, some)
    return free


def _next(copier: _Copier, value: Literals) -> Literals:
    """The bases of the next position."""
    c = copier.circuit
    copier.copy(value, c.cut, c.gates, c.next)
    bases: Literals = read(value, c.next)
    return bases


def tick(circuit: Circuit, phases: Phases, *, hasty: bool = False) -> Lap:
    """One step of every lane for a search.

    The rows `ended`, `stuck`, `goal` and `legal` describe the position before the step. A lane that has ended
    or is stuck holds its position; a lane in `given` plays the given joint move; the others play at random. The
    rows `moves` then hold what was played.
    """
    net, rows = _network(circuit, 1), rows_of(circuit, phases)
    copier, luck = _Copier(circuit, net, rows), Luck(net, rows.ring)
    bases = net.leaves(range(circuit.bases))
    value = _position(copier, bases)
    over, goals = _outcome(copier, bases, value)
    free = _move(copier, value, luck)
    given = net.leaf(rows.given)
    inputs = slice(1 + circuit.bases, circuit.first)
    value[inputs] = net.each_mux(given, net.leaves(range(rows.moves, rows.legal)), value[inputs])
    hold = net.lor(over, net.land(free ^ 1, given ^ 1))
    after = net.each_mux(hold, bases, _next(copier, value))
    stores = {rows.ended: over, rows.stuck: net.land(hold, over ^ 1), rows.given: net.land(given, hold)}
    stores.update(_stored(rows.goal, goals))
    stores.update(_stored(rows.legal, read(value, circuit.legal)))
    stores.update(_stored(rows.moves, value[inputs]))
    stores.update(_stored(0, after))
    stores.update(luck.stores())
    return _lap(copier, stores, 1, hasty)


def rollout(
    circuit: Circuit, phases: Phases, policy: Uniform, evidence: Evidence = Evidence.NONE, *, hasty: bool = False
) -> Lap:
    """One period of play for a search: lanes are loaded between two laps and play until they are done.

    A lane whose position is of another phase than 0 is set in the first rows `waits`: it holds its position until then.
    A lane that comes to its end, or in which a role has no legal move, is marked in the row `done`; the rows
    `goal` then keep the goal literals of that position, whatever the lane holds afterwards. The row `fresh`, set when
    a lane is loaded, becomes the row `stuck`: lanes that were done before their first move.

    The rows from `total` on are the policy's parameters and then the evidence `PLAYED`; `LAST` is in the rows `moves`.
    The random numbers are the same for all evidence. A policy may raise `TooWideError`.
    """
    net, rows = _network(circuit, phases.period), rows_of(circuit, phases)
    copier, luck = _Copier(circuit, net, rows), Luck(net, rows.ring)
    played = rows.total + policy.rows
    copier.next_row = played + (rows.inputs if evidence is Evidence.PLAYED else 0)
    parameters = net.leaves(range(rows.total, played))
    loaded = net.leaves(range(circuit.bases))
    bases = _known(phases, 0, loaded)
    done = net.leaf(rows.done)
    goals = net.leaves(range(rows.goal, rows.given))
    at_once, begins = net.leaf(rows.stuck), net.leaf(rows.fresh)
    waits = [*net.leaves(range(rows.waits, rows.ended)).tolist(), FALSE]
    inputs = slice(1 + circuit.bases, circuit.first)
    seen = net.leaves(range(played, copier.next_row))
    for t in range(phases.period):
        value = _position(copier, bases)
        over, values = _outcome(copier, bases, value)
        free = _move(copier, value, luck, partial(policy.choices, net, t, parameters=parameters))
        now = net.land(net.land(net.lor(over, free ^ 1), done ^ 1), waits[t] ^ 1)
        goals = net.each_or(goals, net.each_and(now, values))
        at_once, begins = net.lor(at_once, net.land(begins, now)), net.land(begins, waits[t])
        done = net.lor(done, now)
        if len(seen):
            seen = net.each_or(seen, net.each_and(net.lor(done, waits[t]) ^ 1, value[inputs]))
        bases = _known(phases, t + 1, net.each_mux(waits[t], loaded, _next(copier, value)))
    stores = {rows.done: done, rows.fresh: FALSE, rows.stuck: at_once}
    stores.update(dict.fromkeys(range(rows.waits, rows.ended), FALSE))
    stores.update(_stored(rows.goal, goals))
    stores.update(_unknown(phases, bases))
    stores.update(luck.stores())
    stores.update(_stored(played, seen))
    if evidence is Evidence.LAST:
        stores.update(_stored(rows.moves, value[inputs]))
    return _lap(copier, stores, phases.period, hasty)


def stride(circuit: Circuit, phases: Phases, t: int, evidence: Evidence = Evidence.NONE, *, hasty: bool = False) -> Lap:
    """One step of a `rollout`, from phase t - 1 to phase t of a lap; run in this order, they leave what it leaves.

    Positions are described where the step ends: the rows `legal` hold what may be played in the next one. The rows from
    `total` on say, input by input, what a lane prefers among that: it plays one of those, each as likely, or any legal
    move where there is none. Then they are cleared. The rows `moves` keep what each role played when it last had a
    choice; the rows after the preferences are the evidence `PLAYED`, of roles that had one.
    """
    net, rows = _network(circuit, 2), rows_of(circuit, phases)
    copier, luck = _Copier(circuit, net, rows), Luck(net, rows.ring)
    wished, noted = rows.total, rows.total + rows.inputs
    copier.next_row = noted + (rows.inputs if evidence is Evidence.PLAYED else 0)
    loaded = net.leaves(range(circuit.bases))
    done, begins, at_once = net.leaf(rows.done), net.leaf(rows.fresh), net.leaf(rows.stuck)
    bases = _known(phases, t - 1, loaded)
    value = _position(copier, bases)
    copier.copy(value, circuit.first, circuit.cut, np.concatenate([circuit.legal, circuit.next]))
    inputs = slice(1 + circuit.bases, circuit.first)
    value[inputs], is_open = _replied(copier, read(value, circuit.legal), rows, luck)
    played, stored = value[inputs], phases.known[t % phases.period] == UNKNOWN
    after = net.each_mux(begins, loaded, _next(copier, value))
    bases = _known(phases, t, after)
    value = _position(copier, bases)
    over, values = _outcome(copier, bases, value)
    copier.copy(value, circuit.first, circuit.cut, circuit.legal)
    legal, free = read(value, circuit.legal), TRUE
    for lo, hi in pairwise(circuit.role_starts.tolist()):
        free = net.land(free, net.any(legal[lo:hi]))
    waits = FALSE if t == phases.period - 1 else net.leaf(rows.waits + t)
    now = net.land(net.land(net.lor(over, free ^ 1), done ^ 1), waits ^ 1)
    stores = {rows.done: net.lor(done, now), rows.stuck: net.lor(at_once, net.land(begins, now))}
    stores[rows.fresh] = net.land(begins, waits)
    if t < phases.period - 1:
        stores[rows.waits + t] = FALSE
    goals = net.leaves(range(rows.goal, rows.given))
    stores.update(_stored(rows.goal, net.each_or(goals, net.each_and(now, values))))
    stores.update({base: int(after[base]) for base in np.flatnonzero(stored).tolist()})
    stores.update(_stored(rows.legal, legal))
    kept = net.each_mux(begins, net.leaves(range(rows.moves, rows.legal)), played)
    seen = net.each_or(net.leaves(range(noted, noted + rows.inputs)), net.each_and(net.lor(done, begins) ^ 1, played))
    for number in is_open:
        stores[rows.moves + number] = int(kept[number])
        stores[wished + number] = FALSE
        if evidence is Evidence.PLAYED:
            stores[noted + number] = int(seen[number])
    stores.update(luck.stores())
    return _lap(copier, stores, 1, hasty)


def _replied(copier: _Copier, legal: Literals, rows: Rows, luck: Luck) -> tuple[Literals, list[int]]:
    """What each role plays, by what is legal as the step before has described it; and the inputs of roles with a choice.

    `legal`: from the position, of which the constants are of use.
    """
    net, chosen, is_open = copier.net, legal.copy(), list[int]()
    told, wishes = (net.leaves(range(row, row + rows.inputs)) for row in (rows.legal, rows.total))
    for lo, hi in pairwise(copier.circuit.role_starts.tolist()):
        able = lo + np.flatnonzero(legal[lo:hi] != FALSE)
        if len(able) > 1:
            is_open += range(lo, hi)
            liked = net.each_and(told[able], wishes[able])
            chosen[able], _ = choose(net, net.each_mux(net.any(liked), liked, told[able]), luck)
    return chosen, is_open


def joined(laps: Sequence[Lap]) -> Lap:
    """What is told of programs that are run one after another, without the programs."""
    told = object.__new__(Lap)
    sums = {name: sum(getattr(lap, name) for lap in laps) for name in ("steps", "gates", "operations", "tables")}
    told.__dict__.update(sums, rivals=())
    return told


def deciders(circuit: Circuit, phases: Phases) -> list[list[int]]:
    """At each phase, the roles that may have a choice."""
    found = []
    for t in range(phases.period):
        net = Network(4096 + circuit.cut)
        copier = _Copier(circuit, net, rows_of(circuit, phases))
        value = _position(copier, _known(phases, t, net.leaves(range(circuit.bases))))
        copier.copy(value, circuit.first, circuit.cut, circuit.legal)
        able = read(value, circuit.legal) != FALSE
        found.append([r for r, (lo, hi) in enumerate(pairwise(circuit.role_starts.tolist())) if able[lo:hi].sum() > 1])
    return found


def look(circuit: Circuit, phases: Phases, *, hasty: bool = False) -> Lap:
    """Describe the positions (rows `ended`, `goal` and `legal`) and change nothing else."""
    net, rows = Network(4096 + circuit.cut), rows_of(circuit, phases)
    copier = _Copier(circuit, net, rows)
    bases = net.leaves(range(circuit.bases))
    value = _position(copier, bases)
    over, goals = _outcome(copier, bases, value)
    copier.copy(value, circuit.first, circuit.cut, circuit.legal)
    stores = {rows.ended: over, **_stored(rows.goal, goals), **_stored(rows.legal, read(value, circuit.legal))}
    return _lap(copier, stores, 0, hasty)
