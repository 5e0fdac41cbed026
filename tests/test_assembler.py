"""Machine code, byte by byte as LLVM's assembler writes it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.lanes import registers as r
from ggp.lanes.assembler import SHORT, assemble
from ggp.lanes.bank import aligned
from ggp.lanes.encoding import Instructions
from ggp.lanes.engine import Engine
from ggp.lanes.evex import AVX512
from ggp.lanes.lowering import AND, AND_NOT, OR, XOR, lowered
from ggp.lanes.native import installed
from ggp.lanes.registers import Listing, allocate
from ggp.lanes.vex import AVX2
from ggp.lanes.ways import Way, usable
from tests.assembler_text import bytes_of
from tests.compiled import compiled

_MEMORY = (r.LOAD, r.NOT, r.TWO, r.THREE, r.DRAW, r.ADD_BITS)
_ROW = (r.SAVE, r.ADD_BITS, r.NOTE_CHANGE)
SETS = [
    pytest.param(
        x,
        id=name,
        marks=pytest.mark.skipif(
            x not in [way.instructions for way in usable()], reason="LLVM knows the instructions of this machine alone"
        ),
    )
    for name, x in (("avx512", AVX512), ("avx2", AVX2))
]
ROWS = [1, 3, 30, 120, 128, 129, 400, 2_000, 6_000]


def random_listing(rng: np.random.Generator, size: int, rows: int, instructions: Instructions) -> Listing:
    """Instructions of all kinds; some in loops, short ones and long ones."""
    lines, label = list[tuple[int, ...]](), -1
    kinds = [r.LOAD, r.SAVE, r.CONSTANT, r.NOT, r.TWO, *_ROW, r.DRAW] + [r.THREE] * instructions.is_ternary
    for i in range(size):
        what, table = int(rng.choice(kinds)), 0
        if i in (size // 8, size // 4) or (label >= 0 and i in (size // 8 + 2, size - 1)):
            what, label = (r.LABEL, i) if label < 0 else (r.AGAIN, label)
        d, a, b, spare = rng.integers(0, instructions.registers, 4).tolist()
        if what in _MEMORY and rng.random() < 0.6:
            b = r.REGISTERS + int(rng.integers(0, rows))
        if what in _ROW:
            d = int(rng.integers(0, rows))
        if what in (r.TWO, r.THREE, r.CONSTANT):
            table = int(rng.choice([0, 255] if what == r.CONSTANT else 256))
            table = table if what == r.THREE else table & 15 | (table & 15) << 4
        if not instructions.is_ternary and what == r.TWO:
            table = int(rng.choice([AND, AND_NOT, OR, XOR]))
        if not instructions.is_ternary and what in (r.DRAW, r.NOTE_CHANGE):
            table = spare
        lines.append((what, label if what == r.AGAIN else d, a, b, table))
        label = -1 if what == r.AGAIN else label
    return Listing(np.array(lines, np.int32), 0, 0, 0)


@pytest.mark.parametrize("instructions", SETS)
@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(1, 400) | st.just(SHORT + 1),
    st.sampled_from([1, 3, 30, 120, 128, 129, 400, 2_000, 6_000]),
)
def test_any_listing(instructions: Instructions, seed: int, size: int, rows: int) -> None:
    listing = random_listing(np.random.default_rng(seed), size, rows, instructions)
    assert assemble(listing, rows, instructions).code == bytes_of(listing, rows, instructions)


@pytest.mark.parametrize("instructions", SETS)
@pytest.mark.parametrize("table", range(16))
def test_every_table_of_two(table: int, instructions: Instructions) -> None:
    if not instructions.is_ternary:
        table = (AND, AND_NOT, OR, XOR)[table % 4] & 15
    for a, b in ((1, 30), (9, 14), (1, 14), (14, 1)):
        a, b = a % instructions.registers, b % instructions.registers
        listing = Listing(np.array([(r.TWO, 1, a, b, table * 17)], np.int32), 0, 0, 0)
        assert assemble(listing, 1, instructions).code == bytes_of(listing, 1, instructions)


@pytest.mark.parametrize("instructions", SETS)
@pytest.mark.parametrize("game", ["tic_tac_toe", "breakthrough", "hex_5x5"])
def test_the_programs_of_games(game: str, instructions: Instructions) -> None:
    engine = Engine(compiled(game).circuit)
    for lap, _ in (engine.playout, engine.tick, engine.look, engine.rollout()):
        program = lap.program if instructions.is_ternary else lowered(lap.program)
        listing = allocate(program, instructions.registers, ternary=instructions.is_ternary)
        rows = program.rows + listing.slots
        assert assemble(listing, rows, instructions).code == bytes_of(listing, rows, instructions)


@pytest.mark.parametrize("way", [way for way in usable() if way.instructions is not None], ids=str)
@pytest.mark.parametrize("size", [SHORT, SHORT + 1])
def test_every_block_makes_every_lap(size: int, way: Way) -> None:
    """Of short laps the blocks take turns, of others each makes all of its laps: the rows come to the same."""
    assert way.instructions is not None
    lines = np.array([(r.ADD_BITS, 1, 0, r.REGISTERS, 0)] * size, np.int32)
    blocks, laps, rows, words = 3, 5, 400, way.words
    code = installed(rows, 0, way, assemble(Listing(lines, 0, 0, 0), rows, way.instructions))
    memory = aligned((blocks, rows, words))
    memory[:, 0] = (1 << np.arange(blocks, dtype=np.uint64))[:, None] - np.uint64(1)
    code.run(memory, laps)
    assert memory[:, 1].tolist() == [[bits * size * laps] * words for bits in range(blocks)]
    assert not memory[:, 2:].any()
