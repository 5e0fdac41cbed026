"""A board as text for a terminal, with colours where it has them.

    8  r [·] b  q  k  b  n  r

The cells that the last move named are marked: [x] where something arrived, (·) where it left. What everybody can see
twice is said once: the plain text tells as much as the colours.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from itertools import groupby

from rich.console import Console
from rich.text import Text

from ggp.boards.colours import named_style, styles
from ggp.boards.grid_text import grid_lines
from ggp.boards.model import Board, Entry, Grid, Group, GroupKind, Item

_ASCII = str.maketrans("·─│━┃–…█░", ".-|=!-.#.")
_BETWEEN = 4
"""Columns between two grids."""
_MOST_LEGEND = 10
_MOST_LINES = 8
"""Of a group; data keep all."""


def render(board: Board, width: int = 80, colour: bool = False) -> str:
    """A board as lines of text, of at most `width` columns where it can be; with ANSI colours if `colour`."""
    text = picture(board, width)
    if not colour:
        return text.plain
    console = Console(
        file=io.StringIO(), width=max(width, *map(len, text.plain.splitlines()), 1), force_terminal=True,
        color_system="256", legacy_windows=False, _environ={},
    )  # fmt: skip
    with console.capture() as captured:
        console.print(text, end="", no_wrap=True, crop=False)
    return captured.get()


def picture(board: Board, width: int = 80) -> Text:
    """A board as styled text."""
    colours = styles(board.roles)
    lines: list[Text] = []
    if board.to_move:
        names = Text(", ").join(Text(role, colours[role]) for role in board.to_move)
        lines.append(Text.assemble(names, " to move"))
    for _, row in groupby(sorted(board.grids, key=lambda g: g.down), key=lambda g: g.down):
        lines += _side_by_side([_titled(grid, colours) for grid in row], width)
    legend = _legend(board)
    if legend:
        lines += [Text(line, "dim") for line in _wrapped(legend, width, "")]
    lines += _beside(board.groups, colours, width)
    return Text("\n").join(line for line in lines) if lines else Text("(nothing holds)")


def in_ascii(text: Text) -> Text:
    """The same in characters that every terminal has."""
    text = text.copy()
    text.plain = text.plain.translate(_ASCII)
    return text


def item_style(item: Item, colours: Mapping[str, str]) -> str:
    """The style of a piece: that of its owner, or of the colour that it is called."""
    if item.owner is not None:
        return colours.get(item.owner, "")
    return (item.kind is not None and named_style(item.kind)) or ""


def _titled(grid: Grid, colours: Mapping[str, str]) -> list[Text]:
    lines = grid_lines(grid, lambda item: item_style(item, colours))
    return [Text(grid.name, "italic"), *lines] if grid.name else lines


def _side_by_side(blocks: Sequence[list[Text]], width: int) -> list[Text]:
    """Grids beside each other as far as they fit."""
    lines: list[Text] = []
    row: list[list[Text]] = []
    for block in blocks:
        if row and sum(_width(b) + _BETWEEN for b in row) + _width(block) > width:
            lines += _joined(row)
            row = []
        row.append(block)
    return lines + _joined(row)


def _width(block: Sequence[Text]) -> int:
    return max((line.cell_len for line in block), default=0)


def _joined(blocks: Sequence[Sequence[Text]]) -> list[Text]:
    lines = []
    for number in range(max(map(len, blocks), default=0)):
        line = Text()
        for block in blocks:
            part = block[number].copy() if number < len(block) else Text()
            part.pad_right(_width(block) - part.cell_len + _BETWEEN)
            line.append_text(part)
        line.rstrip()
        lines.append(line)
    return lines


def _legend(board: Board) -> str:
    """What the symbols on the grids mean, where they are not the words themselves."""
    found: dict[str, str] = {}
    cases: dict[bool, str] = {}
    for item in (i for grid in board.grids for cell in grid.cells for i in (*cell.items, *cell.ground)):
        word = item.kind or item.owner or item.name
        if item.kind is not None and item.owner is not None and len(board.roles) == 2 and item.symbol.isalpha():
            cases[item.symbol.isupper()] = item.owner
        if item.symbol and " " not in word and not (item.owner and not item.facts):
            bare = item.symbol.lower() if item.kind is not None else item.symbol
            if bare != word.lower() and not (item.kind is None and item.owner is not None and word.startswith(bare)):
                found[bare] = word
    words = [f"{symbol} {word}" for symbol, word in sorted(found.items()) if not word.endswith(symbol)]
    if len(cases) == 2:
        words.append(f"capitals {cases[True]}")
    return ", ".join(words) if len(words) <= _MOST_LEGEND else ""


def _beside(groups: Sequence[Group], colours: Mapping[str, str], width: int) -> list[Text]:
    """What is on no grid: numbers and single facts in one line, the other groups a line each."""
    short: list[str] = []
    long: list[str] = []
    for group in groups:
        if group.kind is GroupKind.TURN and all(value in colours for e in group.entries for value in e.values):
            continue  # said at the top
        if group.kind is GroupKind.FACTS and all(not e.values for e in group.entries):
            short.append(group.name)
        elif group.kind is GroupKind.COUNTER or (len(group.entries) == 1 and not group.entries[0].label):
            short.append(f"{group.name} {' '.join(group.entries[0].values)}")
        else:
            long.append(f"{group.name}  {_entries(group)}")
    lines = _wrapped("   ".join(short), width, "") if short else []
    for line in long:
        pieces = _wrapped(line, width, "    ")
        lines += pieces[:_MOST_LINES] + [f"    … {len(pieces) - _MOST_LINES} more lines"] * (len(pieces) > _MOST_LINES)
    return [_coloured(line, colours) for line in lines]


def _entries(group: Group) -> str:
    if group.kind is GroupKind.SET:
        return _ranges([" ".join(entry.values) for entry in group.entries])
    between = " | " if group.kind is GroupKind.PILES or any(len(e.values) > 1 for e in group.entries) else ", "
    return between.join(_entry(group.kind, entry) for entry in group.entries)


def _entry(kind: GroupKind, entry: Entry) -> str:
    values = " ".join(entry.values)
    return f"{entry.label}: {values}" if kind is GroupKind.PILES else f"{entry.label} {values}".strip()


def _ranges(values: Sequence[str]) -> str:
    """Values with commas; runs of numbers in short."""
    parts: list[str] = []
    for _, run in groupby(enumerate(values), lambda pair: int(pair[1]) - pair[0] if pair[1].isdigit() else pair[1]):
        found = [value for _, value in run]
        parts += [f"{found[0]}–{found[-1]}"] if len(found) > 2 else found
    return ", ".join(parts)


def _wrapped(line: str, width: int, indent: str) -> list[str]:
    """A line in pieces of at most `width`, broken at blanks; `indent` stands before all but the first."""
    lines = [""]
    for word in line.split(" "):
        if len(lines[-1]) + 1 + len(word) > width and lines[-1].strip():
            lines.append(indent + word)
        else:
            lines[-1] += word if lines[-1] in ("", indent) and len(lines) > 1 else (" " if lines[-1] else "") + word
    return [one.rstrip() for one in lines]


def _coloured(line: str, colours: Mapping[str, str]) -> Text:
    text = Text(line)
    for role, style in colours.items():
        text.highlight_words([f" {role} "], style)
    return text
