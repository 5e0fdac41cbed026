"""Assertions: what an author says of every position of his game, as a formula of GDL without values for its variables.

It stands for all values: no instance of it fails in any position that play can reach. `assertions` finds out as much as
can be found in some seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gdl.asked import Question, asked
from gdl.grounding import GroundLimits, ground
from gdl.parser import parse_term
from gdl.program import GroundProgram
from gdl.ruleset import Ruleset
from gdl.source import Source
from gdl.terms import arguments, kif

NAME = "--assert"
"""What messages call the text of an assertion."""


@dataclass(frozen=True)
class Verdict:
    """What became of an assertion."""

    assertion: str
    verdict: str
    """`proved`, `refuted`, or `held`: in all positions of random play, and not proved."""
    positions: int
    """Positions of random play that were looked at."""
    values: tuple[tuple[str, str], ...] = ()
    """Variables and their values in the instance that fails."""
    line: tuple[tuple[str, ...], ...] = ()
    """The joint moves to where it fails; in an assertion about moves the last one is the move that fails."""

    def lines(self, roles: Sequence[str]) -> list[str]:
        """As a person reads it."""
        match self.verdict:
            case "proved":
                return [f"{self.assertion}: proved: it holds in every position that play can reach"]
            case "held":
                return [f"{self.assertion}: held in {self.positions:,} positions of random play; not proved"]
        where = f"after {len(self.line)} step{'s' * (len(self.line) > 1)}" if self.line else "in the first position"
        values = "".join(f", {name} = {value}" for name, value in self.values)
        moves = [
            "  " + ", ".join(f"{role} {move}" for role, move in zip(roles, joint, strict=True)) for joint in self.line
        ]
        return [f"{self.assertion}: refuted {where}{values}", *moves]

    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "assertion": self.assertion,
            "verdict": self.verdict,
            "positions": self.positions,
            "values": dict(self.values),
            "line": [list(joint) for joint in self.line],
        }


def assertions(ruleset: Ruleset, texts: Sequence[str], limits: GroundLimits | None = None) -> list[Verdict]:
    """What becomes of each assertion; DescriptionError, with the place, for one that means nothing in this game.

    GroundingError or CircuitError if the game is too large to be looked at this way.
    """
    questions = [Question.read(Source(text, NAME)) for text in texts]
    told = asked(ruleset, questions)
    program = ground(told.ruleset, limits)
    from ggp.circuits.assertions import Watched, decide  # numba takes a second: only where there is something to decide

    answers = _answers(program, told.percept, len(questions))
    watched = [
        Watched(tuple(own.values()), question.needs_moves) for question, own in zip(questions, answers, strict=True)
    ]
    found = []
    for question, own, decision in zip(questions, answers, decide(program, watched), strict=True):
        text = " ".join(question.source.text.split())
        if decision.line is None:
            found.append(Verdict(text, "proved" if decision.is_proved else "held", decision.positions))
            continue
        instance = list(own)[decision.line.found]
        values = tuple((variable.name, value) for variable, value in zip(question.variables, instance, strict=True))
        line = tuple(tuple(program.inputs[number].move for number in joint) for joint in decision.line.moves)
        found.append(Verdict(text, "refuted", decision.positions, values, line))
    return found


def _answers(program: GroundProgram, percept: str, questions: int) -> list[dict[tuple[str, ...], int]]:
    """For each question, the values that may answer it, and the atoms that say so."""
    found: list[dict[tuple[str, ...], int]] = [{} for _ in range(questions)]
    for seen in program.sees:
        if seen.percept.startswith(f"({percept} "):
            number, *values = map(kif, arguments(parse_term(seen.percept)))
            found[int(number)][tuple(values)] = seen.atom
    return found
