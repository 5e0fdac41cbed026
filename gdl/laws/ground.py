"""Law 6 once the rules are ground: whether a cycle through a negation stays that `dependence` could only warn of.

Grounding takes long in large games, and whoever makes a circuit meets such a cycle anyway: `gdl.load` leaves this out,
`ggp check` asks for it.
"""

from __future__ import annotations

from gdl.errors import GroundingError
from gdl.grounding import GroundLimits, ground
from gdl.grounding.strata import negative_cycle
from gdl.problems import Law, Problem
from gdl.ruleset import Ruleset

_NAMES_SHOWN = 4


def ground_cycle(ruleset: Ruleset, limits: GroundLimits) -> tuple[Problem, ...]:
    """An error where ground atoms depend on their own negation; nothing where that was never in doubt."""
    doubtful = [p for p in ruleset.problems if p.law is Law.STRATIFICATION]
    if not doubtful or any(p.is_error for p in ruleset.problems):
        return ()
    try:
        program = ground(ruleset, limits)
    except GroundingError:
        return ()  # the warning stands
    cycle = [program.names[atom] for atom in negative_cycle(program.rules)]
    if not cycle:
        return ()
    named = ", ".join(cycle[:_NAMES_SHOWN]) + (", …" if len(cycle) > _NAMES_SHOWN else "")
    message = f"ground atoms depend on their own negation: {named}"
    return (Problem(Law.STRATIFICATION, True, message, ruleset.source, doubtful[0].at),)
