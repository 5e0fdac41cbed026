"""Registers and slots: the listing, carried out line by line, does what the network says, with few registers too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.banks import registers
from ggp.banks.program import ROTATION, build_program
from ggp.banks.registers import Allocator, Listing, Memory
from tests import slow_circuit as reference
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
    """What is in the rows after all lines."""
    places: dict[Memory | int, int] = {Memory(row, False): word for row, word in memory.items()}
    lines: list[tuple[Any, ...]] = [*listing.lines]
    for name, *rest in lines:
        for place in rest[:-1] if name in ("constant", "two", "three") else rest:
            assert isinstance(place, Memory) or (isinstance(place, int) and 0 <= place < limit)
        match name, rest:
            case "load", [r, x]:
                places[r] = places[x]
            case "store", [row, r]:
                places[row] = places[r]
            case "constant", [r, number]:
                places[r] = ALL if number else 0
            case "not", [r, x]:
                places[r] = places[x] ^ ALL
            case "two", [r, a, b, number]:
                places[r] = table(number, [places[a], places[b]])
            case "three", [r, b, c, number]:
                places[r] = table(number, [places[r], places[b], places[c]])
            case "luck", [r, a, b]:
                places[r] = luck(places[a], places[b])
            case "count", [row, spare, x]:
                places[row] = (places[row] + places[x].bit_count()) & ALL
                places.pop(spare, None)
            case _:
                pytest.fail(f"nobody knows {name}")
    return {row: places[Memory(row, False)] for row in memory}


@pytest.mark.parametrize("available", [4, 7, 32])
@given(seed=st.integers(0, 2**32), leaves=st.integers(1, 40), nodes=st.integers(1, 300))
def test_the_listing_does_what_the_network_says(available: int, seed: int, leaves: int, nodes: int) -> None:
    rng = np.random.default_rng(seed)
    net, literals = random_network(rng, leaves, nodes)
    pool = [0, 1, *literals, *(x ^ 1 for x in literals)]
    stores = {row: int(rng.choice(pool)) for row in range(leaves) if rng.random() < 0.8}
    counts = {leaves: int(rng.choice(pool)), leaves + 1: int(rng.choice(pool))}
    memory = {row: int.from_bytes(rng.bytes(8), "little") for row in range(leaves + 2)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registers, "REGISTERS", available)
        listing = Allocator(build_program(net, stores, counts, leaves + 2)).run()
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
    listing = Allocator(program).run()
    assert 0 < listing.slots < listing.spills
    assert (
        sum(line[0] == "store" and line[1].slot for line in listing.lines if isinstance(line[1], Memory))
        == listing.spills
    )
