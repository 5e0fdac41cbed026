"""How large a game is and how fast it plays: sizes of grounding and circuit, random playouts, and its tree."""

from __future__ import annotations

import threading
import time
from math import prod
from typing import Any

from ggp.machines import Machine, make_machine
from ggp.machines.circuit import CircuitMachine
from ggp.machines.machine import Level
from ggp.web.fields import BusyError, Fields, Json
from ggp.web.shelf import LIMITS, Shelf

_PATIENCE = 15.0
"""Seconds that the circuit is waited for."""
_STEPS = 1000
"""Steps after which a playout is given up."""
_WIDEST = 20_000
"""Joint moves of the first position, above which its tree is not counted."""
_DEEPEST, _LEAST = 40, 0.5
"""Levels of a tree that are counted at most, and the least seconds for it: the first level takes some."""
_one = threading.BoundedSemaphore(1)
"""Measured is one game at a time: two would take the time from each other."""


def measure(shelf: Shelf, asked: Fields) -> Json:
    """The numbers of a game; `seconds` go into playouts, and as many into the tree."""
    title, seconds = shelf.title(asked), asked.number("seconds", 0.1, 5, 1)
    if not _one.acquire(timeout=_PATIENCE):
        raise BusyError("another game is being measured: wait a moment")
    try:
        machine = make_machine("auto", title.ruleset, LIMITS, patience=_PATIENCE)
        try:
            machine.wait(_PATIENCE)
            return _numbers(machine, seconds)
        finally:
            machine.close()
    finally:
        _one.release()


def _numbers(machine: Machine[Any], seconds: float) -> dict[str, Json]:
    circuit, now = machine.compiled(0), machine.current
    totals = now.playouts(now.initial(), count=10**9, seconds=seconds, limit=_STEPS, seed=1)
    return {
        "circuit": None if circuit is None else _sizes(circuit),
        "trouble": [event.message for event in machine.history if event.is_trouble][-1:],
        "playouts": totals.playouts, "unfinished": totals.unfinished, "seconds": totals.seconds,
        "steps": totals.steps / max(1, totals.playouts + totals.unfinished),
        "tree": [{"nodes": level.nodes, "ends": level.terminals} for level in tree(now, max(_LEAST, seconds))],
    }  # fmt: skip


def _sizes(machine: CircuitMachine) -> dict[str, int]:
    circuit = machine.circuit
    return {**machine.sizes, "bases": circuit.bases, "inputs": circuit.inputs, "gates": circuit.size}


def tree(machine: Machine[Any], seconds: float) -> list[Level]:
    """The levels of a game's tree, as deep as some seconds are expected to suffice for."""
    first, until = machine.initial(), time.monotonic() + seconds
    levels = machine.perft(first, 0)
    if prod(map(len, machine.situation(first).legal)) > _WIDEST:
        return levels
    for depth in range(1, _DEEPEST + 1):
        begun = time.monotonic()
        levels = machine.perft(first, depth)
        growth = levels[-1].nodes / max(1, levels[-2].nodes)
        now = time.monotonic()
        if growth == 0 or now + (now - begun) * growth > until:
            break
    return levels if levels[-1].nodes else levels[:-1]
