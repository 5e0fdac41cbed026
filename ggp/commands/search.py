"""Search one position and show what the search found: its moves, the line it expects, the graph it grew.

Without --role, every role that has a choice gets a table. Visits, adapted mean goal and its 95 % interval of every move;
a goal that is proven, and the steps until it is reached. On one thread, the same seed, --simulations and --slots give
the same output, apart from times; --slots 1 makes one simulation after the other, as UCD is published. A game without a
circuit is searched on Prolog by the plain reference, which proves nothing and is slow; the output says so.

  ggp search games/tic_tac_toe.kif --moves "(mark 1 1) noop  noop (mark 1 2)" --simulations 20000
  ggp search games/connect_four.kif --player ucd:d1=2,c=30 --seconds 5 --threads 2
  ggp search games/hex_5x5.kif --dot graph.gv --top 40 && dot -Tsvg graph.gv > graph.svg
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl import Ruleset, kif, load
from ggp.commands import options as shared
from ggp.commands.moves import add_moves, follow
from ggp.commands.writing import write_new
from ggp.errors import UsageError
from ggp.library import game_file
from ggp.machines import Machine
from ggp.machines.machine import Situation, goal
from ggp.players import DEFAULT_PLAYER, SEARCHING, split_spec

if TYPE_CHECKING:
    from ggp.commands.looking import Budget, Look, Row
    from ggp.search.settings import SearchSettings


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp search`."""
    shared.add_game(parser)
    add_moves(parser)
    parser.add_argument("--role", metavar="ROLE", help="whose moves to show (default: every role that has a choice)")
    parser.add_argument("--player", "--params", default=DEFAULT_PLAYER, metavar="SPEC",
                        help="settings as a player has them: ucd:d1=1,c=40 (default: %(default)s)")  # fmt: skip
    much = parser.add_mutually_exclusive_group()
    much.add_argument("--seconds", type=shared.positive_float, metavar="S", help="how long to search (default: 1)")
    much.add_argument("--simulations", type=shared.positive_int, metavar="N", help="how many simulations")
    parser.add_argument("--threads", type=shared.positive_int, metavar="N", help="threads (default: 1)")
    parser.add_argument("--memory", type=shared.positive_float, metavar="MB", help="of the graph (default: 1024)")
    parser.add_argument("--slots", type=shared.positive_int, metavar="N",
                        help="simulations under way for each thread (default: 64)")  # fmt: skip
    parser.add_argument("--top", type=shared.positive_int, default=20, metavar="N",
                        help="moves in a table, nodes in a drawing (default: %(default)s)")  # fmt: skip
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print one object, with all moves")
    how.add_argument("--dot", nargs="?", const="-", metavar="FILE",
                     help="draw the most visited nodes for Graphviz, into a new file or on the screen")  # fmt: skip
    shared.explain_players(parser)
    shared.add_seed(parser)
    shared.add_machine(parser)


def run(options: Namespace) -> int:
    """Search one position."""
    ruleset = load(game_file(options.file))
    from ggp.commands.looking import look  # numpy and numba take a second: only where they are used

    settings, budget = _wishes(options)
    if options.role is not None and options.role not in ruleset.roles:
        raise UsageError(f"--role: there is no role {options.role!r}; known are: {' '.join(ruleset.roles)}")
    if options.dot not in (None, "-") and Path(options.dot).exists():
        raise UsageError(f"{options.dot} is there already; it stays as it is")
    with shared.machine(options, ruleset) as machine:
        if options.machine == "auto":
            machine.wait()  # type: ignore[attr-defined]
        position = follow(ruleset, machine, options.moves)
        situation = machine.situation(position)
        roles = _roles(options, ruleset, situation)
        try:
            found = look(machine, position, situation, roles, settings, budget, options.seed)
        except (MemoryError, OverflowError):
            raise UsageError(f"there is no room for a graph of {budget.memory / 2**20:,.0f} MB") from None
        _show(options, machine, found, settings)
    return 0


def _wishes(options: Namespace) -> tuple[SearchSettings, Budget]:
    """The settings and the budget; options of the command go before those of the player."""
    from ggp.commands.looking import Budget
    from ggp.search.presets import search_options

    name, wanted = split_spec(options.player)
    if name not in SEARCHING:
        raise UsageError(f"there is no searching player {name!r}; known are: {', '.join(SEARCHING)}")
    settings, thinking = search_options(name, wanted)
    simulations = options.simulations or (0 if options.seconds else settings.simulations)
    seconds = None if simulations else options.seconds or thinking.seconds
    memory = thinking.memory if options.memory is None else int(options.memory * 2**20)
    budget = Budget(seconds, simulations, memory, options.threads or thinking.threads)
    return replace(settings, slots=options.slots) if options.slots else settings, budget


def _roles(options: Namespace, ruleset: Ruleset, situation: Situation) -> list[int]:
    """The roles whose moves are shown; refuses a position where there is nothing to search."""
    if situation.terminal:
        goals = "  ".join(f"{r} {goal(g)}" for r, g in zip(ruleset.roles, situation.goals, strict=True))
        raise UsageError(f"the game is over in this position: {goals}")
    for role, legal in zip(ruleset.roles, situation.legal, strict=True):
        if not legal:
            raise UsageError(f"{role} has no legal move in this position, though it is not terminal")
    if options.role is not None:
        return [ruleset.roles.index(options.role)]
    return [i for i, legal in enumerate(situation.legal) if len(legal) > 1] or [0]


def _show(options: Namespace, machine: Machine[Any], found: Look, settings: SearchSettings) -> None:
    from ggp.search.inside import dot

    if options.json:
        print(json.dumps(_as_json(options, machine.roles, found, settings), indent=1))
        return
    drawing = dot(found.view, options.top, f"{options.file} {options.moves}".rstrip()) if options.dot else ""
    if options.dot == "-":
        sys.stdout.write(drawing)
        return
    if found.engine == "reference":
        print("no circuit: searched by the plain reference on Prolog, one simulation at a time, without proofs")
    for role, rows in found.tables.items():
        _print_table(machine.roles[role], rows, options.top)
    for line in _summary(found):
        print(line)
    if options.dot:
        write_new(Path(options.dot), drawing)


def _print_table(role: str, rows: list[Row], top: int) -> None:
    width = max([len("move"), *(len(kif(row.move)) for row in rows[:top])])
    print(f"{role}\n  {'move':{width}} {'visits':>12} {'mean':>7} {'95 % interval':>15}  proven")
    for row in rows[:top]:
        proven = "" if row.proven is None else f"{row.proven:g} in {row.length}"
        mark = "*" if row.chosen else " "
        interval = f"{row.low:.1f} – {row.high:.1f}"
        print(f"{mark} {kif(row.move):{width}} {row.visits:>12,} {row.mean:>7.2f} {interval:>15}  {proven}".rstrip())
    if len(rows) > top:
        print(f"  … and {len(rows) - top} more")


def _summary(found: Look) -> list[str]:
    """The expected line, what the graph is like, and what it cost."""
    from ggp.commands.looking import rate
    from ggp.search.inside import joint_text

    graph = [f"{found.nodes:,} nodes", f"{found.transpositions:,} transpositions met"]
    if found.deepest is not None and found.memory is not None:
        graph += [f"deepest {found.deepest}", f"{found.memory / 2**20:.1f} MB", f"recycled {found.recycled} times"]
    return [
        "line: " + "  ".join(joint_text(joint) for joint in found.line),
        *(["solved: the exact value is known"] if found.solved else []),
        "graph: " + ", ".join(graph),
        f"time: {found.simulations:,} simulations in {found.seconds:.3f} s, {rate(found):,.0f} a second",
    ]


def _as_json(options: Namespace, roles: tuple[str, ...], found: Look, settings: SearchSettings) -> dict[str, Any]:
    from ggp.commands.looking import rate

    return {
        "game": Path(options.file).stem,
        "moves": options.moves,
        "player": options.player,
        "settings": settings.label,
        "seed": options.seed,
        "engine": found.engine,
        "roles": [
            {
                "role": roles[role],
                "moves": [
                    {
                        "move": kif(row.move),
                        "visits": row.visits,
                        "mean": row.mean,
                        "interval": [row.low, row.high],
                        "proven": row.proven,
                        "length": row.length if row.proven is not None else None,
                        "chosen": row.chosen,
                    }
                    for row in rows
                ],
            }
            for role, rows in found.tables.items()
        ],
        "line": [list(map(kif, joint)) for joint in found.line],
        "solved": found.solved,
        "simulations": found.simulations,
        "nodes": found.nodes,
        "transpositions": found.transpositions,
        "deepest": found.deepest,
        "memory_bytes": found.memory,
        "recycled": found.recycled,
        "seconds": found.seconds,
        "simulations_per_second": rate(found) if found.seconds else None,
    }
