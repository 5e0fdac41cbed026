"""Hundreds of games at once as a vector environment of Gymnasium, on lanes: one call of machine code for a step of all.

>>> from ggp.envs import LanesEnv
>>> env = LanesEnv("tic_tac_toe", 512)
>>> observations, infos = env.reset(seed=1)
>>> observations.shape, infos["action_mask"].shape
((512, 20), (512, 10))
>>> actions = infos["action_mask"].argmax(axis=1)
>>> observations, rewards, terminated, truncated, infos = env.step(actions)
>>> infos["to_move"].tolist() == [1] * 512
True
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, MultiBinary
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from gdl import kif
from gdl.ruleset import CHANCE
from ggp.api.game import Description, Game
from ggp.core.errors import UsageError
from ggp.core.kernels import bound
from ggp.core.suggest import unknown
from ggp.envs.episode import LIMIT, opened
from ggp.envs.kernels import Form, Tally, Words, give, settle
from ggp.lanes.bank import Bank
from ggp.machines.circuit import CircuitMachine, packed

Bits = NDArray[np.int8]
_PATIENCE = 10_000
"""Steps of the others between two choices of the agent."""


class LanesEnv(VectorEnv[Bits, NDArray[np.int64], NDArray[Any]]):
    """Many games, in which one agent plays one role or all of them.

    Without `role` it plays them all, each when it is to move (`infos["to_move"]`), and is rewarded for the role that it
    has just moved; the rewards of all are in `infos["rewards"]`. With a `role`, the others move at random. A game that is
    over begins anew within the same step: `infos["final_obs"]` has its last position.
    """

    def __init__(
        self, game: Description | Game, num_envs: int = 512, role: str | None = None, *, limit: int = LIMIT
    ) -> None:  # fmt: skip
        self.game = opened(game)
        if self.game.rules.has_hidden_information:
            raise UsageError(f"{self.game.name} has hidden information, which a vector of positions would give away")
        if num_envs < 1:
            raise UsageError(f"{num_envs} games at once are none")
        self.machine: CircuitMachine = self.game.lanes(1).machine
        self.roles = self.machine.roles
        if role is not None and role not in self.roles:
            raise UsageError(unknown("role", role, self.roles))
        self.num_envs = num_envs
        self.role = None if role is None else self.roles.index(role)
        self.actions = self._actions()
        self._form = self._formed(limit)
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        self.single_action_space = Discrete(len(self.actions))
        self.single_observation_space = MultiBinary(self.machine.circuit.bases)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._bank: Bank | None = None

    def _plays(self, number: int) -> bool:
        return self.roles[number] != CHANCE if self.role is None else number == self.role

    def _actions(self) -> list[str]:
        """The moves that the agent may have, each once though several roles have it."""
        starts, texts = self.machine.circuit.role_starts.tolist(), self.machine.inputs.texts
        own = [texts[starts[n] : starts[n + 1]] for n in range(len(self.roles)) if self._plays(n)]
        return list(dict.fromkeys(text for part in own for text in part))

    def _formed(self, limit: int) -> Form:
        circuit, rows = self.machine.circuit, self.machine.engine.rows
        places = {text: number for number, text in enumerate(self.actions)}
        mine = np.array([self._plays(number) for number in range(len(self.roles))])
        table = np.full((len(self.roles), len(self.actions)), -1, np.int64)
        for role in np.flatnonzero(mine):
            for number in range(circuit.role_starts[role], circuit.role_starts[role + 1]):
                table[role, places[self.machine.inputs.texts[number]]] = number
        first = self.game.lanes(1).legal()[0]
        return Form(
            rows.ended, rows.goal, rows.given, rows.moves, rows.legal, circuit.role_starts, table, mine, circuit.initial,
            first, circuit.goal_roles, circuit.goal_values, limit,
        )  # fmt: skip

    def _begin(self, seed: int) -> Bank:
        """Lanes that have drawn nothing yet."""
        engine = self.machine.engine
        bank = Bank(engine, self.num_envs, seed)
        bank.fit(engine.tick[1])
        bank.fit(engine.look[1])
        self._memory, shape = bank.memory, (bank.blocks, bank.words)
        self._luck = self.np_random.integers(1, 2**63, 1).astype(np.uint64)
        lanes = np.arange(bank.lanes).reshape(*shape, 64) < self.num_envs
        self._lanes: Words = np.packbits(lanes, axis=2, bitorder="little").view(np.uint64).reshape(shape)
        self._choosing = np.zeros((len(self.roles), *shape), np.uint64)
        self._legal = np.zeros((len(self.actions), bank.lanes // 64), np.uint64)
        form, memory, choosing, tally = self._form, self._memory, self._choosing, self._new_tally()
        self._give = bound(give, form, memory, choosing, tally.mover, tally, self._luck)
        self._settle_lanes = bound(settle, form, memory, choosing, self._lanes, self._lanes, tally, self._legal)
        return bank

    def _new_tally(self) -> Tally:
        n = self.num_envs
        return Tally(
            self._age, np.zeros(n, np.int64), np.zeros(n, np.bool_), np.zeros((n, len(self.roles))),
            np.zeros(n, np.bool_), np.zeros(n, np.bool_), self._last,
        )  # fmt: skip

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Bits, dict[str, Any]]:
        """The first positions in which the agent is asked. The same seed gives the same games for the same actions."""
        super().reset(seed=seed, options=options)
        self._age = np.full(self.num_envs, -1, np.int64)  # no step has been made when lanes are looked at first
        self._last = np.zeros((self.num_envs, self.machine.circuit.bases), np.int8)
        if self._bank is None or seed is not None:
            self._bank = self._begin(int(self.np_random.integers(2**63)))
        self._bank.reset()
        self._bank.look()
        tally = self._new_tally()
        self._settle(tally, self._lanes.copy())
        return self._observations(), self._infos(tally)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Bits, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:  # fmt: skip
        """An action for each game, and all that follows until the agent is asked again."""
        if self._bank is None:
            raise UsageError("reset comes before the first step")
        wanted = np.ascontiguousarray(actions, np.int64)
        if wanted.shape != (self.num_envs,):
            raise UsageError(f"actions must be of shape ({self.num_envs},), not {wanted.shape}")
        tally = self._new_tally()
        clash = self._give(self._form, self._memory, self._choosing, wanted, tally, self._luck)
        if clash >= 0:
            raise UsageError("several roles choose at once here: the agent can play one of them only, so name a role")
        self._bank.tick()
        self._bank.look()
        self._settle(tally, np.zeros_like(self._lanes))
        rewards = tally.rewards[np.arange(self.num_envs), tally.mover]
        return self._observations(), rewards, tally.terminated, tally.truncated, self._infos(tally)

    def _settle(self, tally: Tally, fresh: Words) -> None:
        """Note what has ended, and play on with the others until the agent is asked everywhere."""
        bank, rows, memory = self._bank, self.machine.engine.rows, self._memory
        assert bank is not None
        moved = self._lanes.copy()
        for _ in range(_PATIENCE):
            if not self._settle_lanes(self._form, memory, self._choosing, moved, fresh, tally, self._legal):
                return
            before = memory[:, : rows.bases].copy()
            memory[:, rows.given] = 0
            bank.tick()
            memory[:, : rows.bases] ^= (memory[:, : rows.bases] ^ before) & ~moved[:, None]
            bank.look()
        raise UsageError(f"the agent is not asked within {_PATIENCE:,} steps of the others")

    def _observations(self) -> Bits:
        rows = np.ascontiguousarray(self._memory[:, : self.machine.circuit.bases].transpose(1, 0, 2))
        return self._unpacked(rows.reshape(len(rows), -1))

    def _unpacked(self, words: Words) -> Bits:
        """Words [rows, lanes / 64] as bits [lanes, rows]; the rows stay together in memory, which costs nothing."""
        bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little", count=self.num_envs)
        return bits.view(np.int8).T

    def _infos(self, tally: Tally) -> dict[str, Any]:
        infos: dict[str, Any] = {"action_mask": self._unpacked(self._legal), "illegal": tally.illegal}
        if self.role is None:
            choosing = self._unpacked(self._choosing.reshape(len(self.roles), -1))
            to_move = np.zeros(self.num_envs, np.int8)
            for role in range(1, len(self.roles)):
                to_move += choosing[:, role] * np.int8(role)
            infos |= {"to_move": to_move, "rewards": tally.rewards}
        over = tally.terminated | tally.truncated
        if over.any():
            final = np.full(self.num_envs, None, object)
            which = np.flatnonzero(over)
            final[which] = list(tally.last[which])
            infos |= {"final_obs": final, "_final_obs": over}
        return infos

    def meaning(self, action: int) -> str:
        """The move of an action, as GDL has it."""
        return self.actions[action]

    def board(self, observation: Bits) -> str:
        """What an observation looks like."""
        at = packed(observation.astype(np.bool_))
        return str(self.game.position(map(kif, self.machine.fluents(at))))
