"""Reports: text, tables and figures as data, written as Markdown, CSV and SVG. The same report gives the same bytes."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from ggp.lab.figures import Curves, HeatMaps
from ggp.lab.plots import svg

Cell: TypeAlias = str | int | float | None
"""A cell of a table; numbers stay exact in CSV and are shortened in Markdown."""


@dataclass(frozen=True)
class Table:
    """A table with a name for its file."""

    name: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    digits: int = 1
    """Decimals of broken numbers in Markdown."""
    shown: bool = True
    """Whether it stands in the Markdown too, or in its CSV file only."""


Part: TypeAlias = str | Table | Curves | HeatMaps


@dataclass(frozen=True)
class Report:
    """A title and what follows it: paragraphs (Markdown), tables and figures."""

    title: str
    parts: tuple[Part, ...]
    data: Mapping[str, object] = field(default_factory=dict)
    """The same as values, for programs."""


def markdown(report: Report, name: str, *, plots: bool) -> str:
    """The report as Markdown; figures are linked where `plots` says that their files are there."""
    blocks = [f"# {report.title}"]
    for part in report.parts:
        if isinstance(part, str):
            blocks.append(part.strip())
        elif isinstance(part, Table):
            if part.shown:
                blocks.append(_markdown_table(part))
        elif plots:
            blocks.append(f"![{part.title}]({name}-{part.name}.svg)")
    return "\n\n".join(blocks) + "\n"


def csv_text(table: Table) -> str:
    """A table as CSV."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.heads)
    writer.writerows([["" if cell is None else cell for cell in row] for row in table.rows])
    return stream.getvalue()


def write_report(report: Report, name: str, folder: Path, *, plots: bool) -> list[Path]:
    """Write NAME.md, NAME-TABLE.csv and, if wanted, NAME-FIGURE.svg; returns what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, str] = {f"{name}.md": markdown(report, name, plots=plots)}
    for part in report.parts:
        if isinstance(part, Table):
            files[f"{name}-{part.name}.csv"] = csv_text(part)
        elif plots and not isinstance(part, str):
            files[f"{name}-{part.name}.svg"] = svg(part)
    written = []
    for file, text in files.items():
        path = folder / file
        part_path = path.with_name(f".{file}.part")
        part_path.write_text(text, encoding="utf-8", newline="\n")
        os.replace(part_path, path)
        written.append(path)
    return written


def _markdown_table(table: Table) -> str:
    numbers = [
        any(isinstance(row[column], (int, float)) for row in table.rows) for column in range(len(table.heads))
    ]  # fmt: skip
    lines = ["| " + " | ".join(table.heads) + " |"]
    lines.append("|" + "|".join("--:" if number else "---" for number in numbers) + "|")
    lines += ["| " + " | ".join(_shown(cell, table.digits) for cell in row) + " |" for row in table.rows]
    return "\n".join(lines)


def _shown(cell: Cell, digits: int) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.{digits}f}"
    return f"{cell:,}" if isinstance(cell, int) else cell.replace("|", "\\|")
