"""Search one position and show what the search found: its moves, the line it expects, the graph it grew.

Without --role, every role that has a choice gets a table: visits, adapted mean goal and its 95 % interval of every move;
a goal that is proven, and the steps until it is reached. Where it is chance that moves, its outcomes are shown with their
probabilities, what they are worth to the players, and what the player who decides next would do.

It searches as the player would: where that finds out first which playouts tell more, so does this, in a second or some
more (--player ucd:policy=uniform leaves it out), and --simulations N means what ucd:simulations=N means. On one thread,
the same seed, --simulations and --slots give the same output, apart from times; --slots 1 makes one simulation after the
other, as UCD is published.

The game is compiled first. With --seconds S that is waited for as long as the search shall take, but at least 3 seconds
(--compile-seconds sets another limit); else until it is done. Without a circuit, the plain reference searches on Prolog,
which proves nothing and is slow; the output says which of them answered, and why.

On a terminal, what is being done and what the search knows meanwhile are shown on standard error; elsewhere --progress
does that. --json-lines prints the same for programs, as one object a line, the last of them the result.

  ggp search games/tic_tac_toe.kif --moves "(mark 1 1) noop  noop (mark 1 2)" --simulations 20000
  ggp search games/connect_four.kif --player ucd:d1=2,c=30 --seconds 5 --threads 2
  ggp search games/hex_5x5.kif --seconds 30 --cluster tcp://10.0.0.5:8786
  ggp search games/hex_5x5.kif --dot graph.gv --top 40 && dot -Tsvg graph.gv > graph.svg
"""

from __future__ import annotations

import json
import math
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl import Ruleset, load
from ggp.analysis.texts import goals_text, stuck_text
from ggp.commands import options as shared
from ggp.commands.moves import add_moves, follow
from ggp.commands.writing import write_new
from ggp.core.dask import distributed
from ggp.core.errors import UsageError
from ggp.core.library import game_file
from ggp.core.progress import Status
from ggp.machines import Machine
from ggp.machines.machine import Situation
from ggp.players.specs import DEFAULT_PLAYER, SEARCHING, split_spec

if TYPE_CHECKING:
    from ggp.analysis.live import Info, Listen
    from ggp.analysis.looking import Budget, Look
    from ggp.search.settings import SearchSettings

_LEAST_WAIT = 3.0
"""Seconds that a circuit is waited for, however short the search shall be."""


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
    parser.add_argument("--cluster", metavar="ADDRESS",
                        help="a Dask scheduler whose workers search as well: tcp://host:port")  # fmt: skip
    parser.add_argument("--memory", type=shared.positive_float, metavar="MB", help="of the graph (default: 1024)")
    parser.add_argument("--slots", type=shared.positive_int, metavar="N",
                        help="simulations under way for each thread (default: 64)")  # fmt: skip
    parser.add_argument("--top", type=shared.positive_int, default=20, metavar="N",
                        help="moves in a table, nodes in a drawing (default: %(default)s)")  # fmt: skip
    parser.add_argument("--compile-seconds", type=shared.positive_float, metavar="S",
                        help="how long to wait for the circuit before Prolog is searched (default: with --seconds as "
                        "long as that, but at least 3; else as long as it takes)")  # fmt: skip
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print one object, with all moves")
    how.add_argument("--json-lines", action="store_true",
                     help="print an object a line: what the search knows meanwhile, and then the result")  # fmt: skip
    how.add_argument("--dot", nargs="?", const="-", metavar="FILE",
                     help="draw the most visited nodes for Graphviz, into a new file or on the screen")  # fmt: skip
    shared.explain_players(parser)
    shared.add_seed(parser)
    shared.add_machine(parser)


def run(options: Namespace) -> int:
    """Search one position."""
    ruleset = load(game_file(options.file))
    from ggp.analysis.looking import look  # numpy and numba take a second: only where they are used

    settings, budget = _wishes(options)
    if options.role is not None and options.role not in ruleset.roles:
        raise UsageError(f"--role: there is no role {options.role!r}; known are: {' '.join(ruleset.roles)}")
    if options.dot not in (None, "-") and Path(options.dot).exists():
        raise UsageError(f"{options.dot} is there already; it stays as it is")
    patience = _patience(options, budget)
    with Status(options.progress) as status, shared.machine(options, ruleset, status, patience) as machine:
        engine = _engine(machine, patience)
        position = follow(ruleset, machine, options.moves)
        situation = machine.situation(position)
        roles = _roles(options, ruleset, situation)
        try:
            found = look(machine, position, situation, roles, settings, budget, options.seed, tell=status.show,
                         listen=_listener(options, status))  # fmt: skip
        except (MemoryError, OverflowError):
            raise UsageError(f"there is no room for a graph of {budget.memory / 2**20:,.0f} MB") from None
    _show(options, ruleset, found, engine)
    return 0


def _wishes(options: Namespace) -> tuple[SearchSettings, Budget]:
    """The settings and the budget; options of the command go before those of the player."""
    from ggp.analysis.looking import Budget
    from ggp.search.presets import search_options
    from ggp.search.settings import USUAL_SECONDS

    name, wanted = split_spec(options.player)
    if name not in SEARCHING:
        raise UsageError(f"there is no searching player {name!r}; known are: {', '.join(SEARCHING)}")
    if options.simulations:
        wanted = {**wanted, "simulations": str(options.simulations)}
    if options.cluster:
        distributed()
        wanted = {**wanted, "cluster": options.cluster}
    settings, thinking = search_options(name, wanted)
    simulations = 0 if options.seconds else settings.simulations
    seconds = None if simulations else options.seconds or thinking.seconds or USUAL_SECONDS
    options.seconds = options.seconds or (thinking.seconds if "seconds" in wanted else None)
    memory = thinking.memory if options.memory is None else int(options.memory * 2**20)
    budget = Budget(seconds, simulations, memory, options.threads or thinking.threads, thinking.cluster)
    return replace(settings, slots=options.slots) if options.slots else settings, budget


def _patience(options: Namespace, budget: Budget) -> float:
    """How long the circuit is waited for: without an end where simulations are counted, to find the same anywhere."""
    if options.compile_seconds is not None:
        wanted: float = options.compile_seconds
        return wanted
    if budget.seconds is None or options.seconds is None:
        return math.inf
    return max(_LEAST_WAIT, budget.seconds)


def _engine(machine: Machine[Any], patience: float) -> str:
    """What answers from now on, and why."""
    from ggp.machines.auto import AutoMachine

    slow = "searched by the plain reference on Prolog, one simulation at a time, without proofs"
    if isinstance(machine, AutoMachine):
        over, stage = machine.wait(0), machine.stage
        machine.settle()
    if (circuit := machine.compiled(0)) is not None:
        return f"the circuit, {circuit.circuit.size:,} gates"
    if not isinstance(machine, AutoMachine):
        return f"Prolog was asked for: {slow}"
    if over:
        return f"no circuit: {slow}"
    return f"no circuit after {patience:g} s ({stage}): {slow}; --compile-seconds waits longer"


def _roles(options: Namespace, ruleset: Ruleset, situation: Situation) -> list[int]:
    """The roles whose moves are shown; refuses a position where there is nothing to search."""
    from ggp.analysis.outcomes import chance_of

    goals = goals_text(ruleset.roles, situation)
    if situation.terminal:
        raise UsageError(f"the game is over in this position: {goals}")
    if stuck := stuck_text(ruleset.roles, situation):
        raise UsageError(f"{stuck} in this position, though it is not terminal: the game cannot go on ({goals})")
    chance = chance_of(ruleset.roles, situation)
    if options.role is not None:
        wanted = ruleset.roles.index(options.role)
        return [] if wanted == chance else [wanted]
    choosing = [i for i, legal in enumerate(situation.legal) if len(legal) > 1 and i != chance]
    return choosing if choosing or chance is not None else [0]


def _listener(options: Namespace, status: Status) -> Listen | None:
    """Who is told what the search knows while it goes on, if anybody."""
    if options.json_lines:
        return lambda info: print(json.dumps({"kind": "info", **info.as_data()}), flush=True)
    if not status.on:
        return None

    def say(info: Info) -> None:
        line = info.text()
        status.say(line[: status.width - 1] if status.live else line)

    return say


def _show(options: Namespace, ruleset: Ruleset, found: Look, engine: str) -> None:
    from ggp.analysis.searched import as_data, text
    from ggp.search.inside import dot

    if options.json or options.json_lines:
        head = {"game": Path(options.file).stem, "moves": options.moves, "player": options.player, "seed": options.seed}
        data = head | as_data(ruleset, found, engine)
        print(json.dumps({"kind": "result", **data}) if options.json_lines else json.dumps(data, indent=1))
        return
    drawing = dot(found.view, options.top, f"{options.file} {options.moves}".rstrip()) if options.dot else ""
    if options.dot == "-":
        sys.stdout.write(drawing)
        return
    sys.stdout.write(text(ruleset, found, engine, options.top))
    if options.dot:
        write_new(Path(options.dot), drawing)
