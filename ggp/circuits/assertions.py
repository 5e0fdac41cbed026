"""Decide whether something ever holds in a position that play can reach: refuted by a line of play, proved, or neither.

What must never hold (an *answer*: an atom of the ground program) is looked for in random play first. What was not seen is
proved impossible under what is known of all reachable positions (`invariants`), or by induction: if no answer of the
standing assertions holds before a legal joint move, none holds after it.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    owners = {moving: [(w, a) for w, x in enumerate(watched) if x.moving is moving for a in x.answers] for moving in (False, True)}
    core = pruned(
        replace(
            program,
            goals=tuple(Goal(0, 0, atom) for _, atom in owners[False]),
            sees=tuple(Sees(0, "", atom) for _, atom in owners[True]),
        )
    )
    net = build_factored(core)
    circuit = emit(core, net)
    looked = look_for(circuit, Work(_PLAYING))
    lines: dict[int, Line] = {}
    for moving, found in ((False, looked.goals), (True, looked.percepts)):
        for number, line in found.items():
            owner, atom = owners[moving][number]
            if owner not in lines or len(line.moves) < len(lines[owner].moves):
                lines[owner] = replace(line, found=watched[owner].answers.index(atom))
    literals = [[] if w in lines else _literals(net, owners[x.moving], w, moving=x.moving) for w, x in enumerate(watched)]
    open_ = {w: literals[w] for w in range(len(watched)) if w not in lines}
    proved = _proved(core, net, circuit, open_, {w for w in open_ if watched[w].moving})
    return [Decision(lines.get(w), w in proved, looked.positions) for w in range(len(watched))]


def _literals(net: Net, owners: list[tuple[int, int]], owner: int, *, moving: bool) -> list[int]:
    """Of the answers of one assertion."""
    outputs = net.sees if moving else net.goals
    return [literal for (own, _), literal in zip(owners, outputs, strict=True) if own == owner]


def _proved(core: GroundProgram, net: Net, circuit: Circuit, open_: dict[int, list[int]], moving: set[int]) -> set[int]:
    """Those of the assertions of which no answer holds in any reachable position."""
    proved = {w for w, literals in open_.items() if not any(literals)}
    if len(proved) == len(open_) or net.size() > _PROVABLE:
        return proved
    work = Work(_PROVING)
    care = learn(core, net, CompileSettings(), work)[1]
    assert _holds_at_start(care, circuit)
    solver = Solver(net, roles_of(core), care, work, patience=work.left // _QUESTION)
    copies = _Copies(solver)
    bad = {w: solver.some(literals) for w, literals in open_.items()}
    after = {w: copies.after(bad[w]) for w in bad if w not in moving}
    for w in bad:
        if w not in proved and work.left and solver.impossible([bad[w]], moving=w in moving):
            proved.add(w)
    standing = {w for w in bad if w in proved or after.get(w) is not None}
    while True:  # assume all that stand, and drop what a move can break, until nothing is dropped
        assumed = [bad[w] ^ 1 for w in sorted(standing - moving)]
        for w in sorted(standing - proved):
            then = after[w]
            assert then is not None
            if not (work.left and solver.impossible([*assumed, then], moving=True)):
                standing.remove(w)
                break
        else:
            break
    proved |= standing
    assumed = [bad[w] ^ 1 for w in sorted(proved - moving)]
    return proved | {w for w in moving & bad.keys() if work.left and solver.impossible([*assumed, bad[w]], moving=True)}


def _holds_at_start(care: Care, circuit: Circuit) -> bool:
    """Whether what was proved by induction is so in the first position, which random play has looked at in any case."""
    held = circuit.initial
    counts = [(int(held[list(group.members)].sum()), group.some) for group in care.groups]
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
