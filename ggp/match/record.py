"""Match records: the JSON that the GGP base server made the common form, read and written.

What only we record stands under `x-` keys: seed, versions, rules, faults in words, what the players reported. A record of
another server is read as well; keys that mean nothing here are kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from gdl.terms import Term, kif
from ggp.core.errors import RecordError

Json = Any
"""A value of JSON: what the standard library makes of a text."""


@dataclass
class Record:
    """One match as it was played. Times are milliseconds since 1970, clocks are seconds."""

    match_id: str
    start_time: int
    random_token: str
    start_clock: float
    play_clock: float
    game_url: str
    """Where the game is described; what servers compare ends with a version, `/v0/`."""
    states: list[str] = field(default_factory=list)
    """Each position as a list of fluents without `true`."""
    moves: list[list[str]] = field(default_factory=list)
    """The joint moves that were executed."""
    state_times: list[int] = field(default_factory=list)
    """When each position was reached; never decreasing."""
    errors: list[list[str]] = field(default_factory=list)
    """For each joint move and role what was wrong: `TO`, `CE`, `IL move`, or nothing."""
    is_completed: bool = False
    is_aborted: bool = False
    goals: list[int] | None = None
    """The goal of each role, once the match is completed."""
    players: list[str] = field(default_factory=list)
    """The name of each role's player."""
    more: dict[str, Json] = field(default_factory=dict)
    """All other keys, ours begin with `x-`."""

    @property
    def rules(self) -> str | None:
        """The text of the rules, if the record carries it."""
        rules = self.more.get("x-rules")
        return rules if isinstance(rules, str) else None

    @property
    def game(self) -> str:
        """A short name of the game: ours, or the part of the address that names it."""
        name = self.more.get("x-game")
        if isinstance(name, str):
            return name
        parts = [part for part in self.game_url.split("/") if part]
        if len(parts) > 1 and parts[-1][0] == "v" and parts[-1][1:].isdigit():
            parts.pop()
        return parts[-1] if parts else ""

    @property
    def faults(self) -> int:
        """How many moves were missing, late or illegal."""
        return sum(1 for step in self.errors for error in step if error)

    @property
    def ending(self) -> str:
        """How it ended, in a word."""
        if self.is_completed:
            return "completed"
        if not self.is_aborted:
            return "partial"
        return "aborted" if self.result is None else "resigned"

    @property
    def result(self) -> list[int] | None:
        """What it gave each role: the goals of a completed match, or of one in which somebody resigned."""
        resigned = self.more.get("x-resigned")
        if self.goals is not None or not self.is_aborted or not isinstance(resigned, dict):
            return self.goals
        goals = resigned.get("goals")
        return goals if isinstance(goals, list) and all(map(_is_number, goals)) else None

    def text(self) -> str:
        """The record as JSON: one line for each key, and one for each element of a list."""
        return to_text(self.as_json())

    def as_json(self) -> dict[str, Json]:
        """The keys in the order in which they are written."""
        made: dict[str, Json] = {
            "matchId": self.match_id,
            "startTime": self.start_time,
            "randomToken": self.random_token,
            "startClock": self.start_clock,
            "playClock": self.play_clock,
            "gameMetaURL": self.game_url,
            "playerNamesFromHost": self.players,
            "isCompleted": self.is_completed,
            "isAborted": self.is_aborted,
        }
        if self.goals is not None:
            made["goalValues"] = self.goals
        made |= {"states": self.states, "moves": self.moves, "stateTimes": self.state_times, "errors": self.errors}
        return made | self.more


def state_text(fluents: Sequence[Term]) -> str:
    """A position as records hold it.

    >>> from gdl import parse_term
    >>> state_text([parse_term("(cell 1 1 b)"), parse_term("over")])
    '((cell 1 1 b) over)'
    """
    return f"({' '.join(map(kif, fluents))})"


def digest(text: str) -> str:
    """The SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def to_text(value: dict[str, Json]) -> str:
    """An object as JSON, laid out so that people can read it and that it grows by lines."""
    lines = ",\n".join(f" {json.dumps(key)}: {_value(item)}" for key, item in value.items())
    return f"{{\n{lines}\n}}\n"


def _value(value: Json) -> str:
    if isinstance(value, list) and value and isinstance(value[0], list | dict | str):
        return "[\n" + ",\n".join(f"  {json.dumps(item)}" for item in value) + "\n ]"
    return json.dumps(value)


def parse_record(text: str, name: str = "<record>") -> Record:
    """Read a record; RecordError, with the place, if the text is none. Whether it agrees with the rules is not asked."""
    return _Reader(name).record(_load(text, name))


def read_record(path: Path) -> Record:
    """Read a record from a file; RecordError if the file holds none, OSError if it cannot be read."""
    try:
        return parse_record(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: this is no text in UTF-8 (at byte {error.start})") from None


def _load(text: str, name: str) -> Json:
    def refuse(constant: str) -> NoReturn:
        raise RecordError(f"{name}: {constant} is no value of JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise RecordError(f"{name}:{error.lineno}:{error.colno}: this is no JSON: {error.msg}") from None
    except RecursionError:
        raise RecordError(f"{name}: lists are nested too deep for a record") from None
    except ValueError as error:  # a number of thousands of digits
        raise RecordError(f"{name}: {error}") from None


class _Reader:
    """Takes the values of one record; each complaint names the key."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.left: dict[str, Json] = {}

    def record(self, value: Json) -> Record:
        """The record."""
        if not isinstance(value, dict):
            self.fail("a record is an object", value)
        self.left = dict(value)
        for key, item in self.left.items():
            self.refuse_null(key, item)
        return Record(
            match_id=self.string("matchId"),
            start_time=self.number("startTime"),
            random_token=self.string("randomToken"),
            start_clock=self.seconds("startClock"),
            play_clock=self.seconds("playClock"),
            game_url=self.string("gameMetaURL"),
            states=self.strings("states", self.take("states", None)),
            moves=self.lists("moves", self.take("moves", None)),
            state_times=self.numbers("stateTimes", self.take("stateTimes", None)),
            errors=self.lists("errors", self.take("errors", [])),
            is_completed=self.flag("isCompleted"),
            is_aborted=self.flag("isAborted"),
            goals=self.numbers("goalValues", self.left.pop("goalValues")) if "goalValues" in self.left else None,
            players=self.strings("playerNamesFromHost", self.take("playerNamesFromHost", [])),
            more=self.left,
        )

    def refuse_null(self, place: str, value: Json) -> None:
        """Records hold no nulls, however deep."""
        todo = [(place, value)]
        while todo:
            place, value = todo.pop()
            if value is None:
                raise RecordError(f"{self.name}: {place}: null, which records do not hold")
            if isinstance(value, list):
                todo.extend((f"{place}[{number}]", item) for number, item in enumerate(value))
            elif isinstance(value, dict):
                todo.extend((f"{place}.{key}", item) for key, item in value.items())

    def take(self, key: str, default: Json) -> Json:
        """The value of a key; complains if it is required and missing."""
        if key not in self.left and default is None:
            raise RecordError(f"{self.name}: {key} is missing")
        return self.left.pop(key, default)

    def string(self, key: str) -> str:
        """A text."""
        value = self.take(key, None)
        return value if isinstance(value, str) else self.fail(f"{key}: a text was expected", value)

    def number(self, key: str) -> int:
        """A whole number."""
        value: int = self.take(key, None)
        return value if _is_number(value) else self.fail(f"{key}: a whole number was expected", value)

    def seconds(self, key: str) -> float:
        """A number, whole or not."""
        value: float = self.take(key, None)
        is_number = isinstance(value, float) or _is_number(value)
        return value if is_number else self.fail(f"{key}: a number was expected", value)

    def flag(self, key: str) -> bool:
        """True or false; false where it is missing."""
        value = self.take(key, False)
        return value if isinstance(value, bool) else self.fail(f"{key}: true or false was expected", value)

    def items(self, place: str, value: Json) -> list[Json]:
        """A list."""
        return value if isinstance(value, list) else self.fail(f"{place}: a list was expected", value)

    def strings(self, place: str, value: Json) -> list[str]:
        """A list of texts."""
        for number, item in enumerate(self.items(place, value)):
            if not isinstance(item, str):
                self.fail(f"{place}[{number}]: a text was expected", item)
        return list(value)

    def numbers(self, place: str, value: Json) -> list[int]:
        """A list of whole numbers."""
        for number, item in enumerate(self.items(place, value)):
            if not _is_number(item):
                self.fail(f"{place}[{number}]: a whole number was expected", item)
        return list(value)

    def lists(self, place: str, value: Json) -> list[list[str]]:
        """A list of lists of texts."""
        return [self.strings(f"{place}[{number}]", item) for number, item in enumerate(self.items(place, value))]

    def fail(self, message: str, value: Json) -> NoReturn:
        """Complain about a value of the wrong kind."""
        shown = json.dumps(value)
        raise RecordError(f"{self.name}: {message}, not {shown if len(shown) <= 40 else shown[:40] + '…'}")


def _is_number(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
