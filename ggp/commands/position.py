"""Show a position: its board, what holds, who may do what, and the goals.

Without --moves it is the first position; with them, the one that they lead to.

  ggp position connect_four --moves "(drop 4) noop  noop (drop 4)"
  ggp position games/nim.kif --json
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import Any

from gdl import Ruleset, Term, kif, load
from ggp.commands import options as shared
from ggp.commands.moves import add_moves, follow
from ggp.core.library import game_file
from ggp.machines.machine import Situation

_SHOWN = 12
"""Moves of a role that are printed."""


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp position`."""
    shared.add_game(parser)
    add_moves(parser)
    parser.add_argument("--json", action="store_true", help="print an object, with all moves")
    shared.add_machine(parser)


def run(options: Namespace) -> int:
    """Show one position."""
    ruleset = load(game_file(options.file))
    from ggp.boards import board, render  # what draws takes a while: only where something is drawn

    with shared.machine(options, ruleset) as machine:
        position = follow(ruleset, machine, options.moves)
        situation, fluents = machine.situation(position), machine.fluents(position)
    shown = board(ruleset).view(fluents, legal=situation.legal, over=situation.terminal)
    picture = render(shown)
    if options.json:
        print(json.dumps(_data(ruleset, situation, fluents, picture), indent=1))
    else:
        print("\n".join([picture.rstrip("\n"), *_lines(ruleset, situation)]))
    return 0


def _data(ruleset: Ruleset, situation: Situation, fluents: tuple[Term, ...], picture: str) -> dict[str, Any]:
    legal = zip(ruleset.roles, situation.legal, strict=True)
    return {
        "terminal": situation.terminal,
        "legal": {role: list(map(kif, moves)) for role, moves in legal},
        "goals": dict(zip(ruleset.roles, map(list, situation.goals), strict=True)),
        "holds": list(map(kif, fluents)),
        "board": picture,
    }


def _lines(ruleset: Ruleset, situation: Situation) -> list[str]:
    lines = ["the game is over"] if situation.terminal else []
    for role, moves, goals in zip(ruleset.roles, situation.legal, situation.goals, strict=True):
        shown = " ".join(map(kif, moves[:_SHOWN])) + (" …" if len(moves) > _SHOWN else "")
        legal = "" if situation.terminal else f", {len(moves)} legal: {shown}"
        lines.append(f"{role}: goal {' '.join(map(str, goals)) or 'none'}{legal}")
    return lines
