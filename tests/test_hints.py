"""Edit distances and suggestions."""

from __future__ import annotations

import random
from functools import cache

import pytest

from gdl.hints import count_arguments, distance, hint, nearest


@cache
def slow_distance(first: str, second: str) -> int:
    """The definition, word for word."""
    if not first or not second:
        return len(first) + len(second)
    found = [
        slow_distance(first[1:], second) + 1,
        slow_distance(first, second[1:]) + 1,
        slow_distance(first[1:], second[1:]) + (first[0] != second[0]),
    ]
    if len(first) > 1 and first[:2] == second[:2][::-1]:
        found.append(slow_distance(first[2:], second[2:]) + 1)
    return min(found)


def test_distances_are_those_of_the_definition() -> None:
    generator = random.Random(5)
    for _ in range(500):
        first, second = ("".join(generator.choices("abc", k=generator.randrange(7))) for _ in range(2))
        assert distance(first, second) == slow_distance(first, second), (first, second)


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("markd", ["marked", "mark"], "marked"),
        ("contorl", ["control", "cell"], "control"),
        ("xplayr", ["oplayer", "xplayer"], "xplayer"),
        ("bkk", ["bk", "wk"], "bk"),
        ("abc", ["xyz"], None),
        ("x", ["o", "b"], None),  # a single letter is like no other
        ("9", ["8", "90"], None),  # numbers are never misspelt
        ("a9", ["9"], None),
        ("same", ["same"], None),  # it is known, in another role
        ("black", [f"b{i}" for i in range(5000)], None),
    ],
)
def test_the_nearest_name(word: str, known: list[str], meant: str | None) -> None:
    assert nearest(word, known) == meant


def test_a_name_with_other_arguments_is_told_before_one_that_is_alike() -> None:
    assert hint(("mark", 2), [("marc", 2), ("mark", 3), ("mark", 4)], "there") == "; mark has 3 arguments there"
    assert hint(("mark", 2), [("marc", 7), ("mare", 2)], "there") == "; did you mean mare?"
    assert hint(("mark", 2), [("cell", 3)], "there") == ""


def test_numbers_of_arguments_in_words() -> None:
    assert [count_arguments(n) for n in range(3)] == ["no arguments", "1 argument", "2 arguments"]
