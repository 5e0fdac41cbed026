"""Groups of moves in searches: how they are found in the rules, and the kernels beside the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ggp.core.errors import UsageError
from ggp.search.batch import play_matches
from ggp.search.groups import families, spots
from ggp.search.kernels.grouping import groups_of
from ggp.search.search import Search
from ggp.search.settings import SearchSettings, uct
from tests.compiled import compiled
from tests.search_checks import Pair, after_random_moves

GAMES = {"breakthrough": 6, "go_6x6": 6, "roshambo": 0, "tic_tac_toe_three_players": 1, "dice_race": 4}
"""Games of several kinds, and how many random steps to play before the search."""
WAYS: list[dict[str, Any]] = [
    {"groups": "leading"},
    {"groups": "near", "d1": 0, "first_play": 60},
    {"groups": "leading", "overlap": True, "d3": 0},
    {"groups": "near", "overlap": True, "d1": 1, "d3": 0, "transpositions": False},
]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("number", range(len(WAYS)))
def test_the_kernels_do_what_the_reference_does(name: str, number: int) -> None:
    settings = SearchSettings(**{"c": 20.0, "solver": False, **WAYS[number]})
    pair = Pair(compiled(name), settings, 3, after_random_moves(compiled(name), GAMES[name], 3))
    for _ in range(100):
        pair.step()
        compare_groups(pair)
    pair.compare_values()
    graph = pair.fast.graph
    grouped = [groups_of(graph, 0, x) for x in range(int(graph.head[0].nodes)) if graph.node[x].edges]
    if name in ("breakthrough", "go_6x6") and settings.groups == "near":
        assert set(grouped) == {0, 2}
    if name == "breakthrough":
        assert max(grouped) > 1


def compare_groups(pair: Pair) -> None:
    """What is known of the groups at each node."""
    graph, roles = pair.fast.graph, len(pair.fast.machine.roles)
    for e, edge in pair.edges.items():
        x, node = int(graph.edge[e].origin), edge.origin
        lo, count = int(graph.node[x].moves) + roles, int(graph.node[x].count)
        groups = groups_of(graph, 0, x)
        if not groups:
            assert node.groups is None or not node.groups.n
            continue
        assert graph.pool[lo + count : lo + 2 * count].tolist() == node.groups.of
        records = graph.group[lo : lo + groups]
        assert records["n"].tolist() == node.groups.n and records["total"].tolist() == node.groups.total
        assert (records["flying"] == 0).all() and (graph.group[lo : lo + count]["own_flying"] == 0).all()
        assert sum(node.groups.n) == sum(f.n for f in node.edges)
        if pair.fast.settings.overlap:
            last, moves = len(node.groups.n) - 1, zip(node.edges, node.queue, node.groups.of, strict=False)
            rest = [f.n - (node.groups.own.get(move, 0) if c < last else 0) for f, move, c in moves]
            assert sum(rest) == node.groups.n[last]
        own = [node.groups.own.get(move, 0) for move in node.queue]
        assert graph.group[lo : lo + count]["own_n"].tolist() == own


def test_pieces_and_what_they_leave_are_found_in_the_rules() -> None:
    machine = compiled("breakthrough")
    by_family: dict[int, set[object]] = {}
    for number, move in zip(families(machine).tolist(), machine.inputs, strict=True):
        by_family.setdefault(number, set()).add(getattr(move, "arguments", ())[:2])
    assert all(len(starts) == 1 for starts in by_family.values()) and len(by_family) > 100


def test_places_are_found_on_the_board() -> None:
    machine = compiled("go_6x6")
    found = spots(machine)
    named = found[:, 0] >= 0
    assert named.sum() == 72 and len({tuple(spot) for spot in found[named].tolist()}) == 36
    assert (spots(compiled("roshambo")) == -1).all()


def test_what_is_refused() -> None:
    for wrong, message in (
        ({"groups": "pieces"}, "none, leading or near"),
        ({"overlap": True}, "overlap goes with groups"),
        ({"groups": "near", "overlap": True}, "with d3=0"),
        ({"groups": "near", "rave": 30.0}, "neither with rave"),
    ):
        with pytest.raises(UsageError, match=message):
            SearchSettings(**wrong)


@pytest.mark.parametrize("way", [WAYS[0], WAYS[3]])
def test_a_player_goes_on_with_them_from_move_to_move(way: dict[str, Any]) -> None:
    machine = compiled("tic_tac_toe")
    search = Search(machine, SearchSettings(**way), 1, memory=2**22)
    position = machine.initial()
    while not (situation := machine.situation(position)).terminal:
        search.start(position)
        search.run(simulations=400)
        best = [search.best(role) for role in range(2)]
        joint = [m[0] if b is None else machine.inputs[b.input] for m, b in zip(situation.legal, best, strict=True)]
        position = machine.next(position, tuple(joint))
    assert sum(goals[0] for goals in situation.goals) == 100


def test_they_meet_others_in_lockstep() -> None:
    machine = compiled("tic_tac_toe")
    near = SearchSettings(groups="near", overlap=True, d3=0, simulations=60)
    leading, rave = SearchSettings(groups="leading", simulations=60), SearchSettings(rave=20, simulations=60)
    rivals = [near, leading, rave, uct(simulations=60)]
    seats = [(a, b) for a in rivals for b in rivals]
    played = play_matches(machine, seats, list(range(len(seats))))
    assert played == play_matches(machine, seats, list(range(len(seats))))
    assert all(result.complete for result in played) and np.mean([r.goals[0] for r in played]) > 45
