"""People at a real terminal: typing with completion, Ctrl-C, Ctrl-D, clocks, and screens that are not for everybody."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ggp.match.record import Record, read_record
from tests.helpers import GAMES
from tests.terminal import Terminal
from tests.test_master import PAIR

TIC_TAC_TOE = str(GAMES / "tic_tac_toe.kif")


def match(*arguments: str, place: Path) -> Terminal:
    return Terminal(["match", *arguments, "--record", str(place / "m.json"), "--machine", "prolog"])


def record(place: Path) -> Record:
    return read_record(place / "m.json")


def test_a_match_is_played_with_completion_undo_and_a_line_that_is_edited(tmp_path: Path) -> None:
    with match(TIC_TAC_TOE, "--player", "human", "--player", "legal", place=tmp_path) as terminal:
        terminal.until("x> ")
        terminal.type("mark 2\t")
        terminal.type("\t\t")
        seen = terminal.until("mark 2 3")
        assert "mark 2 1" in seen and "mark 1 1" not in seen
        terminal.type("2\n")
        terminal.until("step 1  x: mark 2 2")
        terminal.until("x> ")
        terminal.type("und\t\n")
        terminal.until("taken back to step 0")
        terminal.until("x> ")
        terminal.type("mark 3 3\x7f2\n")
        terminal.until("step 1  x: mark 3 2")
        terminal.until("x> ")
        terminal.type("mark 2 2\n")
        terminal.until("step 3  x: mark 2 2")
        terminal.until("x> ")
        terminal.type("(mark 3 3\t\n")
        terminal.until("step 5  x: mark 3 3")
        terminal.until("the game is over after 6 steps. goals: x 0, o 100")
        assert terminal.code() == 0
    assert [joint[0] for joint in record(tmp_path).moves][::2] == ["(mark 3 2)", "(mark 2 2)", "(mark 3 3)"]


@pytest.mark.parametrize(
    ("keys", "code", "said"),
    [("mark\x03", 130, "ggp: interrupted"), ("\x04", 1, "end of input: x leaves")],
)
def test_the_keys_that_end_a_match(keys: str, code: int, said: str, tmp_path: Path) -> None:
    with match(TIC_TAC_TOE, "--player", "human", "--player", "legal", place=tmp_path) as terminal:
        terminal.until("x> ")
        terminal.type("5\n")
        terminal.until("step 2")
        terminal.until("x> ")
        terminal.type(keys)
        terminal.until(said)
        assert terminal.code() == code
        assert "Traceback" not in terminal.text
        assert "record: " in terminal.text or code == 130  # nor for a machine that is too busy to tell where that is
    assert record(tmp_path).is_aborted or code == 130  # Ctrl-C does not wait for a disk that is slow to take the mark
    assert len(record(tmp_path).moves) == 2


def test_a_clock_ends_the_wait_for_a_line_and_what_was_half_typed_is_forgotten(tmp_path: Path) -> None:
    arguments = ["--player", "human", "--player", "legal", "--timed", "--playclock", "2"]
    with match(TIC_TAC_TOE, *arguments, place=tmp_path) as terminal:
        terminal.until("x (2 s)> ")
        terminal.type("mark 1 ")
        terminal.until("human (x): no move within 2 s; a random legal move was made instead")
        terminal.until("x (2 s)> ")
        terminal.type("hint\n")
        terminal.until("there is not enough time left for a hint")
        terminal.type("\x03")
        assert terminal.code() == 130
    assert record(tmp_path).errors[0] == ["TO", ""]


def test_what_one_person_typed_is_cleared_before_another_looks(tmp_path: Path) -> None:
    (tmp_path / "pair.kif").write_text(PAIR)
    with match(str(tmp_path / "pair.kif"), "--player", "human", "--player", "human", place=tmp_path) as terminal:
        terminal.until("left> ")
        terminal.type("b 1\n")
        terminal.until("right, it is your turn, and nobody else should look. Enter: ")
        typed = terminal.raw.index("b 1\r\n", terminal.raw.index("left> "))
        assert re.search(r"\x1b\[2J\x1b\[3J\x1b\[H", terminal.raw[typed:])
        terminal.type("\n")
        terminal.until("right> ")
        terminal.type("\x1b[A")  # the arrow key finds nothing that the other typed
        terminal.type("a\n")
        terminal.until("step 1  left: b 1  right: a")
        terminal.until("Enter: ")
        terminal.type("\x04")
        terminal.until("end of input: left leaves")
        assert terminal.code() == 1
