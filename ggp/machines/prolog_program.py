"""From planned rules to Prolog clauses, and the choice of what Prolog must remember (tabling)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from gdl.dependencies import DOES, TRUE
from gdl.graphs import components
from gdl.normalize import bound_by
from gdl.rules import And, Distinct, Formula, Not, Or, Relation, Rule, formula_variables, relation
from gdl.terms import Atom, Compound, Symbol, Term, Variable, arguments, variables
from ggp.machines.plan import QUESTIONS, Mode, Plan, bound_places
from ggp.machines.prolog_text import atom_text, term_text

_HOT = 1000
"""A relation that can be asked in more ways than this from one question is remembered, lest the work multiply."""

_WARM = 50
"""The same for a relation that uses itself: each way costs more there."""
_MOST_WAYS = 1000
"""Ways down an order that a relation may go along without being remembered."""

Facts = Mapping[Relation, list[tuple[Term, ...]]]
"""The atoms of static relations, as far as they are known."""


def clauses(plan: Plan, members: Iterable[Relation], tabled: frozenset[Relation]) -> str:
    """The program text of some relations, each in all its versions."""
    lines: list[str] = []
    for name in members:
        for mode, rules in plan.versions(name).items():
            version = _version_text(plan, name, mode)
            lines.append(f":- relation({version},{name[1]}).")
            if name in tabled:
                lines.append(f":- table({version}/{name[1]}).")
            lines.extend(_Clause(plan, rule, mode).text() for rule in rules)
    return "\n".join(lines) + "\n"


def predicates(plan: Plan, members: Iterable[Relation]) -> Iterator[str]:
    """The predicates of some relations, in all their versions."""
    for name in members:
        for mode in plan.versions(name):
            yield f"{_version_text(plan, name, mode)}/{name[1]}"


def _version_text(plan: Plan, name: Relation, mode: Mode) -> str:
    """The name of the predicate for questions in which some arguments are bound: that of the relation for all of them."""
    text = atom_text(name[0])
    return text if mode == plan.mode(name) else f"'{''.join(f'{i}_' for i in sorted(mode))}{text[1:]}"


class _Clause:
    """One rule as a clause. Literals are written in their order, as it must be known what is bound at each."""

    def __init__(self, plan: Plan, rule: Rule, mode: Mode) -> None:
        self._plan, self._rule, self._mode = plan, rule, mode
        self._names = {v: f"V{i}" for i, v in enumerate(dict.fromkeys(_rule_variables(rule)))}
        self._given = frozenset(v for i, a in enumerate(arguments(rule.head)) if i in mode for v in variables(a))

    def text(self) -> str:
        """The clause."""
        rule = self._rule
        version = _version_text(self._plan, relation(rule.head), self._mode)
        inner = arguments(rule.head)
        head = f"{version}({','.join(term_text(a, self._names) for a in inner)})" if inner else version
        if not rule.body:
            return f"{head}."
        generators, tests = _split(rule.body, self._given, frozenset(variables(rule.head)))
        goals = self._formulas(generators, self._given)
        if tests:
            tail = ",".join(self._formulas(tests, bound_by(generators, self._given)))
            goals.append(f"({tail}->true)" if any(_branches(literal) for literal in tests) else tail)
        return f"{head} :- {','.join(goals)}."

    def _formulas(self, literals: Iterable[Formula], bound: frozenset[Variable]) -> list[str]:
        texts = []
        for literal in literals:
            texts.append(self._formula(literal, bound))
            bound = bound_by((literal,), bound)
        return texts

    def _formula(self, formula: Formula, bound: frozenset[Variable]) -> str:
        names = self._names
        match formula:
            case Not(Distinct(left, right)):
                return f"{term_text(left, names)}={term_text(right, names)}"
            case Not(atom):
                assert isinstance(atom, Symbol | Compound)
                return f"\\+ {self._goal(atom, bound)}"
            case Distinct(left, right):
                return f"{term_text(left, names)}\\={term_text(right, names)}"
            case Or(branches):
                return f"({';'.join(self._formula(branch, bound) for branch in branches)})"
            case And(parts):
                return f"({','.join(self._formulas(parts, bound))})" if parts else "true"
            case Symbol() | Compound():
                return self._goal(formula, bound)

    def _goal(self, atom: Atom, bound: frozenset[Variable]) -> str:
        name, names, inner = relation(atom), self._names, arguments(atom)
        if name == TRUE:
            if isinstance(inner[0], Variable):
                return f"holds({names[inner[0]]})"
            return f"state:{term_text(inner[0], names)}"
        if name == DOES:
            return f"state:does({term_text(inner[0], names)},{term_text(inner[1], names)})"
        version = _version_text(self._plan, name, self._plan.version(name, bound_places(atom, bound)))
        return f"{version}({','.join(term_text(a, names) for a in inner)})" if inner else version


def _split(
    body: tuple[Formula, ...], bound: frozenset[Variable], wanted: frozenset[Variable]
) -> tuple[tuple[Formula, ...], tuple[Formula, ...]]:
    """Cut a body where all variables of the head have values: what follows needs to succeed only once."""
    for i, literal in enumerate(body):
        if wanted <= bound:
            return body[:i], body[i:]
        bound = bound_by((literal,), bound)
    return body, ()


def _branches(literal: Formula) -> bool:
    """True if a literal may succeed more than once."""
    return not isinstance(literal, Not | Distinct)


def _rule_variables(rule: Rule) -> Iterator[Variable]:
    yield from variables(rule.head)
    for literal in rule.body:
        yield from formula_variables(literal)


def fluent_kinds(plan: Plan) -> str:
    """Declarations of all kinds of fluents that the rules write out."""
    kinds: dict[Relation, None] = {}
    for rules in plan.ordered.values():
        for rule in rules:
            for atom in _state_atoms(rule):
                fluent = arguments(atom)[0]
                if not isinstance(fluent, Variable):
                    kinds[fluent.name, len(arguments(fluent))] = None
    return "".join(f":- fluent({atom_text(name)},{count}).\n" for name, count in kinds)


def _state_atoms(rule: Rule) -> Iterator[Atom]:
    if relation(rule.head) in (("init", 1), ("next", 1)):
        yield rule.head
    for atom in _positive_and_negative(rule.body):
        if relation(atom) == TRUE:
            yield atom


def _positive_and_negative(body: Iterable[Formula]) -> Iterator[Atom]:
    for formula in body:
        match formula:
            case Not(inner):
                yield from _positive_and_negative((inner,))
            case Or(parts) | And(parts):
                yield from _positive_and_negative(parts)
            case Symbol() | Compound():
                yield formula
            case Distinct():
                pass


def static_tables(plan: Plan, static: Iterable[Relation], unsafe: frozenset[Relation]) -> frozenset[Relation]:
    """Static relations that use themselves: all their answers are found by tabling, whatever the order of their rules."""
    return frozenset(name for name in static if name in plan.remembering_helps and name not in unsafe)


def state_tables(plan: Plan, members: Iterable[Relation], facts: Facts) -> frozenset[Relation]:
    """Relations over the state that Prolog must remember while a position lasts.

    These are relations that use themselves, unless each call goes down a static order without circles (then plain
    resolution ends, and is faster), and relations that can be asked in many ways.
    """
    wanted = frozenset(members)
    found: set[Relation] = set()
    helped = plan.remembering_helps
    ways = _ways(plan)
    for component in plan.dependencies.components:
        first = component[0]
        if first in helped and first in wanted and (ways.get(first, 0) > _WARM or not _descends(plan, component, facts)):
            found.update(component)
    found.update(name for name in wanted if ways.get(name, 0) > _HOT and name not in QUESTIONS)
    return frozenset(found)


def _ways(plan: Plan) -> dict[Relation, int]:
    """In how many ways each relation can be reached from the engine's questions, circles left out."""
    ways: dict[Relation, int] = dict.fromkeys(QUESTIONS, 1)
    for component in reversed(plan.dependencies.components):
        for member in component:
            for rule in plan.ordered.get(member, ()):
                for atom in _positive_and_negative(rule.body):
                    used = relation(atom)
                    if used not in component:
                        ways[used] = ways.get(used, 0) + ways.get(member, 0)
    return ways


def _descends(plan: Plan, component: tuple[Relation, ...], facts: Facts) -> bool:
    """True if each call of a relation by itself goes down a static order without circles, and not in too many ways.

    The order may be of several arguments together, as of a place and a direction, and orders may follow each other as
    the letters of words do: what stays the same in one of them goes down in the next.
    """
    if len(component) > 1:
        return False
    (name,) = component
    calls: list[_Call] = []
    for number, rule in (pair for rules in plan.versions(name).values() for pair in enumerate(rules)):
        own = [atom for atom in _positive_and_negative(rule.body) if relation(atom) == name]
        if len(own) > 1 or (own and own[0] not in rule.body):
            return False
        calls.extend(_Call(number, rule, atom, facts) for atom in own)
    while calls:
        linked = [places for call in calls for places in call.linked]
        groups = [frozenset({i}) for i in range(name[1])] + linked + [a & b for a, b in combinations(linked, 2)]
        left = next((left for group in groups if (left := _go_down(group, calls)) is not None), None)
        if left is None:
            return False
        calls = left
    return True


class _Step(NamedTuple):
    """How some arguments change from the head of a rule to its recursive call."""

    rule: int
    before: tuple[Term, ...]
    after: tuple[Term, ...]


class _Call:
    """A recursive call, and the static literals before it that lead from arguments of the head to those of the call."""

    def __init__(self, number: int, rule: Rule, call: Atom, facts: Facts) -> None:
        """`number`: that of the rule, the same in all versions of the relation."""
        self._number = number
        self._pairs = list(zip(arguments(rule.head), arguments(call), strict=True))
        self._before = [
            (arguments(literal), facts[relation(literal)])
            for literal in rule.body[: rule.body.index(call)]
            if isinstance(literal, Symbol | Compound) and relation(literal) in facts
        ]

    @property
    def linked(self) -> list[frozenset[int]]:
        """For each such literal, the arguments that it leads from the head to the call."""
        return [
            frozenset(i for i, p in enumerate(self._pairs) if all(isinstance(a, Variable) and a in inner for a in p))
            for inner, _ in self._before
        ]

    def keeps(self, group: frozenset[int]) -> bool:
        """Whether some arguments of the call are those of the head."""
        return all(self._pairs[i][0] == self._pairs[i][1] for i in group)

    def steps(self, group: frozenset[int]) -> set[_Step] | None:
        """The values that some arguments may have in the head and then in the call; None if no literal leads to them."""
        for (inner, rows), places in zip(self._before, self.linked, strict=True):
            if group and group <= places:
                before, after = ([inner.index(self._pairs[i][side]) for i in sorted(group)] for side in (0, 1))
                return {_Step(self._number, tuple(row[i] for i in before), tuple(row[i] for i in after)) for row in rows}
        return None


def _go_down(group: frozenset[int], calls: list[_Call]) -> list[_Call] | None:
    """The calls that keep some arguments, where in all others these go down an order; None where they do not."""
    kept, steps = list[_Call](), set[_Step]()
    for call in calls:
        if call.keeps(group):
            kept.append(call)
        elif (found := call.steps(group)) is not None:
            steps.update(found)
        else:
            return None
    return kept if len(kept) < len(calls) and _is_order(steps) else None


def _is_order(steps: set[_Step]) -> bool:
    """True if steps lead round no circle, and from nowhere down in more ways than can be gone one after another.

    Steps of several rules may be gone one after another too: what one rule's conditions exclude in a good position, they
    may not exclude in all.
    """
    following: dict[tuple[Term, ...], list[tuple[Term, ...]]] = {}
    for step in steps:
        following.setdefault(step.before, []).append(step.after)
    found = list(components(list(following), lambda node: following.get(node, ())))
    if any(len(circle) > 1 for circle in found) or any(step.before == step.after for step in steps):
        return False
    ways: dict[tuple[Term, ...], int] = {}
    for (node,) in found:
        ways[node] = 1 + sum(ways[after] for after in following.get(node, ()))
    return max(ways.values(), default=0) <= _MOST_WAYS
