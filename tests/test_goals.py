"""Several goals of a role at once: the highest counts, and those that exclude one another are counted apart."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from ggp.lanes.bank import Bank
from ggp.lanes.engine import Engine
from ggp.lanes.goals import counted, highest, rivals
from ggp.lanes.network import Literals, Network
from ggp.lanes.ways import Way, usable
from ggp.machines.circuit import CircuitMachine, all_packed
from ggp.machines.machine import Machine, goal
from tests.conftest import Open
from tests.helpers import ruleset
from tests.slow_circuit import network_values

SEVERAL = """\
(role me) (role you)
(init (at start)) (init (turn me)) (other me you) (other you me)
(<= (legal ?r ?m) (true (turn ?r)) (way ?m)) (way left) (way middle) (way right) (way again)
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (at ?m)) (does ?r ?m) (way ?m))
(<= (next (turn ?r)) (true (turn ?q)) (other ?q ?r))
(<= terminal (true (at ?m)) (distinct ?m start) (distinct ?m again))
(<= (goal me 20) (true (at left))) (<= (goal me 60) (true (at left)))
(<= (goal me 30) (true (at middle))) (<= (goal me 100) (true (at middle))) (<= (goal me 60) (true (at middle)))
(<= (goal you 10) (not (true (at right)))) (<= (goal you 40) (true (at left))) (<= (goal you 150) (true (at right)))
"""
"""A quarter of the moves goes on; the others end the game, at the left, in the middle or at the right."""
MEANS = (60 + 100) / 3, (40 + 10) / 3
LENGTH = 4 / 3


@pytest.fixture(scope="module")
def several() -> CircuitMachine:
    return CircuitMachine.compile(ruleset(SEVERAL))


def test_all_machines_take_the_highest(several: CircuitMachine, prolog: Open) -> None:
    found = []
    machines: list[Machine[Any]] = [several, prolog(SEVERAL)]
    for machine in machines:
        totals = machine.playouts(machine.initial(), count=3000, seconds=60, limit=100, seed=2)
        assert np.array(totals.goal_sums) / totals.playouts == pytest.approx(MEANS, abs=3)
        assert totals.steps / totals.playouts == pytest.approx(LENGTH, abs=0.06)
        first = machine.situation(machine.initial())
        for move in first.legal[0]:
            after = machine.next(machine.initial(), (move, first.legal[1][0]))
            found.append(machine.situation(after).goals)
    assert found[:4] == found[4:], "150 is no goal"
    assert ((20, 60), (10, 40)) in found and ((30, 60, 100), (10,)) in found and ((), ()) in found


@pytest.mark.parametrize("eager", [True, False])
@pytest.mark.parametrize("way", usable())
def test_playouts_count_the_highest(several: CircuitMachine, way: Way, eager: bool) -> None:
    bank = Bank(Engine(several.circuit, way=way, eager=eager), 1024, 5)
    played = bank.play(400) + bank.finish()
    assert played.stuck == played.cut == 0 and played.goals.sum() < 2 * played.games
    assert played.sums / played.games == pytest.approx(MEANS, abs=0.3)
    assert (played.steps - played.waits) / played.games == pytest.approx(LENGTH, abs=0.01)


def test_lanes_take_the_highest(several: CircuitMachine) -> None:
    """The order of a circuit's goals does not matter."""
    circuit = several.circuit
    order = np.argsort(-circuit.goal_values, kind="stable")
    names = ("goal_literals", "goal_roles", "goal_values")
    bank = Bank(Engine(replace(circuit, **{name: getattr(circuit, name)[order] for name in names})), 64, 1)
    for _ in range(40):
        bank.tick()
    lanes = bank.ended()
    positions = all_packed(bank.save(lanes))
    want = [[goal(values) for values in several.situation(position).goals] for position in positions]
    assert bank.goals(lanes).tolist() == want
    assert len({tuple(row) for row in want}) == 3


CORNER = """\
(role me)
(init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (worth 0 0) (worth 1 30) (worth 2 60) (worth 3 100)
(legal me go) (legal me stop)
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) (does me go))
(<= (next (at ?x)) (true (at ?x)) (does me stop))
(<= (next ended) (does me stop))
(<= terminal (true ended)) (<= terminal (true (at 3)))
(<= (goal me ?v) (true (at ?x)) (worth ?x ?v))
"""
"""Whoever is in one place is in no other: that is found by induction."""


@pytest.mark.parametrize(
    ("more", "names"),
    [
        ("", []),
        ("(<= (goal me 50) (true ended))", [100, 60, 50, 30, 0]),
        ("(<= (goal me 50) (not terminal))", []),
        ("(<= (goal me 50) (true (at 2)) (true ended))", [60, 50]),
    ],
)
def test_what_cannot_happen_is_known(more: str, names: list[int]) -> None:
    circuit = CircuitMachine.compile(ruleset(CORNER + more)).circuit
    assert [circuit.goal_values[i] for i in rivals(circuit)[0]] == names


@pytest.mark.parametrize("steps", [1, 2])
def test_highest_is_the_first_that_holds(steps: int) -> None:
    """Lanes are all values of the leaves: whether each step ends the game, and its five goals; the first end counts."""
    net, rivals = Network(), [[2, 0, 3], []]
    leaves = net.leaves(range(6 * steps)).reshape(steps, 6)
    ends: list[tuple[int, Literals]] = [(int(leaves[0, 0]), leaves[0, 1:])]
    if steps == 2:
        ends.append((net.land(int(leaves[1, 0]), int(leaves[0, 0]) ^ 1), leaves[1, 1:]))
    literals = counted(net, ends, 5, rivals)
    counts, want = np.zeros(5, np.int64), np.zeros(5, np.int64)
    for bits in product([0, 1], repeat=6 * steps):
        value = network_values(net, dict(enumerate(bits)), words=1)
        counts += [value[x >> 1] ^ x & 1 for _, x in sorted(literals.items())]
        for end, *goals in np.reshape(bits, (steps, 6)).tolist():
            if end:
                held = [i for i in (2, 0, 3) if goals[i]]
                want[[*held[:1], *(i for i in (1, 4) if goals[i])]] += 1
                break
    assert highest(counts, rivals).tolist() == want.tolist()
