"""A game as an environment of PettingZoo in which all agents act at once: whose move is forced acts in vain."""

from __future__ import annotations

from typing import Any

from pettingzoo import ParallelEnv

from ggp.envs.aec import Agents, Observation

Infos = dict[str, dict[str, Any]]


class ParallelGame(Agents, ParallelEnv[str, Observation, int]):  # type: ignore[misc]  # PettingZoo has no types
    """All agents act at once: `step({"x": 3, "o": 0})`. What an agent without a choice chooses is not looked at."""

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None  # noqa: ARG002 (PettingZoo's interface)
    ) -> tuple[dict[str, Observation], Infos]:  # fmt: skip
        """Begin a game; a seed is for what chance draws."""
        self._begin(seed)
        return self._observations(), self._infos()

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """One step of the game by the choices of all agents."""
        episode = self._episode
        episode.play({self._numbers[agent]: int(action) for agent, action in actions.items()})
        terminated = dict.fromkeys(self.agents, episode.terminated)
        truncated = dict.fromkeys(self.agents, episode.truncated)
        found = self._observations(), self._rewards(), terminated, truncated, self._infos()
        if episode.over:
            self.agents = []
        return found

    def _observations(self) -> dict[str, Observation]:
        return {agent: self.observe(agent) for agent in self.agents}

    def _infos(self) -> Infos:
        return {agent: {} for agent in self.agents}
