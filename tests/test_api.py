"""The short way for programs: games, positions, searches, matches, records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gdl
import ggp
from ggp.api.found import Found
from ggp.api.game import Game, game
from ggp.api.match import Match
from ggp.api.position import Position
from ggp.core.errors import RecordError, UsageError
from tests.helpers import TINY

ENDLESS = "(role me) (init (n 0)) (legal me on) (<= (next (n ?x)) (true (n ?x))) (goal me 50) (<= terminal (true over))"


@pytest.fixture(scope="module")
def nim() -> Game:
    return game("nim")


def test_a_game_comes_from_the_library_a_file_a_text_or_rules(tmp_path: Path) -> None:
    file = tmp_path / "tiny.kif"
    file.write_text(TINY)
    for one in (game(file), game(str(file)), game(TINY), game(gdl.Source(TINY)), game(gdl.load(file))):
        assert one.roles == ("me",)
        last = one.initial.play()
        assert last.terminal and last.goals == {"me": 100} and last.to_move == ()
    with pytest.raises(gdl.DescriptionError, match="law"):
        game("(role me)")
    with pytest.raises(gdl.GdlError, match="did you mean nim"):
        game("nimm")


def test_prolog_and_the_circuit_give_equal_positions(nim: Game) -> None:
    with game("nim", machine="prolog") as slow:
        ours, theirs = nim.initial, slow.initial
        while not ours.terminal:
            assert (ours.legal, ours.goals, ours.fluents) == (theirs.legal, theirs.goals, theirs.fluents)
            move = ours.legal[ours.to_move[0]][0] if ours.to_move else ours.situation.legal[0][0]
            ours, theirs = ours.play(move), theirs.play(move)
        assert theirs.terminal


def test_positions_do_not_change_and_know_their_way(nim: Game) -> None:
    first = nim.initial
    one = first.play(first.legal["first"][0])
    other = first.play(*(moves[0] for moves in first.legal.values()))
    assert one == other and hash(one) == hash(other) and one != first
    assert one.history == (first, one)
    assert nim.position(one.fluents) == one == nim.position(map(gdl.kif, one.fluents))
    assert "second to move" in repr(one)


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (["(take"], "is no move"),
        (["jump"], "jump is not legal for first; legal are:"),
        ([], "0 moves, but a choice has: first"),
    ],
)
def test_what_cannot_be_played_is_told(nim: Game, moves: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        nim.initial.play(*moves)


def test_a_game_that_is_over_is_not_played_on_nor_searched() -> None:
    last = game(TINY).initial.play()
    with pytest.raises(UsageError, match="over"):
        last.play()
    with pytest.raises(UsageError, match="over"):
        last.search()


def test_a_search_shows_its_table(nim: Game) -> None:
    found: Found = nim.initial.search(simulations=2000)
    (row,) = [row for row in found.rows["first"] if row.chosen]
    assert found.best == {"first": row.move}
    assert found.rows.keys() == {"first"} and set(found.expected) == {"first", "second"}
    assert found.to_json()["simulations"] >= 2000 or found.look.solved
    html = found._repr_html_()
    assert html.count("<tr>") == 1 + len(found.rows["first"]) and gdl.kif(row.move) in html
    assert gdl.kif(row.move) in str(found) and "the circuit" in str(found)
    assert nim.initial.search(simulations=100, role="second").rows.keys() == {"second"}
    for player, role in (("ucx", None), ("ucd", "third"), ("ucd:seconds=x", None)):
        with pytest.raises(UsageError):
            nim.initial.search(player, role=role)


def test_matches_are_repeatable_and_their_records_are_replayed(nim: Game, tmp_path: Path) -> None:
    match: Match = nim.match("ucd:simulations=50", "random", seed=3)
    again = nim.match("ucd:simulations=50", "random", seed=3)
    assert match.moves == again.moves and match.final.terminal and match.positions[-1] == match.final
    place = match.save(tmp_path)
    with pytest.raises(UsageError, match="already"):
        match.save(place)
    read = ggp.replay(place)
    assert (read.moves, read.goals, read.players) == (match.moves, match.goals, match.players)
    match.record.goals = [100, 100]
    with pytest.raises(RecordError, match="goalValues"):
        ggp.replay(match.record)
    with pytest.raises(UsageError, match="3 players for 2 roles"):
        nim.match("random", "random", "random")


def test_a_match_ends_at_its_limit_and_takes_players_of_others() -> None:
    class Mine:
        name = "mine"

        def choose(self, turn: ggp.Turn) -> gdl.Term:
            return turn.legal[-1]

        def ponder(self, turn: ggp.Turn) -> None: ...

        def report(self) -> dict[str, Any]:
            return {"all": "well"}

        def close(self) -> None:
            raise AssertionError("who made a player closes it")

    with game(ENDLESS, machine="prolog") as endless:
        match = endless.match(Mine(), limit=7)
    assert len(match.moves) == 7 and not match.record.is_completed
    assert match.record.more["x-reports"][0] == [{"all": "well"}]


def test_chance_plays_itself_and_boards_are_pictures() -> None:
    with game("poker_small", machine="prolog") as poker:
        match = poker.match("legal", "legal", seed=2)
        assert match.players[-1] == "random" and match.final.terminal
    with game("tic_tac_toe", machine="prolog") as crosses:
        position: Position = crosses.initial.play("(mark 2 2)")
        assert "[x]" in str(position) and "<svg" in position._repr_svg_()


def test_lanes_and_closing(nim: Game) -> None:
    lanes = nim.lanes(64, seed=2)
    assert lanes.roles == nim.roles and lanes.width == 64
    closing = game(TINY)
    with closing:
        first = closing.initial.fluents
    assert closing.initial.fluents == first  # a new machine
