"""Joint moves on the command line: `--moves "(mark 1 1) noop  noop (mark 2 2)"`."""

from __future__ import annotations

import argparse
from typing import Any

from gdl import Ruleset, kif, parse_term
from gdl.terms import arguments
from ggp.analysis.texts import stuck_text
from ggp.core.errors import UsageError
from ggp.machines import Machine
from ggp.machines.machine import JointMove


def add_moves(parser: argparse.ArgumentParser) -> None:
    """The option that leads from the first position to another."""
    parser.add_argument(
        "--moves", default="", metavar="MOVES",
        help='the moves so far, one for each role in turn: "(mark 1 1) noop  noop (mark 2 2)"',
    )  # fmt: skip


def joint_moves(ruleset: Ruleset, text: str) -> list[JointMove]:
    """The joint moves of a text."""
    if not text.strip():
        return []
    try:
        terms = arguments(parse_term(f"(moves {text})"))
    except ValueError:
        raise UsageError(f"--moves: {text!r} is no list of moves") from None
    roles = len(ruleset.roles)
    if len(terms) % roles:
        raise UsageError(f"--moves: {len(terms)} moves do not fill joint moves of {roles} roles")
    return [terms[i : i + roles] for i in range(0, len(terms), roles)]


def follow(ruleset: Ruleset, machine: Machine[Any], text: str) -> Any:
    """The position after the moves of a text; each must be legal."""
    position = machine.initial()
    for number, joint in enumerate(joint_moves(ruleset, text)):
        situation = machine.situation(position)
        if situation.terminal:
            raise UsageError(f"--moves: the game is over after {number} steps")
        if stuck := stuck_text(ruleset.roles, situation):
            raise UsageError(f"--moves: after {number} steps {stuck}, though the position is not terminal")
        for role, move, legal in zip(ruleset.roles, joint, situation.legal, strict=True):
            if move not in legal:
                known = " ".join(map(kif, legal[:10])) + (" …" if len(legal) > 10 else "")
                raise UsageError(f"--moves: in step {number} {kif(move)} is not legal for {role}; legal are: {known}")
        position = machine.next(position, joint)
    return position
