"""Specialists in matches: a fake one in each kind of match, and the real ones of Debian where they are installed."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from gdl import Ruleset, load
from ggp.cli import main
from ggp.core.errors import GgpError, UsageError
from ggp.machines.machine import JointMove, Situation
from ggp.match.builtin import check_player, make_player
from ggp.match.seats import Clocks, LocalSeat, Scene
from ggp.match.telling import Happened
from ggp.players.match import play_match
from ggp.players.player import Turn
from ggp.players.simple import LegalPlayer
from ggp.specialists.player import check_specialist
from tests.conftest import Open
from tests.helpers import GAMES, terms
from tests.specialists import fake, log, told

__all__ = ["log"]
GO = load(GAMES / "go_6x6.kif")
MATCH = ["match", "go_6x6", "--machine", "prolog", "--no-record", "--json", "--startclock", "5", "--playclock", "2"]
INTRODUCTION = ("protocol_version", "name", "version", "list_commands", "boardsize", "komi", "quit")


def has(program: str) -> bool:
    return shutil.which(program, path="/usr/games:/usr/bin") is not None


@pytest.mark.parametrize(
    ("spec", "game", "message"),
    [
        ("gtp:nosuchprogram", GO, "there is no program nosuchprogram$"),
        ("uci:gnugo", GO, "gnugo speaks gtp, not uci"),
        (f"gtp:{sys.executable},level=3", GO, "there is no option 'level'; known are: seconds"),
        (f"gtp:{sys.executable}", load(GAMES / "nim.kif"), "no gtp program plays this game"),
        (f"gtp:{sys.executable},-c,print(3)", GO, "says '3' instead of an answer to command 1"),
    ],
)
def test_what_cannot_play_is_told_before_the_match(spec: str, game: Ruleset, message: str) -> None:
    with pytest.raises(GgpError, match=message):
        check_specialist(spec, game)


def test_a_program_that_is_missing_is_told_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.specialists.player._PLACES", ())
    monkeypatch.setenv("PATH", "/nowhere")
    for game in (None, GO):
        with pytest.raises(UsageError, match="there is no program gnugo; ask for: apt install gnugo"):
            check_player("gtp:gnugo,level=3", game)


def test_a_player_has_to_know_the_game(log: Path) -> None:
    with pytest.raises(UsageError, match=r"needs to know the game: ggp.make_player\(player, seed, ruleset\)"):
        make_player(fake("gtp", "good", log), 1)


def test_a_match_in_which_all_goes_well(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = fake("gtp", "good", log, "c3", "pass")
    assert main([*MATCH, "--steps", "4", "--player", spec, "--player", "legal"]) == 1  # not to its end
    result = json.loads(capsys.readouterr().out)
    assert result["moves"][:3] == [["(place 3 3)", "noop"], ["noop", "(place 1 1)"], ["pass", "noop"]]
    assert result["faults"] == []
    assert told(log, *INTRODUCTION) == ["clear_board", "genmove black", "play white a1", "genmove black"]


def test_faults_of_a_program_are_faults_in_the_match(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It places stones where there are some: each time a random move is made, and it is told of that."""
    spec = fake("gtp", "good", log, "a1", "a1")
    assert main([*MATCH, "--steps", "4", "--player", "legal", "--player", spec]) == 1
    result = json.loads(capsys.readouterr().out)
    assert [(fault["step"], fault["role"]) for fault in result["faults"]] == [(1, "white"), (3, "white")]
    assert "plays 'a1', which is no legal move here" in result["faults"][0]["message"]
    games = " ".join(told(log, *INTRODUCTION)).split("clear_board")
    assert games[-1].count("play white") == 1 and games[-1].count("play black") == 2


class Recorder(LegalPlayer):
    """Keeps what it is told of the match so far."""

    def __init__(self) -> None:
        self.told: list[tuple[JointMove, ...] | None] = []

    def choose(self, turn: Turn) -> object:  # type: ignore[override]
        self.told.append(None if turn.history is None else tuple(turn.history))
        return super().choose(turn)


def test_players_are_told_the_moves_so_far(prolog: Open) -> None:
    recorder = Recorder()
    machine = prolog(load(GAMES / "nim.kif"))
    steps = list(play_match(machine, [LegalPlayer(1), recorder], 10))  # type: ignore[list-item]
    joints = tuple(step.joint for step in steps if step.joint is not None)
    assert recorder.told == [joints[:number] for number in range(len(joints))]
    assert len(joints) > 2


def test_moves_that_are_taken_back_are_forgotten() -> None:
    recorder, nothing = Recorder(), cast(Any, None)
    a, b, c = (terms(move) for move in "abc")
    seat = LocalSeat(0, cast(Any, recorder), nothing, Clocks())
    situation = Situation(False, (a,), ((),))
    for number, joint in enumerate([None, a, b, None, c, b], start=-3):
        turn = number % 3
        seat.play(Scene(nothing, situation, Happened(turn, joint, None)))
    assert recorder.told == [(), (a,), (a, b), (), (c,), (c, b)]


@pytest.mark.skipif(not has("gnugo"), reason="GNU Go is not installed: apt install gnugo")
def test_gnu_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["tournament", "go_6x6", "--machine", "prolog", "--rounds", "1", "--workers", "1", "--startclock", "2"]
    assert main([*command, "--player", "gtp:gnugo,level=1", "--player", "random", "--json"]) == 0
    (first, second) = json.loads(capsys.readouterr().out)["standings"]
    assert (first["player"], first["won"], first["faults"]) == ("gtp:gnugo,level=1", 2, 0)
    assert (second["player"], second["faults"]) == ("random", 0)


@pytest.mark.skipif(not has("fairy-stockfish"), reason="Fairy-Stockfish is not installed: apt install fairy-stockfish")
def test_fairy_stockfish(prolog: Open) -> None:
    """A whole match of breakthrough by depth: every answer is legal here, and it wins."""
    ruleset = load(GAMES / "breakthrough.kif")
    player = make_player("uci:fairy-stockfish,depth=1", 1, ruleset)
    *_, last = play_match(prolog(ruleset), [make_player("random", 1), player], 200)
    player.close()
    assert last.goals == (0, 100)


@pytest.mark.skipif(not has("stockfish"), reason="Stockfish is not installed: apt install stockfish")
def test_stockfish_is_checked() -> None:
    check_player("uci:stockfish,skill=0", load(GAMES / "chess.kif"))
    with pytest.raises(UsageError, match="Skill Level cannot be 21, but 0 to 20"):
        check_player("uci:stockfish,skill=21", load(GAMES / "chess.kif"))


@pytest.mark.slow
@pytest.mark.skipif(not has("gnugo"), reason="GNU Go is not installed: apt install gnugo")
def test_gnu_go_over_http_under_other_names(capsys: pytest.CaptureFixture[str]) -> None:
    players = ["--player", "gtp:gnugo,level=1", "--player", "random"]
    assert main([*MATCH[:1], "go_6x6", *MATCH[4:], "--http", "--scramble", *players]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["goals"], result["faults"]) == ({"black": 100, "white": 0}, [])
