"""Generate an artificial game from a seed; the same seed gives the same text.

p-game: two players move in turn along a tree whose moves have values, and the sign of their sum tells who wins. With
--combine, so many of the nodes of each level are combined with others: a graph where several ways lead to one position.

  ggp generate p-game --depth 8 --branching 2 --combine 0.2 --seed 1 --output p_game.kif
  ggp generate p-game --depth 6 --branching 4
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from ggp.commands import options as shared
from ggp.commands.writing import write_new


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp generate`."""
    parser.add_argument("game", choices=("p-game",), help="what to generate")
    parser.add_argument("--depth", type=shared.positive_int, required=True, metavar="N", help="moves of a play")
    parser.add_argument("--branching", type=shared.positive_int, default=2, metavar="N",
                        help="moves in each position (default: %(default)s)")  # fmt: skip
    parser.add_argument("--combine", type=_share, default=0.0, metavar="SHARE",
                        help="share of nodes combined with others: 0.2 is 20 percent (default: 0, a tree)")  # fmt: skip
    parser.add_argument("--output", type=Path, metavar="FILE",
                        help="write this file instead of printing; it must not be there yet")  # fmt: skip
    shared.add_seed(parser)


def run(options: Namespace) -> int:
    """Write the description."""
    from ggp.generators.pgame import PGame  # numpy takes a while, and other commands do not need it
    from ggp.generators.pgame_text import describe

    text = describe(PGame(options.depth, options.branching, options.combine, options.seed))
    if options.output is None:
        sys.stdout.write(text)
        return 0
    write_new(options.output, text)
    print(f"{options.output}: written")
    return 0


def _share(text: str) -> float:
    """A number from 0 to below 1, for argparse."""
    value = float(text)
    if not 0 <= value < 1:
        raise ArgumentTypeError(f"{text} is not from 0 to below 1")
    return value
