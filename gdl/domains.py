"""What can stand where: for each argument of each relation the names and functions that some rule can put there.

The answer is the least fixpoint over the rules in which arguments are independent of each other: it may hold too much,
never too little. Heads of `init`, `next` and `base` are read as `true`, heads of `legal` and `input` as `does`.

A rule takes part whether its conditions can hold or not. So one misspelt condition takes nothing from what depends on the
rule but the values of the variables that it alone binds, and a mistake is found where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gdl.dependencies import DOES, TRUE
from gdl.places import ANYTHING, NOTHING, Place, Read, Same, Source, relations_read, sources
from gdl.rules import Relation, Rule, relation
from gdl.terms import Atom, Symbol, Term, Variable, arguments, variables

FEEDS: Mapping[Relation, Relation] = {
    ("init", 1): TRUE,
    ("next", 1): TRUE,
    ("base", 1): TRUE,
    ("legal", 2): DOES,
    ("input", 2): DOES,
}
"""What heads of these relations are read as, too."""


class Domains:
    """The places of all arguments of all relations that rules in normal form give."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._places: dict[Relation, tuple[Place, ...]] = {}
        bound: list[_Bound] = []
        for rule in rules:
            if rule.body:
                bound.append(_Bound(rule))
            else:
                self._give(rule.head, {})
        self._close(bound)

    def of(self, name: Relation) -> tuple[Place, ...] | None:
        """The places of a relation's arguments; None if nothing gives the relation."""
        return self._places.get(name)

    def value(self, sources: Iterable[Source]) -> Place:
        """What a variable can be that some sources bind together."""
        value = ANYTHING
        for source in sources:
            value = value.meet(self._value(source))
        return value

    def _value(self, source: Source) -> Place:
        if isinstance(source, Same):
            return Place(names={source.name})
        if isinstance(source, Read):
            return self._read(source)
        joined = Place()
        for branch in source.branches:
            joined.add(self.value(branch))
        return joined

    def _read(self, source: Read) -> Place:
        (name, number), *inner = source.steps
        places = self._places.get(name)
        place = places[number] if places else NOTHING
        for function, index in inner:
            if place.anything:
                return ANYTHING
            inside = place.functions.get(function)
            place = inside[index] if inside else NOTHING
        return place

    def _close(self, rules: Sequence[_Bound]) -> None:
        """Apply rules until nothing new comes."""
        readers: dict[Relation, dict[int, None]] = {}
        for number, rule in enumerate(rules):
            for name in relations_read(source for found in rule.sources.values() for source in found):
                readers.setdefault(name, {})[number] = None
        pending: Iterable[int] = range(len(rules))
        while pending:
            larger: dict[Relation, None] = {}
            for rule in (rules[number] for number in pending):
                larger.update(self._give(rule.head, {v: self.value(found) for v, found in rule.sources.items()}))
            pending = dict.fromkeys(number for name in larger for number in readers.get(name, ()))

    def _give(self, head: Atom, values: Mapping[Variable, Place]) -> dict[Relation, None]:
        """Let a head stand, with what its variables can be: the relations that are larger now."""
        own = relation(head)
        return {name: None for name in dict.fromkeys((own, FEEDS.get(own, own))) if self._put(name, head, values)}

    def _put(self, name: Relation, head: Atom, values: Mapping[Variable, Place]) -> bool:
        changed = name not in self._places
        if changed:
            self._places[name] = tuple(Place() for _ in range(name[1]))
        pairs: list[tuple[Place, Term]] = list(zip(self._places[name], arguments(head), strict=True))
        while pairs:
            place, term = pairs.pop()
            if place.anything:
                continue
            if isinstance(term, Variable):
                changed |= place.add(values.get(term, ANYTHING))
            elif isinstance(term, Symbol):
                changed |= term.name not in place.names
                place.names.add(term.name)
            else:
                function = relation(term)
                changed |= function not in place.functions
                pairs.extend(zip(place.inside(function), term.arguments, strict=True))
        return changed


class _Bound:
    """A rule as the fixpoint needs it: its head, and what binds the variables of the head."""

    def __init__(self, rule: Rule) -> None:
        self.head = rule.head
        found = sources(rule.body)
        self.sources = {v: found[v] for v in dict.fromkeys(variables(rule.head)) if v in found}
