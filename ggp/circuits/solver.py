"""Proofs about a net under what is known of reachable positions: clingo as a SAT solver.

Every gate is one normal rule, leaves are choices, so the answer sets are the consistent valuations. Two
modes:

- *position*: any position that satisfies the proven invariants, terminal or not;
- *move*: besides, the position is not terminal, every role does exactly one move, and that move is legal.

Facts about the move cone may be proved in move mode; facts about the position cone only in position mode,
since terminal positions need not have legal moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import clingo

from ggp.circuits.graph import Net
from ggp.circuits.work import Work


@dataclass(frozen=True)
class Group:
    """Bases of which at most one holds; exactly one when `some` is set."""

    members: tuple[int, ...]
    some: bool


@dataclass(frozen=True)
class Care:
    """What is known of every reachable position, proved by induction.

    groups   mutually exclusive bases
    never    bases that never hold
    always   bases that always hold
    moves    groups of inputs of which exactly one is done in every joint move (besides those of each role)
    """

    groups: tuple[Group, ...] = ()
    never: tuple[int, ...] = ()
    always: tuple[int, ...] = ()
    moves: tuple[tuple[int, ...], ...] = ()


_LOADED, _REFUTED, _SATISFIED = 5 / 2, 1 / 16, 1 / 4
"""Work for each gate of a net: to load it, to find a contradiction, to find values for all gates."""
_VALUE = 1 / 3
"""Work for each value that is read from a counterexample."""
_QUESTION, _CONFLICT, _CONFLICT_GATE = 60, 20, 1 / 180
"""Work for each question and for each conflict; besides, a conflict costs the more the larger the net."""
_COUNTED = 4_000
"""The solver is asked for its conflicts after so much other work: asking takes as long as a small question."""
_LARGEST_SHARE = 4
"""A question gives up when its conflicts have cost this part of the work that was left at first."""


class Solver:
    """One clingo control that holds a net and answers questions about it; its work is counted."""

    def __init__(self, net: Net, roles: Sequence[tuple[int, int]], care: Care, work: Work, conflicts: int = 2000) -> None:
        self.net = net
        self.work = work
        self.control = clingo.Control(
            ["--warn=none", "--heuristic=Vsids", "--restarts=L,128", "--sign-def=rnd", "--stats=1"]
        )
        self.atoms: list[int] = []
        self.conflicts, self.uncounted = 0, 0  # so far, and the work of questions since they were counted
        self.conflict_cost = _CONFLICT + int(len(net.graph) * _CONFLICT_GATE)
        work.spend(int(len(net.graph) * _LOADED))
        with self.control.backend() as backend:
            self.backend = backend
            self._gates()
            self.moving = backend.add_atom()
            backend.add_rule([self.moving], [], choice=True)
            self._care(care)
            self._moves(roles, care)
        most = max(1, min(conflicts, work.left // (_LARGEST_SHARE * self.conflict_cost)))
        self.control.configuration.solve.solve_limit = str(most)  # type: ignore[union-attr]

    def _gates(self) -> None:
        graph = self.net.graph
        for gate in range(len(graph)):
            atom = self.backend.add_atom()
            self.atoms.append(atom)
            if gate == 0:
                continue
            if gate <= graph.leaves or gate in graph.feedback:
                self.backend.add_rule([atom], [], choice=True)
            else:
                body = [self.literal(graph.left[gate]), self.literal(graph.right[gate])]
                self.backend.add_rule([atom], body)

    def literal(self, x: int) -> int:
        """Clingo literal of a graph literal."""
        atom = self.atoms[x >> 1]
        return -atom if x & 1 else atom

    def count_atom(self, literals: Iterable[int], least: int) -> int:
        """Atom that says at least so many of some clingo literals hold."""
        atom: int = self.backend.add_atom()
        self.backend.add_weight_rule([atom], least, [(x, 1) for x in literals])
        return atom

    def forbid(self, *literals: int) -> None:
        """These clingo literals never hold together."""
        self.backend.add_rule([], list(literals))

    def _care(self, care: Care) -> None:
        for group in care.groups:
            members = [self.literal(2 * (1 + i)) for i in group.members]
            self.forbid(self.count_atom(members, 2))
            if group.some:
                self.forbid(*[-x for x in members])
        for i in care.never:
            self.forbid(self.literal(2 * (1 + i)))
        for i in care.always:
            self.forbid(-self.literal(2 * (1 + i)))

    def _moves(self, roles: Sequence[tuple[int, int]], care: Care) -> None:
        net = self.net
        first = 1 + net.bases
        groups = [range(lo, hi) for lo, hi in roles] + [list(group) for group in care.moves]
        for group in groups:
            members = [self.literal(2 * (first + j)) for j in group]
            self.forbid(self.moving, self.count_atom(members, 2))
            self.forbid(self.moving, *[-x for x in members])
        for j in range(net.inputs):
            self.forbid(self.moving, self.literal(2 * (first + j)), -self.literal(net.legal[j]))
        self.forbid(self.moving, self.literal(net.terminal))

    def impossible(self, literals: Sequence[int], *, moving: bool) -> bool | None:
        """Can the clingo literals never hold together? None when the limit was reached."""
        return self.witness(literals, (), moving=moving)[0]

    def witness(self, literals: Sequence[int], wanted: Sequence[int], *, moving: bool) -> tuple[bool | None, list[bool]]:
        """Like `impossible`, with the values of the wanted graph literals in a counterexample (empty:
        none).
        """
        mode = self.moving if moving else -self.moving
        found: list[bool] = []

        def keep(model: clingo.Model) -> None:
            found.extend(model.is_true(self.atoms[x >> 1]) ^ bool(x & 1) for x in wanted)

        result = self.control.solve(assumptions=[*literals, mode], on_model=keep if wanted else None)
        self._count(result.satisfiable, len(found))
        return (None if result.satisfiable is None else not result.satisfiable), found

    def _count(self, satisfied: bool | None, values: int) -> None:
        """Spend the work of a question."""
        gates = len(self.net.graph) * (_SATISFIED if satisfied else _REFUTED)
        cost = _QUESTION + int(gates + values * _VALUE)
        self.work.spend(cost)
        self.uncounted += cost
        if self.uncounted >= _COUNTED or satisfied is None:
            conflicts = int(self.control.statistics["accu"]["solving"]["solvers"]["conflicts"])
            self.work.spend((conflicts - self.conflicts) * self.conflict_cost)
            self.conflicts, self.uncounted = conflicts, 0
