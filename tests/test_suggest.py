"""The nearest name: what a slip of the finger would have meant."""

from __future__ import annotations

import pytest

from ggp.players import PLAYERS
from ggp.suggest import nearest

NAMES = ["connect_four", "chess", "nim", "tic_tac_toe"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("conect_four", "connect_four"), ("connect_fuor", "connect_four"), ("cheess", "chess"), ("CHESS", "chess"),
        ("nmi", "nim"), ("nimm", "nim"), ("xyz", None), ("", None), ("tictactoe", "tic_tac_toe"), ("four", None),
    ],
)  # fmt: skip
def test_the_nearest_of_some_games(name: str, found: str | None) -> None:
    assert nearest(name, NAMES) == found


def test_letters_that_changed_places_count_as_one_slip() -> None:
    assert nearest("udc", PLAYERS) == "ucd"
    assert nearest("utc", PLAYERS) == "uct"


def test_where_nothing_is_known_nothing_is_near() -> None:
    assert nearest("a", []) is None
