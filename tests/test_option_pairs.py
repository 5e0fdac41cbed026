"""Every pair of options of the search works together, or is refused with a reason."""

from __future__ import annotations

import random
from dataclasses import fields
from itertools import combinations, product
from typing import Any

import pytest

from ggp.core.errors import UsageError
from ggp.search.batch import play_matches
from ggp.search.settings import AUTO, POLICIES, SearchSettings
from tests.compiled import weighted
from tests.search_checks import INF, FastSearch, compare_values, mirror

VALUES: dict[str, list[Any]] = {
    "d1": [0, 1, 2, INF], "d2": [0, 1, INF], "d3": [0, 1, 2, INF], "c": [0.0, 40.0], "first_play": [INF, 50.0],
    "prior": [0.0, 1.0],
    "rave": [0.0, 30.0], "rave_ref": [0.0, 8.0, INF], "rave_depth": [0, 1], "rave_weight": ["error", "visits", "bonus"],
    "groups": ["none", "leading", "near"], "overlap": [False, True], "value": [0.0, 0.4], "minimax": [0.0, 0.3],
    "transpositions": [True, False], "update": ["descent", "all"], "solver": [True, False], "reuse": [True, False],
    "policy": [policy for policy in POLICIES if policy != AUTO], "playouts": [1, 8],
    "prob": [None, 0.9], "threshold": [0.0, 60.0], "reply": ["soft", "last"], "bias": [0.7, 0.0],
    "slots": [1, 16], "depth": [1000, 1],
    "step_limit": [1000, 9], "simulations": [120],
}  # fmt: skip
GAMES = ["connect_four", "bidding_tic_tac_toe", "eight_puzzle", "tic_tac_toe_three_players"]
"""Turns, moves at once, one player, three players: and no position comes again within a play but in the puzzle."""

Values = dict[str, Any]
BASES: list[Values] = [{"d1": 0, "d2": 0, "d3": 0}, {"rave": 30.0}, {"groups": "leading", "d3": 0}]
"""What makes sense of options that go with others."""


def refused(chosen: Values) -> str:
    """Why settings make no sense; an empty text if they do."""
    try:
        SearchSettings(**chosen)
    except UsageError as error:
        return str(error)
    return ""


def pairs() -> list[Values]:
    """All values of two options."""
    return [
        {a: x, b: y} for (a, xs), (b, ys) in combinations(VALUES.items(), 2) for x, y in product(xs, ys)
    ]  # fmt: skip


def able(pair: Values, generator: random.Random) -> Values:
    """Settings with these two and random ones beside them, each as far as it goes with those before it."""
    row = generator.choice([base | pair for base in BASES if not refused(base | pair)])
    for name in generator.sample([*VALUES], len(VALUES)):
        more = row | {name: generator.choice(VALUES[name])}
        row = row if name in pair or refused(more) else more
    return row


def rows(seed: int = 1) -> list[Values]:
    """Settings in which each pair that is not refused occurs at least once: each row is the best of some random ones."""
    generator = random.Random(seed)
    missing = [pair for pair in pairs() if not all(refused(base | pair) for base in BASES)]
    chosen: list[Values] = []
    while missing:
        some = [able(missing[0], generator) for _ in range(20)]
        best = max(some, key=lambda row: sum(pair.items() <= row.items() for pair in missing))
        chosen.append(best)
        missing = [pair for pair in missing if not pair.items() <= best.items()]
    return chosen


ROWS = rows()


def test_every_option_is_among_them() -> None:
    assert set(VALUES) == {each.name for each in fields(SearchSettings)}
    assert 15 < len(ROWS) < 70


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_a_graph_keeps_what_the_formulas_say(number: int) -> None:
    """Whatever comes together, the statistics are those of the equations, and nothing is lost."""
    settings = SearchSettings(**ROWS[number])
    fast = FastSearch(weighted(GAMES[number % len(GAMES)]), settings, number, slots=settings.slots)
    fast.simulate(settings.simulations)
    edges = mirror(fast)
    graph = fast.graph
    assert fast.done == settings.simulations and (graph.edge["flying"][fast.edges()] == 0).all()
    depths = [d for d in fast.depths() if d != INF or "puzzle" not in GAMES[number % len(GAMES)]]
    compare_values(fast, edges, depths if settings.update == "descent" else [0])
    begun = sum(graph.edge[e].n for e in fast.edges() if graph.edge[e].origin == fast.root)
    assert begun == fast.done or (settings.update == "all" and begun > fast.done)  # several moves may lead to a position


@pytest.mark.parametrize("number", range(0, len(ROWS), 3))
def test_matches_in_lockstep_take_them(number: int) -> None:
    """Two settings side by side, from the first move to the end, the same twice."""
    pair = [SearchSettings(**{**ROWS[(number + i) % len(ROWS)], "simulations": 12}) for i in range(2)]
    machine = weighted("tic_tac_toe")
    found = [play_matches(machine, [pair, pair[::-1]], [1, 2]) for _ in range(2)]
    assert found[0] == found[1] and all(result.complete and sum(result.goals) == 100 for result in found[0])


@pytest.mark.parametrize("depths", [{"d1": 1}, {"d2": 1}, {"d3": INF}])
def test_what_is_refused_says_why(depths: Values) -> None:
    assert "update=all goes with d1=0, d2=0, d3=0" in refused({"d1": 0, "d2": 0, "d3": 0, "update": "all", **depths})


def test_what_is_played_later_is_not_known_everywhere() -> None:
    assert "rave goes with update=descent" in refused({"d1": 0, "d2": 0, "d3": 0, "update": "all", "rave": 30.0})
    assert "go with rave" in refused({"rave_ref": 8.0}) and "go with rave" in refused({"rave_weight": "visits"})
    assert "rave_weight must be" in refused({"rave": 30.0, "rave_weight": "much"})
    for value in (-1.0, float("nan")):
        assert "rave must be" in refused({"rave": value}) and "rave_ref must be" in refused(
            {"rave": 1, "rave_ref": value}
        )
