"""Search graphs in memory: how large they are, how settings become columns, and what can be read from them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from gdl.ruleset import CHANCE
from ggp.circuits.packing import as_words
from ggp.core.errors import RulesError
from ggp.lanes.phases import UNKNOWN, Phases
from ggp.machines.circuit import Compiled
from ggp.search.groups import NO_PLACE, families, spots
from ggp.search.kernels.layout import (
    CHUNK_EDGES,
    EdgeRecord,
    Floats,
    Graph,
    Group,
    Head,
    Move,
    NodeRecord,
    Sight,
    State,
    Words,
)
from ggp.search.kernels.moves import joint_move
from ggp.search.kernels.nodes import forget_all, new_node, rephase
from ggp.search.kernels.records import Records, zeros
from ggp.search.kernels.weighing import Rule
from ggp.search.settings import SearchSettings
from ggp.search.weights import weights_of

NEAR = 3
"""Steps below a root where the next root is looked for."""
_PARTS = 64
"""In which memory is taken."""
_PROVEN, _TERMINAL = State.PROVEN.value, State.TERMINAL.value
_LINE = 64
"""Bytes of a line of the processor's cache."""
_PAGE = 4096
"""Bytes of a page of memory, or a part of that."""
_SAME = frozenset(field.name for field in fields(SearchSettings)) & frozenset(Rule.__annotations__)
"""Settings that kernels read as they are."""
_PLACES, _WORKING = 16, 24
"""Bytes that a node needs in the table of positions, and in working memory."""

_Arrays = dict[str, tuple[np.dtype[Any], tuple[int, ...]]]
"""What an array has for each node, edge or chunk: the type, and the columns."""


def _node_arrays(words: int, roles: int, levels: int, *, promises: bool) -> _Arrays:
    return {
        "position": (np.dtype(np.uint64), (words,)),
        "node": (NodeRecord.kind, ()),
        "mark": (np.dtype(np.int64), ()),
        "sums": (np.dtype(np.float64), (levels * (1 + roles),)),
        "proof": (np.dtype(np.float64), (roles,)),
        "promise": (np.dtype(np.float64), (2 * roles if promises else 0,)),
    }


def _edge_arrays(roles: int) -> _Arrays:
    return {
        "edge": (EdgeRecord.kind, ()),
        "payoff": (np.dtype(np.float64), (2 * roles,)),
        "sight": (Sight.kind, ()),
        "code": (np.dtype(np.int64), ()),
    }


_CHUNK_ARRAYS: _Arrays = {"next_chunk": (np.dtype(np.int32), ())}


def _bytes(arrays: _Arrays) -> int:
    return sum(kind.itemsize * math.prod(columns) for kind, columns in arrays.values())


def _empty(arrays: _Arrays, count: int) -> dict[str, Any]:
    """Arrays for so many, each from the beginning of a line of the processor's cache on."""
    found = {}
    for name, (kind, columns) in arrays.items():
        size = count * kind.itemsize * math.prod(columns)
        raw = np.empty(size + _LINE, np.uint8)
        start = -raw.ctypes.data % _LINE
        found[name] = raw[start : start + size].view(kind).reshape(count, *columns)
    return found


@dataclass(frozen=True)
class Size:
    """Capacities of one graph."""

    nodes: int
    chunks: int
    """Groups of `CHUNK_EDGES` edges."""
    moves: int
    """Moves of expanded nodes."""

    @classmethod
    def for_simulations(cls, simulations: int, moves: int) -> Size:
        """Room for so many simulations from an empty graph. `moves`: the legal inputs of a position, at most."""
        return cls(simulations + 2, 2 * simulations + 2, (simulations + 2) * (moves + 8))

    @classmethod
    def for_bytes(
        cls, size: int, words: int, roles: int, levels: int, moves: float, record: int = 0, *, promises: bool = False
    ) -> Size:  # fmt: skip
        """What fits into so many bytes, with 1.5 edges for a node and half of the nodes expanded.

        `record`: bytes of the record that each entry of the pool has; `promises`: whether nodes have one (`minimax`).
        """
        node = _bytes(_node_arrays(words, roles, levels, promises=promises)) + _PLACES + _WORKING
        chunk = CHUNK_EDGES * _bytes(_edge_arrays(roles)) + _bytes(_CHUNK_ARRAYS)
        chunks = 0.6
        expanded = 0.5
        move = 4 + record
        each = node + chunks * chunk + expanded * move * (moves + roles)
        nodes = max(1000, int(size / each))
        return cls(nodes, max(16, int(nodes * chunks)), max(4096, int(nodes * expanded * (moves + roles))))


def new_graph(
    machine: Compiled, settings: Sequence[SearchSettings], size: Size, seeds: Sequence[int], journal: int = 0,
    used: Sequence[SearchSettings] = (),
) -> Graph:  # fmt: skip
    """Empty graphs, one for each of the settings. `used`: others that they may get later."""
    circuit = machine.circuit
    roles, graphs = len(machine.roles), len(settings)
    words = max(1, -(-circuit.bases // 64))
    finite = max(s.finite for s in settings)
    levels = 1 + finite + any(s.infinite for s in settings)
    slots = 1 << max(4, math.ceil(math.log2(2 * size.nodes)))
    lowest, highest, middle = _goal_bounds(machine)
    chunks = graphs * size.chunks
    entries, wanted = graphs * size.moves, {s.groups for s in (*settings, *used)}
    promises = any(s.minimax for s in (*settings, *used))
    graph = Graph(
        head=_heads(graphs, size, slots),
        rule=zeros(Rule, graphs),
        luck=np.array([seed % 2**64 for seed in seeds], np.uint64),
        **_empty(_node_arrays(words, roles, levels, promises=promises), graphs * size.nodes),
        **_empty(_edge_arrays(roles), chunks * CHUNK_EDGES),
        **_empty(_CHUNK_ARRAYS, chunks),
        pool=np.empty(entries, np.int32),
        **_empty({"move": (Move.kind, ())}, entries if any(s.rave for s in (*settings, *used)) else 0),
        **_empty({"group": (Group.kind, ())}, entries if wanted - {"none"} else 0),
        family=families(machine) if "leading" in wanted else np.zeros(0, np.int32),
        spot=spots(machine) if "near" in wanted else np.full((0, 2), NO_PLACE, np.int32),
        table=np.full(graphs * slots, -1, np.int32),
        role_starts=circuit.role_starts.astype(np.int64),
        liking=np.zeros((graphs, circuit.inputs)),
        weight=weights_of(machine.engine) if any(s.learned for s in (*settings, *used)) else np.zeros((1, roles)),
        least_goal=lowest,
        best_goal=highest,
        cut_goal=middle,
        chance=np.array([role == CHANCE for role in machine.roles]),
        journal=np.zeros((journal, 1 + roles)),
    )
    for number, each in enumerate(settings):
        set_rule(graph, number, each, finite)
    return graph


def _heads(graphs: int, size: Size, slots: int) -> Records[Head]:
    """Of empty graphs: each with its part of the arrays. `slots`: places of a table."""
    head, at = zeros(Head, graphs), np.arange(graphs)
    head["node_lo"], head["node_cap"] = at * size.nodes, size.nodes
    head["chunk_lo"], head["chunk_cap"] = at * size.chunks, size.chunks
    head["pool_lo"], head["pool_cap"] = at * size.moves, size.moves
    head["table_lo"], head["table_mask"] = at * slots, slots - 1
    head["best_slot"] = -1
    return head


def record_of_a_move(settings: SearchSettings) -> int:
    """Bytes that are kept beside each entry of the pool."""
    return Move.kind.itemsize if settings.rave else Group.kind.itemsize if settings.groups != "none" else 0


def entries_of_a_node(settings: SearchSettings, moves: float, inputs: int) -> float:
    """Entries of the pool that a node needs, one for each role aside: of so many moves; inputs of the game."""
    return moves * (2 if settings.groups != "none" else 1) + settings.known_inputs * inputs


def take_memory(graph: Graph, seconds: float) -> None:
    """Have the system put memory behind the arrays, from their beginnings on, for so long at most.

    It does so when a page is first written to. Where a virtual machine has to ask for it, that takes two seconds a
    gigabyte: as much as a fifth of the first search.
    """
    deadline = time.monotonic() + seconds
    for part in range(_PARTS):
        for array in cast(Iterable[NDArray[Any]], graph):
            raw = array.reshape(-1).view(np.uint8)
            raw[len(raw) * part // _PARTS : len(raw) * (part + 1) // _PARTS : _PAGE] += 0
        if time.monotonic() > deadline:
            break


def set_rule(graph: Graph, number: int, settings: SearchSettings, finite: int | None = None) -> None:
    """Write settings into a graph. `finite`: the levels of finite depth that nodes have room for."""
    finite = settings.finite if finite is None else finite

    def level(depth: float) -> int:
        return finite + 1 if depth == math.inf else int(depth)

    rule = graph.rule[number]
    for name in _SAME:
        rule[name] = getattr(settings, name)
    rule.mean_level = level(settings.d1 - 1)
    rule.parent_level = level(settings.d2)
    rule.count_level = level(settings.d3 - 1)
    rule.finite, rule.infinite = settings.finite, finite + 1 if settings.infinite else 0
    rule.rave_way, rule.by_input = settings.rave_way, settings.by_input
    rule.grouped, rule.near = settings.groups != "none", settings.groups == "near"
    rule.table, rule.update_all = settings.transpositions, settings.update == "all"


def phase_of(machine: Compiled, bits: NDArray[np.bool_]) -> int:
    """The phase that a position (bool [bases]) is in."""
    known = machine.engine.phases.known
    fits = ((known == UNKNOWN) | (known == bits[None, :])).all(axis=1)
    if not fits.any():
        raise RulesError("the position is none that the rules can reach")
    return int(np.argmax(fits))


def carry_over(graph: Graph, phases: Phases) -> None:
    """Make graphs fit for another circuit of the same rules: what it knows of the steps may come in another rhythm."""
    fixed, value = as_words(phases.known != UNKNOWN), as_words(phases.known == 1)
    for number in range(len(graph.head)):
        if not rephase(graph, number, fixed, value):
            raise RulesError("a position of the search is none that the rules can reach")


def plant(graph: Graph, number: int, words: Words, phase: int, simulations: int) -> None:
    """Empty a graph and give it a root, from which it wants so many simulations."""
    forget_all(graph, number)
    head = graph.head[number]
    head.root = new_node(graph, number, words, phase)
    head.wanted = simulations


def near(graph: Graph, root: int, words: Words) -> int:
    """The node of a position at most `NEAR` steps below a node, or -1: for trees, which have no table of positions."""
    level = [root]
    for _ in range(NEAR + 1):
        for node in level:
            if (graph.position[node] == words).all():
                return node
        ends = [graph.edge[e].dest for node in level for e in edges_of(graph, node)]
        level = list(dict.fromkeys(node for node in ends if node >= 0))
    return -1


def _goal_bounds(machine: Compiled) -> tuple[Floats, Floats, Floats]:
    """The lowest and the highest goal of each role, and what a playout without an end counts.

    That is nothing for one role, else the middle.
    """
    circuit, roles = machine.circuit, len(machine.roles)
    lowest, highest, middle = np.zeros(roles), np.zeros(roles), np.zeros(roles)
    for role in range(roles):
        values = circuit.goal_values[circuit.goal_roles == role]
        if len(values):
            lowest[role], highest[role] = values.min(), values.max()
            middle[role] = (values.max() + values.min()) / 2 if roles > 1 else 0
    return lowest, highest, middle


def edges_of(graph: Graph, node: int) -> Iterator[int]:
    """The edges that leave a node, in the order of their creation."""
    count = int(graph.node[node].edges)
    e = int(graph.node[node].first_chunk) * CHUNK_EDGES
    for _ in range(count):
        yield e
        e = int(graph.next_chunk[e // CHUNK_EDGES]) * CHUNK_EDGES if e % CHUNK_EDGES == CHUNK_EDGES - 1 else e + 1


def inputs_of(graph: Graph, edge: int) -> tuple[int, ...]:
    """The input that each role plays on an edge."""
    return _joint_move(graph, int(graph.edge[edge].origin), edge)


def _joint_move(graph: Graph, node: int, edge: int) -> tuple[int, ...]:
    chosen = np.zeros(graph.proof.shape[1], np.int64)
    joint_move(graph, node, int(graph.code[edge]), chosen)
    return tuple(chosen.tolist())


def is_proven(graph: Graph, node: int) -> bool:
    """Whether the exact goals of a node are known."""
    return bool(graph.node[node].state & _PROVEN)


def is_terminal(graph: Graph, node: int) -> bool:
    """Whether the game is known to end at a node."""
    return bool(graph.node[node].state & _TERMINAL)


class Played(NamedTuple):
    """An edge that has payoffs."""

    number: int
    inputs: tuple[int, ...]
    visits: int
    end: int
    """The node it leads to; -1: none, or a forgotten one."""


def played(graph: Graph, node: int) -> list[Played]:
    """The edges with payoffs that leave a node, in the order of their creation."""
    n, dest = graph.edge["n"], graph.edge["dest"]
    return [Played(e, _joint_move(graph, node, e), int(n[e]), int(dest[e])) for e in edges_of(graph, node) if n[e] > 0]


def payoffs(graph: Graph, edge: int) -> list[float]:
    """What an edge was paid: n, n′, the sums of all payoffs for each role, and those of the first ones."""
    record = graph.edge[edge]
    return [float(record.n), float(record.first_n), *graph.payoff[edge].tolist()]
