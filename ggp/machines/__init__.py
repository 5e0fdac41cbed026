"""Machines: whatever answers questions about a game. `machine` is the interface, the others implement it."""

from __future__ import annotations

from typing import Any

from gdl.ruleset import Ruleset
from ggp.errors import UsageError
from ggp.machines.bridge import Limits
from ggp.machines.machine import Machine
from ggp.machines.prolog import PrologMachine

MACHINES = ("prolog",)
"""The names that `make_machine` knows."""


def make_machine(name: str, ruleset: Ruleset, limits: Limits | None = None) -> Machine[Any]:
    """A machine by its name, for a ruleset."""
    if name == "prolog":
        return PrologMachine(ruleset, limits)
    raise UsageError(f"there is no machine {name!r}; known are: {', '.join(MACHINES)}")


__all__ = ["MACHINES", "Limits", "Machine", "PrologMachine", "make_machine"]
