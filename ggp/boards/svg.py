"""A board as a picture in SVG, for notebooks and pages: the grids, and what stands beside them as lines of text.

Pieces are discs in the colour of their owner, with their symbol where the colour alone does not tell what they are. What
lies under the pointer says what it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape
from itertools import groupby
from math import sqrt

from ggp.boards.colours import named_style, styles
from ggp.boards.grid_text import seen
from ggp.boards.model import Board, Cell, Edge, Grid, Item, Mark, Shape
from ggp.boards.text import picture

_CELL, _MARGIN, _LINE, _LETTER = 40.0, 24.0, 18.0, 8.0
"""Pixels: the side of a cell, the least room beside a grid, the height of a line of text, the width of a letter."""
_WIDEST = 1200.0
"""Pixels that grids beside each other may take."""
_COLUMNS = 80
"""Characters of a line of text."""
_PAINT = {
    "bold": "#ffffff", "bold bright_black": "#2b2b2b", "bold red": "#d43d3d", "bold blue": "#3566c8",
    "bold green": "#3c9a4b", "bold yellow": "#e8c63a", "bold dark_orange": "#e07b1f", "bold magenta": "#9b4fb5",
    "bold bright_magenta": "#e58ac0", "bold cyan": "#2aa6b0", "bold orange4": "#7d5a33",
}  # fmt: skip
"""The colours of the terminal's styles."""
_DARK = {"#2b2b2b", "#d43d3d", "#3566c8", "#3c9a4b", "#9b4fb5", "#7d5a33"}
_FILLS = {None: "#f1e9d8", Mark.TO: "#f7d774", Mark.FROM: "#e6d5a4"}
"""Of cells: as they are, where the last move arrived, where it left."""


def render_svg(board: Board) -> str:
    """A board as the text of an SVG image."""
    paint = {role: _PAINT[style] for role, style in styles(board.roles).items()}
    parts: list[str] = []
    width, top = 0.0, 0.0
    for row in _rows(board):
        across = 0.0
        for grid in row:
            parts += [f'<g transform="translate({across:g} {top:g})">', *_grid(grid, paint), "</g>"]
            across += _size(grid)[0]
        width = max(width, across)
        top += max(_size(grid)[1] for grid in row)
    for line in picture(replace(board, grids=()), _COLUMNS).plain.splitlines():
        top += _LINE
        parts.append(f'<text x="4" y="{top - 5:g}" font-size="13" xml:space="preserve">{escape(line)}</text>')
        width = max(width, _LETTER * (len(line) + 1))
    box = f'viewBox="0 0 {width:g} {top:g}" width="{width:g}" height="{top:g}"'
    paper = f'<rect width="{width:g}" height="{top:g}" fill="#ffffff"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="monospace">{paper}{"".join(parts)}</svg>'


def _rows(board: Board) -> Iterator[list[Grid]]:
    """The grids in rows, each as wide as it may be."""
    for _, level in groupby(sorted(board.grids, key=lambda g: g.down), key=lambda g: g.down):
        row: list[Grid] = []
        for grid in level:
            if row and sum(_size(g)[0] for g in [*row, grid]) > _WIDEST:
                yield row
                row = []
            row.append(grid)
        yield row


def _pitch(grid: Grid) -> float:
    """From the middle of a row to that of the next."""
    return _CELL * sqrt(3) / 2 if grid.shape is Shape.HEXES else _CELL


def _size(grid: Grid) -> tuple[float, float]:
    columns, rows = len(grid.columns), len(grid.rows)
    lean = (rows - 1) / 2 if grid.shape is Shape.HEXES else 0.0
    return _edge_of(grid) + (columns + lean) * _CELL + _MARGIN, (rows - 1) * _pitch(grid) + _CELL + 2 * _MARGIN


def _edge_of(grid: Grid) -> float:
    """How much room the labels of rows take."""
    return max(_MARGIN, *(_LETTER * (len(label) + 1) for label in grid.rows))


def _left(grid: Grid, row: float) -> float:
    """Where a row of cells begins."""
    if grid.shape is not Shape.HEXES:
        return _edge_of(grid)
    return _edge_of(grid) + (row if grid.slant > 0 else len(grid.rows) - 1 - row) * _CELL / 2


def _middle(grid: Grid, column: float, row: float) -> tuple[float, float]:
    return _left(grid, row) + (column + 0.5) * _CELL, _MARGIN + row * _pitch(grid) + _CELL / 2


def _grid(grid: Grid, paint: Mapping[str, str]) -> Iterator[str]:
    """The drawing of a grid: its name, labels, cells, lines and pieces, each over those before it."""
    if grid.name:
        yield _text(_size(grid)[0] / 2, _MARGIN / 2, grid.name, size=12, colour="#555555")
    for x, label in enumerate(grid.columns):
        at, bottom = _middle(grid, x, len(grid.rows) - 1)
        yield _text(at, bottom + _CELL / 2 + _MARGIN / 2, label, size=12, colour="#777777")
    for y, label in enumerate(grid.rows):
        at, height = _middle(grid, -0.5, y)
        yield _text(at - _LETTER * (len(label) + 1) / 2, height, label, size=12, colour="#777777")
    places = {cell.id: _middle(grid, cell.column, cell.row) for cell in grid.cells}
    yield from (_ground(grid, cell) for cell in grid.cells)
    for one, other in grid.links:
        if one in places and other in places:
            yield _line(*places[one], *places[other], "#8a7a5c", 2)
    yield from (_edge(edge, _edge_of(grid)) for edge in grid.edges)
    for cell in grid.cells:
        yield from _pieces(cell, *places[cell.id], paint)


def _ground(grid: Grid, cell: Cell) -> str:
    """The cell itself."""
    x, y = _middle(grid, cell.column, cell.row)
    fill = f'fill="{_FILLS[cell.mark]}" stroke="#b9a98a"'
    if grid.shape is Shape.HEXES:
        half, arm = _CELL / 2, _CELL / sqrt(3)
        corners = [(0, -arm), (half, -arm / 2), (half, arm / 2), (0, arm), (-half, arm / 2), (-half, -arm / 2)]
        return f'<polygon points="{" ".join(f"{x + a:.4g},{y + b:.4g}" for a, b in corners)}" {fill}/>'
    return f'<rect x="{x - _CELL / 2:g}" y="{y - _CELL / 2:g}" width="{_CELL:g}" height="{_CELL:g}" {fill}/>'


def _edge(edge: Edge, left: float) -> str:
    (x1, y1), (x2, y2) = edge.start, edge.end
    place = (left + x1 * _CELL, _MARGIN + y1 * _CELL, left + x2 * _CELL, _MARGIN + y2 * _CELL)
    return _line(*place, "#c0392b" if edge.mark else "#333333", 4)


def _pieces(cell: Cell, x: float, y: float, paint: Mapping[str, str]) -> Iterator[str]:
    """What lies in a cell always, and what stands there now; several things share it."""
    for item in cell.ground:
        colour = "#999999" if item.owner is None else paint.get(item.owner, "#999999")
        if not cell.items or item.owner is None:
            yield _text(x, y, item.symbol if item.owner is None else "·", size=20, colour=colour)
    shown = seen(cell)
    share = _CELL / max(1, len(shown))
    for number, item in enumerate(shown):
        yield from _piece(item, x + (number - (len(shown) - 1) / 2) * share, y, share, paint)


def _piece(item: Item, x: float, y: float, room: float, paint: Mapping[str, str]) -> Iterator[str]:
    colour = None if item.owner is None else paint.get(item.owner)
    yield f"<g><title>{escape(' '.join(item.facts) or item.name)}</title>"
    if colour is not None:
        yield f'<circle cx="{x:g}" cy="{y:g}" r="{0.4 * room:g}" fill="{colour}" stroke="#555555"/>'
    if colour is None or item.kind is not None or named_style(item.owner or "") is None:
        ink = "#ffffff" if colour in _DARK else "#111111"
        yield _text(x, y, item.symbol, size=min(18.0, 1.1 * room / max(1, len(item.symbol))), colour=ink)
    yield "</g>"


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: int) -> str:
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" stroke-width="{width}"/>'


def _text(x: float, y: float, text: str, *, size: float, colour: str) -> str:
    place = f'x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}"'
    return f'<text {place} text-anchor="middle" dominant-baseline="central">{escape(text)}</text>'
