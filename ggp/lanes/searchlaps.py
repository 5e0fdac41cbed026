"""The programs of a search, each a network of one step or more: rows in, rows out.

`tick` is one step, in which lanes take given moves where there are some; `look` describes positions; `rollout` plays
loaded positions to their end, by any policy and with any evidence (`policies`); and `stride` does so step by step, each
a program of its own, so that others may look at a lane and say what it shall prefer next. All may be made hastily, see
`cover`.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from ggp.circuits.circuit import Circuit
from ggp.lanes.choice import choose
from ggp.lanes.lap import Lap, lap_of
from ggp.lanes.network import FALSE, TRUE, Literal, Literals
from ggp.lanes.phases import Phases
from ggp.lanes.policies import Evidence, Uniform
from ggp.lanes.unrolling import Unrolling, stored


def look(circuit: Circuit, phases: Phases, *, hasty: bool = False) -> Lap:
    """Describe the positions (rows `ended`, `goal` and `legal`) and change nothing else."""
    unrolling = Unrolling(circuit, phases, 0)
    rows = unrolling.rows
    value = unrolling.position(unrolling.leaves(0, circuit.bases))
    over, goals = unrolling.outcome(value)
    legal = unrolling.legal(value)
    return lap_of(unrolling, {rows.ended: over, **stored(rows.goal, goals), **stored(rows.legal, legal)}, 0, hasty)


def tick(circuit: Circuit, phases: Phases, *, hasty: bool = False) -> Lap:
    """One step of every lane for a search.

    The rows `ended`, `stuck`, `goal` and `legal` describe the position before the step. A lane that has ended
    or is stuck holds its position; a lane in `given` plays the given joint move; the others play at random. The
    rows `moves` then hold what was played.
    """
    unrolling = Unrolling(circuit, phases, 1)
    net, rows, inputs = unrolling.net, unrolling.rows, unrolling.inputs
    bases = unrolling.leaves(0, circuit.bases)
    value = unrolling.position(bases)
    over, goals = unrolling.outcome(value)
    free = unrolling.move(value)
    given = net.leaf(rows.given)
    value[inputs] = net.each_mux(given, unrolling.leaves(rows.moves, rows.legal), value[inputs])
    hold = net.lor(over, net.land(free ^ 1, given ^ 1))
    after = net.each_mux(hold, bases, unrolling.next(value))
    stores = {rows.ended: over, rows.stuck: net.land(hold, over ^ 1), rows.given: net.land(given, hold)}
    stores.update(stored(rows.goal, goals))
    stores.update(stored(rows.legal, unrolling.legal(value)))
    stores.update(stored(rows.moves, value[inputs]))
    stores.update(stored(0, after))
    stores.update(unrolling.luck.stores())
    return lap_of(unrolling, stores, 1, hasty)


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
    unrolling = Unrolling(circuit, phases, phases.period)
    net, rows, inputs = unrolling.net, unrolling.rows, unrolling.inputs
    played = rows.total + policy.rows
    unrolling.next_row = played + (rows.inputs if evidence is Evidence.PLAYED else 0)
    parameters = unrolling.leaves(rows.total, played)
    loaded = unrolling.leaves(0, circuit.bases)
    bases, lanes = unrolling.known(0, loaded), _Lanes(unrolling)
    waits = [*unrolling.leaves(rows.waits, rows.ended).tolist(), FALSE]
    seen = unrolling.leaves(played, unrolling.next_row)
    for t in range(phases.period):
        value = unrolling.position(bases)
        over, values = unrolling.outcome(value)
        free = unrolling.move(value, partial(policy.choices, net, t, parameters=parameters))
        lanes.come(net.lor(over, free ^ 1), values, waits[t])
        if len(seen):
            seen = net.each_or(seen, net.each_and(net.lor(lanes.done, waits[t]) ^ 1, value[inputs]))
        bases = unrolling.known(t + 1, net.each_mux(waits[t], loaded, unrolling.next(value)))
    stores = {rows.done: lanes.done, rows.fresh: FALSE, rows.stuck: lanes.at_once}
    stores.update(dict.fromkeys(range(rows.waits, rows.ended), FALSE))
    stores.update(stored(rows.goal, lanes.goals))
    stores.update(unrolling.unknown(0, bases))
    stores.update(unrolling.luck.stores())
    stores.update(stored(played, seen))
    if evidence is Evidence.LAST:
        stores.update(stored(rows.moves, value[inputs]))
    return lap_of(unrolling, stores, phases.period, hasty)


class _Lanes:
    """What becomes of loaded lanes: which are done and with which goals, which were so at once, before their first move,
    and which have not begun.
    """

    def __init__(self, unrolling: Unrolling) -> None:
        self._net, rows = unrolling.net, unrolling.rows
        self.done = unrolling.leaf(rows.done)
        self.goals = unrolling.leaves(rows.goal, rows.given)
        self.at_once, self.begins = unrolling.leaf(rows.stuck), unrolling.leaf(rows.fresh)

    def come(self, stops: Literal, goals: Literals, waits: Literal) -> None:
        """Lanes come to a position, in which some have to stop; not those that wait for their phase."""
        net = self._net
        now = net.land(net.land(stops, self.done ^ 1), waits ^ 1)
        self.goals = net.each_or(self.goals, net.each_and(now, goals))
        self.at_once = net.lor(self.at_once, net.land(self.begins, now))
        self.begins, self.done = net.land(self.begins, waits), net.lor(self.done, now)


def stride(circuit: Circuit, phases: Phases, t: int, evidence: Evidence = Evidence.NONE, *, hasty: bool = False) -> Lap:
    """One step of a `rollout`, from phase t - 1 to phase t of a lap; run in this order, they leave what it leaves.

    Positions are described where the step ends: the rows `legal` hold what may be played in the next one. The rows from
    `total` on say, input by input, what a lane prefers among that: it plays one of those, each as likely, or any legal
    move where there is none. Then they are cleared. The rows `moves` keep what each role played when it last had a
    choice; the rows after the preferences are the evidence `PLAYED`, of roles that had one.
    """
    unrolling = Unrolling(circuit, phases, 2)
    net, rows = unrolling.net, unrolling.rows
    unrolling.next_row = rows.total + rows.inputs * (2 if evidence is Evidence.PLAYED else 1)
    loaded, lanes = unrolling.leaves(0, circuit.bases), _Lanes(unrolling)
    value = unrolling.position(unrolling.known(t - 1, loaded))
    value[unrolling.inputs], is_open = _replied(unrolling, unrolling.legal(value, to_go_on=True))
    played = value[unrolling.inputs]
    bases = net.each_mux(lanes.begins, loaded, unrolling.next(value))
    value = unrolling.position(unrolling.known(t, bases))
    over, values = unrolling.outcome(value)
    legal, free = unrolling.legal(value), TRUE
    for lo, hi in pairwise(circuit.role_starts.tolist()):
        free = net.land(free, net.any(legal[lo:hi]))
    goes_on = t < phases.period - 1
    noted = _noted(unrolling, played, lanes, is_open, evidence)  # before they come to the next position
    lanes.come(net.lor(over, free ^ 1), values, unrolling.leaf(rows.waits + t) if goes_on else FALSE)
    stores = {rows.done: lanes.done, rows.stuck: lanes.at_once, rows.fresh: lanes.begins}
    if goes_on:
        stores[rows.waits + t] = FALSE
    stores.update(stored(rows.goal, lanes.goals))
    stores.update(unrolling.unknown(t, bases))
    stores.update(stored(rows.legal, legal))
    stores.update(noted)
    stores.update(unrolling.luck.stores())
    return lap_of(unrolling, stores, 1, hasty)


def _replied(unrolling: Unrolling, legal: Literals) -> tuple[Literals, list[int]]:
    """What each role plays, by what is legal as the step before has described it; and the inputs of roles with a choice.

    `legal`: from the position, of which the constants are of use.
    """
    net, rows, chosen, is_open = unrolling.net, unrolling.rows, legal.copy(), list[int]()
    told, wishes = (unrolling.leaves(row, row + rows.inputs) for row in (rows.legal, rows.total))
    for lo, hi in pairwise(unrolling.circuit.role_starts.tolist()):
        able = lo + np.flatnonzero(legal[lo:hi] != FALSE)
        if len(able) > 1:
            is_open += range(lo, hi)
            liked = net.each_and(told[able], wishes[able])
            chosen[able], _ = choose(net, net.each_mux(net.any(liked), liked, told[able]), unrolling.luck)
    return chosen, is_open


def _noted(
    unrolling: Unrolling, played: Literals, lanes: _Lanes, is_open: list[int], evidence: Evidence
) -> dict[int, Literal]:
    """What is stored of the inputs that roles with a choice play, in lanes that play on; what they prefer is cleared."""
    net, rows = unrolling.net, unrolling.rows
    wished, noted = rows.total, rows.total + rows.inputs
    kept = net.each_mux(lanes.begins, unrolling.leaves(rows.moves, rows.legal), played)
    own = net.each_and(net.lor(lanes.done, lanes.begins) ^ 1, played)
    seen = net.each_or(unrolling.leaves(noted, noted + rows.inputs), own)
    stores = {}
    for number in is_open:
        stores[rows.moves + number] = int(kept[number])
        stores[wished + number] = FALSE
        if evidence is Evidence.PLAYED:
            stores[noted + number] = int(seen[number])
    return stores


def deciders(circuit: Circuit, phases: Phases) -> list[list[int]]:
    """At each phase, the roles that may have a choice."""
    found = []
    for t in range(phases.period):
        unrolling = Unrolling(circuit, phases, 0)
        able = unrolling.legal(unrolling.position(unrolling.known(t, unrolling.leaves(0, circuit.bases)))) != FALSE
        found.append([r for r, (lo, hi) in enumerate(pairwise(circuit.role_starts.tolist())) if able[lo:hi].sum() > 1])
    return found
