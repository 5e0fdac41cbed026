"""What a player is told, in the names of the rules or in scrambled ones, and what its answers mean."""

from __future__ import annotations

import pytest

from gdl import kif
from ggp.core.errors import UsageError
from ggp.match.messages import Play, Start, parse_message
from ggp.match.telling import Happened, PlayerInfo, Telling
from tests.helpers import ruleset, terms

GAME = ruleset(
    "(role x) (role o) (init (on 1)) (<= (legal ?r (mark ?n)) (role ?r) (true (on ?n))) (legal x wait)"
    "(<= (next (on 2)) (does x wait)) (goal x 0) (goal o 0) (<= terminal (true (on 2)))"
)
JOINT = terms("wait", "(mark 1)")


def test_the_moves_are_told_as_they_are() -> None:
    telling = Telling(GAME, "m.1", 1, "turns")
    start = parse_message(telling.start(10, 5))
    assert isinstance(start, Start)
    assert (start.match, start.role, start.start_clock, start.play_clock) == ("m.1", "o", 10, 5)
    assert telling.play(Happened(0, None, None)) == Play("m.1", None).text()
    assert telling.play(Happened(1, JOINT, None)) == Play("m.1", JOINT).text()


def test_only_a_legal_move_is_read() -> None:
    telling = Telling(GAME, "m.1", 0, "turns")
    assert telling.read_move("( mark 1 )", JOINT) == JOINT[1]
    assert telling.read_move("WAIT", JOINT) == JOINT[0]
    assert telling.read_move("(mark 2)", JOINT) is None
    assert telling.read_move("(mark", JOINT) is None


def test_scrambled_names_hide_the_game_and_lead_back() -> None:
    telling = Telling(GAME, "m.1", 0, "turns", scramble_seed=3)
    for word in ("mark", "wait", "on"):
        assert f" {word}" not in telling.start(10, 5).replace("(", " ")
    said = telling.play(Happened(1, JOINT, None))
    message = parse_message(said)
    assert isinstance(message, Play) and message.seen is not None
    assert [kif(move) for move in message.seen] != [kif(move) for move in JOINT]
    assert [telling.read_move(kif(move), JOINT) for move in message.seen] == list(JOINT)
    assert telling.read_move("wait", JOINT) is None


def test_percepts_are_those_of_the_role() -> None:
    percepts = (terms("(heard 1)"), terms("(heard 2)", "(heard 3)"))
    long = Telling(GAME, "m.1", 1, "turns")
    assert long.play(Happened(1, JOINT, percepts)) == Play("m.1", percepts[1], 1, JOINT[1]).text()
    short = Telling(GAME, "m.1", 1, "percepts")
    assert short.play(Happened(1, JOINT, percepts)) == Play("m.1", percepts[1]).text()


def test_a_form_that_nobody_knows() -> None:
    with pytest.raises(UsageError, match="there is no form 'loud' of messages"):
        Telling(GAME, "m.1", 0, "loud")


def test_what_players_say_of_themselves_is_made_safe() -> None:
    info = PlayerInfo.read("( ( name Ann\x1b ) ( status AVAILABLE ) )")
    assert info.is_available and info.name.isprintable()
    assert not PlayerInfo.read("busy").is_available
    assert PlayerInfo.read("").name == ""
