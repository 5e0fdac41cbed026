"""A match with people in it, in the terminal."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from gdl.ruleset import Ruleset
from ggp.human.host import Host
from ggp.human.keyboard import Keyboard
from ggp.machines.machine import Machine
from ggp.machines.plays import Ending
from ggp.match.master import GameMaster, Moment
from ggp.match.takeback import LeftError
from ggp.players.specs import HUMAN, SEARCHING


def host_of(ruleset: Ruleset, machine: Machine[Any], specs: Sequence[str], seed: int) -> Host:
    """The terminal, for the people among the players."""
    people = frozenset(role for role, spec in enumerate(specs) if spec == HUMAN)
    return Host(ruleset, machine, Keyboard(), people, seed)


def play_in_terminal(host: Host, master: GameMaster, headline: str, pause: float) -> list[Moment]:
    """Play a match; each position that was reached and not taken back. None of them is the end where somebody left."""
    remote = [seat.name for seat in master.seats if seat.is_remote]
    if remote:
        who = f"{' and '.join(remote)} {'plays' if len(remote) == 1 else 'play'}"
        host.no_undo = f"moves cannot be taken back: {who} over HTTP, where there is no going back"
    names = [seat.name for seat in master.seats]
    host.keyboard.say(headline)
    moments: list[Moment] = []
    try:
        for moment in master.moments():
            host.show(moment, names, moments[-1].number if moments else None)
            if not moments and any(seat.is_remote or seat.name.startswith(SEARCHING) for seat in master.seats):
                host.keyboard.say(f"the other players get ready, in {master.settings.clocks.start} s at most")
            del moments[moment.number :]
            moments.append(moment)
            time.sleep(0 if moment.ending else pause)
    except LeftError as left:
        goals = master.leave(left)
        result = "and the match ends without a result" if goals is None else _told(host.ruleset, goals)
        host.keyboard.say(f"{left}, {result}")
        return moments
    host.keyboard.say(_last_word(host.ruleset, moments[-1]))
    return moments


def _last_word(ruleset: Ruleset, last: Moment) -> str:
    assert last.ending is not None
    if last.ending is not Ending.TERMINAL:
        return f"{last.ending.value} after {last.number} steps"
    return f"{last.ending.value} after {last.number} steps. {_told(ruleset, last.goals)}"


def _told(ruleset: Ruleset, goals: Sequence[int]) -> str:
    return f"goals: {', '.join(f'{role} {value}' for role, value in zip(ruleset.roles, goals, strict=True))}"
