"""What the rules of a game say about how its positions look, and the positions seen that way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from gdl.parser import parse_term
from gdl.ruleset import Ruleset
from gdl.terms import Symbol, Term, arguments, kif
from ggp.boards.groups import Loose
from ggp.boards.layers import Layer, Plan
from ggp.boards.model import Action, Board, Cell, Edge, Grid, Group, GroupKind, Item, Mark, Shape
from ggp.boards.moves import action, cell_id
from ggp.boards.plans import plans
from ggp.boards.rules import Rules
from ggp.boards.shapes import Coordinates

_MANY_GRIDS = 9
"""Of more grids than this, those that are empty are left out."""

_MOST_CHANGES = 10
"""Where more cells change than this, marks say nothing."""

Standing = Mapping[Coordinates, tuple[Item, ...]]
"""What stands on the cells of a plan."""


@dataclass(frozen=True)
class Schema:
    """How positions of one game look."""

    roles: tuple[str, ...]
    plans: tuple[Plan, ...]
    loose: Loose
    initial: tuple[Term, ...]
    """The first position, where it could be worked out without reasoning about rules that are large; else empty."""

    @classmethod
    def of(cls, ruleset: Ruleset) -> Schema:
        """Analyse a ruleset; a matter of some hundredths of a second, nothing is ground."""
        rules = Rules.of(ruleset)
        found = plans(rules)
        placed = {layer.kind for plan in found for layer in plan.layers}
        others = [(kind, domains) for kind, domains in rules.fluents() if kind not in placed]
        return cls(ruleset.roles, found, Loose.of(rules, others), _initial(rules))

    def view(
        self, fluents: Iterable[Term], *, last_moves: Sequence[Term] | None = None, legal: Sequence[Sequence[Term]] = (),
        before: Iterable[Term] | None = None, over: bool = False,
    ) -> Board:  # fmt: skip
        """A position as a board.

        `last_moves` is the joint move that led here, `before` the fluents before it: where moves name no cells, those
        that changed are marked. `legal` are the legal moves of each role. Nobody is to move when the game is `over`.
        """
        fluents = list(fluents)
        standing, edges, loose = self._stand(fluents)
        groups = self.loose.groups(loose)
        last = tuple(self.action(role, move) for role, move in zip(self.roles, last_moves or (), strict=False))
        drawn = {done.line for done in last}
        marks = _marks(last)
        if not marks and drawn <= {None} and before is not None:
            marks = self._changes(standing, before)
        edges = [[replace(e, mark=Mark.TO) if (e.start, e.end) in drawn else e for e in here] for here in edges]
        grids = tuple(
            grid
            for number, (plan, here) in enumerate(zip(self.plans, standing, strict=True))
            for grid in _grids(number, plan, here, marks, edges[number], alone=len(self.plans) == 1)
        )
        actions = tuple(
            tuple(self.action(role, move) for move in moves) for role, moves in zip(self.roles, legal, strict=False)
        )
        to_move = () if over else self._to_move(groups, legal)
        return Board(self.roles, to_move, grids, groups, last, actions)

    def action(self, role: str, move: Term) -> Action:
        """How a move acts on the board, as far as its term says."""
        return action(self.plans, role, move)

    def _stand(self, fluents: Iterable[Term]) -> tuple[list[Standing], list[list[Edge]], list[Term]]:
        """What stands on the boards, the lines on them, and the fluents that are on none."""
        layers = {layer.kind: (n, layer) for n, plan in enumerate(self.plans) for layer in plan.layers}
        lines = {line.kind: (n, line) for n, plan in enumerate(self.plans) for line in plan.lines}
        items: list[dict[Coordinates, list[tuple[Layer, Item]]]] = [{} for _ in self.plans]
        edges: list[list[Edge]] = [[] for _ in self.plans]
        loose = []
        for fluent in fluents:
            inner = arguments(fluent)
            kind, row = (fluent.name, len(inner)), [part.name for part in inner if isinstance(part, Symbol)]
            if len(row) == kind[1] and kind in layers:
                number, layer = layers[kind]
                cell = layer.where(row)
                if cell is not None and self.plans[number].has(cell):
                    items[number].setdefault(cell, []).append((layer, _item(self.plans[number], layer, fluent)))
                    continue
            elif len(row) == kind[1] and kind in lines:
                number, line = lines[kind]
                ends = self.plans[number].corners(line, row)
                if ends is not None:
                    edges[number].append(Edge(*ends, Item(kind[0], None, None, "", (kif(fluent),))))
                    continue
            loose.append(fluent)
        standing: list[Standing] = [
            {cell: _stacked(plan, here) for cell, here in found.items()}
            for plan, found in zip(self.plans, items, strict=True)
        ]
        return standing, edges, loose

    def _changes(self, standing: Sequence[Standing], before: Iterable[Term]) -> dict[str, Mark]:
        """The cells where something else stands than before."""
        marks = {}
        for number, (plan, now, then) in enumerate(zip(self.plans, standing, self._stand(before)[0], strict=True)):
            for cell in now.keys() | then.keys():
                if (here := _shown(now.get(cell, ()))) != _shown(then.get(cell, ())):
                    marks[cell_id(number, plan, cell)] = Mark.TO if here else Mark.FROM
        return marks if len(marks) <= _MOST_CHANGES else {}

    def _to_move(self, groups: Sequence[Group], legal: Sequence[Sequence[Term]]) -> tuple[str, ...]:
        named = {value for group in groups if group.kind is GroupKind.TURN for e in group.entries for value in e.values}
        if named & set(self.roles):
            return tuple(role for role in self.roles if role in named)
        return tuple(role for role, moves in zip(self.roles, legal, strict=False) if len(moves) > 1)


def _item(plan: Plan, layer: Layer, fluent: Term) -> Item:
    """What a fluent says of a cell."""
    owner, kinds = None, []
    empty = False
    for place, meaning in layer.values.items():
        value = meaning.of(arguments(fluent)[place].name)
        empty = empty or value.empty
        if value.owner is not None and owner is None:
            owner = value.owner
        elif value.owner is not None:
            kinds.append(value.owner)
        if value.kind is not None:
            kinds.append(value.kind)
    kind = " ".join(kinds) or None
    symbol = "" if empty else _symbol(plan, layer.kind[0], kinds, owner)
    return Item(layer.kind[0], kind, owner, symbol, (kif(fluent),))


def _symbol(plan: Plan, name: str, kinds: Sequence[str], owner: str | None) -> str:
    if len(kinds) < 2:
        return plan.symbols.symbol(name, kinds[0] if kinds else None, owner)
    return "".join(plan.symbols.symbol(name, kind, owner if n == 0 else None) for n, kind in enumerate(kinds))


def _stacked(plan: Plan, here: Sequence[tuple[Layer, Item]]) -> tuple[Item, ...]:
    """The items of a cell, the uppermost first; what several fluents say of one piece is one item."""
    by_piece: dict[object, list[Item]] = {}
    for layer, item in here:
        traits = not layer.has_owner and item.kind is not None and bool(item.symbol)
        piece = "halves" if layer.kind in plan.halves else layer.kind if traits else item
        by_piece.setdefault(piece, []).append(item)
    items = [_piece(plan, parts) for parts in by_piece.values()]
    return tuple(sorted(items, key=lambda item: (not item.symbol, item.owner is None, item.kind is None)))


def _piece(plan: Plan, parts: Sequence[Item]) -> Item:
    """One item of all that is said of a piece."""
    if len(parts) == 1:
        return parts[0]
    kinds = [part.kind for part in parts if part.kind is not None]
    owner = next((part.owner for part in parts if part.owner is not None), None)
    name = next((part.name for part in parts if part.kind is not None), parts[0].name)
    facts = tuple(fact for part in parts for fact in part.facts)
    return Item(name, " ".join(kinds) or None, owner, _symbol(plan, name, kinds, owner), facts)


def _shown(items: Sequence[Item]) -> set[tuple[str, str | None, str | None]]:
    return {(item.name, item.kind, item.owner) for item in items if item.symbol}


def _initial(rules: Rules) -> tuple[Term, ...]:
    """The fluents of the first position, in the order in which machines have them."""
    texts = (f"({' '.join((kind[0], *row))})" if row else kind[0] for kind, rows in rules.init.items() for row in rows)
    return tuple(sorted(map(parse_term, texts), key=kif))


def _marks(actions: Iterable[Action]) -> dict[str, Mark]:
    """The cells that moves name."""
    marks: dict[str, Mark] = {}
    for done in actions:
        if done.source is not None:
            marks.setdefault(done.source, Mark.FROM)
        for cell in (done.target, *done.more):
            if cell is not None:
                marks[cell] = Mark.TO
    return marks


def _grids(
    number: int, plan: Plan, here: Standing, marks: Mapping[str, Mark], edges: Sequence[Edge], *, alone: bool
) -> Iterator[Grid]:  # fmt: skip
    """The grids of a plan: one for each combination of the coordinates that count them."""
    columns, rows = (_in_use(plan, place, here) for place in (plan.column, plan.row))
    if plan.geometry.mirrored:
        columns.reverse()
    if not plan.geometry.rows_down:
        rows.reverse()
    boards = list(product(*(enumerate(plan.axes[i]) for i in plan.boards)))
    for board in boards:
        indices = [n for n, _ in board]
        labels = [label for _, label in board]
        cells = tuple(_cells(number, plan, labels, columns, rows, here, marks))
        if len(boards) > _MANY_GRIDS and not any(item.symbol for cell in cells for item in cell.items):
            cells = tuple(cell for cell in cells if cell.items)
            if not cells:
                continue
        name = " ".join(labels if alone else (plan.name, *labels))
        grid = Grid(name, tuple(columns), tuple(rows), cells, across=indices[0] if indices else 0)
        slant = plan.geometry.slant * (-1 if plan.geometry.rows_down else 1) * (-1 if plan.geometry.mirrored else 1)
        links = tuple((cell_id(number, plan, a), cell_id(number, plan, b)) for a, b in plan.geometry.links)
        yield replace(
            grid, shape=Shape.HEXES if slant else Shape.SQUARES, slant=slant, links=links,
            down=indices[1] if len(indices) > 1 else 0, edges=tuple(edges), has_edges=bool(plan.lines),
        )  # fmt: skip


def _in_use(plan: Plan, place: int, here: Standing) -> list[str]:
    """The labels of a side; of a board that may be too large, from the first to the last that are in use."""
    axis = list(plan.axes[place])
    if plan.begun is None:
        return axis
    used = [axis.index(cell[place]) for cell in plan.begun | here.keys() if cell[place] in axis]
    return axis[min(used, default=0) : max(used, default=0) + 1]


def _cells(
    number: int, plan: Plan, board: Sequence[str], columns: Sequence[str], rows: Sequence[str], here: Standing,
    marks: Mapping[str, Mark],
) -> Iterator[Cell]:  # fmt: skip
    """The cells of one grid, row by row."""
    for (y, row), (x, column) in product(enumerate(rows), enumerate(columns)):
        coordinates = [""] * len(plan.axes)
        coordinates[plan.column], coordinates[plan.row] = column, row
        for i, label in zip(plan.boards, board, strict=True):
            coordinates[i] = label
        cell = tuple(coordinates)
        if plan.cells is None or cell in plan.cells or cell in here:
            name = cell_id(number, plan, cell)
            ground = tuple(
                Item(what, None, owner, plan.symbols.symbol(what, None, None), ())
                for what, owner in plan.ground.get(cell, ())
            )
            yield Cell(name, x, y, here.get(cell, ()), ground, marks.get(name))
