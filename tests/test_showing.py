"""What a match looks like while it is played: positions, players' thoughts, clocks, colours."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from gdl import load
from ggp.boards import board
from ggp.cli import main
from ggp.commands.showing import Show, Thought, print_board
from tests.helpers import GAMES, terms

GAME = load(GAMES / "tic_tac_toe.kif")
FLUENTS = terms("(marked 1 1 x)", "(control o)")
MOVES = terms("(mark 1 1)", "noop")


def test_a_position_with_its_moves_notes_and_thoughts(capsys: pytest.CaptureFixture[str]) -> None:
    thoughts = [Thought(1.25, {"expected": 62.5, "simulations": 12345}), Thought(0.0, {})]
    with Show(GAME, "a match", 10) as show:
        show.position(3, FLUENTS, MOVES, ["somebody (o): was late"], thoughts=thoughts)
        show.close("the end")
    assert capsys.readouterr().out.splitlines() == [
        "a match",
        "step 3  x (mark 1 1)  o noop",
        "somebody (o): was late",
        "x expects  62.5 ████████████░░░░░░░░  12,345 simulations  1.2 s of 10",
        "o to move",
        "3  · · ·",
        "2  · · ·",
        "1 [x]· ·",
        "   1 2 3",
        "the end",
    ]


@pytest.mark.parametrize("expected", ["much", None, 250, -3, True])
def test_a_report_may_be_anything(expected: object, capsys: pytest.CaptureFixture[str]) -> None:
    with Show(GAME, "a match") as show:
        show.position(1, FLUENTS, MOVES, thoughts=[Thought(0.1, {"expected": expected, "simulations": "many"})])
    out = capsys.readouterr().out
    assert ("expects" in out) == (type(expected) is int)


def test_changes_are_marked_where_moves_name_no_cell(capsys: pytest.CaptureFixture[str]) -> None:
    with Show(load(GAMES / "connect_four.kif"), "a match") as show:
        show.position(0, terms("(control red)"), None)
        show.position(1, terms("(control yellow)", "(disc 3 1 red)"), terms("(drop 3)", "noop"))
    assert "1  · ·[r]· · · ·" in capsys.readouterr().out


def test_nobody_is_to_move_when_the_game_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    with Show(GAME, "a match") as show:
        show.position(9, FLUENTS, MOVES, over=True)
    assert "to move" not in capsys.readouterr().out


@pytest.mark.parametrize("colour", [True, False])
def test_a_terminal_shows_colours_unless_they_are_unwanted_and_a_clock(
    colour: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if not colour:
        monkeypatch.setenv("NO_COLOR", "1")
    with Show(load(GAMES / "connect_four.kif"), "a match", 10) as show:
        show.position(1, terms("(control yellow)", "(disc 3 1 red)"), None)
        while_waiting = capsys.readouterr().out
        show.position(2, terms("(control red)"), None, due=25)
        later = capsys.readouterr().out
    assert ("31m" in while_waiting) == colour
    assert "of 10 s" in while_waiting and "of 25 s" in later
    assert "clock" not in capsys.readouterr().out.rsplit("\x1b[2K", 1)[-1]  # what stays at the end


def test_signs_are_ascii_where_the_output_has_no_others() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    print_board(board(GAME).view(FLUENTS), Console(file=stream))
    stream.seek(0)
    assert stream.read().splitlines()[1] == "3  . . ."


def test_a_random_play_with_boards(capsys: pytest.CaptureFixture[str]) -> None:
    play = ("play-through", str(GAMES / "tic_tac_toe.kif"), "--machine", "prolog")
    assert main([*play]) == 0
    plain = capsys.readouterr().out
    assert main([*play, "--board"]) == 0
    shown = capsys.readouterr().out
    assert "   1 2 3" not in plain
    assert shown.count("   1 2 3\n") == plain.count("\nstep ") + 1
    assert set(plain.splitlines()) <= set(shown.splitlines())


def test_a_replay_shows_what_players_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "m.json"
    players = ("--player", "random", "--player", "random", "--machine", "prolog", "--record", str(place))
    assert main(["match", str(GAMES / "tic_tac_toe.kif"), *players]) == 0
    played = capsys.readouterr().out
    assert "clocks 10 and 3 s" in played.splitlines()[0]
    record = json.loads(place.read_text())
    record["x-reports"][1] = [{}, {"expected": 40, "simulations": 7}]
    place.write_text(json.dumps(record))
    assert main(["replay", str(place), "--machine", "prolog"]) == 0
    replayed = capsys.readouterr().out
    assert replayed.count("expects") == 1
    assert "\no expects  40.0 " in replayed
    assert [line for line in replayed.splitlines() if "]" in line] == [
        line for line in played.splitlines() if "]" in line
    ]
