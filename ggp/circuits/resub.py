"""Simulation-guided merging and resubstitution, proved by SAT under the care set.

A gate may be replaced by anything that agrees with it on every reachable position and legal joint move.
Samples of random playouts suggest replacements (another gate, or one AND or OR of two others, when that
frees more gates than it costs), and the solver proves them; counterexamples become further samples.
Replacements are written in place: a gate gets new operands among earlier gates, and its function on the care
set never changes, so earlier proofs stay true.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.circuits.graph import Graph, Net
from ggp.circuits.invariants import Samples
from ggp.circuits.rebuild import rebuild
from ggp.circuits.signatures import Signatures, arrays, evaluate_all, late_gates, signatures
from ggp.circuits.simulate import Words, pack
from ggp.circuits.solver import Care, Solver
from ggp.kernels import kernel


@dataclass
class Effort:
    """What a call did."""

    merged: int = 0
    rebuilt: int = 0
    refuted: int = 0
    unknown: int = 0


@kernel
def _supersets(rows, candidates, target, sign, out):  # type: ignore[no-untyped-def]
    """Literals of candidate gates whose row contains the target row (xor `sign`); returns how many, in
    `out`.
    """
    words = rows.shape[1]
    flip = np.uint64(0xFFFFFFFFFFFFFFFF)
    n = 0
    for k in range(len(candidates)):
        c = candidates[k]
        for phase in range(2):
            m = flip if phase else np.uint64(0)
            good = True
            for w in range(words):
                if (target[w] ^ sign) & ~(rows[c, w] ^ m):
                    good = False
                    break
            if good and n < len(out):
                out[n] = 2 * c + phase
                n += 1
    return n


@kernel
def _pair(rows, literals, n, target, sign, start):  # type: ignore[no-untyped-def]
    """First pair (i, j), i < j, from index `start` on with AND of the two rows equal to the target (xor
    `sign`).
    """
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
    return -1, -1


class Resubstitution:
    """One run over a net; the net's graph is changed in place and rebuilt at the end."""

    def __init__(
        self, net: Net, roles: Sequence[tuple[int, int]], care: Care, samples: Samples, *, seconds: float
    ) -> None:
        self.stop = time.process_time() + seconds
        self.net = rebuild(net)
        self.roles = roles
        self.care = care
        self.solver = Solver(self.net, roles, care, conflicts=1500)
        self.late = late_gates(self.net)
        self.rows: Signatures = signatures(self.net, samples)
        self.original = arrays(self.net)  # what the solver knows, and what samples are evaluated with
        self.effort = Effort()
        self.flipped: set[int] = set()  # gates whose new operands compute the complement
        self.extra: list[tuple[bool, list[bool]]] = []
        graph = self.net.graph
        self.left, self.right = graph.left, graph.right
        self.count = self._uses()

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

    def _replace(self, gate: int, x: int, y: int) -> None:
        """Give the gate new operands. Operand 1 as y makes it a copy of x."""
        self.count[x >> 1] += 1
        self.count[y >> 1] += 1
        self._free(gate)
        self.left[gate], self.right[gate] = x, y

    def _bank(self, gate: int) -> Words:
        return self.rows.move if self.late[gate] else self.rows.position

    def _learn(self, moving: bool, values: list[bool]) -> None:
        """Keep a counterexample; every 64 of a kind become a further word of samples."""
        self.effort.refuted += 1
        self.extra.append((moving, values))
        for kind in (False, True):
            found = [values for mode, values in self.extra if mode == kind]
            if len(found) == 64:
                leaves = evaluate_all(*self.original, pack(np.array(found, np.bool_).T))
                if kind:
                    self.rows.move = np.concatenate([leaves, self.rows.move], axis=1)
                else:
                    self.rows.position = np.concatenate([leaves, self.rows.position], axis=1)
                self.extra = [item for item in self.extra if item[0] != kind]

    def _proved(self, gate: int, x: int, y: int, *, negative: bool = False) -> bool:
        """Is the gate, or its complement if `negative`, the AND of two literals (y = 1: x itself) on the care set?"""
        solver, moving = self.solver, bool(self.late[gate])
        g = solver.literal(2 * gate) * (-1 if negative else 1)
        leaves = [2 * k for k in range(1, 1 + self.net.graph.leaves)]
        a = solver.literal(x)
        questions = [[g, -a]]
        if y == 1:
            questions.append([-g, a])
        else:
            b = solver.literal(y)
            questions += [[g, -b], [-g, a, b]]
        for question in questions:
            impossible, values = solver.witness(question, leaves, moving=moving)
            if impossible is None:
                self.effort.unknown += 1
                return False
            if not impossible:
                self._learn(moving, values)
                return False
        return True

    # ---- merging ---------------------------------------------------------------------------------

    def merge(self) -> None:
        """Make each gate a copy of an earlier gate (or a constant) that it always equals."""
        graph = self.net.graph
        for _ in range(6):
            refuted, merged = self.effort.refuted, self.effort.merged
            for moving in (False, True):
                self._merge_in(moving, 1 + graph.leaves)
            if self.effort.refuted == refuted or time.process_time() > self.stop:
                break
            if self.effort.merged == merged and self.effort.refuted - refuted < 64:
                break

    def _merge_in(self, moving: bool, first: int) -> None:
        rows = self.rows.move if moving else self.rows.position
        classes: dict[bytes, list[int]] = {}
        for gate in range(len(self.net.graph)):
            if not moving and self.late[gate]:
                continue
            if gate >= first and self.count[gate] == 0:
                continue
            row = rows[gate]
            flipped = bool(int(row[0]) & 1)
            key = (~row if flipped else row).tobytes()
            known = classes.setdefault(key, [])
            if gate >= first and self.late[gate] == moving and self.right[gate] != 1:
                for other in known[:2]:
                    if time.process_time() > self.stop:
                        return
                    same = bool(int(rows[other, 0]) & 1) == flipped
                    x = 2 * other + (0 if same else 1)
                    if self._proved(gate, x, 1):
                        self._replace(gate, x, 1)
                        self.effort.merged += 1
                        break
                else:
                    known.append(gate)
            else:
                known.append(gate)

    # ---- resubstitution --------------------------------------------------------------------------

    def resubstitute(self, widest: int = 400) -> None:
        """Make gates an AND or OR of two earlier gates where that frees at least two others."""
        graph = self.net.graph
        first = 1 + graph.leaves
        out = np.zeros(widest, np.int64)
        for gate in range(len(graph) - 1, first - 1, -1):
            if time.process_time() > self.stop:
                return
            if self.count[gate] == 0 or self.right[gate] == 1:
                continue
            dead = self._free(gate)
            self._restore(dead)
            if len(dead) < 2:
                continue
            self._try_gate(gate, set(dead), out)

    def _candidates(self, gate: int, dead: set[int]) -> NDArray[np.int64]:
        """Earlier live gates of the right cone, nearest first."""
        late = self.late
        usable = [
            k
            for k in range(gate - 1, 0, -1)
            if (self.count[k] or k <= self.net.graph.leaves)
            and k not in dead
            and (late[gate] or not late[k])
            and self.right[k] != 1
        ]
        return np.array(usable, np.int64)

    def _try_gate(self, gate: int, dead: set[int], out: NDArray[np.int64]) -> None:
        candidates = self._candidates(gate, dead)
        for sign in (np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)):
            rows = self._bank(gate)
            n = _supersets(rows, candidates, rows[gate], sign, out)
            start = 0
            for _ in range(6):
                i, j = _pair(rows, out, n, rows[gate], sign, start)
                if i < 0:
                    break
                start = i + 1
                x, y = int(out[i]), int(out[j])
                if self._gain(gate, (x, y)) >= 1 and self._proved(gate, x, y, negative=bool(sign)):
                    self._install(gate, x, y, bool(sign))
                    self.effort.rebuilt += 1
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
    net: Net, roles: Sequence[tuple[int, int]], care: Care, samples: Samples, *, seconds: float, pairs: bool
) -> tuple[Net, Effort]:
    """Merge equal gates; with `pairs`, resubstitute too. Nets with feedback are returned as they are."""
    if net.graph.feedback or not samples.moving.any():
        return net, Effort()
    run = Resubstitution(net, roles, care, samples, seconds=seconds)
    run.merge()
    if pairs:
        run.resubstitute()
    return run.finish(), run.effort
