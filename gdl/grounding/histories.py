"""Histories: lists of what a recursion has passed, which only keep it from going in circles, are left out.

To tell whether two sides of a board are connected, some rulesheets walk from square to square and hand on the list of
the squares that were passed; the walk ends where a square is in the list already. Ground as it stands, there is an atom
for every path. But whoever gets from square to square at all gets there without passing a square twice: without the list
the relation holds for the same squares. So the argument is dropped, and with it the conditions that speak of it.

For a relation r with the rules `r(x, l) :- step(x, y), seen(x, l, m), r(y, m)` and `r(x, l) :- end(x), seen(x, l, m)`,
asked for by `r(x, nil)`, this is what has to be shown, and it is:

- without the history at least as much holds, as conditions are dropped only;
- a shortest derivation without it has no atom twice (the derivation of the later one would do for the earlier one), so
  what it adds to the history, which tells the changing arguments of an atom (`_Element`), are different elements;
- the conditions on the history hold for all sequences of different elements. They treat all elements alike
  (`_is_symmetric`): whatever is true of some stays true when elements are exchanged. So it is enough to prove them, by
  resolution (`resolution`), for one sequence of as many elements as there are.

Wherever one of these cannot be shown, the rules stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gdl.graphs import components
from gdl.grounding.demand import KEYWORDS
from gdl.grounding.estimates import Key, static_rules
from gdl.grounding.flatten import unify
from gdl.grounding.resolution import Prover, UnprovedError
from gdl.grounding.rules import Literal, Rule, Term, is_variable, relation, renamed, substitute, variables, variables_of

_MOST_RULES, _MOST_INSERTED = 16, 64
"""Of a recursion whose other relations are inserted."""
_MOST_ELEMENTS = 400
"""Of a history."""


def drop_histories(rules: Sequence[Rule]) -> list[Rule]:
    """The same game with recursions that hand on no history, where that is all the same."""
    result = list(rules)
    for group in _recursions(rules):
        for key in [] if KEYWORDS & set(group) else group:
            other = _without_history(result, key, group)
            if other is not None:
                result = other
                break
    return result


def _recursions(rules: Sequence[Rule]) -> list[list[Key]]:
    """Groups of relations that depend on one another."""
    uses: dict[Key, dict[Key, None]] = {}
    for rule in rules:
        uses.setdefault(relation(rule.head), {}).update(dict.fromkeys(relation(x.atom) for x in rule.body))
    groups = components(uses, lambda key: [x for x in uses[key] if x in uses])
    return [sorted(group) for group in groups if len(group) > 1 or group[0] in uses[group[0]]]


def _without_history(rules: Sequence[Rule], key: Key, group: Sequence[Key]) -> list[Rule] | None:
    """The rules with a relation that has lost its history, if it has one; the others of its recursion are inserted."""
    inside = [rule for rule in rules if relation(rule.head) in group]
    outside = [rule for rule in rules if relation(rule.head) not in group]
    calls = [x.atom for rule in outside for x in rule.body if relation(x.atom) in group]
    if not calls or any(relation(atom) != key for atom in calls):
        return None
    for position in range(key[1]):
        begins = {atom[1 + position] for atom in calls}
        begin = next(iter(begins))
        if len(begins) > 1 or any(variables(begin)):
            continue
        own = _inserted(inside, key, group)
        if own is None:
            return None
        static = {relation(rule.head) for rule in static_rules(rules)}
        steps = [_step(rule, key, position, static) for rule in own]
        if not all(steps) or not _is_idle([step for step in steps if step], key, position, begin, rules):
            continue
        made = [Rule(_shorter(rule.head, key, position), rule.body) for rule in (x.rest for x in steps if x)]
        made = [_asking(rule, key, position) for rule in made]
        return [_asking(rule, key, position) for rule in outside] + made
    return None


def _inserted(inside: Sequence[Rule], key: Key, group: Sequence[Key]) -> list[Rule] | None:
    """The rules of one relation, with the definitions of the others of its recursion in their places."""
    pending = [rule for rule in inside if relation(rule.head) == key]
    done: list[Rule] = []
    for number in range(_MOST_INSERTED):
        if not pending:
            return done
        if len(pending) + len(done) > _MOST_RULES:
            return None
        rule = pending.pop()
        place = next((i for i, x in enumerate(rule.body) if relation(x.atom) in group and relation(x.atom) != key), None)
        if place is None:
            done.append(rule)
            continue
        literal = rule.body[place]
        if not literal.positive:
            return None
        for count, definition in enumerate(x for x in inside if relation(x.head) == relation(literal.atom)):
            fresh = renamed(definition, f"{number}_{count}")
            values = unify(literal.atom, fresh.head)
            if values is not None:
                body = (*rule.body[:place], *fresh.body, *rule.body[place + 1 :])
                made = tuple([Literal(substitute(x.atom, values), x.positive) for x in body])
                pending.append(Rule(substitute(rule.head, values), made))
    return None


@dataclass(frozen=True)
class _Step:
    """A rule of the recursion, taken apart."""

    rest: Rule
    """Without what speaks of the history."""
    history: str
    """The variable of the head."""
    conditions: tuple[Literal, ...]
    then: Term | None
    """The history that is handed on; none where the recursion ends."""
    element: Term | None
    """What the conditions and the new history have beside the old one, and the rest of the rule speaks of, too."""
    recursive: Literal | None


def _step(rule: Rule, key: Key, position: int, static: set[Key]) -> _Step | None:
    """Take a rule apart; None if it uses its history in other ways."""
    assert isinstance(rule.head, tuple)
    history = rule.head[1 + position]
    others = [x for i, x in enumerate(rule.head[1:]) if i != position]
    recursive = [x for x in rule.body if relation(x.atom) == key]
    if not isinstance(history, str) or not is_variable(history) or len(recursive) > 1:
        return None
    if not all(x.positive for x in recursive) or any(history in variables(x) for x in others):
        return None
    then: Term | None = None
    spoken = {v for x in others for v in variables(x)}
    for literal in recursive:
        assert isinstance(literal.atom, tuple)
        then = literal.atom[1 + position]
        spoken |= {v for i, x in enumerate(literal.atom[1:]) if i != position for v in variables(x)}
    literals = [x for x in rule.body if x not in recursive]
    spoken |= variables_of([x for x in literals if relation(x.atom) not in static and not x.is_distinct])
    grown = True
    while grown:
        grown = False
        for x in literals:
            names = set(variables(x.atom))
            if history not in names and names & spoken and not names <= spoken:
                spoken |= names
                grown = True
    conditions = tuple([x for x in literals if set(variables(x.atom)) - spoken])
    if history in spoken or any(relation(x.atom) not in static and not x.is_distinct for x in conditions):
        return None
    elements: dict[Term, None] = {}
    for term in [*[t for x in conditions for t in _arguments(x.atom)], *([] if then is None else [then])]:
        elements.update(dict.fromkeys(_elements(term, spoken)))
    if len(elements) > 1:
        return None
    rest = Rule(rule.head, tuple([x for x in rule.body if x not in conditions]))
    return _Step(rest, history, conditions, then, next(iter(elements), None), next(iter(recursive), None))


def _arguments(atom: Term) -> tuple[Term, ...]:
    return atom[1:] if isinstance(atom, tuple) else ()


def _elements(term: Term, spoken: set[str]) -> Iterator[Term]:
    """The largest terms within a term all of whose variables are spoken of elsewhere."""
    names = set(variables(term))
    if names and names <= spoken:
        yield term
    elif isinstance(term, tuple):
        for argument in term[1:]:
            yield from _elements(argument, spoken)


@dataclass(frozen=True)
class _Element:
    """What is added to a history: it follows from the changing arguments of the head, and they follow from it."""

    source: tuple[str, ...]
    """The relation of facts that has both; for each of its arguments the place in the head, or that it is the element."""
    values: tuple[str, ...]
    """All that there are."""


def _is_idle(steps: Sequence[_Step], key: Key, position: int, begin: Term, rules: Sequence[Rule]) -> bool:
    """Does the recursion hold for the same arguments without its history?"""
    onward = [step for step in steps if step.recursive is not None]
    conditions = [x for step in steps for x in step.conditions]
    if not onward or not conditions or any(step.element is None for step in onward):
        return False
    programs = {_program(step): step for step in onward}
    changing = [i for i in range(key[1]) if i != position and not all(_keeps(step, i) for step in onward)]
    found = {_element(step, changing, rules) for step in steps if step.element is not None}
    element = next(iter(found))
    if len(programs) != 1 or len(found) != 1 or element is None or len(element.values) > _MOST_ELEMENTS:
        return False
    terms = [begin, *[x.atom for x in conditions], *[step.then for step in onward if step.then is not None]]
    if any(set(element.values) & _names(term) for term in terms) or not _is_symmetric(element, conditions, rules):
        return False
    return _holds(onward[0], [step for step in steps if step.recursive is None], element, begin, rules)


def _program(step: _Step) -> tuple[Term, ...]:
    """Conditions and new history, by names of their own."""
    names: dict[str, Term] = {step.history: "?history"}
    if isinstance(step.element, str):
        names[step.element] = "?element"
    terms = [*[x.atom for x in step.conditions], *([] if step.then is None else [step.then])]
    for name in [v for term in terms for v in variables(term)]:
        names.setdefault(name, f"?{len(names)}")
    return (*[str(x.positive) for x in step.conditions], *[substitute(term, names) for term in terms])


def _element(step: _Step, changing: Sequence[int], rules: Sequence[Rule]) -> _Element | None:
    """How the element tells the arguments of the head that the recursion changes; None if it does not."""
    assert isinstance(step.rest.head, tuple)
    places = {step.rest.head[1 + i]: f"place {i}" for i in changing}
    if not isinstance(step.element, str) or not all(map(is_variable, places)):
        return None
    for literal in step.rest.body:
        key, arguments = relation(literal.atom), _arguments(literal.atom)
        if not literal.binds or key in KEYWORDS or not {step.element, *places} <= set(arguments):
            continue
        own = [rule for rule in rules if relation(rule.head) == key]
        rows = [_arguments(rule.head) for rule in own]
        if any(rule.body for rule in own) or any(is_variable(x) or isinstance(x, tuple) for row in rows for x in row):
            continue
        told = {(row[arguments.index(step.element)], *[row[arguments.index(x)] for x in places]) for row in rows}
        values = sorted({str(row[0]) for row in told})
        if len(values) == len(told):
            roles = [places.get(x, "element" if x == step.element else "") for x in arguments]
            return _Element((str(key), *roles), tuple(values))
    return None


def _keeps(step: _Step, place: int) -> bool:
    """Is the argument handed on as it is?"""
    assert isinstance(step.rest.head, tuple) and step.recursive is not None and isinstance(step.recursive.atom, tuple)
    given, handed = step.rest.head[1 + place], step.recursive.atom[1 + place]
    return is_variable(given) and given == handed


def _is_symmetric(element: _Element, conditions: Sequence[Literal], rules: Sequence[Rule]) -> bool:
    """Do the rules of the conditions treat all elements alike?

    They do if they name none, but in relations of one argument that have all of them as facts.
    """
    elements = set(element.values)
    wanted = {relation(x.atom) for x in conditions}
    stack = sorted(wanted)
    while stack:
        key = stack.pop()
        own = [rule for rule in rules if relation(rule.head) == key]
        if key[1] == 1 and {(key[0], value) for value in elements} <= {rule.head for rule in own if not rule.body}:
            own = [rule for rule in own if rule.body or _arguments(rule.head)[0] not in elements]
        for rule in own:
            if any(elements & _names(atom) for atom in (rule.head, *[x.atom for x in rule.body])):
                return False
            more = {relation(x.atom) for x in rule.body} - wanted
            wanted |= more
            stack += sorted(more)
    return True


def _names(term: Term) -> set[str]:
    """The constants of a term or an atom, functors included."""
    if isinstance(term, str):
        return set() if is_variable(term) else {term}
    return {name for part in term for name in _names(part)}


def _holds(onward: _Step, ends: Sequence[_Step], element: _Element, begin: Term, rules: Sequence[Rule]) -> bool:
    """Do the conditions hold for one sequence of all elements, wherever the recursion may end?"""
    prover = Prover(rules)
    history = begin
    try:
        for value in element.values:
            if not all(_answer(prover, step, history, value) for step in ends):
                return False
            answer = _answer(prover, onward, history, value)
            if answer is None or any(variables(answer)):
                return False
            history = answer
        return all(_answer(prover, step, history, None) for step in ends if step.element is None)
    except UnprovedError:
        return False


def _answer(prover: Prover, step: _Step, history: Term, value: str | None) -> Term | None:
    """The new history, or the old one where the recursion ends; None if the conditions do not hold."""
    values: dict[str, Term] = {step.history: history}
    if isinstance(step.element, str) and value is not None:
        values[step.element] = value
    goals = [Literal(substitute(x.atom, values), x.positive) for x in step.conditions]
    return prover.answer(goals, history if step.then is None else substitute(step.then, values))


def _shorter(atom: Term, key: Key, position: int) -> Term:
    """The atom without its history, if it is of the relation."""
    if relation(atom) != key:
        return atom
    assert isinstance(atom, tuple)
    kept = [x for i, x in enumerate(atom[1:]) if i != position]
    name = f"idle#{key[0]}/{key[1]}"
    return (name, *kept) if kept else name


def _asking(rule: Rule, key: Key, position: int) -> Rule:
    return Rule(rule.head, tuple([Literal(_shorter(x.atom, key, position), x.positive) for x in rule.body]))
