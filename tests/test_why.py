"""`ggp why`: what holds here, what never does and what was probably meant, and the same as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ggp.cli import main
from tests.helpers import GAMES, TINY

GAME = str(GAMES / "tic_tac_toe.kif")


def why(capsys: pytest.CaptureFixture[str], *arguments: str, file: str = GAME, code: int) -> str:
    assert main(["why", file, *arguments]) == code
    said = capsys.readouterr()
    return said.out + said.err


def data(capsys: pytest.CaptureFixture[str], *arguments: str, file: str = GAME, code: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(why(capsys, *arguments, "--json", file=file, code=code))
    assert set(found) == {"atom", "holds", "scope", "messages", "because"}
    return found


@pytest.mark.parametrize(
    ("atom", "message"),
    [
        ("(true (markd 1 3 x))", "no init, next or base gives markd with 3 arguments; did you mean marked?"),
        ("(does x (marc 1 1))", "no legal or input gives marc with 2 arguments; did you mean mark?"),
        ("(true (marked 1 4 x))", "4 never stands in argument 2 of marked; what stands there: 1, 2, 3"),
        ("(true (marked 1 1))", "no init, next or base gives marked with 2 arguments; marked has 3 arguments there"),
        ("(lin x)", "no rule defines lin with 1 argument; did you mean line?"),
    ],
)
def test_what_is_misspelt_is_said_with_what_was_meant(
    atom: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert why(capsys, atom, code=1) == f"{atom} never holds: {message}\n"
    expected = {"atom": atom, "holds": False, "scope": "never", "messages": [message], "because": []}
    assert data(capsys, atom, code=1) == expected


def test_what_holds_here_and_what_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert why(capsys, "(legal x noop)", code=1) == (
        "(legal x noop) does not hold, because\n  (true (control o)) does not hold\n"
    )
    moves = ("--moves", "(mark 1 1) noop")
    assert why(capsys, "(legal x noop)", *moves, code=0).splitlines()[0] == "(legal x noop) holds, because"
    found = data(capsys, "(legal x noop)", *moves, code=0)
    assert (found["holds"], found["scope"], found["messages"]) == (True, "position", [])
    leaf = {"atom": "(true (control o))", "holds": True, "note": "", "because": [], "more": 0}
    assert found["because"] == [leaf]


def test_what_a_move_brings(capsys: pytest.CaptureFixture[str]) -> None:
    atom = "(next (marked 2 2 x))"
    assert not data(capsys, atom, code=1)["holds"]
    assert data(capsys, atom, "--then", "(mark 2 2) noop", code=0)["holds"]


@pytest.mark.parametrize("atom", ["(index 2)", "(role x)", "(init (control x))", "(rival o x)"])
def test_what_holds_always(atom: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert why(capsys, atom, code=0) == f"{atom} holds always: it does not depend on the position\n"
    assert data(capsys, atom, code=0)["scope"] == "always"


def test_what_never_holds_though_every_name_can_stand_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = TINY + "(<= (both ?x ?y) (true (on ?x)) (true (on ?y)) (distinct ?x ?y) (not (true (on 1))))\n(one 1)\n"
    text += "(<= (pair ?x ?y) (true (on ?x)) (true (on ?y)) (distinct ?x ?y))\n(<= terminal (both ?x ?y) (one ?z))\n"
    file = tmp_path / "game.kif"
    file.write_text(text)
    said = why(capsys, "(pair 2 2)", file=str(file), code=1)
    assert said == "(pair 2 2) never holds: no position that play can reach gives it\n"


def test_what_no_rule_of_the_game_needs_is_explained_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.kif"
    file.write_text(TINY + "(<= (unused ?x) (true (on ?x)) (asked ?x))\n(asked 1) (asked 2)\n")
    assert why(capsys, "(unused 1)", file=str(file), code=0) == "(unused 1) holds, because\n  (true (on 1)) holds\n"
    moved = ("--moves", "wait")
    assert why(capsys, "(unused 1)", *moved, file=str(file), code=1).startswith("(unused 1) does not hold, because\n")


@pytest.mark.parametrize(
    ("atom", "complaint"),
    [
        ("(true (marked ?x 1 x))", "(true (marked ?x 1 x)) has variables: ask of one atom at a time"),
        ("?x", "?x has variables"),
        ("(index 1", "'(index 1' is no atom"),
        ("(base (control x))", "base is a list for players"),
    ],
)
def test_what_is_no_question(atom: str, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert why(capsys, atom, code=2).startswith(f"ggp: {complaint}")
