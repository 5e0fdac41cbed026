"""What the analysis of a game's board needs of its rules: flat rules, domains of arguments, and what holds always.

Nothing is ground: domains come from a fixpoint over the rules, and only static relations that are small are worked out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TypeAlias

import clingo

from gdl.errors import GroundingError
from gdl.grounding.codes import Codes
from gdl.grounding.estimates import Key, Sizes, find_domains, flat
from gdl.grounding.flatten import flatten
from gdl.grounding.rules import Rule, Term, is_variable, relation, text, unbound
from gdl.grounding.shapes import expand_shapes
from gdl.ruleset import Ruleset

Row: TypeAlias = tuple[str, ...]
"""The arguments of an atom as texts."""
Kind: TypeAlias = tuple[str, int]
"""The name of a fluent or move, and its number of arguments."""

_LARGEST_RULE = 30_000.0
"""A static rule that may have more instances than this is not worked out, nor what needs it."""
_LARGEST_TOTAL = 60_000.0
"""Instances that are worked out of all static rules together, by the estimates."""
_MOST_ATOMS = 3000
"""A relation of more atoms than this says nothing of a board that can be shown."""
_MOST_ARGUMENTS = 5
"""Nor does one of more arguments."""


@dataclass(frozen=True)
class Rules:
    """The rules of a game as the analysis reads them."""

    roles: tuple[str, ...]
    rules: tuple[Rule, ...]
    domains: dict[Key, list[set[str]]]
    static: dict[Kind, list[Row]]
    """The atoms of the static relations that could be worked out, in the order of their text."""
    init: dict[Kind, list[Row]]
    """Fluents of the first position."""
    base: dict[Kind, list[Row]]
    """Fluents that the rules declare as possible."""

    @classmethod
    def of(cls, ruleset: Ruleset) -> Rules:
        """Read a ruleset. Where it cannot be flattened, nothing is known of it but its roles."""
        try:
            rules = tuple(expand_shapes(flatten(ruleset.rules)))
        except GroundingError:
            rules = ()
        domains = find_domains(rules)
        atoms = _static_atoms(rules, domains)
        init, base = (_fluents(atoms.pop((name, 1), [])) for name in ("init", "base"))
        static = {kind: sorted(map(_plain, rows)) for kind, rows in atoms.items()}
        return cls(ruleset.roles, rules, domains, static, init, base)

    def fluents(self) -> Iterator[tuple[Kind, list[set[str]]]]:
        """Every kind of fluent with the domains of its arguments, by name."""
        for key, domain in sorted(self.domains.items()):
            if (kind := _kind_of(key, "true(")) is not None:
                yield kind, domain

    def moves(self) -> Iterator[tuple[Kind, list[set[str]]]]:
        """Every kind of move with the domains of its arguments, by name; the role is left out."""
        for key, domain in sorted(self.domains.items()):
            if (kind := _kind_of(key, "does(_,")) is not None:
                yield kind, domain[1:]

    def shared(self, kind: Kind) -> Counter[tuple[Kind, tuple[tuple[int, int], ...]]]:
        """How fluents of a kind share variables with other atoms of a rule: (kind, pairs of positions), counted."""
        key = (f"true({kind[0]}/{kind[1]})", kind[1])
        found: Counter[tuple[Kind, tuple[tuple[int, int], ...]]] = Counter()
        for rule in self.rules:
            if relation(rule.head) == ("init", 1):
                continue  # how the game begins says little of how it goes on
            atoms = [flat(atom) for atom in (rule.head, *(x.atom for x in rule.body if not x.is_distinct))]
            mine = {arguments for other, arguments in atoms if other == key}
            for arguments, (other, others) in ((a, b) for a in mine for b in atoms if b[0] != key):
                pairs = tuple(
                    (i, j) for i, a in enumerate(arguments) for j, b in enumerate(others) if a == b and is_variable(a)
                )
                if len(pairs) > 1:
                    found[other, pairs] += 1
        return found


def _kind_of(key: Key, prefix: str) -> Kind | None:
    """The fluent or move that a key of the domains stands for; propositions have no number of arguments."""
    name = key[0]
    if not name.startswith(prefix) or not name.endswith(")"):
        return None
    inner = name[len(prefix) : -1]
    functor, slash, count = inner.rpartition("/")
    return (functor, int(count)) if slash and count.isdigit() else (inner, 0)


def _fluents(rows: list[tuple[Term, ...]]) -> dict[Kind, list[Row]]:
    found: dict[Kind, list[Row]] = {}
    for (term,) in rows:
        row = term[1:] if isinstance(term, tuple) else ()
        found.setdefault(relation(term), []).append(_plain(row))
    return {kind: sorted(same) for kind, same in sorted(found.items())}


def _plain(row: tuple[Term, ...]) -> Row:
    """The arguments of an atom as texts."""
    return tuple(part if isinstance(part, str) else text(part) for part in row)


def _static_atoms(rules: tuple[Rule, ...], domains: dict[Key, list[set[str]]]) -> dict[Kind, list[tuple[Term, ...]]]:
    """All atoms of the static relations that are small enough to be worked out, by clingo."""
    codes = Codes()
    program = "\n".join(codes.rule(rule) for rule in _cheap(rules, domains))
    control = clingo.Control(["--warn=none"], logger=lambda *_: None)
    try:
        control.add("base", [], program)
        control.ground([("base", [])])
    except RuntimeError:  # rules that clingo refuses: the board is found without them
        return {}
    constants, functors = list(codes.constants), list(codes.functors)

    @cache
    def term(symbol: clingo.Symbol) -> Term:
        if symbol.type == clingo.SymbolType.Number:
            return constants[symbol.number]
        return (functors[int(symbol.name[1:])], *map(term, symbol.arguments))

    found: dict[Kind, list[tuple[Term, ...]]] = {}
    for kind, name in [*((kind, f"r{number}") for kind, number in codes.relations.items()), (("init", 1), "init")]:
        if 1 <= kind[1] <= _MOST_ARGUMENTS:
            atoms = islice(control.symbolic_atoms.by_signature(name, kind[1]), _MOST_ATOMS + 1)
            rows = [tuple(map(term, entry.symbol.arguments)) for entry in atoms]
            found |= {kind: rows} if 0 < len(rows) <= _MOST_ATOMS else {}
    return found


def _cheap(rules: tuple[Rule, ...], domains: dict[Key, list[set[str]]]) -> list[Rule]:
    """The rules of what can be worked out: static, small by the estimates, and without terms that grow."""
    sizes = _sizes(rules, domains)
    refused = _not_static(rules) | {("goal", 2), ("sees", 2), ("terminal", 0), ("input", 2), ("legal", 2), ("next", 1)}
    left = _LARGEST_TOTAL
    for rule in sorted(rules, key=lambda r: sizes.join(r.body)):
        size, kind = sizes.join(rule.body), relation(rule.head)
        nested = isinstance(rule.head, tuple) and any(isinstance(part, tuple) for part in rule.head[1:])
        if kind in refused:
            continue
        left -= size
        if size > _LARGEST_RULE or left < 0 or unbound(rule) or (nested and kind not in (("init", 1), ("base", 1))):
            refused.add(kind)
    changed = True
    while changed:
        before = len(refused)
        refused |= {relation(rule.head) for rule in rules if any(relation(x.atom) in refused for x in rule.body)}
        changed = len(refused) != before
    return [rule for rule in rules if relation(rule.head) not in refused]


def _sizes(rules: tuple[Rule, ...], domains: dict[Key, list[set[str]]]) -> Sizes:
    """Estimates in which relations given by facts alone are counted."""
    sizes = Sizes(domains, relations={relation(rule.head) for rule in rules})
    ruled = {relation(rule.head) for rule in rules if rule.body}
    facts = Counter(relation(rule.head) for rule in rules if not rule.body)
    sizes.rows = {kind: float(count) for kind, count in facts.items() if kind not in ruled}
    return sizes


def _not_static(rules: tuple[Rule, ...]) -> set[Kind]:
    """Relations that depend on the position or on the moves."""
    found: set[Kind] = {("true", 1), ("does", 2)}
    changed = True
    while changed:
        before = len(found)
        found |= {relation(rule.head) for rule in rules if any(relation(x.atom) in found for x in rule.body)}
        changed = len(found) != before
    return found
