"""Which games are about places that are taken for good."""

from __future__ import annotations

import numpy as np
import pytest

from ggp.search.filling import are_filled, places_are_taken
from tests.compiled import compiled

ODD = np.arange(8) % 2 == 1
"""Steps."""


@pytest.mark.parametrize(
    ("game", "are_taken"),
    [
        ("hex_5x5", True), ("connect_four", False), ("tic_tac_toe", True), ("nogo_9x9", True), ("pawn_whopping", False),
        ("breakthrough", False), ("othello", False), ("kalah", False), ("go_6x6", False), ("chomp", False),
        ("dots_and_boxes", False),  # whoever closes a box goes on: whose turn it is hangs on the moves
    ],
)  # fmt: skip
def test_games_that_are_known(game: str, are_taken: bool) -> None:
    assert places_are_taken(compiled(game)) == are_taken


def test_where_there_is_no_time_nothing_is_said() -> None:
    assert not places_are_taken(compiled("hex_5x5"), lambda: False)


def test_where_nobody_chooses_nothing_is_filled() -> None:
    assert not are_filled([], [0, 4]) and not are_filled([np.ones((3, 1), bool)], [0, 1])


def test_turns_that_hang_on_the_moves_are_none_of_filling() -> None:
    places = ~np.tri(8, 10, -1, dtype=bool)
    one, other = (np.hstack([places & own[:, None], places & ~own[:, None]]) for own in (ODD, ~ODD))
    assert are_filled([one, one], [0, 10, 20]) and not are_filled([one, other], [0, 10, 20])
