"""Parts of rules that come in the same company: fewer rules, and the same answers."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from gdl.groundrules import GroundRule, GroundRules
from gdl.program import GroundProgram
from ggp.circuits import alike
from ggp.circuits.alike import merge_alike
from ggp.circuits.build import build_factored
from ggp.circuits.evaluate import Evaluator
from tests.ground_games import ground_anyway
from tests.helpers import ruleset
from tests.small_programs import disagreements, program_of

RING = """
(role thief) (role guard) (move -1) (move 0) (move 1) (init (at thief 0)) (init (at guard 5)) (init (lamp on))
(<= (legal thief ?m) (move ?m)) (<= (legal guard ?m) (move ?m))
(<= (goes ?x ?m ?y) (plus ?x ?m ?y))
(<= (next (at thief ?y)) (true (at thief ?x)) (does thief ?m) (goes ?x ?m ?y))
(<= (next (at guard ?z)) (true (at guard ?g)) (true (at thief ?x)) (does thief ?m) (goes ?x ?m ?y) (nearer ?g ?y ?z))
(<= (next (lamp ?s)) (true (lamp ?s)) (true (at guard ?g)) (true (at thief ?x)) (does thief ?m) (goes ?x ?m ?g))
(<= terminal (true (at thief ?x)) (true (at guard ?x)))
(<= (goal thief 0) (role thief)) (<= (goal guard 100) (role guard))
"""
"""A guard steps towards where the thief will be, on a ring of ten squares."""


def ring() -> GroundProgram:
    squares = range(10)
    plus = "".join(f"(plus {x} {m} {(x + m) % 10})" for x in squares for m in (-1, 0, 1))
    nearer = "".join(
        f"(nearer {g} {y} {g if g == y else (g + (1 if (y - g) % 10 <= 5 else -1)) % 10})"
        for g in squares
        for y in squares
    )
    return ground_anyway(ruleset(RING + plus + nearer))


def made_of(rules: Sequence[GroundRule], leaves: int) -> GroundProgram:
    """A program of which the first atoms are leaves, and all that have rules are read."""
    like = program_of("tic_tac_toe")
    top = max(abs(x) for head, body in rules for x in (head, *body))
    bases = tuple(like.bases[0]._replace(true=atom, next=0) for atom in range(1, leaves + 1))
    return replace(
        like, names=("", *map(str, range(1, top + 1))), rules=GroundRules.of(rules), bases=bases, initial=frozenset(),
        inputs=(), terminal=0, goals=(), sees=(),
    )  # fmt: skip


def same_answers(one: GroundProgram, other: GroundProgram, tries: int = 60) -> None:
    """On any positions and moves, for the atoms that both have."""
    generator, first, second = random.Random(1), Evaluator(one), Evaluator(other)
    for _ in range(tries):
        state = [i for i in range(len(one.bases)) if generator.random() < 0.5]
        moves = [j for j in range(len(one.inputs)) if generator.random() < 0.5]
        known = {x for x in second.evaluate(state, moves).true if x < len(one.names)}
        assert known == first.evaluate(state, moves).true


def test_parts_of_one_company_get_an_atom() -> None:
    """As in the docstring of the module, with three members and six contexts."""
    rules = [(head, (part, 4, beside)) for part in (1, 2, 3) for head in (8, 9) for beside in (5, 6, -7)]
    program = made_of(rules, 7)
    merged = merge_alike(program)
    assert (len(program.rules), len(merged.rules)) == (18, 3 + 6)
    assert {body for head, body in merged.rules if head == 10} == {(1, 4), (2, 4), (3, 4)}
    same_answers(program, merged)


def test_a_guard_has_a_rule_for_each_place_the_thief_may_reach() -> None:
    program = ring()
    merged = merge_alike(program)
    assert len(program.rules) > 330 and len(merged.rules) < 190
    same_answers(program, merged)
    assert merged.names[: len(program.names)] == program.names and merged.outputs == program.outputs


@pytest.mark.parametrize("seed", range(40))
def test_random_functions_of_a_function(seed: int) -> None:
    """Ground as products: of some variables, two are read by way of a function of few values; some lack a rule."""
    generator = random.Random(seed)
    sizes = [4, 5, *[generator.randint(2, 4) for _ in range(generator.randint(1, 2))]]
    starts = [1 + sum(sizes[:i]) for i in range(len(sizes))]
    inner = {pair: generator.randrange(3) for pair in itertools.product(range(4), range(5))}
    outer: dict[tuple[int, ...], int] = {}
    rules = set[GroundRule]()
    for values in itertools.product(*map(range, sizes)):
        key = (inner[values[0], values[1]], *values[2:])
        head = sum(sizes) + 1 + outer.setdefault(key, generator.randrange(4))
        sign = -1 if seed % 3 == 0 and values[0] == 1 else 1
        if seed % 2 or generator.random() < 0.95:
            rules.add((head, tuple(sign * (start + value) for start, value in zip(starts, values, strict=True))))
    program = made_of(sorted(rules), sum(sizes))
    merged = merge_alike(program)
    same_answers(program, merged, 40)
    assert len(merged.rules) < (0.7 if seed % 2 and seed % 3 else 1.01) * len(program.rules)


@pytest.mark.parametrize("name", ["sliding", "tic_tac_toe", "hex_5x5", *map(str, range(8))])
def test_circuits_of_what_is_merged_say_what_the_rules_say(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alike, "_LEAST", 1)
    assert list(disagreements(name, build_factored(merge_alike(program_of(name))))) == []


def test_where_nothing_is_alike_nothing_changes() -> None:
    program = program_of("tic_tac_toe")
    assert merge_alike(program) is program


def test_loops_do_not_become_longer() -> None:
    """Whoever is reached by one of two ways from any of three places, and is one of these places: left alone."""
    reached = [4, 5, 6]
    rules = [(x, (y, 1, z)) for x in reached for y in reached for z in (2, 3)]
    program = made_of([*rules, *[(x, (1,)) for x in reached]], 3)
    assert merge_alike(program) is program
