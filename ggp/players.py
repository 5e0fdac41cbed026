"""Built-in players that do not search: random, legal and greedy."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from gdl.terms import Term
from ggp.errors import UsageError
from ggp.machines.machine import Machine, Situation, goal
from ggp.suggest import unknown


class Signal(Protocol):
    """What may have come: a `threading.Event`, or one of several."""

    def is_set(self) -> bool:
        """Whether it has."""
        ...


@dataclass(frozen=True)
class Turn:
    """What a player is asked: a position, what is known of it, and for which role to choose."""

    machine: Machine[Any]
    position: Any
    situation: Situation
    role: int
    deadline: float | None = None
    """When the move must have been returned, on the clock of `time.monotonic`; None where only other limits count."""
    stop: Signal | None = None
    """Once set, the player returns as soon as it can."""

    @property
    def legal(self) -> tuple[Term, ...]:
        """The moves to choose from."""
        return self.situation.legal[self.role]


class Player(Protocol):
    """Chooses moves for one role of one match."""

    @property
    def name(self) -> str:
        """The name that matches and tables show."""
        ...

    def choose(self, turn: Turn) -> Term:
        """A legal move."""
        ...

    def ponder(self, turn: Turn) -> None:
        """Think about a position without choosing, until the deadline or `stop`; players that do not, return at once."""
        ...

    def report(self) -> Mapping[str, object]:
        """What stood behind the last choice, as JSON values: simulations, expected goal, …; empty for simple players."""
        ...

    def close(self) -> None:
        """Give back all resources. Closing twice does no harm."""
        ...


class SimplePlayer:
    """What players without a search have in common."""

    def ponder(self, turn: Turn) -> None:
        """There is nothing to think about."""

    def report(self) -> Mapping[str, object]:
        """There is nothing to tell."""
        return {}

    def close(self) -> None:
        """There is nothing to give back."""


class RandomPlayer(SimplePlayer):
    """Any legal move, all equally likely."""

    name = "random"

    def __init__(self, seed: int) -> None:
        self._generator = random.Random(seed)

    def choose(self, turn: Turn) -> Term:
        """A random legal move."""
        return self._generator.choice(turn.legal)


class LegalPlayer(SimplePlayer):
    """The first legal move in the order of the text."""

    name = "legal"

    def __init__(self, seed: int) -> None:
        """The seed is not used: this player has no choice to make."""

    def choose(self, turn: Turn) -> Term:
        """The first legal move."""
        return turn.legal[0]


class GreedyPlayer(SimplePlayer):
    """The move after which its own goal is highest, if the others move at random."""

    name = "greedy"

    def __init__(self, seed: int) -> None:
        self._generator = random.Random(seed)

    def choose(self, turn: Turn) -> Term:
        """The best move one step ahead; ties are broken at random."""
        if len(turn.legal) == 1:
            return turn.legal[0]
        values = [self._value_after(turn, move) for move in turn.legal]
        best = max(values)
        return self._generator.choice([m for m, value in zip(turn.legal, values, strict=True) if value == best])

    def _value_after(self, turn: Turn, move: Term) -> int:
        joint = tuple(
            move if role == turn.role else self._generator.choice(moves)
            for role, moves in enumerate(turn.situation.legal)
        )
        after = turn.machine.next(turn.position, joint)
        return goal(turn.machine.situation(after).goals[turn.role])


def _search(name: str, options: Mapping[str, str], seed: int) -> Player:
    from ggp.search.presets import search_player  # this way round: the search makes players

    return search_player(name, options, seed)


_SIMPLE: Mapping[str, Callable[[int], Player]] = {"random": RandomPlayer, "legal": LegalPlayer, "greedy": GreedyPlayer}
SEARCHING = ("ucd", "uct", "mc")
"""The players that search: UCD, plain UCT, flat Monte Carlo."""
PLAYERS = (*SEARCHING, *_SIMPLE)
"""The built-in players."""
HUMAN = "human"
"""Somebody at the terminal of `ggp match`: no player that a program could ask."""
DEFAULT_PLAYER = "ucd"
"""Who plays where nobody was named."""


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """The name of a player and its options: `ucd:seconds=2,c=30`."""
    name, _, text = spec.partition(":")
    options: dict[str, str] = {}
    for part in text.split(",") if text else ():
        key, equals, value = part.partition("=")
        if not equals or key in options:
            raise UsageError(f"player {spec!r}: {part!r} should be an option of its own, like seconds=2")
        options[key.strip()] = value.strip()
    return name, options


def join_spec(name: str, options: Mapping[str, str]) -> str:
    """The reverse of `split_spec`.

    >>> join_spec("ucd", {"seconds": "2", "c": "30"})
    'ucd:seconds=2,c=30'
    """
    return name + (":" + ",".join(f"{key}={text}" for key, text in options.items()) if options else "")


def is_address(spec: str) -> bool:
    """Whether a player is one over HTTP, `http://…` or `host:9147`; else it is a built-in one, `ucd:seconds=2`."""
    host, colon, port = spec.rpartition(":")
    return "://" in spec or (bool(colon) and port.isdecimal() and host not in PLAYERS)


def check_player(spec: str) -> None:
    """Refuse a player that cannot be made: an unknown one, an option that makes no sense, an address that is none."""
    if is_address(spec):
        from ggp.match.client import Address

        Address.parse(spec)
        return
    name, options = split_spec(spec)
    if name in SEARCHING:
        from ggp.search.presets import search_options

        search_options(name, options)
    else:
        make_player(spec, 0).close()


def make_player(spec: str, seed: int) -> Player:
    """A built-in player by its name, with options for those that search: `ucd`, `ucd:seconds=2,c=30,d1=inf`."""
    name, options = split_spec(spec)
    if name == HUMAN:
        raise UsageError("a human plays in the terminal of `ggp match FILE --player human`, and nowhere else")
    if name in SEARCHING:
        return _search(name, options, seed)
    if name not in _SIMPLE:
        raise UsageError(unknown("player", name, PLAYERS))
    if options:
        raise UsageError(f"player {name} has no options")
    return _SIMPLE[name](seed)
