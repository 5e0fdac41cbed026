"""What a match is to be: its game, who sits where, with which clocks."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gdl.ruleset import CHANCE
from ggp.machines.machine import JointMove
from ggp.match.builtin import check_player
from ggp.match.faults import printable
from ggp.match.seats import Clocks
from ggp.match.table import specs_for
from ggp.players.specs import DEFAULT_PLAYER, HUMAN, is_specialist
from ggp.specialists.offered import check_offered
from ggp.web.fields import Fields
from ggp.web.shelf import Title

_NAME = 40
"""Characters of the name of a person."""
_START_CLOCK = 2.0
"""Seconds that players have to prepare, where somebody waits for the first move."""


@dataclass(frozen=True)
class Setup:
    """What is to be played, and by whom."""

    title: Title
    specs: Sequence[str]
    """Who plays each role, as the command line writes it."""
    names: Mapping[int, str]
    """What people call themselves."""
    clocks: Clocks
    timed: bool
    """Whether people are held to the play clock, too."""
    seed: int
    script: Sequence[JointMove] = ()
    """The joint moves that it begins with."""

    @property
    def people(self) -> list[int]:
        """The roles that people play."""
        return [role for role, spec in enumerate(self.specs) if spec == HUMAN]


def read_setup(title: Title, asked: Fields, script: Sequence[JointMove] = ()) -> Setup:
    """What a request wants to be played."""
    players = asked.texts("players", len(title.ruleset.roles)) or [HUMAN]
    for player in players:
        if is_specialist(player):
            check_offered(player, title.ruleset)
        elif player != HUMAN:
            check_player(player)
    specs = specs_for(title.ruleset, players, DEFAULT_PLAYER)
    called = specs_for(title.ruleset, [printable(n) for n in asked.texts("names", len(players), _NAME)], "")
    clocks = Clocks(_START_CLOCK, asked.number("playclock", 0.1, 3600, 2))
    seed = asked.count("seed", 2**31, secrets.randbelow(2**31))
    names = {role: called[role].strip() or HUMAN for role, spec in enumerate(specs) if spec == HUMAN}
    return Setup(title, specs, names, clocks, asked.flag("timed"), seed, script)


def shifted(setup: Setup) -> tuple[Setup, dict[int, int]]:
    """The same match with everybody in the next role that decides anything; where each role's player sits then."""
    deciding = [n for n, role in enumerate(setup.title.ruleset.roles) if role != CHANCE]
    shift = dict(zip(deciding, deciding[1:] + deciding[:1], strict=True))
    specs = list(setup.specs)
    for role, following in shift.items():
        specs[following] = setup.specs[role]
    names = {shift[role]: name for role, name in setup.names.items()}
    return replace(setup, specs=specs, names=names, seed=setup.seed + 1, script=()), shift
