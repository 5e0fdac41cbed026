"""Figures as data, which `plots` draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Curve:
    """A line through points with intervals."""

    label: str
    points: tuple[tuple[float, float, float, float], ...]
    """x, y, and the lower and upper end of the interval of y."""


@dataclass(frozen=True)
class Curves:
    """A figure of curves."""

    name: str
    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    logarithmic: tuple[bool, bool] = (False, False)
    """Whether the x and the y axis are."""


@dataclass(frozen=True)
class HeatMaps:
    """A figure of coloured grids side by side, drawn on one scale."""

    name: str
    title: str
    rows: tuple[str, tuple[str, ...]]
    """What the rows are, and the label of each."""
    columns: tuple[str, tuple[str, ...]]
    panels: tuple[tuple[str, tuple[tuple[float | None, ...], ...]], ...]
    """The title and the values [row][column] of each grid; None where there is none."""


Figure: TypeAlias = Curves | HeatMaps
