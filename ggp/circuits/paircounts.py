"""Recognise counting in two colours at once: "n of these hold and m of those", over squares that hold at
most one.

    count(k+1, n, m)  <=  black(k) and count(k, n-1, m)   or   red(k) and count(k, n, m-1)   or   open(k) and
    count(k, n, m)

where black(k), red(k) and open(k) exclude each other (a proved group) and one of them holds. Such an atom is
the conjunction of two plain counts, which `counts` builds from adders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Pair = tuple[frozenset[int], int, int]
"""(numbers of the squares counted so far, how many of the first colour, how many of the second)."""
Vector = tuple[int, int]

SMALLEST = 4
"""Fewer squares stay as they are."""


class PairCounts:
    """`of[atom]` is (squares, n, m); `first[square]` and `second[square]` are the atoms of the two
    colours.
    """

    def __init__(
        self,
        bodies: Mapping[int, Sequence[tuple[int, ...]]],
        order: Sequence[Sequence[int]],
        squares: Sequence[tuple[tuple[int, ...], bool]],
    ) -> None:
        self.bodies = bodies
        self.of: dict[int, Pair] = {}
        self.first: dict[int, int] = {}
        self.second: dict[int, int] = {}
        self.shift: list[dict[int, Vector]] = []  # of each square: selector atom -> step
        self.square_of: dict[int, int] = {}  # selector atom -> square
        self.aliases: dict[int, int] = {}
        self.waiting: dict[int, list[int]] = {}
        self.selectors: list[list[int]] = []
        self._find_selectors(squares)
        if self.selectors:
            for stratum in order:
                if len(stratum) == 1:
                    self._follow(stratum[0])
        self.of = {atom: pair for atom, pair in self.of.items() if len(pair[0]) >= SMALLEST}

    def _find_selectors(self, squares: Sequence[tuple[tuple[int, ...], bool]]) -> None:
        """The three cases of every square: two colours and neither, or an exactly-one group of three.

        Atoms are numbered in the order of the fluents' texts, so the first case is the same colour
        everywhere.
        """
        neither: dict[frozenset[int], int] = {}
        for head, bodies in self.bodies.items():
            if len(bodies) == 1 and len(bodies[0]) == 2 and all(x < 0 for x in bodies[0]):
                neither.setdefault(frozenset(-x for x in bodies[0]), head)
        for members, exact in squares:
            cases = sorted(members)
            if len(cases) == 2 and frozenset(cases) in neither:
                cases.append(neither[frozenset(cases)])
            elif len(cases) != 3 or not exact:
                continue
            if not any(case in self.square_of for case in cases):
                for case in cases:
                    self.square_of[case] = len(self.selectors)
                self.first[len(self.selectors)], self.second[len(self.selectors)] = cases[:2]
                self.selectors.append(cases)
                self.shift.append(dict(zip(cases, ((1, 0), (0, 1), (0, 0)), strict=True)))

    def _resolve(self, literal: int) -> int:
        while literal in self.aliases and literal not in self.of:
            literal = self.aliases[literal]
        return literal

    def _follow(self, head: int) -> None:
        """Try a head, then everything that waited for what it brought."""
        work = [head]
        while work:
            number = work.pop()
            missing = self._try(number)
            if missing:
                self.waiting.setdefault(missing, []).append(number)
            if number in self.of:
                work += self.waiting.pop(number, [])

    def _try(self, head: int) -> int:
        """Recognise a head; otherwise the atom to wait for, or 0 if there is no hope."""
        bodies = self.bodies[head]
        if head in self.of or len(bodies) > 3:
            return 0
        if len(bodies) == 1 and len(bodies[0]) == 1 and bodies[0][0] > 0:
            self.aliases[head] = bodies[0][0]
            target = self._resolve(head)
            if self._large(target):
                self.of[head] = self.of[target]
            return 0
        terms: dict[int, int] = {}  # selector -> count atom
        squares = set()
        for body in bodies:
            if len(body) != 2 or min(body) < 0:
                return 0
            a, b = (self._resolve(x) for x in body)
            if self._large(a) or (a not in self.square_of and b in self.square_of):
                a, b = b, a
            if a not in self.square_of:
                return 0
            if b in self.square_of and not self._large(b):  # two single squares: the lower one comes first
                if self.square_of[a] < self.square_of[b]:
                    a, b = b, a
                square = self.square_of[b]
                self.of[b] = (frozenset([square]), *self.shift[square][b])
            if b not in self.of:
                return b
            terms[a] = b
            squares.add(self.square_of[a])
        if len(squares) == 1 and len(terms) == len(bodies):
            self._place(head, squares.pop(), terms)
        return 0

    def _large(self, atom: int) -> bool:
        """Is this a count of more than one square?"""
        return atom in self.of and len(self.of[atom][0]) > 1

    def _place(self, head: int, square: int, terms: dict[int, int]) -> None:
        """Check that all terms lead to one (n, m), and that missing terms are impossible."""
        pairs = {case: self.of[atom] for case, atom in terms.items()}
        counted = {pair[0] for pair in pairs.values()}
        squares = next(iter(counted))
        if len(counted) != 1 or square in squares:
            return
        values = {
            (pair[1] + self.shift[square][case][0], pair[2] + self.shift[square][case][1]) for case, pair in pairs.items()
        }
        if len(values) != 1:
            return
        n, m = values.pop()
        for case, (dn, dm) in self.shift[square].items():
            possible = n >= dn and m >= dm and n - dn + m - dm <= len(squares)
            if case not in terms and possible:
                return
        self.of[head] = (squares | {square}, n, m)
