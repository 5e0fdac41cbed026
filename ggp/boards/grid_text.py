"""One grid as lines of text: rows with their labels, columns below, hexes shifted, lines between distant neighbours."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text

from ggp.boards.model import Cell, Grid, Item, Mark, Shape

Style = Callable[[Item], str]

_EMPTY = "·"
_BRACKETS = {Mark.TO: ("[", "]"), Mark.FROM: ("(", ")")}
_MARKED = {Mark.TO: "reverse", Mark.FROM: "dim"}
_MOST_ITEMS = 3


def grid_lines(grid: Grid, style: Style) -> list[Text]:
    """The lines of a grid, without its name."""
    by_place = {(cell.column, cell.row): cell for cell in grid.cells}
    faces = {place: _face(cell, style, " " if grid.has_edges else _EMPTY) for place, cell in by_place.items()}
    width = max([1, *(face.cell_len for face in faces.values()), *_label_widths(grid)])
    if grid.shape is Shape.HEXES and width % 2 == 0:
        width += 1  # so that half a cell is a whole number of characters
    margin = max((len(row) for row in grid.rows), default=0)
    rules = _rules(grid, by_place)
    lines = []
    for y, label in enumerate(grid.rows):
        line = Text().append(f"{label:>{margin}} ", "dim")
        line.append(" " * _shift(grid, y, width))
        line.append_text(_row(y, len(grid.columns), width, by_place, faces, rules))
        lines += [_border(grid, y, width, margin), line] if grid.has_edges else [line]
    lines += [_border(grid, len(grid.rows), width, margin)] if grid.has_edges else []
    line = Text(" " * (margin + 2 + _shift(grid, len(grid.rows) - 1, width)), "dim")
    line.append(" ".join(column.center(width) for column in grid.columns))
    lines.append(line)
    for line in lines:
        line.rstrip()
    return lines


def _label_widths(grid: Grid) -> list[int]:
    return [len(column) for column in grid.columns]


def _shift(grid: Grid, row: int, width: int) -> int:
    """Characters by which a row of hexes is moved to the right."""
    if grid.shape is not Shape.HEXES:
        return 0
    return (row if grid.slant > 0 else len(grid.rows) - 1 - row) * ((width + 1) // 2)


def _row(
    y: int, count: int, width: int, cells: dict[tuple[int, int], Cell], faces: dict[tuple[int, int], Text],
    rules: dict[tuple[int, int], str],
) -> Text:  # fmt: skip
    """The cells of a row; the characters between them hold brackets and lines."""
    pieces: list[Text] = [Text(rules.get((-1, y), " "))]
    for x in range(count):
        rule = rules.get((2 * x, y), " ")
        face = faces.get((x, y), Text(rule * width if rule == "─" else rule.center(width)))
        left = (width - face.cell_len) // 2
        pieces += [Text(" ")] * left
        mark = cells[x, y].mark if (x, y) in cells else None
        if mark is not None:
            before, after = _BRACKETS[mark]
            pieces[-1] = Text("|" if pieces[-1].plain in ")]" else before)
            face = _restyled(face, _MARKED[mark])
        rest = [Text(" ")] * (width - face.cell_len - left) + [Text(rules.get((2 * x + 1, y), " "))]
        if mark is not None:
            rest[0] = Text(after)
        pieces += [face, *rest]
    return Text().join(pieces)


def _restyled(face: Text, style: str) -> Text:
    face = face.copy()
    face.stylize(style)
    return face


def seen(cell: Cell) -> list[Item]:
    """The items of a cell that a picture of it shows: the uppermost few, each symbol once."""
    shown = [item for item in cell.items if item.symbol]
    words = [item for item in shown if item.owner is not None or not (item.kind or "1").isdigit()]
    if words:  # numbers below a piece are notes about it
        shown = [item for item in shown if item in words or item.kind is None]
    first = {item.symbol: item for item in reversed(shown[:_MOST_ITEMS])}
    return [item for item in shown[:_MOST_ITEMS] if first[item.symbol] is item]


def _face(cell: Cell, style: Style, empty: str) -> Text:
    """What is seen of a cell: its items, else what lies there always, else that it is empty."""
    face = Text()
    for item in seen(cell):
        face.append(item.symbol, style(item))
    for item in cell.ground:
        if item.owner is None:
            face.append(item.symbol, "dim")
        elif not face:
            face.append(_EMPTY, style(item))
    return face or Text(empty, "dim")


def _rules(grid: Grid, cells: dict[tuple[int, int], Cell]) -> dict[tuple[int, int], str]:
    """The characters of lines: at (2x, y) in place of a missing cell, at (2x + 1, y) after the cell of column x."""
    places = {cell.id: place for place, cell in cells.items()}
    found: dict[tuple[int, int], str] = {}
    for first, second in grid.links:
        if first not in places or second not in places:
            continue
        (x1, y1), (x2, y2) = sorted((places[first], places[second]))
        if y1 == y2:
            found |= {(x, y1): "─" for x in range(2 * x1 + 1, 2 * x2)}
        else:
            found |= {(2 * x1, y): "│" for y in range(min(y1, y2) + 1, max(y1, y2))}
    for edge in grid.edges:
        if edge.start[0] == edge.end[0]:
            found[2 * edge.start[0] - 1, edge.start[1]] = "┃" if edge.mark else "│"
    return found


def _border(grid: Grid, row: int, width: int, margin: int) -> Text:
    """The line of corners above a row, with the edges that lie there."""
    lying = {edge.start[0]: "━" if edge.mark else "─" for edge in grid.edges if edge.start[1] == edge.end[1] == row}
    line = Text(" " * (margin + 1)).append(_EMPTY, "dim")
    for x in range(len(grid.columns)):
        line.append(lying.get(x, " ") * width).append(_EMPTY, "dim")
    return line
