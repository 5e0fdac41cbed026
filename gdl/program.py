"""The ground program: propositional rules over numbered atoms, what the grounder hands over.

Words: a *fluent* is what may be inside `true`; a *base* is a ground fluent; an *input* is a ground (role,
move) pair. Atoms are numbered from 1; 0 stands for "never".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gdl.groundrules import GroundRule


class Base(NamedTuple):
    """A ground fluent: the atom that says it holds now, and the one that says it holds next."""

    fluent: str
    true: int
    next: int


class Input(NamedTuple):
    """A (role, move) pair: the atom that says it is done, and the one that says it is legal."""

    role: int
    move: str
    does: int
    legal: int


class Goal(NamedTuple):
    """`atom` says that `role` has `value` now."""

    role: int
    value: int
    atom: int


class Sees(NamedTuple):
    """`atom` says that `role` perceives `percept` after this joint move (GDL-II)."""

    role: int
    percept: str
    atom: int


@dataclass(frozen=True)
class GroundProgram:
    """A game as propositional rules.

    names     KIF text of atom i, names[0] == ""; auxiliary atoms of the splitter have a `#` in their relation
    rules     (head, body): body literals are +atom or -atom; a fact has an empty body; from the grounder as GroundRules
    roles     in the order of the rulesheet
    bases     sorted by fluent text
    initial   indices into bases
    inputs    grouped by role, then sorted by move text
    terminal  atom, 0 when the game never ends
    goals     every (role, value) that can hold; a value that is no integer from 0 to 100 is dropped by the grounder
    sees      GDL-II percepts
    """

    names: tuple[str, ...]
    rules: Sequence[GroundRule]
    roles: tuple[str, ...]
    bases: tuple[Base, ...]
    initial: frozenset[int]
    inputs: tuple[Input, ...]
    terminal: int
    goals: tuple[Goal, ...]
    sees: tuple[Sees, ...]

    def __reduce__(self) -> tuple[object, ...]:
        """Rows as columns: a pickle of a hundred thousand moves is made and read in a third of the time."""
        rows = (self.bases, self.inputs, self.goals, self.sees)
        columns = [tuple(zip(*part, strict=True)) for part in rows]
        return _from_columns, (self.names, self.rules, self.roles, self.initial, self.terminal, *columns)

    @property
    def outputs(self) -> list[int]:
        """Every atom somebody may ask for, without repetitions or zeros."""
        wanted = [base.next for base in self.bases]
        wanted += [pair.legal for pair in self.inputs]
        wanted += [self.terminal, *(goal.atom for goal in self.goals), *(seen.atom for seen in self.sees)]
        return [atom for atom in dict.fromkeys(wanted) if atom]


def _from_columns(
    names: tuple[str, ...],
    rules: Sequence[GroundRule],
    roles: tuple[str, ...],
    initial: frozenset[int],
    terminal: int,
    *columns: tuple[tuple[Any, ...], ...],
) -> GroundProgram:
    bases, inputs, goals, sees = columns
    return GroundProgram(
        names=names,
        rules=rules,
        roles=roles,
        bases=tuple(map(Base._make, zip(*bases, strict=True))),
        initial=initial,
        inputs=tuple(map(Input._make, zip(*inputs, strict=True))),
        terminal=terminal,
        goals=tuple(map(Goal._make, zip(*goals, strict=True))),
        sees=tuple(map(Sees._make, zip(*sees, strict=True))),
    )
