"""What positions and moves are called in a base: codes that do not depend on the names that the rules happen to use.

A term is written with the numbers of its names (`gdl.canonical`), and its code is a digest of that text. The key of a
position is the sum (by exclusive or) of the codes of what holds in it, and of the role that chooses: 128 bits, so that
two positions of a base of ten million have the same key with a probability of 10⁻²⁴.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gdl.canonical import canonical
from gdl.ruleset import Ruleset
from gdl.terms import Term, kif
from ggp.knowledge.records import Words
from ggp.machines.circuit import CircuitMachine

_NAME = re.compile(r"[^\s()]+")
_AT_ONCE = 1 << 22
"""Codes that are added up at a time: 64 megabytes."""


class Names:
    """The names of a game."""

    def __init__(self, ruleset: Ruleset) -> None:
        found = canonical(ruleset)
        self.game = found.key
        """The key of the rules."""
        self.roles = len(ruleset.roles)
        self._numbers = {name: f"${number}" for number, name in enumerate(found.symbols)}

    def code(self, text: str) -> tuple[int, int]:
        """The code of a term, given as KIF text."""
        numbered = _NAME.sub(lambda name: self._numbers.get(name[0], name[0]), text)
        return _digest(numbered)

    def move(self, move: Term) -> int:
        """What a record says of a move."""
        return self.code(kif(move))[0]

    def key(self, fluents: Iterable[Term], role: int) -> Words:
        """The key of a position for a role, uint64 [2]."""
        codes = [self.code(kif(fluent)) for fluent in fluents]
        found: Words = np.bitwise_xor.reduce(np.array([_role(role), *codes], np.uint64), axis=0)
        return found


class Codes:
    """The codes of what a circuit calls by numbers."""

    def __init__(self, names: Names, machine: CircuitMachine) -> None:
        self.names = names
        self._bases = np.array([names.code(text) for text in machine.bases.texts], np.uint64).reshape(-1, 2)
        self._machine, self._moves = machine, dict[int, int]()

    def keys(self, bits: NDArray[np.bool_], role: int) -> Words:
        """The keys of positions (bool [n, bases]) for a role, uint64 [n, 2]."""
        found = np.empty((len(bits), 2), np.uint64)
        step = max(1, _AT_ONCE // max(1, len(self._bases)))
        for start in range(0, len(bits), step):
            chosen = np.where(bits[start : start + step, :, None], self._bases, np.uint64(0))
            found[start : start + step] = np.bitwise_xor.reduce(chosen, axis=1)
        found ^= self._role_codes[role]
        return found

    def move(self, number: int) -> int:
        """What a record says of a move, by the number of its input."""
        found = self._moves.get(number)
        if found is None:
            found = self._moves[number] = self.names.code(self._machine.inputs.texts[number])[0]
        return found

    def input(self, move: int, legal: Sequence[int]) -> int | None:
        """The number of the input that a record means, among those that are legal; None if it is none of them."""
        return next((number for number in legal if self.move(number) == move), None)

    @cached_property
    def _role_codes(self) -> Words:
        return np.array([_role(number) for number in range(self.names.roles)], np.uint64)


def _role(number: int) -> tuple[int, int]:
    """The code of a role: their order belongs to the game."""
    return _digest(f"role {number}")


def _digest(text: str) -> tuple[int, int]:
    raw = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return int.from_bytes(raw[:8], "little"), int.from_bytes(raw[8:], "little")
