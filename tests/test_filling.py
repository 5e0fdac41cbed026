"""Which games are about places that are taken for good."""

from __future__ import annotations

import numpy as np
import pytest

from ggp.search.filling import places_are_taken, stay
from tests.compiled import compiled


@pytest.mark.parametrize(
    ("game", "are_taken"),
    [
        ("hex_5x5", True), ("connect_four", True), ("tic_tac_toe", True), ("nogo_7x7", True),
        ("breakthrough", False), ("othello", False), ("kalah", False), ("go_6x6", False), ("chomp", False),
        ("dots_and_boxes", False),  # whoever closes a box goes on: whose turn it is hangs on the moves
    ],
)  # fmt: skip
def test_games_that_are_known(game: str, are_taken: bool) -> None:
    assert places_are_taken(compiled(game)) == are_taken


def test_where_there_is_no_time_nothing_is_said() -> None:
    assert not places_are_taken(compiled("hex_5x5"), lambda: False)


def test_nothing_stays_where_nothing_comes() -> None:
    assert not stay([]) and not stay([np.ones((3, 4), bool), np.zeros((3, 4), bool)])


def test_what_goes_and_did_not_come_in_the_match_was_a_place() -> None:
    """A blank that is covered does not come again; one that does is a place that was not taken for good."""
    marks = np.tri(6, 5, -1, dtype=bool)
    other = np.tri(6, 5, -1, dtype=bool)[:, ::-1]
    blanks = [np.hstack([rows, ~rows]) for rows in (marks, other)]
    assert stay(blanks)
    blanks[0][-1] = blanks[0][0]
    assert not stay(blanks)
