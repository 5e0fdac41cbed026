"""Which fluents make a board together, and what the board looks like before anything stands on it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ggp.boards.axes import Chain, as_squares, chains, in_order
from ggp.boards.edges import Lines, between_corners, is_line, named_side, told_sides
from ggp.boards.layers import Layer, Plan
from ggp.boards.owners import Owners, owners
from ggp.boards.places import coordinates, narrowed
from ggp.boards.rules import Kind, Row, Rules
from ggp.boards.shapes import DIRECTIONS, Coordinates, Geometry, geometry
from ggp.boards.symbols import Symbols

_SAME = 0.5
"""The part of their labels that two sides share if they are the sides of one board."""
_LONG = 20
"""Sides longer than this are often too long: domains of sums and distances got mixed in."""
_MOST = 0.6
"""A static relation that holds of more cells than this part says which cells there are, not what is special there."""


@dataclass(frozen=True)
class _Found:
    """A kind of fluent whose coordinates are known."""

    kind: Kind
    places: tuple[int, ...]
    domains: Sequence[set[str]]
    squares: Mapping[str, tuple[str, str]] | None

    @property
    def sides(self) -> list[set[str]]:
        """The labels of each coordinate."""
        if self.squares is not None:
            return [{square[i] for square in self.squares.values()} for i in (0, 1)]
        return [self.domains[place] for place in self.places]

    def cells(self, rows: Iterable[Row]) -> set[Coordinates]:
        """The cells of some facts."""
        places = self.places
        if self.squares is not None:
            return {self.squares[row[places[0]]] for row in rows if row[places[0]] in self.squares}
        return {tuple(row[place] for place in places) for row in rows}


def plans(rules: Rules) -> tuple[Plan, ...]:
    """The boards of a game, the one with the most cells first."""
    known = chains(rules.static)
    groups: list[list[_Found]] = []
    strokes = []
    for found in sorted(_found(rules, known), key=lambda f: (-_size(f.sides), f.kind)):
        axes = [_axis(side, rules.roles, known) for side in found.sides]
        if between_corners(found.sides, found.cells(rules.base.get(found.kind, [])), axes):
            strokes.append(found)
            continue
        group = next((g for g in groups if _fits(g[0], found)), None)
        if group is None:
            groups.append([found])
        else:
            group.append(found)
    return tuple(_plan(rules, group, strokes, known) for group in groups)


def _found(rules: Rules, known: Sequence[Chain]) -> Iterator[_Found]:
    for kind, found in rules.fluents():
        domains = narrowed(found, rules.init.get(kind, []), known)
        places = coordinates(rules, kind, domains, known)
        if len(places) > 1:
            yield _Found(kind, places, domains, None)
        elif places:
            yield _Found(kind, places, domains, as_squares(domains[places[0]]))


def _size(sides: Iterable[Collection[str]]) -> int:
    size = 1
    for side in sides:
        size *= len(side)
    return size


def _fits(one: _Found, other: _Found) -> bool:
    if (one.squares is None) != (other.squares is None) or len(one.sides) != len(other.sides):
        return False
    return all(len(a & b) >= _SAME * min(len(a), len(b)) for a, b in zip(one.sides, other.sides, strict=True))


def _plan(rules: Rules, group: list[_Found], strokes: Sequence[_Found], known: Sequence[Chain]) -> Plan:
    between = [f for f in group if _may_be_line(rules, f, known)] if len(group[0].sides) == 2 else []
    group = [f for f in group if f not in between] or group
    between = [] if any(f in group for f in between) else between
    sides = [set().union(*(found.sides[i] for found in group)) for i in range(len(group[0].sides))]
    cells = _cells(rules, group, _size(sides))
    if cells is not None:
        sides = [{cell[i] for cell in cells} for i in range(len(sides))]
    axes = tuple(_axis(_seen(rules, [*group, *between], i, side), rules.roles, known) for i, side in enumerate(sides))
    if cells is not None and len(cells) == _size(axes):
        cells = None
    count = len(cells) if cells else _size(sides)
    layers = tuple(_layer(rules, found, _size(axes)) for found in group)
    ground = _ground(rules, group, count)
    names = [layer.kind[0] for layer in layers if not layer.values] + [n for g in ground.values() for n, _ in g]
    values = [value for layer in layers for value in layer.values.values()]
    owned = {v.owner for value in values for v in value.values.values() if v.owner} | {
        owner for lying in ground.values() for _, owner in lying if owner
    }
    symbols = Symbols(rules.roles, owned, {kind for value in values for kind in value.kinds}, names)
    column, row = _sides(axes, rules.roles)
    shape = Geometry()
    if len(axes) == 2:
        shape = geometry(rules.static, axes[0], axes[1], cells)
        if shape.swapped:
            column, row = 1, 0
    halves = _halves(rules, list(zip(group, layers, strict=True)))
    based = any(found.kind in rules.base for found in group)
    begun = frozenset(cell for f in group for cell in f.cells(rules.init.get(f.kind, [])))
    open_ended = cells is None and not based and max(map(len, axes)) > _LONG
    plan = Plan(
        group[0].kind[0], axes, column, row, layers, cells, shape, symbols, ground, halves,
        begun=begun if open_ended else None,
    )  # fmt: skip
    return replace(plan, lines=tuple(_lines(rules, plan, [*between, *strokes], known))) if len(axes) == 2 else plan


def _may_be_line(rules: Rules, found: _Found, known: Sequence[Chain]) -> bool:
    """Whether fluents of two coordinates are lines and no pieces."""
    rest = [place for place in range(found.kind[1]) if place not in found.places]
    if len(rest) > 1:
        return False
    if not rest:
        return is_line(found.kind[0]) and named_side(found.kind[0], 1, rows_down=False, mirrored=False) is not None
    words = found.domains[rest[0]]
    if is_line(found.kind[0]) and words <= DIRECTIONS.keys():
        return True
    return bool(told_sides(rules.static, words, [_axis(side, rules.roles, known) for side in found.sides]))


def _lines(rules: Rules, plan: Plan, found: Iterable[_Found], known: Sequence[Chain]) -> Iterator[Lines]:
    """The fluents that are lines on a board, with what their words mean there."""
    geometry = plan.geometry
    for line in found:
        labels = tuple(_axis({*line.sides[i], *plan.axes[i]}, rules.roles, known) for i in (0, 1))
        if len(line.places) == 4:
            if all(len(a) == len(b) + 1 for a, b in zip(labels, plan.axes, strict=True)):
                yield Lines(line.kind, line.places, labels)
            continue
        rest = [place for place in range(line.kind[1]) if place not in line.places]
        words = sorted(line.domains[rest[0]]) if rest else [line.kind[0]]
        sides = told_sides(rules.static, words, labels) or {
            word if rest else "": side
            for word in words
            if (side := named_side(word, plan.row, rows_down=geometry.rows_down, mirrored=geometry.mirrored))
        }
        yield Lines(line.kind, line.places, labels, rest[0] if rest else None, sides)


def _halves(rules: Rules, pairs: Sequence[tuple[_Found, Layer]]) -> frozenset[Kind]:
    """The two layers, if there are such, that speak of the same cells in the first position: kinds and owners."""
    cells = {layer.kind: found.cells(rules.init.get(layer.kind, [])) for found, layer in pairs}
    kinds = [layer.kind for _, layer in pairs if layer.values and not layer.has_owner]
    whose = [layer.kind for _, layer in pairs if layer.only_owner]
    same = [{a, b} for a in kinds for b in whose if cells[a] and cells[a] == cells[b]]
    return frozenset(same[0]) if len(same) == 1 else frozenset()


def _seen(rules: Rules, group: list[_Found], place: int, side: set[str]) -> set[str]:
    """The labels of a side: of a long one, those of a first position that fills the board."""
    seen = [found.cells(rules.init.get(found.kind, [])) for found in group]
    cells = set().union(*seen)
    labels = {cell[place] for cell in cells}
    return labels if len(side) > _LONG and len(cells) >= _LONG and len(labels) > 2 else side


def _axis(side: set[str], roles: Sequence[str], known: Sequence[Chain]) -> Chain:
    if side <= set(roles):
        return tuple(role for role in roles if role in side)
    return in_order(side, known) or tuple(sorted(side))


def _sides(axes: Sequence[Chain], roles: Sequence[str]) -> tuple[int, int]:
    """Which coordinates count the columns and the rows of a grid; the others count grids."""
    if len(axes) == 3:
        sizes = [len(axis) for axis in axes]
        odd = [i for i, size in enumerate(sizes) if sizes.count(size) == 1]
        board = min(odd, key=lambda i: sizes[i]) if odd else 2
        first, second = (i for i in range(3) if i != board)
    else:
        first, second = len(axes) - 2, len(axes) - 1
    a, b = axes[first], axes[second]
    numbers = [all(label.isdigit() for label in axis) for axis in (a, b)]
    if set(a) <= set(roles) or (numbers == [True, False] and not set(b) <= set(roles)):
        return second, first
    if not any(label[-1].isdigit() or len(label) == 1 for label in a + b):  # names: few rows, many columns
        return (first, second) if len(a) >= len(b) else (second, first)
    if a[0][0] in "yr" and b[0][0] in "xc" and len(a[0]) > 1 and len(b[0]) > 1:
        return second, first
    return first, second


def _cells(rules: Rules, group: list[_Found], size: int) -> frozenset[Coordinates] | None:
    """The cells that there are: those of `base`, or of a first position that names the empty ones too."""
    based = [found.cells(rules.base[found.kind]) for found in group if found.kind in rules.base]
    cells: set[Coordinates] = set().union(*based)
    if len(based) < len(group):
        filled = [found for found in group if found.kind in rules.init]
        empties = [f for f in filled if _names_empty(_values(rules, f, 0).values())]
        if not empties and group[0].squares is None:
            return None
        for found in filled:
            cells |= found.cells(rules.init[found.kind])
        for found in group:
            cells |= set((found.squares or {}).values())
    return frozenset(cells) if 0 < len(cells) < size else None


def _names_empty(values: Iterable[Owners]) -> bool:
    return any(value.empty for meaning in values for value in meaning.values.values())


def _values(rules: Rules, found: _Found, cells: int) -> dict[int, Owners]:
    rest = [place for place in range(found.kind[1]) if place not in found.places]
    return {place: owners(rules, found.kind, place, found.domains[place], cells) for place in rest}


def _layer(rules: Rules, found: _Found, cells: int) -> Layer:
    return Layer(found.kind, found.places, _values(rules, found, cells), found.squares)


def _ground(
    rules: Rules, group: list[_Found], count: int
) -> dict[Coordinates, tuple[tuple[str, str | None], ...]]:  # fmt: skip
    """Static facts about cells, which rules compare with what stands there."""
    derived = {rule.head[0] for rule in rules.rules if rule.body}
    roles = set(rules.roles)
    lying: dict[Coordinates, dict[tuple[str, str | None], None]] = {}
    done: set[Kind] = set()
    for found in group:
        wanted = set(found.places)
        for kind, pairs in sorted(rules.shared(found.kind)):
            rows = rules.static.get(kind, [])
            at = dict(pairs)
            if not rows or kind in done or kind[0] in derived or len(rows) > _MOST * count:
                continue
            if not wanted <= at.keys() or kind[1] - len(wanted) not in (0, 1) or found.squares is not None:
                continue
            rest = [j for j in range(kind[1]) if j not in {at[i] for i in wanted}]
            if any(row[j] not in roles for row in rows for j in rest):
                continue
            done.add(kind)
            for row in rows:
                cell = tuple(row[at[i]] for i in found.places)
                lying.setdefault(cell, {})[kind[0], row[rest[0]] if rest else None] = None
    return {cell: tuple(here) for cell, here in lying.items()}
