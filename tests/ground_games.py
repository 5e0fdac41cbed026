"""Ground programs of one game made in two ways: the same game on every position that is reached."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from gdl.grounding.flatten import flatten
from gdl.grounding.grounder import ground
from gdl.grounding.rules import Rule
from gdl.grounding.split import split_rules
from gdl.program import GroundProgram
from gdl.ruleset import Ruleset
from ggp.circuits.evaluate import Answer, Evaluator
from tests.helpers import GAMES, ruleset
from tests.random_games import random_game


def ground_anyway(ruleset: Ruleset) -> GroundProgram:
    """Ground in this process what is known to be small, bounded or not."""
    return ground(split_rules(flatten(ruleset.rules)))


def flat_rules(name: str) -> list[Rule]:
    """The flat rules of a game of the library, of a random one, by its number, or of a text."""
    if name.isdecimal():
        text = random_game(random.Random(int(name)))
    else:
        text = name if "(" in name else (GAMES / f"{name}.kif").read_text(encoding="utf-8")
    return flatten(ruleset(text).rules)


def plays(one: Sequence[Rule], other: Sequence[Rule], count: int = 4, steps: int = 12) -> int:
    """Compare two rulesheets on random plays; how many positions were looked at."""
    first, second = ground(one), ground(other)
    evaluators = Evaluator(first), Evaluator(second)
    assert first.roles == second.roles
    assert start(first) == start(second)
    generator = random.Random(1)
    looked = 0
    for _ in range(count):
        fluents = start(first)
        for _ in range(steps):
            answers = [e.evaluate(bases(e.program, fluents)) for e in evaluators]
            seen = [position(e.program, answer) for e, answer in zip(evaluators, answers, strict=True)]
            assert seen[0] == seen[1]
            looked += 1
            legal = [sorted(move for role, move in seen[0][0] if role == number) for number in range(len(first.roles))]
            if seen[0][1] or not all(legal):
                break
            joint = [generator.choice(moves) for moves in legal]
            after = [e.evaluate(bases(e.program, fluents), inputs(e.program, joint)) for e in evaluators]
            reached = [following(e.program, answer) for e, answer in zip(evaluators, after, strict=True)]
            assert reached[0] == reached[1]
            fluents = reached[0][0]
    return looked


def start(program: GroundProgram) -> frozenset[str]:
    return frozenset(program.bases[i].fluent for i in program.initial)


def bases(program: GroundProgram, fluents: frozenset[str]) -> Iterator[int]:
    return (i for i, base in enumerate(program.bases) if base.fluent in fluents)


def inputs(program: GroundProgram, joint: Sequence[str]) -> list[int]:
    numbers = {(pair.role, pair.move): j for j, pair in enumerate(program.inputs)}
    return [numbers[role, move] for role, move in enumerate(joint)]


def position(program: GroundProgram, answer: Answer) -> tuple[set[tuple[int, str]], bool, set[tuple[int, int]]]:
    """What is legal, whether it is the end, and the goals."""
    return (
        {(pair.role, pair.move) for pair in program.inputs if answer.holds(pair.legal)},
        answer.holds(program.terminal),
        {(goal.role, goal.value) for goal in program.goals if answer.holds(goal.atom)},
    )


def following(program: GroundProgram, answer: Answer) -> tuple[frozenset[str], frozenset[tuple[int, str]]]:
    """The next position, and what is seen."""
    return (
        frozenset(base.fluent for base in program.bases if answer.holds(base.next)),
        frozenset((seen.role, seen.percept) for seen in program.sees if answer.holds(seen.atom)),
    )
