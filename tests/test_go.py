"""Go: capture, ko, suicide, passing, scoring, from diagrams; and whole plays beside a plain program."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from gdl import Term, load
from ggp.machines import PrologMachine
from tests.helpers import GAMES, terms, texts

COLOURS = {"b": "black", "w": "white"}
EDGE = {"go_6x6": 6, "go_9x9": 9, "go_13x13": 13}
Point = tuple[int, int]
Stones = dict[Point, str]


class Opened(dict[str, PrologMachine]):
    """Machines by their games, each opened when it is asked for."""

    def __missing__(self, name: str) -> PrologMachine:
        self[name] = PrologMachine(load(GAMES / f"{name}.kif"))
        return self[name]


@pytest.fixture(scope="module")
def machines() -> Iterator[dict[str, PrologMachine]]:
    opened = Opened()
    yield opened
    for machine in opened.values():
        machine.close()


class Board:
    """A position of one of the games, read from a diagram (b, w and dots; the first line is the highest row)."""

    def __init__(self, machine: PrologMachine, rows: Iterable[str], mover: str, *more: str) -> None:
        lines = list(rows)
        stones = [
            f"(stone {x} {y} {COLOURS[point]})"
            for y, line in zip(range(len(lines), 0, -1), lines, strict=True)
            for x, point in enumerate(line, start=1)
            if point != "."
        ]
        self.machine = machine
        self.edge = len(lines)
        clock = more if any("units" in fluent for fluent in more) else ("(units 0)", "(tens 0)", *more)
        self.position: Any = machine.position(terms(*stones, f"(control {mover})", *clock))

    @property
    def mover(self) -> str:
        (found,) = (f for f in texts(self.machine.fluents(self.position)) if f.startswith("(control"))
        return found.split()[1].rstrip(")")

    @property
    def legal(self) -> set[str]:
        """The moves of the player to move: "x y" for a stone, or pass."""
        moves = self.machine.situation(self.position).legal[0 if self.mover == "black" else 1]
        return {move.removeprefix("(place ").rstrip(")") for move in texts(moves)}

    @property
    def over(self) -> bool:
        return self.machine.situation(self.position).terminal

    @property
    def winner(self) -> str:
        (black,), (white,) = self.machine.situation(self.position).goals
        assert {black, white} == {0, 100}
        return "black" if black else "white"

    @property
    def rows(self) -> list[str]:
        """The position as a diagram."""
        found = {}
        for fluent in texts(self.machine.fluents(self.position)):
            if fluent.startswith("(stone"):
                _, x, y, colour = fluent.strip("()").split()
                found[int(x), int(y)] = colour[0]
        span = range(1, self.edge + 1)
        return ["".join(found.get((x, y), ".") for x in span) for y in reversed(span)]

    def play(self, *moves: str) -> Board:
        """Make moves, as in `legal`, by the players in turn."""
        for move in moves:
            assert move in self.legal, move
            text = "pass" if move == "pass" else f"(place {move})"
            joint: tuple[Term, ...] = terms(text, "noop") if self.mover == "black" else terms("noop", text)
            self.position = self.machine.next(self.position, joint)
        return self


def six(machines: dict[str, PrologMachine], diagram: str, mover: str, *more: str) -> Board:
    return Board(machines["go_6x6"], diagram.split(), mover, *more)


# ---- capture ----------------------------------------------------------------------------------------------------


def test_a_stone_in_the_corner_is_captured(machines: dict[str, PrologMachine]) -> None:
    board = six(machines, "...... ...... ...... ...... ...... wb....", "black").play("1 2")
    assert board.rows[-2:] == ["b.....", ".b...."]


def test_a_group_is_captured_with_its_last_liberty_and_not_before(machines: dict[str, PrologMachine]) -> None:
    board = six(machines, "...... .bb... bwwb.. .bwb.. ...... ......", "black")
    assert board.play("6 6").rows[2] == "bwwb.."
    assert board.play("pass", "3 2").rows == [".....b", ".bb...", "b..b..", ".b.b..", "..b...", "......"]


def test_two_groups_are_captured_by_one_stone(machines: dict[str, PrologMachine]) -> None:
    board = six(machines, "...... ...... ...... ...... bb.bb. ww.wwb", "black").play("3 1")
    assert board.rows[-2:] == ["bb.bb.", "..b..b"]


def test_a_stone_without_air_may_be_placed_where_it_captures(machines: dict[str, PrologMachine]) -> None:
    board = six(machines, "...... ...... ...... b..... wb.... .wb...", "black").play("1 1")
    assert board.rows[-3:] == ["b.....", ".b....", "b.b..."]


# ---- suicide ----------------------------------------------------------------------------------------------------


def test_suicide_of_one_stone_is_illegal(machines: dict[str, PrologMachine]) -> None:
    diagram = "...... ...... ...... ...... w..... .w...."
    assert "1 1" not in six(machines, diagram, "black").legal
    assert "1 1" in six(machines, diagram, "white").legal


def test_suicide_of_a_group_is_illegal_unless_it_has_a_liberty_elsewhere(machines: dict[str, PrologMachine]) -> None:
    assert "1 1" not in six(machines, "...... ...... ...... ww.... bbw... .bw...", "black").legal
    assert "1 1" in six(machines, "...... ...... ...... .w.... bbw... .bw...", "black").legal


def test_the_other_player_takes_that_group(machines: dict[str, PrologMachine]) -> None:
    board = six(machines, "...... ...... ...... ww.... bbw... .bw...", "white").play("1 1")
    assert board.rows[-3:] == ["ww....", "..w...", "w.w..."]


# ---- ko ---------------------------------------------------------------------------------------------------------

KO = "...... ...... .bw... b.bw.. .bw... ......"


def test_a_ko_is_not_retaken_at_once(machines: dict[str, PrologMachine]) -> None:
    board = six(machines, KO, "white").play("2 3")
    assert board.rows == ["......", "......", ".bw...", "bw.w..", ".bw...", "......"]
    assert "3 3" not in board.legal
    assert len(board.legal) == 36 - 7


def test_a_ko_is_retaken_after_a_move_elsewhere(machines: dict[str, PrologMachine]) -> None:
    board = six(machines, KO, "white").play("2 3", "6 6", "6 1", "3 3")
    assert board.rows == [".....b", "......", ".bw...", "b.bw..", ".bw...", ".....w"]
    assert "2 3" not in board.legal
    board = six(machines, KO, "white").play("2 3", "pass", "6 1")
    assert "3 3" in board.legal


def test_a_snapback_is_no_ko(machines: dict[str, PrologMachine]) -> None:
    """White takes one stone; black plays there again at once and takes three."""
    board = six(machines, "...... ...... ...... bb.... wwb... b.b...", "white").play("2 1")
    assert board.rows[-2:] == ["wwb...", ".wb..."]
    assert board.play("1 1").rows[-2:] == ["..b...", "b.b..."]


def test_who_took_two_stones_may_be_taken_at_once(machines: dict[str, PrologMachine]) -> None:
    board = six(machines, "...... ...... ...... ...... wwb... bb.b..", "white").play("3 1")
    assert board.rows[-2:] == ["wwb...", "..wb.."]
    assert board.play("2 1").rows[-2:] == ["wwb...", ".b.b.."]


# ---- the end ----------------------------------------------------------------------------------------------------


def test_two_passes_in_a_row_end_the_game(machines: dict[str, PrologMachine]) -> None:
    board = six(machines, " ".join(["......"] * 6), "white")
    assert not board.play("pass").over
    assert not board.play("3 3").over
    assert not board.play("pass").over
    assert board.play("pass").over
    assert board.winner == "black"  # one stone owns the whole board


def test_white_wins_an_empty_board(machines: dict[str, PrologMachine]) -> None:
    board = six(machines, " ".join(["......"] * 6), "black").play("pass", "pass")
    assert board.over
    assert board.winner == "white"


@pytest.mark.parametrize(("name", "tens"), [("go_6x6", 20), ("go_9x9", 40), ("go_13x13", 80)])
def test_the_score_decides_when_the_plies_are_used_up(name: str, tens: int, machines: dict[str, PrologMachine]) -> None:
    edge = EDGE[name]
    rows = ["." * edge] * (edge - 1) + ["b" + "." * (edge - 1)]
    board = Board(machines[name], rows, "white", "(units 9)", f"(tens {tens - 1})")
    assert not board.over
    assert board.play("pass").over
    assert board.winner == "black"


# ---- scoring ----------------------------------------------------------------------------------------------------


def wall(edge: int, widths: Iterable[int], gap: bool = False) -> list[str]:
    """Black on the left, so many points in each row, white on the right; with a gap, the last row has a dame."""
    rows = ["." * (w - 1) + "bw" + "." * (edge - w - 1) for w in widths]
    if gap:
        last = rows[-1].index("b") + 1
        rows[-1] = rows[-1][:last] + ".w" + "." * (edge - last - 2)
    return rows


@pytest.mark.parametrize(
    ("name", "rows", "winner"),
    [
        ("go_6x6", wall(6, [3, 3, 3, 4, 4, 4]), "black"),  # 21 to 15: 6 more
        ("go_6x6", wall(6, [3, 3, 3, 3, 4, 4]), "white"),  # 20 to 16: 4 more
        ("go_6x6", wall(6, [3, 3, 3, 4, 4, 4], gap=True), "black"),  # 21 to 14
        ("go_6x6", wall(6, [3, 3, 4, 4, 4, 3], gap=True), "black"),  # 21 to 14
        ("go_6x6", wall(6, [3, 3, 3, 4, 4, 3], gap=True), "white"),  # 20 to 15: 5 more
        ("go_9x9", wall(9, [5] * 8 + [4]), "black"),  # 44 to 37: 7 more
        ("go_9x9", wall(9, [5] * 7 + [4] * 2), "white"),  # 43 to 38: 5 more
        ("go_9x9", wall(9, [5] * 7 + [4] * 2, gap=True), "black"),  # 43 to 37: 6 more
        ("go_9x9", wall(9, [5] * 6 + [4] * 3, gap=True), "white"),  # 42 to 38: 4 more
        ("go_13x13", wall(13, [7] * 9 + [6] * 4, gap=True), "black"),  # 87 to 81: 6 more
        ("go_13x13", wall(13, [7] * 8 + [6] * 5, gap=True), "white"),  # 86 to 81: 5 more
    ],
)
def test_komi(name: str, rows: list[str], winner: str, machines: dict[str, PrologMachine]) -> None:
    board = Board(machines[name], rows, "black").play("pass", "pass")
    assert board.over
    assert board.winner == winner
    stones = {(x, y): c for y, row in enumerate(rows) for x, c in enumerate(row) if c != "."}
    assert (margin(stones, len(rows)) >= 6) == (winner == "black")


# ---- beside a plain program -------------------------------------------------------------------------------------


def around(point: Point, edge: int) -> list[Point]:
    x, y = point
    return [(a, b) for a, b in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)) if 0 <= a < edge and 0 <= b < edge]


def region(stones: Stones, start: Point, edge: int) -> tuple[set[Point], set[Point]]:
    """The points of one colour (or empty) that hang together, and those around them."""
    found, rim, todo = {start}, set(), [start]
    while todo:
        for near in around(todo.pop(), edge):
            if stones.get(near) != stones.get(start):
                rim.add(near)
            elif near not in found:
                found.add(near)
                todo.append(near)
    return found, rim


def placed(stones: Stones, point: Point, colour: str, edge: int) -> tuple[Stones, set[Point]] | None:
    """The stones after a move and what was captured; None for suicide."""
    after = {**stones, point: colour}
    captured: set[Point] = set()
    for near in around(point, edge):
        if after.get(near) not in {None, colour}:
            group, rim = region(after, near, edge)
            if all(p in after for p in rim):
                captured |= group
    for taken in captured:
        del after[taken]
    _, rim = region(after, point, edge)
    return None if all(p in after for p in rim) else (after, captured)


def margin(stones: Stones, edge: int) -> int:
    """Black's area less white's."""
    total = 0
    for point in ((x, y) for x in range(edge) for y in range(edge)):
        colours = {stones[p] for p in region(stones, point, edge)[1] if p in stones}
        owners = {stones[point]} if point in stones else colours
        total += {"b": 1, "w": -1}[owners.pop()] if len(owners) == 1 else 0
    return total


@pytest.mark.parametrize(
    ("name", "seed", "plies"),
    [
        ("go_6x6", 1, 190),
        pytest.param("go_6x6", 4, 190, marks=pytest.mark.slow),
        pytest.param("go_9x9", 3, 70, marks=pytest.mark.slow),
        pytest.param("go_13x13", 2, 150, marks=pytest.mark.slow),
    ],
)
def test_whole_plays_beside_a_plain_program(name: str, seed: int, plies: int, machines: dict[str, PrologMachine]) -> None:
    edge, generator, captures, kos = EDGE[name], random.Random(seed), 0, 0
    board = Board(machines[name], ["." * edge] * edge, "black")
    stones: Stones = {}
    forbidden: Point | None = None
    for ply in range(plies):
        colour = "bw"[ply % 2]
        after = {}
        for point in ((x, y) for x in range(edge) for y in range(edge)):
            if point not in stones and point != forbidden and (result := placed(stones, point, colour, edge)):
                after[point] = result
        assert board.legal == {f"{x + 1} {y + 1}" for x, y in after} | {"pass"}
        if not after:
            board.play("pass")
            forbidden = None
            continue
        point = generator.choice(sorted(after))
        stones, captured = after[point]
        group, rim = region(stones, point, edge)
        lone = len(captured) == 1 and len(group) == 1 and rim - set(stones) == captured
        forbidden = min(captured) if lone else None
        captures, kos = captures + len(captured), kos + lone
        board.play(f"{point[0] + 1} {point[1] + 1}")
        assert board.rows == ["".join(stones.get((x, y), ".") for x in range(edge)) for y in reversed(range(edge))]
        assert board.winner == ("black" if margin(stones, edge) >= 6 else "white")
    assert captures > 0
    assert kos > 0 or edge > 6
