"""The kernels do exactly what the paper says: beside the reference, after every simulation, at every edge."""

import random
from itertools import product

import numpy as np
import pytest

from ggp.search.graph import edges_of, payoffs
from ggp.search.settings import SearchSettings, uct
from tests.compiled import compiled, compiled_text
from tests.random_games import random_game
from tests.search_checks import INF, FastSearch, Pair, after_random_moves, compare_sight

DEPTHS = [0, 1, 2, INF]
ALL = SearchSettings(d1=0, d2=0, d3=0, update="all", solver=False)
PLAIN = uct(solver=False)
CUBE = [SearchSettings(d1=a, d2=b, d3=c, solver=False) for a, b, c in product(DEPTHS, DEPTHS, DEPTHS)]
GAMES = {
    "tic_tac_toe": 4, "nim": 0, "connect_four": 20, "left_right": 0, "hex_5x5": 14, "pawn_whopping": 20, "roshambo": 0,
    "bidding_tic_tac_toe": 0, "tic_tac_toe_three_players": 0, "dice_race": 20, "eight_puzzle": 0, "monty_hall": 0,
    "poker_small": 0, "lights_out": 0, "tron": 0,
}  # fmt: skip
"""Small games of every kind, and how many random steps to play before the search."""

RING = """
(role walker) (role clock)
(init (at 0)) (init (control walker))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 0)
(<= (legal walker right) (true (control walker))) (<= (legal walker left) (true (control walker)))
(<= (legal walker leave) (true (control walker)) (true (at 3)))
(<= (legal walker wait) (true (control clock)))
(<= (legal clock tick) (true (control clock))) (<= (legal clock tock) (true (control clock)))
(<= (legal clock wait) (true (control walker)))
(<= (next (control clock)) (true (control walker))) (<= (next (control walker)) (true (control clock)))
(<= (next (at ?y)) (does walker right) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?y)) (does walker left) (true (at ?x)) (succ ?y ?x))
(<= (next (at ?x)) (does clock tick) (true (at ?x)))
(<= (next (at 1)) (does clock tock))
(<= (next out) (does walker leave))
(<= terminal (true out))
(<= (goal walker 100) (true out)) (<= (goal walker 20) (not (true out)))
(<= (goal clock 0) (true out)) (<= (goal clock 70) (not (true out)))
"""
"""Two roles on a ring, which may go round for ever."""

HISTORY = """
(role red) (role blue) (init (turn 1))
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (side 1 red blue) (side 2 blue red) (side 3 red blue) (side 4 blue red)
(option a) (option b) (option c)
(<= (legal ?r ?m) (true (turn ?n)) (side ?n ?r ?s) (option ?m))
(<= (legal ?s wait) (true (turn ?n)) (side ?n ?r ?s))
(<= (next (turn ?m)) (true (turn ?n)) (succ ?n ?m))
(<= (next (played ?n ?m)) (true (turn ?n)) (does ?r ?m) (distinct ?m wait))
(<= (next (played ?n ?m)) (true (played ?n ?m)))
(<= terminal (true (turn 5)))
(worth a a 100) (worth a b 17) (worth a c 41) (worth b a 59) (worth b b 3) (worth b c 83) (worth c a 71) (worth c b 29)
(worth c c 0) (rest 100 0) (rest 17 83) (rest 41 59) (rest 59 41) (rest 3 97) (rest 83 17) (rest 71 29) (rest 29 71)
(rest 0 100)
(<= (goal red ?g) terminal (true (played 2 ?x)) (true (played 4 ?y)) (worth ?x ?y ?g))
(<= (goal blue ?h) (goal red ?g) (rest ?g ?h))
(<= (goal red 0) (not terminal)) (<= (goal blue 0) (not terminal))
"""
"""A game without transpositions: the position tells all moves so far."""


def grow(pair: Pair, simulations: int) -> None:
    for _ in range(simulations):
        pair.step()
        pair.compare_values()


def start(name: str, seed: int) -> bytes:
    return after_random_moves(compiled(name), GAMES[name], seed)


@pytest.mark.parametrize("name", GAMES)
def test_some_settings(name: str) -> None:
    """Each game with three cells of the cube, update-all and no transpositions."""
    at = 5 * list(GAMES).index(name)
    for seed, settings in enumerate([*(CUBE[(at + 21 * i) % 64] for i in range(3)), ALL, PLAIN]):
        grow(Pair(compiled(name), settings, seed, start(name, seed)), 30)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_all_settings(name: str) -> None:
    met = 0
    for seed, settings in enumerate([*CUBE, ALL, PLAIN]):
        pair = Pair(compiled(name), settings, seed, start(name, seed))
        grow(pair, 80)
        met += int(pair.fast.graph.head[0].met)
    assert met > 100 or name not in ("left_right", "nim", "roshambo", "tic_tac_toe", "eight_puzzle", "lights_out")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["left_right", "nim", "tic_tac_toe", "eight_puzzle", "dice_race"])
@pytest.mark.parametrize("depths", [(INF, 0, 1), (2, 3, 5), (7, INF, 4), (1, 0, 1)])
def test_long_searches(name: str, depths: tuple[float, float, float]) -> None:
    d1, d2, d3 = depths
    pair = Pair(compiled(name), SearchSettings(d1=d1, d2=d2, d3=d3, solver=False), 3)
    for i in range(800):
        pair.fast.simulate()
        assert pair.slow.simulate()
        if i % 100 == 99:
            pair.compare_graphs()
            pair.compare_values()


def random_settings(generator: random.Random, depths: list[float]) -> SearchSettings:
    d1, d2, d3 = (generator.choice(depths) for _ in range(3))
    c = generator.choice([0, 10, 40, 200])
    return SearchSettings(d1=d1, d2=d2, d3=d3, c=c, solver=False, step_limit=20)


def check_random_game(seed: int, simulations: int) -> int:
    """Two roles, moves at the same time, positions that repeat. Infinite depth has no meaning where they do."""
    machine = compiled_text(random_game(random.Random(seed)))
    situation = machine.situation(machine.initial())
    if situation.terminal or not all(situation.legal):
        return 0
    generator = random.Random(seed)
    for settings in [*(random_settings(generator, [0, 1, 2, 3]) for _ in range(3)), ALL, PLAIN]:
        grow(Pair(machine, settings, seed), simulations)
    return 1


def test_random_games() -> None:
    assert sum(check_random_game(seed, 25) for seed in range(12)) >= 8


@pytest.mark.slow
def test_many_random_games() -> None:
    assert sum(check_random_game(seed, 50) for seed in range(12, 60)) >= 35


@pytest.mark.parametrize("depths", [(1, 0, 1), (0, 0, 0), (2, 1, 3)])
def test_positions_that_repeat(depths: tuple[float, float, float]) -> None:
    d1, d2, d3 = depths
    grow(Pair(compiled_text(RING), SearchSettings(d1=d1, d2=d2, d3=d3, solver=False, step_limit=30), 1), 60)


@pytest.mark.parametrize("depths", [(INF, INF, INF), (INF, 0, 1), (0, INF, 0), (0, 0, INF)])
def test_infinite_depth_stays_finite_where_positions_repeat(depths: tuple[float, float, float]) -> None:
    """Counts would double again and again, until values are no numbers and the search finds no edge to follow."""
    d1, d2, d3 = depths
    for text, seed in ((RING, 1), (random_game(random.Random(49)), 49), (random_game(random.Random(56)), 56)):
        settings = SearchSettings(d1=d1, d2=d2, d3=d3, solver=False, step_limit=20)
        fast = FastSearch(compiled_text(text), settings, seed)
        fast.simulate(3000)
        assert fast.done == 3000
        assert np.isfinite(fast.graph.sums[: int(fast.graph.head[0].nodes)]).all()
        compare_sight(fast)


def test_all_settings_do_the_same_where_nothing_transposes() -> None:
    """The same edges in the same order with the same statistics, whatever the depths."""
    machine = compiled_text(HISTORY)
    seen = set()
    for settings in [*CUBE, ALL, PLAIN]:
        fast = FastSearch(machine, settings, 11)
        fast.simulate(150)
        g = fast.graph
        assert g.head[0].met == 0
        edges = fast.edges()
        seen.add((g.payoff[edges].tobytes(), g.edge[edges].tobytes(), g.code[edges].tobytes()))
    assert len(seen) == 1


def test_without_a_table_the_graph_is_a_tree() -> None:
    fast = FastSearch(compiled("left_right"), PLAIN, 5)
    fast.simulate(300)
    g = fast.graph
    ends = [int(g.edge[e].dest) for e in fast.edges()]
    assert len(set(ends)) == len(ends) == g.head[0].nodes - 1
    same = {g.position[y].tobytes() for y in ends}
    assert len(same) < len(ends)


def test_the_same_seed_gives_the_same_graph() -> None:
    def stats(seed: int) -> list[list[float]]:
        fast = FastSearch(compiled("nim"), SearchSettings(solver=False), seed)
        fast.simulate(200)
        found: list[list[float]] = [payoffs(fast.graph, e) for e in edges_of(fast.graph, fast.root)]
        return found

    assert stats(4) == stats(4) != stats(5)
