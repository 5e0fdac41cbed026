"""A game as an environment of PettingZoo in which agents act one after the other.

Who moves at the same time is asked in the order of the roles, and does not see what the others have chosen.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Dict, Discrete, MultiBinary
from pettingzoo import AECEnv

from ggp.api.game import Description, Game
from ggp.core.errors import UsageError
from ggp.envs.episode import LIMIT, RENDER_MODES, Bits, Episode, check_render_mode

Observation = dict[str, Bits]


class Agents:
    """What both environments of PettingZoo have in common: an agent for each role but chance, and the spaces."""

    metadata: dict[str, Any]

    def __init__(self, game: Description | Game, limit: int = LIMIT, render_mode: str | None = None) -> None:
        self._episode = episode = Episode(game, limit)
        self.metadata = {
            "name": episode.game.name, "render_modes": [*RENDER_MODES], "is_parallelizable": True, "render_fps": 4,
        }  # fmt: skip
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self._numbers = {episode.roles[number]: number for number in episode.deciding}
        self.possible_agents = list(self._numbers)
        self.agents: list[str] = []
        self._generator = np.random.default_rng()
        self.action_spaces = {name: Discrete(episode.actions(n)) for name, n in self._numbers.items()}
        self.observation_spaces = {
            name: Dict({"action_mask": MultiBinary(episode.actions(n)), "observation": MultiBinary(episode.width(n))})
            for name, n in self._numbers.items()
        }

    def observation_space(self, agent: str) -> Dict:
        """What an agent observes: `observation`, and the `action_mask`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """The numbers of all moves that an agent may ever have."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Observation:
        """What an agent observes now."""
        number = self._numbers[agent]
        return {"action_mask": self._episode.mask(number), "observation": self._episode.observation(number)}

    def state(self) -> Bits:
        """The bits of the whole position, for training that may know it."""
        return self._episode.bits

    def render(self) -> Any:
        """The board, as text or as SVG."""
        return None if self.render_mode is None else self._episode.drawn(self.render_mode)

    def close(self) -> None:
        """There is nothing to give back."""

    def _begin(self, seed: int | None) -> None:
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        self._episode.begin(self._generator)
        if self._episode.over:
            raise UsageError("the game is over before anybody is asked")
        self.agents = list(self.possible_agents)

    def _rewards(self) -> dict[str, float]:
        gained = self._episode.rewards
        return {agent: gained[self._numbers[agent]] for agent in self.agents}


class AecGame(Agents, AECEnv[str, Observation, int]):  # type: ignore[misc]  # PettingZoo has no types
    """Agents act one after the other, each when its role is asked: `last()`, `step(action)`."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin a game; a seed is for what chance draws."""
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._chosen: dict[int, int] = {}
        self._select()

    def step(self, action: int | None) -> None:
        """The choice of the selected agent; None to take leave of an agent whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._chosen[self._numbers[agent]] = -1 if action is None else int(action)
        episode = self._episode
        self._clear_rewards()
        if len(self._chosen) == len(episode.asked):
            episode.play(self._chosen)
            self._chosen = {}
            self.rewards = self._rewards()
            self.terminations = dict.fromkeys(self.agents, episode.terminated)
            self.truncations = dict.fromkeys(self.agents, episode.truncated)
        self._accumulate_rewards()
        if episode.over:
            self._deads_step_first()
        else:
            self._select()

    def _select(self) -> None:
        waiting = [number for number in self._episode.asked if number not in self._chosen]
        self.agent_selection = self._episode.roles[waiting[0]]
