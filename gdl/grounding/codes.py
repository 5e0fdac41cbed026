"""Rules as clingo text.

Constants, functors and relations are numbered, so that no symbol of a rulesheet is ever pasted into a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gdl.errors import GroundingError
from gdl.grounding.rules import GUARD, Literal, Rule, Term, is_variable, relation, text

_CHOICES = "{true(X)} :- init(X). {true(X)} :- next(X). {does(R,M)} :- legal(R,M)."
KEYWORDS = {
    ("true", 1), ("next", 1), ("init", 1), ("does", 2), ("legal", 2), ("goal", 2), ("sees", 2),
    ("role", 1), ("terminal", 0),
}  # fmt: skip
_IGNORED = {("base", 1), ("input", 2)}


@dataclass
class Codes:
    """Numbers for the symbols of a rulesheet."""

    constants: dict[str, int] = field(default_factory=dict)
    functors: dict[str, int] = field(default_factory=dict)
    relations: dict[tuple[str, int], int] = field(default_factory=dict)

    def term(self, term: Term, names: dict[str, str]) -> str:
        """A term as clingo text; `names` maps the variables of the rule."""
        if isinstance(term, str):
            if is_variable(term):
                return names.setdefault(term, f"V{len(names)}")
            return str(self.constants.setdefault(term, len(self.constants)))
        functor = term[0]
        if not isinstance(functor, str):
            raise GroundingError(f"no functor: {text(term)}")
        code = self.functors.setdefault(functor, len(self.functors))
        return f"f{code}(" + ",".join([self.term(t, names) for t in term[1:]]) + ")"

    def atom(self, atom: Term, names: dict[str, str]) -> str:
        """An atom as clingo text."""
        key = relation(atom)
        name = key[0] if key in KEYWORDS else f"r{self.relations.setdefault(key, len(self.relations))}"
        if isinstance(atom, str):
            return name
        return f"{name}(" + ",".join([self.term(t, names) for t in atom[1:]]) + ")"

    def literal(self, literal: Literal, names: dict[str, str]) -> str:
        """A body literal as clingo text."""
        if literal.is_distinct:
            assert isinstance(literal.atom, tuple) and len(literal.atom) == 3
            sign = "!=" if literal.positive else "="
            return self.term(literal.atom[1], names) + sign + self.term(literal.atom[2], names)
        return ("" if literal.positive else "not ") + self.atom(literal.atom, names)

    def rule(self, rule: Rule) -> str:
        """A rule as clingo text."""
        names: dict[str, str] = {}
        head = self.atom(rule.head, names)
        body = ", ".join([self.literal(literal, names) for literal in rule.body])
        if relation(rule.head)[0].startswith(GUARD):
            head = "{" + head + "}"
        return f"{head} :- {body}." if body else f"{head}."


def clingo_lines(rules: Sequence[Rule], codes: Codes) -> list[str]:
    """The logic program handed to clingo: a line for each rule, after one of its own."""
    return [_CHOICES, *["" if relation(rule.head) in _IGNORED else codes.rule(rule) for rule in rules]]
