"""Compiled games, each compiled once for all tests of a process."""

from __future__ import annotations

import functools
from typing import Any

from gdl import Ruleset, load
from ggp.machines.circuit import CircuitMachine
from tests.helpers import GAMES, ruleset

_compile = CircuitMachine.compile
_kept: dict[str, CircuitMachine] = {}


def machine_of(rules: Ruleset, *more: Any, **settings: Any) -> CircuitMachine:
    """The machine of a ruleset: a twin of the first one that was made of the same text."""
    text = rules.source.text
    if text not in _kept:
        _kept[text] = _compile(rules, *more, **settings)
    twin = _kept[text].twin()
    twin.ruleset = rules
    return twin


@functools.cache
def compiled(name: str) -> CircuitMachine:
    """A game of the library."""
    return machine_of(load(GAMES / f"{name}.kif"))


@functools.cache
def compiled_text(text: str) -> CircuitMachine:
    """A game from its rules."""
    return machine_of(ruleset(text))
