"""Playout policies as gates: what a role may choose from, how likely each is, and the evidence that is left."""

from __future__ import annotations

import numpy as np
import pytest

from ggp.lanes.bank import Bank
from ggp.lanes.engine import Engine
from ggp.lanes.policies import POLICIES, Evidence
from ggp.search.settings import AUTO
from ggp.search.settings import POLICIES as MEANINGS
from tests.compiled import compiled

_LANES = 4096


def test_every_policy_has_a_meaning() -> None:
    assert {*POLICIES, AUTO} == {*MEANINGS}


def fresh(engine: Engine, runner_rows: int) -> Bank:
    bank, rows = Bank(engine, _LANES, seed=3), engine.rows
    bank._grow(runner_rows)
    bank.memory[:, rows.done] = bank.memory[:, rows.stuck] = 0
    bank.memory[:, rows.fresh] = np.uint64(2**64 - 1)
    return bank


def test_preferred_moves_are_played_and_each_is_as_likely() -> None:
    machine = compiled("tic_tac_toe")
    engine, rows = machine.engine, machine.engine.rows
    runner = engine.rollout("mast", Evidence.PLAYED)[1]
    bank = fresh(engine, runner.rows)
    x = [number for number, move in enumerate(machine.inputs[: engine.circuit.role_starts[1]]) if "mark" in str(move)]
    liked = x[2:5]
    bank.memory[:, [rows.total + number for number in liked]] = np.uint64(2**64 - 1)
    bank.run(runner, 1)
    played = bank._bits(rows.total + rows.inputs, rows.inputs, np.arange(bank.lanes))[:, x]
    assert (played.sum(axis=1) == 1).all()
    counts = played.sum(axis=0)
    assert counts.sum() == counts[2:5].sum() == bank.lanes
    expected = bank.lanes / 3
    assert ((counts[2:5] - expected) ** 2 / expected).sum() < 14  # 99.9 % of two degrees of freedom


def test_where_nothing_is_preferred_any_legal_move_is_played() -> None:
    machine = compiled("tic_tac_toe")
    engine, rows = machine.engine, machine.engine.rows
    runner = engine.rollout("mast", Evidence.PLAYED)[1]
    bank = fresh(engine, runner.rows)
    bank.memory[:, rows.total : rows.total + rows.inputs] = 0
    bank.run(runner, 1)
    counts = bank._bits(rows.total + rows.inputs, rows.inputs, np.arange(bank.lanes)).sum(axis=0)
    counts = counts[counts < bank.lanes][:9]
    assert counts.sum() == bank.lanes and ((counts - bank.lanes / 9) ** 2 / (bank.lanes / 9)).sum() < 27


@pytest.mark.parametrize("policy", ["uniform", "mast"])
def test_what_was_played_is_what_was_played_last_step_by_step(policy: str) -> None:
    machine = compiled("eight_puzzle")
    engine, rows = machine.engine, machine.engine.rows
    assert engine.phases.period == 1
    last, played = (engine.rollout(policy, evidence)[1] for evidence in (Evidence.LAST, Evidence.PLAYED))
    one, other = fresh(engine, played.rows), fresh(engine, played.rows)
    first = rows.total + engine.parameters(policy)
    for bank in (one, other):
        bank.memory[:, rows.total : first] = np.random.default_rng(5).integers(
            0, 2**64, bank.memory[:, rows.total : first].shape, np.uint64
        )
        bank.memory[:, first : first + rows.inputs] = 0
    seen = np.zeros_like(one.memory[:, rows.moves : rows.moves + rows.inputs])
    for _ in range(12):
        before = one.memory[:, rows.done].copy()
        one.run(last, 1)
        other.run(played, 1)
        now = one.memory[:, rows.done]
        seen |= one.memory[:, rows.moves : rows.moves + rows.inputs] & ~(before | now)[:, None]
    assert (one.memory[:, : rows.done] == other.memory[:, : rows.done]).all()
    assert (other.memory[:, first : first + rows.inputs] == seen).all() and seen.any()
