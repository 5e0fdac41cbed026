"""What a search finds is kept, and consulted by searches of the same game, whatever its names are."""

from __future__ import annotations

import functools
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gdl import Ruleset, kif, load
from gdl.scramble import scramble
from ggp.knowledge.base import Base
from ggp.knowledge.names import Codes, Names
from ggp.knowledge.shelf import Shelf
from ggp.machines.circuit import CircuitMachine
from ggp.match.builtin import make_player
from ggp.players.match import play_match
from ggp.players.player import Turn
from ggp.search.advice import Advice
from ggp.search.choice import best_move, root_moves
from ggp.search.findings import Findings
from ggp.search.graph import is_proven
from ggp.search.kernels.knowing import best_found
from ggp.search.player import SearchPlayer
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from tests.compiled import compiled, machine_of
from tests.helpers import GAMES, ruleset

SIMULATIONS = 4000


@functools.cache
def scrambled(name: str, seed: int = 5) -> Ruleset:
    rules = load(GAMES / f"{name}.kif").rules
    return ruleset("\n".join(map(str, scramble(rules, seed, permute=True).rules)))


def searched(name: str, **settings: Any) -> Search:
    search = Search(compiled(name), SearchSettings(slots=8, **settings), seed=1, memory=2**24)
    search.start(search.machine.initial())
    search.run(simulations=SIMULATIONS)
    return search


def learned(name: str, folder: Path, search: Search, least: int = 20) -> Base:
    names = Names(load(GAMES / f"{name}.kif"))
    base = Shelf(folder).base(names.game, names.roles, name)
    base.learn(Findings(search, Codes(names, search.machine), least).take())
    return base


# ---- what a search has found ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "nim"])
@pytest.mark.parametrize("solver", [True, False])
def test_the_kernel_finds_the_moves_that_would_be_played(name: str, solver: bool) -> None:
    search = searched(name, solver=solver)
    graph = search.trees[0].graph
    node = graph.node[: int(graph.head[0].nodes)]
    nodes = np.flatnonzero((node["decider"] >= 0) & (node["count"] > 1))
    inputs, tried, goals = np.zeros(len(nodes), np.int64), np.zeros(len(nodes)), np.zeros((len(nodes), 2))
    best_found(graph, 0, nodes, inputs, tried, goals)
    for x, number, visits, goal in zip(nodes.tolist(), inputs.tolist(), tried.tolist(), goals, strict=True):
        role = int(graph.node[x].decider)
        moves = root_moves(graph, x, role)
        if not moves:
            assert number == -1
            continue
        best = best_move(moves, search.highest[role])
        assert (number, visits) == (best.input, best.visits)
        assert goal[role] == pytest.approx(best.mean if best.proven is None else best.proven)
    assert len(nodes) > 20 and any(is_proven(graph, x) for x in nodes.tolist()) == solver


def test_positions_are_told_once_and_again_when_much_more_is_known() -> None:
    search = searched("connect_four")
    findings = Findings(search, Codes(Names(compiled("connect_four").ruleset), search.machine), 50)
    first = findings.take()
    assert len(first) > 20 and first["visits"].min() >= 50 and len(findings.take()) == 0
    assert (first["tried"] <= first["visits"]).all() and np.abs(first["goals"].sum(axis=1) - 100).max() < 1e-3
    search.run(simulations=SIMULATIONS // 50)
    few = findings.take()
    assert len(few) < len(first) / 2 and few["visits"].max() == SIMULATIONS + SIMULATIONS // 50  # the root is among them
    search.run(simulations=SIMULATIONS - SIMULATIONS // 50)
    again = findings.take()
    root = Codes(Names(compiled("connect_four").ruleset), search.machine).keys(
        search.machine.bits(search.position)[None], int(search.trees[0].graph.node[search.trees[0].root].decider)
    )
    own = again[(again["key"] == root).all(axis=1)]
    assert own["visits"] == 2 * SIMULATIONS


def test_where_several_choose_at_once_nothing_is_kept() -> None:
    search = searched("roshambo")
    assert len(Findings(search, Codes(Names(search.machine.ruleset), search.machine), 1).take()) == 0


# ---- names ------------------------------------------------------------------------------------------------------------


def test_codes_are_for_ever() -> None:
    """If not: bases that people have are found no more."""
    names = Names(load(GAMES / "tic_tac_toe.kif"))
    machine = compiled("tic_tac_toe")
    key = names.key(machine.fluents(machine.initial()), 0)
    assert (names.game[:16], *key.tolist()) == ("cab0e4c3f242969a", 13027384064886681523, 2374347566007420541)


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_positions_and_moves_have_the_same_codes_under_other_names(name: str) -> None:
    plain, other = compiled(name), machine_of(scrambled(name))
    codes = [Codes(Names(machine.ruleset), machine) for machine in (plain, other)]
    assert codes[0].names.game == codes[1].names.game
    dice = random.Random(1)
    here, there = plain.initial(), other.initial()
    for _ in range(12):
        keys = [c.keys(m.bits(p)[None], 1) for c, m, p in zip(codes, (plain, other), (here, there), strict=True)]
        assert (keys[0] == keys[1]).all()
        assert (keys[0][0] == codes[0].names.key(plain.fluents(here), 1)).all()
        situations = plain.situation(here), other.situation(there)
        if situations[0].terminal:
            break
        joints: list[Any] = [[], []]
        for role in range(2):
            of = [{c.names.move(move): move for move in s.legal[role]} for c, s in zip(codes, situations, strict=True)]
            assert of[0].keys() == of[1].keys()
            move = dice.choice(sorted(of[0]))
            for n in range(2):
                joints[n].append(of[n][move])
        here, there = plain.next(here, tuple(joints[0])), other.next(there, tuple(joints[1]))


# ---- advice -----------------------------------------------------------------------------------------------------------


def chosen(folder: Path, machine: CircuitMachine, spec: str = "ucd:simulations=50") -> tuple[str, dict[str, Any]]:
    player = make_player(f"{spec},knowledge={folder}", seed=3)
    situation = machine.situation(machine.initial())
    role = max(range(2), key=lambda role: len(situation.legal[role]))
    move = kif(player.choose(Turn(machine, machine.initial(), situation, role)))
    report = dict(player.report())
    player.close()
    return move, report


def test_what_is_proven_is_played_at_once_under_any_names(tmp_path: Path) -> None:
    base = learned("nim", tmp_path, searched("nim"))
    assert base.content().proven > 5
    for machine in (compiled("nim"), machine_of(scrambled("nim"))):
        move, report = chosen(tmp_path, machine)
        known = Codes(Names(machine.ruleset), machine)
        keys = known.keys(machine.bits(machine.initial())[None], 0)
        assert known.names.code(move)[0] == base.find(keys)[1]["move"][0]
        assert report["proven"] and report["simulations"] == 0 and report["knowledge"]["visits"] > 50


def test_every_move_of_a_game_that_is_solved_keeps_its_worth(tmp_path: Path) -> None:
    search = searched("nim")
    learned("nim", tmp_path, search, least=1)
    machine = machine_of(scrambled("nim"))
    winner = search.best(0)
    assert winner is not None and winner.proven is not None
    role = 0 if winner.proven == 100 else 1
    for seed in range(4):
        specs = ["random", "random"]
        specs[role] = f"ucd:simulations=200,knowledge={tmp_path}"
        players = [make_player(spec, seed) for spec in specs]
        *_, last = play_match(machine, players, 100)
        for player in players:
            player.close()
        assert last.goals[role] == 100


def test_the_larger_search_decides(tmp_path: Path) -> None:
    """As long as nothing is proven, and the move that was learned is sure enough."""
    search = searched("connect_four")
    base = learned("connect_four", tmp_path, search)
    machine = machine_of(scrambled("connect_four"))
    role = int(np.argmax([len(moves) for moves in machine.situation(machine.initial()).legal]))
    best = search.best(role)
    assert best is not None
    learned_move = Codes(Names(search.machine.ruleset), search.machine).move(best.input)
    for count in (SIMULATIONS // 8, 2 * SIMULATIONS):
        move, report = chosen(tmp_path, machine, f"ucd:simulations={count},memory=16")
        assert report["simulations"] == count
        is_learned = count < SIMULATIONS
        assert ("knowledge" in report) == is_learned
        if is_learned:
            assert report["knowledge"]["visits"] == SIMULATIONS and report["knowledge"]["confidence"] >= 1
            assert Names(machine.ruleset).code(move)[0] == learned_move
    assert len(base) > 20
    sure = Advice(0, 100, 1.2, 60.0, proven=False)
    assert sure.outweighs(99) and not sure.outweighs(100)
    assert not replace(sure, confidence=0.9).outweighs(1) and replace(sure, confidence=0.0, proven=True).outweighs(1e9)


def test_what_is_wrong_with_a_base_is_told_and_the_search_goes_on(tmp_path: Path) -> None:
    base = learned("nim", tmp_path, searched("nim"))
    base.path.unlink()
    base.path.mkdir()
    move, report = chosen(tmp_path, compiled("nim"))
    assert move and "what was learned of the game cannot be read" in report["problem"] and "knowledge" not in report


def test_who_does_not_ask_is_told_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learned("nim", tmp_path, searched("nim"))
    monkeypatch.setenv("GGP_KNOWLEDGE", str(tmp_path))
    player = make_player("ucd:simulations=50", seed=3)
    assert isinstance(player, SearchPlayer) and player._adviser is None
    move, report = chosen(tmp_path, compiled("tic_tac_toe"))
    assert move and "knowledge" not in report and "problem" not in report
