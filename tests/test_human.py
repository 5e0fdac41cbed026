"""People in the terminal: `ggp match --player human`, with lines from a pipe."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ggp.cli import main
from ggp.core.errors import UsageError
from ggp.match.builtin import make_player
from ggp.match.record import Record, read_record
from tests.fakes import serve
from tests.helpers import GAMES, TINY
from tests.test_master import PAIR, player

TIC_TAC_TOE = str(GAMES / "tic_tac_toe.kif")
KRIEGSPIEL = str(GAMES / "kriegspiel_tic_tac_toe.kif")
PROLOG = ("--machine", "prolog")

Play = Callable[..., str]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Play:
    """Play a match with typed lines; what was printed. Standard error must stay empty but for the record's place."""
    monkeypatch.chdir(tmp_path)

    def run(game: str, lines: str, *arguments: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line.strip()}\n" for line in lines.split("|"))))
        assert main(["match", game, *arguments, *PROLOG]) == code
        printed = capsys.readouterr()
        assert printed.err == "" or "its record: " in printed.err
        return printed.out

    return run


def record() -> Record:
    return read_record(Path("m.json"))


def moves(column: int) -> list[str]:
    return [joint[column] for joint in record().moves]


def test_a_game_is_played_to_its_end_by_numbers_and_by_text(play: Play) -> None:
    text = play(TIC_TAC_TOE, "5|mark 1 2|(MARK 3 2)", "--player", "human", "--player", "legal", "--record", "m.json")
    assert moves(0) == ["(mark 2 2)", "noop", "(mark 1 2)", "noop", "(mark 3 2)"]
    assert (record().goals, record().players, record().faults) == ([100, 0], ["human", "legal"], 0)
    assert "the game is over after 5 steps. goals: x 100, o 0" in text
    assert "x> 5\nstep 1  x: mark 2 2\nx can only wait: noop\nstep 2  o: mark 1 1\n" in text
    assert main(["replay", "--brief", "m.json", *PROLOG]) == 0


def test_wrong_and_unclear_lines_get_an_answer_and_another_try(play: Play) -> None:
    text = play(
        TIC_TAC_TOE, "10|mark 1|mark|nonsense|mark 4 4||9|resign", "--player", "human", "--player", "legal", code=1
    )
    assert "there is no move 10; the list has 1 to 9" in text
    assert "3 moves fit that; which one?\n  1 mark 1 1  2 mark 1 2  3 mark 1 3\n" in text
    assert "9 moves fit that" in text
    assert "'nonsense' is no legal move and no command" in text
    assert "'mark 4 4' is no legal move and no command; did you mean `mark " in text
    assert "type a number or a move" in text
    assert "step 1  x: mark 3 3" in text


def test_all_that_can_be_typed_is_explained_and_works(play: Play) -> None:
    lines = "help|moves 2|moves zz|history|5|history|board|quit"
    text = play(TIC_TAC_TOE, lines, "--player", "human", "--player", "legal", code=1)
    for command in ("moves", "board", "hint", "undo", "history", "resign", "quit"):
        assert f"\n  {command} " in text
    assert "x> moves 2\n  2 mark 1 2  4 mark 2 1  5 mark 2 2  6 mark 2 3  8 mark 3 2\n" in text
    assert "no move fits 'zz'" in text
    assert "x> history\nnothing has happened yet\n" in text
    assert "x> history\nstep 1  x: mark 2 2\nstep 2  o: mark " in text
    assert text.count("2  · x ·") >= 2
    assert "x leaves, and the match ends without a result" in text


def test_roles_without_a_player_are_played_by_ucd_and_that_is_said(play: Play) -> None:
    text = play(TIC_TAC_TOE, "resign", "--player", "human", code=1)
    assert text.startswith("o: played by ucd, for nobody was named\n")
    assert "(x: human, o: ucd, seed 1)" in text


def test_undo_goes_back_to_the_last_choice_and_the_record_forgets(play: Play) -> None:
    lines = "undo|5|undo|1|2|undo|undo|history|9|mark 3 2|mark 3 1"
    text = play(TIC_TAC_TOE, lines, *("--player", "human", "--player", "legal"), *("--record", "m.json"))
    assert "there is no choice yet that could be taken back" in text
    assert [line for line in text.splitlines() if line.startswith("taken back")] == [
        "taken back to step 0", "taken back to step 2", "taken back to step 0",
    ]  # fmt: skip
    assert "nothing has happened yet" in text
    assert moves(0)[0] == "(mark 3 3)"
    assert len(record().states) == len(record().state_times) == len(record().moves) + 1
    assert record().more["x-events"][0] == "step 2: moves were taken back to step 0"
    assert main(["replay", "--brief", "m.json", *PROLOG]) == 0


def test_a_hint_names_the_winning_move_first(play: Play) -> None:
    lines = "mark 2 2|mark 1 2|hint 0.3|hint soon|hint 0|resign"
    text = play(TIC_TAC_TOE, lines, "--player", "human", "--player", "legal", code=1)
    first = text.split("hint: ")[1].splitlines()[1]
    assert "slowly on Prolog, for want of a circuit" in text
    assert "mark 3 2" in first and "visits  expected goal 100" in first
    assert "`hint soon`: a number of seconds was expected" in text
    assert "`hint 0`: a number of seconds was expected" in text


def test_who_resigns_has_lost_and_the_record_says_so(play: Play) -> None:
    text = play(TIC_TAC_TOE, "5|resign", *("--player", "human", "--player", "legal"), *("--record", "m.json"), code=1)
    assert text.splitlines()[-2:] == ["x resigns, goals: x 0, o 100", "record: m.json"]
    found = record()
    assert found.is_aborted and found.goals is None and found.more["x-abortReason"] == "x resigns"
    assert found.more["x-resigned"] == {"role": "x", "goals": [0, 100]}
    assert found.ending == "resigned" and found.result == [0, 100]
    assert main(["replay", "--brief", "m.json", *PROLOG]) == 0


@pytest.mark.parametrize(("lines", "said"), [("5|quit", "x leaves"), ("5", "end of input: x leaves")])
def test_who_leaves_ends_the_match_and_the_record_says_how(play: Play, lines: str, said: str) -> None:
    text = play(TIC_TAC_TOE, lines, *("--player", "human", "--player", "legal"), *("--record", "m.json"), code=1)
    assert text.splitlines()[-2:] == [f"{said}, and the match ends without a result", "record: m.json"]
    assert record().is_aborted
    assert record().more["x-abortReason"] == said
    assert main(["replay", "--brief", "m.json", *PROLOG]) == 0


def test_two_people_share_a_terminal(play: Play) -> None:
    lines = "mark 2 2|mark 1 1|mark 1 2|mark 1 3|undo|mark 3 3|mark 3 2"
    text = play(TIC_TAC_TOE, lines, "--player", "human", "--player", "human")
    assert "taken back to step 3" in text and "goals: x 100, o 0" in text
    assert "o> mark 1 1\n" in text and "can only wait" not in text


def test_moves_at_the_same_time_stay_secret_until_both_are_made(play: Play, tmp_path: Path) -> None:
    (tmp_path / "pair.kif").write_text(PAIR)
    text = play("pair.kif", "a|b 1|a|b 1|a|b 1", "--player", "human", "--player", "human")
    before, after = text.split("step 1  ", 1)
    assert "left> \nright, it is your turn\n" in before
    assert after.startswith("left: a  right: b 1\n")
    assert "chose" not in before


def test_a_game_of_one_role_is_played_and_a_forced_move_waits_for_enter(play: Play, tmp_path: Path) -> None:
    (tmp_path / "tiny.kif").write_text(TINY)
    text = play("tiny.kif", "", "--player", "human")
    assert "me has one move: wait. Enter plays it.\n" in text
    assert "goals: me 100" in text


def test_hidden_information_stays_hidden_until_the_end(play: Play) -> None:
    lines = "1|try 1 2|history|undo|2|5|hint 0.2|resign"
    text = play(KRIEGSPIEL, lines, "--player", "human", "--player", "legal", "--record", "m.json", code=1)
    assert moves(1)[1:3] == ["(try 1 1)", "(try 1 2)"]
    assert "o: try" not in text and "marked 1 2" not in text
    assert "step 3  x: noop  saw: your_turn\n" in text
    assert "step 4  x: try 1 2  saw: occupied\n" in text
    assert "positions that agree with what you know, slowly" in text.split("hint: ")[1]
    boards = text.split("what all ")[1].splitlines()
    assert boards[0].endswith("positions that were found to agree with what you know have in common:")
    assert boards[4].split() == ["1", "ox", "·", "·"]  # what is marked, and what is known


def test_what_others_did_wrong_in_a_game_of_hidden_information_is_not_told(play: Play) -> None:
    with serve(player("(try 9 9)")) as fake:
        text = play(KRIEGSPIEL, "1|resign", "--player", "human", "--player", fake.url, "--no-record", code=1)
    assert "(o): illegal; a random legal move was made instead" in text
    assert "9 9" not in text


def test_people_in_a_game_of_hidden_information_are_told_of_what_they_slept_through(play: Play) -> None:
    text = play(KRIEGSPIEL, "1|2|5|resign", "--player", "human", "--player", "human", code=1)
    x_again = text.split("x, it is your turn\n")[1]
    assert x_again.startswith("step 1  x: try 1 1  saw: marked_it\nstep 2  x: noop  saw: your_turn\n")
    o_first = text.split("o, it is your turn\n")[1].split("o> ")[0]
    assert o_first.startswith("step 1  o: noop  saw: your_turn\n")
    assert "try 1 1  saw" not in o_first


def test_against_players_over_http_nothing_is_taken_back(play: Play) -> None:
    with serve(player("noop")) as fake:
        text = play(TIC_TAC_TOE, "5|undo|resign", "--player", "human", "--player", fake.url, code=1)
        assert fake.commands()[-1] == "ABORT"
    assert "moves cannot be taken back: Ann plays over HTTP, where there is no going back" in text
    assert "Ann (o): noop is not legal for o; a random legal move was made instead" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--player", "human", "--json"], "--json leaves no room for a human at this terminal"),
        (["--player", "human:seconds=1"], "player human has no options"),
        (["--timed"], "--timed is for --player human"),
        (["--timed", "--player", "legal"], "--timed is for --player human"),
    ],
)
def test_what_makes_no_sense_with_people_is_told(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["match", TIC_TAC_TOE, *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ["tournament", "nim", "--player", "human", "--player", "legal"],
        ["play", "--player", "human"],
        ["master", str(GAMES / "nim.kif"), "--fill", "human", "--port", "0"],
    ],
)
def test_people_play_in_the_terminal_of_a_match_alone(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 2
    assert "a human plays in the terminal of `ggp match FILE --player human`" in capsys.readouterr().err
    with pytest.raises(UsageError, match="and nowhere else"):
        make_player("human", 1)


def test_a_process_reads_its_moves_from_a_pipe_without_control_of_a_screen(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ggp.cli", "match", TIC_TAC_TOE, "--player", "human", "--player", "human", *PROLOG]
    done = subprocess.run(
        command,
        input=b"5\n\xff\xfe\nmark 1 1\nmark 1 2\n(mark 3 3)\nmark 3 2\n",
        capture_output=True,
        check=False,
        cwd=tmp_path,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\x1b" not in done.stdout
    assert b"goals: x 100, o 0" in done.stdout


def test_standard_input_that_cannot_be_read_is_the_end_of_input(capsys: pytest.CaptureFixture[str]) -> None:
    """As the suite captures it, reading fails."""
    assert main(["match", TIC_TAC_TOE, "--player", "human", "--player", "legal", *PROLOG]) == 1
    assert "end of input: x leaves" in capsys.readouterr().out


def test_standard_input_that_is_closed_is_the_end_of_input(tmp_path: Path) -> None:
    command = f"exec {sys.executable} -m ggp.cli match {TIC_TAC_TOE} --player human --machine prolog <&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=60)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "end of input: x leaves" in done.stdout
