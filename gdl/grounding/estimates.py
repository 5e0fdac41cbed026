"""How large will relations and joins be once ground? Only a guide for splitting: nothing depends on it for
truth.

Every argument position of every relation gets a *domain*: the constants that can stand there, found by a
fixpoint over the rules in which the positions of one atom are treated as independent. Relations that do not
depend on the state are also counted exactly, by grounding them alone. Fluents and moves are relations of
their own here: `(true (cell ?x ?y ?z))` is the relation `true:cell` with three positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gdl.grounding.rules import Literal, Rule, Term, is_variable, relation, variables

Key = tuple[str, int]
UNKNOWN = 30.0
"""Assumed number of values of a variable that occurs only inside nested terms or whole-term variables."""
LARGE = 1e250

_FEEDS = {"next": "true", "init": "true", "legal": "does"}


def flat(atom: Term) -> tuple[Key, tuple[Term, ...]]:
    """Key and positions of an atom: functors of its arguments belong to the key, what they hold to the
    positions.

    >>> flat(("next", ("cell", "1", "?y")))
    (('true(cell/2)', 2), ('1', '?y'))
    >>> flat(("adjacent", "?x", "?y"))
    (('adjacent', 2), ('?x', '?y'))
    """
    if isinstance(atom, str):
        return (atom, 0), ()
    name, arity = relation(atom)
    if (name, arity) in (("next", 1), ("init", 1), ("legal", 2)):
        name = _FEEDS[name]
    fluent = (name, arity) in (("true", 1), ("does", 2))
    positions: list[Term] = []
    skeleton: list[str] = []
    for number, argument in enumerate(atom[1:]):
        if isinstance(argument, tuple):
            skeleton.append(f"{argument[0]}/{len(argument) - 1}")
            positions += argument[1:]
        elif fluent and number == arity - 1:  # propositions and moves without arguments are keys of their own
            skeleton.append("?" if is_variable(argument) else argument)
        else:
            skeleton.append("_")
            positions.append(argument)
    plain = all(part == "_" for part in skeleton)
    return (name if plain else name + "(" + ",".join(skeleton) + ")", len(positions)), tuple(positions)


@dataclass
class Sizes:
    """Domains of all positions, and exact counts of counted relations."""

    domains: dict[Key, list[set[str]]] = field(default_factory=dict)
    rows: dict[Key, float] = field(default_factory=dict)
    columns: dict[Key, list[float]] = field(default_factory=dict)
    relations: set[Key] = field(default_factory=set)
    static: set[Key] = field(default_factory=set)

    def of(self, atom: Term) -> float:
        """Estimated instances of an atom with its constants fixed."""
        key, arguments = flat(atom)
        if key not in self.domains:
            return UNKNOWN if relation(atom) in self.relations else 0.0
        widths = self.widths(key)
        size = self.rows.get(key)
        if size is None:
            size = 1.0
            for width in widths:
                size *= width
        seen: set[Term] = set()
        for argument, width in zip(arguments, widths, strict=True):
            if argument in seen or not (isinstance(argument, tuple) or is_variable(argument)):
                size /= max(width, 1.0)
            seen.add(argument)
        return max(size, 0.01) if size else 0.0

    def of_all(self, key: Key) -> float:
        """Estimated instances of a relation."""
        return self.of((key[0], *[f"?{i}" for i in range(key[1])]))

    def widths(self, key: Key) -> list[float]:
        """Different values at each position."""
        if key in self.columns:
            return self.columns[key]
        return [float(len(domain)) or UNKNOWN for domain in self.domains[key]]

    def variable_widths(self, atom: Term) -> dict[str, float]:
        """Different values of each variable of an atom."""
        key, arguments = flat(atom)
        result: dict[str, float] = {}
        widths = self.widths(key) if key in self.domains else [UNKNOWN] * len(arguments)
        for argument, width in zip(arguments, widths, strict=True):
            if isinstance(argument, str):
                if is_variable(argument):
                    result[argument] = min(width, result.get(argument, LARGE))
            else:
                for name in variables(argument):
                    result[name] = min(UNKNOWN, result.get(name, LARGE))
        for name in variables(atom):
            result.setdefault(name, UNKNOWN)
        return result

    def join(self, literals: Iterable[Literal]) -> float:
        """Estimated instances of a conjunction: the textbook formula, all values equally likely."""
        size = 1.0
        widths: dict[str, list[float]] = {}
        for literal in literals:
            if not literal.binds:
                continue
            size *= self.of(literal.atom)
            for name, width in self.variable_widths(literal.atom).items():
                widths.setdefault(name, []).append(width)
        for found in widths.values():
            for width in sorted(found)[1:]:
                size /= max(width, 1.0)
        return min(size, LARGE)

    def product(self, names: Iterable[str], literals: Sequence[Literal]) -> float:
        """Upper bound: the product of the domains of some variables."""
        size = 1.0
        best: dict[str, float] = {}
        for literal in literals:
            if literal.binds:
                for name, width in self.variable_widths(literal.atom).items():
                    best[name] = min(width, best.get(name, LARGE))
        for name in names:
            size *= best.get(name, UNKNOWN)
        return min(size, LARGE)


def find_domains(rules: Sequence[Rule]) -> dict[Key, list[set[str]]]:
    """Possible constants at every position (whole terms are left out)."""
    domains: dict[Key, list[set[str]]] = {}
    readers: dict[Key, list[int]] = {}
    for number, rule in enumerate(rules):
        for literal in rule.body:
            if literal.binds:
                readers.setdefault(flat(literal.atom)[0], []).append(number)
    whole = carriers(rules)
    pending = dict.fromkeys(range(len(rules)))
    while pending:
        number = next(iter(pending))
        del pending[number]
        if _apply(rules[number], domains, whole):
            pending.update(dict.fromkeys(readers.get(flat(rules[number].head)[0], ())))
    return domains


def _apply(rule: Rule, domains: dict[Key, list[set[str]]], whole: set[Key]) -> bool:
    """Add what one rule derives; did anything change? Relations in `whole` have whole-term variables."""
    values: dict[str, set[str]] = {}
    for literal in rule.body:
        if not literal.binds:
            continue
        key, arguments = flat(literal.atom)
        if key not in domains:
            if relation(literal.atom) not in whole:
                return False
            continue
        for argument, domain in zip(arguments, domains[key], strict=True):
            if isinstance(argument, str) and argument.startswith("?"):
                values[argument] = values[argument] & domain if argument in values else domain
            elif isinstance(argument, str) and domain and argument not in domain:
                return False
    key, arguments = flat(rule.head)
    changed = key not in domains
    target = domains.setdefault(key, [set() for _ in arguments])
    for argument, domain in zip(arguments, target, strict=True):
        if isinstance(argument, str):
            new = values.get(argument, set()) if argument.startswith("?") else {argument}
            if not new <= domain:
                domain |= new
                changed = True
    return changed


def carriers(rules: Sequence[Rule]) -> set[Key]:
    """Relations some atom of which has a compound argument: their keys may not tell all."""
    found: set[Key] = set()
    for rule in rules:
        for atom in (rule.head, *[literal.atom for literal in rule.body]):
            if isinstance(atom, tuple) and any(isinstance(argument, tuple) for argument in atom[1:]):
                found.add(relation(atom))
    return found | {("true", 1), ("does", 2)}


def static_rules(rules: Sequence[Rule]) -> list[Rule]:
    """Rules of the relations that depend on neither the state nor the moves."""
    dynamic: set[Key] = {("true", 1), ("does", 2), ("next", 1), ("init", 1), ("legal", 2)}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            key = relation(rule.head)
            if key not in dynamic and any(relation(literal.atom) in dynamic for literal in rule.body):
                dynamic.add(key)
                changed = True
    return [rule for rule in rules if relation(rule.head) not in dynamic]
