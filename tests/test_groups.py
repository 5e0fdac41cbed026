"""Facts beside the board."""

from __future__ import annotations

from functools import cache

import pytest

from gdl import load
from ggp.boards import board
from ggp.boards.model import Group, GroupKind
from ggp.boards.schema import Schema
from tests.helpers import GAMES, terms


@cache
def schema(name: str) -> Schema:
    return board(load(GAMES / f"{name}.kif"))


def groups(name: str, *fluents: str) -> dict[str, Group]:
    return {group.name: group for group in schema(name).view(terms(*fluents)).groups}


def lines(group: Group) -> list[str]:
    return [f"{entry.label}: {' '.join(entry.values)}".strip(": ") for entry in group.entries]


@pytest.mark.parametrize(
    ("game", "fluent", "role"),
    [
        ("chess", "(control black)", "black"),
        ("pentago", "(turning red)", "red"),
        ("quarto", "(gives first)", "first"),
        ("breakthrough", "(control white)", "white"),  # moves ask another relation for it
        ("bidding_tic_tac_toe", "(chooser o)", "o"),
    ],
)
def test_whose_turn_it_is(game: str, fluent: str, role: str) -> None:
    shown = schema(game).view(terms(fluent))
    assert shown.to_move == (role,)
    assert [group.kind for group in shown.groups] == [GroupKind.TURN]


def test_who_has_a_choice_is_to_move_where_no_fluent_says_it() -> None:
    legal = (terms("east", "north"), terms("crash"))
    assert schema("tron").view(terms("(cycle red 1 1)"), legal=legal).to_move == ("red",)
    assert schema("tron").view(terms("(cycle red 1 1)"), legal=legal, over=True).to_move == ()


def test_a_fluent_that_only_names_a_role_is_no_turn() -> None:
    assert groups("bidding_tic_tac_toe", "(token x)")["token"].kind is GroupKind.SET


def test_numbers_digit_by_digit_are_one_counter() -> None:
    found = groups("chess_200", "(tens 1)", "(units 7)", "(game_tens 12)", "(game_units 3)")
    assert {name: (group.kind, lines(group)) for name, group in found.items()} == {
        "count": (GroupKind.COUNTER, ["17"]),
        "game": (GroupKind.COUNTER, ["123"]),
    }


def test_a_lonely_digit_stays_what_it_is() -> None:
    assert lines(groups("chess", "(tens 1)")["tens"]) == ["1"]


def test_a_value_for_each_role_is_a_table() -> None:
    found = groups("battle_for_three", "(lives red 2)", "(lives blue 1)")["lives"]
    assert (found.kind, lines(found)) == (GroupKind.TABLE, ["blue: 1", "red: 2"])


def test_things_lie_in_piles_that_moves_name() -> None:
    found = groups("towers_of_hanoi", "(on 1 left)", "(on 2 right)", "(on 3 left)")["on"]
    assert (found.kind, lines(found)) == (GroupKind.PILES, ["left: 1 3", "right: 2"])


def test_things_on_things_are_piles_from_the_lowest_up() -> None:
    found = groups("blocks_world", "(on a d)", "(on d c)", "(on e b)", "(on_table b)", "(on_table c)")
    assert lines(found["on"]) == ["b: e", "c: d a"]
    assert found["on"].entries[1].facts == ("(on d c)", "(on a d)")


@pytest.mark.parametrize("facts", [("(on a b)", "(on b a)"), ("(on a b)", "(on c b)"), ("(on a b)", "(on a c)")])
def test_what_cannot_be_piled_is_a_table(facts: tuple[str, str]) -> None:
    found = groups("blocks_world", *facts)["on"]
    assert found.kind is GroupKind.TABLE
    assert sorted(fact for entry in found.entries for fact in entry.facts) == list(facts)


def test_names_with_numbers_are_in_the_order_of_the_numbers() -> None:
    found = groups("stress_exponential", "(lit 10)", "(lit 9)", "(lit 1)")["lit"]
    assert (found.kind, lines(found)) == (GroupKind.SET, ["1", "9", "10"])


def test_facts_of_many_arguments_and_of_none() -> None:
    found = groups("quarto", "(pool tall dark round solid)", "stopped")
    assert (found["pool"].kind, lines(found["pool"])) == (GroupKind.FACTS, ["tall dark round solid"])
    assert (found["stopped"].kind, found["stopped"].entries[0].facts) == (GroupKind.FACTS, ("stopped",))
