"""The laws that only play can check: 20 to 23, on random plays from fixed seeds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from gdl.problems import Law, Problem
from gdl.ruleset import Ruleset
from gdl.terms import Symbol, Term, kif
from ggp.core.errors import MachineError
from ggp.machines.plays import Ending, Step, random_play
from ggp.machines.prolog import PrologMachine

LIMIT = 1000
"""Steps after which a play counts as one that does not end."""


@dataclass(frozen=True)
class Checked:
    """What came of random plays."""

    problems: tuple[Problem, ...]
    """Each kind of problem once, with the step where it was first seen."""
    plays: int
    """How many plays were looked at to their end."""
    ran_out: bool
    """Whether the budget ended before the plays that were wanted."""


def playcheck(ruleset: Ruleset, machine: PrologMachine, plays: int, budget: float = math.inf) -> Checked:
    """What random plays show to be wrong. Once they have taken `budget` inferences of Prolog, none goes on."""
    found: dict[tuple[Law, str], Problem] = {}

    def warn(law: Law, topic: str, message: str) -> None:
        found.setdefault((law, topic), Problem(law, False, message, ruleset.source, _at(ruleset, law)))

    known = {name: _known(ruleset, machine, name) for name in ("base", "input")}
    most = machine.inferences() + budget
    for seed in range(plays):
        try:
            for step in random_play(machine, seed, LIMIT):
                where = f"in step {step.number} of the play with seed {seed}"
                for law, topic, message in _look(ruleset, machine, step, known):
                    warn(law, topic, f"{message} ({where})")
                if machine.inferences() > most and (step.ending is None or seed < plays - 1):
                    return Checked(tuple(found.values()), seed + (step.ending is not None), True)
        except MachineError as error:
            warn(Law.TERMINATION, "machine", f"the play with seed {seed} cannot go on: {error}")
            most = machine.inferences() + budget  # of a new worker, which counts from the beginning
    return Checked(tuple(found.values()), plays, False)


def _at(ruleset: Ruleset, law: Law) -> int:
    """The first rule that the law is about."""
    names = {
        Law.GOAL_VALUES: ("goal", 2),
        Law.LEGAL_MOVES: ("legal", 2),
        Law.TERMINATION: ("terminal", 0),
    }
    rules = ruleset.by_relation.get(names.get(law, ("", 0)), ())
    return rules[0].at if rules else -1


def _known(ruleset: Ruleset, machine: PrologMachine, name: str) -> frozenset[tuple[Term, ...]] | None:
    """The atoms of base or input; None where the rulesheet does not give them, or not by itself."""
    relation = (name, 1 if name == "base" else 2)
    dependencies = ruleset.dependencies
    if relation not in ruleset.by_relation or relation in dependencies.on_state | dependencies.on_moves:
        return None
    return frozenset(machine.static_facts(relation))


def _look(
    ruleset: Ruleset, machine: PrologMachine, step: Step, known: dict[str, frozenset[tuple[Term, ...]] | None]
) -> Iterator[tuple[Law, str, str]]:
    if step.ending is Ending.TERMINAL:
        for role, values in zip(ruleset.roles, step.situation.goals, strict=True):
            if len(values) != 1:
                given = "no goal value" if not values else "goal values " + ", ".join(map(str, values))
                yield Law.GOAL_VALUES, role, f"{role} has {given} at the end"
    elif step.ending is Ending.STUCK:
        for role, moves in zip(ruleset.roles, step.situation.legal, strict=True):
            if not moves:
                yield Law.LEGAL_MOVES, role, f"{role} has no legal move"
    elif step.ending is Ending.LIMIT:
        yield Law.TERMINATION, "limit", f"the play does not end within {LIMIT} steps"
    bases, inputs = known["base"], known["input"]
    if bases is not None:
        for fluent in machine.fluents(step.position):
            if (fluent,) not in bases:
                yield Law.BASE_AND_INPUT, f"base {fluent.name}", f"base lacks {kif(fluent)}, which holds"
    if inputs is not None and step.ending is None:
        for role, moves in zip(ruleset.roles, step.situation.legal, strict=True):
            for move in moves:
                if (Symbol(role), move) not in inputs:
                    yield Law.BASE_AND_INPUT, f"input {move.name}", f"input lacks ({role} {kif(move)}), which is legal"
