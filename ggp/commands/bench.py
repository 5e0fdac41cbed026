"""Measure how fast a machine plays: uniformly random complete playouts from the first position, goals read.

Rates are per second of processor time of one core (of wall time with --threads). Speed claims are ratios within one run.
Every playout that was begun is played to its end, so that lengths and goals are those of all playouts and not of the
short ones; however few --seconds are, each lane plays one at least.

  ggp bench games/*.kif --machine circuit
  ggp bench games/othello.kif --machine prolog --seconds 10 --json
  ggp bench --all --markdown --seconds 2

--compile measures the compiler instead: the processor seconds from a game's text to the first playout on its first
circuit, which is there soonest, and on its last; nothing that was kept of earlier compilations is used.

  ggp bench --all --compile

--signature searches a fixed list of games instead and prints one number that changes when, and only when, searches behave
differently; it does not depend on speed or on what runs the lanes.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from ggp.commands import options as shared
from ggp.core import faults
from ggp.core.errors import UsageError
from ggp.core.library import library
from ggp.core.progress import Status


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp bench`."""
    parser.add_argument("files", nargs="*", metavar="GAME", help=shared.GAME)
    parser.add_argument("--all", action="store_true", help="every game of the library")
    parser.add_argument("--compile", action="store_true", help="how long it takes to compile each game")
    parser.add_argument("--signature", action="store_true", help="what searches do, as one number")
    parser.add_argument("--seconds", type=shared.positive_float, default=3.0, metavar="S",
                        help="processor time for each game (default: %(default)g)")  # fmt: skip
    parser.add_argument("--threads", type=shared.positive_int, default=1, metavar="N",
                        help="banks on as many threads; circuits only (default: 1)")  # fmt: skip
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print a list of objects, one for each game")
    how.add_argument("--markdown", action="store_true", help="print a table in Markdown")
    shared.add_seed(parser)
    shared.add_steps(parser)
    shared.add_machine(parser)


def run(options: Namespace) -> int:
    """Measure every game; the worst of what was wrong with one: see `ggp.core.faults`."""
    if options.signature:
        return _signature(options)
    if options.all == bool(options.files):
        raise UsageError("bench takes files or --all" + (", not both" if options.all else ""))
    if options.compile:
        return _compile(options)
    from ggp.lab.measure import measure  # numba takes a second: only where it is used

    rows: list[dict[str, Any]] = []
    code = 0
    for file in _files(options):
        try:
            with Status(options.progress) as status:
                row = measure(
                    file, options.machine, seconds=options.seconds, steps=options.steps, seed=options.seed,
                    limits=shared.limits(options), threads=options.threads, tell=status.about(Path(file).stem),
                )  # fmt: skip
        except Exception as error:  # whatever one game does, the others are measured
            code = max(code, _complain(file, error))
            continue
        for event in row.get("events", ()):
            print(f"ggp: {file}: {event}", file=sys.stderr)
        if row["unfinished"] == row["playouts"]:
            print(
                f"ggp: {file}: no playout came to an end within {options.steps} steps, so there are no goals; "
                "--steps allows longer ones", file=sys.stderr,
            )  # fmt: skip
        rows.append(row)
        if not options.json:
            _print(row, first=len(rows) == 1, markdown=options.markdown)
    if options.json:
        print(json.dumps(rows, indent=1))
    return code


def _files(options: Namespace) -> list[str]:
    return [str(game.path) for game in library()] if options.all else options.files


def _complain(file: str, error: Exception) -> int:
    """Say what was wrong with one game; the exit code that goes with it."""
    code, message = faults.explain(error)
    print(message if file in message else f"{file}: {message}", file=sys.stderr)
    return code


_TIERS = "{game:34} {first:>9} {last:>9} {first_gates:>11} {last_gates:>11}  {slowest}"


def _compile(options: Namespace) -> int:
    """Measure how long it takes to compile every game."""
    from ggp.lab.measure import measure_tiers  # numba takes a second: only where it is used

    measure_tiers("tic_tac_toe", shared.limits(options))  # loads the kernels, so that the first game does not
    rows: list[dict[str, Any]] = []
    code = 0
    if not options.json:
        print(_TIERS.format(game="game", first="first s", last="last s", first_gates="first gates",
                            last_gates="last gates", slowest="slowest stages"))  # fmt: skip
    for file in _files(options):
        try:
            with Status(options.progress) as status:
                row = measure_tiers(file, shared.limits(options), status.about(Path(file).stem))
        except Exception as error:  # whatever one game does, the others are measured
            code = max(code, _complain(file, error))
            continue
        rows.append(row)
        if not options.json:
            stages = sorted(row["stages"].items(), key=lambda stage: -stage[1])[:3]
            print(_TIERS.format(
                game=row["game"], first=f"{row['first_seconds']:.2f}", last=f"{row['last_seconds']:.2f}",
                first_gates=f"{row['first_gates']:,}", last_gates=f"{row['last_gates']:,}",
                slowest=", ".join(f"{name} {seconds:.2f}" for name, seconds in stages)), flush=True)  # fmt: skip
    if options.json:
        print(json.dumps(rows, indent=1))
    return code


def _signature(options: Namespace) -> int:
    """Print what each search came to, and the signature of all."""
    from ggp.lab.signature import cases, combined, results  # numba takes a second: only where it is used

    if options.files or options.all or options.markdown:
        raise UsageError("bench --signature has its own list of games, and prints a table or --json")
    found = []
    for result in results(cases()):
        found.append(result)
        if not options.json:
            print(f"{result.case.label:50} {result.nodes:>7,} nodes  {result.digest}", flush=True)
    nodes = sum(result.nodes for result in found)
    if options.json:
        rows = [{"case": r.case.label, "nodes": r.nodes, "digest": r.digest} for r in found]
        print(json.dumps({"signature": combined(found), "nodes": nodes, "cases": rows}, indent=1))
    else:
        print(f"signature {combined(found)}, {nodes:,} nodes")
    return 0


HEADS = (
    "game", "playouts/s", "positions/s", "length", "unfinished", "gates", "load s", "compile s", "runs on", "goals",
)  # fmt: skip


def _print(row: dict[str, Any], *, first: bool, markdown: bool) -> None:
    cells = (
        str(row["game"]),
        f"{row['playouts_per_second']:,.0f}"
        if row["playouts_per_second"] >= 100
        else f"{row['playouts_per_second']:.2f}",
        f"{row['positions_per_second']:,.0f}",
        f"{row['mean_length']:.1f}",
        str(row["unfinished"]),
        f"{row['gates']:,}" if "gates" in row else "",
        f"{row['load_seconds']:.2f}",
        f"{sum(row['compile_seconds'].values()):.1f}" if "compile_seconds" in row else "",
        str(row.get("runs_on", row["machine"])),
        " ".join("-" if goal is None else f"{goal:.1f}" for goal in row["mean_goals"]),
    )
    widths = (32, 15, 15, 7, 11, 9, 7, 10, 13, 0)
    if markdown:
        if first:
            print("| " + " | ".join(HEADS) + " |")
            print("|---" + "|--:" * (len(HEADS) - 3) + "|---" * 2 + "|")
        print("| " + " | ".join(cells) + " |", flush=True)
        return
    lines = [HEADS, cells] if first else [cells]
    for line in lines:
        print(
            f"{line[0]:{widths[0]}}" + "".join(f"{c:>{w}}" for c, w in zip(line[1:-1], widths[1:-1], strict=True)),
            line[-1],
            flush=True,
        )
