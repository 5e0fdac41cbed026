"""The built-in players."""

from __future__ import annotations

from collections import Counter

import pytest

from gdl import Term, kif
from ggp.core.errors import UsageError
from ggp.machines import PrologMachine
from ggp.match.builtin import check_player, make_player
from ggp.players.match import play_match
from ggp.players.player import Player, Turn
from ggp.players.simple import GreedyPlayer, LegalPlayer, RandomPlayer
from ggp.players.specs import PLAYERS, is_address
from tests.conftest import Open

CHOICE = """
(role me) (role you) (legal me (take ?n)) (legal you (take ?n))
(<= (goal ?r ?n) (role ?r) (true (took ?r ?n))) (<= (goal ?r 7) (role ?r) (not (true (took ?r 100))))
(<= (next (took ?r ?n)) (does ?r (take ?n))) (<= terminal (true (took ?r ?n)))
""".replace("(legal me (take ?n)) (legal you (take ?n))", " ".join(
    f"(legal {role} (take {n}))" for role in ("me", "you") for n in (0, 50, 100)))  # fmt: skip


def turn(machine: PrologMachine, role: int = 0) -> Turn:
    position = machine.initial()
    return Turn(machine, position, machine.situation(position), role)


def choices(make: type[RandomPlayer] | type[GreedyPlayer] | type[LegalPlayer], turn: Turn, count: int) -> Counter[str]:
    return Counter(kif(make(seed).choose(turn)) for seed in range(count))


def test_legal_takes_the_first_move(prolog: Open) -> None:
    assert choices(LegalPlayer, turn(prolog(CHOICE)), 5) == {"(take 0)": 5}


def test_random_takes_every_move_about_equally_often(prolog: Open) -> None:
    found = choices(RandomPlayer, turn(prolog(CHOICE)), 300)
    assert set(found) == {"(take 0)", "(take 50)", "(take 100)"}
    assert min(found.values()) > 60


@pytest.mark.parametrize("role", [0, 1])
def test_greedy_takes_the_move_with_the_best_goal(role: int, prolog: Open) -> None:
    assert choices(GreedyPlayer, turn(prolog(CHOICE), role), 10) == {"(take 100)": 10}


def test_greedy_breaks_ties_at_random(prolog: Open) -> None:
    machine = prolog("(role me) (legal me a) (legal me b) (legal me c) (goal me 50) (<= terminal (true x))")
    assert len(choices(GreedyPlayer, turn(machine), 30)) == 3


def test_the_same_seed_gives_the_same_choices(prolog: Open) -> None:
    asked = turn(prolog(CHOICE))

    def ten(player: Player) -> list[Term]:
        return [player.choose(asked) for _ in range(10)]

    for name in ("random", "legal", "greedy", "ucd:simulations=20", "mc:simulations=20"):
        assert ten(make_player(name, 5)) == ten(make_player(name, 5))


def test_players_go_by_their_names() -> None:
    assert tuple(make_player(name, 1).name for name in PLAYERS) == ("ucd", "uct", "mc", "random", "legal", "greedy")
    assert make_player("ucd:c=30,d1=inf", 1).name == "ucd:c=30,d1=inf"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("clever", "no player 'clever'; known are: ucd, uct, mc, random, legal, greedy"),
        ("udc", r"there is no player 'udc'; did you mean ucd\?"),
        ("udc:seconds=1", r"there is no player 'udc'; did you mean ucd\?"),
        ("random:c=3", "player random has no options"),
        ("ucd:c", "'c' should be an option of its own, like seconds=2"),
        ("ucd:c=3,c=4", "'c=4' should be an option of its own"),
        ("ucd:speed=3", "no option 'speed'; known are:\n  d1 "),
        ("ucd:c=much", "c=much makes no sense"),
        ("ucd:c=-1", "c must be 0 or more"),
        ("ucd:d1=99", "d1 must be 0, 1, … 16 or inf"),
        ("ucd:seconds=0", "seconds must be above 0"),
        ("ucd:playouts=3", "playouts must be 1, 2, 4"),
    ],
)
def test_wrong_players_are_refused_with_a_reason(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_player(spec, 1)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("http://localhost:9147", True),
        ("http://localhost", True),
        ("localhost:9147", True),
        ("nosuch:9147", True),
        ("[::1]:9147", True),
        ("ucd", False),
        ("nosuch", False),
        ("ucd:seconds=0.5", False),
        ("ucd:seconds=1,c=30", False),
        ("udc:seconds=1", False),
        ("ucd:9147", False),
        ("ucd:cluster=tcp://10.0.0.5:8786", False),
        ("localhost:", False),
    ],
)
def test_addresses_are_told_from_players_with_options(spec: str, expected: bool) -> None:
    assert is_address(spec) is expected


def test_players_and_addresses_are_checked_before_anything_begins() -> None:
    for good in ("random", "ucd:seconds=0.5", "http://localhost:9147", "nosuch:9147"):
        check_player(good)
    for bad, message in [
        ("ucd:9147", "should be an option"),
        ("http://:1/x", "no address"),
        ("host:99999", "no address"),
    ]:
        with pytest.raises(UsageError, match=message):
            check_player(bad)


def test_greedy_beats_legal_where_one_step_decides(prolog: Open) -> None:
    *_, last = play_match(prolog(CHOICE), [GreedyPlayer(1), LegalPlayer(1)], 10)
    assert last.goals == (100, 7)
    assert last.situation.goals == ((100,), (0, 7))
