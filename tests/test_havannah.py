"""Havannah: rings, bridges and forks by name, what is none of them, and whole plays beside a plain program."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from gdl import load
from ggp.machines import PrologMachine
from tests.helpers import GAMES, terms

Cell = tuple[int, int]
SIDES = {"havannah_4": 4, "havannah_5": 5}
STEPS = [(1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1)]


@pytest.fixture(scope="module")
def machines() -> Iterator[dict[str, PrologMachine]]:
    opened = {name: PrologMachine(load(GAMES / f"{name}.kif")) for name in SIDES}
    yield opened
    for machine in opened.values():
        machine.close()


def cells(side: int) -> set[Cell]:
    span = range(1, 2 * side)
    return {(x, y) for x in span for y in span if abs(x - y) < side}


def near(cell: Cell, side: int) -> list[Cell]:
    return [(cell[0] + a, cell[1] + b) for a, b in STEPS if (cell[0] + a, cell[1] + b) in cells(side)]


def ring(side: int) -> list[Cell]:
    """The six cells around the middle one."""
    return near((side, side), side)


def bridge(side: int) -> list[Cell]:
    """A row along the rim, from corner to corner."""
    return [(x, 1) for x in range(1, side + 1)]


def fork(side: int) -> list[Cell]:
    """Three arms from the middle to the first, third and fifth side."""
    one = [(side - 1, y) for y in range(side - 1, 0, -1)]
    three = [(x, side) for x in range(side + 1, 2 * side - 1)] + [(2 * side - 1, side + 1)]
    five = [(x, side + 1) for x in range(side, 1, -1)]
    return [(side, side), *one, *three, *five]


def position(machine: PrologMachine, mine: Iterable[Cell], theirs: Iterable[Cell], mover: str) -> Any:
    other = "black" if mover == "white" else "white"
    stones = [f"(stone {x} {y} {mover})" for x, y in mine] + [f"(stone {x} {y} {other})" for x, y in theirs]
    return machine.position(terms(*stones, f"(control {mover})"))


def wins(machine: PrologMachine, stones: list[Cell], theirs: Iterable[Cell] = (), mover: str = "white") -> bool:
    """Whether the last of the stones, placed by the mover, ends the game; if so, the mover has won."""
    *before, (x, y) = stones
    start = position(machine, before, theirs, mover)
    assert not machine.situation(start).terminal
    move = f"(place {x} {y})"
    after = machine.next(start, terms(move, "noop") if mover == "white" else terms("noop", move))
    situation = machine.situation(after)
    if situation.terminal:
        assert situation.goals == (((100,), (0,)) if mover == "white" else ((0,), (100,)))
    return situation.terminal


@pytest.mark.parametrize("mover", ["white", "black"])
@pytest.mark.parametrize("shape", [ring, bridge, fork])
@pytest.mark.parametrize("name", SIDES)
def test_each_shape_wins_with_whatever_stone_completes_it(
    name: str, shape: Any, mover: str, machines: dict[str, PrologMachine]
) -> None:
    stones: list[Cell] = shape(SIDES[name])
    for last in stones:
        assert wins(machines[name], [*(c for c in stones if c != last), last], mover=mover)


@pytest.mark.parametrize("name", SIDES)
def test_a_ring_may_hold_anything_or_nothing(name: str, machines: dict[str, PrologMachine]) -> None:
    side, machine = SIDES[name], machines[name]
    middle = (side, side)
    assert wins(machine, ring(side), theirs=[middle])
    assert wins(machine, [middle, *ring(side)])
    two = {*near(middle, side), *near((side + 1, side), side)} - {middle, (side + 1, side)}
    assert wins(machine, sorted(two), theirs=[middle])


@pytest.mark.parametrize("name", SIDES)
def test_what_is_no_ring(name: str, machines: dict[str, PrologMachine]) -> None:
    side, machine = SIDES[name], machines[name]
    closed = ring(side)
    for gap in closed:
        assert not wins(machine, [c for c in closed if c != gap])
        assert not wins(machine, [c for c in closed if c != gap], theirs=[gap])
    assert not wins(machine, [c for c in near((2, 1), side) if c != (1, 1)])  # the rim closes no ring


@pytest.mark.parametrize("name", SIDES)
def test_what_is_no_bridge_and_no_fork(name: str, machines: dict[str, PrologMachine]) -> None:
    side, machine = SIDES[name], machines[name]
    assert not wins(machine, bridge(side)[1:])
    assert not wins(machine, bridge(side)[:-1])
    row = bridge(side)
    assert not wins(machine, [*row[:2], *row[3:]], theirs=[row[2]])
    around_the_corner = [(side - 1, 1), *((x, 1) for x in range(side - 2, 0, -1)), (1, 2)]
    assert not wins(machine, around_the_corner)  # two sides and the corner between them: a corner is no side
    for cell in fork(side):
        if cell != (side, side):
            assert not wins(machine, [c for c in fork(side) if c != cell], theirs=[cell])


def connected(stones: set[Cell], start: Cell, side: int) -> set[Cell]:
    found, todo = {start}, [start]
    while todo:
        for cell in near(todo.pop(), side):
            if cell in stones and cell not in found:
                found.add(cell)
                todo.append(cell)
    return found


def has_won(stones: set[Cell], side: int) -> bool:
    """By the words of the rules: corners, sides, and a ring as a stone or gap that a group cuts off from the rim."""
    board = cells(side)
    rim = {c for c in board if len(near(c, side)) < 6}
    corners = {c for c in board if len(near(c, side)) == 3}
    edges, left = [], rim - corners
    while left:
        edges.append(connected(left, min(left), side))
        left -= edges[-1]
    while stones:
        group = connected(stones, min(stones), side)
        stones = stones - group
        if len(group & corners) >= 2 or sum(bool(group & edge) for edge in edges) >= 3:
            return True
        for inside in board - rim if len(group) >= 6 else ():
            wall = group - {inside}
            reached = connected(board - wall, inside, side)
            if not reached & rim:
                return True
    return False


@pytest.mark.parametrize(("name", "seed"), [("havannah_4", 1), ("havannah_4", 2), ("havannah_5", 3)])
def test_whole_plays_beside_a_plain_program(name: str, seed: int, machines: dict[str, PrologMachine]) -> None:
    side, machine = SIDES[name], machines[name]
    order = sorted(cells(side))
    random.Random(seed).shuffle(order)
    at = machine.initial()
    stones: tuple[set[Cell], set[Cell]] = (set(), set())
    for ply, cell in enumerate(order):
        stones[ply % 2].add(cell)
        move = f"(place {cell[0]} {cell[1]})"
        at = machine.next(at, terms("noop", move) if ply % 2 else terms(move, "noop"))
        over = has_won(stones[ply % 2], side)
        assert machine.situation(at).terminal == (over or ply + 1 == len(order))
        if over:
            assert machine.situation(at).goals == (((0,), (100,)) if ply % 2 else ((100,), (0,)))
            return


def test_a_full_board_without_a_winner_is_a_draw(machines: dict[str, PrologMachine]) -> None:
    board = sorted(cells(4))
    random.Random(820).shuffle(order := board.copy())  # the first seed of a board that nobody has won
    white, black = set(order[::2]), set(order[1::2])
    assert not has_won(white, 4)
    assert not has_won(black, 4)
    last = order[-1]
    start = position(machines["havannah_4"], white - {last}, black, "white")
    assert not machines["havannah_4"].situation(start).terminal
    after = machines["havannah_4"].next(start, terms(f"(place {last[0]} {last[1]})", "noop"))
    situation = machines["havannah_4"].situation(after)
    assert (situation.terminal, situation.goals) == (True, ((50,), (50,)))
