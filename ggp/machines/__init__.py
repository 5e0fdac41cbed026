"""Machines: whatever answers questions about a game. `machine` is the interface, the others implement it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gdl.grounding import GroundLimits
from gdl.ruleset import Ruleset
from ggp.errors import UsageError
from ggp.machines.bridge import Limits
from ggp.machines.machine import Machine
from ggp.machines.prolog import PrologMachine


def _prolog(ruleset: Ruleset, limits: Limits) -> Machine[Any]:
    return PrologMachine(ruleset, limits)


def _circuit(ruleset: Ruleset, limits: Limits) -> Machine[Any]:
    from ggp.machines.circuit import CircuitMachine  # numpy and numba take a second: only where they are used

    return CircuitMachine.compile(ruleset, ground_limits(limits))


def _auto(ruleset: Ruleset, limits: Limits) -> Machine[Any]:
    from ggp.machines.auto import AutoMachine

    return AutoMachine(ruleset, limits, ground_limits(limits))


def ground_limits(limits: Limits) -> GroundLimits:
    """Limits for grounding where a machine was given some."""
    return GroundLimits(seconds=max(limits.seconds, GroundLimits.seconds), bytes=limits.bytes)


_MAKERS: Mapping[str, Callable[[Ruleset, Limits], Machine[Any]]] = {
    "auto": _auto,
    "prolog": _prolog,
    "circuit": _circuit,
}
MACHINES = tuple(_MAKERS)
"""The names that `make_machine` knows; the first is the default."""


def make_machine(name: str, ruleset: Ruleset, limits: Limits | None = None) -> Machine[Any]:
    """A machine by its name, for a ruleset."""
    if name not in _MAKERS:
        raise UsageError(f"there is no machine {name!r}; known are: {', '.join(MACHINES)}")
    return _MAKERS[name](ruleset, limits or Limits())


__all__ = ["MACHINES", "Limits", "Machine", "PrologMachine", "ground_limits", "make_machine"]
