"""A slow and obvious evaluator of GDL, to compare the machines with.

It shares the parser with the project and nothing else. Every relation is computed in full, bottom up: bodies are turned
into lists of literals (one for each way through their ors), relations are taken in the order of their dependencies, and
those that depend on each other are computed together until nothing is added. Where such a group negates itself, its
well-founded model is found by the alternating fixpoint. All atoms must be finitely many, and every variable of a head
bound by its body: `Unsupported` is raised otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from gdl.rules import And, Distinct, Formula, Not, Or, Relation, Rule, relation
from gdl.ruleset import Ruleset
from gdl.terms import Atom, Compound, Symbol, Term, Variable, arguments, kif, substitute, variables

Literal: TypeAlias = "tuple[bool, Atom | Distinct]"
Facts: TypeAlias = "dict[Relation, set[Atom]]"
Bindings: TypeAlias = "dict[Variable, Term]"

_LARGEST = 200_000


class Unsupported(Exception):  # noqa: N818 (it is no error of the game)
    """The evaluator is too simple for these rules."""


@dataclass(frozen=True)
class Clause:
    """A head and one way to make it true."""

    head: Atom
    body: tuple[Literal, ...]


def ways(formula: Formula, positive: bool = True) -> list[list[Literal]]:
    """All ways to make a formula true (or false): lists of literals."""
    match formula:
        case Not(inner):
            return ways(inner, not positive)
        case And(inners) | Or(inners):
            choices = [ways(inner, positive) for inner in inners]
            if isinstance(formula, And) == positive:
                return [[literal for way in combination for literal in way] for combination in product(*choices)]
            return [way for choice in choices for way in choice]
        case _:
            return [[(positive, formula)]]


def match(pattern: Term, value: Term, bindings: Bindings) -> Bindings | None:
    """Bindings that make a pattern equal to a ground value."""
    if isinstance(pattern, Variable):
        if pattern in bindings:
            return bindings if bindings[pattern] == value else None
        return {**bindings, pattern: value}
    if isinstance(pattern, Symbol) or isinstance(value, Symbol):
        return bindings if pattern == value else None
    if pattern.name != value.name or len(arguments(pattern)) != len(arguments(value)):
        return None
    for part, found in zip(arguments(pattern), arguments(value), strict=True):
        extended = match(part, found, bindings)
        if extended is None:
            return None
        bindings = extended
    return bindings


def literal_variables(literal: Literal) -> set[Variable]:
    """The variables of a literal."""
    _, what = literal
    terms = (what.left, what.right) if isinstance(what, Distinct) else (what,)
    return {v for term in terms for v in variables(term)}


def solutions(
    body: tuple[Literal, ...], facts: Facts, negated: Facts, bindings: Bindings, wanted: set[Variable]
) -> Iterator[Bindings]:
    """All bindings under which every literal holds; negated atoms are looked up in `negated`."""
    if not body:
        yield bindings
        return
    for i, literal in enumerate(body):
        rest = body[:i] + body[i + 1 :]
        positive, what = literal
        free = literal_variables(literal) - bindings.keys()
        if isinstance(what, Distinct):
            left, right = substitute(what.left, bindings), substitute(what.right, bindings)
            if not free:
                if (left != right) == positive:
                    yield from solutions(rest, facts, negated, bindings, wanted)
                return
            if not positive:  # an equality binds one side by the other
                for pattern, value in ((left, right), (right, left)):
                    if not any(True for _ in variables(value)):
                        found = match(pattern, value, bindings)
                        if found is not None:
                            yield from solutions(rest, facts, negated, found, wanted)
                        return
        elif not positive:
            outside = wanted.union(*map(literal_variables, rest))
            if not free & outside:
                if all(match(what, fact, bindings) is None for fact in negated.get(relation(what), ())):
                    yield from solutions(rest, facts, negated, bindings, wanted)
                return
    for i, (positive, what) in enumerate(body):
        if positive and not isinstance(what, Distinct):
            for fact in list(facts.get(relation(what), ())):
                found = match(what, fact, bindings)
                if found is not None:
                    yield from solutions(body[:i] + body[i + 1 :], facts, negated, found, wanted)
            return
    raise Unsupported(f"nothing binds the variables of {body}")


class Evaluator:
    """Answers about one game, from nothing but its rules."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.roles = ruleset.roles
        self.clauses = [clause for rule in ruleset.rules for clause in _clauses(rule)]
        self.groups = _groups(self.clauses)
        moving = _users(self.clauses, {("true", 1), ("does", 2)})
        self.static = self._model({}, [g for g in self.groups if not g & moving])
        self.dynamic = [g for g in self.groups if g & moving]

    def initial(self) -> list[str]:
        """The fluents of the first position."""
        return _column(self.static, ("init", 1), 0)

    def situation(self, fluents: Iterable[Term]) -> tuple[bool, list[list[str]], list[list[int]]]:
        """Whether a position is terminal; for each role its legal moves, and its goal values."""
        model = self._at(fluents, ())
        legal = [_column(model, ("legal", 2), 1, role) for role in self.roles]
        values = [_column(model, ("goal", 2), 1, role) for role in self.roles]
        goals = [sorted(int(v) for v in of_role if v.isdigit() and int(v) <= 100) for of_role in values]
        return bool(model.get(("terminal", 0))), legal, goals

    def next(self, fluents: Iterable[Term], joint: Iterable[Term]) -> list[str]:
        """The fluents after a joint move."""
        return _column(self._at(fluents, joint), ("next", 1), 0)

    def sees(self, fluents: Iterable[Term], joint: Iterable[Term]) -> list[list[str]]:
        """What each role is told."""
        model = self._at(fluents, joint)
        return [_column(model, ("sees", 2), 1, role) for role in self.roles]

    def _at(self, fluents: Iterable[Term], joint: Iterable[Term]) -> Facts:
        given: Facts = {name: set(atoms) for name, atoms in self.static.items()}
        given["true", 1] = {Compound("true", (fluent,)) for fluent in fluents}
        moves = list(joint)
        given["does", 2] = {Compound("does", (Symbol(r), m)) for r, m in zip(self.roles, moves, strict=bool(moves))}
        return self._model(given, self.dynamic)

    def _model(self, facts: Facts, groups: list[frozenset[Relation]]) -> Facts:
        for group in groups:
            own = [clause for clause in self.clauses if relation(clause.head) in group]
            if not any(not positive and _names(what) in group for clause in own for positive, what in clause.body):
                facts = _closure(own, facts, None)
                continue
            surely: Facts = facts
            while True:  # the alternating fixpoint: what may hold if just this surely does, and what holds without that
                maybe = _closure(own, facts, surely)
                more = _closure(own, facts, maybe)
                if _size(more) == _size(surely):
                    break
                surely = more
            if _size(maybe) != _size(surely):
                raise Unsupported("some atoms are neither true nor false")
            facts = surely
        return facts


def _size(facts: Facts) -> int:
    return sum(map(len, facts.values()))


def _closure(clauses: list[Clause], facts: Facts, negated: Facts | None) -> Facts:
    """Facts and all that follows from them; negation looks at `negated`, or at what has been found."""
    found: Facts = {name: set(atoms) for name, atoms in facts.items()}
    while True:
        new = [
            head
            for clause in clauses
            for bindings in solutions(
                clause.body, found, found if negated is None else negated, {}, set(variables(clause.head))
            )
            if (head := substitute(clause.head, bindings)) not in found.get(relation_of(head), ())
        ]
        if not new:
            return found
        for head in new:
            if any(True for _ in variables(head)):
                raise Unsupported(f"{kif(head)} is not ground")
            found.setdefault(relation_of(head), set()).add(head)  # type: ignore[arg-type]
        if _size(found) > _LARGEST:
            raise Unsupported("too many atoms")


def relation_of(term: Term) -> Relation:
    """The relation of an atom."""
    return term.name, len(arguments(term))


def _clauses(rule: Rule) -> Iterator[Clause]:
    for way in ways(And(rule.body)):
        head, body = rule.head, way
        bound = {
            v
            for literal in body
            if literal[0] and not isinstance(literal[1], Distinct)
            for v in literal_variables(literal)
        }
        first = next(iter(arguments(head)), None)
        if (
            relation(head) in (("legal", 2), ("goal", 2), ("sees", 2))
            and isinstance(first, Variable)
            and first not in bound
        ):
            body = [(True, Compound("role", (first,))), *body]
        yield Clause(head, tuple(body))


def _names(what: Atom | Distinct) -> Relation | None:
    return None if isinstance(what, Distinct) else relation(what)


def _uses(clauses: list[Clause]) -> dict[Relation, set[Relation]]:
    uses: dict[Relation, set[Relation]] = {}
    for clause in clauses:
        names = {name for _, what in clause.body if (name := _names(what)) is not None}
        uses.setdefault(relation(clause.head), set()).update(names)
    return uses


def _closure_of(uses: Mapping[Relation, set[Relation]]) -> dict[Relation, set[Relation]]:
    """All that each relation uses, directly or not."""
    found = {name: set(used) for name, used in uses.items()}
    changed = True
    while changed:
        changed = False
        for name, used in found.items():
            more = set().union(used, *(found.get(other, set()) for other in used))
            changed = changed or more != used
            found[name] = more
    return found


def _users(clauses: list[Clause], leaves: set[Relation]) -> set[Relation]:
    return {name for name, used in _closure_of(_uses(clauses)).items() if used & leaves}


def _groups(clauses: list[Clause]) -> list[frozenset[Relation]]:
    """Relations that use each other, each group after those that it uses."""
    uses = _closure_of(_uses(clauses))
    groups = {frozenset({name} | {m for m in used if name in uses.get(m, ())}) for name, used in uses.items()}
    return sorted(
        groups, key=lambda group: (len((set().union(*(uses[n] for n in group)) & uses.keys()) - group), sorted(group))
    )


def _column(model: Facts, name: Relation, index: int, role: str | None = None) -> list[str]:
    atoms = [arguments(atom) for atom in model.get(name, ())]
    return sorted({kif(args[index]) for args in atoms if role is None or args[0] == Symbol(role)})
