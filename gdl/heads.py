"""The heads of rules, indexed so that those that unify with an atom are found without trying all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

from gdl.domains import FEEDS
from gdl.rules import Relation, Rule, relation
from gdl.terms import Atom, Compound, Symbol, Term, Variable, arguments, rebuild, unify, variables

Path: TypeAlias = tuple[int, ...]
"""The numbers of the arguments that lead from an atom to a part of it."""


_DEPTH = 6
"""Parts nested deeper than this are not indexed."""
_TRIED = 1000
"""Candidates that are tried for one atom: they are more only where a variable stands twice, in large tables."""


class Heads:
    """What may be given: can a head of the rules and facts be made equal to an atom?"""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._heads: dict[Relation, list[Atom]] = {}
        for rule in rules:
            name = relation(rule.head)
            for known in dict.fromkeys((name, FEEDS.get(name, name))):
                self._heads.setdefault(known, []).append(rule.head)
        self._indices: dict[Relation, _Index] = {}

    def can_give(self, atom: Atom) -> bool:
        """True if a head unifies with the atom."""
        name = relation(atom)
        if name not in self._indices:
            self._indices[name] = _Index(self._heads.get(name, []))
        return self._indices[name].has(atom)


class _Index:
    """Heads of one relation by the symbols that they have, and by the places of their variables."""

    def __init__(self, heads: list[Atom]) -> None:
        self.heads = heads
        self.having: dict[tuple[Path, str], set[int]] = {}
        self.open: dict[Path, set[int]] = {}
        for number, head in enumerate(heads):
            for path, term in _leaves(head):
                if isinstance(term, Variable):
                    self.open.setdefault(path, set()).add(number)
                else:
                    self.having.setdefault((path, _mark(term)), set()).add(number)

    def has(self, atom: Atom) -> bool:
        """Does a head unify with the atom? True as well where too many would have to be tried."""
        wanted = Compound("", arguments(atom))
        candidates = self._candidates(atom)
        return len(candidates) > _TRIED or any(
            unify(wanted, Compound("", tuple(map(_renamed, arguments(self.heads[number]))))) is not None
            for number in candidates
        )

    def _candidates(self, atom: Atom) -> Collection[int]:
        """Heads that have the atom's symbols, or variables there."""
        found: set[int] | None = None
        for path, term in _leaves(atom):
            if isinstance(term, Variable):
                continue
            fitting = self.having.get((path, _mark(term)), set())
            for length in range(1, len(path) + 1):
                fitting = fitting | self.open.get(path[:length], set())
            found = fitting if found is None else found & fitting
        return range(len(self.heads)) if found is None else found


def _leaves(atom: Atom) -> Iterator[tuple[Path, Term]]:
    """The parts of an atom's arguments, each with the way to it."""
    stack: list[tuple[Path, Term]] = [((i,), term) for i, term in enumerate(arguments(atom))]
    while stack:
        path, term = stack.pop()
        yield path, term
        if isinstance(term, Compound) and len(path) < _DEPTH:
            stack.extend(((*path, i), inner) for i, inner in enumerate(term.arguments))


def _mark(term: Term) -> str:
    return f"{term.name}/{len(arguments(term))}" if isinstance(term, Compound) else term.name


def _renamed(term: Term) -> Term:
    """The term with variables that no other rule has."""
    if not any(True for _ in variables(term)):
        return term
    return rebuild(term, lambda leaf: Variable(f"{leaf.name}'") if isinstance(leaf, Variable) else Symbol(leaf.name))
