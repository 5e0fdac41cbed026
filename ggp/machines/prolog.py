"""The Prolog machine: the reference semantics of every legal description, by SWI-Prolog in a worker process."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias, cast

from gdl.laws.keywords import goal_value
from gdl.rules import Relation
from gdl.ruleset import Ruleset
from gdl.terms import Symbol, Term, arguments, is_ground
from ggp.machines.bridge import Bridge, Limits, Patience
from ggp.machines.machine import JointMove, Level, PlayoutTotals, Settled, Situation, Try, by_text
from ggp.machines.plan import Plan, Size
from ggp.machines.prolog_program import clauses, fluent_kinds, predicates, state_tables, static_tables
from ggp.machines.prolog_text import Answer, atom_text, list_text, read_answer, term_text

Position: TypeAlias = str
"""The Prolog text of the sorted list of fluents."""

_INFERENCES = 3_000_000
"""Steps that finding all atoms of one static relation may take; beyond that its rules stay rules."""
_ANSWERS = 200_000
"""Atoms that a static relation may have to be stored as facts."""
_STACK_BYTES = 1 << 30
_TABLE_BYTES = 1 << 30


class PrologMachine(Settled):
    """Answers from SWI-Prolog. Raises PrologMissingError, with advice, where it is not installed."""

    def __init__(self, ruleset: Ruleset, limits: Limits | None = None, *, goals_within: bool = True) -> None:
        """`goals_within`: whether `situation` gives goals in all positions, or in the first and terminal ones alone."""
        self.ruleset = ruleset
        self._goals_within = goals_within
        self.roles = ruleset.roles
        self._bridge = Bridge(limits or Limits())
        try:
            self._load()
        except BaseException:
            self.close()
            raise

    def initial(self) -> Position:
        """The first position."""
        return self._initial

    def situation(self, position: Position) -> Situation:
        """Whether a position is terminal, the legal moves, and the goals."""
        wanted = "wanted" if self._goals_within or position == self._initial else "at_the_end"
        name, (terminal, legals, goals) = _applied(self._ask(f"examine({position},{wanted})"))
        assert name == "position"
        return Situation(
            terminal == "true",
            tuple(by_text(_terms(moves)) for moves in _items(legals)),
            tuple(_goal_values(_terms(values)) for values in _items(goals)),
        )

    def next(self, position: Position, joint: JointMove) -> Position:
        """The position after a joint move."""
        return _position_text(self._ask(f"next({position},{list_text(map(term_text, joint))})"))

    def sees(self, position: Position, joint: JointMove) -> tuple[tuple[Term, ...], ...]:
        """What each role is told after a joint move, sorted by text."""
        percepts = self._ask(f"sees({position},{list_text(map(term_text, joint))})")
        return tuple(by_text(_terms(seen)) for seen in _items(percepts))

    def fluents(self, position: Position) -> tuple[Term, ...]:
        """The fluents of a position, sorted by their text."""
        return _fluents(position)

    def position(self, fluents: Iterable[Term]) -> Position:
        """The position that holds just these fluents."""
        return _position_text(self._ask(f"sort({list_text(map(term_text, fluents))})"))

    def perft(self, position: Position, depth: int) -> list[Level]:
        """Count the game tree below a position, level by level; this may take any time."""
        levels = self._ask(f"perft({position},{depth})", seconds=float("inf"))
        return [Level(*cast("list[int]", _applied(level)[1])) for level in _items(levels)]

    def playouts(self, position: Position, *, count: int, seconds: float, limit: int, seed: int) -> PlayoutTotals:
        """Uniformly random playouts inside Prolog, in one call."""
        patience = self._bridge.limits.seconds + seconds
        request = f"playouts({position},{count},{seconds},{limit},{seed})"
        done, steps, unfinished, sums, used = _applied(self._ask(request, seconds=patience))[1]
        return PlayoutTotals(
            cast("int", done),
            cast("int", steps),
            cast("int", unfinished),
            tuple(cast("list[int]", sums)),
            float(cast("float", used)),
        )

    def tries(
        self, position: Position, role: int, moves: Sequence[Term], *, limit: int, seed: int, patience: Patience
    ) -> list[Try]:
        """A random playout after each of a role's moves, in one call; fewer where patience ends before."""
        texts = list_text(map(term_text, moves))
        request = f"tries({position},{atom_text(self.roles[role])},{texts},{limit},{seed})"
        found = _items(read_answer(self._bridge.ask_while(request, patience)))
        return [_try(answer) for answer in found]

    def twin(self) -> PrologMachine:
        """The same machine with a worker process of its own, which is started at once."""
        twin = copy.copy(self)
        twin._bridge = self._bridge.twin()
        try:
            twin._bridge.start()
        except BaseException:
            twin.close()
            raise
        return twin

    def inferences(self) -> int:
        """Steps that the worker process has taken: work that is counted, the same on every computer."""
        return cast("int", self._ask("inferences"))

    def static_facts(self, relation: Relation) -> tuple[tuple[Term, ...], ...]:
        """The arguments of all atoms of a static relation, such as base."""
        name, count = relation
        return tuple(arguments(fact) for fact in _terms(self._ask(f"facts({atom_text(name)},{count})")))

    def close(self) -> None:
        """End the worker process."""
        self._bridge.close()

    def _ask(self, request: str, seconds: float | None = None) -> Answer:
        return read_answer(self._bridge.ask(request, seconds))

    def _load(self) -> None:
        """Send the rules: static relations first, so that their sizes can guide the order of all others."""
        prepare = self._bridge.prepare
        prepare(f"limits({_STACK_BYTES},{_TABLE_BYTES})")
        dependencies = self.ruleset.dependencies
        static = [
            member
            for component in dependencies.components
            for member in component
            if member not in dependencies.on_state and member not in dependencies.on_moves
        ]
        sizes = {name: size for name in static if (size := self._size_of_facts(name)) is not None}
        plan = Plan(self.ruleset, sizes, {}, modes={name: frozenset() for name in static})
        endless = dependencies.recursive & plan.growing  # recursions that build terms have no list of all answers
        given_only = plan.unsafe | endless | {("base", 1), ("input", 2)}
        derived = [name for name in static if name not in sizes and name not in given_only]
        prepare(
            f"clauses({_quoted(fluent_kinds(plan) + clauses(plan, static, static_tables(plan, static, plan.unsafe)))})"
        )
        found = read_answer(prepare(f"materialise({_relations(derived)},{_INFERENCES},{_ANSWERS})"))
        for name, answer in zip(derived, _items(found), strict=True):
            count, columns = _applied(answer)[1]
            if count != -1:
                sizes[name] = Size(cast("int", count), tuple(cast("list[int]", columns)))
        prepare("roles")
        self._initial = _position_text(self._ask("initial"))

        others = [m for component in dependencies.components for m in component if m not in sizes]
        plan = Plan(self.ruleset, sizes, _fluent_sizes(_fluents(self._initial)), special=True)
        facts = {name: list(self.static_facts(name)) for name in self._orders(others, sizes)}
        tabled = state_tables(plan, others, facts)
        prepare(f"clauses({_quoted(clauses(plan, others, tabled))})")
        volatile = ["position"] * bool(tabled) + ["moves"] * bool(tabled & dependencies.on_moves)
        plain = [*predicates(plan, [n for n in others if n not in tabled])]
        stored = [f"{atom_text(name)}/{count}" for name, count in sizes]
        prepare(f"compile({list_text(stored + plain)},{list_text(volatile)})")

    def _size_of_facts(self, name: Relation) -> Size | None:
        """The size of a relation that is given by ground facts alone."""
        rules = self.ruleset.by_relation[name]
        rows = [arguments(rule.head) for rule in rules]
        if any(rule.body for rule in rules) or any(not is_ground(term) for row in rows for term in row):
            return None
        return Size(len(rows), tuple(len({row[i] for row in rows}) for i in range(name[1])))

    def _orders(self, members: list[Relation], sizes: dict[Relation, Size]) -> list[Relation]:
        """Stored static relations that recursive ones use: one of them may be the order that makes a recursion end."""
        recursive = self.ruleset.dependencies.recursive
        used = {u for m in members if m in recursive for u in self.ruleset.dependencies.successors(m)}
        return sorted(name for name in used if name in sizes and name[1] >= 2)


def _relations(names: Iterable[Relation]) -> str:
    return list_text(f"{atom_text(name)}/{count}" for name, count in names)


def _quoted(text: str) -> str:
    """A Prolog string. The text holds no double quote: names are encoded."""
    escaped = text.replace("\\", "\\\\")
    return f'"{escaped}"'


def _applied(answer: Answer) -> tuple[str, list[Answer]]:
    return cast("tuple[str, list[Answer]]", answer)


def _items(answer: Answer) -> list[Answer]:
    return cast("list[Answer]", answer)


def _terms(answer: Answer) -> list[Term]:
    return cast("list[Term]", answer)


def _try(answer: Answer) -> Try:
    steps, outcome, goals = _applied(answer)[1]
    return Try(cast("int", steps), tuple(cast("list[int]", goals)) if outcome == "finished" else None)


def _position_text(answer: Answer) -> Position:
    return list_text(term_text(fluent) for fluent in _terms(answer))


@lru_cache(maxsize=256)
def _fluents(position: Position) -> tuple[Term, ...]:
    return by_text(_terms(read_answer(position.replace("'", ""))))


def _fluent_sizes(fluents: Iterable[Term]) -> dict[Relation, Size]:
    rows: dict[Relation, list[tuple[Term, ...]]] = {}
    for fluent in fluents:
        inner = arguments(fluent)
        rows.setdefault((fluent.name, len(inner)), []).append(inner)
    return {
        kind: Size(len(found), tuple(len({row[i] for row in found}) for i in range(kind[1])))
        for kind, found in rows.items()
    }


def _goal_values(values: Iterable[Term]) -> tuple[int, ...]:
    found = {value for term in values if isinstance(term, Symbol) and (value := goal_value(term)) is not None}
    return tuple(sorted(found))
