"""A match between players of this program, in process and without clocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ggp.machines.machine import JointMove, Machine, Situation
from ggp.machines.plays import Step, play
from ggp.players.player import Player, Turn


def play_match(machine: Machine[Any], players: Sequence[Player], limit: int) -> Iterator[Step]:
    """A match between players, one for each role."""

    def choose(_: int, position: Any, situation: Situation) -> JointMove:
        return tuple(player.choose(Turn(machine, position, situation, role)) for role, player in enumerate(players))

    return play(machine, choose, limit)
