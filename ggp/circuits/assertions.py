"""Decide whether something ever holds in a position that play can reach: refuted by a line of play, proved, or neither.

What must never hold (an *answer*: an atom of the ground program) is looked for in random play first. What was not seen is
proved impossible under what is known of all reachable positions (`invariants`), or by induction: if no answer of the
standing assertions holds before a legal joint move, none holds after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gdl.program import Goal, GroundProgram, Sees
from ggp.circuits.build import build_factored
from ggp.circuits.circuit import Circuit
from ggp.circuits.compile import CompileSettings, learn, pruned, roles_of
from ggp.circuits.counterexamples import Line, look_for
from ggp.circuits.emit import emit
from ggp.circuits.graph import FALSE, Net
from ggp.circuits.solver import Care, Solver
from ggp.circuits.work import Work

_PLAYING, _PROVING = 2_000_000, 10_000_000
"""Work for random play, and for proofs: about so many microseconds."""
_PROVABLE = 250_000
"""Larger nets are not proved about [gates]."""
_QUESTION = 12
"""A question of the proofs may cost this part of what there is for all."""


@dataclass(frozen=True)
class Watched:
    """The answers of one assertion; `moving`: they speak of moves, so none holds of a position alone."""

    answers: tuple[int, ...]
    moving: bool = False


@dataclass(frozen=True)
class Decision:
    """What became of one assertion: a line to an answer, or else a proof, or else only that nothing was seen."""

    line: Line | None
    """Its `found` is the number of the answer."""
    is_proved: bool
    positions: int
    """So many positions of random play were looked at."""


def decide(program: GroundProgram, watched: Sequence[Watched]) -> list[Decision]:
    """A decision for each assertion."""
    still = [(w, atom) for w, own in enumerate(watched) if not own.moving for atom in own.answers]
    moving = [(w, atom) for w, own in enumerate(watched) if own.moving for atom in own.answers]
    goals, sees = [Goal(0, 0, atom) for _, atom in still], [Sees(0, "", atom) for _, atom in moving]
    core = pruned(replace(program, goals=tuple(goals), sees=tuple(sees)))
    net = build_factored(core)
    circuit = emit(core, net)
    looked = look_for(circuit, Work(_PLAYING))
    lines: dict[int, Line] = {}
    for owners, found in ((still, looked.goals), (moving, looked.percepts)):
        for number, line in found.items():
            owner, atom = owners[number]
            if owner not in lines or len(line.moves) < len(lines[owner].moves):
                lines[owner] = replace(line, found=watched[owner].answers.index(atom))
    literals: dict[int, list[int]] = {w: [] for w in range(len(watched)) if w not in lines}
    for (owner, _), literal in [*zip(still, net.goals, strict=True), *zip(moving, net.sees, strict=True)]:
        if owner in literals:
            literals[owner].append(literal)
    proved = {w for w, own in literals.items() if not any(own)}
    if len(proved) < len(literals) and net.size() <= _PROVABLE:
        proved |= _proved(core, net, circuit, literals, {w for w in literals if watched[w].moving})
    return [Decision(lines.get(w), w in proved, looked.positions) for w in range(len(watched))]


def _proved(
    core: GroundProgram, net: Net, circuit: Circuit, literals: Mapping[int, Sequence[int]], moving: set[int]
) -> set[int]:
    """The assertions of which none of the literals holds in any reachable position; `moving` ones speak of moves."""
    work = Work(_PROVING)
    care = learn(core, net, CompileSettings(), work)[1]
    assert _holds_at_start(care, circuit)
    solver = Solver(net, roles_of(core), care, work, patience=work.left // _QUESTION)
    copies = _Copies(solver)
    bad = {w: solver.some(own) for w, own in literals.items()}
    after = {w: then for w in sorted(bad.keys() - moving) if (then := copies.after(bad[w])) is not None}

    def never(literal: int, given: set[int], *, moves: bool) -> bool:
        assumed = [bad[other] ^ 1 for other in sorted(given)]
        return work.left > 0 and solver.impossible([*assumed, literal], moving=moves) is True

    proved = {w for w, literal in bad.items() if w not in moving and never(literal, set(), moves=False)}
    standing, dropped = proved | after.keys(), True
    while dropped:  # assume all that stand, and drop those that a move can break, until nothing is dropped
        dropped = False
        for w in sorted(standing - proved):
            if not never(after[w], standing, moves=True):
                standing.remove(w)
                dropped = True
    return standing | {w for w in sorted(moving) if never(bad[w], standing, moves=True)}


def _holds_at_start(care: Care, circuit: Circuit) -> bool:
    """Whether what was proved by induction is so in the first position, which random play has looked at in any case."""
    held = circuit.initial
    counts = [(int(held[list(group.members)].sum()), group.exact) for group in care.groups]
    kept = all(count == 1 if some else count <= 1 for count, some in counts)
    return kept and not held[list(care.never)].any() and bool(np.all(held[list(care.always)]))


class _Copies:
    """Literals of positions, said of the position after a move."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self._copied = {0: FALSE} | {1 + i: then for i, then in enumerate(solver.net.next)}

    def after(self, literal: int) -> int | None:
        """The literal after the move; None if it hangs on a positive cycle, which is not copied."""
        left, right, graph = self.solver.left, self.solver.right, self.solver.net.graph
        cone, stack = set[int](), [literal >> 1]
        while stack:
            gate = stack.pop()
            if gate in self._copied or gate in cone:
                continue
            if gate in graph.feedback or gate <= graph.leaves:
                return None
            cone.add(gate)
            stack += [left[gate] >> 1, right[gate] >> 1]
        for gate in sorted(cone):
            x, y = left[gate], right[gate]
            self._copied[gate] = self.solver.both(self._copied[x >> 1] ^ (x & 1), self._copied[y >> 1] ^ (y & 1))
        return self._copied[literal >> 1] ^ (literal & 1)
