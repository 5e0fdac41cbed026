"""Rule splitting: project variables out of wide rules through auxiliary relations.

A rule with n variables can have |domain|^n instances. Where a variable occurs in a few literals only and not
in the head, those literals are joined on their own and only what the rest needs is kept (bucket elimination,
as in lpopt and in Fast Downward's translator). The distributive law makes this good for the circuit too: OR
over y of (a AND b(y)) becomes a AND (OR over y of b(y)). Relations that are themselves too large are
unfolded into the rules that use them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from gdl.grounding.counting import estimate
from gdl.grounding.demand import KEYWORDS, add_guards, bind_roles, reaches_itself
from gdl.grounding.diagrams import use_diagrams
from gdl.grounding.estimates import Sizes
from gdl.grounding.flatten import unify
from gdl.grounding.free import drop_free_arguments
from gdl.grounding.histories import drop_histories
from gdl.grounding.permanent import read_permanent_fluents
from gdl.grounding.rows import estimate_rows
from gdl.grounding.rules import (
    GUARD,
    Literal,
    Rule,
    Term,
    is_variable,
    relation,
    renamed,
    substitute,
    variables,
    variables_of,
)
from gdl.grounding.shapes import expand_shapes


@dataclass(frozen=True)
class SplitSettings:
    """When to split.

    smallest   rules estimated to have fewer instances are left alone [instances]
    gain       a split must lower the estimate at least to this fraction [0..1]
    closer     a literal may bind others if it leaves a variable so many times fewer values than the smallest [ratio]
    unfold     relations larger than this may be unfolded [rows]
    free       relations of at least this size are kept without the arguments that their rules leave free [rows]
    wide       static relations whose rules are larger become decision diagrams where they are asked for [rows]
    fact       weight of a row of a static relation beside one that depends on the position [ratio]
    branches   an unfolded literal may become at most this many rules
    """

    smallest: float = 12.0
    gain: float = 0.8
    closer: float = 1.5
    unfold: float = 3_000.0
    free: float = 3_000.0
    wide: float = 3e6
    fact: float = 0.1
    branches: int = 24


@dataclass
class _Splitter:
    """Shares auxiliary relations between rules: equal definitions get one name."""

    rules: Sequence[Rule]
    sizes: Sizes
    settings: SplitSettings
    names: dict[tuple[Term, ...], str] = field(default_factory=dict)
    made: list[Rule] = field(default_factory=list)

    def split(self, rule: Rule) -> Rule:
        """The rule with its widest joins moved to auxiliary relations (appended to `made`)."""
        while True:
            cost = self.sizes.join(rule.body)
            if cost < self.settings.smallest or len(rule.body) < 2:
                return rule
            best = self._best_bucket(rule, cost)
            if best is None:
                return rule
            bucket, kept = best
            rest = [literal for literal in rule.body if literal not in bucket.removed]
            atom = self._auxiliary(bucket.literals, kept)
            rule = Rule(rule.head, (*rest, Literal(atom)))

    def _best_bucket(self, rule: Rule, cost: float) -> tuple[_Bucket, list[str]] | None:
        """The elimination that leaves the smallest total, if it is worth it."""
        head = set(variables(rule.head))
        best: tuple[float, int, _Bucket, list[str]] | None = None
        candidates = [v for v in dict.fromkeys(_ordered_variables(rule.body)) if v not in head]
        for number, name in enumerate(candidates):
            bucket = self._bucket(rule, name)
            if bucket is None:
                continue
            rest = [literal for literal in rule.body if literal not in bucket.removed]
            outside = head | variables_of(rest)
            kept = [v for v in dict.fromkeys(_ordered_variables(bucket.literals)) if v in outside]
            inside = self.sizes.join(bucket.literals)
            rows = min(inside, self.sizes.product(kept, bucket.literals))
            total = inside + self._join_with(rest, rows, kept, bucket.literals)
            if total < cost * self.settings.gain and (best is None or total < best[0]):
                best = (total, number, bucket, kept)
        return None if best is None else (best[2], best[3])

    def _join_with(self, rest: Sequence[Literal], rows: float, kept: Sequence[str], inside: Sequence[Literal]) -> float:
        """Estimated instances of the remaining rule, the auxiliary literal included."""
        size = self.sizes.join(rest) * rows
        widths: dict[str, list[float]] = {}
        for literal in rest:
            if literal.binds:
                for name, width in self.sizes.variable_widths(literal.atom).items():
                    widths.setdefault(name, []).append(width)
        for name in kept:
            if name in widths:
                other = self.sizes.product([name], inside)
                size /= max(*widths[name], other, 1.0) if len(widths[name]) == 1 else max(other, 1.0)
        return size

    def _bucket(self, rule: Rule, name: str) -> _Bucket | None:
        """All literals with the variable, made safe, with the filters that fit; None if that is the whole
        rule.
        """
        removed = [literal for literal in rule.body if name in set(variables(literal.atom))]
        literals = list(removed)
        rest = [literal for literal in rule.body if literal not in removed]
        bound = {v for literal in literals if literal.binds for v in variables(literal.atom)}
        loose = variables_of(literals) - bound
        while loose:  # borrow the smallest literal that binds a loose variable, projected to what is needed
            lenders = [x for x in rest if x.binds and loose & set(variables(x.atom))]
            if not lenders:
                return None
            lender, seen = self._lender(lenders, loose, bound)
            needed = [v for v in dict.fromkeys(variables(lender.atom)) if v in seen]
            literals.append(Literal(self._auxiliary((lender,), needed, guard=True)))
            bound |= set(needed)
            loose -= bound
        for other in rest:  # filters: they cost nothing and make the auxiliary relation smaller
            inside = set(variables(other.atom))
            if other in literals or not inside or not inside <= bound:
                continue
            if other.is_distinct or relation(other.atom) in self.sizes.static:
                literals.append(other)
        if len(removed) == len(rule.body):
            return None
        if len(literals) == 1 and not literals[0].binds:
            return None
        return _Bucket(tuple(literals), tuple(removed))

    def _lender(self, lenders: Sequence[Literal], loose: set[str], bound: set[str]) -> tuple[Literal, set[str]]:
        """The literal to bind loose variables, and the variables to keep of it.

        Usually the smallest one for the loose variables alone; one that depends on the position and leaves them far
        fewer values beside those that are bound is kept with the bound ones. (Static ones come as filters anyway.)
        """
        smallest = min(lenders, key=lambda x: (self.sizes.of(x.atom), str(x.atom)))
        dynamic = [x for x in lenders if relation(x.atom) not in self.sizes.static and bound & set(variables(x.atom))]
        if not dynamic:
            return smallest, loose
        closest = min(dynamic, key=lambda x: (self._spread(x, loose, bound), str(x.atom)))
        if self._spread(closest, loose, bound) * self.settings.closer > self._spread(smallest, loose, set()):
            return smallest, loose
        return closest, loose | bound

    def _spread(self, lender: Literal, loose: set[str], bound: set[str]) -> float:
        """How many values a lender leaves to a loose variable beside those that are bound: the geometric mean."""
        widths = self.sizes.variable_widths(lender.atom)
        rows, most = self.likely.of(lender.atom), 1.0
        for name, width in widths.items():
            if name in bound:
                rows /= max(width, 1.0)
            elif name in loose:
                most *= width
        return float(min(max(rows, 1.0), most) ** (1 / len(loose & set(widths))))

    @cached_property
    def likely(self) -> Sizes:
        """Sizes that take the joins into account that make a relation: nearer to the truth, but may be too small."""
        likely = replace(self.sizes, rows=dict(self.sizes.rows))
        estimate_rows(self.rules, likely)
        return likely

    def _auxiliary(self, literals: Sequence[Literal], kept: Sequence[str], *, guard: bool = False) -> Term:
        """Atom of the auxiliary relation over the kept variables; makes its (split) rule when it is new."""
        order = {v: f"?v{i}" for i, v in enumerate(dict.fromkeys(_ordered_variables(literals)))}
        renaming: dict[str, Term] = dict(order)
        body = tuple(Literal(substitute(x.atom, renaming), x.positive) for x in literals)
        head_variables = tuple(order[v] for v in kept)
        definition: tuple[Term, ...] = (
            *[("+" if x.positive else "-", x.atom) for x in body],
            ("#" if not guard else GUARD, *head_variables),
        )
        known = self.names.get(definition)
        if known is None:
            known = f"{GUARD if guard else 'aux#'}{len(self.names)}"
            self.names[definition] = known
            head: Term = (known, *head_variables) if head_variables else known
            rule = Rule(head, body)
            self._note_size(head, rule)
            self.made.append(self.split(rule))
        return (known, *kept) if kept else known

    def _note_size(self, head: Term, rule: Rule) -> None:
        """Tell the estimates about a new relation."""
        key = relation(head)
        names = list(variables(head))
        widths = [self.sizes.product([v], rule.body) for v in names]
        self.sizes.domains[key] = [set() for _ in names]
        self.sizes.columns[key] = widths
        self.sizes.rows[key] = min(self.sizes.join(rule.body), self.sizes.product(names, rule.body))
        self.sizes.relations.add(key)
        if all(x.is_distinct or relation(x.atom) in self.sizes.static for x in rule.body):
            self.sizes.static.add(key)


@dataclass(frozen=True)
class _Bucket:
    """Literals of an auxiliary rule, and those of them that leave the original rule."""

    literals: tuple[Literal, ...]
    removed: tuple[Literal, ...]


def _ordered_variables(literals: Sequence[Literal]) -> list[str]:
    return [v for literal in literals for v in variables(literal.atom)]


def split_rules(rules: Sequence[Rule], settings: SplitSettings | None = None) -> list[Rule]:
    """The same game in rules that ground small. Relations of the input keep their meaning where still
    used.
    """
    settings = settings or SplitSettings()
    rules = drop_histories(bind_roles(read_permanent_fluents(relevant_rules(rules))))
    rules = relevant_rules(expand_shapes(rules))
    sizes = estimate(rules)
    stepwise = relevant_rules(use_diagrams(rules, sizes, settings.wide))
    if stepwise != rules:
        estimated = estimate(stepwise)
        if _total(stepwise, estimated) < _total(rules, sizes):
            rules, sizes = stepwise, estimated
    # Variants of a static relation cost a rule for each where it is used: they may spare more than that, or not.
    narrow = drop_free_arguments(rules, sizes, settings.free)
    spared = drop_free_arguments(rules, sizes, settings.free, settings.fact)
    size, best = _split(narrow, rules, sizes, settings)
    if spared != narrow:
        other, second = _split(spared, rules, sizes, settings)
        best = second if other < size else best
    return best


def _split(rules: list[Rule], known: list[Rule], sizes: Sizes, settings: SplitSettings) -> tuple[float, list[Rule]]:
    """The split rules and their estimated instances. The sizes are those of the `known` rules."""
    if rules != known:
        rules = relevant_rules(rules)
        sizes = estimate(rules)
    guarded = add_guards(rules, sizes)
    if guarded != rules:
        rules = guarded
        sizes = estimate(rules)
    unfolded = [other for rule in rules for other in _unfold(rule, rules, sizes, settings)]
    splitter = _Splitter(unfolded, sizes, settings)
    result = [splitter.split(rule) if rule.body else rule for rule in relevant_rules(unfolded)]
    result = relevant_rules(result + splitter.made)
    return _total(result, sizes), result


def _total(rules: Sequence[Rule], sizes: Sizes) -> float:
    """The estimated instances of all rules."""
    return sum([sizes.join(rule.body) for rule in rules])


def relevant_rules(rules: Sequence[Rule]) -> list[Rule]:
    """Rules that some keyword relation needs, directly or not."""
    wanted = {("next", 1), ("legal", 2), ("goal", 2), ("terminal", 0), ("sees", 2), ("init", 1), ("role", 1)}
    by_head: dict[tuple[str, int], list[Rule]] = {}
    for rule in rules:
        by_head.setdefault(relation(rule.head), []).append(rule)
    stack = sorted(wanted)
    while stack:
        for rule in by_head.get(stack.pop(), ()):
            for literal in rule.body:
                key = relation(literal.atom)
                if key not in wanted:
                    wanted.add(key)
                    stack.append(key)
    return [rule for rule in rules if relation(rule.head) in wanted]


def _unfold(rule: Rule, rules: Sequence[Rule], sizes: Sizes, settings: SplitSettings, depth: int = 6) -> list[Rule]:
    """Replace literals of very large relations by the bodies that define them."""
    if depth == 0:
        return [rule]
    for position, literal in enumerate(rule.body):
        if not literal.binds or not isinstance(literal.atom, tuple):
            continue
        key = relation(literal.atom)
        if key in KEYWORDS or sizes.of(_open(literal.atom)) < settings.unfold:
            continue
        definitions = [other for other in rules if relation(other.head) == key]
        if not 0 < len(definitions) <= settings.branches or reaches_itself(key, rules):
            continue
        if not _fixed(literal) and (key not in sizes.static or not any(map(_projects, definitions))):
            continue
        result = []
        for number, definition in enumerate(definitions):
            fresh = renamed(definition, f"{depth}_{position}_{number}")
            values = unify(literal.atom, fresh.head)
            if values is None:
                continue
            body = (*rule.body[:position], *fresh.body, *rule.body[position + 1 :])
            literals = [Literal(substitute(x.atom, values), x.positive) for x in body]
            new = Rule(substitute(rule.head, values), tuple(dict.fromkeys(literals)))
            result += _unfold(new, rules, sizes, settings, depth - 1)
        return result
    return [rule]


def _open(atom: tuple[Term, ...]) -> Term:
    """The atom with its constants replaced by variables: its estimate is that of the whole relation."""
    return (atom[0], *[f"?{i}" if isinstance(x, str) else x for i, x in enumerate(atom[1:])])


def _projects(rule: Rule) -> bool:
    """Has the body variables that the head has not?"""
    return bool(variables_of(rule.body) - set(variables(rule.head)))


def _fixed(literal: Literal) -> bool:
    """Are at least half of the arguments constants?"""
    assert isinstance(literal.atom, tuple)
    arguments = literal.atom[1:]
    return 2 * sum(isinstance(x, str) and not is_variable(x) for x in arguments) >= len(arguments)
