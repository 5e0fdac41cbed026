"""What is said of a name that nobody knows. How near names are is tested in test_hints.py."""

from __future__ import annotations

import pytest

from ggp.core.suggest import unknown
from ggp.players.specs import PLAYERS

GAMES = ["connect_four", "chess", "nim", "tic_tac_toe"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("conect_four", "did you mean connect_four?"), ("connect_fuor", "did you mean connect_four?"),
        ("CHESS", "did you mean chess?"), ("Ches", "did you mean chess?"), ("nmi", "did you mean nim?"),
        ("tictactoe", "did you mean tic_tac_toe?"), ("four", "known are: connect_four, chess, nim, tic_tac_toe"),
    ],
)  # fmt: skip
def test_the_nearest_of_some_games(name: str, hint: str) -> None:
    assert unknown("game", name, GAMES) == f"there is no game {name!r}; {hint}"


def test_letters_that_changed_places_are_one_slip() -> None:
    assert unknown("player", "udc", PLAYERS).endswith("did you mean ucd?")
    assert unknown("player", "utc", PLAYERS).endswith("did you mean uct?")


def test_where_too_many_are_known_they_are_not_listed() -> None:
    assert unknown("game", "xyz", GAMES, "`ggp games` lists them") == "there is no game 'xyz'; `ggp games` lists them"
    assert unknown("thing", "a", []) == "there is no thing 'a'; known are: "
