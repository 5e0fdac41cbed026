"""NST: counts against a slow recount, choices against their definition."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from ggp.search.kernels.foresting import CONTEXT, PATTERN, is_there, place_of
from ggp.search.learning import Playing
from ggp.search.ngrams import LEAST, NGrams
from ggp.search.settings import SearchSettings
from tests.compiled import compiled
from tests.search_checks import move_to_win
from tests.test_replies import ALL, fresh, strides

Grams = dict[tuple[int, ...], list[float]]


def new(name: str, graphs: int, prob: float = 1.0) -> NGrams:
    engine = compiled(name).engine
    owner = np.arange(64, dtype=np.int32) % graphs
    playing = Playing(fresh(engine, strides(engine)), np.full(8, ALL), owner, 8, SearchSettings(prob=prob))
    return NGrams(playing, graphs, seed=1)


def worth(grams: Grams, past: list[int], move: int) -> float:
    """The mean over the move alone, and after one and two moves where that was met often enough."""
    if (move,) not in grams:
        return 100.0
    found = [grams[(move,)]]
    for count in (1, 2):
        gram = grams.get((*past[-count:], move)) if len(past) >= count else None
        if gram is not None and gram[0] >= LEAST:
            found.append(gram)
    return sum(total / n for n, total in found) / len(found)


def play_and_compare(learner: NGrams, tables: list[Grams]) -> int:
    """Play all lanes to their end; what they wish for is what is worth most. How often that was not all moves."""
    bank, rows, lanes, graphs = learner.playing.bank, learner.rows, np.arange(512), len(tables)
    starts, chosen = learner.circuit.role_starts, 0
    again = fresh(bank.engine, strides(bank.engine))
    bank.memory[:, : rows.ring] = again.memory[:, : rows.ring]
    bank.memory[:, rows.done :] = again.memory[:, rows.done :]
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
            own = slice(starts[learner.deciders[t]], starts[learner.deciders[t] + 1])
            for lane in lanes[~bank._bits(rows.done, 1, lanes)[:, 0]][::7].tolist():
                able = (own.start + np.flatnonzero(legal[lane, own])).tolist()
                values = {move: worth(tables[lane // 8 % graphs], played[lane], move) for move in able}
                best = [move for move in able if values[move] == pytest.approx(max(values.values()), abs=1e-9)]
                assert np.flatnonzero(wishes[lane]).tolist() == best
                chosen += len(best) < len(able)
    learner.end()
    for lane, goals in zip(lanes.tolist(), bank.goals(lanes), strict=True):
        for j, move in enumerate(played[lane]):
            goal = int(goals[np.searchsorted(starts, move, side="right") - 1])
            for count in range(min(j, 2) + 1):
                gram = tables[lane // 8 % graphs][tuple(played[lane][j - count : j + 1])]
                gram[0], gram[1] = gram[0] + 1, gram[1] + goal
    return chosen


@pytest.mark.parametrize(("name", "graphs"), [("connect_four", 1), ("hex_5x5", 4)])
def test_grams_are_counted_and_chosen_by_as_defined(name: str, graphs: int) -> None:
    learner = new(name, graphs)
    tables: list[Grams] = [defaultdict(lambda: [0.0, 0.0]) for _ in range(graphs)]
    chosen = 0
    for _ in range(3):
        chosen += play_and_compare(learner, tables)
        for k, table in enumerate(tables):
            for gram, (n, total) in table.items():
                assert found(learner, k, gram) == (n, total)
    assert chosen > 300 and max(len(gram) for table in tables for gram in table) == 3
    before = learner.n[0].sum()
    learner.move_on(0, forget=False)
    assert learner.n[0].sum() == before / 2
    gram = next(gram for gram in tables[0] if len(gram) == 3)
    assert found(learner, 0, gram)[0] == tables[0][gram][0] / 2
    learner.move_on(0, forget=True)
    assert learner.n[0].sum() == 0 and learner.table.taken[0] == 0 and found(learner, 0, gram) == (0, 0)


def found(learner: NGrams, k: int, gram: tuple[int, ...]) -> tuple[float, float]:
    """What is known of a move after others."""
    *before, move = gram
    if not before:
        return float(learner.n[k, move]), float(learner.total[k, move])
    at = -1
    for one in reversed(before):
        at = place_of(learner.table, k, at, one, CONTEXT)
    at = place_of(learner.table, k, at, move, PATTERN)
    if not is_there(learner.table, at):
        return 0.0, 0.0
    return float(learner.table.entry[at].n), float(learner.table.entry[at].total)


def test_a_search_with_them_finds_a_win() -> None:
    policy, move = move_to_win("nst")
    assert policy == "nst" and move == "(mark 1 3)"
