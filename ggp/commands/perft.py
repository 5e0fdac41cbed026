"""Count a game's tree: positions by sequence of joint moves, level by level.

A mismatch with published numbers shows that a game or a machine is wrong.

  ggp perft games/connect_four.kif --depth 6
"""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser, Namespace

from gdl import load
from ggp.commands import options as shared
from ggp.core.library import game_file
from ggp.core.progress import Status


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp perft`."""
    shared.add_game(parser)
    parser.add_argument("--depth", type=shared.count, required=True, metavar="N", help="how many levels to go down")
    parser.add_argument("--json", action="store_true", help="print a list of levels")
    shared.add_machine(parser)


def run(options: Namespace) -> int:
    """Count one game."""
    ruleset = load(game_file(options.file))
    with Status(options.progress) as status, shared.machine(options, ruleset, status) as machine:
        start = time.perf_counter()
        levels = machine.perft(machine.initial(), options.depth)
        seconds = time.perf_counter() - start
    if options.json:
        found = [{"depth": d, "nodes": x.nodes, "terminals": x.terminals} for d, x in enumerate(levels)]
        print(json.dumps(found, indent=1))
        return 0
    print(f"{'depth':>5} {'nodes':>14} {'terminals':>14}")
    for depth, level in enumerate(levels):
        print(f"{depth:>5} {level.nodes:>14,} {level.terminals:>14,}")
    total, ends = sum(x.nodes for x in levels), sum(x.terminals for x in levels)
    print(f"{'all':>5} {total:>14,} {ends:>14,}   {seconds:.2f} s")
    return 0
