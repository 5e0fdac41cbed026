"""One game under way, as environments need it: actions by their numbers, observations as bits, rewards.

>>> import numpy as np
>>> from ggp.envs.episode import Episode
>>> episode = Episode("tic_tac_toe")
>>> episode.begin(np.random.default_rng(1))
>>> episode.asked, int(episode.mask(0).sum()), episode.observation(0).shape
((0,), 9, (20,))
>>> episode.play({0: int(episode.mask(0).argmax())})
>>> episode.asked, episode.rewards
((1,), (0.0, 0.0))
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gdl import kif
from gdl.ruleset import CHANCE
from ggp.api.game import Description, Game, game
from ggp.batch import Lanes
from ggp.core.errors import UsageError
from ggp.core.suggest import unknown
from ggp.machines.circuit import packed

Bits = NDArray[np.int8]
RENDER_MODES = ("ansi", "svg")
"""How a position may be drawn: as text, as a picture."""
LIMIT = 1000
"""Steps after which a game is truncated, where nobody says otherwise."""


def reward(goal: float) -> float:
    """What a goal is worth: -1 to 1."""
    return (goal - 50) / 50


def check_render_mode(mode: str | None) -> None:
    """Refuse a way to draw that there is not."""
    if mode is not None and mode not in RENDER_MODES:
        raise UsageError(unknown("render mode", mode, RENDER_MODES))


def opened(what: Description | Game) -> Game:
    """A game that somebody named, or that is there already."""
    return what if isinstance(what, Game) else game(what)


class Episode:
    """A game under way, on one lane. `begin` comes first; then `play`, until `over`."""

    def __init__(self, what: Description | Game, limit: int = LIMIT) -> None:
        self.game = opened(what)
        self.lanes: Lanes = self.game.lanes(1)
        self.machine = self.lanes.machine
        self.roles = self.machine.roles
        self.limit = limit
        starts = self.machine.circuit.role_starts.tolist()
        self.spans: list[tuple[int, int]] = list(pairwise(starts))
        """The inputs of each role; an action is the number of an input among its role's."""
        self.chance = self.roles.index(CHANCE) if CHANCE in self.roles else None
        self.deciding = tuple(role for role in range(len(self.roles)) if role != self.chance)
        self._percepts = self._numbered_percepts() if self.game.rules.has_hidden_information else None

    def _numbered_percepts(self) -> list[dict[str, int]]:
        """A number for each percept of each role."""
        found: list[dict[str, int]] = [{} for _ in self.roles]
        for role, percept in zip(self.machine.circuit.sees_roles.tolist(), self.machine.percepts, strict=True):
            found[role].setdefault(percept, len(found[role]))
        return found

    def actions(self, role: int) -> int:
        """How many actions a role has."""
        lo, hi = self.spans[role]
        return int(hi - lo)

    def width(self, role: int) -> int:
        """How many bits a role observes."""
        if self._percepts is None:
            return len(self.lanes.bases)
        return len(self._percepts[role]) + self.actions(role)

    def begin(self, generator: np.random.Generator) -> None:
        """The first position in which somebody is asked; chance draws with this generator from now on."""
        self._generator = generator
        self.steps = 0
        self.truncated = False
        self.offenders: tuple[int, ...] = ()
        self._seen: list[Bits] = [np.zeros(self.width(role), np.int8) for role in range(len(self.roles))]
        self.lanes.reset()
        self._look()
        self._skip()

    def _look(self) -> None:
        legal = self.lanes.legal()[0]
        self._legal = [legal[lo:hi] for lo, hi in self.spans]
        self._choices = [int(own.sum()) for own in self._legal]
        self.terminated = bool(self.lanes.terminal()[0])
        self.truncated = not self.terminated and (self.steps >= self.limit or not all(self._choices))

    @property
    def over(self) -> bool:
        """Whether the game has ended, in whatever way."""
        return self.terminated or self.truncated

    @property
    def asked(self) -> tuple[int, ...]:
        """The roles that have a choice; nobody when the game is over."""
        return () if self.over else tuple(role for role in self.deciding if self._choices[role] > 1)

    @property
    def rewards(self) -> tuple[float, ...]:
        """What each role has gained by the last move."""
        if self.offenders:
            return tuple(-1.0 if role in self.offenders else 0.0 for role in range(len(self.roles)))
        if not self.over:
            return (0.0,) * len(self.roles)
        return tuple(reward(goal) for goal in self.lanes.goals()[0].tolist())

    def mask(self, role: int) -> Bits:
        """Which actions of a role are legal; none when the game is over."""
        found: Bits = self._legal[role].astype(np.int8)
        return np.zeros_like(found) if self.over else found

    def observation(self, role: int) -> Bits:
        """What a role observes."""
        return self.bits if self._percepts is None else self._seen[role].copy()

    @property
    def bits(self) -> Bits:
        """The position, a number for each fluent: 1 if it holds."""
        found: Bits = self.lanes.positions()[0].view(np.int8)
        return found

    @property
    def at(self) -> bytes:
        """The position as the machine has it."""
        return packed(self.bits.view(np.bool_))

    def drawn(self, mode: str) -> str:
        """The board, in one of the modes."""
        position = self.game.position(self.machine.fluents(self.at))
        return position._repr_svg_() if mode == "svg" else str(position)

    def play(self, actions: Mapping[int, int]) -> None:
        """One step by the actions of those who are asked, and what follows until somebody is asked again.

        The actions of others mean nothing. Who is asked and gives none, or one that is not legal, ends the game.
        """
        if self.over:
            raise UsageError("the game is over: reset comes first")
        wrong = tuple(role for role in self.asked if not self._is_legal(role, actions.get(role)))
        if wrong:
            self.offenders, self.terminated = wrong, True
            return
        self._step({role: int(actions[role]) for role in self.asked})
        self._skip()

    def _is_legal(self, role: int, action: int | None) -> bool:
        return action is not None and 0 <= action < self.actions(role) and bool(self._legal[role][action])

    def _skip(self) -> None:
        """Play on while all is forced, or chance alone has a choice."""
        while not self.over and not self.asked:
            self._step({})

    def _step(self, actions: Mapping[int, int]) -> None:
        moves = [actions.get(role, -1) for role in range(len(self.roles))]
        for role, own in enumerate(self._legal):
            if moves[role] < 0:
                options = np.flatnonzero(own)
                moves[role] = int(options[self._generator.integers(len(options)) if len(options) > 1 else 0])
        joint = np.array([[lo + move for (lo, _), move in zip(self.spans, moves, strict=True)]])
        if self._percepts is not None:
            self._tell(joint[0].tolist(), moves, actions)
        self.lanes.step(joint)
        self.steps += 1
        self._look()

    def _tell(self, joint: list[int], moves: list[int], actions: Mapping[int, int]) -> None:
        """Note what each role is told of a step: to what it was told before, unless it has just moved."""
        assert self._percepts is not None
        told = self.machine.sees(self.at, tuple(self.machine.inputs[number] for number in joint))
        for role, percepts in enumerate(told):
            if role in actions:
                self._seen[role][:] = 0
                self._seen[role][len(self._percepts[role]) + moves[role]] = 1
            for percept in percepts:
                self._seen[role][self._percepts[role][kif(percept)]] = 1
