"""Decision diagrams: static conditions on many variables, told step by step.

`(exactly_one 3 ?m1 … ?m9)` is a static relation of 9^9 instances: it cannot be listed, though each of its conditions
looks at one variable. The conditions of this kind that a rule has are taken together. Their variables get values one
after the other, and what remains to be asked after each (the *residual*: a disjunction for each condition) is a node of
a layered diagram; equal residuals are one node, and so are nodes from which the same values lead to success. Nine times
`exactly_one` have 512 nodes: which digits are used up. Each layer becomes a relation of facts, (node, value, next node),
and the rule becomes a walk: one auxiliary rule for each layer.

This is exact: a path exists for just the values for which the conditions hold. Where the values of a variable are not
known for certain, a definition is recursive, or a diagram would be large, the rule stays as it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gdl.grounding.demand import KEYWORDS
from gdl.grounding.estimates import Key, Sizes, flat
from gdl.grounding.free import only_constants
from gdl.grounding.rules import Literal, Rule, Term, is_variable, relation, substitute, unbound, variables, variables_of

_MOST_BRANCHES, _MOST_LITERALS = 256, 10_000
"""Of one condition once its definitions are inserted."""
_MOST_INSERTED, _DEEPEST = 5_000, 40
"""Definitions for one condition, and how deep they are nested."""
_MOST_NODES = 4_000
"""Of one diagram."""
_MOST_STEPS = 100_000
"""Values tried at the nodes of one diagram, and residuals worked out for them."""

Branch: TypeAlias = frozenset[Literal]
"""A conjunction over relations that are given by facts."""
Residual: TypeAlias = frozenset[Branch]
"""A disjunction: false without branches, true with an empty one."""
_LOCAL = "?local#"
"""Prefix of variables inside of definitions."""
_TRUE: Residual = frozenset([frozenset()])
_FALSE: Residual = frozenset()


class _TooLargeError(Exception):
    """There is no small diagram."""


def use_diagrams(rules: Sequence[Rule], sizes: Sizes, wide: float) -> list[Rule]:
    """The same game with diagrams for conditions over static relations whose rules are estimated to have more than `wide`
    instances; the same rules if there are none.
    """
    large = {relation(rule.head) for rule in rules if rule.body and sizes.join(rule.body) > wide} & sizes.static
    if not large or not only_constants(rules):
        return list(rules)
    maker = _Maker.of(rules, sizes, _users(rules, large, sizes) & _insertable(rules, sizes))
    rewritten = [maker.rewrite(rule) for rule in rules]
    return rewritten + maker.made


def _users(rules: Sequence[Rule], large: set[Key], sizes: Sizes) -> set[Key]:
    """Those static relations that are large, or defined by large ones."""
    found = set(large)
    while True:
        more = {relation(rule.head) for rule in rules if any(relation(x.atom) in found for x in rule.body)}
        more = (more & sizes.static) - KEYWORDS - found
        if not more:
            return found
        found |= more


def _insertable(rules: Sequence[Rule], sizes: Sizes) -> set[Key]:
    """Static relations that depend on no recursion."""
    needs: dict[Key, set[Key]] = {}
    for rule in rules:
        if relation(rule.head) in sizes.static:
            needs.setdefault(relation(rule.head), set()).update(relation(x.atom) for x in rule.body)
    found: set[Key] = set()
    while True:
        more = {key for key, needed in needs.items() if not any(x in needs and x not in found for x in needed)}
        if more <= found:
            return found - KEYWORDS
        found |= more


def _doubtful(rules: Sequence[Rule]) -> set[Key]:
    """Relations with rules that leave variables to whoever asks, and what depends on them."""
    found = {flat(rule.head)[0] for rule in rules if unbound(rule)}
    while True:
        more = {flat(rule.head)[0] for rule in rules if any(x.binds and flat(x.atom)[0] in found for x in rule.body)}
        if more <= found:
            return found
        found |= more


@dataclass
class _Maker:
    """Diagrams are shared by rules that have the same conditions but for the names of their variables."""

    wide: set[Key]
    sizes: Sizes
    rules: Mapping[Key, Sequence[Rule]]
    tables: Mapping[Key, Mapping[Term, None]]
    """Relations that facts alone define, in their order."""
    doubtful: set[Key]
    """Relations whose domains may lack values."""
    known: dict[tuple[tuple[Literal, ...], tuple[tuple[str, ...], ...]], list[str] | None] = field(default_factory=dict)
    walked: dict[tuple[tuple[Literal, ...], tuple[Term, ...]], str] = field(default_factory=dict)
    made: list[Rule] = field(default_factory=list)
    """Facts of the layers, and rules of the steps."""

    @classmethod
    def of(cls, rules: Sequence[Rule], sizes: Sizes, wide: set[Key]) -> _Maker:
        """With the definitions at hand."""
        defining: dict[Key, list[Rule]] = {}
        for rule in rules:
            defining.setdefault(relation(rule.head), []).append(rule)
        tables = {
            key: dict.fromkeys(rule.head for rule in found)
            for key, found in defining.items()
            if not any(rule.body or any(variables(rule.head)) for rule in found)
        }
        return cls(wide, sizes, defining, tables, _doubtful(rules))

    def rewrite(self, rule: Rule) -> Rule:
        """The rule with paths through a diagram for its wide conditions, if there is one."""
        if relation(rule.head) in self.wide:
            return rule
        conditions = tuple([x for x in rule.body if relation(x.atom) in self.wide])
        if not conditions:
            return rule
        names = list(dict.fromkeys(v for x in conditions for v in variables(x.atom)))
        values = self._values(rule, names)
        if values is None:
            return rule
        renaming: dict[str, Term] = {name: f"?{number}" for number, name in enumerate(names)}
        renamed = tuple([Literal(substitute(x.atom, renaming), x.positive) for x in conditions])
        layers = self._layers(renamed, values)
        if layers is None:
            return rule
        return self._walk(rule, [x for x in rule.body if x not in conditions], names, layers)

    def _walk(self, rule: Rule, rest: Sequence[Literal], names: Sequence[str], layers: Sequence[str]) -> Rule:
        """The rule as a walk: each step joins what speaks of its variable, and keeps what is asked later."""
        here: list[Literal] = []
        """What the walk has come to: an atom of the variables that are kept, the node among them."""
        for depth, (name, layer) in enumerate(zip(names, layers, strict=True)):
            before, after = f"?node#{depth}", f"?node#{depth + 1}"
            last = depth == len(names) - 1
            edge = Literal((layer, *([before] if depth else []), name, *([] if last else [after])))
            joined = [*here, edge, *[x for x in rest if x.binds and name in variables(x.atom)]]
            bound = variables_of(joined)
            joined += [x for x in rest if x not in joined and set(variables(x.atom)) <= bound]
            rest = [x for x in rest if x not in joined]
            if last:
                return Rule(rule.head, (*rest, *joined))
            wanted = {after, *variables(rule.head), *variables_of(rest), *names[depth + 1 :]}
            kept = sorted(bound & wanted)
            here = [Literal((self._step(tuple(joined), tuple(kept)), *kept))]
        raise AssertionError("a diagram has a layer")

    def _step(self, body: tuple[Literal, ...], kept: tuple[str, ...]) -> str:
        """The relation of a step; its rule is made when it is new."""
        order: dict[str, Term] = {}
        for name in itertools.chain(*[variables(x.atom) for x in body]):
            order.setdefault(name, f"?{len(order)}")
        renamed = tuple([Literal(substitute(x.atom, order), x.positive) for x in body])
        arguments = tuple([order[name] for name in kept])
        if (renamed, arguments) not in self.walked:
            self.walked[renamed, arguments] = f"walk#{len(self.walked)}"
            self.made.append(Rule((self.walked[renamed, arguments], *arguments), renamed))
        return self.walked[renamed, arguments]

    def _values(self, rule: Rule, names: Sequence[str]) -> tuple[tuple[str, ...], ...] | None:
        """All values that the variables may have; None if that is not known."""
        found: dict[str, set[str]] = {}
        for literal in rule.body:
            key, arguments = flat(literal.atom)
            if not literal.binds or key not in self.sizes.domains or key in self.doubtful:
                continue
            for argument, domain in zip(arguments, self.sizes.domains[key], strict=True):
                if isinstance(argument, str) and is_variable(argument):
                    found[argument] = found.get(argument, domain) & domain
        if not names or not all(found.get(name) for name in names):
            return None
        return tuple([tuple(sorted(found[name])) for name in names])

    def _layers(self, conditions: tuple[Literal, ...], values: tuple[tuple[str, ...], ...]) -> list[str] | None:
        """The relations of the diagram, one for each variable; their facts are made when they are new."""
        if (conditions, values) not in self.known:
            number = len(self.known)
            try:
                edges = _Diagram(self, conditions, values).edges()
            except _TooLargeError:
                self.known[conditions, values] = None
            else:
                names = [f"diagram#{number}#{layer}" for layer in range(len(values))]
                self.known[conditions, values] = names
                for layer, (name, found) in enumerate(zip(names, edges, strict=True)):
                    last = layer == len(names) - 1
                    for node, value, then in found:
                        arguments = [*([_node(node)] if layer else []), value, *([] if last else [_node(then)])]
                        self.made.append(Rule((name, *arguments)))
        return self.known[conditions, values]

    def branches(self, atom: Term, inserted: Iterator[int], depth: int = 0) -> Iterator[Branch]:
        """The atom by its definitions, inserted down to facts."""
        key = relation(atom)
        if key in self.tables or atom[0] == "distinct":
            yield frozenset([Literal(atom)])
            return
        for rule in self.rules.get(key, ()):
            yield from self._inserted(atom, rule, inserted, depth + 1)

    def _inserted(self, atom: Term, rule: Rule, inserted: Iterator[int], depth: int) -> Iterator[Branch]:
        """One definition, for the arguments of an atom."""
        number = next(inserted)
        if number > _MOST_INSERTED or depth > _DEEPEST:
            raise _TooLargeError
        given = atom[1:] if isinstance(atom, tuple) else ()
        taken = rule.head[1:] if isinstance(rule.head, tuple) else ()
        values: dict[str, Term] = {}
        equal: list[Literal] = []
        for argument, parameter in zip(given, taken, strict=True):
            if isinstance(argument, tuple) or isinstance(parameter, tuple):
                raise _TooLargeError
            if is_variable(parameter) and parameter not in values:
                values[parameter] = argument
            else:
                equal.append(Literal(("distinct", argument, values.get(parameter, parameter)), False))
        for name in sorted(variables_of(rule.body) - set(values)):
            values[name] = f"{_LOCAL}{number}{name}"
        choices: list[list[Branch]] = [[frozenset(equal)]]
        for literal in rule.body:
            inner = substitute(literal.atom, values)
            if literal.is_distinct:
                choices.append([frozenset([Literal(inner, literal.positive)])])
                continue
            inside = list(self.branches(inner, inserted, depth))
            choices.append(inside if literal.positive else [_negated(inside)])
        for combination in _products(choices):
            yield frozenset(itertools.chain.from_iterable(combination))


def _negated(branches: Sequence[Branch]) -> Branch:
    """The conjunction that none of the branches holds, if each is a single literal without variables of its own."""
    if any(len(branch) != 1 for branch in branches):
        raise _TooLargeError
    literals = [literal for branch in branches for literal in branch]
    if any(name.startswith(_LOCAL) for name in variables_of(literals)):
        raise _TooLargeError
    return frozenset([Literal(x.atom, not x.positive) for x in literals])


def _products(choices: Sequence[Sequence[Branch]]) -> Iterator[tuple[Branch, ...]]:
    total = 1
    for choice in choices:
        total *= len(choice)
    if total > _MOST_BRANCHES:
        raise _TooLargeError
    return itertools.product(*choices)


def _node(number: int) -> str:
    return f"node#{number}"


class _Diagram:
    """The diagram of some conditions over the variables ?0, ?1, and so on."""

    def __init__(self, maker: _Maker, conditions: Sequence[Literal], values: Sequence[Sequence[str]]) -> None:
        self.tables = maker.tables
        self.values = values
        self.signs = [literal.positive for literal in conditions]
        self.steps = 0
        self.memory: dict[tuple[Residual, int, str], Residual] = {}
        self.start = tuple([self._opened(maker, literal.atom) for literal in conditions])

    def _opened(self, maker: _Maker, atom: Term) -> Residual:
        """A condition before any variable has a value."""
        branches = list(itertools.islice(maker.branches(atom, itertools.count()), _MOST_BRANCHES + 1))
        if len(branches) > _MOST_BRANCHES or sum(map(len, branches)) > _MOST_LITERALS:
            raise _TooLargeError
        return self._simplified(branches, {})

    def edges(self) -> list[list[tuple[int, str, int]]]:
        """For each layer its edges (node, value, next node) that lie on a path to success."""
        layers: list[dict[tuple[Residual, ...], dict[str, tuple[Residual, ...]]]] = []
        layer = {self.start: None}
        total = 0
        for depth, values in enumerate(self.values):
            layers.append({state: self._successors(state, depth, values) for state in layer})
            layer = dict.fromkeys(then for found in layers[-1].values() for then in found.values())
            total += len(layer)
            if total > _MOST_NODES:
                raise _TooLargeError
        # Backwards: what leads to success by the same values is one node.
        numbers: dict[tuple[Residual, ...], int] = dict.fromkeys(layer, 0)
        result: list[list[tuple[int, str, int]]] = []
        for states in reversed(layers):
            classes: dict[tuple[tuple[str, int], ...], int] = {}
            before: dict[tuple[Residual, ...], int] = {}
            for state, found in states.items():
                ways = tuple([(value, numbers[then]) for value, then in found.items() if then in numbers])
                if ways:
                    before[state] = classes.setdefault(ways, len(classes))
            result.append([(node, value, then) for ways, node in classes.items() for value, then in ways])
            numbers = before
        return result[::-1]

    def _successors(
        self, state: tuple[Residual, ...], depth: int, values: Iterable[str]
    ) -> dict[str, tuple[Residual, ...]]:
        """What remains of the conditions for each value that none of them excludes."""
        last = depth == len(self.values) - 1
        found = {}
        for value in values:
            self._spend()
            rest = []
            for residual, sign in zip(state, self.signs, strict=True):
                then = self._then(residual, depth, value)
                if last:
                    then = self._decided(then)
                if then == (_FALSE if sign else _TRUE):
                    break
                rest.append(then)
            else:
                found[value] = tuple(rest)
        return found

    def _then(self, residual: Residual, depth: int, value: str) -> Residual:
        """The residual when the variable of this depth has a value."""
        if residual in (_TRUE, _FALSE):
            return residual
        known = self.memory.get((residual, depth, value))
        if known is None:
            known = self.memory[residual, depth, value] = self._simplified(residual, {f"?{depth}": value})
        return known

    def _simplified(self, branches: Iterable[Branch], values: dict[str, Term]) -> Residual:
        self._spend()
        found = set()
        for branch in branches:
            kept: set[Literal] = set()
            for literal in branch:
                holds, now = self._evaluated(literal, values)
                if holds is None:
                    kept.add(now)
                elif not holds:
                    break
            else:
                found.add(frozenset(kept))
                if not kept:
                    return _TRUE
        return frozenset(found)

    def _evaluated(self, literal: Literal, values: dict[str, Term]) -> tuple[bool | None, Literal]:
        """Whether the literal holds, as far as its arguments are known; and what it is for some values."""
        atom = substitute(literal.atom, values) if values else literal.atom
        now = Literal(atom, literal.positive)
        if literal.is_distinct:
            assert isinstance(atom, tuple)
            if atom[1] == atom[2]:
                return not literal.positive, now
            return (None if any(variables(atom)) else literal.positive), now
        if any(variables(atom)):
            return None, now
        return (atom in self.tables[relation(atom)]) == literal.positive, now

    def _decided(self, residual: Residual) -> Residual:
        """When all variables have values: are there some for those inside of the definitions?"""
        ordered = sorted(residual, key=lambda branch: sorted(map(str, branch)))  # so that the same steps are counted
        return _TRUE if any(map(self._satisfied, ordered)) else _FALSE

    def _satisfied(self, branch: Branch) -> bool:
        """Is there an instance of a conjunction?"""
        self._spend()
        if not branch:
            return True
        binding = sorted([x for x in branch if x.binds], key=lambda x: (len(set(variables(x.atom))), str(x.atom)))
        if not binding:
            raise _TooLargeError  # variables that nothing binds
        atom = binding[0].atom
        rest = branch - {binding[0]}
        for fact in self.tables[relation(atom)]:
            self._spend()
            values = _match(atom, fact)
            if values is not None and any(map(self._satisfied, self._simplified([rest], values))):
                return True
        return False

    def _spend(self) -> None:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise _TooLargeError


def _match(atom: Term, fact: Term) -> dict[str, Term] | None:
    """Values for the variables of an atom that make it the fact."""
    values: dict[str, Term] = {}
    for argument, value in zip(atom[1:], fact[1:], strict=True):
        if is_variable(argument):
            assert isinstance(argument, str)
            if values.setdefault(argument, value) != value:
                return None
        elif argument != value:
            return None
    return values
