"""Positions of known value: their texts, the way to them, and that what the file says of them is true."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl import kif, load
from ggp.core.errors import UsageError
from ggp.lab.positions import HEAD, Known, as_toml, known_positions, turn_after
from ggp.machines.circuit import CircuitMachine
from tests.compiled import compiled
from tests.conftest import Open
from tests.helpers import GAMES
from tests.perfect_connect_four import Perfect

KNOWN = known_positions()


def test_texts() -> None:
    known = Known((3, 0, 12), (100, 0, 0, 50))
    assert known.text() == "3 0 12 > 100 0 0 50"
    assert Known.read(known.text()) == known
    assert known.chance == 0.25
    with pytest.raises(UsageError, match="'3 x > 0' should be numbers"):
        Known.read("3 x > 0")


def test_a_file_that_is_written_is_read(tmp_path: Path) -> None:
    found = {"nim": [Known((1,), (100, 0)), Known((), (0, 100))], "chomp": [Known((2, 2), (0, 50))]}
    lines = [HEAD, *(line for game, positions in found.items() for line in as_toml(game, positions))]
    (tmp_path / "positions.toml").write_text("\n".join(lines), encoding="utf-8")
    assert known_positions(tmp_path) == found
    (tmp_path / "positions.toml").write_text("nim = [", encoding="utf-8")
    with pytest.raises(UsageError, match=r"positions\.toml: "):
        known_positions(tmp_path)


def test_the_way_to_a_position_and_what_moves_cost() -> None:
    machine = compiled("tic_tac_toe")
    known = Known((0, 3, 0, 0), (100, 0, 0, 0, 0))  # o in the middle, then x beside x, then o elsewhere
    turn = known.turn(machine)
    assert (turn.role, len(turn.legal)) == (0, 5)
    assert turn.history is not None and len(turn.history) == 4
    assert [known.loss(turn, move) for move in turn.legal] == [0, 100, 100, 100, 100]
    for places, goals in [((99,), (0, 0)), ((0,), (0, 0)), ((0, 3, 1, 0, 0, 0, 0, 0), (0,))]:
        with pytest.raises(UsageError, match="the game, which must have changed"):
            Known(places, goals).turn(machine)
    assert turn_after(machine, [9]) is None


FORCED = """
(role me) (init (at 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal me a) (not (true (at 2)))) (<= (legal me b) (not (true (at 2)))) (<= (legal me go) (true (at 2)))
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 4))) (goal me 100)
"""


def test_steps_without_a_choice_are_no_part_of_the_way(prolog: Open) -> None:
    machine = prolog(FORCED)
    turn = turn_after(machine, [1])
    assert turn is not None and turn.history is not None
    assert [kif(move) for (move,) in turn.history] == ["b", "go"]
    assert turn_after(machine, [1, 0]) is None  # the game is over


@pytest.mark.parametrize("game", KNOWN)
def test_each_position_has_moves_that_keep_the_value_and_others(game: str) -> None:
    for known in KNOWN[game]:
        assert 0 < known.chance <= 0.5
    assert len(KNOWN[game]) == len(set(KNOWN[game]))


@pytest.mark.slow
@pytest.mark.parametrize("game", KNOWN)
def test_the_way_to_each_position_is_there(game: str) -> None:
    machine = CircuitMachine.compile(load(GAMES / f"{game}.kif"))
    for known in KNOWN[game]:
        assert len(known.turn(machine).legal) == len(known.goals)


def test_values_of_connect_four_are_those_of_a_perfect_player() -> None:
    machine, perfect = compiled("connect_four"), Perfect()
    for known in KNOWN["connect_four"]:
        turn = known.turn(machine)
        assert turn.history is not None
        discs = [kif(move) for joint in turn.history for move in joint if kif(move) != "noop"]
        values = perfect.values(column(move) for move in discs)
        assert [50 + 50 * values[column(kif(move))] for move in turn.legal] == list(known.goals)


def column(move: str) -> int:
    return int(move.strip("()").split()[1]) - 1
