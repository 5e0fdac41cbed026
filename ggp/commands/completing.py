"""What can stand next on a command line: found from the declarations that `--help` is made of.

What an argument's value is like is told by its name in the help: GAME, PLAYER, FILE, ….
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ggp.commands import COMMANDS
from ggp.commands.line import parser


@dataclass(frozen=True)
class Word:
    """A word that can stand there. One that ends in `:`, `=` or `,` goes on."""

    text: str
    note: str = ""


FILES = Word(":files")
"""Stands for the files that the shell finds, which knows better how."""


def words(line: Sequence[str]) -> list[Word]:
    """What the last word of a line can become; `line` is without the program's name, its last word may be empty.

    >>> [word.text for word in words(["mat"])]
    ['match']
    >>> [word.text for word in words(["match", "nim", "--gdl2-form", ""])]
    ['turns', 'percepts']
    >>> [word.text for word in words(["match", "nim", "--player", "ucd:policy=u"])]
    ['ucd:policy=uniform']
    """
    *before, current = line or [""]
    asked = next((word for word in before if not word.startswith("-")), None)
    if asked is None:
        found: Iterable[Word] = [Word(name, summary) for name, summary in COMMANDS.items()]
        if current.startswith("-"):
            found = _options(parser(), before)
    elif asked in COMMANDS:
        found = _in_command(_of_command(asked), before[before.index(asked) + 1 :], current)
    else:
        found = ()
    return [word for word in found if word is FILES or word.text.startswith(current)]


def _of_command(name: str) -> argparse.ArgumentParser:
    """The declarations of one command."""
    chosen = next(action for action in parser(name)._actions if isinstance(action, argparse._SubParsersAction))
    own: argparse.ArgumentParser = chosen.choices[name]
    return own


def _in_command(own: argparse.ArgumentParser, before: Sequence[str], current: str) -> Iterator[Word]:
    option, needed, places = _reached(own, before)
    if option is not None:
        yield from _values(option, current)
        if needed:
            return
    name, equals, value = current.partition("=")
    if equals and name in own._option_string_actions:
        for word in _values(own._option_string_actions[name], value):
            yield word if word is FILES else Word(f"{name}={word.text}", word.note)
    elif current.startswith("-"):
        yield from _options(own, before)
    elif places:
        yield from _values(places[0], current)
    elif not current:
        yield from _options(own, before)


def _reached(
    own: argparse.ArgumentParser, before: Sequence[str]
) -> tuple[argparse.Action | None, bool, list[argparse.Action]]:
    """The option whose values are being given, whether one is needed, and the arguments by position that are left."""
    places = [action for action in own._actions if not action.option_strings]
    option, given = None, 0
    for word in before:
        if word.startswith("-") and len(word) > 1:
            option = None if "=" in word else own._option_string_actions.get(word)
            given = 0
        elif option is not None and _room(option, given):
            given += 1
        elif places and not _is_list(places[0]):
            del places[0]
    if option is None or not _room(option, given):
        return None, False, places
    return option, given == 0 and option.nargs not in ("*", "?"), places


def _room(action: argparse.Action, given: int) -> bool:
    """Whether an option takes another value."""
    return _is_list(action) or given < (action.nargs if isinstance(action.nargs, int) else 1)


def _is_list(action: argparse.Action) -> bool:
    return action.nargs in ("*", "+", argparse.REMAINDER)


def _options(own: argparse.ArgumentParser, before: Sequence[str]) -> Iterator[Word]:
    """The options that can still be given: the long form of each, once, unless it may come again."""
    for action in own._actions:
        names = [name for name in action.option_strings if name.startswith("--")] or action.option_strings
        if not isinstance(action, argparse._AppendAction) and set(action.option_strings) & set(before):
            continue
        for name in names[:1]:
            note = own._get_formatter()._expand_help(action) if action.help else ""
            yield Word(name, note)


def _values(action: argparse.Action, current: str) -> Iterator[Word]:
    """What an argument can be: its choices, or what its name in the help stands for."""
    if action.choices is not None:
        yield from (Word(str(choice)) for choice in action.choices)
        return
    yield from _KINDS.get(str(action.metavar), _nothing)(current)


def _nothing(current: str) -> Iterator[Word]:  # noqa: ARG001 (one of a table)
    yield from ()


def _games(current: str) -> Iterator[Word]:  # noqa: ARG001
    from ggp.core.library import library

    yield from (Word(game.name, game.title) for game in library())
    yield FILES


def _tags(current: str) -> Iterator[Word]:  # noqa: ARG001
    from ggp.core.library import library

    yield from (Word(tag) for tag in sorted({tag for game in library() for tag in game.tags}))


def _files(current: str) -> Iterator[Word]:  # noqa: ARG001
    yield FILES


def _experiments(current: str) -> Iterator[Word]:  # noqa: ARG001
    papers = Path(__file__).parents[1] / "lab" / "papers"  # its package would take a second to import
    yield from (Word(path.stem) for path in sorted(papers.glob("*.toml")))
    yield FILES


def _players(current: str) -> Iterator[Word]:
    """Names of players; after a name, its options; after an option, its values."""
    from ggp.players.specs import HUMAN, PLAYERS, PROTOCOLS, SEARCHING
    from ggp.search.presets import OPTIONS

    name, colon, text = current.partition(":")
    if not colon:
        yield from (Word(player) for player in PLAYERS)
        yield from (Word(f"{player}:", "with options") for player in SEARCHING)
        yield from (Word(f"{protocol}:", "a program that plays one game") for protocol in PROTOCOLS)
        yield Word(HUMAN, "somebody at this terminal")
    elif name in SEARCHING:
        *done, last = text.split(",")
        start = f"{name}:" + "".join(f"{part}," for part in done)
        key, equals, _ = last.partition("=")
        used = {part.partition("=")[0] for part in done}
        for option in OPTIONS:
            if equals and option.name == key:
                yield from (Word(f"{start}{key}={value}") for value in option.values)
            elif not equals and option.name not in used:
                yield Word(f"{start}{option.name}=", option.meaning)


_KINDS: Mapping[str, Callable[[str], Iterator[Word]]] = {
    "GAME": _games,
    "PLAYER": _players,
    "SPEC": _players,
    "TAG": _tags,
    "EXPERIMENT": _experiments,
    "FILE": _files,
    "RECORD": _files,
    "DIR": _files,
    "FOLDER": _files,
    "PLACE": _files,
}
