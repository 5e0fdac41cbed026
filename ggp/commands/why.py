"""Explain why something holds in a position, or why it does not.

The answer is the support of an atom in the ground rules: a body that holds, and why each part of it does. Atoms of the
next position are asked with the joint move of the step as well (--then). What can never hold is said to be so, with the
name that was probably meant. It takes as long as grounding the rules, and no longer than --time-limit allows that.

  ggp why games/tic_tac_toe.kif "(legal o (mark 2 2))" --moves "(mark 1 1) noop"
  ggp why games/tic_tac_toe.kif "(next (marked 2 2 o))" --moves "(mark 1 1) noop" --then "noop (mark 2 2)"
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gdl import Atom, Ruleset, Variable, kif, load, parse, parse_term
from gdl.asked import telling
from gdl.grounding import GroundLimits, ground
from gdl.laws.possible import why_impossible
from gdl.program import GroundProgram
from gdl.terms import is_ground
from ggp.commands.moves import add_moves, follow, joint_moves
from ggp.commands.options import add_game, add_machine, limits
from ggp.core.errors import PrologMissingError, UsageError
from ggp.core.library import game_file
from ggp.core.progress import Status
from ggp.machines import Machine, PrologMachine, ground_limits, make_machine
from ggp.machines.machine import JointMove

if TYPE_CHECKING:
    from ggp.circuits.propnet import Reason


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp why`."""
    add_game(parser)
    parser.add_argument("atom", metavar="ATOM", help='what to explain: "(legal white (mark 1 1))", "terminal", …')
    add_moves(parser)
    parser.add_argument("--then", default="", metavar="MOVES", help="a joint move that is made in the position")
    parser.add_argument("--json", action="store_true", help="print an object")
    add_machine(parser)


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


def run(options: Namespace) -> int:
    """Explain one atom; 0 if it holds, 1 if it does not."""
    ruleset = load(game_file(options.file))
    answer = _answer(options, ruleset, _atom(options.atom))
    print(json.dumps(answer.data(), indent=1) if options.json else answer.text())
    return 0 if answer.holds else 1


def _atom(text: str) -> Atom:
    try:
        atom = parse_term(text)
    except ValueError:
        raise UsageError(f"{text!r} is no atom") from None
    if isinstance(atom, Variable) or not is_ground(atom):
        raise UsageError(f"{kif(atom)} has variables: ask of one atom at a time, with names in their places")
    if atom.name in ("base", "input"):
        raise UsageError(f"{atom.name} is a list for players, no part of play: ask of true, does or legal")
    return atom


def _answer(options: Namespace, ruleset: Ruleset, atom: Atom) -> Answer:
    from ggp.circuits.propnet import Explainer  # numba takes a second: only where it is used

    wanted = kif(atom)
    messages = tuple(why_impossible(ruleset, atom))
    if messages:
        return Answer(wanted, False, "never", messages)
    fluents = _fluents(options, ruleset)
    then = joint_moves(ruleset, options.then)
    within = ground_limits(limits(options))
    with Status(options.progress) as status:
        status.show("grounding")
        program, asked = (ground(ruleset, within), 0) if atom.name in _QUESTIONS else _asked(ruleset, wanted, within)
        explainer = Explainer(program, *_moved(program, fluents, then))
        number = explainer.find(wanted)
        if number is None and atom.name in _QUESTIONS:  # no rule gives it, or it holds always
            program, asked = _asked(ruleset, wanted, within)
            explainer = Explainer(program, *_moved(program, fluents, then))
            number = explainer.find(wanted)
    if number is None:
        bodies = [body for head, body in program.rules if head == asked]
        if not bodies:
            return Answer(wanted, False, "never", ("no position that play can reach gives it",))
        if () in bodies:
            return Answer(wanted, True, "always")
        number = asked
    return Answer(wanted, explainer.holds(number), reason=explainer.explain(number))


def _fluents(options: Namespace, ruleset: Ruleset) -> list[str] | None:
    """What holds after the moves so far; None if none were made, and what holds is what the ground rules say."""
    if not options.moves.strip():
        return None
    machine: Machine[Any]
    try:
        machine = PrologMachine(ruleset, limits(options), goals_within=False)
    except PrologMissingError:
        machine = make_machine("circuit", ruleset, limits(options))
    try:
        return [kif(fluent) for fluent in machine.fluents(follow(ruleset, machine, options.moves))]
    finally:
        machine.close()


def _asked(ruleset: Ruleset, wanted: str, within: GroundLimits) -> tuple[GroundProgram, int]:
    """The ground program of the game in which a role is told of the atom, and the atom that says so: 0 if never."""
    told = telling(ruleset, [("and", (), wanted)])
    program = ground(Ruleset(parse(told.source)), within)
    return program, next((seen.atom for seen in program.sees if seen.percept == f"({told.percept} 0)"), 0)


def _moved(
    program: GroundProgram, fluents: Iterable[str] | None, then: Sequence[JointMove]
) -> tuple[list[int], list[int]]:
    """The numbers of the bases that hold, and of the inputs of the move that is made."""
    bases = {base.fluent: number for number, base in enumerate(program.bases)}
    inputs = {(pair.role, pair.move): number for number, pair in enumerate(program.inputs)}
    held = program.initial if fluents is None else (bases[fluent] for fluent in fluents if fluent in bases)
    made = [(role, kif(move)) for joint in then[:1] for role, move in enumerate(joint)]
    for role, move in made:
        if (role, move) not in inputs:
            raise UsageError(f"--then: {program.roles[role]} can never do {move}")
    return sorted(held), [inputs[pair] for pair in made]
