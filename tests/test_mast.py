"""MAST: counts against a slow recount, preferences against their odds, and what a search does with it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ggp.lanes.bank import Bank
from ggp.lanes.engine import Engine
from ggp.lanes.policies import Evidence
from ggp.search.batch import play_matches
from ggp.search.kernels.preferring import PRECISION, draw_preferences, weigh
from ggp.search.learning import Playing
from ggp.search.mast import Mast
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from tests.compiled import compiled

ALL = np.uint64(2**64 - 1)


def bank_of(engine: Engine, lanes: int) -> Bank:
    bank = Bank(engine, lanes, seed=2)
    bank.fit(engine.rollout("mast", Evidence.PLAYED)[1])
    return bank


def play_out(bank: Bank, mast: Mast, mask: np.ndarray) -> None:
    """Play lanes of a mask from the initial position to their end, as a search does."""
    rows, runner = bank.engine.rows, bank.engine.rollout("mast", Evidence.PLAYED)[1]
    bank.memory[:, : rows.bases] = np.where(bank.engine.circuit.initial, ALL, np.uint64(0))[None, :, None]
    bank.memory[:, rows.stuck] = 0
    bank.memory[:, rows.done] = ~mask.reshape(bank.blocks, bank.words)
    bank.memory[:, rows.goal : rows.goal + rows.goals] = 0
    mast.begin()
    while (bank.memory[:, rows.done] != ALL).any():
        bank.run(runner, 1)
    mast.end()


@pytest.mark.parametrize("name", ["breakthrough", "tic_tac_toe", "eight_puzzle"])
@pytest.mark.parametrize(("graphs", "width"), [(1, 8), (64, 8), (512, 1), (8, 64)])
def test_counts_are_those_of_a_slow_recount(name: str, graphs: int, width: int) -> None:
    machine = compiled(name)
    engine, rows, circuit = machine.engine, machine.engine.rows, machine.circuit
    owner = np.arange(512 // width, dtype=np.int32) % graphs
    mask = np.random.default_rng(1).integers(0, 2**64, 8, np.uint64)
    mask[3] = 0
    bank = bank_of(engine, 512)
    mast = Mast(Playing(bank, mask, owner, width), graphs, seed=1)
    n, total = np.zeros_like(mast.n), np.zeros_like(mast.total)
    for _ in range(2):
        play_out(bank, mast, mask)
        lanes = np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little"))
        played = bank._bits(rows.total + rows.inputs, rows.inputs, lanes)
        for lane, goals, inputs in zip(lanes.tolist(), bank.goals(lanes), played, strict=True):
            graph = 0 if graphs == 1 else owner[lane // width]
            for number in np.flatnonzero(inputs).tolist():
                role = int(np.searchsorted(circuit.role_starts, number, side="right")) - 1
                n[graph, number] += 1
                total[graph, number] += goals[role]
    assert (mast.n == n).all() and (mast.total == total).all() and n.sum() > 0


def test_a_move_is_preferred_the_more_often_the_higher_its_average() -> None:
    n, total = np.array([[10.0, 10.0, 10.0, 0.0]]), np.array([[500.0, 600.0, 0.0, 0.0]])
    odds, liking = np.zeros((1, 4), np.int64), np.zeros((1, 4))
    starts, weighed = np.array([[0, 3, 4], [0, 0, 0]], np.int64), np.array([-1.0])
    weigh(n, total, starts, odds, weighed, liking)
    usual = 1100 / 30
    wanted = [min(1, 0.25 * np.exp((mean - usual) / 10)) * 2**PRECISION for mean in (50, 60, 0)]
    assert odds[0, :3].tolist() == [max(1, round(value)) for value in wanted] and odds[0, 3] == 2**PRECISION
    assert np.allclose(liking, [[50 - usual, 60 - usual, -usual, 0]])
    before = odds.copy()
    n[0, 2] += 1
    weigh(n, total, starts, odds, weighed, liking)  # too little is new
    assert (odds == before).all() and weighed[0] == 30
    for change in (4, -16):
        n[0, 3] += change
        weigh(n, total, starts, odds, weighed, liking)
        assert weighed[0] == n.sum()
    assert (odds != before).any()


def test_preferences_come_as_often_as_their_odds_say_and_only_in_lanes_of_the_mask() -> None:
    memory = np.zeros((64, 5, 8), np.uint64)
    memory[:, 1:] = np.uint64(0x0123456789ABCDEF)
    odds = np.array([[1, 13, 32, 64]])
    mask = np.full(512, ALL)
    mask[100] = np.uint64(0)
    mask[200] = np.uint64(1)
    draw_preferences(memory, 1, mask, np.zeros(1, np.int32), 1, odds, np.array([7], np.uint64))
    assert not memory[:, 0].any()
    assert (memory[12, 1:, 4] == np.uint64(0x0123456789ABCDEF)).all()
    assert (memory[25, 1:, 0] >> np.uint64(1) == np.uint64(0x0123456789ABCDEF) >> np.uint64(1)).all()
    trials = 510 * 64
    for row, odd in enumerate(odds[0].tolist(), 1):
        share = odd / 2**PRECISION
        drawn = np.delete(memory[:, row].reshape(-1), [100, 200])
        count = int(np.bitwise_count(drawn).sum())
        assert abs(count - trials * share) <= 4 * np.sqrt(trials * share * (1 - share))


def gibbs(odds: np.ndarray) -> np.ndarray:
    """How likely each of some legal moves is by MAST step by step, as it was published."""
    return np.asarray(odds / odds.sum())


def by_preference(odds: np.ndarray) -> np.ndarray:
    """The same where a set is drawn before: each move by itself, and then one of the set; of all where it is empty."""
    found = np.zeros(len(odds))
    for chosen in product((False, True), repeat=len(odds)):
        some = np.array(chosen)
        share = np.where(some, odds, 1 - odds).prod()
        found += share * (some / some.sum() if some.any() else np.full(len(odds), 1 / len(odds)))
    return found


@pytest.mark.parametrize("means", [(50, 52, 48, 55, 45, 50, 50), (50, 70, 30, 45, 55, 50, 40), (50,) * 7])
def test_moves_come_as_often_as_the_definition_says_and_nearly_as_often_as_by_gibbs(means: tuple[int, ...]) -> None:
    engine = compiled("connect_four").engine
    rows, circuit = engine.rows, engine.circuit
    bank = bank_of(engine, 65536)
    mast = Mast(Playing(bank, np.full(bank.lanes // 64, ALL), np.zeros(bank.lanes // 8, np.int32), 8), 1, seed=3)
    bank.look()
    legal = bank.legal(0)
    first = legal[legal < circuit.role_starts[1]]
    mast.n[0, first], mast.total[0, first] = 100, np.array(means) * 100
    bank.memory[:, [rows.done, rows.stuck]] = 0
    mast.begin()
    bank.run(engine.rollout("mast", Evidence.PLAYED)[1], 1)
    counts = bank._bits(rows.total + rows.inputs, rows.inputs, np.arange(bank.lanes))[:, first].sum(axis=0)
    odds = np.zeros((1, rows.inputs), np.int64)
    starts = np.array([circuit.role_starts, circuit.role_starts * 0], np.int64)
    weigh(mast.n, mast.total, starts, odds, np.full(1, -1.0), np.zeros((1, rows.inputs)))
    share = odds[0, first] / 2**PRECISION
    wanted = by_preference(share) * bank.lanes
    assert counts.sum() == bank.lanes and ((counts - wanted) ** 2 / wanted).sum() < 22.5  # 99.9 % of six degrees
    assert abs(by_preference(share) - gibbs(share)).sum() / 2 < 0.14  # total variation


def test_a_search_keeps_what_it_knows_when_the_root_moves_on_and_counts_it_half() -> None:
    machine = compiled("breakthrough")
    search = Search(machine, SearchSettings(policy="mast", playouts=8), seed=1, memory=2**24)
    search.start(machine.initial())
    search.run(simulations=500)
    learner = search.trees[0].crew.playouts.learner
    assert isinstance(learner, Mast)
    known = learner.n.copy()
    assert known.sum() > 500 * 8 * 20
    search.start(machine.initial())
    assert (learner.n == known).all()
    legal = machine.situation(machine.initial()).legal
    search.start(machine.next(machine.initial(), tuple(moves[0] for moves in legal)))
    assert (learner.n == known / 2).all()
    search.adopt(machine.twin())
    after = search.trees[0].crew.playouts.learner
    assert isinstance(after, Mast) and (after.n == known / 2).all()


def test_in_lockstep_nobody_learns_from_others() -> None:
    machine = compiled("othello")
    mast, uniform = (SearchSettings(simulations=60, policy=name, reuse=False) for name in ("mast", "uniform"))
    pair, seeds = [(mast, uniform), (uniform, mast)], [1, 2]
    together = play_matches(machine, pair * 3, [1, 2, 3, 4, 5, 6])
    assert len({result.goals for result in together}) > 1
    assert [r.complete for r in together] == [True] * 6
    alone = play_matches(machine, pair, seeds)
    assert [r.complete for r in alone] == [True, True]
