"""The solver's answers against all valuations of small nets: what is impossible, what is not, and the counterexamples."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

import pytest

from ggp.circuits import propagation
from ggp.circuits import solver as solver_module
from ggp.circuits.graph import Graph, Net
from ggp.circuits.solver import Care, Fact, Group, Solver
from ggp.circuits.work import Work

BASES, ROLES = 6, [(0, 2), (2, 5)]


def random_net(rng: random.Random, gates: int) -> Net:
    """Random gates over six bases and five inputs; a legality that does not depend on moves, as in games."""
    graph = Graph(BASES + 5)
    early = [2 * gate for gate in range(1, 1 + BASES)]

    def grow(literals: list[int]) -> None:
        for _ in range(gates):
            x, y = rng.sample(literals, 2)
            literals.append(graph.land(x ^ rng.getrandbits(1), y ^ rng.getrandbits(1)))

    grow(early)
    late = early + [2 * (1 + BASES + j) for j in range(5)]
    grow(late)
    legal = [rng.choice(early) ^ rng.getrandbits(1) for _ in range(5)]
    following = [rng.choice(late[-gates:]) ^ rng.getrandbits(1) for _ in range(BASES)]
    return Net(graph, BASES, 5, following, legal, rng.choice(early) ^ rng.getrandbits(1), [], [])


def random_care(rng: random.Random) -> Care:
    groups = [Group(tuple(sorted(rng.sample(range(BASES), rng.choice([2, 3])))), rng.random() < 0.5) for _ in range(2)]
    never = rng.sample(range(BASES), rng.choice([0, 0, 1]))
    always = rng.sample(range(BASES), rng.choice([0, 0, 1]))
    return Care(tuple(groups), tuple(never), tuple(always), rng.choice([(), ((0, 2, 3),)]))


def valuations(net: Net) -> Iterator[list[bool]]:
    """The values of all gates, for all values of the leaves."""
    graph = net.graph
    for leaves in itertools.product([False, True], repeat=graph.leaves):
        values = [False, *leaves]
        for gate in range(1 + graph.leaves, len(graph)):
            values.append(holds(values, graph.left[gate]) and holds(values, graph.right[gate]))
        yield values


def holds(values: Sequence[bool], x: int) -> bool:
    return bool(values[x >> 1]) ^ bool(x & 1)


def allowed(net: Net, care: Care, values: Sequence[bool], moving: bool) -> bool:
    """Is this possible by what is known?"""
    base, move = values[1 : 1 + BASES], values[1 + BASES : 1 + net.graph.leaves]
    counts = [(sum(base[i] for i in group.members), group.exact) for group in care.groups]
    if any(n > 1 or (some and n == 0) for n, some in counts):
        return False
    if any(base[i] for i in care.never) or not all(base[i] for i in care.always):
        return False
    if not moving:
        return True
    one_each = all(sum(move[j] for j in group) == 1 for group in [*(range(lo, hi) for lo, hi in ROLES), *care.moves])
    legal = all(holds(values, net.legal[j]) for j in range(5) if move[j])
    return one_each and legal and not holds(values, net.terminal)


@pytest.mark.parametrize("learned", [4_000, 2])
@pytest.mark.parametrize("seed", range(40))
def test_every_answer_is_that_of_all_valuations(seed: int, learned: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """When nearly all that is learned has to be forgotten again, an answer may be missing, but is never wrong."""
    monkeypatch.setattr(solver_module, "_CLAUSES", learned)
    rng = random.Random(seed)
    net, care = random_net(rng, rng.choice([5, 15, 40])), random_care(rng)
    solver = Solver(net, ROLES, care, Work(10_000_000))
    every = list(valuations(net))
    possible = {moving: [v for v in every if allowed(net, care, v, moving)] for moving in (False, True)}
    for _ in range(40):
        moving = rng.random() < 0.6
        asked = [rng.randrange(2, 2 * len(net.graph)) for _ in range(rng.choice([0, 1, 2, 2, 3]))]
        fitting = [v for v in possible[moving] if all(holds(v, x) for x in asked)]
        impossible, values = solver.ask(asked, moving=moving)
        assert impossible == (not fitting) or (impossible is None and learned == 2)
        if impossible is False:
            assert list(map(bool, values)) in fitting


@pytest.mark.parametrize("seed", range(10))
def test_counting_gates_and_facts_that_are_given_up(seed: int) -> None:
    rng = random.Random(seed)
    net = random_net(rng, 15)
    solver = Solver(net, ROLES, Care(), Work(10_000_000))
    some, two = solver.some(net.next), solver.two(net.next)
    facts: list[Fact] = []
    for _ in range(4):
        kind = {rng.choice(["most", "least"]): True} if rng.random() < 0.7 else {}
        facts.append(solver.fact(tuple(sorted(rng.sample(range(1, 1 + BASES), 2))), **kind))
    possible = [v for v in valuations(net) if allowed(net, Care(), v, True)]
    while facts:
        held = [v for v in possible if all(true_of(fact, v) for fact in facts)]
        counts = {sum(holds(v, x) for x in net.next) for v in held}
        assert solver.impossible([some], moving=True) == (max(counts, default=0) < 1)
        assert solver.impossible([some ^ 1], moving=True) == (min(counts, default=9) > 0)
        assert solver.impossible([two], moving=True) == (max(counts, default=0) < 2)
        assert solver.impossible([two ^ 1], moving=True) == (min(counts, default=9) > 1)
        solver.drop(facts.pop(rng.randrange(len(facts))))


def true_of(fact: Fact, values: Sequence[bool]) -> bool:
    count = sum(values[gate] for gate in fact.members)
    return (count <= 1 or not fact.most) and (count >= 1 or not fact.least) and (fact.most or fact.least or not count)


def test_what_costs_too_much_is_given_up() -> None:
    """Two nets of one long parity, added up in different orders: equal, but not provably so in little work."""
    graph = Graph(24)

    def parity(order: Sequence[int]) -> int:
        total = 0
        for gate in order:
            total = graph.lor(graph.land(total, 2 * gate ^ 1), graph.land(total ^ 1, 2 * gate))
        return total

    one, other = parity(range(1, 25)), parity(random.Random(1).sample(range(1, 25), 24))
    net = Net(graph, 24, 0, [one], [], 0, [], [])
    work = Work(10_000_000)
    solver = Solver(net, [], Care(), work, patience=5_000)
    assert solver.impossible([one, other ^ 1], moving=False) is None
    assert solver._search is not None
    assert solver._search.numbers[propagation.CONFLICTS] > 50
    assert 5_000 < work.spent < 20_000
    assert Solver(net, [], Care(), work).impossible([one, one ^ 1], moving=False)
