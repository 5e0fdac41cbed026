"""Registers and slots: the listing, carried out line by line, does what the network says, with few registers too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.lanes import registers as r
from ggp.lanes.engine import Engine
from ggp.lanes.program import FEED, ROTATION, STORE, TABLE, Program, build_program
from ggp.lanes.registers import REGISTERS, Listing, allocate
from tests import slow_circuit as reference
from tests.compiled import compiled
from tests.test_bank_program import random_network

ALL = (1 << 64) - 1


def luck(x: int, y: int) -> int:
    total = (x + y) & ALL
    return (total << ROTATION | total >> (64 - ROTATION)) & ALL


def table(number: int, words: list[int]) -> int:
    """Bit v of the table is the value where word i has v >> i & 1."""
    found = 0
    for lane in range(64):
        found |= (number >> sum((word >> lane & 1) << i for i, word in enumerate(words)) & 1) << lane
    return found


def carried_out(listing: Listing, memory: dict[int, int], limit: int) -> dict[int, int]:
    """What is in the rows after all lines. Places are numbered as in listings."""
    places = {REGISTERS + row: word for row, word in memory.items()}
    for what, d, a, b, number in listing.lines.tolist():
        assert 0 <= a < limit
        assert 0 <= b < limit or b >= REGISTERS
        assert d >= 0
        row = REGISTERS + d
        match what:
            case r.SAVE:
                places[row] = places[a]
            case r.ADD_BITS:
                places[row] = (places[row] + places[b].bit_count()) & ALL
                places.pop(a, None)
            case _:
                assert d < limit
                places[d] = made(what, places, d, a, b, number)
    return {row: places[REGISTERS + row] for row in memory}


def made(what: int, places: dict[int, int], d: int, a: int, b: int, number: int) -> int:
    """What an instruction puts into its register."""
    match what:
        case r.LOAD:
            return places[b]
        case r.CONSTANT:
            return ALL if number else 0
        case r.NOT:
            return places[b] ^ ALL
        case r.TWO:
            return table(number, [places[a], places[b]])
        case r.THREE:
            return table(number, [places[d], places[a], places[b]])
        case r.DRAW:
            return luck(places[a], places[b])
    pytest.fail(f"nobody knows {what}")


@pytest.mark.parametrize("available", [4, 7, 32])
@given(seed=st.integers(0, 2**32), leaves=st.integers(1, 40), nodes=st.integers(1, 300))
def test_the_listing_does_what_the_network_says(available: int, seed: int, leaves: int, nodes: int) -> None:
    rng = np.random.default_rng(seed)
    net, literals = random_network(rng, leaves, nodes)
    pool = [0, 1, *literals, *(x ^ 1 for x in literals)]
    stores = {row: int(rng.choice(pool)) for row in range(leaves) if rng.random() < 0.8}
    counts = {leaves: int(rng.choice(pool)), leaves + 1: int(rng.choice(pool))}
    memory = {row: int.from_bytes(rng.bytes(8), "little") for row in range(leaves + 2)}
    listing = allocate(build_program(net, stores, counts, leaves + 2), available)
    words = reference.network_values(net, memory)
    wanted = dict(memory)
    for row, x in stores.items():
        wanted[row] = words[x >> 1] ^ (ALL if x & 1 else 0)
    for row, x in counts.items():
        wanted[row] = (memory[row] + (words[x >> 1] ^ (ALL if x & 1 else 0)).bit_count()) & ALL
    assert carried_out(listing, memory, available) == wanted


def test_what_does_not_fit_is_spilled_and_slots_are_used_again() -> None:
    net, literals = random_network(np.random.default_rng(1), 60, 500)
    program = build_program(net, dict(enumerate(literals[-60:])), {}, 60)
    listing = allocate(program)
    assert 0 < listing.slots < listing.spills
    saved = listing.lines[listing.lines[:, 0] == r.SAVE, 1]
    assert (saved >= program.rows).sum() == listing.spills
    assert saved.max() == program.rows + listing.slots - 1


def saved_too_early(listing: Listing, rows: int) -> list[int]:
    """The slots that a round of a loop reads as they were before the loop, and then saves something else in."""
    lines = listing.lines.tolist()
    early: list[int] = []
    for end, (what, label, *_) in enumerate(lines):
        if what != r.AGAIN:
            continue
        found: set[int] = set()
        own: set[int] = set()
        for kind, row, a, b, _ in lines[label:end]:
            if kind in (r.LOAD, r.NOT, r.TWO, r.THREE):
                found |= {place - REGISTERS for place in (a, b) if place >= REGISTERS + rows} - own
            elif kind == r.SAVE and row >= rows:
                early += [row] if row in found else []
                own.add(row)
    return early


@pytest.mark.parametrize("available", [5, 7, 9, 32])
@pytest.mark.parametrize("game", ["hex_5x5", "go_6x6", "havannah_4"])
def test_every_round_of_a_loop_finds_in_the_slots_what_the_first_one_found(game: str, available: int) -> None:
    program = Engine(compiled(game).circuit).look[0].program
    assert any(loop for _, _, loop in program.segments)
    assert saved_too_early(allocate(program, available), program.rows) == []


def test_a_slot_that_a_loop_gives_away_at_its_end_is_not_used_before_all_rounds_are_over() -> None:
    a, b, c, before, inside = range(5)
    operations = [
        (TABLE, 0x88, before, a, b), (TABLE, 0xEE, inside, a, c), (FEED, 0, 6, before, -1), (STORE, 0, 7, inside, -1),
    ]  # fmt: skip
    what, table, target, *operands = np.array(operations, np.int32).T
    program = Program(
        what=what,
        table=table,
        target=target,
        operands=np.stack([*operands, np.full(len(what), -1, np.int32)], axis=1),
        row=np.array([0, 1, 2, -1, -1], np.int32),
        segments=((0, 1, False), (1, 3, True), (3, 4, False)),
        rows=8,
    )
    assert saved_too_early(allocate(program, 4), program.rows) == []


@pytest.mark.parametrize("game", ["hex_5x5", "go_6x6"])
def test_in_loops_nobody_reads_a_row_from_before_it_was_fed(game: str) -> None:
    """So that what is fed back counts in the same round, and there are fewer of them."""
    program = Engine(compiled(game).circuit).look[0].program
    held, stale, read = dict[int, int](), set[int](), 0
    for what, d, a, b, _ in allocate(program).lines.tolist():
        if what in (r.LABEL, r.AGAIN):
            held, stale = {}, set()
        elif what == r.NOTE_CHANGE:
            stale |= {register for register, row in held.items() if row == d}
        elif what == r.LOAD and b >= REGISTERS:
            held[d] = b - REGISTERS
            stale.discard(d)
        elif what in (r.LOAD, r.TWO, r.THREE, r.NOT, r.CONSTANT, r.DRAW):
            operands = {a, b} if what in (r.TWO, r.DRAW) else {a, b, d} if what == r.THREE else {b} & {*range(REGISTERS)}
            assert what == r.CONSTANT or not operands & stale
            held.pop(d, None)
            stale.discard(d)
            read += len(held)
    assert read and any(loop for _, _, loop in program.segments)


def test_what_was_fed_is_read_from_its_register() -> None:
    """Not from the row: there a round would wait for the store."""
    a, old, other, made, second = range(5)
    operations = [
        (TABLE, 0xEE, made, a, old), (FEED, 0, 1, made, -1), (TABLE, 0x88, second, other, old), (FEED, 0, 2, second, -1),
    ]  # fmt: skip
    what, table, target, *operands = np.array(operations, np.int32).T
    program = Program(
        what=what,
        table=table,
        target=target,
        operands=np.stack([*operands, np.full(len(what), -1, np.int32)], axis=1),
        row=np.array([0, 1, 2, -1, -1], np.int32),
        segments=((0, 0, False), (0, 4, True), (4, 4, False)),
        rows=3,
    )
    lines = allocate(program).lines.tolist()
    fed = next(at for at, line in enumerate(lines) if line[0] == r.NOTE_CHANGE)
    (and_,) = [line for line in lines[fed:] if line[0] == r.TWO]
    assert lines[fed][1] == 1
    assert lines[fed][3] in and_[2:4]
    assert not any(REGISTERS + 1 in line[2:4] for line in lines[fed + 1 :])
