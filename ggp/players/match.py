"""A match between players of this program, in process and without clocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ggp.machines.machine import JointMove, Machine, Situation
from ggp.machines.plays import Step, play
from ggp.players.player import Player, Turn


def play_match(machine: Machine[Any], players: Sequence[Player], limit: int) -> Iterator[Step]:
    """A match between players, one for each role."""
    history: list[JointMove] = []

    def choose(_: int, position: Any, situation: Situation) -> JointMove:
        known = tuple(history)
        turns = [Turn(machine, position, situation, role, history=known) for role in range(len(players))]
        joint = tuple(player.choose(turn) for player, turn in zip(players, turns, strict=True))
        history.append(joint)
        return joint

    return play(machine, choose, limit)
