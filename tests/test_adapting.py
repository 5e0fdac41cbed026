"""PPA: choices against their chances, weights against the paper's gradient."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ggp.search.adapting import RATE, Adapting
from ggp.search.learning import Playing
from tests.compiled import compiled
from tests.search_checks import move_to_win
from tests.test_replies import ALL, fresh, strides


def new(name: str, graphs: int, width: int = 8) -> Adapting:
    engine = compiled(name).engine
    owner = np.arange(512 // width, dtype=np.int32) % graphs
    return Adapting(Playing(fresh(engine, strides(engine)), np.full(8, ALL), owner, width), graphs, seed=1)


@pytest.mark.parametrize(("name", "graphs"), [("connect_four", 1), ("hex_5x5", 4)])
def test_weights_follow_the_gradient_of_what_won(name: str, graphs: int) -> None:
    learner = new(name, graphs)
    bank, rows, lanes = learner.playing.bank, learner.rows, np.arange(512)
    starts, wanted = learner.circuit.role_starts, np.zeros_like(learner.weights)
    for _ in range(2):
        again = fresh(bank.engine, strides(bank.engine))
        bank.memory[:, : rows.ring] = again.memory[:, : rows.ring]
        bank.memory[:, rows.done :] = again.memory[:, rows.done :]
        learner.begin()
        weights, steps = wanted.copy(), list[tuple[int, int, list[int], int]]()
        while (bank.memory[:, rows.done] != ALL).any():
            for t, step in enumerate(strides(bank.engine).steps):
                bank.run(step, 1)
                learner.reply(t)
                wishes, legal = bank._bits(rows.total, rows.inputs, lanes), bank.legal_bits(lanes)
                role = int(learner.deciders[t])
                lo, hi = int(starts[role]), int(starts[role + 1])
                for lane in lanes[~bank._bits(rows.done, 1, lanes)[:, 0]].tolist():
                    able, (chosen,) = (lo + np.flatnonzero(legal[lane, lo:hi])).tolist(), np.flatnonzero(wishes[lane])
                    assert chosen in able
                    steps.append((lane, role, able, int(chosen)))
        learner.end()
        goals = bank.goals(lanes)
        for lane, role, able, move in steps:
            if goals[lane, role] > 50:
                k = lane // 8 % graphs
                powers = {other: math.exp(weights[k, other]) for other in able}
                wanted[k, move] += RATE / 8
                for other in able:
                    wanted[k, other] -= RATE / 8 * powers[other] / sum(powers.values())
        np.testing.assert_allclose(learner.weights, wanted, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(learner.powers, np.exp(wanted), rtol=1e-9)
    assert abs(wanted).max() > 0.5
    learner.move_on(0, forget=False)
    np.testing.assert_allclose(learner.weights[0], wanted[0] / 2, rtol=1e-9, atol=1e-9)
    learner.move_on(0, forget=True)
    assert (learner.weights[0] == 0).all() and (learner.powers[0] == 1).all()


def test_moves_are_drawn_by_their_weights() -> None:
    learner = new("connect_four", 1)
    bank, rows, lanes = learner.playing.bank, learner.rows, np.arange(512)
    lo = int(learner.circuit.role_starts[learner.deciders[0]])
    learner.powers[0, lo : lo + 7] = [1, 2, 3, 4, 0.001, 0.001, 0.001]
    counts = np.zeros(7)
    steps = strides(bank.engine).steps
    for _ in range(20):
        again = fresh(bank.engine, strides(bank.engine))
        bank.memory[:] = again.memory
        learner.begin()
        bank.run(steps[0], 1)  # lanes that were just loaded describe their position
        learner.reply(0)
        counts += bank._bits(rows.total, rows.inputs, lanes)[:, lo : lo + 7].sum(axis=0)
    assert counts.sum() == 20 * 512
    assert abs(counts[:4] / counts.sum() - np.array([0.1, 0.2, 0.3, 0.4])).max() < 0.02


def test_a_search_with_them_finds_a_win() -> None:
    policy, move = move_to_win("ppa")
    assert policy == "ppa" and move == "(mark 1 3)"
