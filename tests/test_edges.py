"""Lines between cells."""

from __future__ import annotations

import pytest

from gdl import load
from ggp.boards.edges import Lines, between_corners, is_line, named_side, told_sides
from ggp.boards.plans import plans
from ggp.boards.rules import Rules
from tests.helpers import GAMES

AXIS = ("1", "2", "3")


@pytest.mark.parametrize(
    ("name", "rows_down", "side"),
    [
        ("blockedeast", False, (0, True)),
        ("west", False, (0, False)),
        ("north", False, (1, True)),
        ("north", True, (1, False)),
        ("wall", False, None),
    ],
)
def test_names_of_sides(name: str, rows_down: bool, side: tuple[int, bool] | None) -> None:
    assert named_side(name, 1, rows_down=rows_down, mirrored=False) == side


def test_what_is_a_line() -> None:
    assert [is_line(name) for name in ("wall", "blockedeast", "piece", "heading")] == [True, True, False, False]


def test_a_line_lies_between_corners() -> None:
    lines = Lines(("wall", 3), (0, 1), (AXIS, AXIS), 2, {"east": (0, True), "south": (1, False)})
    assert lines.ends(("2", "1", "east")) == ((2, 0), (2, 1))
    assert lines.ends(("2", "1", "south")) == ((1, 0), (2, 0))
    assert lines.ends(("2", "1", "up")) is None
    assert lines.ends(("9", "1", "east")) is None


def test_two_corners_make_a_line() -> None:
    assert Lines(("line", 4), (0, 1, 2, 3), (AXIS, AXIS)).ends(("1", "2", "1", "3")) == ((0, 1), (0, 2))
    sides = [set(AXIS)] * 4
    assert between_corners(sides, [("1", "1", "2", "1"), ("1", "1", "1", "2")], [AXIS] * 4)
    assert not between_corners(sides, [("1", "1", "3", "1"), ("1", "1", "1", "2")], [AXIS] * 4)
    assert not between_corners(sides, [], [AXIS] * 4)


def test_a_relation_tells_what_words_for_strokes_mean() -> None:
    rules = Rules.of(load(GAMES / "dots_and_boxes.kif"))
    (plan,) = plans(rules)
    (lines,) = plan.lines
    assert lines.sides == {"across": (1, False), "down": (0, False)}
    assert plan.corners(lines, ("across", "1", "1")) == ((0, 4), (1, 4))  # below the lowest box on the left
    assert plan.corners(lines, ("down", "5", "4")) == ((4, 0), (4, 1))  # right of the highest box on the right
    assert plan.corners(lines, ("across", "5", "5")) is None
    assert told_sides(rules.static, {"other", "words"}, plan.axes) == {}
