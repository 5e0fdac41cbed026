"""Why something holds in a position, or why it does not: the support of an atom in the ground rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gdl import Atom, Ruleset, Variable, kif, parse, parse_term
from gdl.asked import telling
from gdl.grounding import GroundLimits, ground
from gdl.laws.possible import why_impossible
from gdl.program import GroundProgram
from gdl.terms import is_ground
from ggp.core.errors import UsageError
from ggp.machines.machine import JointMove

if TYPE_CHECKING:
    from ggp.circuits.propnet import Reason


_QUESTIONS = frozenset({"legal", "next", "terminal", "goal", "sees"})
"""What is asked of positions in any case."""


@dataclass(frozen=True)
class Answer:
    """What is said of an atom."""

    atom: str
    holds: bool
    scope: str = "position"
    """`position`, or `always` or `never` where the answer is the same in all positions."""
    messages: tuple[str, ...] = ()
    """Why the atom never holds."""
    reason: Reason | None = None
    """Why it holds in this position, or why not."""

    def text(self) -> str:
        """As a person reads it."""
        if self.reason is not None:
            return "\n".join(self.reason.lines())
        if self.scope == "always":
            return f"{self.atom} holds always: it does not depend on the position"
        return f"{self.atom} never holds: {'; '.join(self.messages)}"

    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        because = [] if self.reason is None else self.reason.data()["because"]
        found = {"atom": self.atom, "holds": self.holds, "scope": self.scope}
        return {**found, "messages": list(self.messages), "because": because}


def read_atom(text: str) -> Atom:
    """The atom that a text asks about; UsageError if it is none that can be explained."""
    try:
        atom = parse_term(text)
    except ValueError:
        raise UsageError(f"{text!r} is no atom") from None
    if isinstance(atom, Variable) or not is_ground(atom):
        raise UsageError(f"{kif(atom)} has variables: ask of one atom at a time, with names in their places")
    if atom.name in ("base", "input"):
        raise UsageError(f"{atom.name} is a list for players, no part of play: ask of true, does or legal")
    return atom


def explain(
    ruleset: Ruleset, atom: Atom, fluents: Iterable[str] | None, then: JointMove | None, within: GroundLimits
) -> Answer:  # fmt: skip
    """What is said of an atom where just these fluents hold; None for those of the first position.

    `then` is a joint move that is made there.
    """
    from ggp.circuits.propnet import Explainer  # numba takes a second: only where it is used

    wanted = kif(atom)
    messages = tuple(why_impossible(ruleset, atom))
    if messages:
        return Answer(wanted, False, "never", messages)
    held = None if fluents is None else list(fluents)
    program, asked = (ground(ruleset, within), 0) if atom.name in _QUESTIONS else _asked(ruleset, wanted, within)
    explainer = Explainer(program, *_moved(program, held, then))
    number = explainer.find(wanted)
    if number is None and atom.name in _QUESTIONS:  # no rule gives it, or it holds always
        program, asked = _asked(ruleset, wanted, within)
        explainer = Explainer(program, *_moved(program, held, then))
        number = explainer.find(wanted)
    if number is None:
        bodies = [body for head, body in program.rules if head == asked]
        if not bodies:
            return Answer(wanted, False, "never", ("no position that play can reach gives it",))
        if () in bodies:
            return Answer(wanted, True, "always")
        number = asked
    return Answer(wanted, explainer.holds(number), reason=explainer.explain(number))


def _asked(ruleset: Ruleset, wanted: str, within: GroundLimits) -> tuple[GroundProgram, int]:
    """The ground program of the game in which a role is told of the atom, and the atom that says so: 0 if never."""
    told = telling(ruleset, [("and", (), wanted)])
    program = ground(Ruleset(parse(told.source)), within)
    return program, next((seen.atom for seen in program.sees if seen.percept == f"({told.percept} 0)"), 0)


def _moved(program: GroundProgram, fluents: Iterable[str] | None, then: JointMove | None) -> tuple[list[int], list[int]]:
    """The numbers of the bases that hold, and of the inputs of the move that is made."""
    bases = {base.fluent: number for number, base in enumerate(program.bases)}
    inputs = {(pair.role, pair.move): number for number, pair in enumerate(program.inputs)}
    held = program.initial if fluents is None else (bases[fluent] for fluent in fluents if fluent in bases)
    made = [(role, kif(move)) for role, move in enumerate(then or ())]
    for role, move in made:
        if (role, move) not in inputs:
            raise UsageError(f"--then: {program.roles[role]} can never do {move}")
    return sorted(held), [inputs[pair] for pair in made]
