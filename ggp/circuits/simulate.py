"""Evaluate circuits over many positions at once, one bit each: for tests, verification and guided passes.

A *bank* is a uint64 array of shape (gates, words); bit k of word w of every row belongs to lane 64*w + k.
This is not the engine's kernel: it is only fast enough to check and to guide the compiler.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ggp.circuits.circuit import Circuit
from ggp.core.arraytypes import Bools, Ints, Longs, Singles, Words
from ggp.core.kernels import kernel

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def _run(left: Ints, right: Ints, lo: int, hi: int, loops: Ints, bank: Words) -> None:
    """Gates lo..hi-1 of a bank (gates, words); `loops` (k, 2) ascending, each wholly inside or outside."""
    words = bank.shape[1]
    flip = np.uint64(0xFFFFFFFFFFFFFFFF)
    k = 0
    while k < len(loops) and loops[k, 0] < lo:
        k += 1
    i = lo
    while i < hi:
        end, again = i + 1, False
        if k < len(loops) and loops[k, 0] == i:
            end, again = loops[k, 1], True
            bank[i:end] = np.uint64(0)
            k += 1
        changed = True
        while changed:
            changed = False
            for g in range(i, end):
                a, b = left[g], right[g]
                ma = flip if a & 1 else np.uint64(0)
                mb = flip if b & 1 else np.uint64(0)
                for w in range(words):
                    value = (bank[a >> 1, w] ^ ma) & (bank[b >> 1, w] ^ mb)
                    if again and value != bank[g, w]:
                        changed = True
                    bank[g, w] = value
        i = end


@kernel
def _choose(legal: Words, draws: Singles, moves: Longs, done: Words, first: int) -> None:
    """In each lane the legal input with the highest draw: its number into `moves`, its bit into `done`.

    legal: uint64 (inputs, words); draws: float32 (inputs, lanes); first: the number of the first of these inputs.
    """
    best = np.full(len(moves), -1.0, np.float32)
    for i in range(len(legal)):
        for w in range(legal.shape[1]):
            if not legal[i, w]:
                continue
            for k in range(64):
                lane = 64 * w + k
                if legal[i, w] >> np.uint64(k) & np.uint64(1) and draws[i, lane] > best[lane]:
                    best[lane], moves[lane] = draws[i, lane], first + i
    for lane in range(len(moves)):
        if moves[lane] >= 0:
            done[moves[lane], lane >> 6] |= np.uint64(1) << np.uint64(lane & 63)


def evaluate(circuit: Circuit, bank: Words, lo: int, hi: int) -> None:
    """Evaluate gates lo..hi-1 in place."""
    _run(circuit.left, circuit.right, lo, hi, circuit.loops, bank)


def values(bank: Words, literals: Ints | list[int]) -> Words:
    """Rows of some literals, negation applied: shape (literals, words)."""
    row = np.asarray(literals, np.int64)
    flip = np.where(row & 1, _ALL, np.uint64(0)).astype(np.uint64)
    result: Words = bank[row >> 1] ^ flip[:, None]
    return result


def unpack(rows: Words) -> Bools:
    """(n, words) uint64 to (n, lanes) bool."""
    bits = np.unpackbits(np.ascontiguousarray(rows).view(np.uint8), axis=1, bitorder="little")
    return bits.astype(np.bool_)


def lanes_of(rows: Words, lanes: Longs) -> Bools:
    """(n, words) uint64 to (n, len(lanes)) bool: some lanes only."""
    found: Bools = (rows[:, lanes >> 6] >> (lanes & 63).astype(np.uint64) & np.uint64(1)).astype(np.bool_)
    return found


def pack(bits: Bools) -> Words:
    """(n, lanes) bool to (n, words) uint64; the number of lanes is a multiple of 64."""
    return np.ascontiguousarray(np.packbits(bits, axis=1, bitorder="little")).view(np.uint64)


def padded(bits: Bools) -> Words:
    """(n, samples) bool to (n, words) uint64: columns repeated up to a multiple of 64, packed."""
    n = bits.shape[1]
    assert n > 0
    width = -(-n // 64) * 64
    return pack(bits[:, np.arange(width) % n])


@dataclass
class Tick:
    """One step of all lanes: the bank after a full evaluation, who was terminal, and the moves chosen."""

    bank: Words
    goals: Words  # (goals, words): literals of the positions that the lanes came to, before any restart
    terminal: Bools
    moves: Ints  # (roles, lanes): input index, -1 where a role has no legal move


def playouts(circuit: Circuit, words: int, steps: int, seed: int) -> Iterator[Tick]:
    """Random playouts of 64*words lanes. A terminal lane restarts before its moves are chosen.

    A lane in which some role has no legal move restarts as well: such positions have no joint move.
    """
    rng = np.random.default_rng(seed)
    lanes = 64 * words
    bank = np.zeros((circuit.gates, words), np.uint64)
    start = np.where(circuit.initial, _ALL, np.uint64(0)).astype(np.uint64)
    state = np.repeat(start[:, None], words, axis=1)
    first, cut = circuit.first, circuit.cut
    stuck: Bools = np.zeros(lanes, np.bool_)
    for _ in range(steps):
        bank[1 : 1 + circuit.bases] = state
        bank[1 + circuit.bases : first] = 0
        evaluate(circuit, bank, first, cut)
        terminal = unpack(values(bank, [circuit.terminal]))[0]
        goals = values(bank, circuit.goal_literals)
        restart = pack((terminal | stuck)[None, :])[0]
        if restart.any():
            bank[1 : 1 + circuit.bases] = (state & ~restart) | (start[:, None] & restart)
            evaluate(circuit, bank, first, cut)
        moves = np.full((len(circuit.role_starts) - 1, lanes), -1, np.int32)
        legal, done = values(bank, circuit.legal), bank[1 + circuit.bases : first]
        done[:] = 0
        for role, (lo, hi) in enumerate(zip(circuit.role_starts[:-1], circuit.role_starts[1:], strict=True)):
            _choose(legal[lo:hi], rng.random((hi - lo, lanes), np.float32), moves[role], done, lo)
        evaluate(circuit, bank, cut, circuit.gates)
        stuck = np.asarray((moves < 0).any(axis=0), np.bool_)
        yield Tick(bank, goals, terminal, moves)
        state = values(bank, circuit.next)
