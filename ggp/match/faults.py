"""What a player can do wrong, in the words of match records: `TO` too late, `CE` no connection, `IL` no legal move."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

_LONGEST = 100
"""Characters that are kept of what a player said."""


class FaultKind(Enum):
    """The kinds that servers tell apart."""

    LATE = "TO"
    BROKEN = "CE"
    ILLEGAL = "IL"


@dataclass(frozen=True)
class Fault:
    """One thing that a player did wrong."""

    kind: FaultKind
    message: str
    """What happened, for people."""
    answer: str = ""
    """What the player said instead of a legal move."""

    @property
    def code(self) -> str:
        """As it stands in the `errors` of a record."""
        return f"{self.kind.value} {self.answer}".rstrip() if self.kind is FaultKind.ILLEGAL else self.kind.value


def illegal(answer: str, role: str) -> Fault:
    """The fault of an answer that is no legal move."""
    said = printable(answer)
    return Fault(FaultKind.ILLEGAL, f"{said or 'an empty answer'} is not legal for {role}", said)


def printable(text: str, longest: int = _LONGEST) -> str:
    """What a stranger sent, as it may stand in a record and on a terminal: one line, no control characters, not long.

    >>> printable("(mark 1\\n 1)\\x1b[2J")
    '(mark 1 1)?[2J'
    """
    line = " ".join(text[: 4 * longest].split())
    line = "".join(c if c.isprintable() else "?" for c in line)
    return line if len(line) <= longest else line[: longest - 1] + "…"
