"""Errors of searches of artificial games by the number of simulations: means, ratios, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ggp.core.statistics import Estimate, mean, ratio_of_means
from ggp.lab.figures import Curve, Curves
from ggp.lab.report import Cell

Rows = list[list[float]]
"""[game][checkpoint] or [game][level]."""


def checkpoints(simulations: int) -> list[int]:
    """Numbers of simulations, about ten to a decade, up to the last."""
    points = {round(10 ** (step / 10)) for step in range(200) if 10 ** (step / 10) < simulations}
    return sorted(points | {simulations})


def ratio_heads(names: Iterable[str]) -> list[str]:
    """The heads of the columns of ratios with their intervals."""
    return [f"{name}{end}" for name in names for end in ("", " low", " high")]


def means_of(games: Rows) -> list[Estimate]:
    """Over games, at each checkpoint."""
    return [mean(list(column)) for column in zip(*games, strict=True)]


def ratios_of(above: Rows, below: Rows) -> list[Estimate | None]:
    """At each checkpoint; None where nobody errs."""
    columns = zip(zip(*above, strict=True), zip(*below, strict=True), strict=True)
    return [ratio_of_means(a, b) if any(b) else None for a, b in columns]


def flat(found: Sequence[Estimate | None]) -> list[Cell]:
    """Estimates with their intervals as cells of a row."""
    return [value for e in found for value in ((e.value, e.low, e.high) if e else (None, None, None))]


def shown(points: Sequence[int]) -> list[int]:
    """Which checkpoints stand in tables: every fifth, and the last."""
    return sorted({*range(0, len(points), 5), len(points) - 1})


def claim(text: str, ratios: Sequence[Estimate | None], points: Sequence[int], *, below: bool) -> str:
    """At how many checkpoints a claim about a ratio holds clearly, and at how many its opposite does."""
    known = [(point, ratio) for point, ratio in zip(points, ratios, strict=True) if ratio]
    yes = sum((ratio.high < 1) if below else (ratio.low >= 1) for _, ratio in known)
    no = sum((ratio.low > 1) if below else (ratio.high < 1) for _, ratio in known)
    if not known:
        return f"- {text}: nobody errs."
    best_point, best = (min if below else max)(known, key=lambda item: item[1].value)
    return (
        f"- {text}: clearly so at {yes} of {len(known)} checkpoints, clearly not at {no}; the ratio is at best "
        f"{best.value:.2f} ({best.low:.2f} to {best.high:.2f}), after {best_point:,} simulations."
    )


def curves_of(
    name: str,
    title: str,
    y: str,
    points: Sequence[int],
    found: Mapping[str, Sequence[Estimate | None]],
    *,
    straight: bool = False,
) -> Curves:
    """A plot of estimates by the number of simulations; `straight`: their axis is not logarithmic."""
    curves = tuple(
        Curve(label, tuple((float(p), e.value, e.low, e.high) for p, e in zip(points, estimates, strict=True) if e))
        for label, estimates in found.items()
    )
    return Curves(name, title, "simulations", y, curves, (True, not straight))
