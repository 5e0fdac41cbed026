"""RAVE, GRAVE and HRAVE: the kernels beside the reference, after every simulation, with the numbers counted anew."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ggp.search.formulas import heard
from ggp.search.graph import inputs_of, played
from ggp.search.kernels.amaf import known
from ggp.search.kernels.table import find
from ggp.search.kernels.weighing import mixed, unplayed
from ggp.search.presets import search_options
from ggp.search.recycling import finish, recycle
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from tests.compiled import compiled
from tests.search_checks import INF, FastSearch, Pair, after_random_moves

GAMES = {
    "connect_four": 20, "hex_5x5": 10, "eight_puzzle": 0, "roshambo": 0, "tic_tac_toe_three_players": 0, "dice_race": 10,
    "bidding_tic_tac_toe": 0, "left_right": 0,
}  # fmt: skip
"""Games of every kind, and how many random steps to play before the search."""
WAYS: list[dict[str, Any]] = [
    {},
    {"rave_ref": 5, "c": 5.0},
    {"rave_ref": INF, "rave_weight": "visits"},
    {"first_play": 40, "playouts": 4},
    {"rave_depth": 1},
    {"rave": 3.0, "rave_ref": INF, "rave_weight": "bonus"},
    {"rave_depth": 1, "rave_ref": 5, "playouts": 4},
]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("number", range(len(WAYS)))
def test_the_kernels_do_what_the_reference_does(name: str, number: int) -> None:
    chosen: dict[str, Any] = {"rave": 30.0, "c": 20.0, **WAYS[number]}
    settings = SearchSettings(**chosen, solver=False)
    pair = Pair(compiled(name), settings, 3, after_random_moves(compiled(name), GAMES[name], 3))
    for _ in range(40):
        pair.step()
    pair.compare_values()


def known_by_input(fast: FastSearch, node: int) -> dict[int, tuple[float, float]]:
    """What a node knows of the moves of the role that decides there."""
    first = int(fast.graph.node[node].moves) + len(fast.machine.roles)
    places = range(first, first + int(fast.graph.node[node].count))
    return {int(fast.graph.pool[place]): known(fast.graph, 0, node, place, fast.crew.scratch) for place in places}


def test_the_weights_are_those_of_the_papers() -> None:
    """Silver 2009: ñ / (ñ + n + b ñ n), b = 1 / rave; Gelly, Silver 2007: √(K / (3 N + K)); Nijssen, Winands 2011."""
    mean, n, heard, total, visits = 40.0, 9, 30.0, 2100.0, 300.0
    for rave in (0.5, 50.0, 5000.0):
        share = heard / (heard + n + heard * n / rave)
        found = mixed(SearchSettings(rave=rave), mean, 1 / math.sqrt(n), heard, total, visits)
        assert math.isclose(found, (1 - share) * mean + share * total / heard)
        share = math.sqrt(rave / (3 * visits + rave))
        found = mixed(SearchSettings(rave=rave, rave_weight="visits"), mean, 1 / math.sqrt(n), heard, total, visits)
        assert math.isclose(found, (1 - share) * mean + share * total / heard)
        found = mixed(SearchSettings(rave=rave, rave_weight="bonus"), mean, 1 / math.sqrt(n), heard, total, visits)
        assert math.isclose(found, mean + rave * (total / heard) / (n * (1 - mean / 100) + 1))
        assert mixed(SearchSettings(rave=rave), mean, 1 / math.sqrt(n), 0.0, 0.0, visits) == mean
    assert unplayed(SearchSettings(rave=1.0), heard, total, 5.0) == 75
    assert unplayed(SearchSettings(rave=1.0, first_play=45.0), 0.0, 0.0, 5.0) == 45


@pytest.mark.parametrize("ref", [0.0, 20.0])
def test_what_is_known_outlives_other_nodes(ref: float) -> None:
    """When memory is made, records move with their nodes."""
    machine = compiled("connect_four")
    fast = FastSearch(machine, SearchSettings(rave=50, rave_ref=ref, playouts=8), 1, slots=16)
    fast.simulate(600)
    head = fast.graph.head[0]
    ends = [edge.end for edge in played(fast.graph, fast.root)]
    before = {fast.graph.position[x].tobytes(): known_by_input(fast, x) for x in ends if fast.graph.node[x].edges > 3}
    nodes = int(head.nodes)
    head.node_cap, head.pool_cap = nodes, int(head.pool)
    finish(recycle(fast.graph, 0, fast.root, fast.crew.scratch))
    assert 2 < head.nodes < nodes
    after = {position: find(fast.graph, 0, np.frombuffer(position, np.uint64)) for position in before}
    kept = {position: known_by_input(fast, x) for position, x in after.items() if x >= 0}
    assert len(kept) > 1 and all(found == before[position] for position, found in kept.items())


def test_nobody_else_pays_for_it() -> None:
    machine = compiled("tic_tac_toe")
    assert len(FastSearch(machine, SearchSettings(), 1).graph.move) == 0


def test_an_untried_move_is_tried_first_where_it_was_good_elsewhere() -> None:
    """The second visit of a node chooses by what the root knows: not any move, as without."""
    machine = compiled("hex_9x9")
    fast = FastSearch(machine, SearchSettings(rave=100, rave_ref=INF, c=0, solver=False), 1)
    fast.simulate(400)
    graph, root = fast.graph, fast.root
    role = int(graph.node[root].decider)
    most = max(played(graph, root), key=lambda edge: edge.visits)
    reply = next(iter(played(graph, most.end)))
    other = int(graph.node[most.end].decider)
    assert other != role and inputs_of(graph, reply.number) == reply.inputs
    table = {i: known(graph, 0, root, place, fast.crew.scratch) for place, i in moves_of(fast, most.end)}
    values = {i: total / n for i, (n, total) in table.items() if n}
    assert values and values[reply.inputs[other]] > np.mean(list(values.values()))


@pytest.mark.parametrize("transpositions", [True, False])
def test_mixed_from_children_a_tree_knows_what_it_knew(transpositions: bool) -> None:
    """In a graph, nodes know more: what other ways to the ends of their edges have shown."""
    settings = SearchSettings(rave=30, rave_depth=1, transpositions=transpositions, solver=False)
    pair = Pair(compiled("tic_tac_toe"), settings, 1)
    for _ in range(150):
        pair.step()
    nodes = {id(e.origin): e.origin for e in pair.edges.values()}.values()
    pairs = [(node.amaf[key][0], heard(node, *key, 1)[0]) for node in nodes for key in node.amaf]
    assert len(pairs) > 500 and all(mixed >= own for own, mixed in pairs)
    assert any(mixed > own for own, mixed in pairs) == transpositions


def moves_of(fast: FastSearch, node: int) -> list[tuple[int, int]]:
    """The places of a node's moves in the pool, and their inputs."""
    first = int(fast.graph.node[node].moves) + len(fast.machine.roles)
    return [(at, int(fast.graph.pool[at])) for at in range(first, first + int(fast.graph.node[node].count))]


@pytest.mark.parametrize("policy", ["mast", "decisive"])
def test_a_player_goes_on_with_it_from_move_to_move(policy: str) -> None:
    settings, _ = search_options("ucd", {"rave": "50", "rave_ref": "25", "policy": policy, "c": "10"})
    machine = compiled("tic_tac_toe")
    search = Search(machine, settings, 1, memory=2**22)
    position = machine.initial()
    while not (situation := machine.situation(position)).terminal:
        search.start(position)
        search.run(simulations=150)
        best = [search.best(role) for role in range(2)]
        joint = [m[0] if b is None else machine.inputs[b.input] for m, b in zip(situation.legal, best, strict=True)]
        position = machine.next(position, tuple(joint))
    assert sum(goals[0] for goals in situation.goals) == 100
