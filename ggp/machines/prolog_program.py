"""From planned rules to Prolog clauses, and the choice of what Prolog must remember (tabling)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gdl.dependencies import DOES, TRUE
from gdl.graphs import components
from gdl.normalize import bound_by
from gdl.rules import And, Distinct, Formula, Not, Or, Relation, Rule, formula_variables, relation
from gdl.terms import Atom, Compound, Symbol, Term, Variable, arguments, variables
from ggp.machines.plan import QUESTIONS, Plan
from ggp.machines.prolog_text import atom_text, term_text

_HOT = 1000
"""A relation that can be asked in more ways than this from one question is remembered, lest the work multiply."""

Facts = Mapping[Relation, list[tuple[Term, ...]]]
"""The atoms of static relations, as far as they are known."""


def clauses(plan: Plan, members: Iterable[Relation], tabled: frozenset[Relation]) -> str:
    """The program text of some relations."""
    lines: list[str] = []
    for name, count in members:
        lines.append(f":- relation({atom_text(name)},{count}).")
        if (name, count) in tabled:
            lines.append(f":- table({atom_text(name)}/{count}).")
        lines.extend(_clause(plan, rule) for rule in plan.ordered[name, count])
    return "\n".join(lines) + "\n"


def _clause(plan: Plan, rule: Rule) -> str:
    names = {v: f"V{i}" for i, v in enumerate(dict.fromkeys(_rule_variables(rule)))}
    head = _goal(rule.head, names)
    if not rule.body:
        return f"{head}."
    mode = plan.mode(relation(rule.head))
    given = frozenset(v for i, a in enumerate(arguments(rule.head)) if i in mode for v in variables(a))
    generators, tests = _split(rule.body, given, frozenset(variables(rule.head)))
    goals = [_formula(literal, names) for literal in generators]
    if tests:
        tail = ",".join(_formula(literal, names) for literal in tests)
        goals.append(f"({tail}->true)" if any(_branches(literal) for literal in tests) else tail)
    return f"{head} :- {','.join(goals)}."


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


def _formula(formula: Formula, names: Mapping[Variable, str]) -> str:
    match formula:
        case Not(Distinct(left, right)):
            return f"{term_text(left, names)}={term_text(right, names)}"
        case Not(atom):
            assert isinstance(atom, Symbol | Compound)
            return f"\\+ {_goal(atom, names)}"
        case Distinct(left, right):
            return f"{term_text(left, names)}\\={term_text(right, names)}"
        case Or(branches):
            return f"({';'.join(_formula(branch, names) for branch in branches)})"
        case And(parts):
            return f"({','.join(_formula(part, names) for part in parts)})" if parts else "true"
        case Symbol() | Compound():
            return _goal(formula, names)


def _goal(atom: Atom, names: Mapping[Variable, str]) -> str:
    name = relation(atom)
    if name == TRUE:
        fluent = arguments(atom)[0]
        if isinstance(fluent, Variable):
            return f"holds({names[fluent]})"
        return f"state:{term_text(fluent, names)}"
    if name == DOES:
        role, move = arguments(atom)
        return f"state:does({term_text(role, names)},{term_text(move, names)})"
    return term_text(atom, names)


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
    resolution ends, and is faster), and relations that can be asked in very many ways.
    """
    wanted = frozenset(members)
    found: set[Relation] = set()
    helped = plan.remembering_helps
    for component in plan.dependencies.components:
        if component[0] in helped and component[0] in wanted and not _descends(plan, component, facts):
            found.update(component)
    ways = _ways(plan)
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
    """True if some argument of a relation that uses itself goes down a static order without circles at each call."""
    if len(component) > 1:
        return False
    (name,) = component
    calls: list[tuple[Rule, Atom]] = []
    for rule in plan.ordered[name]:
        own = [atom for atom in _positive_and_negative(rule.body) if relation(atom) == name]
        if len(own) > 1 or (own and own[0] not in rule.body):
            return False
        calls.extend((rule, atom) for atom in own)
    return any(_is_order(steps) for i in range(name[1]) if (steps := _steps(i, calls, facts)) is not None)


def _steps(index: int, calls: list[tuple[Rule, Atom]], facts: Facts) -> list[tuple[Term, Term]] | None:
    """The pairs (value in the head, value in the call) that an argument can take; None if they are not bound so."""
    steps: list[tuple[Term, Term]] = []
    for rule, call in calls:
        before, after = arguments(rule.head)[index], arguments(call)[index]
        pairs = _linking(rule, call, before, after, facts)
        if pairs is None:
            return None
        steps.extend(pairs)
    return steps


def _linking(rule: Rule, call: Atom, before: Term, after: Term, facts: Facts) -> list[tuple[Term, Term]] | None:
    """The values of two variables in a static literal that stands before a recursive call."""
    if not isinstance(before, Variable) or not isinstance(after, Variable) or before == after:
        return None
    for literal in rule.body[: rule.body.index(call)]:
        if isinstance(literal, Symbol | Compound) and relation(literal) in facts:
            inner = arguments(literal)
            if before in inner and after in inner:
                i, j = inner.index(before), inner.index(after)
                return [(row[i], row[j]) for row in facts[relation(literal)]]
    return None


def _is_order(steps: list[tuple[Term, Term]]) -> bool:
    following: dict[Term, list[Term]] = {}
    for a, b in steps:
        if a == b:
            return False
        following.setdefault(a, []).append(b)
    return all(len(c) == 1 for c in components(list(following), lambda node: following.get(node, ())))
