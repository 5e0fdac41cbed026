"""Playouts that reply: steps against the machine's own, contexts against descents, and lists against plain sorting."""

from __future__ import annotations

import numpy as np
import pytest

from ggp.lanes.bank import Bank
from ggp.lanes.engine import Engine, Strides
from ggp.lanes.phases import UNKNOWN
from ggp.lanes.policies import POLICIES, Evidence
from ggp.lanes.searchlaps import deciders
from ggp.search.graph import inputs_of
from ggp.search.kernels.replying import sort
from ggp.search.learning import Playing, Replier
from ggp.search.playouts import LEARNERS
from ggp.search.replies import Replies
from ggp.search.settings import SearchSettings
from tests.compiled import compiled, machine_of
from tests.helpers import ruleset
from tests.search_checks import FastSearch

ALL = np.uint64(2**64 - 1)
REPLYING = sorted(name for name, policy in POLICIES.items() if policy.is_stepwise)


def fresh(engine: Engine, runner: Strides, lanes: int = 512) -> Bank:
    """Lanes in the initial position, about to play."""
    bank, rows = Bank(engine, lanes, seed=4), engine.rows
    bank.fit(runner)
    bank.memory[:, : rows.bases] = np.where(engine.circuit.initial, ALL, np.uint64(0))[None, :, None]
    bank.memory[:, [rows.done, rows.stuck]] = 0
    bank.memory[:, rows.goal :] = 0
    bank.memory[:, rows.fresh] = ALL
    return bank


def strides(engine: Engine, evidence: Evidence = Evidence.NONE) -> Strides:
    """The steps of a lap."""
    runner = engine.rollout("contextual", evidence)[1]
    assert isinstance(runner, Strides)
    return runner


def positions(bank: Bank, t: int) -> np.ndarray:
    """All lanes, that have come to phase t: what is known there is not in memory."""
    known = bank.engine.phases.known[t]
    bits = bank._bits(0, bank.engine.rows.bases, np.arange(bank.lanes))
    return np.where(known == UNKNOWN, bits, known == 1)


@pytest.mark.parametrize("name", ["connect_four", "breakthrough", "hex_5x5", "tic_tac_toe_three_players"])
def test_a_stride_is_a_step_by_the_rules_with_what_was_wished_for(name: str) -> None:
    engine = compiled(name).engine
    rows, lanes, period = engine.rows, np.arange(512), engine.phases.period
    runner, other, roles = strides(engine), Bank(engine, 512, seed=1), deciders(engine.circuit, engine.phases)
    bank = fresh(engine, runner)
    generator = np.random.default_rng(3)
    starts, over = engine.circuit.role_starts, np.zeros(512, np.bool_)
    for step in range(40):
        t = step % period
        before = positions(bank, t - 1) if step else bank.save(lanes)
        done = bank._bits(rows.done, 1, lanes)[:, 0]
        legal, wishes = bank.legal_bits(lanes), bank._bits(rows.total, rows.inputs, lanes)
        bank.run(runner.steps[t], 1)
        if step:
            moves, (role,) = bank._bits(rows.moves, rows.inputs, lanes), roles[t - 1]
            own = np.zeros(rows.inputs, np.bool_)
            own[starts[role] : starts[role + 1]] = True
            played, wished = moves & own, wishes & legal & own
            assert (played.sum(axis=1) == 1)[~done].all() and not (played & ~legal)[~done].any()
            heeds = wished.any(axis=1)
            assert not (played & ~wished)[heeds & ~done].any() and heeds.any()
            other.load(lanes, before)
            other.look()
            joint = other.legal_bits(lanes)  # the others can only wait
            joint[:, own] = played[:, own]
            other.give(lanes[~done], np.array([np.flatnonzero(row) for row in joint[~done]]))
            other.tick()
            other.load(lanes, other.save(lanes))
        else:
            other.load(lanes, before)
        other.look()
        now = positions(bank, t)
        assert (now == other.save(lanes))[~done].all() and (bank.legal_bits(lanes) == other.legal_bits(lanes))[
            ~done
        ].all()
        ended = other.is_ended(lanes) & ~over
        assert (bank.goals(lanes) == other.goals(lanes))[ended].all()
        over |= ended
        assert (bank._bits(rows.done, 1, lanes)[:, 0] == over).all()
        assert not bank._bits(rows.total, rows.inputs, lanes)[:, own].any() if step else True
        bank.memory[:, rows.total : rows.total + rows.inputs] = generator.integers(
            0, 2**64, (bank.blocks, rows.inputs, bank.words), np.uint64
        ) & generator.integers(0, 2**64, (bank.blocks, rows.inputs, bank.words), np.uint64)  # fmt: skip
        if over.all():
            break
    assert over.sum() > 20


@pytest.mark.parametrize(("name", "slots", "playouts"), [("connect_four", 16, 4), ("tic_tac_toe_three_players", 8, 64)])
def test_lanes_know_the_moves_that_led_to_them(
    name: str, slots: int, playouts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast = FastSearch(compiled(name), SearchSettings(policy="contextual", playouts=playouts), 1, slots=slots)
    engine, rows, lanes = fast.machine.engine, fast.machine.engine.rows, fast.crew.work.lanes
    learner, seen = fast.crew.playouts.learner, list[int]()
    assert isinstance(learner, Replies)
    begin, bank = learner.begin, learner.playing.bank

    def checked() -> None:
        begin()
        graph, work = fast.graph, fast.crew.work
        for i in range(slots):
            if lanes.play_source[i * playouts] < 0:
                continue
            last = dict[int, int]()
            for e in work.slots.edge[i, : work.slots.slot[i].length].tolist():
                (role,) = deciders(engine.circuit, engine.phases)[graph.node[graph.edge[e].origin].phase]
                last[role] = inputs_of(graph, e)[role]
            found = bank._bits(rows.moves, rows.inputs, np.arange(i * playouts, (i + 1) * playouts))
            assert (np.flatnonzero(found[0]) == sorted(last.values())).all() and (found == found[0]).all()
            seen.append(len(last))

    monkeypatch.setattr(learner, "begin", checked)
    fast.simulate(150)
    assert {1, 2} <= set(seen) and len(seen) >= 150


def test_numbers_are_sorted_by_their_scores_and_then_by_themselves() -> None:
    generator = np.random.default_rng(2)
    for size in (1, 2, 7, 40, 300):
        order = generator.permutation(size).astype(np.int16)
        for _ in range(3):
            score = generator.integers(0, 20, size).astype(np.float64)
            sort(order, score)
            assert order.tolist() == sorted(range(size), key=lambda a: (-score[a], a))


PAUSE = """
(role white) (role black)
(cell a) (cell b) (cell c) (cell d)
(init (turn pause))
(follows pause white) (follows white black) (follows black pause)
(<= (next (turn ?y)) (true (turn ?x)) (follows ?x ?y))
(<= (legal ?r (take ?x)) (true (turn ?r)) (cell ?x) (not (taken ?x)))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (taken ?x) (true (has ?r ?x)))
(<= (next (has ?r ?x)) (does ?r (take ?x)))
(<= (next (has ?r ?x)) (true (has ?r ?x)))
(<= terminal (taken a) (taken b) (taken c) (taken d))
(<= (goal ?r 100) (true (has ?r a)))
(<= (goal ?r 0) (role ?r) (not (true (has ?r a))))
"""
"""Everybody waits, then one after the other takes a cell."""


@pytest.mark.parametrize("policy", REPLYING)
def test_the_first_step_may_leave_nobody_a_choice(policy: str) -> None:
    engine = machine_of(ruleset(PAUSE)).engine
    rows, runner = engine.rows, strides(engine, POLICIES[policy].evidence)
    bank = fresh(engine, runner)
    learner = LEARNERS[policy](Playing(bank, np.full(8, ALL), np.zeros(64, np.int32), 8), 1, seed=1)
    assert isinstance(learner, Replier) and isinstance(learner, Replies) and learner.deciders.tolist() == [-1, 0, 1]
    learner.begin()
    for step in range(7):  # to the end: white and black each take a cell twice
        bank.run(runner.steps[step % 3], 1)
        learner.reply(step % 3)
        assert not bank.memory[:, rows.total : rows.total + rows.inputs].any() or step % 3
    assert (bank.memory[:, rows.done] == ALL).all()
    learner.end()


@pytest.mark.parametrize("policy", REPLYING)
def test_where_turns_are_not_known_or_one_plays_alone_nobody_replies(policy: str) -> None:
    for name in ("bidding_tic_tac_toe", "eight_puzzle", "dots_and_boxes"):
        assert compiled(name).engine.offered(policy) == "uniform"
    assert compiled("connect_four").engine.offered(policy) == policy
