"""Contextual Monte Carlo: tiles against a slow recount, and replies against the paper's formula."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ggp.core.errors import MachineError
from ggp.lanes.policies import Evidence
from ggp.search.contextual import Contextual
from ggp.search.learning import Playing
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from tests.compiled import compiled
from tests.test_replies import ALL, fresh, strides


def new(name: str, graphs: int, width: int, mask: np.ndarray, **settings: float) -> Contextual:
    engine = compiled(name).engine
    bank = fresh(engine, strides(engine, Evidence.PLAYED))
    owner = np.arange(512 // width, dtype=np.int32) % graphs
    return Contextual(Playing(bank, mask, owner, width, SearchSettings(**settings)), graphs, seed=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "graphs", "width"), [("connect_four", 1, 8), ("hex_5x5", 512, 1), ("breakthrough", 8, 64)]
)
def test_tiles_are_those_of_a_slow_recount(name: str, graphs: int, width: int) -> None:
    mask = np.random.default_rng(1).integers(0, 2**64, 8, np.uint64)
    mask[3] = 0
    learner = new(name, graphs, width, mask, prob=0.7)
    bank, rows, starts = learner.playing.bank, learner.rows, learner.circuit.role_starts.tolist()
    lanes = np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little"))
    n, total, runs = np.zeros_like(learner.n), np.zeros_like(learner.total), np.zeros(graphs)
    for _ in range(2):
        again = fresh(bank.engine, strides(bank.engine, Evidence.PLAYED))
        bank.memory[:, : rows.ring], bank.memory[:, rows.done :] = (
            again.memory[:, : rows.ring],
            again.memory[:, rows.done :],
        )
        bank.memory[:, rows.done] = ~mask.reshape(bank.blocks, bank.words)
        learner.begin()
        played = np.zeros((512, rows.inputs), np.bool_)
        while (bank.memory[:, rows.done] != ALL).any():
            for t, step in enumerate(strides(bank.engine, Evidence.PLAYED).steps):
                playing = ~bank._bits(rows.done, 1, np.arange(512)) & ~bank._bits(rows.fresh, 1, np.arange(512))
                bank.run(step, 1)
                role = learner.deciders[t - 1]
                own = slice(starts[role], starts[role + 1])
                played[:, own] |= playing & bank._bits(rows.moves, rows.inputs, np.arange(512))[:, own]
                learner.reply(t)
        learner.end()
        for lane, goals in zip(lanes.tolist(), bank.goals(lanes), strict=True):
            graph = 0 if graphs == 1 else lane // width % graphs
            runs[graph] += 1
            for role, (lo, hi) in enumerate(pairwise(starts)):
                both = np.flatnonzero(played[lane, lo:hi])
                n[graph, (lo + both)[:, None], both] += 1
                total[graph, (lo + both)[:, None], both] += goals[role]
    moved = [role for role, (lo, hi) in enumerate(pairwise(starts)) if n[:, lo:hi].any()]
    assert moved == [0, 1] and (learner.playouts == runs).all()
    assert (learner.n == n).all() and (learner.total == total).all()


@pytest.mark.parametrize("threshold", [0.0, 55.0])
@pytest.mark.parametrize("name", ["connect_four", "breakthrough"])
def test_the_reply_is_the_legal_move_whose_tile_is_worth_most(name: str, threshold: float) -> None:
    learner = new(name, 1, 8, np.full(8, ALL), prob=1.0, threshold=threshold)
    bank, rows, lanes = learner.playing.bank, learner.rows, np.arange(512)
    generator = np.random.default_rng(5)
    learner.n[:] = generator.integers(0, 4, learner.n.shape)
    for c in range(rows.inputs):
        learner.n[0, c, c - learner.circuit.role_starts[np.searchsorted(learner.circuit.role_starts, c, "right") - 1]] = 1
    learner.total[:] = learner.n * generator.integers(0, 100, learner.n.shape)
    learner.rank(0)
    checked = 0
    for step in range(16):
        t = step % bank.engine.phases.period
        bank.run(strides(bank.engine, Evidence.PLAYED).steps[t], 1)
        learner.reply(t)
        role = learner.deciders[t]
        lo, hi = learner.circuit.role_starts[role : role + 2].tolist()
        done, legal = bank._bits(rows.done, 1, lanes)[:, 0], bank.legal_bits(lanes)
        moves, wishes = bank._bits(rows.moves, rows.inputs, lanes), bank._bits(rows.total, rows.inputs, lanes)
        for lane in lanes[~done].tolist():
            tiles = {
                int(a): learner.total[0, b, a - lo] / learner.n[0, b, a - lo]
                for b in lo + np.flatnonzero(moves[lane, lo:hi])
                for a in lo + np.flatnonzero(legal[lane, lo:hi])
                if learner.n[0, b, a - lo] and learner.total[0, b, a - lo] / learner.n[0, b, a - lo] > threshold
            }
            best = max(tiles.values(), default=None)
            wished = np.flatnonzero(wishes[lane, lo:hi]) + lo
            assert len(wished) == (best is not None) and all(tiles[a] == best for a in wished.tolist())
            checked += len(wished)
    assert checked > 2000


@pytest.mark.parametrize("prob", [0.0, 0.35])
def test_replies_come_in_a_share_of_the_steps(prob: float) -> None:
    learner = new("connect_four", 64, 8, np.full(8, ALL), prob=prob)
    bank, rows = learner.playing.bank, learner.rows
    learner.n[:], learner.total[:] = 1, 50
    for graph in range(64):
        learner.rank(graph)
    count = 0
    for step in range(6):
        t = step % 2
        bank.run(strides(bank.engine, Evidence.PLAYED).steps[t], 1)
        learner.reply(t)
        count += int(np.bitwise_count(bank.memory[:, rows.total : rows.total + rows.inputs]).sum()) if step >= 2 else 0
    trials = 4 * 512
    assert abs(count - trials * prob) <= 4 * np.sqrt(trials * prob * (1 - prob) + 1)


def test_a_search_keeps_tiles_when_the_root_moves_on_and_counts_them_half() -> None:
    machine = compiled("connect_four")
    search = Search(machine, SearchSettings(policy="contextual", playouts=8), seed=1, memory=2**24)
    search.start(machine.initial())
    search.run(simulations=300)
    learner = search.trees[0].crew.playouts.learner
    assert isinstance(learner, Contextual) and learner.playouts[0] >= 8 * 250
    known = learner.n.copy()
    legal = machine.situation(machine.initial()).legal
    search.start(machine.next(machine.initial(), tuple(moves[0] for moves in legal)))
    assert (learner.n == known / 2).all()
    search.adopt(machine.twin())
    after = search.trees[0].crew.playouts.learner
    assert isinstance(after, Contextual) and (after.n == known / 2).all() and after.count.any()


def test_too_many_searches_at_once_are_refused() -> None:
    with pytest.raises(MachineError, match="searches at once would take"):
        new("breakthrough", 10_000, 1, np.full(8, ALL))
