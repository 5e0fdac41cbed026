"""One grid as lines of text: rows with their labels, columns below, hexes shifted, lines between distant neighbours."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text

from ggp.boards.model import Cell, Grid, Item, Mark, Shape

Style = Callable[[Item], str]

_EMPTY = "·"
_BRACKETS = {Mark.TO: "[]", Mark.FROM: "()"}
_MARKED = {Mark.TO: "reverse", Mark.FROM: "dim"}
_MOST_ITEMS = 3


def grid_lines(grid: Grid, style: Style) -> list[Text]:
    """The lines of a grid, without its name."""
    by_place = {(cell.column, cell.row): cell for cell in grid.cells}
    faces = {place: _face(cell, style) for place, cell in by_place.items()}
    width = max([1, *(face.cell_len for face in faces.values()), *_label_widths(grid)])
    if grid.shape is Shape.HEXES and width % 2 == 0:
        width += 1  # so that half a cell is a whole number of characters
    margin = max((len(row) for row in grid.rows), default=0)
    rules = _rules(grid, by_place)
    lines = []
    for y, label in enumerate(grid.rows):
        line = Text(f"{label:>{margin}} ", "dim")
        line.append(" " * _shift(grid, y, width))
        _append_row(line, y, len(grid.columns), width, by_place, faces, rules)
        lines.append(line)
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


def _append_row(
    line: Text, y: int, count: int, width: int, cells: dict[tuple[int, int], Cell],
    faces: dict[tuple[int, int], Text], rules: dict[tuple[int, int], str],
) -> None:  # fmt: skip
    """The cells of a row; the characters between them hold brackets and lines."""
    gaps = [" "] * (count + 1)
    for x in range(count):
        mark = cells[x, y].mark if (x, y) in cells else None
        if mark is not None:
            gaps[x], gaps[x + 1] = _both(gaps[x], _BRACKETS[mark][0]), _BRACKETS[mark][1]
    for x in range(count + 1):
        line.append(rules.get((2 * x - 1, y), " ") if gaps[x] == " " else gaps[x])
        if x == count:
            break
        face = faces.get((x, y))
        rule = rules.get((2 * x, y), " ")
        if face is None:
            line.append(rule * width if rule == "─" else rule.center(width))
            continue
        left = (width - face.cell_len) // 2
        line.append(" " * left)
        mark = cells[x, y].mark
        line.append_text(_restyled(face, _MARKED[mark]) if mark is not None else face)
        line.append(" " * (width - face.cell_len - left))


def _both(before: str, now: str) -> str:
    """The sign between two cells that are both marked."""
    return now if before == " " else "|"


def _restyled(face: Text, style: str) -> Text:
    face = face.copy()
    face.stylize(style)
    return face


def _face(cell: Cell, style: Style) -> Text:
    """What is seen of a cell: its items, else what lies there always, else that it is empty."""
    shown = [item for item in cell.items if item.symbol]
    if any(item.owner is not None for item in shown):  # numbers below a piece are notes about it
        shown = [item for item in shown if item.owner is not None or not (item.kind or "").isdigit()]
    face = Text()
    seen: set[str] = set()
    for item in shown[:_MOST_ITEMS]:
        if item.symbol not in seen:
            face.append(item.symbol, style(item))
            seen.add(item.symbol)
    for item in cell.ground:
        if item.owner is None:
            face.append(item.symbol, "dim")
        elif not face:
            face.append(_EMPTY, style(item))
    return face if face else Text(_EMPTY, "dim")


def _rules(grid: Grid, cells: dict[tuple[int, int], Cell]) -> dict[tuple[int, int], str]:
    """The characters of lines: at (2x, y) in place of a missing cell, at (2x - 1, y) before the cell of column x."""
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
    return found
