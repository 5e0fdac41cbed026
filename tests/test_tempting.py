"""Where all is proven, the move is played after which the others have most ways to go wrong."""

from __future__ import annotations

import time
from functools import cache

import pytest

from gdl import kif
from ggp.match.builtin import make_player
from ggp.players.player import Turn
from ggp.search.choice import MoveStats
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from ggp.search.tempting import equals, most_tempting
from tests.compiled import compiled
from tests.test_search_solving import follow

MACHINE = compiled("tic_tac_toe")


def stats(number: int, proven: float | None) -> MoveStats:
    return MoveStats(number, 10, 50.0, 0.0, proven, 1)


def test_only_moves_that_are_proven_equal_and_no_win_are_compared() -> None:
    draws, win, open_move = [stats(0, 50), stats(1, 50)], stats(2, 100), stats(3, None)
    assert equals([*draws, open_move, stats(4, 0)], draws[0], 100) == draws
    assert equals([*draws, win], win, 100) == [] == equals([*draws, open_move], open_move, 100)
    assert equals([stats(4, 0), stats(5, 0)], stats(4, 0), 100) == []


@cache
def by_lot(position: bytes, role: int) -> float:
    """What a position is worth to a role that plays best against one that moves at random."""
    situation = MACHINE.situation(position)
    if situation.terminal:
        return float(situation.goals[role][-1])
    mine, theirs = situation.legal[role], situation.legal[1 - role]
    pairs = [(m, t) if role == 0 else (t, m) for m in mine for t in theirs]
    worth = [by_lot(MACHINE.next(position, pair), role) for pair in pairs]
    return max(worth) if len(mine) > 1 else sum(worth) / len(worth)


@pytest.mark.parametrize("moves", ["(mark 1 1)", "(mark 2 2)", "(mark 1 2)"])
def test_the_answer_is_the_best_against_one_who_moves_at_random(moves: str) -> None:
    position = follow(MACHINE, moves)
    search = Search(MACHINE, SearchSettings(), 1, memory=2**24)
    search.start(position)
    search.run()
    same = equals(search.moves(1), max(search.moves(1), key=lambda m: m.proven or 0), 100)
    found = most_tempting(search, 1, same, time.monotonic() + 20, None)
    noop = MACHINE.situation(position).legal[0][0]

    def worth(number: int) -> float:
        return by_lot(MACHINE.next(position, (noop, MACHINE.inputs[number])), 1)

    assert search.solved and found is not None and found.proven == 50
    assert worth(found.input) == pytest.approx(max(worth(move.input) for move in same))


def test_a_player_takes_it_where_there_is_time() -> None:
    position = follow(MACHINE, "(mark 2 2)")
    player = make_player("ucd:memory=16,policy=uniform", 1)
    chosen = player.choose(Turn(MACHINE, position, MACHINE.situation(position), 1, time.monotonic() + 10))
    player.close()
    assert player.report()["proven"] is True
    assert kif(chosen) in ("(mark 1 1)", "(mark 1 3)", "(mark 3 1)", "(mark 3 3)")


def test_without_time_nothing_is_searched() -> None:
    search = Search(MACHINE, SearchSettings(), 1, memory=2**22)
    search.start(MACHINE.initial())
    search.run(simulations=100)
    assert most_tempting(search, 0, search.moves(0), time.monotonic() + 0.1, None) is None
