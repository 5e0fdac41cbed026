"""Read experiments from TOML: their settings, and the figures of the paper that they repeat."""

from __future__ import annotations

import dataclasses
import math
import tomllib
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from ggp.core.errors import UsageError
from ggp.core.statistics import CONFIDENCE, Difference, Estimate, two_means

Settings = TypeVar("Settings")


@dataclass(frozen=True)
class Paper:
    """What a paper says of an experiment."""

    name: str
    title: str
    version: int
    source: str
    question: str
    remarks: str
    """Where numbers may differ, and why."""
    matches: int
    """How many matches stand behind each of its percentages."""
    error: float | None
    """Standard error of its figures in percent, where it states one."""
    figures: Mapping[tuple[str, str], float]
    """Its percentages by game and cell."""
    places: Mapping[str, str]
    """Where in the paper the figures of a game stand."""
    more: Mapping[str, Any]
    """Whatever else the file says of the paper."""

    def standard_error(self, percent: float) -> float:
        """Of one of its percentages."""
        if self.error is not None:
            return self.error
        share = percent / 100
        return 100 * math.sqrt(share * (1 - share) / self.matches)

    def compare(self, ours: Estimate, theirs: float) -> Difference:
        """Ours minus theirs."""
        return two_means(ours.value, ours.error, theirs, self.standard_error(theirs))


def remark(difference: Difference, confidence: float = CONFIDENCE) -> str:
    """What a difference means."""
    if difference.p >= 1 - confidence:
        return "agrees"
    return f"{'higher' if difference.value > 0 else 'lower'} ({abs(difference.z):.1f} σ)"


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file, with a clear message if it is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from None


def read_paper(path: Path, data: Mapping[str, Any]) -> Paper:
    """What a file says of a paper."""
    texts = {name: _get(path, data, name, str, "") for name in ("source", "question", "remarks")}
    paper = _get(path, data, "paper", dict, {})
    grid = _get(path, data, "settings", dict, {})
    figures: dict[tuple[str, str], float] = {}
    places: dict[str, str] = {}
    for number, table in enumerate(_get(path, paper, "tables", list, []), 1):
        where = f"{path}: table {number}"
        game = _get(where, table, "game", str)
        places[game] = _get(where, table, "where", str, "")
        found = dict(_get(where, table, "values", dict, {}))
        if "grid" in table:
            found |= _grid(where, table["grid"], grid)
        figures |= {(game, cell): float(value) for cell, value in found.items()}
    return Paper(
        name=_get(path, data, "name", str),
        title=_get(path, data, "title", str),
        version=_get(path, data, "version", int),
        matches=_get(path, paper, "matches", int, 1),
        error=_get(path, paper, "error", float) if "error" in paper else None,
        figures=figures,
        places=places,
        more={key: value for key, value in paper.items() if key not in ("matches", "error", "tables")},
        **{name: text.strip() for name, text in texts.items()},
    )


def read_settings(path: Path, data: Mapping[str, Any], kind: type[Settings]) -> Settings:
    """The `[settings]` of a file as a dataclass; all fields must be there, with the right kind of value."""
    table = dict(_get(path, data, "settings", dict))
    hints = typing.get_type_hints(kind)
    values: dict[str, Any] = {}
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        hint = hints[field.name]
        if typing.get_origin(hint) is tuple:
            item = typing.get_args(hint)[0]
            found = _get(path, table, field.name, list)
            values[field.name] = tuple(_get(path, {field.name: one}, field.name, item) for one in found)
        else:
            values[field.name] = _get(path, table, field.name, hint)
    unknown = sorted(set(table) - set(values))
    if unknown:
        raise UsageError(f"{path}: [settings] has no {', '.join(unknown)}; known are {', '.join(values)}")
    return kind(**values)


def _grid(where: str, grid: Any, settings: Mapping[str, Any]) -> dict[str, float]:
    """Rows are d1; columns are d2, and within each d3."""
    columns = list(product(settings["d2"], settings["d3"]))
    if len(grid) != len(settings["d1"]) or any(len(row) != len(columns) for row in grid):
        raise UsageError(f"{where}: the grid must have {len(settings['d1'])} rows of {len(columns)} numbers")
    return {
        f"({d1},{d2},{d3})": float(value)
        for d1, row in zip(settings["d1"], grid, strict=True)
        for (d2, d3), value in zip(columns, row, strict=True)
    }


_NEEDED = object()


def _get(where: object, table: Mapping[str, Any], name: str, kind: Any, default: Any = _NEEDED) -> Any:
    value = table.get(name, default)
    if value is _NEEDED:
        raise UsageError(f"{where}: {name} is missing")
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise UsageError(f"{where}: {name} must be a {kind.__name__}, not {value!r}")
    return value
