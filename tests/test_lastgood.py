"""Last good replies: learning against a slow recount, replies against their definition."""

from __future__ import annotations

import numpy as np
import pytest

from ggp.core.errors import MachineError
from ggp.search.kernels.lastgood import EVEN
from ggp.search.lastgood import LastGood
from ggp.search.learning import Playing
from tests.compiled import compiled
from tests.test_replies import ALL, fresh, strides

Table = dict[tuple[int, ...], int]


def new(name: str, graphs: int = 1) -> LastGood:
    engine = compiled(name).engine
    playing = Playing(fresh(engine, strides(engine)), np.full(8, ALL), np.arange(64, dtype=np.int32) % graphs, 8)
    return LastGood(playing, graphs, seed=1)


def follow(table: Table, context: tuple[int, ...], reply: int, goal: int) -> None:
    """What Baier and Drake do after a playout, for one of its moves."""
    if goal > EVEN:
        table[context] = reply
    elif goal < EVEN and table.get(context) == reply:
        del table[context]


@pytest.mark.parametrize(("name", "graphs"), [("connect_four", 1), ("hex_5x5", 4)])
def test_replies_are_learned_and_given_as_defined(name: str, graphs: int) -> None:
    learner = new(name, graphs)
    bank, rows, lanes = learner.playing.bank, learner.rows, np.arange(512)
    starts, tables = learner.circuit.role_starts, [dict[tuple[int, ...], int]() for _ in range(graphs)]
    given = kept = 0
    for _ in range(4):
        again = fresh(bank.engine, strides(bank.engine))
        bank.memory[:, : rows.ring], bank.memory[:, rows.done :] = (
            again.memory[:, : rows.ring],
            again.memory[:, rows.done :],
        )
        learner.begin()
        played: list[list[int]] = [[] for _ in lanes]
        while (bank.memory[:, rows.done] != ALL).any():
            for t, step in enumerate(strides(bank.engine).steps):
                playing = ~bank._bits(rows.done, 1, lanes)[:, 0] & ~bank._bits(rows.fresh, 1, lanes)[:, 0]
                bank.run(step, 1)
                lo, hi = starts[learner.deciders[t - 1]], starts[learner.deciders[t - 1] + 1]
                moves = bank._bits(rows.moves, rows.inputs, lanes)[:, lo:hi]
                for lane in lanes[playing].tolist():
                    played[lane].append(int(lo + np.flatnonzero(moves[lane])[0]))
                learner.reply(t)
                wishes, legal = bank._bits(rows.total, rows.inputs, lanes), bank.legal_bits(lanes)
                for lane in lanes[~bank._bits(rows.done, 1, lanes)[:, 0]].tolist():
                    table, past = tables[lane // 8 % graphs], tuple(played[lane])
                    known = [table[past[-n:]] for n in (2, 1) if len(past) >= n and past[-n:] in table]
                    wanted = [reply for reply in known if legal[lane, reply]][:1]
                    assert np.flatnonzero(wishes[lane]).tolist() == wanted
                    given += len(wanted)
        learner.end()
        for lane, goals in zip(lanes.tolist(), bank.goals(lanes), strict=True):
            for j, reply in enumerate(played[lane]):
                goal = int(goals[np.searchsorted(starts, reply, side="right") - 1])
                for n in range(1, min(j, 2) + 1):
                    follow(tables[lane // 8 % graphs], tuple(played[lane][j - n : j]), reply, goal)
        kept = sum(map(len, tables))
        assert kept == (learner.one >= 0).sum() + (learner.two >= 0).sum()
    assert given > 1000 and kept > 50
    learner.move_on(0, forget=False)
    assert (learner.one[0] >= 0).any()
    learner.move_on(0, forget=True)
    assert not (learner.one[0] >= 0).any() and not (learner.two[0] >= 0).any()


def test_too_many_searches_at_once_are_refused() -> None:
    with pytest.raises(MachineError, match="searches at once would take"):
        new("breakthrough", 20_000)
