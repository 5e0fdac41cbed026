"""Matches that were recorded, ours or imported ones, as positions for a study: of one game, under whatever names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gdl import GdlError, load
from gdl.canonical import canonical, translation
from gdl.parser import parse_term
from gdl.ruleset import Ruleset
from gdl.terms import Term
from ggp.core.errors import RecordError, UsageError
from ggp.machines.circuit import CircuitMachine, Position
from ggp.match.record import Record, digest, read_record
from ggp.match.verify import rules_of

Reading = Callable[[list[str]], tuple[Term, ...]]
"""Gives the joint move that a record writes so."""


@dataclass
class Recorded:
    """What the records of a folder have of a game."""

    matches: int = 0
    """Those of the game."""
    others: int = 0
    """Records of other games."""
    unreadable: int = 0
    """Files that are no records, or whose moves break the rules."""
    met: Counter[Position] = field(default_factory=Counter)
    """How many matches came by a position, of those where somebody has a choice."""

    @property
    def positions(self) -> list[Position]:
        """Those that most matches came by, first."""
        return [position for position, _ in self.met.most_common()]


def recorded(folder: Path, ruleset: Ruleset, machine: CircuitMachine) -> Recorded:
    """The positions of a game that matches came to."""
    if not folder.is_dir():
        raise UsageError(f"--records: {folder} is no folder")
    found, own = Recorded(), canonical(ruleset)
    readings: dict[str, Reading | None] = {}

    def reading(record: Record, name: str) -> Reading | None:
        """How moves of a record are read; None if it is of another game."""
        key = digest(record.rules or "")
        if key not in readings:
            rules = load(rules_of(record, name))
            theirs = canonical(rules)
            readings[key] = None
            if theirs.key == own.key:
                word = translation(theirs, own)
                places = [machine.roles.index(word(role)) for role in rules.roles]
                readings[key] = lambda texts: tuple(
                    parse_term(word(text)) for _, text in sorted(zip(places, texts, strict=True))
                )
        return readings[key]

    for path in sorted(folder.glob("*.json")):
        try:
            record = read_record(path)
            read = reading(record, path.name)
            if read is None:
                found.others += 1
            else:
                found.met.update(set(_played(record, read, machine)))
                found.matches += 1
        except (RecordError, GdlError, ValueError):
            found.unreadable += 1
    return found


def _played(record: Record, read: Reading, machine: CircuitMachine) -> Iterator[Position]:
    """The positions of a match in which somebody has a choice."""
    position = machine.initial()
    for texts in record.moves:
        joint = read(texts)
        situation = machine.situation(position)
        if situation.terminal or not all(move in legal for move, legal in zip(joint, situation.legal, strict=True)):
            raise RecordError("a move is not what the rules allow")
        if any(len(legal) > 1 for legal in situation.legal):
            yield position
        position = machine.next(position, joint)
