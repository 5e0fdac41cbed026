"""Explain why something holds in a position, or why it does not.

The answer is the support of an atom in the ground rules: a body that holds, and why each part of it does. Atoms of the
next position are asked with the joint move of the step as well (--then).

  ggp why games/tic_tac_toe.kif "(legal o (mark 2 2))" --moves "(mark 1 1) noop"
  ggp why games/tic_tac_toe.kif "(next (marked 2 2 o))" --moves "(mark 1 1) noop" --then "noop (mark 2 2)"
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gdl import kif, load, parse_term
from ggp.commands.moves import add_moves, follow, joint_moves
from ggp.commands.options import add_game, add_machine, limits
from ggp.errors import UsageError
from ggp.library import game_file
from ggp.machines import ground_limits


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp why`."""
    add_game(parser)
    parser.add_argument("atom", metavar="ATOM", help='what to explain: "(legal white (mark 1 1))", "terminal", …')
    add_moves(parser)
    parser.add_argument("--then", default="", metavar="MOVES", help="a joint move that is made in the position")
    add_machine(parser)


def run(options: Namespace) -> int:
    """Explain one atom; 0 if it holds, 1 if it does not."""
    from ggp.circuits.propnet import Explainer  # numba takes a second: only where it is used
    from ggp.machines.circuit import CircuitMachine

    ruleset = load(game_file(options.file))
    try:
        wanted = kif(parse_term(options.atom))
    except ValueError:
        raise UsageError(f"{options.atom!r} is no atom") from None
    machine = CircuitMachine.compile(ruleset, ground_limits(limits(options)))
    position = follow(ruleset, machine, options.moves)
    then = joint_moves(ruleset, options.then)
    moves = [machine.input_number(role, move) for joint in then[:1] for role, move in enumerate(joint)]
    state = machine.bits(position).nonzero()[0].tolist()
    explainer = Explainer(machine.program, state, moves)
    atom = explainer.find(wanted)
    if atom is None:
        print(f"{wanted}: no rule over the state speaks of it: it holds always, never, or is no atom of this game")
        return 1
    print("\n".join(explainer.explain(atom)))
    return 0 if explainer.holds(atom) else 1
