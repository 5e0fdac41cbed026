"""Find positions of which the value of every move is known: play matches, go back from their ends, solve.

    python -m ggp.lab.solving 12 breakthrough connect_four > positions.toml

Each match gives one position at most, the earliest of its end that can be solved and in which at most half of the moves
keep the value. What is proven by the search is proven by the rules; the clock has no part in it, so that the same version
of the program makes the same positions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gdl import load
from ggp.core.library import game_file
from ggp.core.seeds import split_seed
from ggp.lab.positions import HEAD, Known, advance, as_toml, chooser, joint_move, turn_after
from ggp.machines.machine import goal
from ggp.match.builtin import make_player
from ggp.players.player import Turn

if TYPE_CHECKING:
    from ggp.machines.circuit import CircuitMachine
    from ggp.search.search import Search

_PLAYER = "ucd:simulations=150"
"""Plays well enough that matches make sense, and badly enough that there is something to win."""
_SIMULATIONS = 40_000
"""To solve the position after a move."""
_MATCHES = 6
"""That are played for each position that is wanted, at most."""
_MEMORY = 2**28
"""Bytes of the graph."""
_CHANCE = 0.5
"""The largest share of moves that may keep the value."""


def find(machine: CircuitMachine, count: int, seed: int) -> Iterator[Known]:
    """Positions of a game, each from a match of its own."""
    from ggp.search.presets import search_options
    from ggp.search.search import Search  # numba takes a second

    search = Search(machine, search_options("ucd", {"policy": "uniform"})[0], seed, memory=_MEMORY)
    found: set[Known] = set()
    for number in range(_MATCHES * count):
        if len(found) == count:
            return
        known = _from_match(machine, search, split_seed(seed, "match", number))
        if known is not None and known not in found:
            found.add(known)
            yield known


def _from_match(machine: CircuitMachine, search: Search, seed: int) -> Known | None:
    """The earliest position of a match that is as it should be, and can be solved; None if there is none."""
    places, best = list(_play(machine, seed)), None
    while places:
        places.pop()
        turn = turn_after(machine, places)
        goals = None if turn is None else _solved(machine, search, turn)
        if goals is None:
            break
        known = Known(tuple(places), goals)
        best = known if known.chance <= _CHANCE else best
    return best


def _play(machine: CircuitMachine, seed: int) -> Iterator[int]:
    """A match, as the places of the moves that were chosen."""
    players = [make_player(_PLAYER, split_seed(seed, role)) for role in range(len(machine.roles))]
    position, situation = machine.initial(), machine.situation(machine.initial())
    try:
        while (role := chooser(situation)) is not None:
            move = players[role].choose(Turn(machine, position, situation, role))
            yield situation.legal[role].index(move)
            position, situation, _ = advance(machine, position, joint_move(situation, role, move))
    finally:
        for player in players:
            player.close()


def _solved(machine: CircuitMachine, search: Search, turn: Turn) -> tuple[int, ...] | None:
    """What each move leads to; None if that was not found in a few simulations."""
    found = []
    for move in turn.legal:
        position, situation, _ = advance(machine, turn.position, joint_move(turn.situation, turn.role, move))
        value: float | None = goal(situation.goals[turn.role])
        if not situation.terminal:
            search.start(position)
            search.run(simulations=_SIMULATIONS)
            value = search.value(turn.role)
        if value is None:
            return None
        found.append(round(value))
    return tuple(found)


def main(count: int, games: Sequence[str], seed: int = 1) -> None:
    """Print the file for some games, each as soon as it is done."""
    from ggp.machines.circuit import CircuitMachine

    print(HEAD)
    for game in games:
        machine = CircuitMachine.compile(load(game_file(game)))
        print("\n".join(as_toml(game, list(find(machine, count, split_seed(seed, game))))), flush=True)
        machine.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
