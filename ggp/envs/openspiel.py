"""Any game as a Python game of OpenSpiel, so that its algorithms run on it: MCTS, CFR, exploitability, ….

>>> from ggp.envs.openspiel import register
>>> import pyspiel
>>> game = pyspiel.load_game(register("poker_small"))
>>> state = game.new_initial_state()
>>> state.is_chance_node(), state.legal_actions()[:3]
(True, [0, 1, 2])
>>> state.apply_action(0)
>>> state.information_state_string(0), state.information_state_string(1)
('noop < (card jack)', 'noop < (card king)')

Players choose one after the other. Where the rules let several choose at once, each does so without knowing what the
others have chosen, and chance draws last. What is forced is not asked.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pyspiel

from gdl import kif
from gdl.ruleset import CHANCE
from ggp.api.game import Description, Game
from ggp.core.errors import UsageError
from ggp.envs.episode import LIMIT, opened, reward
from ggp.machines.circuit import CircuitMachine
from ggp.machines.machine import Situation, goal

_PLAYS = 50
"""Random plays that show whether roles choose at once, and whether one wins what the other loses."""
_KEPT = 2**16
"""Positions of which is remembered what is so in them."""


class Table:
    """What all states of a game share. States are copied often; it never is."""

    def __init__(self, game: Game, limit: int) -> None:
        self.game, self.limit = game, limit
        self.machine: CircuitMachine = game.lanes(1).machine
        self.roles = self.machine.roles
        self.players = [number for number, role in enumerate(self.roles) if role != CHANCE]
        self.hidden = game.rules.has_hidden_information
        starts = self.machine.circuit.role_starts.tolist()
        self.moves = [self.machine.inputs.texts[lo:hi] for lo, hi in pairwise(starts)]
        """The texts of each role's moves: an action is a number in it."""
        self._numbers = [{text: number for number, text in enumerate(own)} for own in self.moves]
        self.situation = lru_cache(_KEPT)(self._situation)

    def __deepcopy__(self, memo: dict[int, Any]) -> Table:
        return self

    def _situation(self, position: bytes) -> tuple[Situation, tuple[tuple[int, ...], ...]]:
        found = self.machine.situation(position)
        pairs = zip(self._numbers, found.legal, strict=True)
        return found, tuple(tuple(sorted(numbers[kif(move)] for move in legal)) for numbers, legal in pairs)

    def after(self, position: bytes, actions: tuple[int, ...]) -> tuple[bytes, tuple[tuple[str, ...], ...]]:
        """The position after a joint move, and what each role knows of it besides its own move."""
        starts = self.machine.circuit.role_starts[:-1].tolist()
        joint = tuple(self.machine.inputs[lo + action] for lo, action in zip(starts, actions, strict=True))
        if self.hidden:
            told = tuple(tuple(map(kif, seen)) for seen in self.machine.sees(position, joint))
        else:
            told = tuple(tuple(kif(m) for n, m in enumerate(joint) if n != role) for role in range(len(joint)))
        return self.machine.next(position, joint), told

    @cached_property
    def traits(self) -> tuple[bool, bool]:
        """Whether roles ever choose at once, and whether all that is won is lost by others, in random plays."""
        generator, at_once, balanced = np.random.default_rng(1), False, True
        for _ in range(_PLAYS):
            position, steps = self.machine.initial(), 0
            while True:
                found, legal = self.situation(position)
                if found.terminal or steps >= self.limit or not all(legal):
                    break
                at_once = at_once or sum(len(legal[player]) > 1 for player in self.players) > 1
                position, _ = self.after(position, tuple(int(generator.choice(own)) for own in legal))
                steps += 1
            balanced = balanced and abs(sum(self.returns(found))) < 1e-9
        return at_once, balanced

    def returns(self, situation: Situation) -> list[float]:
        """What each player has gained at an end."""
        return [reward(goal(situation.goals[player])) for player in self.players]


class State(pyspiel.State):  # type: ignore[misc]  # OpenSpiel has no types
    """A position, what every role knows, and what has been chosen in this step."""

    def __init__(self, game: Any, table: Table) -> None:
        super().__init__(game)
        self._table = table
        self._position = table.machine.initial()
        self._chosen: dict[int, int] = {}
        self._known: list[tuple[str, ...]] = [() for _ in table.roles]
        """What each role knows of each step."""
        self._advance()

    def current_player(self) -> int:
        """Who chooses next."""
        role = self._next_role()
        if role is None:
            return int(pyspiel.PlayerId.TERMINAL)
        return self._table.players.index(role) if role in self._table.players else int(pyspiel.PlayerId.CHANCE)

    def _next_role(self) -> int | None:
        """The role that chooses next, chance last; None when the game is over."""
        if self.is_terminal():
            return None
        legal = self._table.situation(self._position)[1]
        open_ = [role for role, own in enumerate(legal) if len(own) > 1 and role not in self._chosen]
        return min(open_, key=lambda role: (role not in self._table.players, role))

    def _legal_actions(self, player: int) -> list[int]:
        return list(self._table.situation(self._position)[1][self._table.players[player]])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What chance may do, all equally likely."""
        role = self._next_role()
        assert role is not None
        actions = self._table.situation(self._position)[1][role]
        return [(action, 1 / len(actions)) for action in actions]

    def _apply_action(self, action: int) -> None:
        role = self._next_role()
        assert role is not None
        self._chosen[role] = action
        self._advance()

    def _advance(self) -> None:
        """Make the steps in which nobody has anything left to choose."""
        table = self._table
        while not self.is_terminal():
            legal = table.situation(self._position)[1]
            choosing = [role for role, own in enumerate(legal) if len(own) > 1]
            if len(self._chosen) < len(choosing):
                if sum(role in table.players for role in choosing) > 1 and not table.traits[0]:
                    raise UsageError("roles choose at once here, though they did not in the plays that were looked at")
                return
            joint = tuple(self._chosen.get(role, own[0]) for role, own in enumerate(legal))
            self._position, told = table.after(self._position, joint)
            for role, action in enumerate(joint):
                text = f"{table.moves[role][action]} < {' '.join(told[role])}".strip()
                self._known[role] = (*self._known[role], text)
            self._chosen = {}

    def _action_to_string(self, player: int, action: int) -> str:
        role = self._table.roles.index(CHANCE) if player < 0 else self._table.players[player]
        return self._table.moves[role][action]

    def is_terminal(self) -> bool:
        """Whether nothing follows: the end, the limit, or a role without a legal move."""
        found, legal = self._table.situation(self._position)
        return found.terminal or len(self._known[0]) >= self._table.limit or not all(legal)

    def returns(self) -> list[float]:
        """What each player has gained: nothing until the end."""
        if not self.is_terminal():
            return [0.0] * len(self._table.players)
        found = self._table.returns(self._table.situation(self._position)[0])
        if self._table.traits[1] and abs(sum(found)) > 1e-9:
            raise UsageError("what is won here is not what others lose, though it was in the plays that were looked at")
        return found

    def known(self, player: int) -> str:
        """All that a player knows: of each step its own move, and what it was told."""
        role = self._table.players[player]
        own = [f"{self._table.moves[role][self._chosen[role]]} chosen"] if role in self._chosen else []
        return ", ".join([*self._known[role], *own])

    def bits(self) -> np.ndarray:
        """The position, a number for each fluent."""
        return self._table.machine.bits(self._position).astype(np.float32)

    def __str__(self) -> str:
        return str(self._table.game.position(self._table.machine.fluents(self._position)))


class Observer:
    """What a player observes: what it knows, as a text; the position as bits, where nothing is hidden."""

    def __init__(self, kind: Any, table: Table) -> None:
        self._table = table
        self._whole_past = kind.perfect_recall
        shown = not (table.hidden or table.traits[0] or self._whole_past)
        self.tensor = np.zeros(table.machine.circuit.bases if shown else 0, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: State, player: int) -> None:  # noqa: ARG002 (OpenSpiel's interface)
        """Set the tensor."""
        if len(self.tensor):
            self.tensor[:] = state.bits()

    def string_from(self, state: State, player: int) -> str:
        """The text."""
        return state.known(player) if self._whole_past or not len(self.tensor) else str(state)


def register(what: Description | Game, name: str | None = None, *, limit: int = LIMIT) -> str:
    """Make a game known to OpenSpiel; the name that `pyspiel.load_game` takes: `ggp_` and the game's, or the given one.

    Whether players choose at once, and whether one wins what the others lose, is found by random plays; a play that shows
    it to be otherwise raises UsageError.
    """
    game = opened(what)
    table = Table(game, limit)
    short = name or f"ggp_{game.name}"
    if short in pyspiel.registered_names():
        raise UsageError(f"OpenSpiel knows a game {short} already; name another")
    kind, info = _kind(table, short, game.name), _info(table, limit)

    class GdlGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
        """What OpenSpiel makes games of."""

        def __init__(self, params: Any = None) -> None:
            super().__init__(kind, info, params or {})

        def new_initial_state(self) -> State:
            """The beginning."""
            return State(self, table)

        def make_py_observer(self, kind: Any = None, params: Any = None) -> Observer:  # noqa: ARG002 (OpenSpiel's interface)
            """What makes observations."""
            return Observer(kind or pyspiel.IIGObservationType(perfect_recall=False), table)

    pyspiel.register_game(kind, GdlGame)
    return short


def _kind(table: Table, short: str, name: str) -> Any:
    """What OpenSpiel wants to know before it makes the game."""
    at_once, balanced = table.traits
    hidden = table.hidden or at_once
    types = pyspiel.GameType
    return types(
        short_name=short, long_name=name, dynamics=types.Dynamics.SEQUENTIAL,
        chance_mode=types.ChanceMode.EXPLICIT_STOCHASTIC if CHANCE in table.roles else types.ChanceMode.DETERMINISTIC,
        information=types.Information.IMPERFECT_INFORMATION if hidden else types.Information.PERFECT_INFORMATION,
        utility=types.Utility.ZERO_SUM if balanced else types.Utility.GENERAL_SUM,
        reward_model=types.RewardModel.TERMINAL,
        max_num_players=len(table.players), min_num_players=len(table.players),
        provides_information_state_string=True, provides_information_state_tensor=False,
        provides_observation_string=True, provides_observation_tensor=not hidden,
        provides_factored_observation_string=False,
    )  # fmt: skip


def _info(table: Table, limit: int) -> Any:
    """The sizes of the game."""
    return pyspiel.GameInfo(
        num_distinct_actions=max(len(table.moves[player]) for player in table.players),
        max_chance_outcomes=len(table.moves[table.roles.index(CHANCE)]) if CHANCE in table.roles else 0,
        num_players=len(table.players), min_utility=-1.0, max_utility=1.0, utility_sum=0.0 if table.traits[1] else None,
        max_game_length=limit * len(table.players),
    )  # fmt: skip
