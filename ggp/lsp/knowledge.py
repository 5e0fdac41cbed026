"""What can stand where, and how much of it there is: found from the rules, by domains and by grounding."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import prod

from gdl import GdlError, Source, load
from gdl.dependencies import DOES, TRUE
from gdl.domains import Domains
from gdl.grounding import GroundLimits, ground
from gdl.laws.keywords import ARITY
from gdl.normalize import normalize
from gdl.places import Place
from gdl.program import GroundProgram
from gdl.rules import Relation
from gdl.ruleset import Ruleset

_LIMITS = GroundLimits(seconds=10, bytes=2 << 30, rules=1_000_000)
_SHOWN = 8
"""Values of an argument that are listed."""


@dataclass(frozen=True)
class Kind:
    """A relation, a fluent or a move."""

    name: str
    arity: int
    what: str
    domains: tuple[str, ...]
    """What can stand in each argument, in words."""
    most: int | None
    """As many ground instances as the domains allow; None where they have no end."""
    instances: int | None
    """Those that there are; None where grounding does not tell, as of relations that are the same in every position."""

    def lines(self) -> list[str]:
        """In words."""
        head = f"{self.what} {self.name} with {self.arity or 'no'} argument{'' if self.arity == 1 else 's'}"
        count = (
            f"{self.instances:,} ground instances" if self.instances is not None
            else f"at most {self.most:,} ground instances" if self.most is not None
            else "ground instances without a known end"
        )  # fmt: skip
        return [f"{head}: {count}", *(f"{n}. {domain}" for n, domain in enumerate(self.domains, 1))]


def knowledge(text: str) -> dict[str, list[Kind]]:
    """The kinds of each name; none where the text has errors."""
    try:
        ruleset = load(Source(text))
    except GdlError:
        return {}
    domains = Domains(map(normalize, ruleset.rules))
    try:
        counts = _counted(ground(ruleset, _LIMITS))
    except GdlError:
        counts = {}
    found: dict[str, list[Kind]] = {}
    for what, (name, arity), places in named(ruleset, domains):
        most = None if any(map(_is_open, places)) else prod(map(_size, places))
        instances = counts.get((what, name))
        if what == "relation" and instances is None:
            rules = ruleset.by_relation.get((name, arity), ())
            instances = len(rules) if not any(rule.body for rule in rules) else None
        kind = Kind(name, arity, what, tuple(map(_words, places)), most, instances)
        found.setdefault(name, []).append(kind)
    return found


def named(ruleset: Ruleset, domains: Domains) -> list[tuple[str, Relation, tuple[Place, ...]]]:
    """What has a name: relations, fluents and moves, and what can stand in each argument."""
    found = [("relation", name, domains.of(name) or ()) for name in ruleset.by_relation if ARITY.get(name[0]) != name[1]]
    for what, inside, argument in (("fluent", TRUE, 0), ("move", DOES, 1)):
        places = domains.of(inside)
        if places is not None:
            place = places[argument]
            found += [(what, (name, 0), ()) for name in sorted(place.names)]
            found += [(what, function, inner) for function, inner in place.functions.items()]
    return found


def _counted(program: GroundProgram) -> dict[tuple[str, str], int]:
    """Ground fluents, moves (of all roles) and atoms of the game's own relations that depend on the position, by name."""
    fluents = Counter(_first(base.fluent) for base in program.bases)
    moves = Counter(_first(pair.move) for pair in program.inputs)
    atoms = Counter(_first(name) for name in program.names if name)
    counted = {("fluent", name): count for name, count in fluents.items()}
    counted |= {("move", name): count for name, count in moves.items()}
    return counted | {("relation", name): count for name, count in atoms.items() if name not in ARITY}


def _first(text: str) -> str:
    return text.lstrip("(").partition(" ")[0].rstrip(")")


def _is_open(place: Place) -> bool:
    return place.anything or any(_is_open(inner) for places in place.functions.values() for inner in places)


def _size(place: Place) -> int:
    return len(place.names) + sum(prod(map(_size, places)) for places in place.functions.values())


def _words(place: Place) -> str:
    if place.anything:
        return "anything"
    names = sorted(place.names, key=lambda name: (not name.isdigit(), len(name) if name.isdigit() else 0, name))
    names += [f"({name} …)" for name, _ in place.functions]
    shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    return f"{shown} ({len(names)} values)" if len(names) > 1 else shown or "nothing"
