"""Complete playouts as a program: one period of steps, after which lanes whose game has ended begin another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ggp.circuits.circuit import Circuit
from ggp.lanes.goals import counted, rivals
from ggp.lanes.network import FALSE, Literal, Literals
from ggp.lanes.phases import Phases
from ggp.lanes.program import TABLE, Program, build_program
from ggp.lanes.unrolling import Unrolling

SHORT_GAME = 20
"""Steps. A lane that is not refilled eagerly idles for one more step a game: the shorter the games, the
dearer."""

LARGE = 200_000
"""Gates of a circuit above which the two ways of refilling are not compared: building both takes too long."""


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


def lap_of(unrolling: Unrolling, stores: dict[int, Literal], steps: int, hasty: bool) -> Lap:
    """The program that stores these literals to rows, by number."""
    net = unrolling.net
    return Lap(build_program(net, stores, {}, unrolling.next_row, hasty=hasty), steps, len(net))


def joined(laps: Sequence[Lap]) -> Lap:
    """What is told of programs that are run one after another, without the programs."""
    told = object.__new__(Lap)
    sums = {name: sum(getattr(lap, name) for lap in laps) for name in ("steps", "gates", "operations", "tables")}
    told.__dict__.update(sums, rivals=())
    return told


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
        parts = [_Playouts(circuit, phases, contested, way) for way in (True, False)]
        price = [len(part.net) * (SHORT_GAME + k) for k, part in enumerate(parts)]
        playouts = parts[0 if price[0] <= price[1] else 1]
    else:
        playouts = _Playouts(circuit, phases, contested, eager)
    used, also = ({row: x for row, x in found.items() if x != FALSE} for found in (playouts.counts, playouts.first))
    net = playouts.net
    program = build_program(net, playouts.stores, used, playouts.unrolling.next_row, also=also, hasty=hasty)
    return Lap(program, phases.period, len(net), contested)


class _Playouts:
    """The network of playouts: what is stored, and what is counted.

    A lane ends at most once within the lap, but one that is refilled at the start may end again within the same lap, if
    the game can be that short.
    """

    def __init__(self, circuit: Circuit, phases: Phases, contested: Sequence[Sequence[int]], eager: bool) -> None:
        """`contested`: see `goals.rivals`."""
        self.unrolling = Unrolling(circuit, phases, phases.period)
        self.net = self.unrolling.net
        self._contested, self._eager = contested, eager
        self._is_late = eager and phases.period > 1  # lanes that end within the lap are refilled at the start of the next
        self._ended = self._stuck = self._done = FALSE
        self._ends: list[tuple[Literal, Literals]] = []
        self._waits: dict[int, Literal] = {}
        self.first: dict[int, Literal] = {}
        """What is counted at the start of the lap, by rows."""
        refill, bases = self._begin(self.unrolling.known(0, self.unrolling.leaves(0, circuit.bases)))
        for t in range(phases.period):
            bases = self._step(t, bases)
        self.stores = self._end(refill, bases)
        """What is stored."""
        rows = self.unrolling.rows
        self.counts = {rows.ended: self._ended, rows.stuck: self._stuck, **self._waits}
        """What is counted within the lap."""
        self.counts.update(self._goals(self._ends))

    def _goals(self, ends: Sequence[tuple[Literal, Literals]]) -> dict[int, Literal]:
        rows = self.unrolling.rows
        return {rows.goal + goal: x for goal, x in counted(self.net, ends, rows.goals, self._contested).items()}

    def _begin(self, bases: Literals) -> tuple[Literal, Literals]:
        """Refill lanes: those that have waited, and if that is wanted those that end here. Which they are; the bases."""
        unrolling, net = self.unrolling, self.net
        waiting = unrolling.leaf(unrolling.rows.done) if self._is_late else FALSE
        if not self._eager:
            return waiting, bases
        over, values = unrolling.outcome(unrolling.position(bases))
        now = net.land(over, waiting ^ 1)
        self.first = {unrolling.rows.replaced: now, **self._goals([(now, values)])}
        refill = net.lor(over, waiting)
        return refill, unrolling.refilled(bases, refill)

    def _step(self, t: int, bases: Literals) -> Literals:
        """The bases of the next position. A lane that is done goes on as a position of no meaning."""
        unrolling, net, value = self.unrolling, self.net, self.unrolling.position(bases)
        if t or not self._eager:
            over, values = unrolling.outcome(value)
            now = net.land(over, self._done ^ 1)
            self._ends.append((now, values))
            self._ended, self._done = net.lor(self._ended, now), net.lor(self._done, now)
        free = unrolling.move(value)
        blocked = net.land(free ^ 1, self._done ^ 1)
        self._stuck, self._done = net.lor(self._stuck, blocked), net.lor(self._done, blocked)
        if t < unrolling.phases.period - 1:
            self._waits[unrolling.rows.waits + t] = self._done
        return unrolling.known(t + 1, unrolling.next(value))

    def _end(self, refill: Literal, bases: Literals) -> dict[int, Literal]:
        """What is stored after the last step. `refill`: the lanes that were refilled at the start."""
        unrolling, net, stores = self.unrolling, self.net, dict[int, Literal]()
        rows = unrolling.rows
        if self._is_late:
            stores[rows.done] = self._done
        else:
            refill = net.lor(refill, self._done)
            bases = unrolling.refilled(bases, self._done)
        stores.update(unrolling.unknown(0, bases))
        stores.update(unrolling.luck.stores())
        stores[rows.fresh] = net.lor(net.leaf(rows.fresh), refill)
        return stores
