"""Machines: whatever answers questions about a game. `machine` is the interface, the others implement it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gdl.grounding import GroundLimits
from gdl.ruleset import Ruleset
from ggp.core.errors import UsageError
from ggp.core.progress import Tell, silent
from ggp.lanes import VARIABLE
from ggp.machines.bridge import Limits
from ggp.machines.machine import Machine
from ggp.machines.prolog import PrologMachine


@dataclass(frozen=True)
class Making:
    """How a machine is made."""

    limits: Limits
    tell: Tell = silent
    """Told of what is being done, stage by stage."""
    patience: float = 0.0
    """Seconds that `auto` waits for the circuit before it starts Prolog."""
    scrambled: bool = False
    """Whether names mean nothing, as on a game server; see `AutoMachine`."""


def _prolog(ruleset: Ruleset, making: Making) -> Machine[Any]:
    making.tell("loading the rules into Prolog")
    return PrologMachine(ruleset, making.limits)


def _circuit(ruleset: Ruleset, making: Making) -> Machine[Any]:
    from ggp.machines.kept import compiled  # numpy and numba take a second: only where they are used

    return compiled(ruleset, ground_limits(making.limits), making.tell)


def _auto(ruleset: Ruleset, making: Making) -> Machine[Any]:
    from ggp.machines.auto import AutoMachine

    limits = making.limits
    return AutoMachine(
        ruleset, limits, ground_limits(limits), patience=making.patience, tell=making.tell, scrambled=making.scrambled
    )


def ground_limits(limits: Limits) -> GroundLimits:
    """Limits for grounding where a machine was given some."""
    return GroundLimits(seconds=max(limits.seconds, GroundLimits.seconds), bytes=limits.bytes)


_MAKERS: Mapping[str, Callable[[Ruleset, Making], Machine[Any]]] = {
    "auto": _auto,
    "prolog": _prolog,
    "circuit": _circuit,
}
MACHINES = tuple(_MAKERS)
"""The names that `make_machine` knows; the first is the default."""


def check_lanes() -> None:
    """UsageError if the environment names lanes that there are none of: a compiler would fail, and Prolog play on."""
    if os.environ.get(VARIABLE):
        from ggp.lanes.ways import preferred  # LLVM takes a while: only where something is said

        preferred()


def make_machine(
    name: str,
    ruleset: Ruleset,
    limits: Limits | None = None,
    tell: Tell = silent,
    patience: float = 0.0,
    *,
    scrambled: bool = False,
) -> Machine[Any]:
    """A machine by its name, for a ruleset; see `Making`."""
    if name not in _MAKERS:
        raise UsageError(f"there is no machine {name!r}; known are: {', '.join(MACHINES)}")
    if name != "prolog":
        check_lanes()
    return _MAKERS[name](ruleset, Making(limits or Limits(), tell, patience, scrambled))


__all__ = ["MACHINES", "Limits", "Machine", "PrologMachine", "check_lanes", "ground_limits", "make_machine"]
