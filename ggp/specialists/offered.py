"""The specialists that may be asked for from elsewhere: those of the phrasebook, with the options that it names.

At a terminal any program can be named. Over the network that would let others start what they like.
"""

from __future__ import annotations

import re

from gdl.ruleset import Ruleset
from ggp.core.errors import UsageError
from ggp.specialists.phrasebook import Phrasebook, phrasebook
from ggp.specialists.player import found, make_specialist
from ggp.specialists.spec import read_spec

_VALUE = re.compile(r"-?\w{1,20}")


def offered(ruleset: Ruleset) -> list[str]:
    """The specialists that are installed here and know this game."""
    book = phrasebook()
    installed = {name: program for name, program in book.programs.items() if found(program.command[0])}
    speaking = {p for p in {program.protocol for program in installed.values()} if _knows(book, ruleset, p)}
    return [f"{program.protocol}:{name}" for name, program in installed.items() if program.protocol in speaking]


def check_offered(text: str, ruleset: Ruleset) -> None:
    """Refuse a specialist that others may not ask for, or that cannot be made for this game."""
    spec, book = read_spec(text), phrasebook()
    known = book.programs.get(spec.program)
    if known is None:
        raise UsageError(f"player {text!r}: from here, only {', '.join(book.programs)} can be asked for")
    if spec.arguments:
        raise UsageError(f"player {text!r}: arguments cannot be given from here")
    for name, value in spec.options.items():
        if name not in known.options:
            raise UsageError(f"player {text!r}: from here, the options are {', '.join([*known.options, 'seconds'])}")
        if not _VALUE.fullmatch(value):
            raise UsageError(f"player {text!r}: {name}={value} makes no sense")
    make_specialist(text, 0, ruleset)


def _knows(book: Phrasebook, ruleset: Ruleset, protocol: str) -> bool:
    try:
        book.game(ruleset, protocol)
    except UsageError:
        return False
    return True
