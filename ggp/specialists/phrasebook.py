"""The phrasebook: what names of programs stand for, and how moves of the library's games are said in a protocol.

It is read from games/specialists.toml, which tells what the fields mean. A game is found by the key of its rules, which
does not depend on names, so that the phrases hold for a game under the made-up names of a server, too.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from gdl.canonical import canonical, translation
from gdl.loader import load
from gdl.ruleset import Ruleset
from gdl.terms import Term, kif
from ggp.core.errors import UsageError
from ggp.core.library import folder
from ggp.players.specs import PROTOCOLS

FILE = "specialists.toml"
_VARIABLE = re.compile(r"\?([a-z]+)(\d*)")
Entry = TypeVar("Entry", "Program", "Phrases")


@dataclass(frozen=True)
class Program:
    """What the name of a program stands for."""

    protocol: str
    command: list[str]
    package: str = ""
    """Debian's."""
    options: dict[str, str] = field(default_factory=dict)
    """What our names of options stand for."""
    seed: str = ""
    """GTP: the argument that makes it play the same again."""


@dataclass(frozen=True)
class Phrases:
    """How a game is said in a protocol."""

    protocol: str
    roles: dict[str, str]
    moves: dict[str, str]
    silent: list[str] = field(default_factory=list)
    resign: str = ""
    setup: list[str] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)
    words: dict[str, dict[str, str]] = field(default_factory=dict)

    def say(self, move: str) -> str | None:
        """A move in the words of the protocol; None for one that is not told. UsageError if there is no phrase for it."""
        if move in self.silent:
            return None
        for pattern, phrase in self.moves.items():
            if found := re.fullmatch(_as_expression(pattern), move):
                return _VARIABLE.sub(lambda variable: self._word(variable, found), phrase)
        raise UsageError(f"{FILE}: there is no phrase for the move {move}")

    def _word(self, variable: re.Match[str], found: re.Match[str]) -> str:
        name = found[variable[0][1:]]
        table = self.words.get(variable[1])
        if table is not None and name not in table:
            raise UsageError(f"{FILE}: {name} is no word for ?{variable[1]}")
        return name if table is None else table[name]


def _as_expression(pattern: str) -> str:
    """A regular expression that matches the moves of a pattern."""
    pieces = _VARIABLE.split(pattern)  # text, name, number, text, …
    names = [f"(?P<{name}{number}>[^\\s()]+)" for name, number in zip(pieces[1::3], pieces[2::3], strict=True)]
    texts = [re.escape(text) for text in pieces[::3]]
    return texts[0] + "".join(name + text for name, text in zip(names, texts[1:], strict=True))


@dataclass(frozen=True)
class Phrasebook:
    """All programs and games that are known."""

    place: Path
    programs: Mapping[str, Program]
    games: Mapping[str, Phrases]

    def game(self, ruleset: Ruleset, protocol: str) -> Spoken:
        """How a game is said; UsageError if the phrasebook does not have it."""
        names = [name for name, phrases in self.games.items() if phrases.protocol == protocol]
        key = canonical(ruleset)
        for name in names:
            known = load(self.place / f"{name}.kif")
            theirs = canonical(known)
            if theirs.key == key.key:
                return Spoken(self.games[name], known.roles, translation(key, theirs))
        raise UsageError(
            f"no {protocol} program plays this game: {FILE} of the library says how to talk about "
            f"{', '.join(names)}, and this is none of them"
        )


@dataclass(frozen=True)
class Spoken:
    """How a match is said, in whatever names its rules have."""

    phrases: Phrases
    roles: tuple[str, ...]
    """In the names of the library."""
    to_library: Callable[[str], str]

    def colour(self, role: int) -> str:
        """What a role is called."""
        return self.phrases.roles[self.roles[role]]

    def say(self, move: Term) -> str | None:
        """A move in the words of the protocol; None for one that is not told."""
        return self.phrases.say(self.to_library(kif(move)))

    def understand(self, said: str, legal: Sequence[Term]) -> Term | None:
        """The legal move that was said; None if there is none. Giving up is what the phrasebook has for it."""
        wanted = said.lower()
        if wanted == "resign":
            wanted = self.phrases.resign.lower()
        return next((move for move in legal if (self.say(move) or "").lower() == wanted), None) if wanted else None


def phrasebook(place: Path | None = None) -> Phrasebook:
    """The phrasebook of the library; UsageError if it is broken."""
    place = place or folder()
    file = place / FILE
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {error}") from None
    programs = dict(_entries(file, data, "programs", Program))
    return Phrasebook(place, programs, dict(_entries(file, data, "games", Phrases)))


def _entries(file: Path, data: Mapping[str, Any], name: str, kind: type[Entry]) -> Iterator[tuple[str, Entry]]:
    for key, entry in data.get(name, {}).items():
        try:
            made = kind(**entry)
        except TypeError as error:
            raise UsageError(f"{file}: [{name}.{key}]: {str(error).rpartition('__init__() ')[2]}") from None
        if made.protocol not in PROTOCOLS:
            raise UsageError(f"{file}: [{name}.{key}]: there is no protocol {made.protocol!r}")
        yield key, made
