"""Measure how fast a machine plays: uniformly random complete playouts from the first position, goals read.

Rates are per second of processor time of one core. This is how speed claims are made: as ratios within one run.

  ggp bench games/*.kif
  ggp bench games/othello.kif --machine prolog --seconds 10 --json
"""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser, Namespace

from gdl import GdlError, load
from ggp.commands import options as shared
from ggp.errors import MachineError

NAME = "bench"


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp bench`."""
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--seconds", type=shared.positive_float, default=3.0, metavar="S",
                        help="processor time for each game (default: %(default)g)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print a list of objects, one for each game")
    shared.add_seed(parser)
    shared.add_steps(parser)
    shared.add_machine(parser)


def run(options: Namespace) -> int:
    """Measure every game; 3 if a machine failed on one."""
    rows: list[dict[str, object]] = []
    code = 0
    if not options.json:
        print(f"{'game':32} {'playouts/s':>12} {'positions/s':>12} {'length':>8} {'unfinished':>10} {'goals'}")
    for file in options.files:
        try:
            row = _measure(options, file)
        except (GdlError, MachineError) as error:
            print(f"{file}: {error}", file=sys.stderr)
            code = 3
            continue
        rows.append(row)
        if not options.json:
            goals = " ".join(f"{g:.1f}" for g in row["mean_goals"])  # type: ignore[attr-defined]
            print(
                f"{row['game']:32} {row['playouts_per_second']:>12,.2f} {row['positions_per_second']:>12,.0f}"
                f" {row['mean_length']:>8.1f} {row['unfinished']:>10} {goals}",
                flush=True,
            )
    if options.json:
        print(json.dumps(rows, indent=1))
    return code


def _measure(options: Namespace, file: str) -> dict[str, object]:
    start = time.perf_counter()
    ruleset = load(file)
    with shared.machine(options, ruleset) as machine:
        ready = time.perf_counter() - start
        totals = machine.playouts(
            machine.initial(), count=10**15, seconds=options.seconds, limit=options.steps, seed=options.seed
        )
    finished = max(1, totals.playouts - totals.unfinished)
    return {
        "game": file.rsplit("/", 1)[-1].removesuffix(".kif"),
        "machine": options.machine,
        "threads": 1,
        "seed": options.seed,
        "playouts": totals.playouts,
        "unfinished": totals.unfinished,
        "playouts_per_second": totals.playouts / totals.seconds,
        "positions_per_second": totals.steps / totals.seconds,
        "mean_length": totals.steps / totals.playouts,
        "mean_goals": [total / finished for total in totals.goal_sums],
        "load_seconds": ready,
    }
