"""Recognise counting: atoms that say "exactly n of these literals hold", built up one literal at a time.

    count(k+1, n)  <=  count(k, n-1) and x     or     count(k, n) and not x

Spelled out this is a table of (literals x values) gates. As a count it is one multi-valued variable, built
from binary adders, and only the values somebody asks for are decoded: a board's piece count shrinks from
thousands of gates to hundreds. The identity is exact, no invariant is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ggp.circuits.graph import FALSE, TRUE, Graph

Count = tuple[int, int]
"""(number of a literal set, how many of its literals hold)."""

SMALLEST = 4
"""Sets with fewer literals stay as they are."""


class Counts:
    """The counting atoms of a program: `of[atom]` is (set number, n), `sets[number]` the literals."""

    def __init__(self, bodies: Mapping[int, Sequence[tuple[int, ...]]], order: Sequence[Sequence[int]]) -> None:
        self.sets: list[frozenset[int]] = []
        self.numbers: dict[frozenset[int], int] = {}
        self.grown: dict[tuple[int, int], int] = {}
        self.of: dict[int, Count] = {}
        self.bodies = bodies
        self.aliases: dict[int, int] = {}
        for stratum in order:
            if len(stratum) == 1:
                self._look_at(stratum[0])
        values: dict[int, set[int]] = {}
        for number, n in self.of.values():
            values.setdefault(number, set()).add(n)
        rich = {k for k, found in values.items() if len(self.sets[k]) >= SMALLEST and len(found) >= 3}
        self.of = {atom: count for atom, count in self.of.items() if count[0] in rich}

    def _number(self, literals: frozenset[int]) -> int:
        if literals not in self.numbers:
            self.numbers[literals] = len(self.sets)
            self.sets.append(literals)
        return self.numbers[literals]

    def _grow(self, number: int, atom: int) -> int | None:
        """The set with one atom more; None if it has it already."""
        if (number, atom) not in self.grown:
            literals = self.sets[number]
            self.grown[number, atom] = -1 if atom in literals else self._number(literals | {atom})
        found = self.grown[number, atom]
        return None if found < 0 else found

    def _count(self, literal: int) -> Count:
        """A literal as a count: its own, or of the set of its atom alone."""
        while literal > 0 and literal in self.aliases:
            literal = self.aliases[literal]
        if literal > 0 and literal in self.of:
            return self.of[literal]
        return self._number(frozenset([abs(literal)])), int(literal > 0)

    def _look_at(self, head: int) -> None:
        bodies = self.bodies[head]
        if len(bodies) == 1 and len(bodies[0]) == 1:
            self.aliases[head] = bodies[0][0]
        elif len(bodies) == 1 and len(bodies[0]) == 2:
            for x, p in (bodies[0], bodies[0][::-1]):
                number, n = self._count(p)
                if n == (len(self.sets[number]) if x > 0 else 0) and (p in self.of or p in self.aliases):
                    grown = self._grow(number, abs(x))
                    if grown is not None:
                        self.of[head] = (grown, n + (x > 0))
                        return
        elif len(bodies) == 2 and len(bodies[0]) == len(bodies[1]) == 2:
            for x, p in (bodies[0], bodies[0][::-1]):
                if -x not in bodies[1]:
                    continue
                q = bodies[1][0] if bodies[1][1] == -x else bodies[1][1]
                yes, no = (p, q) if x > 0 else (q, p)
                (a, n), (b, m) = self._count(yes), self._count(no)
                if a == b and m == n + 1:
                    grown = self._grow(a, abs(x))
                    if grown is not None:
                        self.of[head] = (grown, m)
                        return


class Counter:
    """The circuit of one count: binary digits, decoded on demand."""

    def __init__(self, graph: Graph, literals: Sequence[int]) -> None:
        self.graph = graph
        self.size = len(literals)
        self.digits = population(graph, literals)

    def member(self, mask: int) -> int:
        """Literal of "the count is in this set"; bit n of the mask stands for count n."""
        full = (1 << (self.size + 1)) - 1
        intervals, negated = _intervals(mask), _intervals(full & ~mask)
        if len(negated) < len(intervals):
            return self.graph.disjunction([self._interval(lo, hi) for lo, hi in negated]) ^ 1
        return self.graph.disjunction([self._interval(lo, hi) for lo, hi in intervals])

    def _interval(self, lo: int, hi: int) -> int:
        if lo == hi:
            return self.graph.conjunction([d ^ (1 - (lo >> i & 1)) for i, d in enumerate(self.digits)])
        return self.graph.land(self._at_least(lo), self._at_least(hi + 1) ^ 1)

    def _at_least(self, bound: int) -> int:
        """Compare with a constant, low digits first: all bounds share their low parts."""
        if bound <= 0:
            return TRUE
        if bound > self.size:
            return FALSE
        result = TRUE
        for i, digit in enumerate(self.digits):
            result = self.graph.land(digit, result) if bound >> i & 1 else self.graph.lor(digit, result)
        return result


def _intervals(mask: int) -> list[tuple[int, int]]:
    """Maximal runs of ones.

    >>> _intervals(0b1101)
    [(0, 0), (2, 3)]
    """
    found = []
    n = 0
    while mask >> n:
        if mask >> n & 1:
            lo = n
            while mask >> n & 1:
                n += 1
            found.append((lo, n - 1))
        n += 1
    return found


def population(graph: Graph, literals: Sequence[int]) -> list[int]:
    """Binary digits, lowest first, of how many literals hold: full adders, seven gates each."""
    columns: list[list[int]] = [list(literals)]
    digits = []
    level = 0
    while level < len(columns):
        column = columns[level]
        position = 0
        while len(column) - position > 1:
            taken = column[position : position + 3]
            position += len(taken)
            total, carry = _add(graph, taken)
            column.append(total)
            if carry != FALSE:
                if level + 1 == len(columns):
                    columns.append([])
                columns[level + 1].append(carry)
        digits.append(column[position] if position < len(column) else FALSE)
        level += 1
    return digits


def _add(graph: Graph, row: Sequence[int]) -> tuple[int, int]:
    """Sum and carry of two or three literals."""
    a, b = row[0], row[1]
    both = graph.land(a, b)
    odd = graph.land(both ^ 1, graph.land(a ^ 1, b ^ 1) ^ 1)
    if len(row) == 2:
        return odd, both
    c = row[2]
    carry = graph.land(odd, c)
    total = graph.land(carry ^ 1, graph.land(odd ^ 1, c ^ 1) ^ 1)
    return total, graph.lor(both, carry)
