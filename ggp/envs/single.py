"""A game as an environment of Gymnasium: for one role, the other roles' players are part of it.

>>> from ggp.envs import GameEnv
>>> env = GameEnv("nim", opponents="legal")
>>> observation, info = env.reset(seed=1)
>>> action = int(info["action_mask"].argmax())
>>> env.meaning(action)
'(leave a 0)'
>>> _, reward, terminated, truncated, info = env.step(action)
>>> reward, terminated, truncated
(0.0, False, False)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete, MultiBinary

from gdl import kif
from ggp.api.game import Description, Game
from ggp.core.errors import UsageError
from ggp.core.suggest import unknown
from ggp.envs.episode import LIMIT, RENDER_MODES, Bits, Episode, check_render_mode
from ggp.match.builtin import make_player
from ggp.players.player import Player, Turn

_TRIES = 100
"""Games in a row that may end before the role was asked."""


class GameEnv(gymnasium.Env[Bits, np.int64]):
    """One role of a game. Each step is a choice of this role and all that follows until its next one.

    `opponents`: a player for each of the other roles in their order, or one for all: `random`, `greedy`,
    `ucd:seconds=0.1`, …. They see the whole position.
    """

    metadata = {"render_modes": [*RENDER_MODES], "render_fps": 4}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(
        self, game: Description | Game, role: str | None = None, opponents: str | Sequence[str] = "random", *,
        limit: int = LIMIT, render_mode: str | None = None,
    ) -> None:  # fmt: skip
        self._episode = episode = Episode(game, limit)
        if role is not None and role not in episode.roles:
            raise UsageError(unknown("role", role, episode.roles))
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self.role = episode.deciding[0] if role is None else episode.roles.index(role)
        others = [number for number in episode.deciding if number != self.role]
        specs = [opponents] * len(others) if isinstance(opponents, str) else list(opponents)
        if len(specs) != len(others):
            raise UsageError(f"{len(specs)} opponents for {len(others)} other roles")
        self._specs = {number: spec for number, spec in zip(others, specs, strict=True) if spec != "random"}
        self._players: dict[int, Player] = {}
        self.action_space = Discrete(episode.actions(self.role))
        self.observation_space = MultiBinary(episode.width(self.role))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Bits, dict[str, Any]]:
        """The first position in which the role is asked."""
        super().reset(seed=seed, options=options)
        for _ in range(_TRIES):
            self.close()
            self._players = {n: make_player(spec, self._seed()) for n, spec in self._specs.items()}
            self._episode.begin(self.np_random)
            self._wait()
            if not self._episode.over:
                return self._episode.observation(self.role), self._info()
        name = self._episode.roles[self.role]
        raise UsageError(f"{name} is asked nothing in this game: {_TRIES} times it was over before")

    def step(self, action: np.int64 | int) -> tuple[Bits, float, bool, bool, dict[str, Any]]:
        """A choice of the role, and all that follows until its next one."""
        self._play(int(action))
        self._wait()
        episode = self._episode
        gained = episode.rewards[self.role]
        return episode.observation(self.role), gained, episode.terminated, episode.truncated, self._info()

    def action_masks(self) -> Bits:
        """Which actions are legal now, by the name that MaskablePPO asks for."""
        return self._episode.mask(self.role)

    def meaning(self, action: int) -> str:
        """The move of an action, as GDL has it."""
        return kif(self._episode.machine.inputs[self._episode.spans[self.role][0] + action])

    def render(self) -> Any:
        """The board, as text or as SVG."""
        return None if self.render_mode is None else self._episode.drawn(self.render_mode)

    def close(self) -> None:
        """Close the opponents."""
        for player in self._players.values():
            player.close()
        self._players = {}

    def _seed(self) -> int:
        return int(self.np_random.integers(2**63))

    def _wait(self) -> None:
        """Let the others play until the role is asked, or the game is over."""
        while not self._episode.over and self.role not in self._episode.asked:
            self._play(None)

    def _play(self, action: int | None) -> None:
        episode = self._episode
        chosen = {} if action is None else {self.role: action}
        for role in episode.asked:
            if role != self.role:
                chosen[role] = self._answer(role)
        episode.play(chosen)

    def _answer(self, role: int) -> int:
        """The action of an opponent."""
        player, episode = self._players.get(role), self._episode
        if player is None:
            options = np.flatnonzero(episode.mask(role))
            return int(options[self.np_random.integers(len(options))])
        machine, at = episode.machine, episode.at
        move = player.choose(Turn(machine, at, machine.situation(at), role))
        return int(machine.input_number(role, move) - episode.spans[role][0])

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._episode.mask(self.role)}


gymnasium.register("ggp/Game-v0", entry_point="ggp.envs.single:GameEnv", vector_entry_point="ggp.envs.vector:LanesEnv")
