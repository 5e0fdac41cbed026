"""Rules to ground program, by way of clingo's grounder.

`true` and `does` become choice atoms fed by `init`, `next` and `legal`: everything reachable in the
relaxation is grounded, and atoms that always hold vanish from the bodies. Constants, functors and relations
are numbered, so that no symbol of a rulesheet is ever pasted into a program text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import clingo
from clingo.backend import Observer

from gdl.errors import GroundingError
from gdl.grounding.rules import GUARD, Literal, Rule, Term, is_variable, relation, text, unbound
from gdl.laws.keywords import goal_value
from gdl.program import Base, Goal, GroundProgram, Input, Sees
from gdl.terms import Symbol

_CHOICES = "{true(X)} :- init(X). {true(X)} :- next(X). {does(R,M)} :- legal(R,M)."
_KEYWORDS = {
    ("true", 1), ("next", 1), ("init", 1), ("does", 2), ("legal", 2), ("goal", 2), ("sees", 2),
    ("role", 1), ("terminal", 0),
}  # fmt: skip
_IGNORED = {("base", 1), ("input", 2)}


@dataclass
class Codes:
    """Numbers for the symbols of a rulesheet."""

    constants: dict[str, int] = field(default_factory=dict)
    functors: dict[str, int] = field(default_factory=dict)
    relations: dict[tuple[str, int], int] = field(default_factory=dict)

    def term(self, term: Term, names: dict[str, str]) -> str:
        """A term as clingo text; `names` maps the variables of the rule."""
        if isinstance(term, str):
            if is_variable(term):
                return names.setdefault(term, f"V{len(names)}")
            return str(self.constants.setdefault(term, len(self.constants)))
        functor = term[0]
        if not isinstance(functor, str):
            raise GroundingError(f"no functor: {text(term)}")
        code = self.functors.setdefault(functor, len(self.functors))
        return f"f{code}(" + ",".join([self.term(t, names) for t in term[1:]]) + ")"

    def atom(self, atom: Term, names: dict[str, str]) -> str:
        """An atom as clingo text."""
        key = relation(atom)
        name = key[0] if key in _KEYWORDS else f"r{self.relations.setdefault(key, len(self.relations))}"
        if isinstance(atom, str):
            return name
        return f"{name}(" + ",".join([self.term(t, names) for t in atom[1:]]) + ")"

    def literal(self, literal: Literal, names: dict[str, str]) -> str:
        """A body literal as clingo text."""
        if literal.is_distinct:
            assert isinstance(literal.atom, tuple) and len(literal.atom) == 3
            sign = "!=" if literal.positive else "="
            return self.term(literal.atom[1], names) + sign + self.term(literal.atom[2], names)
        return ("" if literal.positive else "not ") + self.atom(literal.atom, names)

    def rule(self, rule: Rule) -> str:
        """A rule as clingo text."""
        names: dict[str, str] = {}
        head = self.atom(rule.head, names)
        body = ", ".join([self.literal(literal, names) for literal in rule.body])
        if relation(rule.head)[0].startswith(GUARD):
            head = "{" + head + "}"
        return f"{head} :- {body}." if body else f"{head}."


class _Collector(Observer):
    """Keeps the ground rules that are no choices."""

    def __init__(self) -> None:
        self.rules: list[tuple[int, list[int]]] = []

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        if not choice and len(head) == 1:
            self.rules.append((head[0], list(body)))


class _Decoder:
    """Clingo symbols back to KIF text; terms repeat a lot, so each is spelled once."""

    def __init__(self, codes: Codes) -> None:
        self.codes = codes
        self.constants = list(codes.constants)
        self.functors = list(codes.functors)
        self.relations = [name for name, _ in codes.relations]
        self.known: dict[clingo.Symbol, str] = {}

    def term(self, symbol: clingo.Symbol) -> str:
        """KIF text of a term."""
        done = self.known.get(symbol)
        if done is None:
            if symbol.type == clingo.SymbolType.Number:
                done = self.constants[symbol.number]
            else:
                name = self.functors[int(symbol.name[1:])]
                done = f"({name} " + " ".join([self.term(t) for t in symbol.arguments]) + ")"
            self.known[symbol] = done
        return done

    def atom(self, symbol: clingo.Symbol) -> str:
        """KIF text of an atom."""
        name = symbol.name
        if name[0] == "r" and name[1:].isdigit():
            name = self.relations[int(name[1:])]
        arguments = symbol.arguments
        return f"({name} " + " ".join([self.term(t) for t in arguments]) + ")" if arguments else name


def clingo_text(rules: Iterable[Rule], codes: Codes | None = None) -> str:
    """The logic program handed to clingo."""
    codes = codes or Codes()
    lines = [_CHOICES]
    lines += [codes.rule(rule) for rule in rules if relation(rule.head) not in _IGNORED]
    return "\n".join(lines)


def ground(rules: Sequence[Rule]) -> GroundProgram:
    """Ground a rulesheet; raises GroundingError when clingo refuses it."""
    codes = Codes()
    source = clingo_text(rules, codes)
    complaints: list[str] = []
    control = clingo.Control(["--warn=none"], logger=lambda _, message: complaints.append(message))
    collector = _Collector()
    control.register_observer(collector)
    try:
        control.add("base", [], source)
        control.ground([("base", [])])
    except (RuntimeError, MemoryError) as error:
        raise GroundingError(_why(rules, complaints) or f"clingo: {error}; {' '.join(complaints)[:300]}") from error
    return _assemble(rules, control, collector.rules, _Decoder(codes))


def _why(rules: Sequence[Rule], complaints: Sequence[str]) -> str:
    """In the words of the rulesheet, where clingo says that a rule has unsafe variables."""
    if not any("unsafe variables" in complaint for complaint in complaints):
        return ""
    for rule in rules:
        free = unbound(rule)
        if free and "#" not in relation(rule.head)[0]:
            return f"cannot list all that holds: nothing binds {', '.join(free)} in a rule for {text(rule.head)}"
    return ""


def _roles(rules: Sequence[Rule], found: set[str]) -> tuple[str, ...]:
    """Role facts in the order of the text, then roles that come from rules."""
    stated = [text(rule.head[1]) for rule in rules if relation(rule.head) == ("role", 1) and not rule.body]
    return tuple(dict.fromkeys([r for r in stated if r in found] + sorted(found)))


def _assemble(
    rules: Sequence[Rule],
    control: clingo.Control,
    ground_rules: list[tuple[int, list[int]]],
    decoder: _Decoder,
) -> GroundProgram:
    """Sort the atoms by keyword and keep the rules that some output needs."""
    found: dict[str, dict[tuple[str, ...], int]] = {name: {} for name, _ in _KEYWORDS}
    symbols: dict[int, clingo.Symbol] = {}
    guards = {f"r{code}" for key, code in decoder.codes.relations.items() if key[0].startswith(GUARD)}
    ignored: set[int] = set()
    for entry in control.symbolic_atoms:
        symbol = entry.symbol
        if symbol.name in guards:
            ignored.add(entry.literal)
        if symbol.name in found:
            found[symbol.name][tuple(decoder.term(t) for t in symbol.arguments)] = entry.literal
        symbols[entry.literal] = symbol
    roles = _roles(rules, {key[0] for key in found["role"]})
    numbers = {role: i for i, role in enumerate(roles)}
    inputs = sorted(
        (numbers[key[0]], key[1], atom, found["legal"].get(key, 0))
        for key, atom in found["does"].items()
        if key[0] in numbers
    )
    bases = sorted((key[0], atom, found["next"].get(key, 0)) for key, atom in found["true"].items())
    goals = sorted(
        (numbers[key[0]], value, atom)
        for key, atom in found["goal"].items()
        if key[0] in numbers and (value := goal_value(Symbol(key[1]))) is not None
    )
    sees = sorted((numbers[key[0]], key[1], atom) for key, atom in found["sees"].items() if key[0] in numbers)
    terminal = found["terminal"].get((), 0)
    leaves = [atom for _, atom, _ in bases] + [atom for _, _, atom, _ in inputs]
    wanted = [atom for _, _, atom in bases] + [atom for _, _, _, atom in inputs] + [terminal]
    wanted += [atom for _, _, atom in goals] + [atom for _, _, atom in sees]
    if ignored:
        ground_rules = [(head, [x for x in body if x not in ignored]) for head, body in ground_rules]
    kept, numbering = _relevant(ground_rules, leaves, [atom for atom in wanted if atom])
    names = [""] + [decoder.atom(symbols[a]) if a in symbols else f"#{a}" for a in list(numbering)[1:]]
    new = numbering
    return GroundProgram(
        names=tuple(names),
        rules=kept,
        roles=roles,
        bases=tuple(Base(fluent, new[now], new[then]) for fluent, now, then in bases),
        initial=frozenset(i for i, base in enumerate(bases) if (base[0],) in found["init"]),
        inputs=tuple(Input(role, move, new[does], new[legal]) for role, move, does, legal in inputs),
        terminal=new[terminal],
        goals=tuple(Goal(role, value, new[atom]) for role, value, atom in goals),
        sees=tuple(Sees(role, percept, new[atom]) for role, percept, atom in sees),
    )


def _relevant(
    rules: list[tuple[int, list[int]]], leaves: list[int], wanted: list[int]
) -> tuple[tuple[tuple[int, tuple[int, ...]], ...], dict[int, int]]:
    """Rules the wanted atoms depend on, without repetitions, and the new atom numbers (leaves first)."""
    bodies: dict[int, dict[tuple[int, ...], None]] = {}
    for head, literals in rules:
        bodies.setdefault(head, {})[tuple(sorted(set(literals)))] = None
    numbering = {0: 0}
    for leaf in leaves:
        numbering.setdefault(leaf, len(numbering))
    leaf_set = set(leaves)
    seen = set(wanted)
    stack = list(dict.fromkeys(wanted))[::-1]
    kept: list[tuple[int, tuple[int, ...]]] = []
    while stack:
        head = stack.pop()
        numbering.setdefault(head, len(numbering))
        if head in leaf_set:
            continue
        for body in bodies.get(head, ()):
            for literal in body:
                atom = abs(literal)
                if atom not in seen:
                    seen.add(atom)
                    stack.append(atom)
            kept.append((head, body))
    for _, body in kept:
        for literal in body:
            numbering.setdefault(abs(literal), len(numbering))
    renumbered = tuple(
        (numbering[head], tuple([numbering[x] if x > 0 else -numbering[-x] for x in body])) for head, body in kept
    )
    return renumbered, numbering
