"""Law 25, every condition can hold; law 16 for fluents; what law 23 says before any play. Misspelt names break them.

This takes nearly as long as reading and checking a text, and those who play have no use for it: `gdl.load` leaves
it out, `ggp check` and `ggp why` ask for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gdl.dependencies import DOES, TRUE
from gdl.domains import Domains
from gdl.heads import Heads
from gdl.hints import count_arguments, hint
from gdl.laws.keywords import ARITY
from gdl.laws.names import HINTS, undefined
from gdl.normalize import normalize
from gdl.places import Place, Read, Same, Source, Step, sources
from gdl.problems import Law, Problem, Reporter, in_order
from gdl.rules import Distinct, Relation, Rule, body_atoms, body_parts, relation
from gdl.ruleset import Ruleset
from gdl.terms import Atom, Compound, Symbol, Term, Variable, arguments, is_ground, kif, variables, walk

_NAMES_SHOWN = 8
_SHOWN = 100
"""Letters of an atom that a message shows."""
_TOLD_BEFORE = (Law.ONE_ARITY, Law.ROLE_ARGUMENTS)
"""Laws that may have said of a term what law 25 would say again."""


class Misfit(NamedTuple):
    """A part of an atom that can never stand in its place."""

    term: Symbol | Compound
    place: Place
    step: Step


def problems_without_play(ruleset: Ruleset) -> tuple[Problem, ...]:
    """All that can be told of a ruleset from its text: with law 25 where nothing worse is wrong."""
    if any(problem.is_error for problem in ruleset.problems):
        return ruleset.problems
    return in_order((*ruleset.problems, *impossible(ruleset)))


def impossible(ruleset: Ruleset) -> tuple[Problem, ...]:
    """Warnings: conditions that never hold, fluents that none asks for, heads that base or input lack; by place."""
    rules = [normalize(rule) for rule in ruleset.rules]
    domains, heads = Domains(rules), Heads(rules)
    reporter = Reporter(ruleset.source, [])
    told = {problem.at for problem in ruleset.problems if problem.law in _TOLD_BEFORE}
    for rule in rules:
        clashes = dict(_clashes(rule, domains))
        for atom, _ in body_atoms(rule):
            if not _report_misfits(atom, domains, told, reporter) and not clashes.keys() & set(variables(atom)):
                _report_unknown(atom, domains, heads, reporter)
        for variable, found in clashes.items():
            message = f"nothing can be {variable}: {_places_of(found)} have nothing in common, so this rule never applies"
            reporter.warn(Law.CAN_HOLD, variable.at, message)
    _report_distincts(rules, reporter)
    _report_unread(rules, reporter)
    for name, heads_of in (("base", ("init", "next")), ("input", ("legal",))):
        if (name, ARITY[name]) not in ruleset.dependencies.on_state | ruleset.dependencies.on_moves:
            _report_undeclared(rules, (name, ARITY[name]), heads_of, domains, reporter)
    return in_order(reporter.found)


def why_impossible(ruleset: Ruleset, atom: Atom) -> list[str]:
    """What makes it impossible that an atom ever holds; empty if it may hold somewhere, as far as this can tell."""
    name, count = relation(atom)
    if ARITY.get(name, count) != count:
        return [f"{name} takes {count_arguments(ARITY[name])}, this one has {count or 'none'}"]
    rules = [normalize(rule) for rule in ruleset.rules]
    domains = Domains(rules)
    if relation(atom) not in (TRUE, DOES) and domains.of(relation(atom)) is None:
        return [undefined(ruleset, relation(atom))]
    found = [_complaint(misfit) for misfit in misfits(atom, domains)]
    if not found and not Heads(rules).can_give(atom):
        found.append(f"no rule and no fact gives {_cut(kif(atom))}")
    return found


def misfits(atom: Atom, domains: Domains) -> list[Misfit]:
    """The parts of a condition that cannot stand where they do; none where law 16 says that nothing defines it at all."""
    name = relation(atom)
    places = domains.of(name)
    if places is not None:
        return _misfits(atom, places)
    term = arguments(atom)[-1] if name in (TRUE, DOES) else None
    return [] if term is None or isinstance(term, Variable) else [Misfit(term, Place(), (name, name[1] - 1))]


def _misfits(atom: Atom, places: Sequence[Place]) -> list[Misfit]:
    """Where nothing at all is known to stand, some other mistake is the reason: that is none."""
    found: list[Misfit] = []
    stack = _inner(relation(atom), arguments(atom), places)
    while stack:
        term, place, step = stack.pop()
        if isinstance(term, Variable) or place.anything or place.is_empty:
            continue
        inside = place.functions.get(relation(term))
        if isinstance(term, Compound) and inside is not None:
            stack.extend(_inner(relation(term), term.arguments, inside))
        elif isinstance(term, Compound) or term.name not in place.names:
            found.append(Misfit(term, place, step))
    return found


def _inner(name: Relation, terms: Sequence[Term], places: Sequence[Place]) -> list[tuple[Term, Place, Step]]:
    """The arguments of an atom or a term with their places, the last one first."""
    return [(terms[i], places[i], (name, i)) for i in reversed(range(len(terms)))]


def _clashes(rule: Rule, domains: Domains) -> Iterator[tuple[Variable, tuple[Source, ...]]]:
    """The variables that each condition gives values, but no value satisfies all, and the sources of these values."""
    for variable, found in sources(rule.body).items():
        if len(found) == 1 or not domains.value(found).is_empty:
            continue
        if not any(domains.value([source]).is_empty for source in found):
            yield variable, found


def _places_of(found: Sequence[Source]) -> str:
    """In words: the places that bind a variable."""
    words = [
        f"argument {source.steps[-1][1] + 1} of {source.steps[-1][0][0]}" if isinstance(source, Read)
        else source.name if isinstance(source, Same)
        else "an or"
        for source in found
    ]  # fmt: skip
    return " and ".join(dict.fromkeys(words))


def _report_misfits(atom: Atom, domains: Domains, told: set[int], report: Reporter) -> bool:
    """Report names that cannot stand where they do, but those that were told before. Are there any?"""
    found = misfits(atom, domains)
    for misfit in found:
        if misfit.term.at not in told:
            message = _complaint(misfit, ", so it never holds", with_hint=_may_hint(report))
            report.warn(Law.CAN_HOLD, misfit.term.at, message)
    return bool(found)


def _report_unknown(atom: Atom, domains: Domains, heads: Heads, report: Reporter) -> None:
    """Report an atom that no head unifies with, though each of its names stands where it can."""
    if domains.of(relation(atom)) is not None and not heads.can_give(atom):
        message = f"no rule and no fact gives {_cut(kif(atom))}, so it never holds"
        report.warn(Law.CAN_HOLD, atom.at, message)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _complaint(misfit: Misfit, consequence: str = "", *, with_hint: bool = True) -> str:
    """In words: what is not there, and what was probably meant."""
    term, place, (name, number) = misfit
    if (name, number) == (TRUE, 0):
        text = f"no init, next or base gives {_what(term)}"
    elif (name, number) == (DOES, 1):
        text = f"no legal or input gives {_what(term)}"
    else:
        text = f"{_what(term)} never stands in argument {number + 1} of {name[0]}"
    return text + consequence + (_hint(term, place) if with_hint else "")


def _what(term: Symbol | Compound) -> str:
    return f"{term.name} with {count_arguments(len(term.arguments))}" if isinstance(term, Compound) else term.name


def _may_hint(report: Reporter) -> bool:
    return len(report.found) < HINTS


def _hint(term: Symbol | Compound, place: Place) -> str:
    """What was probably meant, or all that stands there if that is little."""
    known = [*place.functions, *((name, 0) for name in place.names)]
    found = hint((term.name, len(arguments(term))), known, "there")
    if found or not 0 < len(known) <= _NAMES_SHOWN:
        return found
    return f"; what stands there: {', '.join(sorted((name for name, _ in known), key=_counted))}"


def _counted(name: str) -> tuple[bool, int, str]:
    """The order in which numbers stand as they are counted, after names."""
    return (name.isdigit(), len(name) if name.isdigit() else 0, name)


def _report_distincts(rules: Sequence[Rule], report: Reporter) -> None:
    """A name that no head has is distinct from all that a variable can be."""
    found = [
        side
        for rule in rules
        for part, _ in body_parts(rule)
        if isinstance(part, Distinct) and not (is_ground(part.left) and is_ground(part.right))
        for side in (part.left, part.right)
        if isinstance(side, Symbol)
    ]
    if not found:
        return
    heads = {relation(part) for rule in rules for part in walk(rule.head) if not isinstance(part, Variable)}
    given = {name for name, _ in heads}
    for side in found:
        if side.name not in given:
            text = f"nothing is ever {side}, so all is distinct from it"
            report.warn(Law.CAN_HOLD, side.at, text + (hint((side.name, 0), heads, "") if _may_hint(report) else ""))


def _report_unread(rules: Sequence[Rule], report: Reporter) -> None:
    """Law 16 for fluents: those that init or next gives are asked for somewhere. Reported once for each."""
    asked = [arguments(atom)[0] for rule in rules for atom, _ in body_atoms(rule) if relation(atom) == TRUE]
    known = {relation(term) for term in asked if not isinstance(term, Variable)}
    if len(known) == 0 or any(isinstance(term, Variable) for term in asked):
        return
    for rule in rules:
        given = arguments(rule.head)[0] if relation(rule.head) in (("init", 1), ("next", 1)) else None
        if isinstance(given, Symbol | Compound) and relation(given) not in known:
            text = f"no condition asks for {_what(given)}, which {rule.head.name} gives"
            text += hint(relation(given), known, "there") if _may_hint(report) else ""
            report.warn(Law.DEFINED_AND_USED, given.at, text)
            known.add(relation(given))


def _report_undeclared(
    rules: Sequence[Rule], declared: Relation, heads: Sequence[str], domains: Domains, report: Reporter
) -> None:
    """Law 23, as far as heads are written out: base has what init and next give, input what legal gives."""
    places = domains.of(declared)
    if places is None:
        return
    for rule in rules:
        name = relation(rule.head)
        if name[0] in heads and name[1] == ARITY[name[0]]:
            for term, place, (inside, number) in _misfits(rule.head, places):
                where = "" if inside == name else f" in argument {number + 1} of {inside[0]}"
                message = f"{declared[0]} lacks {_what(term)}{where}, which {name[0]} gives"
                report.warn(Law.BASE_AND_INPUT, term.at, message + (_hint(term, place) if _may_hint(report) else ""))
