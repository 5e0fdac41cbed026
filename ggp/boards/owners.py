"""Whose a value is: `white` is a role, `wp` is said by the rules to be a piece of white, `x` is what xplayer marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gdl.grounding.rules import Term, is_variable, relation
from ggp.boards.rules import Kind, Rules

_EMPTY = frozenset({"b", "blank", "empty", "e", "none", "nil", "nothing", "clear", "free"})
"""Words for the contents of an empty cell."""


@dataclass(frozen=True)
class Value:
    """What a value of an argument says of a piece."""

    owner: str | None
    kind: str | None
    empty: bool = False
    """Whether it says that nothing is there."""


@dataclass(frozen=True)
class Owners:
    """The meaning of the values of one argument."""

    values: Mapping[str, Value] = field(default_factory=dict)

    def of(self, value: str) -> Value:
        """What a value says; one that was not foreseen is a kind."""
        return self.values.get(value) or Value(None, value)

    @property
    def kinds(self) -> list[str]:
        """All kinds, sorted."""
        return sorted({value.kind for value in self.values.values() if value.kind and not value.empty})

    @property
    def owned(self) -> bool:
        """Whether some values have an owner."""
        return any(value.owner for value in self.values.values())


def owners(rules: Rules, kind: Kind, place: int, domain: set[str], cells: int) -> Owners:
    """Find out what the values of an argument mean; `cells` is how many there are on the board."""
    names = {value for value in domain if not value.lstrip("-").isdigit()}
    found = {value: Value(value, None) for value in names & set(rules.roles)}
    left = names - found.keys()
    found |= _by_facts(rules, left) or _by_moves(rules, kind, place, left) or _by_names(rules.roles, left)
    empty = {value for value in names & _EMPTY if value not in found}
    if not empty and len(rules.init.get(kind, [])) == cells:
        empty = _most_common(rules, kind, place, names - found.keys())
    values = {value: found.get(value, Value(None, value, value in empty)) for value in sorted(domain)}
    return Owners(_without_prefixes(values))


def _by_facts(rules: Rules, names: set[str]) -> dict[str, Value]:
    """Static relations that say whose each value is: (piece_owner wp white pawn)."""
    roles = set(rules.roles)
    for (_, count), rows in sorted(rules.static.items()):
        if not 2 <= count <= 3 or not rows:
            continue
        columns = [{row[i] for row in rows} for i in range(count)]
        for i, column in enumerate(columns):
            others = [j for j, other in enumerate(columns) if j != i and len(other & names) > 1 and other <= names]
            if column <= roles and len(column) > 1 and len(others) == 1:
                said = {row[others[0]]: row for row in rows}
                if len(said) == len(rows):
                    rest = [j for j in range(count) if j not in (i, others[0])]
                    return {name: Value(row[i], row[rest[0]] if rest else name) for name, row in said.items()}
    return {}


def _by_moves(rules: Rules, kind: Kind, place: int, names: set[str]) -> dict[str, Value]:
    """Values that come with the moves of one role only: (next (cell ?x ?y x)) from (does xplayer (mark ?x ?y))."""
    if len(rules.roles) < 2:
        return {}
    found: dict[str, set[str]] = {}
    for rule in rules.rules:
        mover = {
            atom[1]
            for atom in (rule.head, *(literal.atom for literal in rule.body if literal.positive))
            if relation(atom) in (("does", 2), ("legal", 2)) and isinstance(atom[1], str)
        }
        if relation(rule.head) == ("next", 1):
            values = _values(rule.head[1], kind, place)
        elif relation(rule.head) == ("legal", 2):
            move = rule.head[2]
            values = {part for part in move[1:] if isinstance(part, str)} if isinstance(move, tuple) else set()
        else:
            continue
        for value in values & names:
            found.setdefault(value, set()).update(str(role) for role in mover or {"?"})
    said = {value: min(by) for value, by in found.items() if len(by) == 1 and by <= set(rules.roles)}
    return {value: Value(role, value) for value, role in said.items()} if len(set(said.values())) > 1 else {}


def _values(fluent: Term, kind: Kind, place: int) -> set[str]:
    if relation(fluent) != kind or is_variable(fluent):
        return set()
    value = fluent[place + 1]
    return {value} if isinstance(value, str) else set()


def _by_names(roles: Sequence[str], names: set[str]) -> dict[str, Value]:
    """Values named after roles: `whiterook`, `x` for xplayer; `wp` where all have such names."""
    found = {}
    for name in names:
        whole = [role for role in roles if len(role) > 2 and name.startswith(role)]
        part = [role for role in roles if role.startswith(name)]
        if len(whole) == 1:
            found[name] = Value(whole[0], name)
        elif len(part) == 1:
            found[name] = Value(part[0], None)
    if found:
        return found if len({value.owner for value in found.values()}) > 1 else {}
    initials = {role[0]: role for role in roles}
    pairs = {name: initials[name[0]] for name in names if len(name) == 2 and name[0] in initials}
    if len(initials) == len(roles) > 1 and set(pairs.values()) == set(roles):
        return {name: Value(role, name) for name, role in pairs.items()}
    return {}


def _most_common(rules: Rules, kind: Kind, place: int, names: set[str]) -> set[str]:
    """Where the first position has a value for every cell, the one of most cells is nothing."""
    rows = rules.init.get(kind, [])
    counts = {name: sum(row[place] == name for row in rows) for name in names}
    best = max(counts, key=lambda name: (counts[name], name), default=None)
    return {best} if best is not None and counts[best] > 0.4 * len(rows) and len(rows) > 8 else set()


def _without_prefixes(values: dict[str, Value]) -> dict[str, Value]:
    """Kinds without the part that only repeats the owner: `rook` of `whiterook`, `p` of `wp`; none where none is left."""
    owned = Counter(value.owner for value in values.values() if value.owner)
    only_one = all(count == 1 for count in owned.values())
    made = {}
    for name, value in values.items():
        kind = value.kind
        if value.owner is not None and kind == name:
            same = [other for other, v in values.items() if v.owner == value.owner]
            if name.startswith(value.owner) and name != value.owner:
                kind = name[len(value.owner) :].lstrip("_-")
            elif only_one:
                kind = None
            elif len({other[0] for other in same}) == 1 and all(len(other) > 1 for other in same):
                kind = name[1:]
        made[name] = Value(value.owner, kind, value.empty)
    return made
