"""Compiled games, each compiled once for all tests of a run: what one process has compiled, the others find."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gdl import Ruleset, load
from ggp.lanes.engine import Engine
from ggp.machines import kept
from ggp.machines.circuit import CircuitMachine
from ggp.search.weights import KNOWN, Value
from tests.helpers import GAMES, ruleset

_compile = CircuitMachine.compile
_kept: dict[str, CircuitMachine] = {}


def machine_of(rules: Ruleset, *more: Any, **settings: Any) -> CircuitMachine:
    """The machine of a ruleset: a twin of the first one that was made of the same text."""
    text = rules.source.text
    if text not in _kept:
        found = kept.find(rules, exact=True)
        if found is None:
            found = _compile(rules, *more, **settings)
            _ = found.engine.playout, found.engine.rollout()
            kept.keep(found)
        _kept[text] = found
    twin = _kept[text].twin()
    twin.ruleset = rules
    return twin


@functools.cache
def compiled(name: str) -> CircuitMachine:
    """A game of the library."""
    return machine_of(load(GAMES / f"{name}.kif"))


@functools.cache
def weighted(name: str) -> CircuitMachine:
    """A game of the library with a value of positions, any: on an engine of its own, so that nobody else takes that."""
    made = compiled(name)
    machine = CircuitMachine(made.ruleset, made.program, Engine(made.circuit))
    bases, roles = 64 * max(1, -(-made.circuit.bases // 64)), len(made.roles)
    KNOWN[machine.engine] = Value(np.random.default_rng(1).normal(size=(bases + 1, roles)), 0.0)
    return machine


@functools.cache
def compiled_text(text: str) -> CircuitMachine:
    """A game from its rules."""
    return machine_of(ruleset(text))
