"""The messages that game servers send to players, as they really send them.

Reading is tolerant: commands in any case, extra arguments behind the known ones, an empty text for INFO. A message that
has no meaning raises MessageError, which names the place. The rules of a START stay a text: only whoever accepts the
match pays for parsing them. Nothing here recurses: a message may be megabytes long and nested thousands deep.

>>> parse_message("(play m.1 (NOOP (mark 1 2)) something else)").text()
'( PLAY m.1 (noop (mark 1 2)) )'
>>> parse_message("(abort m.1)")
Abort(match='m.1')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gdl.parser import parse_term
from gdl.reader import MAX_DEPTH
from gdl.source import Source
from gdl.terms import Compound, Symbol, Term, is_ground, kif
from ggp.core.errors import MessageError

REPORT_HEADER = "x-ggp-report"
"""The header of a reply to PLAY in which a player of ours tells what stood behind its move, as a JSON object."""

_STRUCTURE = re.compile(r";[^\r\n]*|[()]")
_WORD = re.compile(r"[^\s();]+")
_LAYOUT = re.compile(r"(?:;[^\r\n]*|[\r\n]+)+")
_LONGEST_NUMBER = 9
_DECIMAL = re.compile(r"[0-9]{1,9}\.[0-9]{1,9}")
"""Digits of a clock or a turn; more would overflow somewhere."""
_LONGEST_LIST = 20_000
"""Words and lists of one list of a message, the rules apart; and thus what a hostile one can cost."""
_LONGEST_SMALL = 1 << 20
"""Characters of a message without rules."""
_WITH_RULES = re.compile(r"\s*\(?\s*(?:START|PREVIEW)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Info:
    """Asks who the player is and whether it is free."""

    def text(self) -> str:
        """The message as servers send it."""
        return "( INFO )"


@dataclass(frozen=True)
class Ping:
    """Asks whether the player is there: an old form of INFO."""

    def text(self) -> str:
        """The message as servers send it."""
        return "( PING )"


@dataclass(frozen=True)
class Preview:
    """Shows the rules of a game before a match of it starts."""

    rules: str = field(repr=False)
    """The description, without the parentheses around it."""
    clock: int
    """Seconds to look at it."""

    def text(self) -> str:
        """The message as servers send it."""
        return f"( PREVIEW ({_one_line(self.rules)}) {self.clock} )"


@dataclass(frozen=True)
class Start:
    """Starts a match."""

    match: str
    """The match's id, compared exactly."""
    role: str
    """The player's role, spelled as in the message."""
    rules: str = field(repr=False)
    """The description, without the parentheses around it."""
    start_clock: float
    """Seconds to prepare; whole ones in GGP."""
    play_clock: float
    """Seconds for each move; whole ones in GGP."""

    def text(self) -> str:
        """The message as servers send it."""
        return f"( START {self.match} {self.role} ({_one_line(self.rules)}) {self.start_clock} {self.play_clock} )"


@dataclass(frozen=True)
class _Step:
    """What PLAY and STOP have in common."""

    match: str
    seen: tuple[Term, ...] | None
    """What happened last: the joint move in GDL-I, the percepts in GDL-II; None for NIL."""
    turn: int | None = None
    """The number of the step, in GDL-II's long form only."""
    last: Term | None = None
    """The player's own move as it was executed, in GDL-II's long form only; None for NIL."""

    def _text(self, command: str) -> str:
        seen = "NIL" if self.seen is None else f"({' '.join(map(kif, self.seen))})"
        if self.turn is None:
            return f"( {command} {self.match} {seen} )"
        last = "NIL" if self.last is None else kif(self.last)
        return f"( {command} {self.match} {self.turn} {last} {seen} )"


@dataclass(frozen=True)
class Play(_Step):
    """Asks for a move, and tells what happened before."""

    def text(self) -> str:
        """The message as servers send it."""
        return self._text("PLAY")


@dataclass(frozen=True)
class Stop(_Step):
    """Ends a match, and tells what happened last."""

    def text(self) -> str:
        """The message as servers send it."""
        return self._text("STOP")


@dataclass(frozen=True)
class Abort:
    """Ends a match in the middle."""

    match: str

    def text(self) -> str:
        """The message as servers send it."""
        return f"( ABORT {self.match} )"


Message: TypeAlias = Info | Ping | Preview | Start | Play | Stop | Abort


def parse_message(text: str) -> Message:
    """Read a message; MessageError, with the place, if it has no meaning."""
    return _Reader(text).message()


def joint_move(seen: Sequence[Term], roles: int) -> tuple[Term, ...]:
    """What a PLAY or STOP told, as one move for each role; ValueError if it cannot be that.

    With a single role, some tools send the move alone, without the list around it.

    >>> [str(move) for move in joint_move(parse_message("(PLAY m (mark 1 2))").seen, 1)]
    ['(mark 1 2)']
    """
    if roles == 1 and len(seen) > 1 and isinstance(seen[0], Symbol):
        return (Compound(seen[0].name, tuple(seen[1:])),)
    if len(seen) != roles:
        raise ValueError(f"{len(seen)} moves for {roles} roles")
    return tuple(seen)


@dataclass(frozen=True)
class _Part:
    """A word or a list of a message, by its place in the text."""

    start: int
    end: int
    is_list: bool


class _Reader:
    """Takes one message apart."""

    def __init__(self, text: str) -> None:
        self.text = text

    def message(self) -> Message:
        """The message; some tools leave the outer parentheses away where there is a single word."""
        if len(self.text) > _LONGEST_SMALL and not _WITH_RULES.match(self.text):
            raise self.error(0, f"only START and PREVIEW may be longer than {_LONGEST_SMALL:,} characters")
        outer = self.parts(0, inside=False)
        if not outer:
            return Info()
        first = outer[0]
        parts = self.parts(first.start + 1) if first.is_list else [first]
        if not parts or parts[0].is_list:
            raise self.error(first.start, "a message begins with a command")
        command = self.word(parts[0]).upper()
        if command not in _COMMANDS:
            known = ", ".join(_COMMANDS)
            raise self.error(parts[0].start, f"unknown command {_shown(command)}; known are: {known}")
        return _COMMANDS[command](self, parts[0], parts[1:])

    def start(self, command: _Part, parts: list[_Part]) -> Start:
        """START ID ROLE (RULES) SC PC."""
        self.need(command, parts, 5, "START needs a match id, a role, the rules, a start clock and a play clock")
        return Start(
            self.word(parts[0]), self.word(parts[1]), self.rules(parts[2]), self.clock(parts[3]), self.clock(parts[4])
        )

    def preview(self, command: _Part, parts: list[_Part]) -> Preview:
        """PREVIEW (RULES) CLOCK."""
        self.need(command, parts, 2, "PREVIEW needs the rules and a clock")
        return Preview(self.rules(parts[0]), self.number(parts[1]))

    def step(self, kind: type[Play] | type[Stop], command: _Part, parts: list[_Part]) -> Play | Stop:
        """PLAY or STOP: ID SEEN, or GDL-II's ID TURN LAST SEEN; which of them is told by their number."""
        self.need(command, parts, 1, f"{kind.__name__.upper()} needs a match id")
        match, rest = self.word(parts[0]), parts[1:]
        if len(rest) >= 3 and not rest[0].is_list and self.word(rest[0]).isdecimal():
            last = None if self.is_nil(rest[1]) else self.term(rest[1])
            return kind(match, self.seen(rest[2]), self.number(rest[0]), last)
        return kind(match, self.seen(rest[0]) if rest else None)

    def abort(self, command: _Part, parts: list[_Part]) -> Abort:
        """ABORT ID."""
        self.need(command, parts, 1, "ABORT needs a match id")
        return Abort(self.word(parts[0]))

    def seen(self, part: _Part) -> tuple[Term, ...] | None:
        """The terms of a list, or a term alone; None for NIL."""
        if self.is_nil(part):
            return None
        return tuple(map(self.term, self.parts(part.start + 1) if part.is_list else [part]))

    def term(self, part: _Part) -> Term:
        """A move or a percept."""
        try:
            term = parse_term(self.text[part.start : part.end])
        except ValueError:
            raise self.error(part.start, "a move or percept was expected here") from None
        if not is_ground(term):
            raise self.error(part.start, "a move or percept holds no variables")
        return term

    def rules(self, part: _Part) -> str:
        """The text of the rules, without the parentheses around it."""
        if not part.is_list:
            raise self.error(part.start, "the rules were expected here, as a list")
        return self.text[part.start + 1 : part.end - 1].strip()

    def number(self, part: _Part) -> int:
        """A number of seconds or of a turn."""
        word = self.word(part)
        if not (word.isascii() and word.isdecimal() and len(word) <= _LONGEST_NUMBER):
            raise self.error(part.start, f"a whole number was expected here, not {_shown(word)}")
        return int(word)

    def clock(self, part: _Part) -> float:
        """Seconds: whole ones, as GGP has them, or a decimal fraction, as our game master may send it."""
        word = self.word(part)
        return float(word) if _DECIMAL.fullmatch(word) else self.number(part)

    def word(self, part: _Part) -> str:
        """A word, spelled as in the message."""
        if part.is_list:
            raise self.error(part.start, "a word was expected here, not a list")
        return self.text[part.start : part.end]

    def is_nil(self, part: _Part) -> bool:
        """True for NIL in any case."""
        return not part.is_list and self.word(part).lower() == "nil"

    def need(self, command: _Part, parts: list[_Part], count: int, message: str) -> None:
        """Complain if there are fewer arguments than a command needs."""
        if len(parts) < count:
            raise self.error(parts[-1].end if parts else command.end, message)

    def parts(self, start: int, inside: bool = True) -> list[_Part]:
        """The words and lists up to the parenthesis that closes nothing, or (not `inside`) up to the end of the text."""
        found: list[_Part] = []
        open_at: list[int] = []
        before = start
        for mark in _STRUCTURE.finditer(self.text, start):
            if not open_at:
                self.add_words(found, before, mark.start())
            before = mark.end()
            if mark.group() == "(":
                if len(open_at) >= MAX_DEPTH:
                    raise self.error(mark.start(), f"lists are nested more than {MAX_DEPTH:,} deep here")
                open_at.append(mark.start())
            elif mark.group() == ")":
                if open_at:
                    opening = open_at.pop()
                    if not open_at:
                        if len(found) >= _LONGEST_LIST:
                            raise self.error(opening, f"a list of more than {_LONGEST_LIST:,} parts is no message")
                        found.append(_Part(opening, mark.end(), True))
                elif inside:
                    return found
                else:
                    raise self.error(mark.start(), "this parenthesis closes nothing")
        if inside or open_at:
            raise self.error(
                open_at[0] if open_at else start - 1, "this list is not closed before the end of the message"
            )
        self.add_words(found, before, len(self.text))
        return found

    def add_words(self, found: list[_Part], start: int, end: int) -> None:
        """Find the words of a stretch of text without parentheses and comments."""
        for word in _WORD.finditer(self.text, start, end):
            if len(found) >= _LONGEST_LIST:
                raise self.error(word.start(), f"a list of more than {_LONGEST_LIST:,} parts is no message")
            found.append(_Part(word.start(), word.end(), False))

    def error(self, at: int, message: str) -> MessageError:
        """The error for a place of the message."""
        return MessageError(f"{Source(self.text, '<message>').place(at)}: {message}")


_COMMANDS: dict[str, Callable[[_Reader, _Part, list[_Part]], Message]] = {
    "INFO": lambda reader, command, parts: Info(),
    "PING": lambda reader, command, parts: Ping(),
    "PREVIEW": _Reader.preview,
    "START": _Reader.start,
    "PLAY": lambda reader, command, parts: reader.step(Play, command, parts),
    "STOP": lambda reader, command, parts: reader.step(Stop, command, parts),
    "ABORT": _Reader.abort,
}


def _one_line(rules: str) -> str:
    """Rules without comments and line ends: a comment would run to the end of the message."""
    return _LAYOUT.sub(" ", rules).strip()


def _shown(word: str) -> str:
    """A word of a stranger as it may stand in a message of ours: short, and ASCII."""
    return ascii(word if len(word) <= 40 else word[:40] + "...")
