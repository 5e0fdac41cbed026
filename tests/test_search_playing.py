"""How a search and its player behave: on time, within memory, keeping what they know, sensible in games of all kinds."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gdl import kif, parse_term
from ggp.machines.circuit import CircuitMachine
from ggp.match.builtin import make_player
from ggp.players.player import Turn
from ggp.search.choice import MoveStats, best_move
from ggp.search.graph import edges_of
from ggp.search.kernels.layout import State
from ggp.search.recycling import Steps, finish, rebuild, recycle
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from tests.compiled import compiled, compiled_text
from tests.search_checks import after_random_moves
from tests.test_search_solving import follow


def turn(machine: CircuitMachine, position: bytes, role: int, **limits: object) -> Turn:
    return Turn(machine, position, machine.situation(position), role, **limits)  # type: ignore[arg-type]


def searched(machine: CircuitMachine, simulations: int, position: bytes | None = None, **more: object) -> Search:
    """A search that has done so many simulations."""
    settings = more.pop("settings", SearchSettings())
    search = Search(machine, settings, 1, memory=2**26, **more)  # type: ignore[arg-type]
    search.start(machine.initial() if position is None else position)
    search.run(simulations=simulations)
    return search


# ---- time -------------------------------------------------------------------------------------------------------


def filled(game: str, memory: int) -> Search:
    """A search whose graph has just become full."""
    search = Search(compiled(game), SearchSettings(), 1, memory=memory)
    search.start(search.machine.initial())
    (tree,) = search.trees
    tree.graph.head[0].wanted = 2**60
    while not tree.is_full:
        tree.crew.wave()
    return search


def test_a_full_graph_is_not_recycled_shortly_before_a_deadline() -> None:
    search = filled("connect_four", 2**24)
    begun = time.thread_time()
    spent = search.run(deadline=time.monotonic() + 0.08)
    assert spent.recycled == 0 and spent.simulations > 0
    assert time.thread_time() - begun < 0.15
    assert search.run(simulations=200_000).recycled > 0


def test_a_slow_first_wave_does_not_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is used for the first time is loaded first: taken for the pace of all, it cost the rest of a clock."""
    search = searched(compiled("connect_four"), 100)
    (tree,) = search.trees
    wave, waves = tree.crew.wave, list[None]()

    def slow_at_first() -> bool:
        waves.append(None)
        if len(waves) == 1:
            time.sleep(0.4)
        return wave()

    monkeypatch.setattr(tree.crew, "wave", slow_at_first)
    assert search.run(deadline=time.monotonic() + 1.5).seconds > 1.2


@pytest.mark.parametrize("game", ["connect_four", "breakthrough", "tron", "tic_tac_toe_3x3x3"])
def test_half_of_a_full_graph_is_kept(game: str) -> None:
    (tree,) = filled(game, 2**22).trees
    assert tree.recycle()
    head = tree.graph.head[0]
    used = max(head.nodes / head.node_cap, head.chunks / head.chunk_cap, head.pool / head.pool_cap)
    assert 0.3 < used < 0.6


class StopAfter(threading.Event):
    """Is set once somebody has looked at it so often."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    def is_set(self) -> bool:
        self.looks -= 1
        return self.looks < 0


@pytest.mark.parametrize("looks", [2, 10, 18])
def test_recycling_stops_when_it_is_told_to_and_is_gone_on_with(looks: int) -> None:
    """Wherever it is stopped, what comes out is the same as without a stop, also below another root."""
    machine = compiled("connect_four")
    one, other = (filled("connect_four", 2**24) for _ in range(2))
    known = one.moves(0)
    assert one.run(stop=StopAfter(looks)).recycled == 0 and one.trees[0].is_recycling
    assert one.moves(0) == known and one.line() == [] and not one.solved
    assert other.trees[0].recycle()
    onward = follow(machine, "(drop 4)")
    for search in (one, other):
        search.start(onward)
        search.run(simulations=1000)
    assert [tree.recycled for search in (one, other) for tree in search.trees] == [1, 1]
    assert one.moves(1) == other.moves(1) and sum(move.visits for move in one.moves(1)) > 2000
    assert not under_way(one)


def test_recycling_that_takes_too_long_is_given_up() -> None:
    search = filled("connect_four", 2**24)
    assert search.run(stop=StopAfter(8)).simulations == 0
    onward = follow(search.machine, "(drop 4)")
    search.start(onward)
    search.trees[0]._pace = 1.0  # as on a slow machine
    spent = search.run(deadline=time.monotonic() + 0.1)
    assert spent.recycled == 0 and spent.simulations > 0 and search.best(1) is not None


def test_a_deadline_that_comes_while_recycling_finds_what_was_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph was emptied then, shortly before the end: of three million visits, some thousand chose the move."""
    search = filled("connect_four", 2**24)
    (tree,) = search.trees
    known, visits = search.moves(0), search.visits

    def slowly(*arguments: Any) -> Steps:
        for step in recycle(*arguments):
            time.sleep(0.05)
            yield step

    with monkeypatch.context() as patch:
        patch.setattr("ggp.search.tree.recycle", slowly)
        assert search.run(deadline=time.monotonic() + 0.3).simulations == 0
    assert tree.is_recycling and (search.moves(0), search.visits) == (known, visits)
    search.run(simulations=1000)
    assert search.visits > visits / 2 and search.trees[0].recycled == 1


def test_a_graph_that_was_emptied_still_tells_of_its_root() -> None:
    search = filled("connect_four", 2**24)
    known, visits = {move.input: move for move in search.moves(0)}, search.visits
    search.trees[0]._pace = 1.0  # as on a slow machine: there is no time to recycle it
    spent = search.run(deadline=time.monotonic() + 0.1)
    assert spent.recycled == 0 and search.visits == visits + spent.simulations
    for move in search.moves(0):
        assert move.visits >= known[move.input].visits
    search.start(follow(search.machine, "(drop 4)"))
    assert search.visits < visits + spent.simulations


def test_to_explore_more_or_less_needs_no_other_graph() -> None:
    game = compiled("connect_four")
    search, visits = searched(game, 2000), 0.0
    for c, prior in ((80.0, 0.0), (10.0, 0.0), (10.0, 1.0)):
        other = searched(game.twin(), 10)
        other.settings = replace(search.settings, c=c, prior=prior)
        assert search.takes_up(other) and search.settings == other.settings and search.visits > visits
        visits = search.visits
        search.run(simulations=20_000)
    most = max(move.visits for move in search.moves(0))
    assert most > search.visits / 2  # with c = 80 they were nearly alike
    other.settings = replace(search.settings, policy="mast")
    assert not search.takes_up(other) and search.settings.policy == "uniform"


def under_way(search: Search) -> list[int]:
    """The nodes and edges that still wait for a simulation."""
    left = []
    for tree in search.trees:
        g, nodes = tree.graph, range(tree.stats().nodes)
        left += [node for node in nodes if g.node[node].state & State.EXPANDING]
        left += [e for node in nodes for e in edges_of(g, node) if g.edge[e].flying]
    return left


def test_stop_ends_a_search_promptly() -> None:
    search = searched(compiled("othello"), 2000)
    stop = threading.Event()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    begun = time.monotonic()
    spent = search.run(stop=stop)
    assert 0.15 < time.monotonic() - begun < 10
    assert spent.simulations > 100


def test_pondering_ends_with_stop_and_helps_the_next_choice() -> None:
    machine = compiled("connect_four")
    player = make_player("ucd:policy=uniform", 1)
    position = follow(machine, "(drop 4)")
    stop = threading.Event()
    timer = threading.Timer(3, stop.set)
    timer.start()
    player.ponder(turn(machine, position, 0, stop=stop))
    after = follow(machine, "(drop 4) (drop 4)")
    player.choose(turn(machine, after, 0, deadline=time.monotonic() + 0.1))
    visits, simulations = player.report()["visits"], player.report()["simulations"]
    assert isinstance(visits, int) and isinstance(simulations, int) and visits > 2 * simulations


# ---- what is kept -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("transpositions", [True, False])
def test_what_is_known_below_the_next_position_is_kept(transpositions: bool) -> None:
    machine = compiled("connect_four")
    settings = SearchSettings() if transpositions else SearchSettings(d1=0, d2=0, d3=0, transpositions=False)
    search = searched(machine, 20_000, settings=settings)
    before = {m.input: m.visits for m in search.moves(0)}
    best = search.best(0)
    assert best is not None
    situation = machine.situation(machine.initial())
    search.start(machine.next(machine.initial(), (machine.inputs[best.input], situation.legal[1][0])))
    kept = sum(m.visits for m in search.moves(1))
    assert kept > 0.9 * before[best.input] - 2
    search.start(machine.initial())
    assert {m.input: m.visits for m in search.moves(0)} == before or not transpositions


def level_zero_errors(search: Search) -> float:
    """How far the sums that nodes keep are from what their edges add up to."""
    worst = 0.0
    for tree in search.trees:
        g = tree.graph
        roles = g.proof.shape[1]
        for node in range(tree.stats().nodes):
            edges = list(edges_of(g, node))
            if edges:
                counted = g.edge["n"][edges].sum()
                worst = max(worst, abs(counted - g.sums[node, 0]))
                paid = g.payoff[edges, :roles].sum(axis=0)
                worst = max(worst, float(np.abs(paid - g.sums[node, 1 : 1 + roles]).max()))
    return worst


DEEP = [SearchSettings(), SearchSettings(d2=1, d3=2), SearchSettings(d1=float("inf"), d2=2)]


@pytest.mark.parametrize("settings", DEEP, ids=lambda s: s.label)
@pytest.mark.parametrize("game", ["connect_four", "tron", "dice_race"])
def test_memory_is_bounded_and_what_remains_is_consistent(game: str, settings: SearchSettings) -> None:
    machine = compiled(game)
    search = Search(machine, settings, 1, memory=2**20)
    search.start(machine.initial())
    for _ in range(40):
        if search.run(simulations=1000).recycled:
            break
    else:
        raise AssertionError("memory was never full")
    assert search.run(simulations=500).simulations == 500
    assert level_zero_errors(search) == 0
    for tree in search.trees:
        head, g = tree.graph.head[0], tree.graph
        assert head.nodes <= head.node_cap and head.chunks <= head.chunk_cap
        assert head.pool <= head.pool_cap
        count = int(head.nodes)
        for node in range(count):
            assert all(g.edge[e].origin == node and -1 <= g.edge[e].dest < count for e in edges_of(g, node))
        kept = g.sums[:count].copy()
        finish(rebuild(g, 0))
        np.testing.assert_allclose(kept, g.sums[:count], rtol=1e-9)
    assert sum(m.visits for m in search.moves(0)) >= 1500


def test_a_prepared_search_recycles_however_long_the_first_time_took(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are loaded then: taken for the pace of recycling, that once left full graphs as they were."""

    def slowly(*arguments: Any) -> Iterator[None]:
        time.sleep(0.1)
        yield from recycle(*arguments)

    machine = compiled("breakthrough")
    search = Search(machine, SearchSettings(), 1, memory=2**20)
    search.start(machine.initial())
    with monkeypatch.context() as patch:
        patch.setattr("ggp.search.tree.recycle", slowly)
        search.prepare()
    assert search.run(deadline=time.monotonic() + 1).recycled > 1


def test_a_tactic_is_still_solved_when_memory_is_short() -> None:
    machine = compiled("connect_four")
    position = follow(machine, "(drop 4) (drop 1) (drop 5) (drop 1)")  # 3 4 5 with both ends open wins
    search = Search(machine, SearchSettings(), 1, memory=2**20)
    search.start(machine.initial())
    assert search.run(simulations=20_000).recycled > 0
    search.start(position)
    search.run(simulations=20_000)
    best = search.best(0)
    assert best is not None and best.proven == 100
    assert kif(machine.inputs[best.input]) in ("(drop 3)", "(drop 6)") and best.length == 3


# ---- choosing ---------------------------------------------------------------------------------------------------


def stats(number: int, visits: int, mean: float, proven: float | None = None, length: int = 0) -> MoveStats:
    return MoveStats(number, visits, mean, 0.0, proven, length)


@pytest.mark.parametrize(
    ("moves", "wanted"),
    [
        ([stats(0, 10, 60), stats(1, 20, 50)], 1),
        ([stats(0, 900, 80), stats(1, 3, 50, 100, 7), stats(2, 1, 50, 100, 3)], 2),
        ([stats(0, 900, 0, 0, 4), stats(1, 3, 0, 0, 8), stats(2, 9, 0, 0, 2)], 1),
        ([stats(0, 900, 40, 0, 4), stats(1, 5, 20), stats(2, 3, 0, 0, 8)], 1),
        ([stats(0, 900, 30), stats(1, 5, 20, 50, 6)], 1),
        ([stats(0, 900, 70), stats(1, 5, 20, 50, 6)], 0),
        ([stats(0, 900, 0, 0, 4), stats(1, 5, 0.0)], 1),
        ([stats(0, 9, 55, 50, 4), stats(1, 3, 62, 50, 9), stats(2, 9, 51, 50, 2)], 1),
        ([stats(0, 9, 55, 50, 4), stats(1, 30, 55, 50, 9)], 1),
        ([stats(0, 9, 3, 0, 4), stats(1, 3, 7, 0, 4), stats(2, 9, 5, 0, 4)], 1),
        ([stats(0, 9, 60, 75, 9), stats(1, 3, 62, 75, 3)], 1),
    ],
    ids=[
        "visits",
        "shortest win",
        "longest loss",
        "no sure loss",
        "a sure draw",
        "more than a draw",
        "hope",
        "a draw that is hard to hold",
        "visits of equal draws",
        "a loss that is hard to find",
        "less than a win",
    ],
)
def test_the_move_to_play(moves: list[MoveStats], wanted: int) -> None:
    assert best_move(moves).input == wanted


LADDER = """
(role me) (role you) (init (at 0)) (init (turn me))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (legal me (step 1)) (true (turn me))) (<= (legal me (step 2)) (true (turn me))) (<= (legal me end) (true (turn me)))
(<= (legal you noop) (true (turn me))) (<= (legal you go) (true (turn you))) (<= (legal me noop) (true (turn you)))
(<= (next (turn you)) (true (turn me))) (<= (next (turn me)) (true (turn you)))
(<= (next (at ?b)) (true (at ?a)) (succ ?a ?b) (does me (step 1)))
(<= (next (at ?c)) (true (at ?a)) (succ ?a ?b) (succ ?b ?c) (does me (step 2)))
(<= (next (at 6)) (true (at 5)) (does me (step 2)))
(<= (next (at ?a)) (true (at ?a)) (does you go)) (<= (next ended) (does me end))
(<= terminal (true (at 6))) (<= terminal (true ended))
(<= (goal me GOOD) terminal) (<= (goal me BAD) (not terminal))
(<= (goal you BAD) terminal) (<= (goal you GOOD) (not terminal))
"""
"""Whatever is played ends with the same goals: by `end` at once, by `(step 2)` in five steps, by `(step 1)` later."""


@pytest.mark.parametrize(("good", "bad", "line"), [(100, 0, "end"), (0, 100, "(step 1)")])
def test_a_proven_win_is_short_and_a_proven_loss_is_long(good: int, bad: int, line: str) -> None:
    machine = compiled_text(LADDER.replace("GOOD", str(good)).replace("BAD", str(bad)))
    search = searched(machine, 5000)
    best = search.best(0)
    assert best is not None and best.proven == good and search.solved
    assert kif(machine.inputs[best.input]) == line


# ---- other kinds of games ---------------------------------------------------------------------------------------


def shares(search: Search, role: int) -> dict[str, float]:
    """How the visits of the root spread over the moves of a role."""
    moves = search.moves(role)
    total = sum(m.visits for m in moves)
    return {kif(search.machine.inputs[m.input]): m.visits / total for m in moves}


@pytest.mark.parametrize("role", [0, 1])
def test_nobody_leans_on_one_move_in_roshambo_for_long(role: int) -> None:
    search = searched(compiled("roshambo"), 100_000)
    moves = search.moves(role)
    assert len(moves) == 3
    assert all(abs(m.mean - 50) < 6 for m in moves), "every move is worth the same"
    assert max(shares(search, role).values()) < 0.9


def test_the_last_choice_of_monty_hall_is_proven_where_the_position_tells_where_the_car_is() -> None:
    machine = compiled("monty_hall")
    for seed in range(4):
        position = after_random_moves(machine, 3, seed)
        assert len(machine.situation(position).legal[0]) == 2
        best = searched(machine, 100, position).best(0)
        assert best is not None and best.proven == 100


GREED = """
(role me) (role you) (init start) (amount 10) (amount 55) (amount 60) (init (round 0)) (succ 0 1) (succ 1 2)
(<= (legal ?r (take ?n)) (role ?r) (amount ?n)) (<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
(<= (next (took ?r ?n)) (does ?r (take ?n))) (<= terminal (true (round 2)))
(<= (goal ?r ?n) (true (took ?r ?n))) (<= (goal ?r 0) (role ?r) (not (true (round 2))))
"""
"""Both take at the same time, twice; what one takes the second time is its goal."""


def test_what_is_best_whatever_the_other_does_is_found() -> None:
    machine = compiled_text(GREED)
    first = machine.initial()
    take = machine.situation(first).legal[0][0]
    search = searched(machine, 3000, machine.next(first, (take, take)))
    for role in (0, 1):
        best = search.best(role)
        assert best is not None and kif(machine.inputs[best.input]) == "(take 60)"
        assert shares(search, role)["(take 60)"] > 0.4


CHANCE = """
(role me) (role random) (init start) (die 1) (die 2) (die 3)
(<= (legal me safe) (true start)) (<= (legal me risk) (true start)) (<= (legal random noop) (true start))
(<= (legal me noop) (true chosen)) (<= (legal random (roll ?n)) (true chosen) (die ?n))
(<= (next chosen) (true start)) (<= (next (took ?m)) (does me ?m) (true start)) (<= (next (took ?m)) (true (took ?m)))
(<= (next (rolled ?n)) (does random (roll ?n)))
(<= terminal (true (rolled ?n)))
(<= (goal me 40) (true (took safe)) terminal)
(<= (goal me 90) (true (took risk)) (true (rolled 3))) (<= (goal me 0) (true (took risk)) (not (true (rolled 3))))
(<= (goal me 0) (not terminal)) (<= (goal random 0) (role random))
"""
"""Safe is worth 40, risk 30 on average."""


def test_chance_is_weighed_and_its_mean_proven() -> None:
    machine = compiled_text(CHANCE)
    search = searched(machine, 3000)
    best = search.best(0)
    assert best is not None and kif(machine.inputs[best.input]) == "safe"
    exact = {kif(machine.inputs[m.input]): m.proven for m in search.moves(0)}
    assert exact["safe"] == pytest.approx(40)
    assert exact["risk"] is None or exact["risk"] == pytest.approx(30)
    assert parse_term("safe") in machine.inputs


def test_as_many_roles_as_there_are_each_want_their_own() -> None:
    machine = compiled("tic_tac_toe_three_players")
    search = searched(machine, 20_000)
    means = [max(m.mean for m in search.moves(role)) for role in range(3)]
    assert len(means) == 3 and all(0 <= mean <= 100 for mean in means)
    assert len(search.moves(0)) > 3 and len(search.moves(1)) == 1
