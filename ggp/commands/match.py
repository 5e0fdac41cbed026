"""Play a match between built-in players, with a live board in the terminal.

Players are named in the order of the roles; roles without a player are played by `random`.

  ggp match games/tic_tac_toe.kif --player greedy --player random
  ggp match games/othello.kif --player greedy --player greedy --seed 5 --pause 0.5
"""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser, Namespace
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from gdl import Ruleset, kif, load
from ggp.board import find_board, render
from ggp.commands import options as shared
from ggp.errors import UsageError
from ggp.machines import Machine
from ggp.play import Ending, Step, play_match, random_play, split_seed
from ggp.players import PLAYERS, Player, make_player

NAME = "match"


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp match`."""
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--player", action="append", default=[], metavar="NAME", dest="players",
                        help=f"a player for the next role: {', '.join(PLAYERS)}")  # fmt: skip
    parser.add_argument("--pause", type=float, default=0.0, metavar="S", help="seconds to wait at each step")
    parser.add_argument("--json", action="store_true", help="print the moves and the result as an object")
    shared.add_seed(parser)
    shared.add_steps(parser)
    shared.add_machine(parser)


def run(options: Namespace) -> int:
    """Play one match; 1 if it did not come to a terminal position."""
    ruleset = load(options.file)
    players = _players(options, ruleset)
    with shared.machine(options, ruleset) as machine:
        steps: list[Step] = []
        if options.json:
            steps.extend(play_match(machine, players, options.steps))
        else:
            _show(options, ruleset, machine, players, steps)
    last = steps[-1]
    if options.json:
        moves = [[kif(move) for move in step.joint] for step in steps if step.joint is not None]
        result = {
            "game": options.file,
            "seed": options.seed,
            "players": dict(zip(ruleset.roles, (p.name for p in players), strict=True)),
            "moves": moves,
            "ending": last.ending.name.lower() if last.ending else None,
            "goals": dict(zip(ruleset.roles, last.goals, strict=True)),
        }
        print(json.dumps(result, indent=1))
    return 0 if last.ending is Ending.TERMINAL else 1


def _players(options: Namespace, ruleset: Ruleset) -> list[Player]:
    names = list(options.players)
    if len(names) > len(ruleset.roles):
        raise UsageError(f"{len(names)} players for {len(ruleset.roles)} roles ({', '.join(ruleset.roles)})")
    names += ["random"] * (len(ruleset.roles) - len(names))
    return [make_player(name, split_seed(options.seed, role)) for role, name in zip(ruleset.roles, names, strict=True)]


def _show(options: Namespace, ruleset: Ruleset, machine: Machine[Any], players: list[Player], steps: list[Step]) -> None:
    """Play with the position on the screen: redrawn in a terminal, one after the other in a file."""
    console = Console()
    board = find_board(machine.fluents(step.position) for step in random_play(machine, 0, 60))
    versus = ", ".join(f"{role}: {player.name}" for role, player in zip(ruleset.roles, players, strict=True))
    console.print(Text(f"{options.file}  ({versus}, seed {options.seed})"))
    with Live(console=console, refresh_per_second=20, transient=False) as live:
        moved = ""
        for step in play_match(machine, players, options.steps):
            steps.append(step)
            picture = Text(f"step {step.number}  {moved}\n{render(board, machine.fluents(step.position))}")
            if console.is_terminal:
                live.update(picture)
            else:
                live.console.print(picture)
            if step.joint is not None:
                moved = "  ".join(f"{r} {kif(m)}" for r, m in zip(ruleset.roles, step.joint, strict=True))
                time.sleep(options.pause)
    last = steps[-1]
    assert last.ending is not None
    goals = ", ".join(f"{role} {value}" for role, value in zip(ruleset.roles, last.goals, strict=True))
    console.print(Text(f"{last.ending.value} after {last.number} steps. goals: {goals}"))
    sys.stdout.flush()
