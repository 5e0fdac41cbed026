"""Explain why something holds in a position, or why it does not.

The answer is the support of an atom in the ground rules: a body that holds, and why each part of it does. Atoms of the
next position are asked with the joint move of the step as well (--then). What can never hold is said to be so, with the
name that was probably meant.

  ggp why games/tic_tac_toe.kif "(legal o (mark 2 2))" --moves "(mark 1 1) noop"
  ggp why games/tic_tac_toe.kif "(next (marked 2 2 o))" --moves "(mark 1 1) noop" --then "noop (mark 2 2)"
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gdl import Atom, Ruleset, Source, Variable, kif, load, parse, parse_term
from gdl.grounding import GroundLimits, ground
from gdl.laws.possible import why_impossible
from gdl.program import GroundProgram
from gdl.terms import is_ground
from ggp.commands.moves import add_moves, follow, joint_moves
from ggp.commands.options import add_game, add_machine, limits
from ggp.errors import UsageError
from ggp.library import game_file
from ggp.machines import ground_limits
from ggp.progress import Status

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
    from ggp.machines.circuit import CircuitMachine

    wanted = kif(atom)
    messages = tuple(why_impossible(ruleset, atom))
    if messages:
        return Answer(wanted, False, "never", messages)
    with Status(options.progress) as status:
        machine = CircuitMachine.compile(ruleset, ground_limits(limits(options)), tell=status.show)
    position = follow(ruleset, machine, options.moves)
    then = joint_moves(ruleset, options.then)
    state = machine.bits(position).nonzero()[0].tolist()
    moves = [machine.input_number(role, move) for joint in then[:1] for role, move in enumerate(joint)]
    explainer = Explainer(machine.program, state, moves)
    number = explainer.find(wanted)
    if number is None:  # no question about a position needs it
        program, asked = _asked(ruleset, wanted, ground_limits(limits(options)))
        bodies = [body for head, body in program.rules if head == asked]
        if not bodies:
            return Answer(wanted, False, "never", ("no position that play can reach gives it",))
        if () in bodies:
            return Answer(wanted, True, "always")
        explainer = Explainer(program, *_moved(machine.program, program, state, moves))
        number = explainer.find(wanted) or asked
    return Answer(wanted, explainer.holds(number), reason=explainer.explain(number))


def _asked(ruleset: Ruleset, wanted: str, within: GroundLimits) -> tuple[GroundProgram, int]:
    """The ground program of the same game in which a role is told whether the atom holds, and the atom that says so.

    Grounding drops what no keyword relation needs, and folds up what always holds: to be told is to be needed. The atom
    is 0 if the answer is never yes.
    """
    percept = "asked"
    while percept in ruleset.description.words:
        percept += "x"
    text = f"{ruleset.source.text}\n(<= (sees {ruleset.roles[0]} {percept}) {wanted})"
    program = ground(Ruleset(parse(Source(text, ruleset.source.name))), within)
    return program, next((seen.atom for seen in program.sees if seen.percept == percept), 0)


def _moved(
    old: GroundProgram, new: GroundProgram, state: Iterable[int], moves: Iterable[int]
) -> tuple[list[int], list[int]]:
    """Numbers of bases and inputs of one program as those of another."""
    bases = {base.fluent: number for number, base in enumerate(new.bases)}
    inputs = {(pair.role, pair.move): number for number, pair in enumerate(new.inputs)}
    return [bases[old.bases[i].fluent] for i in state], [inputs[old.inputs[i].role, old.inputs[i].move] for i in moves]
