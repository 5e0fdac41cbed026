"""A key of a game that stays the same when a server scrambles it: other names, other order of rules and conditions.

Names of the game are replaced by numbers, variables by their number in the rule, and rules and conditions are sorted. The
key is the digest of that text, which says all that the rules say: two games of one key are one game under two namings,
and name number i of one is name number i of the other. What never changes its name: keywords, `random`, integers that a
goal may take, and names with a `#`, which the grounder gives a meaning. The order of the roles is kept, since matches go
by it; rules that no keyword depends on are left out, and `base` and `input` with them, which are no more than hints.

Numbers come from colour refinement: names that occur in different places of different rules get different colours, until
nothing more can be told apart; then one of a smallest group of equals is set apart, and so on. Where equals were no true
twins, the numbers may depend on the order of the text. That costs a match its cache and never gives a wrong one.

Colours are hashes of tuples of integers: the same in all processes of one version of Python.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import Any, TypeAlias
from zlib import crc32

from gdl.laws.keywords import RESERVED
from gdl.rules import And, Distinct, Formula, Not, Or, Relation, Rule, relation
from gdl.ruleset import CHANCE, Ruleset
from gdl.terms import Compound, Symbol, Term, Variable, arguments

_ROOTS: tuple[Relation, ...] = (
    ("role", 1), ("init", 1), ("next", 1), ("legal", 2), ("goal", 2), ("terminal", 0), ("sees", 2),
)  # fmt: skip
"""What a match asks about."""
_ROUNDS = 2
"""In which the variables of a rule are told apart before it is said what the rule looks like."""
_WORK = 500_000
"""Atoms that are looked at, at most: what takes longer is left tied, and may not be found again under other names."""
_TOKEN = re.compile(r"[^\s()]+")
_Read: TypeAlias = Callable[[list[Any]], Any]


@dataclass(frozen=True)
class Canonical:
    """A game without its names, and the names."""

    key: str
    """Digest of the text without names."""
    symbols: tuple[str, ...]
    """What its names are called here, by their number."""


def canonical(ruleset: Ruleset) -> Canonical:
    """The key of a game, and its names in an order that belongs to the key."""
    sheet = _Sheet(ruleset)
    sheet.tell_apart()
    order = sorted(sheet.renamed, key=sheet.colour.__getitem__)
    return Canonical(sheet.digest(order), tuple(sheet.names[x] for x in order))


def translation(source: Canonical, target: Canonical) -> Callable[[str], str]:
    """Gives the KIF text of a term in the names of another game of the same key.

    >>> translation(Canonical("", ("cell", "red")), Canonical("", ("foo", "bar")))("(cell 1 red)")
    '(foo 1 bar)'
    """
    assert source.key == target.key
    renamed = dict(zip(source.symbols, target.symbols, strict=True))

    def name(token: re.Match[str]) -> str:
        return renamed.get(token[0], token[0])

    return lambda text: _TOKEN.sub(name, text)


@dataclass(slots=True)
class _Rule:
    """A rule as templates and the names that fill them. Its atoms are its first nodes, the head before all."""

    templates: list[str] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    """Of the templates: numbers to be hashed."""
    reads: list[_Read] = field(default_factory=list)
    """Take what stands for the names of an atom out of a list by name."""
    groups: list[tuple[str, int, list[int]]] = field(default_factory=list)
    """The nodes after the atoms: connectives with their nodes, parts before the whole."""
    body: list[int] = field(default_factory=list)
    """Nodes."""
    names: list[tuple[int, int, int]] = field(default_factory=list)
    """Atom, place in it, and name, of all names that may be renamed."""
    variables: list[tuple[int, int, int]] = field(default_factory=list)
    """Atom, place in it, and variable; variable k is -1 - k."""
    count: int = 0
    """How many variables there are."""
    salt: int = 0
    """Which of the roles it states, from 1."""


class _Sheet:
    """Rules with numbers for names, and a colour for each name."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._fixed, self._integers_are_fixed = _goal_values(ruleset)
        self.is_fixed: list[bool] = []
        """Of each name: whether it is the same in every naming."""
        self.rules: list[_Rule] = []
        self._read_what_is_asked(ruleset)
        self._variables = max((rule.count for rule in self.rules), default=0)
        self.renamed = [x for x, fixed in enumerate(self.is_fixed) if not fixed]
        self.colour: list[int] = [0] * (len(self.names) + self._variables)  # those of a rule's variables come last
        for x in set(range(len(self.names))) - set(self.renamed):
            self.colour[x] = hash((1, crc32(self.names[x].encode("utf-8", "surrogatepass")), len(self.names[x])))
        self._rules_of: list[list[int]] = [[] for _ in self.names]
        for number, rule in enumerate(self.rules):
            for x in {x for _, _, x in rule.names}:
                self._rules_of[x].append(number)

    def _read_what_is_asked(self, ruleset: Ruleset) -> None:
        """Read the rules that a keyword depends on."""
        waiting = list(_ROOTS)
        known = set(waiting)
        for asked in waiting:
            for salt, rule in enumerate(ruleset.by_relation.get(asked, ()), 1):
                reader = _Reader(self, rule)
                reader.rule.salt = salt if asked == ("role", 1) else 0
                self.rules.append(reader.rule)
                waiting.extend(reader.relations - known)
                known |= reader.relations

    def number(self, name: str) -> int:
        """The number of a name, in the order in which they are met."""
        found = self._numbers.get(name)
        if found is None:
            found = self._numbers[name] = len(self.names)
            self.names.append(name)
            self.is_fixed.append(self._keeps(name))
        return found

    def _keeps(self, name: str) -> bool:
        return (
            name in RESERVED
            or name == CHANCE
            or name in self._fixed
            or "#" in name
            or (self._integers_are_fixed and _is_integer(name))
        )

    def tell_apart(self) -> None:
        """Give every name that may be renamed a colour of its own."""
        self._cells: dict[int, list[int]] = {0: list(self.renamed)}
        self._round = self._work = 0
        self._tied = [False] * len(self.names)
        for x in self.renamed:
            self._tied[x] = True
        self._refine(range(len(self.rules)))
        while True:
            groups = [(len(members), shade) for shade, members in self._cells.items() if len(members) > 1]
            if not groups or self._work > _WORK:
                return
            _, shade = min(groups)
            self._round += 1
            one, *others = self._cells[shade]
            self._refine(self._split(shade, [([one], 1), (others, 0)]))

    def _refine(self, dirty: Iterable[int]) -> None:
        """Tell names apart by where they occur in these rules, and by that in others, until it ends."""
        while dirty and self._work <= _WORK:
            self._round += 1
            marks: defaultdict[int, int] = defaultdict(int)
            for number in dirty:
                self._mark(self.rules[number], marks)
            touched: defaultdict[int, defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
            for x, mark in marks.items():
                touched[self.colour[x]][mark].append(x)
            dirty = set()
            for shade, by_mark in touched.items():
                members = self._cells[shade]
                parts = [(part, mark) for mark, part in by_mark.items()]
                rest = len(members) - sum(len(part) for part, _ in parts)
                if rest:
                    parts.append(([x for x in members if x not in marks], 0))
                if len(parts) > 1:
                    dirty |= self._split(shade, parts)

    def _split(self, shade: int, parts: list[tuple[list[int], int]]) -> set[int]:
        """Make several groups of one; the largest keeps its colour. Gives the rules in which colours have changed."""
        parts.sort(key=lambda part: (len(part[0]), part[1]))
        dirty: set[int] = set()
        for members, mark in parts[:-1]:
            colour = hash((shade, mark, self._round))  # a group may be split several times by the same mark
            self._cells[colour] = members
            for x in members:
                self.colour[x] = colour
                dirty.update(self._rules_of[x])
        self._cells[shade] = parts[-1][0]
        for members, _ in parts:
            if len(members) == 1:
                self._tied[members[0]] = False
        return dirty

    def _mark(self, rule: _Rule, marks: defaultdict[int, int]) -> None:
        """Add to the marks of the names that are tied what their places in a rule look like.

        Inside the rule, such a name is treated as a variable is: it matters where it occurs again.
        """
        tied, colour = self._tied, self.colour
        rule.names = [place for place in rule.names if tied[place[2]]]
        if not rule.names:
            return
        self._work += len(rule.codes)
        before = {x: colour[x] for _, _, x in rule.names}
        for k in range(-rule.count, 0):
            colour[k] = 0
        places = rule.names + rule.variables
        hashes = self._hashes(rule)
        for _ in range(_ROUNDS):
            self._colour(places, hashes)
            hashes = self._hashes(rule)
        whole, inside = _whole(rule, hashes)
        mine = dict.fromkeys(before, 0)
        for atom, place, x in rule.names:
            mine[x] += hash((inside[atom], hashes[atom], place))
        for x, shade in before.items():
            colour[x] = shade
            marks[x] += hash((whole, mine[x]))

    def _hashes(self, rule: _Rule) -> list[int]:
        """What the atoms of a rule look like."""
        colour = self.colour
        return [hash((code, read(colour))) for code, read in zip(rule.codes, rule.reads, strict=True)]

    def _colour(self, places: list[tuple[int, int, int]], hashes: list[int]) -> None:
        """Tell the names and variables of a rule apart by where they occur in it."""
        sums: defaultdict[int, int] = defaultdict(int)
        for atom, place, x in places:
            sums[x] += hash((hashes[atom], place))
        for x, total in sums.items():
            self.colour[x] = hash((self.colour[x], total))

    def digest(self, order: list[int]) -> str:
        """The digest of the text in which the names are numbered in this order."""
        words = [f"'{name}" for name in self.names] + [""] * self._variables
        for number, x in enumerate(order):
            words[x] = str(number)
        texts: list[str] = []
        for rule in self.rules:
            for rank, k in enumerate(self._order_of_variables(rule)):
                words[k] = f"?{rank}"
            texts.append(_text(rule, words))
        texts.sort()
        return hashlib.sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest()

    def _order_of_variables(self, rule: _Rule) -> list[int]:
        """The variables of a rule in an order that does not depend on their names."""
        variables = list(range(-rule.count, 0))
        for k in variables:
            self.colour[k] = 0
        shades = 0
        while len(variables) > 1:
            self._colour(rule.variables, self._hashes(rule))
            variables.sort(key=self.colour.__getitem__)
            now = [self.colour[k] for k in variables]
            if len(set(now)) == len(now):
                break
            if len(set(now)) == shades:  # nothing more can be told apart: one of the first equals is set apart
                one = next(k for k, this, after in zip(variables, now, now[1:], strict=False) if this == after)
                self.colour[one] = hash((self.colour[one], 1))
            shades = len(set(now))
        return variables


class _Reader:
    """Reads a rule."""

    def __init__(self, sheet: _Sheet, rule: Rule) -> None:
        self.rule = _Rule()
        self.relations: set[Relation] = set()
        """What its body asks about."""
        self._sheet = sheet
        self._variables: dict[str, int] = {}
        self._pending: list[tuple[str, list[int]]] = []
        self._atom("<", rule.head)
        nodes = [self._node(formula, "") for formula in rule.body]
        atoms = len(self.rule.codes)
        place = [node if node >= 0 else atoms - 1 - node for node in range(-len(self._pending), atoms)]
        at = len(self._pending)  # groups were numbered -1, -2, … before it was known how many atoms there are
        self.rule.groups = [(kind, crc32(kind.encode()), [place[at + x] for x in parts]) for kind, parts in self._pending]
        self.rule.body = [place[at + x] for x in nodes]
        self.rule.count = len(self._variables)

    def _node(self, formula: Formula, inside: str) -> int:
        """Read a formula; the number of its node. `inside` tells the connectives around it."""
        match formula:
            case Not(Symbol() | Compound() as atom):
                self.relations.add(relation(atom))
                return self._atom(f"{inside}-", atom)
            case Distinct(left, right):
                return self._atom(f"{inside}!", left, right)
            case Not(inner):
                return self._group("not", [self._node(inner, f"{inside}not ")])
            case And(parts):
                return self._group("and", [self._node(part, f"{inside}and ") for part in parts])
            case Or(parts):
                return self._group("or", [self._node(part, f"{inside}or ") for part in parts])
            case _:
                self.relations.add(relation(formula))
                return self._atom(f"{inside}+", formula)

    def _group(self, kind: str, parts: list[int]) -> int:
        self._pending.append((kind, parts))
        return -len(self._pending)

    def _atom(self, kind: str, *terms: Term) -> int:
        """Read terms, each into a template and its names."""
        rule, leaves = self.rule, list[int]()
        templates = [self._term(term, leaves) for term in terms]
        template = f"{kind} {' '.join(templates)}"
        number = len(rule.templates)
        rule.templates.append(template)
        again = [leaves.index(leaf) for leaf in leaves] if len(set(leaves)) < len(leaves) else ""
        rule.codes.append(_code(f"{template}{again}"))
        rule.reads.append(itemgetter(*leaves))
        for place, leaf in enumerate(leaves):
            if leaf < 0:
                rule.variables.append((number, place, leaf))
            elif not self._sheet.is_fixed[leaf]:
                rule.names.append((number, place, leaf))
        return number

    def _term(self, term: Term, leaves: list[int]) -> str:
        if isinstance(term, Compound) and not any(type(argument) is Compound for argument in term.arguments):
            leaves.append(self._sheet.number(term.name))
            leaves.extend([self._leaf(argument) for argument in term.arguments])
            return _flat(len(term.arguments))
        parts: list[str] = []
        stack: list[Term | str] = [term]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                parts.append(item)
            elif isinstance(item, Compound):
                parts.append("(%s")
                leaves.append(self._sheet.number(item.name))
                stack.append(")")
                for argument in reversed(item.arguments):
                    stack.append(argument)
                    stack.append(" ")
            else:
                parts.append("%s")
                leaves.append(self._leaf(item))
        return "".join(parts)

    def _leaf(self, term: Term) -> int:
        if isinstance(term, Variable):
            return self._variables.setdefault(term.name, -1 - len(self._variables))
        return self._sheet.number(term.name)


def _whole(rule: _Rule, hashes: list[int]) -> tuple[int, list[int]]:
    """What a rule looks like, and of each node, what is around it inside the rule."""
    nodes = list(hashes)
    for _, code, parts in rule.groups:
        nodes.append(hash((code, sum([nodes[x] for x in parts]))))
    inside = [0] * len(nodes)
    for i in range(len(rule.groups) - 1, -1, -1):
        group = len(hashes) + i
        for x in rule.groups[i][2]:
            inside[x] = hash((nodes[group], inside[group]))
    return hash((rule.salt, nodes[0], sum([nodes[x] for x in rule.body]))), inside


def _text(rule: _Rule, words: list[str]) -> str:
    """The rule in words for its names, its conditions sorted."""
    nodes = [template % read(words) for template, read in zip(rule.templates, rule.reads, strict=True)]
    for kind, _, parts in rule.groups:
        nodes.append(f"({kind} {' '.join(sorted([nodes[x] for x in parts]))})")
    return f"{rule.salt} {nodes[0]} {' '.join(sorted([nodes[x] for x in rule.body]))}"


def _goal_values(ruleset: Ruleset) -> tuple[set[str], bool]:
    """The integers that goals state, and whether a goal may be any integer."""
    values = [arguments(rule.head)[1] for rule in ruleset.by_relation.get(("goal", 2), ())]
    stated = {value.name for value in values if isinstance(value, Symbol) and _is_integer(value.name)}
    return stated, any(not isinstance(value, Symbol) for value in values)


def _is_integer(name: str) -> bool:
    """Whether the grounder may take a name for an integer."""
    return name.lstrip("-").isdigit()


@lru_cache(maxsize=4096)
def _code(template: str) -> int:
    return crc32(template.encode())


@lru_cache(maxsize=64)
def _flat(count: int) -> str:
    """The template of a name with some arguments that are names."""
    return f"({' '.join(['%s'] * (count + 1))})"
