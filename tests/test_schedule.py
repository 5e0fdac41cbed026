"""Who plays what next: evenly over games, roles and opponents, or by lot."""

from __future__ import annotations

from collections import Counter

import pytest

from ggp.core.errors import UsageError
from ggp.match.schedule import Pairing, Schedule


def test_games_take_turns_and_roles_are_swapped() -> None:
    schedule = Schedule({"a": 2, "b": 2}, "round-robin", 1)
    made = [schedule.next(["x", "y"]) for _ in range(4)]
    assert made == [
        Pairing("a", ("x", "y")), Pairing("b", ("x", "y")), Pairing("a", ("y", "x")), Pairing("b", ("y", "x"))
    ]  # fmt: skip


def test_everybody_meets_everybody_in_both_roles() -> None:
    schedule = Schedule({"a": 2}, "round-robin", 1)
    met = Counter(pairing.players for _ in range(12) if (pairing := schedule.next(list("wxyz"))))
    assert len({frozenset(pair) for pair in met}) == 6
    assert max(met.values()) <= 2
    in_role = Counter((role, player) for pair in met.elements() for role, player in enumerate(pair))
    assert set(in_role.values()) == {3}


def test_players_come_and_go() -> None:
    schedule = Schedule({"one": 1, "three": 3}, "round-robin", 1)
    assert schedule.next([]) is None
    assert [made.game for _ in range(3) if (made := schedule.next(["x", "y"]))] == ["one"] * 3
    made = schedule.next(["x", "y", "z"])
    assert made is not None and (made.game, sorted(made.players)) == ("three", ["x", "y", "z"])
    schedule.drop("one")
    assert schedule.next(["x", "y"]) is None
    assert schedule.games == ("three",)


def test_built_in_players_fill_the_places_of_those_who_are_missing() -> None:
    schedule = Schedule({"three": 3}, "round-robin", 1)
    assert schedule.next(["x"], fill="legal") == Pairing("three", ("x", "legal", "legal"))
    assert schedule.next([], fill="legal") is None


def test_by_lot_the_seed_decides() -> None:
    def made(seed: int) -> list[Pairing | None]:
        schedule = Schedule({"a": 2, "b": 2, "c": 1}, "random", seed)
        return [schedule.next(list("wxyz")) for _ in range(10)]

    assert made(1) == made(1) != made(2)
    assert {pairing.game for pairing in made(1) if pairing} == {"a", "b", "c"}


def test_an_order_that_is_none() -> None:
    with pytest.raises(UsageError, match="there is no order 'swiss'; known are: round-robin, random"):
        Schedule({}, "swiss", 1)
