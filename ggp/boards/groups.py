"""Facts that are on no board, put together by name: counters, values of each role, piles, hands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gdl.grounding.rules import Term as RuleTerm
from gdl.grounding.rules import relation
from gdl.terms import Term, arguments, kif
from ggp.boards.model import Entry, Group, GroupKind
from ggp.boards.rules import Kind, Rules

_DIGITS = re.compile(r"(.*?)_?(units|tens|hundreds|thousands)")
_NUMBER = re.compile(r"[a-z]?\d+")
_DEPTH = 3
"""Relations between a move and the fluent that allows it."""
_WORTH = {"units": 1, "tens": 10, "hundreds": 100, "thousands": 1000}


@dataclass(frozen=True)
class Loose:
    """How the fluents that are on no board are shown, by their kind."""

    turns: frozenset[Kind]
    """Those that say whose turn it is."""
    counters: frozenset[Kind]
    """Those that hold one number."""
    piles: Mapping[Kind, int]
    """Those of two arguments where one says in which pile the other lies."""
    stacks: frozenset[Kind] = frozenset()
    """Those where both are things, and the first lies on the second."""

    @classmethod
    def of(cls, rules: Rules, kinds: Iterable[tuple[Kind, Sequence[set[str]]]]) -> Loose:
        """Find out how to show fluents of these kinds."""
        counters, piles, stacks = set(), {}, set()
        moved = [domain for _, domains in rules.moves() for domain in domains]
        for kind, domains in kinds:
            init = rules.init.get(kind, [])
            if kind[1] == 1 and len(init) == 1 and all(value.isdigit() for value in domains[0]):
                counters.add(kind)
            one_each = len({row[:1] for row in init}) == len(init) > 1
            if kind[1] == 2 and one_each and not domains[0] <= set(rules.roles) and _is_pile(domains, moved):
                piles[kind] = 1
            elif kind[1] == 2 and one_each and domains[0] <= domains[1] and not any(v.isdigit() for v in domains[0]):
                stacks.add(kind)
        return cls(_turns(rules), frozenset(counters), piles, frozenset(stacks))

    def groups(self, fluents: Sequence[Term]) -> tuple[Group, ...]:
        """Fluents as groups, turns first, each fluent in one entry."""
        by_kind: dict[Kind, list[Term]] = {}
        for fluent in fluents:
            by_kind.setdefault((fluent.name, len(arguments(fluent))), []).append(fluent)
        numbers = self._numbers(by_kind)
        groups = [self._group(kind, same) for kind, same in by_kind.items()]
        order = list(GroupKind)
        return tuple(sorted([*numbers, *groups], key=lambda group: order.index(group.kind)))

    def _numbers(self, by_kind: dict[Kind, list[Term]]) -> list[Group]:
        """Numbers that are kept digit by digit: (tens 1) and (units 7) are 17. They are taken out of `by_kind`."""
        parts: dict[str, dict[str, Kind]] = {}
        for kind, same in by_kind.items():
            match = _DIGITS.fullmatch(kind[0])
            if match and kind[1] == 1 and len(same) == 1 and _words(same[0])[0].isdigit():
                parts.setdefault(match[1], {})[match[2]] = kind
        made = []
        for name, digits in parts.items():
            if len(digits) > 1 and "units" in digits:
                facts = [by_kind.pop(kind)[0] for kind in digits.values()]
                total = sum(int(_words(fact)[0]) * _WORTH[digit] for digit, fact in zip(digits, facts, strict=True))
                entry = Entry("", (str(total),), tuple(map(kif, facts)))
                made.append(Group(GroupKind.COUNTER, name or "count", (entry,)))
        return made

    def _group(self, kind: Kind, same: Sequence[Term]) -> Group:
        words = [_words(fluent) for fluent in same]
        facts = [kif(fluent) for fluent in same]
        if kind[1] == 0:
            return Group(GroupKind.FACTS, kind[0], (Entry("", (), tuple(facts)),))
        if kind in self.turns:
            return Group(GroupKind.TURN, kind[0], _each(words, facts))
        if kind in self.piles:
            return Group(GroupKind.PILES, kind[0], _piled(words, facts, self.piles[kind]))
        if kind in self.stacks and (stacked := _stacked(words, facts)):
            return Group(GroupKind.PILES, kind[0], stacked)
        if kind[1] == 1:
            return Group(GroupKind.COUNTER if kind in self.counters else GroupKind.SET, kind[0], _each(words, facts))
        if kind[1] == 2:
            return Group(GroupKind.TABLE, kind[0], _piled(words, facts, 0))
        return Group(GroupKind.FACTS, kind[0], _each(words, facts))


def _words(fluent: Term) -> tuple[str, ...]:
    return tuple(map(kif, arguments(fluent)))


def _each(words: Sequence[tuple[str, ...]], facts: Sequence[str]) -> tuple[Entry, ...]:
    ordered = sorted(zip(words, facts, strict=True), key=lambda pair: [_natural(word) for word in pair[0]])
    return tuple(Entry("", word, (fact,)) for word, fact in ordered)


def _piled(words: Sequence[tuple[str, ...]], facts: Sequence[str], pile: int) -> tuple[Entry, ...]:
    """One entry for each value of an argument, with all that have it."""
    found: dict[str, list[tuple[str, str]]] = {}
    for word, fact in zip(words, facts, strict=True):
        found.setdefault(word[pile], []).append((word[1 - pile], fact))
    entries = []
    for label in sorted(found, key=_natural):
        inside = sorted(found[label], key=lambda pair: _natural(pair[0]))
        entries.append(Entry(label, tuple(value for value, _ in inside), tuple(fact for _, fact in inside)))
    return tuple(entries)


def _stacked(words: Sequence[tuple[str, ...]], facts: Sequence[str]) -> tuple[Entry, ...]:
    """Things that lie on each other, from the lowest up; nothing where one lies on two, under two, or in a circle."""
    above = {below: thing for thing, below in words}
    if len(above) < len(words) or len({thing for thing, _ in words}) < len(words):
        return ()
    fact_of = dict(zip((thing for thing, _ in words), facts, strict=True))
    entries = []
    for lowest in sorted(above.keys() - fact_of.keys(), key=_natural):
        pile = [lowest]
        while pile[-1] in above:
            pile.append(above[pile[-1]])
        entries.append(Entry(lowest, tuple(pile[1:]), tuple(fact_of[thing] for thing in pile[1:])))
    return tuple(entries) if sum(len(entry.facts) for entry in entries) == len(facts) else ()


def _natural(word: str) -> tuple[str, int, str]:
    """Numbers, and names with numbers at their end, in the order of the numbers."""
    match = re.fullmatch(r"(.*?)(\d+)", word)
    return (match[1], int(match[2]), word) if match else (word, -1, word)


def _is_pile(domains: Sequence[set[str]], moved: Sequence[set[str]]) -> bool:
    """Whether things (first) lie in piles (second): moves name the piles, and never the things."""
    things, places = domains
    numbers = all(_NUMBER.fullmatch(value) for value in places)
    return places in moved and things not in moved and not numbers


def _turns(rules: Rules) -> frozenset[Kind]:
    """Fluents of one argument that are a condition for the moves of the role they name, be it through a relation."""
    named: dict[tuple[Kind, int], set[Kind]] = {}
    for _ in range(_DEPTH):
        for rule in rules.rules:
            head = rule.head
            for place, term in enumerate(head[1:] if isinstance(head, tuple) else ()):
                found = named.setdefault((relation(head), place), set())
                for literal in rule.body:
                    if literal.positive and isinstance(literal.atom, tuple):
                        found |= _naming(literal.atom, term, named)
    return frozenset(named.get((("legal", 2), 0), ()))


def _naming(atom: RuleTerm, term: RuleTerm, named: Mapping[tuple[Kind, int], set[Kind]]) -> set[Kind]:
    """The fluents of one argument with which an atom of a body names a term."""
    kind = relation(atom)
    if kind == ("true", 1):
        fluent = atom[1]
        return {(str(fluent[0]), 1)} if isinstance(fluent, tuple) and fluent[1:] == (term,) else set()
    return {kind_of for place, part in enumerate(atom[1:]) if part == term for kind_of in named.get((kind, place), set())}
