"""Simulation-guided merging and resubstitution, proved by SAT under the care set.

A gate may be replaced by anything that agrees with it on every reachable position and legal joint move.
Samples of random playouts suggest replacements (another gate, or one AND or OR of two others, when that
frees more gates than it costs), and the solver proves them; counterexamples become further samples.
Replacements are written in place: a gate gets new operands among earlier gates, and its function on the care
set never changes, so earlier proofs stay true.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ggp.circuits.graph import Graph, Net
from ggp.circuits.invariants import Samples
from ggp.circuits.rebuild import rebuild
from ggp.circuits.signatures import Signatures, arrays, evaluate_all, late_gates, signatures
from ggp.circuits.simulate import padded
from ggp.circuits.solver import Care, Solver
from ggp.circuits.work import Work
from ggp.core.arraytypes import Bools, Longs, Words
from ggp.core.kernels import kernel

_ROW, _VISIT, _SCANNED, _PAIRS = 500, 2, 100, 2_000
"""`_VISIT`: work to visit a gate. So many gates times words evaluated, words scanned and pairs compared are one unit."""

_PROOF, _SHARE = 2_000, 16
"""A proof is given up when it has cost this much, or this many times what there is for each gate [work]."""
_WORDS = 32
"""For each so many words of samples, further ones are 64 more at a time: adding them copies all."""
_PHASE = np.array([0, 0xFFFFFFFFFFFFFFFF], np.uint64)
_PATIENCE, _AT_FIRST = 3, 6
"""A search that has found nothing for this part of all work ends, or for this part if it never found anything."""


@dataclass
class Outcome:
    """What a call did."""

    merged: int = 0
    rebuilt: int = 0
    refuted: int = 0
    unknown: int = 0


@kernel
def _supersets(rows: Words, usable: Bools, gate: int, sign: np.uint64, out: Longs) -> tuple[int, int]:
    """Literals of usable gates before a gate, nearest first, whose row contains the gate's (xor `sign`).

    Returns how many, in `out`, and how many words were looked at.
    """
    filled = np.empty(rows.shape[1], np.int64)  # words in which the gate's row has ones at all
    wanted = np.empty(rows.shape[1], np.uint64)
    words = 0
    for w in range(rows.shape[1]):
        if rows[gate, w] ^ sign:
            filled[words], wanted[words] = w, rows[gate, w] ^ sign
            words += 1
    n, seen = 0, rows.shape[1]
    for c in range(gate - 1, 0, -1):
        if not usable[c]:
            continue
        some, others = True, True  # may the row contain the gate's, or its complement?
        for k in range(words):
            seen += 1
            held = rows[c, filled[k]]
            some = some and not wanted[k] & ~held
            others = others and not wanted[k] & held
            if not some and not others:
                break
        for phase in range(2):
            if (others if phase else some) and n < len(out):
                out[n] = 2 * c + phase
                n += 1
        if n == len(out):
            break
    return n, seen


@kernel
def _pair(rows: Words, literals: Longs, n: int, target: Words, sign: np.uint64, start: int) -> tuple[int, int]:
    """First pair (i, j), i < j, from index `start` on with AND of the two rows equal to the target (xor `sign`), or n."""
    words = rows.shape[1]
    flip = np.uint64(0xFFFFFFFFFFFFFFFF)
    for i in range(start, n):
        a = literals[i] >> 1
        ma = flip if literals[i] & 1 else np.uint64(0)
        for j in range(i + 1, n):
            b = literals[j] >> 1
            mb = flip if literals[j] & 1 else np.uint64(0)
            good = True
            for w in range(words):
                if (rows[a, w] ^ ma) & (rows[b, w] ^ mb) & ~(target[w] ^ sign):
                    good = False
                    break
            if good:
                return i, j
    return n, n


class Resubstitution:
    """One run over a net; the net's graph is changed in place and rebuilt at the end."""

    def __init__(self, net: Net, roles: Sequence[tuple[int, int]], care: Care, samples: Samples, work: Work) -> None:
        self.work = work
        self.found_at = work.spent
        self.net = rebuild(net)
        self.roles = roles
        self.care = care
        patience = max(_PROOF, _SHARE * work.left // len(self.net.graph))
        self.solver = Solver(self.net, roles, care, work, patience)
        self.late = late_gates(self.net)
        self.rows: Signatures = signatures(self.net, samples)
        work.spend(len(self.net.graph) * samples.count // (64 * _ROW))
        self.original = arrays(self.net)  # what the solver knows, and what samples are evaluated with
        self.outcome = Outcome()
        self.flipped: set[int] = set()  # gates whose new operands compute the complement
        self.extra: dict[bool, list[Bools]] = {False: [], True: []}
        self.hard: set[tuple[int, int, int]] = set()  # what could not be decided
        graph = self.net.graph
        self.left, self.right = graph.left, graph.right
        self.count = self._uses()
        self.usable = np.array(self.count) > 0  # gates that others may be built from
        self.usable[: 1 + graph.leaves] = True

    # ---- bookkeeping -----------------------------------------------------------------------------

    def _uses(self) -> list[int]:
        graph = self.net.graph
        live = self.net.reachable()
        count = [0] * len(graph)
        for gate in range(1 + graph.leaves, len(graph)):
            if live[gate]:
                count[self.left[gate] >> 1] += 1
                count[self.right[gate] >> 1] += 1
        for x in self.net.outputs():
            count[x >> 1] += 1
        return count

    def _free(self, gate: int) -> list[int]:
        """Remove one gate's operand uses; the gates that die with it (itself included). Undone by
        `_restore`.
        """
        leaves = self.net.graph.leaves
        dead = [gate]
        for g in dead:
            for x in (self.left[g], self.right[g]):
                inner = x >> 1
                self.count[inner] -= 1
                if self.count[inner] == 0 and inner > leaves:
                    dead.append(inner)
        return dead

    def _restore(self, dead: list[int]) -> None:
        for g in reversed(dead):
            self.count[self.left[g] >> 1] += 1
            self.count[self.right[g] >> 1] += 1

    def _gain(self, gate: int, operands: tuple[int, ...]) -> int:
        """Gates saved if the gate became an AND of two operands (or one operand alone)."""
        for x in operands:
            self.count[x >> 1] += 1
        dead = self._free(gate)
        self._restore(dead)
        for x in operands:
            self.count[x >> 1] -= 1
        return len(dead) - (1 if len(operands) == 2 else 0)

    def _hold(self, x: int) -> None:
        """Count one more use of a literal; a dead gate comes to life, and what it reads."""
        stack = [x >> 1]
        while stack:
            gate = stack.pop()
            self.count[gate] += 1
            if self.count[gate] == 1 and gate > self.net.graph.leaves:
                stack += [self.left[gate] >> 1, self.right[gate] >> 1]
                self.usable[gate] = self.right[gate] != 1

    def _replace(self, gate: int, x: int, y: int) -> None:
        """Give the gate new operands. Operand 1 as y makes it a copy of x."""
        self._hold(x)
        self._hold(y)
        self.usable[self._free(gate)] = False
        self.usable[gate] = y != 1
        self.left[gate], self.right[gate] = x, y
        self.found_at = self.work.spent

    def _bank(self, gate: int) -> Words:
        return self.rows.move if self.late[gate] else self.rows.position

    def _learn(self, moving: bool, values: Bools) -> None:
        """Keep a counterexample; when there are enough of a kind, they become further words of samples."""
        self.outcome.refuted += 1
        bank = self.rows.move if moving else self.rows.position
        self.extra[moving].append(values)
        if len(self.extra[moving]) == 64 * (1 + bank.shape[1] // _WORDS):
            self._add(moving)

    def _add(self, moving: bool) -> None:
        """Make the counterexamples of a kind further words of samples."""
        if not self.extra[moving]:
            return
        new = evaluate_all(*self.original, padded(np.array(self.extra[moving]).T))
        bank = np.concatenate([new, self.rows.move if moving else self.rows.position], axis=1)
        self.work.spend(bank.size // _ROW)
        self.extra[moving] = []
        if moving:
            self.rows.move = bank
        else:
            self.rows.position = bank

    def _proved(self, gate: int, x: int, y: int, *, negative: bool = False) -> bool:
        """Is the gate, or its complement if `negative`, the AND of two literals (y = 1: x itself) on the care set?"""
        moving, g = bool(self.late[gate]), 2 * gate ^ negative
        if (g, x, y) in self.hard:
            return False
        questions = [[g, x ^ 1]]
        questions += [[g ^ 1, x]] if y == 1 else [[g, y ^ 1], [g ^ 1, x, y]]
        for question in questions:
            impossible, values = self.solver.ask(question, moving=moving)
            if impossible is None:
                self.outcome.unknown += 1
                self.hard.add((g, x, y))
                return False
            if not impossible:
                self._learn(moving, values[1 : 1 + self.net.graph.leaves].astype(np.bool_))
                return False
        return True

    def _tired(self) -> bool:
        """Is the work used up, or was too much of it in vain?"""
        part = _PATIENCE if self.outcome.merged + self.outcome.rebuilt else _AT_FIRST
        return not self.work.left or self.work.spent - self.found_at > self.work.limit // part

    # ---- merging ---------------------------------------------------------------------------------

    def merge(self) -> None:
        """Make each gate a copy of an earlier gate (or a constant) that it always equals."""
        graph = self.net.graph
        for _ in range(6):
            refuted = self.outcome.refuted
            for moving in (False, True):
                self._add(moving)
                self._merge_in(moving, 1 + graph.leaves)
            if self.outcome.refuted == refuted or self._tired():
                break

    def _merge_in(self, moving: bool, first: int) -> None:
        rows = self.rows.move if moving else self.rows.position
        self.work.spend(_VISIT * len(rows))
        odd = (rows[:, 0] & np.uint64(1)).astype(np.bool_)
        keys = np.where(odd[:, None], ~rows, rows)
        usable = np.array(self.count) > 0
        usable[:first] = True
        if not moving:
            usable &= ~self.late
        classes: dict[bytes, list[int]] = {}
        for gate in np.flatnonzero(usable).tolist():
            known = classes.setdefault(keys[gate].tobytes(), [])
            if gate < first or self.late[gate] != moving or self.right[gate] == 1 or self.count[gate] == 0:
                known.append(gate)
                continue
            for other in known[:2]:
                if self._tired():
                    return
                x = 2 * other + int(odd[other] != odd[gate])
                if self._agree(gate, x) and self._proved(gate, x, 1):
                    self._replace(gate, x, 1)
                    self.outcome.merged += 1
                    break
            else:
                known.append(gate)

    def _agree(self, gate: int, x: int) -> bool:
        """Are the gate and the literal equal in the samples, the newest included?"""
        bank = self._bank(gate)
        return bool(((bank[gate] ^ bank[x >> 1]) == _PHASE[x & 1]).all())

    # ---- resubstitution --------------------------------------------------------------------------

    def resubstitute(self, widest: int = 400) -> None:
        """Make gates an AND or OR of two earlier gates where that frees at least two others."""
        graph = self.net.graph
        first = 1 + graph.leaves
        if self.outcome.merged:  # else its patience is that of both searches together
            self.found_at = self.work.spent
        out = np.zeros(widest, np.int64)
        for gate in range(len(graph) - 1, first - 1, -1):
            if self._tired():
                return
            if self.count[gate] == 0 or self.right[gate] == 1:
                continue
            dead = self._free(gate)
            self._restore(dead)
            self.work.spend(_VISIT * len(dead))
            if len(dead) < 2:
                continue
            usable = self.usable.copy() if self.late[gate] else self.usable & ~self.late
            usable[dead] = False
            self._try_gate(gate, usable, out)

    def _try_gate(self, gate: int, usable: Bools, out: Longs) -> None:
        for sign in (np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)):
            rows = self._bank(gate)
            n, seen = _supersets(rows, usable, gate, sign, out)
            self.work.spend(_VISIT + seen // _SCANNED)
            start = 0
            for _ in range(6):
                i, j = _pair(rows, out, n, rows[gate], sign, start)
                self.work.spend(_VISIT + (i - start) * n // _PAIRS)
                if i == n:
                    break
                start = i + 1
                x, y = int(out[i]), int(out[j])
                if self._gain(gate, (x, y)) >= 1 and self._proved(gate, x, y, negative=bool(sign)):
                    self._install(gate, x, y, bool(sign))
                    self.outcome.rebuilt += 1
                    return

    def _install(self, gate: int, x: int, y: int, negative: bool) -> None:
        """The gate becomes x AND y; a negative one is remembered and its users flipped in `finish`."""
        self._replace(gate, x, y)
        if negative:
            self.flipped.add(gate)

    def finish(self) -> Net:
        """The changed net, rebuilt."""
        flipped = self.flipped

        def make(fresh: Graph, gate: int, get: Callable[[int], int]) -> int | None:
            if gate not in flipped:
                return None
            return fresh.land(get(self.left[gate]), get(self.right[gate])) ^ 1

        return rebuild(self.net, make=make, order=[g for g in sorted(flipped) if self.count[g]])


def reduce_by_proof(
    net: Net, roles: Sequence[tuple[int, int]], care: Care, samples: Samples, work: Work, *, pairs: bool
) -> tuple[Net, Outcome]:
    """Merge equal gates; with `pairs`, resubstitute too. Nets with feedback are returned as they are."""
    if net.graph.feedback or not samples.moving.any():
        return net, Outcome()
    run = Resubstitution(net, roles, care, samples, work)
    run.merge()
    if pairs:
        run.resubstitute()
    return run.finish(), run.outcome
