"""In which order Prolog should ask the literals of a body.

Rules of GDL have no order, Prolog programs have: a body that begins with the literal with the fewest answers, and asks
tests as soon as their variables have values, is often a hundred times faster than the same body as it was written.
The order is greedy, by estimates from the sizes of static relations and of the first position. The analysis starts at the
questions that the engine asks (`legal` of a given role, `next`, …) and notes for each relation which of its arguments are
bound whenever it is asked; that decides the order inside its own rules in turn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gdl.dependencies import DOES, TRUE, Dependencies
from gdl.normalize import bound_by, literals_of, needs, normalize, shared_variables
from gdl.rules import (
    And,
    Distinct,
    Formula,
    Not,
    Or,
    Relation,
    Rule,
    body_atoms,
    body_parts,
    formula_variables,
    parts,
    relation,
)
from gdl.ruleset import Ruleset
from gdl.terms import Atom, Compound, Symbol, Term, Variable, arguments, is_ground, variables

Mode = frozenset[int]
"""The arguments of a relation that are bound whenever it is asked."""

QUESTIONS: Mapping[Relation, Mode] = {
    ("legal", 2): frozenset({0}),
    ("goal", 2): frozenset({0}),
    ("sees", 2): frozenset({0}),
    ("next", 1): frozenset(),
    ("init", 1): frozenset(),
    ("base", 1): frozenset(),
    ("input", 2): frozenset(),
    ("terminal", 0): frozenset(),
    ("role", 1): frozenset(),
}
"""What the engine asks, and which arguments it gives."""


@dataclass(frozen=True)
class Size:
    """How many atoms a relation holds, and how many different values each argument has."""

    count: int
    columns: tuple[int, ...]


_FEW = 1.5
"""Answers of a literal that are few enough to ask it before a recursive call that is as bound as the question itself."""
_VERSIONS = 6
"""Versions of a relation, at most."""
_UNKNOWN = 8.0
"""Answers expected for each unbound argument of a relation that nothing is known about."""


@dataclass
class Plan:
    """Rules in normal form, their bodies in the order in which Prolog should ask them."""

    ruleset: Ruleset
    sizes: Mapping[Relation, Size]
    """Sizes of static relations."""
    fluents: Mapping[Relation, Size]
    """Sizes of the fluents of the first position, by function."""
    special: bool = False
    """Whether to make versions for questions that bind more than others do."""
    modes: dict[Relation, Mode] = field(default_factory=dict)
    ordered: dict[Relation, list[Rule]] = field(default_factory=dict)
    """For questions of any kind that is asked."""
    _special: dict[Relation, dict[Mode, list[Rule]]] = field(default_factory=dict)
    """For questions that bind more arguments than all do."""

    def __post_init__(self) -> None:
        for component in reversed(self.ruleset.dependencies.components):
            self._plan_component(component)

    @property
    def dependencies(self) -> Dependencies:
        """The dependencies of the ruleset."""
        return self.ruleset.dependencies

    def _plan_component(self, component: tuple[Relation, ...]) -> None:
        """Order the rules of relations that use one another, until their modes do not change any more."""
        while True:
            before = {member: (self.mode(member), len(self._special.get(member, ()))) for member in component}
            for member in component:
                rules = [normalize(rule) for rule in self.ruleset.by_relation.get(member, ())]
                self.ordered[member] = [self._order_rule(rule, component, self.mode(member)) for rule in rules]
                for mode in tuple(self._special.get(member, ())):
                    self._special[member][mode] = [self._order_rule(rule, component, mode) for rule in rules]
            if all((self.mode(m), len(self._special.get(m, ()))) == known for m, known in before.items()):
                return

    def mode(self, of: Relation) -> Mode:
        """The arguments that are bound whenever a relation is asked; all of them if nothing has asked it yet."""
        asked = self.modes.get(of)
        if of in QUESTIONS:
            return QUESTIONS[of] if asked is None else QUESTIONS[of] & asked
        return frozenset(range(of[1])) if asked is None else asked

    def versions(self, of: Relation) -> Mapping[Mode, list[Rule]]:
        """The rules of a relation for each kind of question: those that suit all questions first, then special ones."""
        general = self.mode(of)
        special = self._special.get(of, {})
        return {general: self.ordered[of], **{mode: rules for mode, rules in special.items() if mode > general}}

    def version(self, of: Relation, bound: Mode) -> Mode:
        """The version to ask where some arguments are bound."""
        fitting = [mode for mode in self._special.get(of, ()) if self.mode(of) < mode <= bound]
        return max(fitting, key=lambda mode: (len(mode), sorted(mode)), default=self.mode(of))

    def _order_rule(self, rule: Rule, component: tuple[Relation, ...], mode: Mode) -> Rule:
        head_arguments = arguments(rule.head)
        given = [head_arguments[i] for i in sorted(mode)]
        bound = frozenset(v for argument in given for v in variables(argument))
        free = frozenset(variables(rule.head)) | bound
        if self._needs_written_order(rule):
            bound = free if not free <= bound_by(rule.body) else bound
            body = self._written_order(rule.body, bound, free)
        else:
            circle = {member: self.mode(member) for member in component} | {relation(rule.head): mode}
            body = self._order(rule.body, bound, free, circle)
        self._note_modes(body, bound)
        return Rule(rule.head, body, rule.at)

    @cached_property
    def unsafe(self) -> frozenset[Relation]:
        """Relations with rules that leave variables of the head to whoever asks, as programs for Prolog do."""
        return frozenset(
            name
            for name, rules in self.ruleset.by_relation.items()
            for rule in map(normalize, rules)
            if not bound_by(rule.body).issuperset(variables(rule.head))
        )

    @cached_property
    def _compound_places(self) -> frozenset[tuple[Relation, int]]:
        """Arguments of relations that may be compound terms, written so in a head or handed on from others."""
        found: set[tuple[Relation, int]] = set()
        for component in self.dependencies.components:
            before = -1
            while len(found) != before:
                before = len(found)
                for member in component:
                    for rule in self.ruleset.by_relation[member]:
                        made = _compound_variables(rule, found)
                        places = enumerate(arguments(rule.head))
                        found.update((member, i) for i, a in places if isinstance(a, Compound) or a in made)
        return frozenset(found)

    @cached_property
    def growing(self) -> frozenset[Relation]:
        """Relations that use themselves while they build or take apart terms: calls differ from heads in such a term.

        A compound term that the recursion hands on as it is, or that stands in other rules only, does not count.
        """
        return frozenset(
            member
            for component in self.dependencies.components
            if any(self._grows(rule, component) for name in component for rule in self.ruleset.by_relation[name])
            for member in component
        )

    def _grows(self, rule: Rule, circle: tuple[Relation, ...]) -> bool:
        calls = [atom for atom, _ in body_atoms(rule) if relation(atom) in circle]
        if not calls:
            return False
        made = _compound_variables(rule, {place for place in self._compound_places if place[0] not in circle})
        changed = {a for call in calls for a in set(arguments(call)) ^ set(arguments(rule.head))}
        return any((isinstance(a, Compound) and not is_ground(a)) or a in made for a in changed)

    @cached_property
    def remembering_helps(self) -> frozenset[Relation]:
        """Relations that use themselves without building terms: tabling makes them end, and end soon.

        A recursion that builds terms, such as a path that is kept as a list, was written for Prolog's own search: it
        ends by itself, and remembering every list would cost more than all the work saved.
        """
        return self.dependencies.recursive - self.growing

    def _needs_written_order(self, rule: Rule) -> bool:
        """True for rules that work in the order of the text only.

        These are rules that leave variables to whoever asks, those that ask such rules, and recursions that build terms.
        """
        head = relation(rule.head)
        if head in self.unsafe or head in self.dependencies.recursive & self.growing:
            return True
        return any(relation(atom) in self.unsafe for atom, _ in body_atoms(rule))

    def _written_order(
        self, literals: tuple[Formula, ...], bound: frozenset[Variable], outside: frozenset[Variable]
    ) -> tuple[Formula, ...]:
        """The order of the text, with negations and distincts moved to where their variables are bound."""
        shared = shared_variables(literals, outside)
        rest, done = list(literals), []
        while rest:
            literal = next((x for x in rest if not needs(x, bound, shared)), rest[0])
            rest.remove(literal)
            done.append(literal)
            bound = bound_by((literal,), bound)
        return tuple(done)

    def _order(
        self,
        literals: tuple[Formula, ...],
        bound: frozenset[Variable],
        outside: frozenset[Variable],
        circle: Mapping[Relation, Mode],
    ) -> tuple[Formula, ...]:
        shared = shared_variables(literals, outside)
        rest, done = list(literals), list[Formula]()
        while rest:
            ready = [x for x in rest if not needs(x, bound, shared)] or rest
            costs = [self._cost(x, bound, shared, circle) for x in ready]
            literal = ready[costs.index(min(costs))]
            rest.remove(literal)
            if isinstance(literal, Or):
                branches = (self._order(literals_of(branch), bound, shared, circle) for branch in literal.branches)
                done.append(Or(tuple(And(branch) for branch in branches), literal.at))
            else:
                done.append(literal)
            bound = bound_by((literal,), bound)
        return tuple(done)

    def _note_modes(self, body: Iterable[Formula], bound: frozenset[Variable]) -> None:
        """Note for each atom of an ordered body which of its arguments are bound when it is asked."""
        for literal in body:
            if isinstance(literal, Or):
                for branch in literal.branches:
                    self._note_modes(literals_of(branch), bound)
            else:
                for part, _ in parts(literal):
                    if isinstance(part, Symbol | Compound):
                        self._note_mode(part, bound)
            bound = bound_by((literal,), bound)

    def _note_mode(self, atom: Atom, bound: frozenset[Variable]) -> None:
        mode = bound_places(atom, bound)
        asked = relation(atom)
        self.modes[asked] = self.modes.get(asked, mode) & mode
        if self._is_versatile(asked):
            special = self._special.setdefault(asked, {})
            if mode not in special and len(special) < _VERSIONS:
                special[mode] = []

    def _is_versatile(self, name: Relation) -> bool:
        """Whether a relation has rules whose order may differ from question to question."""
        return self.special and name not in self.sizes and name not in QUESTIONS and name in self._free_to_order

    @cached_property
    def _free_to_order(self) -> frozenset[Relation]:
        """Relations with rules that work in any order."""
        by_relation = self.ruleset.by_relation
        return frozenset(
            name
            for name, rules in by_relation.items()
            if rules and not any(self._needs_written_order(normalize(rule)) for rule in rules)
        )

    def _cost(
        self, literal: Formula, bound: frozenset[Variable], shared: frozenset[Variable], circle: Mapping[Relation, Mode]
    ) -> tuple[float, float]:
        """Expected number of answers, then expected work, of asking a literal now."""
        match literal:
            case Distinct() | Not(Distinct()):
                return 0.0, 0.0
            case Not(atom):
                assert isinstance(atom, Symbol | Compound)
                known = self._is_stored(relation(atom))
                return (0.3, 1.0) if known else (0.9, 10.0)
            case Or(branches):
                return self._cost_of_choice(branches, bound, shared, circle)
            case And():
                raise AssertionError("a normal body has no bare conjunctions")
            case Symbol() | Compound():
                return self._cost_of_atom(literal, bound, circle)

    def _cost_of_choice(
        self,
        branches: tuple[Formula, ...],
        bound: frozenset[Variable],
        shared: frozenset[Variable],
        circle: Mapping[Relation, Mode],
    ) -> tuple[float, float]:
        total, work = 0.0, 0.0
        for branch in branches:
            answers, now = 1.0, bound
            for literal in self._order(literals_of(branch), bound, shared, circle):
                expected, effort = self._cost(literal, now, shared, circle)
                answers *= max(expected, 0.1)
                work += effort
                now = bound_by((literal,), now)
            total += answers
        is_test = not any((set(formula_variables(b)) & shared) - bound for b in branches)
        return (min(total, 0.8) if is_test else total), work

    def _cost_of_atom(
        self, atom: Atom, bound: frozenset[Variable], circle: Mapping[Relation, Mode]
    ) -> tuple[float, float]:
        name = relation(atom)
        if name in circle:
            # last, when all is bound that can be; but who guesses what the call would find out, guesses at every level
            is_ready = circle[name] and circle[name] <= bound_places(atom, bound)
            return (_FEW, 1e9) if is_ready else (1e9, 1e9)
        if name == DOES:
            role, move = arguments(atom)
            answers = 1.0 if bound.issuperset(variables(role)) else float(max(1, len(self.ruleset.roles)))
            if bound.issuperset(variables(move)):
                answers *= 0.4
            elif isinstance(move, Compound):
                answers *= 0.9
            return answers, 1.0
        if name == TRUE:
            return self._cost_of_fluent(arguments(atom)[0], bound), 1.0
        size = self.sizes.get(name)
        if size is not None:
            return _answers(size, arguments(atom), bound), 1.0
        free = sum(1 for a in arguments(atom) if not bound.issuperset(variables(a)))
        return (_UNKNOWN**free if free else 0.7), 100.0

    def _cost_of_fluent(self, fluent: Term, bound: frozenset[Variable]) -> float:
        if isinstance(fluent, Variable):
            return 0.6 if fluent in bound else 1e6
        inner = arguments(fluent)
        size = self.fluents.get((fluent.name, len(inner)))
        if size is not None and size.count:
            return _answers(size, inner, bound)
        free = sum(1 for a in inner if not bound.issuperset(variables(a)))
        return (_UNKNOWN / 2) ** free if free else 0.5

    def _is_stored(self, name: Relation) -> bool:
        """True for relations that are looked up, not derived."""
        return name in (TRUE, DOES) or name in self.sizes


def bound_places(atom: Atom, bound: frozenset[Variable]) -> Mode:
    """The arguments of an atom that are bound where some variables are."""
    return frozenset(i for i, a in enumerate(arguments(atom)) if bound.issuperset(variables(a)))


def _compound_variables(rule: Rule, places: Collection[tuple[Relation, int]]) -> set[Term]:
    """The variables of a rule that some of its positive literals may bind to compound terms."""
    found: set[Term] = set()
    for part, positive in body_parts(rule):
        if isinstance(part, Distinct):
            if not positive and (isinstance(part.left, Compound) or isinstance(part.right, Compound)):
                found.update(variables(part.left), variables(part.right))
        elif positive:
            found.update(v for i, a in enumerate(arguments(part)) if (relation(part), i) in places for v in variables(a))
    return found


def _answers(size: Size, inner: Iterable[Term], bound: frozenset[Variable]) -> float:
    """Expected answers of a stored relation: its size over the number of values of each bound argument."""
    expected, all_bound = float(size.count), True
    for argument, values in zip(inner, size.columns, strict=True):
        if bound.issuperset(variables(argument)):
            expected /= max(1, values)
        else:
            all_bound = False
    return min(expected, 0.5) if all_bound else expected
