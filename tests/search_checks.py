"""Searches watched closely: the kernels one simulation at a time, and beside them the reference with the same dice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from gdl import parse_term
from gdl.terms import Term, kif
from ggp.circuits.packing import as_words
from ggp.machines.circuit import CircuitMachine
from ggp.machines.machine import JointMove, Situation
from ggp.search.crew import Crew
from ggp.search.formulas import Edge, Node, Values
from ggp.search.graph import Size, edges_of, inputs_of, new_graph, payoffs, phase_of, plant
from ggp.search.kernels.layout import Graph, Words
from ggp.search.kernels.values import edge_count, edge_mean
from ggp.search.kernels.valuing import learned
from ggp.search.reference import ReferenceSearch
from ggp.search.search import Search
from ggp.search.settings import Depth, SearchSettings
from tests.compiled import compiled

INF = math.inf
JOURNAL = 20_000


def after_random_moves(machine: CircuitMachine, steps: int, seed: int) -> bytes:
    """A position some steps into a random play; nearer to the start if the play is shorter."""
    generator = np.random.default_rng(seed)
    position = machine.initial()
    for _ in range(steps):
        situation = machine.situation(position)
        after = machine.next(position, tuple(moves[generator.integers(len(moves))] for moves in situation.legal))
        following = machine.situation(after)
        if following.terminal or not all(following.legal):
            break
        position = after
    return position


class FastSearch:
    """The kernels on one graph."""

    def __init__(
        self, machine: CircuitMachine, settings: SearchSettings, seed: int, *,
        position: bytes | None = None, slots: int = 1, room: int = 4000,
    ) -> None:  # fmt: skip
        self.machine, self.settings = machine, settings
        size = Size(room, room, room * 20)
        self.graph = new_graph(machine, [settings], size, [seed], journal=JOURNAL)
        bits = machine.bits(machine.initial() if position is None else position)
        plant(self.graph, 0, as_words(bits[None, :])[0], phase_of(machine, bits), 0)
        self.crew = Crew(machine.engine, self.graph, slots, seed, settings)

    def simulate(self, count: int = 1) -> None:
        """So many simulations more."""
        self.graph.head[0].wanted += count
        while self.crew.wave():
            pass

    @property
    def done(self) -> int:
        """Simulations that were added."""
        return int(self.graph.head[0].done)

    @property
    def root(self) -> int:
        """The node of the root."""
        return int(self.graph.head[0].root)

    def level(self, d: Depth) -> int:
        """Where an edge finds its values of depth d: a level of sums below its end; -1: on itself."""
        return int(self.graph.rule[0].finite) + 1 if d == INF else int(d) - 1

    def depths(self) -> list[Depth]:
        """The depths that the graph keeps for edges: one more than the levels of its nodes."""
        found: list[Depth] = list(range(int(self.graph.rule[0].finite) + 2))
        return [*found, INF] if self.graph.rule[0].infinite else found

    def edges(self) -> list[int]:
        """All edges."""
        lo = int(self.graph.head[0].node_lo)
        return [e for x in range(lo, lo + int(self.graph.head[0].nodes)) for e in edges_of(self.graph, x)]


class JournalDice:
    """The dice of a reference: what chance decided in the kernels' last simulation."""

    def __init__(self, fast: FastSearch) -> None:
        self.fast = fast
        self.read = 0

    @property
    def heard(self) -> list[tuple[set[tuple[int, Term]], list[float]]]:
        """What the lanes of the only slot say that they have played, and what they came to."""
        playing, machine = self.fast.crew.playouts._playing, self.fast.machine
        lanes = np.arange(self.fast.settings.playouts)
        roles = np.searchsorted(machine.circuit.role_starts, np.arange(machine.circuit.inputs), side="right") - 1
        played = playing._bits(self.fast.crew.work.lanes.played, machine.circuit.inputs, lanes)
        done = playing._bits(playing.engine.rows.done, 1, lanes)[:, 0]
        goals = np.where(done[:, None], playing.goals(lanes), self.fast.graph.cut_goal)
        return [
            ({(int(roles[i]), machine.inputs[i]) for i in np.flatnonzero(bits).tolist()}, worth.tolist())
            for bits, worth in zip(played, goals, strict=True)
        ]

    def _row(self, kind: int) -> list[float]:
        assert self.read < self.fast.graph.head[0].journal, "the kernels decided less by chance"
        row: list[float] = self.fast.graph.journal[self.read].tolist()
        self.read += 1
        assert row[0] == kind, "the kernels decided something else by chance"
        return row[1:]

    def first(self, situation: Situation) -> JointMove:
        chosen = tuple(self.fast.machine.inputs[int(i)] for i in self._row(0))
        assert all(move in moves for move, moves in zip(chosen, situation.legal, strict=True))
        return chosen

    def playout(self, position: Any) -> Sequence[float]:
        return self._row(1)


class ByInput:
    """What groups of moves are made by, as the kernels know it: by the numbers of inputs."""

    def __init__(self, machine: CircuitMachine, graph: Graph) -> None:
        starts = machine.circuit.role_starts.tolist()
        self._numbers = {(r, machine.inputs[i]): i for r, (lo, hi) in enumerate(pairwise(starts)) for i in range(lo, hi)}
        self._graph = graph

    def is_chance(self, role: int) -> bool:
        return bool(self._graph.chance[role])

    def worth(self, position: bytes, role: int) -> float:
        return float(_worth(self._graph, np.frombuffer(position, np.uint64), role))

    def liking(self, role: int, move: Term) -> float:
        return float(self._graph.liking[0, self._numbers[role, move]])

    def family(self, role: int, move: Term) -> int:
        return int(self._graph.family[self._numbers[role, move]])

    def spot(self, role: int, move: Term) -> tuple[int, int] | None:
        row, column = self._graph.spot[self._numbers[role, move]].tolist()
        return None if row < 0 else (row, column)


class Pair:
    """The kernels and the reference, simulation by simulation."""

    def __init__(
        self, machine: CircuitMachine, settings: SearchSettings, seed: int, position: bytes | None = None
    ) -> None:
        self.fast = FastSearch(machine, settings, seed, position=position)
        start = machine.initial() if position is None else position
        self.dice = JournalDice(self.fast)
        self.known = ByInput(machine, self.fast.graph)
        self.slow = ReferenceSearch(machine, start, settings, seed, self.dice, self.known)
        self._joints: dict[int, JointMove] = {}
        self.edges: dict[int, Edge] = {}
        """The reference's edge for each of the kernels'."""

    def step(self) -> None:
        """One simulation of both; they must grow the same graph."""
        before = self.fast.done
        self.fast.simulate()
        assert self.fast.done == before + 1
        assert self.slow.simulate()
        assert self.dice.read == self.fast.graph.head[0].journal
        self.compare_graphs()

    def _joint(self, e: int) -> JointMove:
        if e not in self._joints:
            inputs: list[Term] = [self.fast.machine.inputs[i] for i in inputs_of(self.fast.graph, e)]
            self._joints[e] = tuple(inputs)
        return self._joints[e]

    def compare_graphs(self) -> None:
        """The same nodes, edges and statistics, edges in the same order."""
        g, machine = self.fast.graph, self.fast.machine
        roles = len(machine.roles)
        partner: dict[int, Node] = {self.fast.root: self.slow.root}
        waiting = [self.fast.root]
        self.edges = {}
        while waiting:
            x = waiting.pop()
            node = partner[x]
            assert (g.position[x] == np.frombuffer(node.position, np.uint64)).all()
            edges = list(edges_of(g, x))
            assert len(edges) == len(node.edges)
            for e, edge in zip(edges, node.edges, strict=True):
                assert self._joint(e) == edge.joint
                assert payoffs(g, e) == [edge.n, edge.first_n, *edge.total, *edge.first_total]
                assert g.edge[e].flying == 0 and edge.end is not None and g.edge[e].origin == x
                self.edges[e] = edge
                y = int(g.edge[e].dest)
                if y not in partner:
                    partner[y] = edge.end
                    waiting.append(y)
                assert partner[y] is edge.end
            parents = []
            e = int(g.node[x].first_in)
            while e >= 0:
                parents.append(e)
                e = int(g.edge[e].next_in)
            assert {id(f) for f in node.parents} == {id(self.edges[e]) for e in parents if e in self.edges} | {
                id(f) for f in node.parents if f not in self.edges.values()
            }
            assert len(parents) == len(node.parents)
            self._compare_amaf(x, node)
        assert len(partner) == g.head[0].nodes == len({id(node) for node in partner.values()})
        assert g.payoff.shape[1] == 2 * roles

    def _compare_amaf(self, x: int, node: Node) -> None:
        """What a node knows of moves that were played later: its own, or all."""
        g, machine = self.fast.graph, self.fast.machine
        if not self.fast.settings.rave or not node.edges:
            return
        lo, starts = int(g.node[x].moves), machine.circuit.role_starts
        first, listed = lo + len(machine.roles), int(g.node[x].count)
        if g.node[x].decider < 0:
            listed = int(g.pool[lo:first].sum())
        numbers, records = g.pool[first : first + listed].tolist(), g.move[first : first + listed]
        if self.fast.settings.by_input:
            end = lo - 2 + int(g.pool[lo - 1])
            numbers, records = list(range(machine.circuit.inputs)), g.move[end - machine.circuit.inputs : end]
            if self.fast.settings.rave_depth:
                mixed = g.move[end - 2 * machine.circuit.inputs : end - machine.circuit.inputs]
                numbers, records = 2 * numbers, np.concatenate([records, mixed])
        roles = [int(np.searchsorted(starts, i, side="right")) - 1 for i in numbers]
        want = [node.amaf.get((r, machine.inputs[i]), [0.0, 0.0]) for r, i in zip(roles, numbers, strict=True)]
        if self.fast.settings.rave_depth:
            for at in range(machine.circuit.inputs, len(want)):
                want[at] = node.first_amaf.get((roles[at], machine.inputs[numbers[at]]), [0.0, 0.0])
        assert [[float(m["n"]), float(m["total"])] for m in records] == want

    def compare_values(self, depths: Sequence[Depth] | None = None) -> None:
        """The values that the kernels keep equal the formulas at every edge, and what selections read agrees."""
        compare_values(self.fast, self.edges, depths)
        compare_sight(self.fast)


def compare_values(fast: FastSearch, edges: dict[int, Edge], depths: Sequence[Depth] | None = None) -> None:
    """μ_d, n_d and p_d of all edges, to nine digits."""
    if not edges:
        return
    numbers = np.array(list(edges), np.int64)
    roles = len(fast.machine.roles)
    values = Values()
    for d in fast.depths() if depths is None else depths:
        means, counts = np.empty((len(numbers), roles)), np.empty(len(numbers))
        _kept_values(fast.graph, numbers, fast.level(d), means, counts)
        want_means = np.array([[values.mean(e, r, d) for r in range(roles)] for e in edges.values()])
        want_counts = np.array([values.count(e, d) for e in edges.values()])
        np.testing.assert_allclose(means, want_means, rtol=1e-9, atol=0, err_msg=f"mean of depth {d}")
        np.testing.assert_allclose(counts, want_counts, rtol=1e-9, atol=0, err_msg=f"count of depth {d}")
        if d <= fast.graph.rule[0].finite or d == INF:
            level = fast.level(d) if d == INF else int(d)
            for e, edge in edges.items():
                p = fast.graph.sums[fast.graph.edge[e].origin, level * (1 + roles)]
                assert math.isclose(p, values.total(edge.origin, d), rel_tol=1e-9), (e, d)


def compare_sight(fast: FastSearch) -> None:
    """What a selection reads equals what the sums give, where one role decides."""
    g = fast.graph
    numbers = np.array([e for e in fast.edges() if g.node[g.edge[e].origin].decider >= 0], np.int64)
    roles, rule = len(fast.machine.roles), g.rule[0]
    means, counts = np.empty((len(numbers), roles)), np.empty(len(numbers))
    _kept_values(g, numbers, int(rule.mean_level), means, np.empty(len(numbers)))
    _kept_values(g, numbers, int(rule.count_level), np.empty_like(means), counts)
    deciders = g.node["decider"][g.edge["origin"][numbers]]
    tried = g.edge["n"][numbers] > 0
    want = means[np.arange(len(numbers)), deciders][tried]
    np.testing.assert_array_equal(g.sight["value"][numbers][tried], want)
    np.testing.assert_array_equal(g.sight["spread"][numbers][tried], 1 / np.sqrt(counts[tried]))


def _learned(g: Graph, position: Words, role: int) -> float:
    return learned(g, position, role)


_worth: Any = numba.njit(_learned)  # not cached: as below


@numba.njit  # not cached: numba would not notice that the kernels have changed
def _kept_values(g: Graph, edges: NDArray[np.int64], level: int, means: Any, counts: Any) -> None:
    for i in range(len(edges)):
        for r in range(means.shape[1]):
            means[i, r] = edge_mean(g, edges[i], r, level)
        counts[i] = edge_count(g, edges[i], level)


def mirror(fast: FastSearch) -> dict[int, Edge]:
    """The kernels' graph as the reference's nodes and edges: those with payoffs."""
    g, roles = fast.graph, len(fast.machine.roles)
    nodes: dict[int, Node] = {}
    edges: dict[int, Edge] = {}
    lo = int(g.head[0].node_lo)
    for x in range(lo, lo + int(g.head[0].nodes)):
        nodes[x] = Node(g.position[x].tobytes())
    for x, node in nodes.items():
        for e in edges_of(g, x):
            n, first_n, *sums = payoffs(g, e)
            if not n:
                continue
            y = int(g.edge[e].dest)
            end = nodes[y] if y >= 0 else None
            edges[e] = Edge(node, (), sums[:roles], sums[roles:], end, int(n), int(first_n))
            node.edges.append(edges[e])
            if end is not None:
                end.parents.append(edges[e])
    return edges


def move_to_win(policy: str) -> tuple[str, str]:
    """What a search plays by, and what it plays in tic-tac-toe where (mark 1 3) wins."""
    machine = compiled("tic_tac_toe")
    position = machine.initial()
    for x, o in (("(mark 1 1)", "noop"), ("noop", "(mark 2 1)"), ("(mark 1 2)", "noop"), ("noop", "(mark 3 2)")):
        position = machine.next(position, (parse_term(x), parse_term(o)))
    search = Search(machine, SearchSettings(policy=policy, solver=False), 1, memory=2**22)
    search.start(position)
    search.run(simulations=300)
    best = search.best(0)
    assert best is not None
    return search.policy, kif(machine.inputs[best.input])
