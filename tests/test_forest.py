"""The forest of replies: what descents teach against the paper's algorithms, and what lanes reply with by it."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from ggp.search.forest import ReplyForest, new_forest
from ggp.search.graph import inputs_of
from ggp.search.kernels.foresting import Forest, is_there, learn_reply, place_of
from ggp.search.kernels.sequences import LONGEST
from ggp.search.learning import Playing
from ggp.search.settings import SearchSettings
from tests.compiled import compiled
from tests.search_checks import FastSearch
from tests.test_replies import ALL, fresh, strides

Context = tuple[int, ...]


class SlowForest:
    """Algorithms 1 and 2 of the paper, word by word; a context begins with the newest move."""

    def __init__(self) -> None:
        self.patterns: dict[tuple[Context, int], list[float]] = {}
        self.last: dict[Context, int] = {}

    def update(self, descent: list[int], outcomes: list[float]) -> None:
        for i in range(len(descent) - 1, -1, -1):
            context: Context = ()
            for move in descent[max(0, i - LONGEST) : i][::-1]:
                context = (*context, move)
                is_new = (context, descent[i]) not in self.patterns
                known = self.patterns.setdefault((context, descent[i]), [0, 0.0])
                known[0], known[1] = known[0] + 1, known[1] + outcomes[i]
                self.last[context] = descent[i]
                if is_new:
                    break


def place(forest: Forest, context: Context, k: int = 0) -> int:
    """Where a context is."""
    at = -1
    for move in context:
        at = place_of(forest, k, at, move, 0)
        assert is_there(forest, at)
    return at


def same(forest: Forest, slow: SlowForest, k: int = 0) -> bool:
    """Whether a graph's table says what the slow one does, and nothing else."""
    for context, reply in slow.last.items():
        own = {move: found for (other, move), found in slow.patterns.items() if other == context}
        at = place(forest, context, k)
        if forest.entry[at].move != reply:
            return False
        at, found = forest.entry[at].link, dict[int, list[float]]()
        while at >= 0:
            entry = forest.entry[at]
            found[int(entry.move)] = [float(entry.n), float(entry.total)]
            at = entry.link
        if {m: [n, round(total, 6)] for m, (n, total) in found.items()} != {
            m: [n, round(total, 6)] for m, (n, total) in own.items()
        }:
            return False
    return bool(forest.taken[k] == len(slow.last) + len(slow.patterns))


def test_patterns_are_those_of_the_papers_algorithms() -> None:
    generator = np.random.default_rng(1)
    forest, slow = new_forest(2), [SlowForest(), SlowForest()]
    for number in range(600):
        k = number % 2
        descent = generator.integers(0, 3, generator.integers(1, 14)).tolist()
        outcomes = generator.integers(0, 3, len(descent)) / 2
        slow[k].update(descent, outcomes.tolist())
        for i in range(len(descent) - 1, 0, -1):
            learn_reply(forest, k, np.array(descent[:i], np.int32), descent[i], outcomes[i])
    assert same(forest, slow[0], 0) and same(forest, slow[1], 1)
    assert max(map(len, slow[0].last)) > 4


def test_a_full_table_keeps_what_it_knows() -> None:
    forest = new_forest(4096)
    for number in range(9000):
        learn_reply(forest, 1, np.array([number], np.int32), 5, 1.0)
    assert 0.74 * forest.places < forest.taken[1] <= 0.75 * forest.places and not forest.taken[[0, 2]].any()
    learn_reply(forest, 1, np.array([0], np.int32), 5, 0.0)
    assert forest.entry[place_of(forest, 1, place(forest, (0,), 1), 5, 1)].n == 2


@pytest.mark.parametrize(("name", "playouts"), [("connect_four", 1), ("tic_tac_toe", 4)])
def test_a_search_teaches_what_its_descents_chose_after_every_simulation(
    name: str, playouts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast = FastSearch(compiled(name), SearchSettings(policy="forest", playouts=playouts, solver=False), 1)
    learner, slow, starts = fast.crew.playouts.learner, SlowForest(), fast.machine.circuit.role_starts
    assert isinstance(learner, ReplyForest)
    begin, end, graph, slots = learner.begin, learner.end, fast.graph, fast.crew.work.slots
    way, count = list[int](), 0

    def begins() -> None:
        if fast.crew.work.lanes.play_source[0] >= 0:
            edges = slots.edge[0, : slots.slot[0].length].tolist()
            way[:] = [inputs_of(graph, e)[graph.node[graph.edge[e].origin].phase] for e in edges]
        begin()

    def ends() -> None:
        nonlocal count
        if learner.playing.changed.any():
            roles = np.searchsorted(starts, way, side="right") - 1
            slow.update(way, (slots.payoff[0, roles] / 100).tolist())
            count += 1
        end()

    monkeypatch.setattr(learner, "begin", begins)
    monkeypatch.setattr(learner, "end", ends)
    for _ in range(150):
        fast.simulate(1)
    assert count >= 140 and same(learner.forest, slow)
    assert max(map(len, slow.last)) >= 2


def new(reply: str, prob: float = 1.0) -> ReplyForest:
    """Lanes of connect four, with a forest but no search."""
    engine = compiled("connect_four").engine
    settings = SearchSettings(reply=reply, prob=prob, bias=0.0)  # type: ignore[arg-type]
    bank = fresh(engine, strides(engine))
    return ReplyForest(Playing(bank, np.full(8, ALL), np.zeros(64, np.int32), 8, settings), 1, seed=1)


def played_on(learner: ReplyForest, steps: int) -> list[tuple[int, list[int], np.ndarray, np.ndarray]]:
    """Lane, its sequence, what is legal and what it wishes for, after some steps of all lanes."""
    bank, rows, lanes = learner.playing.bank, learner.rows, np.arange(512)
    learner.begin()
    for step in range(steps):
        bank.run(strides(bank.engine).steps[step % 2], 1)
        learner.reply(step % 2)
    legal, wishes = bank.legal_bits(lanes), bank._bits(rows.total, rows.inputs, lanes)
    alive = lanes[~bank._bits(rows.done, 1, lanes)[:, 0]].tolist()
    return [
        (lane, learner.sequence[lane, : learner.length[lane]].tolist(), legal[lane], wishes[lane]) for lane in alive
    ]  # fmt: skip


@pytest.mark.parametrize("reply", ["last", "soft"])
def test_lanes_reply_to_the_longest_context_that_is_known(reply: str) -> None:
    learner = new(reply)
    generator, drops, slow = np.random.default_rng(3), [range(7), range(8, 15)], SlowForest()
    for _ in range(300):
        descent = [int(generator.choice(drops[i % 2])) for i in range(6)]
        slow.update(descent, [1.0] * 6)
        for i in range(5, 0, -1):
            learn_reply(learner.forest, 0, np.array(descent[:i], np.int32), descent[i], 1.0)
    replies = defaultdict[Context, set[int]](set)
    for context, move in slow.patterns:
        replies[context].add(move)
    depths = set()
    for _, sequence, legal, wishes in played_on(learner, 12):
        assert len(sequence) == 11
        known = [
            tuple(sequence[: -1 - d : -1]) for d in range(1, LONGEST + 1) if tuple(sequence[: -1 - d : -1]) in slow.last
        ]
        wished = np.flatnonzero(wishes).tolist()
        if reply == "last":
            assert wished == [m for m in [slow.last[known[-1]]] if legal[m]]
        else:
            able = next(
                ([m for m in replies[c] if legal[m]] for c in reversed(known) if any(legal[m] for m in replies[c])), []
            )
            assert (len(wished) == 1 and wished[0] in able) or not able
        depths.add(len(known))
    assert len(depths) > 1


def test_soft_replies_come_by_their_estimates_and_are_accepted_with_them() -> None:
    learner, counts = new("soft"), np.zeros(16)
    for before in range(16):
        for reply, outcome in ((0, 1.0), (1, 0.5), (8, 1.0), (9, 0.5)):
            for _ in range(4):
                learn_reply(learner.forest, 0, np.array([before], np.int32), reply, outcome)
    lanes = played_on(learner, 3)
    for _, _, _, wishes in lanes:
        counts += wishes
    role = learner.deciders[0]
    good, fair = counts[8 * role], counts[8 * role + 1]
    assert counts.sum() == good + fair and abs(good - len(lanes) * 2 / 3) < 45 and abs(fair - len(lanes) / 6) < 35
