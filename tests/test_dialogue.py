"""What a typed line means: moves, commands, and what fits several or nothing."""

from __future__ import annotations

import pytest

from gdl import kif
from ggp.human.dialogue import Ambiguous, Chosen, Command, Intent, Silence, Unclear, completions, understand
from ggp.human.movelist import MoveList
from tests.helpers import terms

MOVES = MoveList.of(terms("(mark 1 1)", "(mark 1 2)", "(mark 2 1)", "pass"))


def meant(line: str, moves: MoveList = MOVES) -> str:
    """An intent in a word."""
    intent: Intent = understand(line, moves)
    match intent:
        case Chosen(move):
            return kif(move)
        case Command(name, rest):
            return f"/{name} {rest}".rstrip()
        case Ambiguous(several):
            return " or ".join(map(kif, several))
        case Unclear(message):
            return f"? {message}"
        case Silence():
            return "silence"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("2", "(mark 1 2)"),
        (" mark 1 2 \n", "(mark 1 2)"),
        ("(Mark 2 1)", "(mark 2 1)"),
        ("mark 1", "(mark 1 1) or (mark 1 2)"),
        ("p", "pass"),
        ("", "silence"),
        ("undo", "/undo"),
        ("UN", "/undo"),
        ("hint 5", "/hint 5"),
        ("hin", "/hint"),
        ("?", "/help"),
        ("exit", "/quit"),
        ("moves mark 1", "/moves mark 1"),
        ("/undo", "/undo"),
    ],
)
def test_a_line_is_a_number_a_move_or_a_command(line: str, wanted: str) -> None:
    assert meant(line) == wanted


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("9", "there is no move 9; the list has 1 to 4"),
        ("0", "there is no move 0"),
        ("-1", "there is no move -1"),
        ("mrak 1 1", "did you mean `mark 1 1`?"),
        ("undoo", "did you mean `undo`?"),
        ("xyz", "`moves` lists the moves"),
        ("/nothing", "there is no command /nothing"),
        ("h", "'h' may be hint or history or help"),
        ("(", "is no legal move"),
        ("undo 3", "is no legal move"),
    ],
)
def test_what_fits_nothing_gets_an_answer_that_helps(line: str, message: str) -> None:
    assert meant(line).startswith("? ")
    assert message in meant(line)


@pytest.mark.parametrize("line", ["resig", "q", "qu", "/q", "r"])
def test_what_cannot_be_taken_back_is_typed_in_full(line: str) -> None:
    assert meant(line).startswith("? ")
    assert meant("resign") == "/resign"


def test_a_move_goes_before_the_command_of_its_name_and_a_slash_before_both() -> None:
    moves = MoveList.of(terms("resign", "(hint 5)", "(board 1 2)", "stay"))
    assert meant("resign", moves) == "resign"
    assert meant("/resign", moves) == "/resign"
    assert meant("hint 5", moves) == "(hint 5)"
    assert meant("hint 4", moves) == "/hint 4"
    assert meant("board", moves) == "/board"
    assert meant("board 1", moves) == "(board 1 2)"


def test_enter_plays_the_only_move() -> None:
    assert meant("", MoveList.of(terms("(mark 3 3)"))) == "(mark 3 3)"


def test_completions_are_moves_and_commands_as_they_were_begun() -> None:
    assert completions("mark 1", MOVES) == ["mark 1 1", "mark 1 2"]
    assert completions("(mark 2", MOVES) == ["(mark 2 1)"]
    assert completions("mo", MOVES) == ["moves"]
    assert completions("/u", MOVES) == ["/undo"]
    assert "pass" in completions("", MOVES)
    assert completions("zz", MOVES) == []
