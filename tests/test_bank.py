"""Banks against the slow reading of the same circuit."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest

from ggp.circuits.circuit import Circuit
from ggp.lanes.bank import Bank, Playouts
from ggp.lanes.engine import Engine
from ggp.lanes.ways import Way, usable
from tests import slow_circuit as reference
from tests.small_circuits import SMALL, circuit, dead_end, endless, reachability

RING = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 1), (0, 3), (3, 4), (4, 2), (1, 4), (4, 5), (5, 3)]


def check_lane(bank: Bank, c: Circuit, lane: int, position: list[bool]) -> list[list[int]]:
    value = reference.values(c, position)
    want = reference.legal(c, value)
    assert bank.legal(lane).tolist() == [k for row in want for k in row]
    assert (lane in bank.ended()) == reference.read(value, c.terminal)
    held = [
        (r, v) for x, r, v in zip(c.goal_literals, c.goal_roles, c.goal_values, strict=True) if reference.read(value, x)
    ]
    goals = bank.goals([lane])[0]
    assert all(goals[r] == v for r, v in held)
    return want


@pytest.mark.parametrize("way", usable())
def test_programs_run_in_another_process_as_here(way: Way) -> None:
    """What is pickled is the code itself, so that nobody makes it twice."""
    engine = Engine(circuit(SMALL[0]), way=way)
    _ = engine.playout, engine.look
    other: Engine = pickle.loads(pickle.dumps(engine, protocol=5))
    assert {"playout", "look"} <= set(vars(other))
    one, two = Bank(engine, 512, 1), Bank(other, 512, 1)
    assert one.play(50).sums.tolist() == two.play(50).sums.tolist()
    one.look()
    two.look()
    assert (one.memory == two.memory).all()


@pytest.mark.parametrize("way", usable())
@pytest.mark.parametrize("name", [*SMALL, "reachability"])
def test_given_and_random_steps(name: str, way: Way) -> None:
    c = reachability(RING, 6) if name == "reachability" else circuit(name)
    bank = Bank(Engine(c, way=way), 64, 7)
    rng = np.random.default_rng(3)
    lanes = rng.choice(bank.lanes, 4, replace=False)
    for _ in range(25):
        before = bank.save(lanes).tolist()
        bank.look()
        given = []
        for lane, position in zip(lanes.tolist(), before, strict=True):
            moves = check_lane(bank, c, lane, position)
            over = lane in bank.ended()
            given.append(None if over or rng.random() < 0.3 else tuple(int(rng.choice(m)) for m in moves))
        some = [i for i, m in enumerate(given) if m is not None]
        bank.give(lanes[some], np.array([given[i] for i in some], np.int64).reshape(-1, c.roles))
        bank.tick()
        after = bank.save(lanes).tolist()
        for lane, old, new, played in zip(lanes.tolist(), before, after, given, strict=True):
            check_lane(bank, c, lane, old)
            if lane in bank.ended():
                assert old == new
            elif played is None:
                assert tuple(new) in reference.successors(c, old)
            else:
                value = reference.values(c, old, played)
                assert new == [reference.read(value, x) for x in c.next]


@cache
def slow_playouts(name: str) -> tuple[Circuit, list[tuple[int, list[bool]]]]:
    """A circuit, and random playouts by the slow reading of it: steps, and which goals hold in the end."""
    c = reachability(RING, 6) if name == "reachability" else circuit(name)
    rng = np.random.default_rng(5)
    games = {"connect_four": 60, "eight_puzzle": 15}.get(name, 1500)
    return c, [reference.playout(c, rng) for _ in range(games)]


@pytest.mark.parametrize("eager", [True, False])
@pytest.mark.parametrize("way", usable())
@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "reachability", "eight_puzzle"])
def test_playouts_agree_in_distribution(name: str, way: Way, eager: bool) -> None:
    """Goals and the length."""
    c, slow = slow_playouts(name)
    games = len(slow)
    bank = Bank(Engine(c, way=way, eager=eager), 1024, 11)
    fast = bank.play(2000) + bank.finish()
    length = np.mean([n for n, _ in slow])
    spread = 4.5 * max(0.1, float(np.std([n for n, _ in slow]))) / games**0.5  # the slow ones may miss a rare early end
    assert abs((fast.steps - fast.waits) / fast.games - length) < spread
    assert fast.waits <= fast.games * (bank.engine.phases.period - (0 if not eager else 1))
    assert fast.stuck == fast.cut == 0
    want = np.mean([goals for _, goals in slow], axis=0)
    have = fast.goals / fast.games
    spread = np.sqrt(np.maximum(want * (1 - want), 0.01) / games)
    assert (abs(want - have) < 4.5 * spread).all(), (want, have)
    sums = np.zeros(c.roles)
    np.add.at(sums, c.goal_roles, fast.goals * c.goal_values)
    assert (fast.sums == sums).all()


@pytest.mark.parametrize("name", [*SMALL, "reachability"])
def test_same_seed_same_playouts(name: str) -> None:
    """Whatever runs them: all rows of all lanes, and all that is counted."""
    c = reachability(RING, 6) if name == "reachability" else circuit(name)
    results = []
    for way in (*usable(), usable()[0]):
        bank = Bank(Engine(c, way=way), 2048, 99)
        rows, found = bank.engine.rows.total, [bank.play(400)]
        state = bank.memory[:, :rows].swapaxes(0, 1).reshape(rows, -1).tolist()
        found.append(bank.finish())
        results.append((bank.lanes, state, [np.asarray(x).tolist() for played in found for x in vars(played).values()]))
    assert all(found == results[0] for found in results)


@pytest.mark.parametrize("way", usable())
def test_dead_ends_are_counted_and_refilled(way: Way) -> None:
    bank = Bank(Engine(dead_end(), way=way), 512, 1)
    r = bank.play(1000)
    assert r.cut == 0 and r.games > 0
    assert abs(r.stuck / (r.stuck + r.games) - 0.5) < 0.01
    assert r.goals[0] == r.games and r.sums[0] == 70 * r.games
    bank.reset()
    for _ in range(3):
        bank.tick()
    assert len(bank.stuck()) + len(bank.ended()) == bank.lanes


@pytest.mark.parametrize("steps", [1, 6, 40])
def test_means_are_those_of_whole_games(steps: int) -> None:
    """However soon the time is up: long games count as much as short ones. Thirty seeds, in standard errors."""
    engine = Engine(circuit("connect_four"))
    long = Bank(engine, 1024, 1000)
    truth = _means(long.play(20_000) + long.finish())
    found = []
    for seed in range(30):
        bank = Bank(engine, 1024, seed)
        played = bank.play(steps)
        found.append(_means(played + bank.finish()))
    error = np.std(found, axis=0, ddof=1) / 30**0.5
    assert (abs(np.mean(found, axis=0) - truth) < 3 * error).all(), (truth, np.mean(found, axis=0), error)


def _means(found: Playouts) -> np.ndarray:
    """The mean length and the mean goals."""
    return np.array([found.steps - found.waits, *found.sums]) / found.over


@pytest.mark.parametrize("way", usable())
def test_endless_games_are_cut_off(way: Way) -> None:
    bank = Bank(Engine(endless(), way=way), 512, 1)
    r = bank.play(1000, step_limit=100)
    assert r.games == r.stuck == 0
    assert r.cut == 10 * bank.lanes
    bank.play(30, step_limit=100)
    rest = bank.finish(step_limit=100)
    assert (rest.over, rest.cut, rest.steps) == (bank.lanes, bank.lanes, 70 * bank.lanes)


def test_banks_on_threads() -> None:
    engine = Engine(circuit("connect_four"))

    def work(seed: int) -> tuple[int, list[int]]:
        r = Bank(engine, 1024, seed).play(300)
        return r.games, r.goals.tolist()

    alone = [work(s) for s in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == alone
