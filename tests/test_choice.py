"""The random choice is uniform, and legal."""

import numpy as np
import pytest

from ggp.lanes.choice import RING, Luck, choose
from ggp.lanes.interpreter import WORDS, interpret
from ggp.lanes.memory import Rows
from ggp.lanes.network import Network
from ggp.lanes.program import build_program

CHOICES = 1_000_000


def chi_square_limit(freedom: int) -> float:
    """The 0.9999 quantile (Wilson and Hilferty)."""
    return float(freedom * (1 - 2 / (9 * freedom) + 3.719 * (2 / (9 * freedom)) ** 0.5) ** 3)


def picks_of(legal: np.ndarray, seed: int, rounds: int) -> np.ndarray:
    """How often each input is picked. legal: bool [inputs, lanes]."""
    n = len(legal)
    net, rows = Network(), Rows(2 * n + 1, 0, 0)
    luck = Luck(net, rows.ring)
    picks, some = choose(net, net.leaves(range(n)), luck)
    stores = {n + i: x for i, x in enumerate(picks.tolist())}
    stores[2 * n] = some
    ready = interpret(build_program(net, {**stores, **luck.stores()}, {}, rows.total))
    memory = np.zeros((1, ready.rows, WORDS), np.uint64)
    memory[0, :n] = np.packbits(legal, axis=1, bitorder="little").view(np.uint64)
    memory[0, rows.ring : rows.ring + RING] = np.random.default_rng(seed).integers(0, 2**64, (RING, WORDS), np.uint64)
    counts = np.zeros(n, np.int64)
    for _ in range(rounds):
        ready.run(memory, 1)
        picked = memory[0, n : 2 * n]
        bits = np.unpackbits(np.ascontiguousarray(picked).view(np.uint8).reshape(n, -1), axis=1, bitorder="little")
        assert not (bits.astype(bool) & ~legal).any()
        assert (bits.sum(axis=0) == legal.any(axis=0)).all()
        counts += bits.sum(axis=1, dtype=np.int64)
    flags = np.unpackbits(np.ascontiguousarray(memory[0, 2 * n]).view(np.uint8), bitorder="little")
    assert (flags.astype(bool) == legal.any(axis=0)).all()
    return counts


@pytest.mark.parametrize("n", [1, 2, 3, 7, 64, 155])
@pytest.mark.parametrize("spread", [1, 3])
def test_uniform(n: int, spread: int) -> None:
    """All of n inputs legal, and n of 3n."""
    lanes = 64 * WORDS
    legal = np.zeros((n * spread, lanes), bool)
    legal[::spread] = True
    counts = picks_of(legal, n, -(-CHOICES // lanes))[::spread]
    expected = counts.sum() / n
    assert counts.sum() >= CHOICES
    if n > 1:
        assert ((counts - expected) ** 2 / expected).sum() < chi_square_limit(n - 1)


@pytest.mark.parametrize("n", [1, 2, 5, 12, 40])
def test_random_subsets(n: int) -> None:
    """Every lane has its own legal moves, some have none."""
    legal = np.random.default_rng(n).random((n, 64 * WORDS)) < 0.3
    counts = picks_of(legal, 4, 400)
    want = 400 * (legal / np.maximum(legal.sum(axis=0), 1)).sum(axis=1)
    assert (abs(counts - want) < 6 * np.sqrt(want + 1)).all()
