"""Whose a value is, and what it is."""

from __future__ import annotations

import pytest

from ggp.boards.owners import owners
from ggp.boards.rules import Rules
from tests.helpers import ruleset

PLAIN = """
(role white) (role black)
(init (cell 1 1 {first})) (init (cell 1 2 {second}))
(<= (legal ?r (mark ?x)) (role ?r) (true (cell ?x ?y ?z)))
{more}
(goal white 100) (goal black 0) (<= terminal (true (cell 2 2 {first})))
"""


def meaning(first: str, second: str, more: str = "", cells: int = 99) -> dict[str, tuple[str | None, str | None, bool]]:
    """Owner, kind and emptiness of each value of a cell."""
    rules = Rules.of(ruleset(PLAIN.format(first=first, second=second, more=more)))
    domain = dict(rules.fluents())["cell", 3][2]
    found = owners(rules, ("cell", 3), 2, domain, cells)
    return {name: (value.owner, value.kind, value.empty) for name, value in found.values.items()}


def test_roles_own_their_names_and_words_for_nothing_are_empty() -> None:
    assert meaning("white", "empty") == {"white": ("white", None, False), "empty": (None, "empty", True)}


def test_names_begin_with_a_role() -> None:
    assert meaning("whiterook", "blackking") == {
        "whiterook": ("white", "rook", False),
        "blackking": ("black", "king", False),
    }


def test_names_begin_with_the_initial_of_a_role() -> None:
    more = "(init (cell 1 3 wk)) (init (cell 1 4 bk))"
    assert meaning("wp", "bp", more)["wk"] == ("white", "k", False)


def test_a_static_relation_says_whose_each_piece_is() -> None:
    more = "(piece_of black stone man) (piece_of white rock man)"
    assert meaning("rock", "stone", more) == {"rock": ("white", "man", False), "stone": ("black", "man", False)}


def test_what_only_one_role_puts_there_is_its_own() -> None:
    more = "(<= (next (cell ?x 1 o)) (does black (mark ?x))) (<= (next (cell ?x 1 q)) (does white (mark ?x)))"
    found = meaning("q", "o", more)
    assert (found["o"], found["q"]) == (("black", None, False), ("white", None, False))


def test_what_both_put_there_belongs_to_nobody() -> None:
    more = "(<= (next (cell ?x 1 o)) (does ?r (mark ?x))) (<= (next (cell ?x 1 q)) (does white (mark ?x)))"
    assert meaning("q", "o", more)["o"] == (None, "o", False)


def test_numbers_are_nobodys() -> None:
    assert meaning("1", "2") == {"1": (None, "1", False), "2": (None, "2", False)}


@pytest.mark.parametrize("full", [True, False])
def test_the_most_common_value_of_a_full_board_is_nothing(full: bool) -> None:
    more = " ".join(f"(init (cell 2 {y} earth))" for y in range(1, 9))
    found = meaning("tree", "house", more, cells=10 if full else 64)
    assert found["earth"] == (None, "earth", full)
