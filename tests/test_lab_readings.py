"""What the UCD paper leaves open, read in every way: the compiled searches against the paper's formulas."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import pytest

from ggp.core.errors import UsageError
from ggp.lab import readings_search as search
from ggp.lab.catalogue import experiment
from ggp.lab.conduct import make_report, run_experiment
from ggp.lab.plan import _BETWEEN
from ggp.lab.pool import LocalPool
from ggp.lab.readings import READINGS, perform, plan, reading, simulations
from ggp.lab.readings_graph import HEX, INFINITE, LEFT_RIGHT, Graph, Reading
from ggp.lab.readings_search import searched
from ggp.lab.report import Table, markdown

SMALL = [
    "runs=2", "steps=6", "left_right_simulations=10", "matches=4", "hex_simulations=20",
    "left_right=uct,(inf,0,1)", "hex=(0,1,2)",
]  # fmt: skip


def edges(g: Graph, x: int) -> list[tuple[int, int]]:
    """The edges that leave a node, with their ends."""
    return [(m, int(g.kid[x, m])) for m in range(g.kid.shape[1]) if g.kid[x, m] >= 0]


def mean(g: Graph, x: int, m: int, d: float, *, leak: bool) -> float:
    """μ_d as the paper defines it: formula (10), or (5)."""
    n, total, n1, total1 = map(float, g.paid[x, m])
    below = [(f, float(g.paid[g.kid[x, m], f, 0])) for f, _ in edges(g, int(g.kid[x, m]))]
    weight = sum(n for _, n in below)
    if leak and weight:
        n1 = total1 = 0.0
    if d == 0 or n1 + weight == 0:
        return total / n if n else 0.0
    y = int(g.kid[x, m])
    return (total1 + sum(mean(g, y, f, d - 1, leak=leak) * n for f, n in below if n)) / (n1 + weight)


def count(g: Graph, x: int, m: int, d: float, *, leak: bool) -> float:
    """n_d: formula (12), or (7)."""
    n, _, n1, _ = map(float, g.paid[x, m])
    if d == 0:
        return n
    y = int(g.kid[x, m])
    if leak and any(g.paid[y, f, 0] for f, _ in edges(g, y)):
        n1 = 0.0
    return n1 + sum(count(g, y, f, d - 1, leak=leak) for f, _ in edges(g, y))


def below(depth: int) -> int:
    """Where a node keeps what an edge that leads to it has in this depth."""
    return depth if depth == INFINITE else max(0, depth - 1)


WAYS: list[dict[str, Any]] = [
    {}, {"eager": True}, {"eager": True, "valued": True}, {"leak": True}, {"leak": True, "eager": True, "adds": 3},
    {"first": True, "stops": True},
]  # fmt: skip


@pytest.mark.parametrize("game", [LEFT_RIGHT, HEX])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: ",".join(way) or "plain")
def test_sums_are_what_the_definitions_say(game: int, way: dict[str, Any]) -> None:
    for number, depths in enumerate(itertools.product((0, 1, 2, INFINITE), repeat=3)):
        if number % 5:
            continue
        chosen = Reading(depths[0], depths[1], depths[2], **way)
        g = searched(game, chosen, 8, 40, number)
        nodes = int(g.state[0])
        positions = {(int(g.a[x]), int(g.b[x])) for x in range(nodes)}
        assert len(positions) == nodes
        leak = chosen.leak
        for x in range(nodes):
            known = edges(g, x)
            for depth in {0, below(chosen.d1), chosen.d2, below(chosen.d3)}:
                d = math.inf if depth == INFINITE else depth
                means = sum(mean(g, x, m, d, leak=leak) * g.paid[x, m, 0] for m, _ in known if g.paid[x, m, 0])
                counts = sum(count(g, x, m, d, leak=leak) for m, _ in known)
                assert g.level[x, depth].tolist() == pytest.approx([means, counts])


def test_eager_joins_all_known_positions() -> None:
    g = searched(HEX, Reading(1, 0, 1, eager=True), 0, 200, 7)
    known = {(int(g.a[x]), int(g.b[x])): x for x in range(int(g.state[0]))}
    for x in range(len(known)):
        if g.over[x]:
            continue
        for m in range(25):
            a, b = int(g.a[x]), int(g.b[x])
            if (a | b) >> m & 1:
                continue
            after = (a | 1 << m, b) if g.ply[x] % 2 == 0 else (a, b | 1 << m)
            assert g.kid[x, m] == known.get(after, -1)


def test_update_all_pays_each_edge_above_once() -> None:
    g = searched(LEFT_RIGHT, Reading(update_all=True, eager=True), 6, 60, 3)
    for x in range(int(g.state[0])):
        assert all(g.paid[x, m, 0] <= g.total[g.kid[x, m], 0] for m, _ in edges(g, x))
    assert g.total[0, 0] == 60


def test_a_tree_has_a_node_for_each_path() -> None:
    g = searched(LEFT_RIGHT, Reading(table=False), 6, 50, 3)
    assert sum(len(edges(g, x)) for x in range(int(g.state[0]))) == g.state[0] - 1
    assert sum(g.paid[0, :, 0]) == 50


def test_searches_find_what_is_there_to_find() -> None:
    assert search.left_right(Reading(INFINITE, 0, 1), 20, 100, 1) >= 19
    weak, strong = Reading(table=False, c=0.3), Reading(1, 0, 1)
    won = sum(search.hex_match(strong, weak, 20, seed) for seed in range(4))
    assert won == sum(search.hex_match(strong, weak, 20, seed) for seed in range(4)) and 0 <= won <= 4
    for kept in (Reading(1, 0, 1, kept=True), Reading(table=False, kept=True)):
        assert search.hex_match(kept, weak, 30, 5) in (True, False)
        assert 0 <= search.left_right(kept, 10, 20, 1) <= 10


def test_the_plan_and_the_report(tmp_path: Path) -> None:
    chosen = experiment("ucd-readings").with_settings([*SMALL, "readings=plain,kept,inherited"])
    jobs = chosen.plan(chosen.settings)
    assert len(jobs) == 3 + 1  # on LeftRight nothing is kept, and only update-all inherits
    run_experiment(chosen, tmp_path, lambda: LocalPool(1))
    report, state = make_report(chosen, tmp_path)
    assert state.done == 4 and state.simulations == 2 * 2 * 6 * 10
    tables = {part.name: part for part in report.parts if isinstance(part, Table)}
    assert tables["left_right-readings"].heads == ("reading", "uct", "(∞,0,1)")
    assert [row[0] for row in tables["hex_5x5_b2-readings"].rows] == ["the paper", "plain", "kept"]
    assert "63.5" in markdown(report, "ucd-readings", plots=False)
    value = perform(jobs[0].work, {})
    assert value == perform(jobs[0].work, {}) and simulations(jobs[0].work, value) == 120


def test_every_reading_differs_and_is_explained() -> None:
    found = [reading("update-all", name, 0.3) for name in READINGS]
    assert len(set(found)) == len(found)
    assert reading("(inf,0,1)", "plain", 0.3) == Reading(INFINITE, 0, 1)
    assert reading("uct", "c · 2", 0.3) == Reading(table=False, c=0.6)


def test_settings_that_make_no_sense_are_refused() -> None:
    for wrong, message in (("runs=0", "above 0"), ("readings=plane", "plain"), ("hex=(0,1,4)", "0, 1, 2 and inf")):
        with pytest.raises(UsageError, match=message):
            plan(experiment("ucd-readings").with_settings([*SMALL, wrong]).settings)


def test_lists_are_split_between_their_parts() -> None:
    assert _BETWEEN.split("(0,1,2),uct,ucd:c=30,d1=inf,(inf,0,1)") == ["(0,1,2)", "uct", "ucd:c=30,d1=inf", "(inf,0,1)"]
