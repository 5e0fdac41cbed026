"""Free arguments: relations are kept without the arguments that a rule leaves to whoever asks.

`(<= (attacks ?from ?to ?gone) (step ?from ?to) (square ?gone))` holds for every square ?gone, and so may most of a
recursion that hands ?gone on. Ground as it stands, all of it is repeated for every ?gone. Here a relation becomes
several *variants*, one for each set of arguments that some rule leaves free: `attacks` without its third argument, and
`attacks` with it for the rules that look at ?gone. A literal stands for any of the variants, so a rule that uses it
becomes one rule for each (a negated literal becomes the negation of all), and may leave the argument free in turn.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from gdl.grounding.demand import KEYWORDS
from gdl.grounding.estimates import LARGE, Key, Sizes, flat
from gdl.grounding.rules import Literal, Rule, Term, is_variable, relation, variables
from gdl.grounding.shapes import place

Variant: TypeAlias = tuple[tuple[int, tuple[str, ...]], ...]
"""The free positions, each with the relations of one argument that its values must be in."""

WORTHWHILE = 6.0
"""A variant must spare at least so many instances for each that it has."""
BRANCHES = 32
"""A rule may become at most so many; literals that would make it more ask for the whole relation."""
VARIANTS = 16
"""Relations with more variants than this are left alone."""


def drop_free_arguments(rules: Sequence[Rule], sizes: Sizes, smallest: float, fact: float = 1.0) -> list[Rule]:
    """The same game with variants for relations of `smallest` rows or more that have free arguments; the same rules if
    none has. A row of a static relation weighs as much as `fact` others.
    """
    derived = {relation(rule.head) for rule in rules} - KEYWORDS
    weights = {key: fact if key in sizes.static else 1.0 for key in derived}
    chosen = {key for key, weight in weights.items() if key[1] > 1 and sizes.of_all(key) * weight >= smallest}
    columns = _by_columns(rules, sizes, chosen)
    while chosen:
        variants = _Variants(columns, sizes, chosen)
        crowded = variants.find()
        if not crowded:
            return variants.rewrite() if variants.found else list(rules)
        chosen -= crowded
    return list(rules)


def _by_columns(rules: Sequence[Rule], sizes: Sizes, chosen: set[Key]) -> list[Rule]:
    """The rules of the chosen relations with `(cell ?x ?y)`, if each ?x goes with each ?y, said of ?x and of ?y apart."""
    made: dict[Rule, None] = {}
    result = []
    for rule in rules:
        body: list[Literal] = []
        for literal in rule.body:
            key = relation(literal.atom)
            if relation(rule.head) not in chosen or not literal.binds or not _is_product(key, sizes):
                body.append(literal)
                continue
            assert isinstance(literal.atom, tuple)
            whole = Literal((key[0], *[f"?{i}" for i in range(key[1])]))
            for position, argument in enumerate(literal.atom[1:]):
                name = f"column#{key[0]}/{key[1]}#{position}"
                made[Rule((name, f"?{position}"), (whole,))] = None
                sizes.static.add((name, 1))
                sizes.rows[name, 1] = sizes.widths(key)[position]
                sizes.columns[name, 1] = [sizes.rows[name, 1]]
                sizes.domains[name, 1] = [sizes.domains[key][position]]
                body.append(Literal((name, argument)))
        result.append(Rule(rule.head, tuple(dict.fromkeys(body))))
    return result + list(made)


def _is_product(key: Key, sizes: Sizes) -> bool:
    """Does a static relation hold every combination of the values of its arguments?"""
    if key[1] < 2 or key not in sizes.static or key not in sizes.rows:
        return False
    product = 1.0
    for width in sizes.widths(key):
        product *= width
    return sizes.rows[key] == product


def only_constants(rules: Sequence[Rule]) -> bool:
    """Can variables have no other values than constants? Then domains tell all values."""
    compound: set[tuple[str, int, int]] = set()
    for rule in rules:
        for position, argument in _arguments(rule.head):
            if isinstance(argument, tuple):
                compound.add((*place(rule.head), position))
                if any(isinstance(inner, tuple) for inner in argument[1:]):
                    return False
    return not any(
        (*place(literal.atom), position) in compound and is_variable(argument)
        for rule in rules
        for literal in rule.body
        for position, argument in _arguments(literal.atom)
    )


def _arguments(atom: Term) -> Iterator[tuple[int, Term]]:
    return enumerate(atom[1:]) if isinstance(atom, tuple) else iter(())


class _Variants:
    """The variants of the chosen relations, and the rules that make them."""

    def __init__(self, rules: Sequence[Rule], sizes: Sizes, chosen: set[Key]) -> None:
        self.source = rules
        self.sizes = sizes
        self.found: dict[Key, dict[Variant, None]] = {key: {} for key in sorted(chosen)}
        self.whole: dict[Key, None] = {}
        """Chosen relations that some rule asks for as they were."""
        self.plain = only_constants(rules)
        self.facts: dict[str, set[Term]] = {}
        for rule in rules:
            if isinstance(rule.head, tuple) and len(rule.head) == 2 and not rule.body:
                self.facts.setdefault(str(rule.head[0]), set()).add(rule.head[1])

    def find(self) -> set[Key]:
        """Go over the rules until no new variant turns up; the first relation that has too many of them."""
        readers: dict[Key, list[int]] = {}
        for number, rule in enumerate(self.source):
            for key in {relation(literal.atom) for literal in rule.body}:
                readers.setdefault(key, []).append(number)
        pending = dict.fromkeys(range(len(self.source)))
        while pending:
            number = next(iter(pending))
            del pending[number]
            rule = self.source[number]
            key = relation(rule.head)
            if key not in self.found:
                continue
            for body in self._bodies(rule):
                variant = self._variant(rule.head, body)
                if variant not in self.found[key]:
                    self.found[key][variant] = None
                    pending.update(dict.fromkeys(readers.get(key, ())))
            if len(self.found[key]) > VARIANTS:
                return {key}
        self.found = {key: found for key, found in self.found.items() if any(found)}
        return set()

    def rewrite(self) -> list[Rule]:
        """The rules with variants for relations."""
        if not self.found:
            return list(self.source)
        made = [Rule(*self._head(rule.head, body)) for rule in self.source for body in self._bodies(rule)]
        for key in self.whole:
            atom = (key[0], *[f"?{i}" for i in range(key[1])])
            made += [Rule(atom, self._call(atom, variant, {})) for variant in self.found[key]]
        return list(dict.fromkeys(made))

    def _bodies(self, rule: Rule) -> Iterator[tuple[Literal, ...]]:
        """The body with variants for its literals, in every combination."""
        domains = self._domains(rule)
        choices: list[list[tuple[Literal, ...]]] = []
        total = 1
        for literal in rule.body:
            key = relation(literal.atom)
            if key not in self.found:
                choices.append([(literal,)])
                continue
            calls = [self._call(literal.atom, variant, domains) for variant in self.found[key]]
            if literal.positive and total * len(calls) <= BRANCHES:
                total *= len(calls)
                choices.append(calls)
            elif not literal.positive and all(len(call) == 1 for call in calls):
                choices.append([tuple([Literal(call[0].atom, False) for call in calls])])
            else:
                self.whole[key] = None
                choices.append([(literal,)])
        for combination in itertools.product(*choices):
            yield tuple(dict.fromkeys(itertools.chain.from_iterable(combination)))

    def _domains(self, rule: Rule) -> dict[str, set[str]]:
        """Possible values of the variables, told by the literals that bind them in all their variants."""
        domains: dict[str, set[str]] = {}
        for literal in rule.body if self.plain else ():
            key, arguments = flat(literal.atom)
            if not literal.binds or key not in self.sizes.domains:
                continue
            free = {i for variant in self.found.get(relation(literal.atom), ()) for i, _ in variant}
            loose = {literal.atom[1 + i] for i in free if isinstance(literal.atom, tuple)}
            for argument, domain in zip(arguments, self.sizes.domains[key], strict=True):
                if isinstance(argument, str) and is_variable(argument) and argument not in loose:
                    domains[argument] = domains.get(argument, domain) & domain
        return domains

    def _call(self, atom: Term, variant: Variant, domains: dict[str, set[str]]) -> tuple[Literal, ...]:
        """A variant in the place of the relation, and the conditions that are not sure to hold."""
        assert isinstance(atom, tuple)
        arguments = atom[1:]
        literals = [Literal(self._atom(atom, variant))]
        for position, conditions in variant:
            argument = arguments[position]
            for condition in conditions:
                possible = domains.get(argument) if isinstance(argument, str) else None
                possible = {argument} if isinstance(argument, str) and not is_variable(argument) else possible
                if not possible or not possible <= self.facts.get(condition, set()):
                    literals.append(Literal((condition, argument)))
        return tuple(literals)

    def _atom(self, atom: Term, variant: Variant) -> Term:
        """The atom without the free arguments."""
        assert isinstance(atom, tuple)
        key = relation(atom)
        name = f"free#{key[0]}/{key[1]}#{list(self.found[key]).index(variant)}"
        free = {position for position, _ in variant}
        kept = [argument for position, argument in enumerate(atom[1:]) if position not in free]
        return (name, *kept) if kept else name

    def _variant(self, head: Term, body: Sequence[Literal]) -> Variant:
        """What the rule leaves free: variables that only relations of one argument speak of."""
        assert isinstance(head, tuple)
        free = []
        spared = 1.0
        for position, argument in enumerate(head[1:]):
            if isinstance(argument, str) and is_variable(argument) and list(variables(head)).count(argument) == 1:
                about = [literal for literal in body if argument in variables(literal.atom)]
                if all(map(self._is_condition, about)):
                    free.append((position, tuple(sorted({relation(literal.atom)[0] for literal in about}))))
                    spared *= min((self.sizes.of(literal.atom) for literal in about), default=LARGE)
        return tuple(free) if spared >= WORTHWHILE else ()

    def _is_condition(self, literal: Literal) -> bool:
        key = relation(literal.atom)
        if not literal.binds or key[1] != 1 or key not in self.sizes.static:
            return False
        return isinstance(literal.atom, tuple) and is_variable(literal.atom[1])

    def _head(self, head: Term, body: tuple[Literal, ...]) -> tuple[Term, tuple[Literal, ...]]:
        """Head and body of a rule; what its callers see to now is left out."""
        if relation(head) not in self.found:
            return head, body
        variant = self._variant(head, body)
        assert isinstance(head, tuple)
        free = {head[1 + position] for position, _ in variant}
        return self._atom(head, variant), tuple([x for x in body if not free & set(variables(x.atom))])
