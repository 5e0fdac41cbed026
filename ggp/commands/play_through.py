"""Print a random play step by step.

The text is the same for the same seed on every machine; it serves as a golden record in the tests.

  ggp play-through games/tic_tac_toe.kif --seed 7
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gdl import load
from ggp.commands import options as shared
from ggp.core.library import game_file
from ggp.machines.plays import Ending
from ggp.machines.transcript import transcript


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp play-through`."""
    shared.add_game(parser)
    parser.add_argument("--board", action="store_true", help="show each position as a board, too")
    shared.add_seed(parser)
    shared.add_steps(parser)
    shared.add_machine(parser)


def run(options: Namespace) -> int:
    """Print one play; 1 if it did not come to a terminal position."""
    ruleset = load(game_file(options.file))
    ending = None
    from ggp.boards import board
    from ggp.commands.showing import print_board  # rich takes a while: only where something is shown

    schema = board(ruleset) if options.board else None
    with shared.machine(options, ruleset) as machine:
        for text, step in transcript(ruleset, machine, options.seed, options.steps):
            print(text)
            ending = step.ending
            if schema is not None:
                fluents, legal = machine.fluents(step.position), step.situation.legal
                print_board(schema.view(fluents, legal=legal, over=step.situation.terminal))
    return 0 if ending is Ending.TERMINAL else 1
