"""A play as text: what holds, who may do what, what was done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gdl.ruleset import Ruleset
from gdl.terms import kif
from ggp.machines.machine import Machine
from ggp.machines.plays import Step, random_play

_MOVES_SHOWN = 12


def transcript(ruleset: Ruleset, machine: Machine[Any], seed: int, limit: int) -> Iterator[tuple[str, Step]]:
    """A random play, step by step, each as text and as it is."""
    for step in random_play(machine, seed, limit):
        yield _text(ruleset, machine, step), step


def _text(ruleset: Ruleset, machine: Machine[Any], step: Step) -> str:
    lines = [f"step {step.number}", "  holds: " + " ".join(map(kif, machine.fluents(step.position)))]
    for role, moves in zip(ruleset.roles, step.situation.legal, strict=True):
        shown = " ".join(map(kif, moves[:_MOVES_SHOWN])) + (" …" if len(moves) > _MOVES_SHOWN else "")
        lines.append(f"  legal {role} ({len(moves)}): {shown}")
    for role, values in zip(ruleset.roles, step.situation.goals, strict=True):
        lines.append(f"  goal {role}: {' '.join(map(str, values)) or 'none'}")
    if step.joint is not None:
        lines.append("  play: " + " ".join(map(kif, step.joint)))
        if ruleset.has_hidden_information:
            seen = machine.sees(step.position, step.joint)
            lines.extend(
                f"  {role} sees: {' '.join(map(kif, terms)) or 'nothing'}"
                for role, terms in zip(ruleset.roles, seen, strict=True)
            )
    if step.ending is not None:
        lines.append(f"  end: {step.ending.value}")
    return "\n".join(lines)
