"""The slow, obvious meaning of a ground program: least fixpoint, stratum by stratum.

This is the oracle every circuit is compared with; it shares no code with the compiler but the order of
strata.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gdl.grounding.strata import components
from gdl.program import GroundProgram
from ggp.core.errors import CycleError


@dataclass(frozen=True)
class Answer:
    """What holds after one evaluation: the set of true atoms."""

    true: frozenset[int]

    def holds(self, atom: int) -> bool:
        """Is the atom true? Atom 0 never is."""
        return atom in self.true


class Evaluator:
    """Answers questions about positions of one ground program."""

    def __init__(self, program: GroundProgram) -> None:
        self.program = program
        self.bodies: dict[int, list[tuple[int, ...]]] = {}
        for head, body in program.rules:
            self.bodies.setdefault(head, []).append(body)
        self.strata = components(self.bodies)
        self.late = self._needs_inputs()
        for stratum in self.strata:
            inside = set(stratum)
            if any(-x in inside for head in stratum for body in self.bodies.get(head, ()) for x in body):
                raise CycleError([program.names[atom] for atom in stratum])

    def _needs_inputs(self) -> set[int]:
        """Atoms that depend on what is done."""
        late = {pair.does for pair in self.program.inputs}
        for stratum in self.strata:
            if any(abs(x) in late for head in stratum for body in self.bodies.get(head, ()) for x in body):
                late.update(stratum)
        return late

    def evaluate(self, state: Iterable[int], moves: Iterable[int] = (), *, all_atoms: bool = True) -> Answer:
        """Evaluate with the given bases (indices) and inputs (indices); without `all_atoms`, only the
        position.
        """
        true = {self.program.bases[i].true for i in state} | {self.program.inputs[j].does for j in moves}
        for stratum in self.strata:
            if not all_atoms and stratum[0] in self.late:
                continue
            if len(stratum) == 1:
                if self._derived(stratum[0], true):
                    true.add(stratum[0])
                continue
            changed = True
            while changed:
                changed = False
                for head in stratum:
                    if head not in true and self._derived(head, true):
                        true.add(head)
                        changed = True
        return Answer(frozenset(true))

    def _derived(self, head: int, true: set[int]) -> bool:
        """Does some body of the head hold?"""
        return any(all((abs(x) in true) == (x > 0) for x in body) for body in self.bodies.get(head, ()))
