"""What somebody means who types a line: text in, intent out.

A line is a number of the list, a move or as much of it as tells it from the others, or a command. What is a whole move
is always that move; a command begins with `/` where a game has a move of its name.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from gdl.terms import Term, kif
from ggp.human.movelist import MoveList, spoken, words_of

COMMANDS: Mapping[str, str] = {
    "moves": "the legal moves again; `moves TEXT`: those that fit; `moves all`: every one",
    "board": "the position again",
    "hint": "what the search thinks, after a second; `hint 5`: after 5 s",
    "undo": "take back your last choice, and all that came after it",
    "history": "what has happened so far",
    "resign": "give up: the match ends here",
    "quit": "leave: the match ends here",
    "help": "this",
}
"""What can be typed beside moves, and what it does."""
_ALIASES = {"?": "help", "exit": "quit", "list": "moves", "legal": "moves", "show": "board", "back": "undo"}
_WITH_WORDS = {"moves", "hint"}
"""Commands that more words may follow."""
_FINAL = {"resign", "quit"}
"""Commands that are typed in full: they cannot be taken back."""


@dataclass(frozen=True)
class Chosen:
    """A move."""

    move: Term


@dataclass(frozen=True)
class Command:
    """One of `COMMANDS`, and the words after it."""

    name: str
    rest: str = ""


@dataclass(frozen=True)
class Ambiguous:
    """Several moves fit."""

    moves: tuple[Term, ...]


@dataclass(frozen=True)
class Unclear:
    """Nothing fits; what to say to it."""

    message: str


@dataclass(frozen=True)
class Silence:
    """An empty line, where there is a choice to make."""


Intent: TypeAlias = Chosen | Command | Ambiguous | Unclear | Silence


def understand(line: str, moves: MoveList) -> Intent:
    """What a line means."""
    text = line.strip()
    if not text:
        return Chosen(moves.moves[0]) if len(moves.moves) == 1 else Silence()
    if text.startswith("/"):
        return _command(text[1:]) or Unclear(f"there is no command {text}; `help` lists them")
    if text.lstrip("-").isdecimal():
        return _number(text, moves)
    fitting = moves.matching(text)
    is_exact = len(fitting) == 1 and words_of(kif(fitting[0])) == words_of(text)
    command = _command(text)
    if command is not None and (not fitting or (_is_whole(text) and not is_exact)):
        return command
    if len(fitting) == 1:
        return Chosen(fitting[0])
    return Ambiguous(tuple(fitting)) if fitting else Unclear(_suggestion(text, moves))


def completions(line: str, moves: MoveList) -> list[str]:
    """The moves and commands that a line may become, spelled as it begins."""
    begun = line.lstrip().lower()
    texts = [kif(move) if begun.startswith("(") else spoken(move) for move in moves.moves]
    commands = [f"/{name}" if begun.startswith("/") else name for name in COMMANDS]
    return [text for text in (*texts, *commands) if text.startswith(begun)]


def _number(text: str, moves: MoveList) -> Intent:
    move = moves.numbered.get(int(text)) if text.isdecimal() else None
    if move is None:
        return Unclear(f"there is no move {text}; the list has {min(moves.numbered)} to {max(moves.numbered)}")
    return Chosen(move)


def _is_whole(text: str) -> bool:
    """Whether a line begins with the full name of a command."""
    first = text.lower().split()[0]
    return first in COMMANDS or first in _ALIASES


def _command(text: str) -> Command | None:
    """The command that a text is; None if it is none. The beginning of a name is enough where only one has it."""
    words = text.split(maxsplit=1)
    if not words:
        return None
    first, rest = words[0].lower(), words[1].strip() if len(words) > 1 else ""
    name = _ALIASES.get(first, first)
    if name not in COMMANDS:
        begun = _begun(first)
        if len(begun) != 1:
            return None
        name = begun[0]
    return Command(name, rest) if not rest or name in _WITH_WORDS else None


def _begun(word: str) -> list[str]:
    """The commands that a word may be the beginning of."""
    return [known for known in COMMANDS if known.startswith(word) and known not in _FINAL]


def _suggestion(text: str, moves: MoveList) -> str:
    if len(commands := _begun(text.lower())) > 1:
        return f"{text!r} may be {' or '.join(commands)}"
    known = {**{spoken(move): spoken(move) for move in moves.moves}, **dict(zip(COMMANDS, COMMANDS, strict=True))}
    near = difflib.get_close_matches(" ".join(words_of(text)), known, n=1)
    hint = f"did you mean `{near[0]}`?" if near else "`moves` lists the moves, `help` all else"
    return f"{text!r} is no legal move and no command; {hint}"
