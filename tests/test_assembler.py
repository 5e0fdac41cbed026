"""Machine code, byte by byte as LLVM's assembler writes it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.lanes import registers as r
from ggp.lanes.assembler import SHORT, assemble
from ggp.lanes.bank import aligned
from ggp.lanes.engine import Engine
from ggp.lanes.native import available, installed
from ggp.lanes.registers import Listing, allocate
from tests.assembler_text import bytes_of
from tests.compiled import compiled

pytestmark = pytest.mark.skipif(not available(), reason="LLVM knows the instructions of this machine alone")

_MEMORY = (r.LOAD, r.NOT, r.TWO, r.THREE, r.DRAW, r.ADD_BITS)
_ROW = (r.SAVE, r.ADD_BITS, r.NOTE_CHANGE)
ROWS = [1, 120, 128, 129, 400, 2_000, 6_000]


def random_listing(rng: np.random.Generator, size: int, rows: int) -> Listing:
    """Instructions of all kinds; some in loops, short ones and long ones."""
    lines, label = list[tuple[int, ...]](), -1
    for i in range(size):
        what, table = int(rng.choice([r.LOAD, r.SAVE, r.CONSTANT, r.NOT, r.TWO, r.THREE, *_ROW, r.DRAW])), 0
        if i in (size // 8, size // 4) or (label >= 0 and i in (size // 8 + 2, size - 1)):
            what, label = (r.LABEL, i) if label < 0 else (r.AGAIN, label)
        d, a, b = rng.integers(0, r.REGISTERS, 3).tolist()
        if what in _MEMORY and rng.random() < 0.6:
            b = r.REGISTERS + int(rng.integers(0, rows))
        if what in _ROW:
            d = int(rng.integers(0, rows))
        if what in (r.TWO, r.THREE, r.CONSTANT):
            table = int(rng.choice([0, 255] if what == r.CONSTANT else 256))
            table = table if what == r.THREE else table & 15 | (table & 15) << 4
        lines.append((what, label if what == r.AGAIN else d, a, b, table))
        label = -1 if what == r.AGAIN else label
    return Listing(np.array(lines, np.int32), 0, 0, 0)


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(1, 400) | st.just(SHORT + 1),
    st.sampled_from([1, 120, 128, 129, 400, 2_000, 6_000]),
)
def test_any_listing(seed: int, size: int, rows: int) -> None:
    listing = random_listing(np.random.default_rng(seed), size, rows)
    assert assemble(listing, rows).code == bytes_of(listing, rows)


@pytest.mark.parametrize("table", range(16))
def test_every_table_of_two(table: int) -> None:
    listing = Listing(np.array([(r.TWO, 1, 17, 30, table * 17)], np.int32), 0, 0, 0)
    assert assemble(listing, 1).code == bytes_of(listing, 1)


@pytest.mark.parametrize("game", ["tic_tac_toe", "breakthrough", "hex_5x5"])
def test_the_programs_of_games(game: str) -> None:
    engine = Engine(compiled(game).circuit)
    for lap, _ in (engine.playout, engine.tick, engine.look, engine.rollout()):
        listing = allocate(lap.program)
        rows = lap.program.rows + listing.slots
        assert assemble(listing, rows).code == bytes_of(listing, rows)


@pytest.mark.parametrize("size", [SHORT, SHORT + 1])
def test_every_block_makes_every_lap(size: int) -> None:
    """Of short laps the blocks take turns, of others each makes all of its laps: the rows come to the same."""
    lines = np.array([(r.ADD_BITS, 1, 0, r.REGISTERS, 0)] * size, np.int32)
    blocks, laps, rows = 3, 5, 400
    code = installed(rows, assemble(Listing(lines, 0, 0, 0), rows))
    memory = aligned((blocks, rows, 8))
    memory[:, 0] = (1 << np.arange(blocks, dtype=np.uint64))[:, None] - np.uint64(1)
    code.run(memory, laps)
    assert memory[:, 1].tolist() == [[bits * size * laps] * 8 for bits in range(blocks)]
    assert not memory[:, 2:].any()
