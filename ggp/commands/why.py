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
from typing import Any

from gdl import Atom, Ruleset, kif, load
from ggp.analysis.reasons import Answer, explain, read_atom
from ggp.commands.moves import add_moves, follow, joint_moves
from ggp.commands.options import add_game, add_machine, limits
from ggp.core.errors import PrologMissingError
from ggp.core.library import game_file
from ggp.core.progress import Status
from ggp.machines import Machine, PrologMachine, ground_limits, make_machine


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp why`."""
    add_game(parser)
    parser.add_argument("atom", metavar="ATOM", help='what to explain: "(legal white (mark 1 1))", "terminal", …')
    add_moves(parser)
    parser.add_argument("--then", default="", metavar="MOVES", help="a joint move that is made in the position")
    parser.add_argument("--json", action="store_true", help="print an object")
    add_machine(parser)


def run(options: Namespace) -> int:
    """Explain one atom; 0 if it holds, 1 if it does not."""
    ruleset = load(game_file(options.file))
    answer = _answer(options, ruleset, read_atom(options.atom))
    print(json.dumps(answer.data(), indent=1) if options.json else answer.text())
    return 0 if answer.holds else 1


def _answer(options: Namespace, ruleset: Ruleset, atom: Atom) -> Answer:
    fluents = _fluents(options, ruleset)
    then = joint_moves(ruleset, options.then)
    with Status(options.progress) as status:
        status.show("grounding")
        return explain(ruleset, atom, fluents, then[0] if then else None, ground_limits(limits(options)))


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
