"""Rename a description as game servers do, to see that nothing hangs on names.

ggp scramble games/nim.kif --seed 3
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from gdl import load
from gdl.layout import layout
from gdl.scramble import scramble
from ggp.commands import options as shared
from ggp.core.library import game_file


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp scramble`."""
    shared.add_game(parser)
    parser.add_argument("--late-keywords", action="store_true", help="rename base, input, sees and random as well")
    parser.add_argument("--permute", action="store_true", help="change the order of rules and conditions as well")
    shared.add_seed(parser)


def run(options: Namespace) -> int:
    """Print the renamed description."""
    scrambled = scramble(
        load(game_file(options.file)).rules, options.seed, late_keywords=options.late_keywords, permute=options.permute
    )
    sys.stdout.write(layout(scrambled.text))
    return 0
