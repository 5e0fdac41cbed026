"""A ruleset: checked rules, indexed by relation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from gdl.dependencies import Dependencies
from gdl.parser import Description
from gdl.problems import Problem
from gdl.rules import Relation, Rule, relation
from gdl.source import Source
from gdl.terms import Compound, Symbol, Term, arguments, rebuild

CHANCE = "random"
"""The role that chance plays, by the meaning that GDL-II gives to its name."""


@dataclass(frozen=True)
class Ruleset:
    """The rules of a game, as `gdl.load` makes it."""

    description: Description
    problems: tuple[Problem, ...] = ()
    """All that was found by parsing and checking; no error among them if the ruleset was loaded."""

    @property
    def source(self) -> Source:
        """The text it was read from."""
        return self.description.source

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules in the order of the text."""
        return self.description.rules

    @cached_property
    def by_relation(self) -> dict[Relation, tuple[Rule, ...]]:
        """Rules by the relation of their head, in the order of the text."""
        found: dict[Relation, list[Rule]] = {}
        for rule in self.rules:
            found.setdefault(relation(rule.head), []).append(rule)
        return {name: tuple(rules) for name, rules in found.items()}

    def facts(self, name: str, count: int) -> list[tuple[Term, ...]]:
        """The arguments of the facts of a relation (rules without a body), in the order of the text."""
        return [arguments(rule.head) for rule in self.by_relation.get((name, count), ()) if not rule.body]

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The names of the roles, in the order of their declaration."""
        names = [term.name for (term,) in self.facts("role", 1) if isinstance(term, Symbol)]
        return tuple(dict.fromkeys(names))

    @cached_property
    def dependencies(self) -> Dependencies:
        """Which relation depends on which."""
        return Dependencies.of(self.rules)

    @cached_property
    def has_hidden_information(self) -> bool:
        """True for GDL-II: what a role sees is told by `sees`, or chance moves in the role `random`."""
        return ("sees", 2) in self.by_relation or CHANCE in self.roles

    @property
    def language(self) -> str:
        """`GDL` or `GDL-II`."""
        return "GDL-II" if self.has_hidden_information else "GDL"

    @cached_property
    def spelling(self) -> dict[str, str]:
        """The first spelling of every name whose spelling is not all lower case."""
        found: dict[str, str] = {}
        for word in self.description.words:
            found.setdefault(word.lower(), word)
        return {name: word for name, word in found.items() if name != word}

    def spelled(self, term: Term) -> Term:
        """A term in the spelling of the text, as replies to servers must be."""
        spelling = self.spelling
        if not spelling:
            return term
        return rebuild(
            term,
            lambda leaf: type(leaf)(spelling.get(leaf.name, leaf.name)),
            lambda name, args, at: Compound(spelling.get(name, name), args, at),
        )
