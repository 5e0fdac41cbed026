"""The best line of a game for one role: found by any kind of playouts, and it leads where it says."""

from __future__ import annotations

import numpy as np
import pytest

from ggp.circuits.packing import as_words
from ggp.core.library import library
from ggp.lanes.bank import Bank
from ggp.lanes.choice import RING
from ggp.lanes.engine import Engine
from ggp.lanes.policies import Evidence
from ggp.lanes.ways import Way, usable
from ggp.machines.circuit import CircuitMachine, Position
from ggp.machines.machine import goal
from ggp.search.graph import Size
from ggp.search.kernels.layout import State
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from ggp.search.trace import Line, Tracer, replay
from tests.compiled import compiled, compiled_text
from tests.search_checks import FastSearch

PUZZLES = [game.name for game in library() if len(game.roles) == 1]
QUICK = ["blocks_world", "eight_puzzle", "knights_tour", "lights_out", "peg_solitaire", "sokoban", "towers_of_hanoi"]

LOCK = """
(role me) (init (step 1)) (init (sum 0)) (key a) (key b) (key c)
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
(<= (legal me (turn ?k)) (key ?k))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(right 1 b) (right 2 a) (right 3 c) (right 4 b) (right 5 c) (right 6 a)
(<= (next (good ?n)) (true (step ?n)) (does me (turn ?k)) (right ?n ?k))
(<= (next (good ?n)) (true (good ?n)))
(<= bad (key ?k) (right ?n ?k) (true (step ?m)) (succ ?n ?m) (not (true (good ?n))))
(<= terminal (true (step 7)))
(<= (goal me 100) (true (good 4)) (true (good 5)) (true (good 6)))
(<= (goal me 60) (true (good 5)) (true (good 6)) (not (true (good 4))))
(<= (goal me 30) (true (good 6)) (not (true (good 5))))
(<= (goal me 0) (not (true (good 6))))
"""
"""Six steps; what the last three of them are worth is seen by decisive playouts before the last."""

BRANCHES = """
(role me) (init (at root)) (edge root a) (edge a b) (edge a c) (edge b b1) (edge b b2) (edge c c1) (edge c c2) (edge a d)
(edge d d1) (edge d d2) (worth b1 10) (worth b2 20) (worth c1 30) (worth c2 90) (worth d1 40) (worth d2 50)
(edge root x) (worth x 85)
(<= (legal me (to ?y)) (true (at ?x)) (edge ?x ?y)) (<= (next (at ?y)) (does me (to ?y)))
(<= end (true (at ?x)) (worth ?x ?n)) (<= terminal end)
(<= (goal me ?n) (true (at ?x)) (worth ?x ?n)) (<= (goal me 0) (not end))
"""
"""A small tree with a goal at each end."""


def outcome(machine: CircuitMachine, position: Position, line: Line) -> int | None:
    """The goal that the moves of a line lead to; None if one is illegal, or the game has not ended."""
    for number in line.inputs:
        situation = machine.situation(position)
        if situation.terminal or machine.inputs[number] not in situation.legal[0]:
            return None
        position = machine.next(position, (machine.inputs[number],))
    situation = machine.situation(position)
    return goal(situation.goals[0]) if situation.terminal else None


def searched(machine: CircuitMachine, settings: SearchSettings, seed: int, threads: int, simulations: int) -> Search:
    search = Search(machine, settings, seed, memory=2**24, threads=threads)
    search.start(machine.initial())
    search.run(simulations=simulations)
    return search


def check_lines(machine: CircuitMachine, simulations: int) -> int:
    """Whatever searches find, they can tell the way; how many lines that were."""
    found = 0
    for playouts in (1, 8):
        for policy in ("uniform", "decisive", "mast"):
            for threads in (1, 2):
                settings = SearchSettings(playouts=playouts, policy=policy)
                search = searched(machine, settings, found, threads, simulations)
                means = [move.mean for move in search.moves(0)]
                line = search.best_line()
                assert (line is not None) == (max(means) > 0)
                if line is not None:
                    assert line.goal == outcome(machine, machine.initial(), line)
                    assert line.goal >= max(means)
                    found += 1
                if search.solved and line is not None:
                    best = search.best(0)
                    assert best is not None and best.proven == line.goal
    return found


@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n in QUICK else [pytest.mark.slow]) for n in PUZZLES])
def test_lines_are_found_and_right_with_any_playouts_and_any_threads(name: str) -> None:
    machine = compiled(name)
    assert check_lines(machine, 4000) >= {"stress_wide": 0, "lights_out": 1}.get(name, 4)


@pytest.mark.parametrize("playouts", [1, 2, 64])
@pytest.mark.parametrize("policy", ["uniform", "decisive", "mast"])
def test_the_best_line_of_a_lock_opens_it(playouts: int, policy: str) -> None:
    machine = compiled_text(LOCK)
    assert machine.engine.offers(policy), "else playouts are uniform"
    for seed in range(5):
        search = searched(machine, SearchSettings(playouts=playouts, policy=policy), seed, 1, 600)
        line = search.best_line()
        assert line is not None and line.goal == 100 == outcome(machine, machine.initial(), line)


@pytest.mark.parametrize("way", usable())
@pytest.mark.parametrize("policy", ["uniform", "decisive"])
@pytest.mark.parametrize("text", [LOCK, BRANCHES], ids=["lock", "branches"])
def test_a_playout_of_any_lane_can_be_played_again(text: str, policy: str, way: Way) -> None:
    machine = compiled_text(text)
    engine = Engine(machine.circuit, way=way)
    rows, bank = engine.rows, Bank(engine, 1000, seed=5)
    lanes = np.arange(bank.lanes)
    bits = machine.bits(machine.initial())[None, :]
    bank.load(lanes, np.broadcast_to(bits, (bank.lanes, bits.shape[1])))
    rings = bank.memory[:, rows.ring : rows.ring + RING].copy()
    bank.run(engine.rollout(policy)[1], 10)
    goals, seen, nothing = bank.goals(lanes)[:, 0], set(), np.zeros((0, bank.words), np.uint64)
    for number in range(0, bank.lanes, 7):
        block, lane = divmod(number, 64 * bank.words)
        moves = replay(
            engine, engine.rollout(policy, Evidence.LAST)[1], as_words(bits)[0], rings[block], nothing, lane, 10
        )
        assert outcome(machine, machine.initial(), Line(0, tuple(moves))) == goals[number]
        seen.add(goals[number])
    assert len(seen) > 2


def test_a_line_ends_in_what_is_proven_though_no_playout_went_there() -> None:
    """From a root whose surroundings are known, simulations end at once, several in one slot, or pass proven moves."""
    machine = compiled_text(BRANCHES)
    to = {str(move): number for number, move in enumerate(machine.inputs)}
    after = machine.next(machine.initial(), (machine.inputs[to["(to a)"]],))
    for solver in (True, False):
        for playouts in (1, 8):
            for seed in range(10):
                settings = SearchSettings(solver=solver, playouts=playouts, slots=4, c=1000)
                search = searched(machine, settings, seed, 1, 12 + seed if solver else 200)
                search.start(after)
                search.run(simulations=2)
                line = search.best_line()
                assert line is not None or search.solved
                if line is not None:
                    assert line.goal == outcome(machine, after, line)


def test_a_proven_move_that_is_passed_by_is_the_line_where_others_are_worth_less() -> None:
    """The first simulations from the new root go past its proven move, and are paid what that is worth."""
    machine = compiled_text(BRANCHES)
    numbers = {str(move): number for number, move in enumerate(machine.inputs)}
    fast = FastSearch(machine, SearchSettings(), 1, slots=1)
    graph, tracer, goals = fast.graph, fast.crew.playouts.tracer, set()
    assert tracer is not None
    for _ in range(40):
        fast.simulate()
        root = int(graph.head[0].root)
        sure = int(graph.node[root].floor)
        if sure >= 0 and not graph.node[root].state & State.PROVEN:
            tracer.forget()  # as if the root were a new one
            fast.simulate()
            assert tracer.best is not None and tracer.best.goal >= graph.proof[sure, 0]
            assert outcome(machine, machine.initial(), tracer.best) == tracer.best.goal
            goals.add(tracer.best.inputs)
    assert (numbers["(to x)"],) in goals


def test_a_full_memory_loses_no_move_of_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a position cannot be kept, its playout begins with a step that is on no edge."""
    steps: list[int] = []
    played, look = Tracer._played, Tracer.look

    def watched(self: Tracer, slot: int) -> list[int]:
        steps.append(int(self._slots.slot[slot].steps))
        return played(self, slot)

    def checked(self: Tracer) -> None:
        before = self.best
        look(self)
        if self.best is not before:
            assert self.best is not None and outcome(machine, machine.initial(), self.best) == self.best.goal

    monkeypatch.setattr(Tracer, "_played", watched)
    monkeypatch.setattr(Tracer, "look", checked)
    machine = compiled("peg_solitaire")
    for seed in range(60):
        room = Size(100, 1 + seed % 12 // 2, 1000)
        monkeypatch.setattr("tests.search_checks.Size", lambda *_, room=room: room)
        fast = FastSearch(machine, SearchSettings(), seed, slots=16)
        fast.simulate(300)
    assert 1 in steps and 0 in steps


def test_the_line_belongs_to_the_root() -> None:
    machine = compiled("peg_solitaire")
    search = searched(machine, SearchSettings(playouts=8), 1, 1, 300)
    line = search.best_line()
    search.start(machine.initial())
    assert line is not None and search.best_line() == line, "the root is the same"
    after = machine.next(machine.initial(), (machine.inputs[line.inputs[0]],))
    search.start(after)
    assert search.best_line() is None
    search.run(simulations=300)
    found = search.best_line()
    assert found is not None and outcome(machine, after, found) == found.goal


def test_a_graph_that_was_emptied_keeps_its_best_line() -> None:
    machine = compiled("peg_solitaire")
    search = searched(machine, SearchSettings(playouts=8), 1, 1, 2000)
    before = search.best_line()
    for tree in search.trees:
        tree.restart()
    search.run(simulations=20)
    after = search.best_line()
    assert before is not None and after is not None and after.goal >= before.goal


def test_games_for_several_have_no_line() -> None:
    search = searched(compiled("tic_tac_toe"), SearchSettings(), 1, 1, 50)
    assert search.best_line() is None and not search.is_at_best
