"""Figures drawn by matplotlib, as SVG: the same figure gives the same bytes."""

from __future__ import annotations

import importlib.util
import io
from typing import TYPE_CHECKING, Any

from ggp.core.errors import UsageError
from ggp.lab.figures import Curves, Figure, HeatMaps

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

MISSING = "plots need matplotlib, which is not installed: pip install 'ggp[lab]'"


def available() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def svg(figure: Figure) -> str:
    """Draw a figure."""
    if not available():
        raise UsageError(MISSING)
    import matplotlib  # optional, and slow to import
    from matplotlib.figure import Figure as Canvas

    fixed: Any = {"svg.hashsalt": figure.name, "svg.fonttype": "none", "font.size": 9.0}
    with matplotlib.rc_context(fixed):
        canvas = Canvas(layout="constrained")
        canvas.suptitle(figure.title)
        if isinstance(figure, Curves):
            _curves(canvas, figure)
        else:
            _heat_maps(canvas, figure)
        stream = io.StringIO()
        canvas.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def _curves(canvas: Canvas, figure: Curves) -> None:
    canvas.set_size_inches(6.4, 4.2)
    axes = canvas.add_subplot()
    for curve in figure.curves:
        xs, ys, lows, highs = zip(*curve.points, strict=True) if curve.points else ((), (), (), ())
        axes.plot(xs, ys, label=curve.label, linewidth=1.2, marker="." if len(xs) < 30 else "")
        axes.fill_between(xs, lows, highs, alpha=0.2, linewidth=0)
    axes.set_xlabel(figure.x)
    axes.set_ylabel(figure.y)
    points = [point for curve in figure.curves for point in curve.points]
    if figure.logarithmic[0] and any(x > 0 for x, *_ in points):
        axes.set_xscale("log")
    if figure.logarithmic[1] and any(y > 0 for _, y, *_ in points):
        axes.set_yscale("log")
    axes.grid(visible=True, alpha=0.3)
    if len(figure.curves) > 1:
        axes.legend()


def _heat_maps(canvas: Canvas, figure: HeatMaps) -> None:
    (row_name, rows), (column_name, columns) = figure.rows, figure.columns
    canvas.set_size_inches(0.9 + len(figure.panels) * (0.6 + 0.62 * len(columns)), 1.4 + 0.5 * len(rows))
    known = [v for _, grid in figure.panels for line in grid for v in line if v is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    for place, (title, grid) in enumerate(figure.panels, 1):
        axes = canvas.add_subplot(1, len(figure.panels), place)
        shown: Any = [[float("nan") if v is None else v for v in line] for line in grid]
        axes.imshow(shown, cmap="viridis", vmin=low, vmax=high, aspect="auto")
        for y, line in enumerate(grid):
            for x, value in enumerate(line):
                if value is not None:
                    dark = value < (low + high) / 2
                    axes.text(x, y, f"{value:.1f}", ha="center", va="center", color="white" if dark else "black")
        axes.set_title(title, fontsize=9)
        axes.set_xticks(range(len(columns)), columns)
        axes.set_yticks(range(len(rows)), rows)
        axes.set_xlabel(column_name)
        if place == 1:
            axes.set_ylabel(row_name)
