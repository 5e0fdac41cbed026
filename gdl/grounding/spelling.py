"""Clingo's symbols back to KIF text, thousands at a time: each different term is taken apart and spelled once."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gdl.errors import GroundingError
from gdl.grounding.native import number, unpack

MAX_DEPTH = 1_000
"""Terms nested deeper than this are refused: they come from a recursion, and their texts grow with the square."""

Texts = npt.NDArray[np.object_]


@dataclass(frozen=True)
class Atoms:
    """Atoms in columns: row i is the relation names[which[i]] with the arguments from starts[i] to starts[i + 1]."""

    names: list[str]
    which: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    symbols: npt.NDArray[np.uint64]
    """Arguments of all rows."""

    def rows(self, name: str) -> npt.NDArray[np.int64]:
        """Where a relation stands; empty if nowhere."""
        if name not in self.names:
            return np.empty(0, np.int64)
        return np.flatnonzero(self.which == self.names.index(name))

    def table(self, name: str, arity: int) -> npt.NDArray[np.uint64]:
        """The arguments of a relation, a row for each atom."""
        table: npt.NDArray[np.uint64] = self.symbols[self.starts[self.rows(name)][:, None] + np.arange(arity)]
        return table


def take_apart(symbols: npt.NDArray[np.uint64]) -> Atoms:
    """Relations and arguments of atoms."""
    values, starts, arguments = unpack(symbols)
    addresses, which = number(values.view(np.uint64))
    return Atoms([_name(address) for address in addresses.tolist()], which, starts, arguments)


def count_values(column: npt.NDArray[np.uint64]) -> int:
    """Different symbols."""
    return len(number(column.copy())[0])


def spell_terms(symbols: npt.NDArray[np.uint64], constants: Sequence[str], functors: Sequence[str]) -> Texts:
    """Texts of terms; clingo knows constant i as i and functor i as f<i>."""
    layers: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.intp]]] = []
    layer, inverse = number(symbols)
    while len(layer):
        if len(layers) > MAX_DEPTH:
            raise GroundingError(f"grounding gives terms that are nested more than {MAX_DEPTH:,} deep")
        values, starts, arguments = unpack(layer)
        below, places = number(arguments)
        layers.append((values, starts, places))
        layer = below
    known = np.array(constants, dtype=object)
    texts: Texts = np.empty(0, dtype=object)
    for values, starts, places in reversed(layers):
        texts = _spell(values, starts, texts[places], known, functors)
    spelled: Texts = texts[inverse]
    return spelled


def _spell(
    values: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    arguments: Texts,
    constants: Texts,
    functors: Sequence[str],
) -> Texts:
    """Texts of one layer; `arguments` are those of all its terms."""
    texts: Texts = np.empty(len(values), dtype=object)
    numbers = values < 0
    texts[numbers] = constants[-1 - values[numbers]]
    functions = np.flatnonzero(~numbers)
    addresses, which = number(values[functions].view(np.uint64))
    for i, address in enumerate(addresses.tolist()):
        rows = functions[which == i]
        texts[rows] = spell(functors[int(_name(address)[1:])], rows, starts, arguments)
    return texts


def spell(name: str, rows: npt.NDArray[np.int64], starts: npt.NDArray[np.int64], arguments: Texts) -> list[str]:
    """Texts of terms or atoms of one name; a name may have several numbers of arguments."""
    counts = starts[rows + 1] - starts[rows]
    if not len(rows) or (counts == counts[0]).all():
        return _with_arguments(name, rows, int(counts[0]) if len(rows) else 0, starts, arguments)
    texts: Texts = np.empty(len(rows), dtype=object)
    for count in np.unique(counts).tolist():
        chosen = np.flatnonzero(counts == count)
        texts[chosen] = _with_arguments(name, rows[chosen], count, starts, arguments)
    result: list[str] = texts.tolist()
    return result


def _with_arguments(
    name: str, rows: npt.NDArray[np.int64], count: int, starts: npt.NDArray[np.int64], arguments: Texts
) -> list[str]:
    if not count:
        return [name] * len(rows)
    columns: list[list[str]] = [arguments[starts[rows] + position].tolist() for position in range(count)]
    return [f"({name} {' '.join(row)})" for row in zip(*columns, strict=True)]


def _name(address: Any) -> str:
    return ctypes.string_at(address).decode()
