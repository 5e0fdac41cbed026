"""Search graphs in memory: how large they are, how settings become columns, and what can be read from them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.banks.phases import UNKNOWN, Phases
from ggp.errors import RulesError
from ggp.machines.circuit import Compiled
from ggp.search.kernels import layout as k
from ggp.search.kernels.moves import joint_move
from ggp.search.kernels.nodes import forget_all, new_node, rephase
from ggp.search.settings import SearchSettings

CHANCE_ROLE = "random"
NEAR = 3
"""Steps below a root where the next root is looked for."""
_PARTS = 64
"""In which memory is taken."""
_PAGE = 4096
"""Bytes of a page of memory, or a part of that."""


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
    def for_bytes(cls, size: int, words: int, roles: int, levels: int, moves: float) -> Size:
        """What fits into so many bytes, with 1.5 edges for a node and half of the nodes expanded."""
        node = 8 * words + 4 * k.NODE + 8 + 8 * levels * (1 + roles) + 8 * roles + 4 * 4 + 24
        edge = 4 * k.LINK + 8 * (4 + 2 * roles) + 8 + 1
        chunks = 0.6
        expanded = 0.5
        each = node + chunks * k.CHUNK_EDGES * edge + expanded * 4 * (moves + roles)
        nodes = max(1000, int(size / each))
        return cls(nodes, max(16, int(nodes * chunks)), max(4096, int(nodes * expanded * (moves + roles))))


def new_graph(
    machine: Compiled, settings: Sequence[SearchSettings], size: Size, seeds: Sequence[int], journal: int = 0
) -> k.Graph:
    """Empty graphs, one for each of the settings."""
    circuit = machine.circuit
    roles, graphs = len(machine.roles), len(settings)
    words = max(1, -(-circuit.bases // 64))
    finite = max(s.finite for s in settings)
    levels = 1 + finite + any(s.infinite for s in settings)
    slots = 1 << max(4, math.ceil(math.log2(2 * size.nodes)))
    head = np.zeros((graphs, k.HEAD), np.int64)
    at = np.arange(graphs)
    head[:, k.NODE_LO], head[:, k.NODE_CAP] = at * size.nodes, size.nodes
    head[:, k.CHUNK_LO], head[:, k.CHUNK_CAP] = at * size.chunks, size.chunks
    head[:, k.POOL_LO], head[:, k.POOL_CAP] = at * size.moves, size.moves
    head[:, k.TABLE_LO], head[:, k.TABLE_MASK] = at * slots, slots - 1
    head[:, k.BEST_SLOT] = -1
    highest, middle = _goal_bounds(machine)
    nodes, edges = graphs * size.nodes, graphs * size.chunks * k.CHUNK_EDGES
    graph = k.Graph(
        head=head,
        rule=np.zeros((graphs, k.RULE)),
        luck=np.array([seed % 2**64 for seed in seeds], np.uint64),
        position=np.empty((nodes, words), np.uint64),
        node=np.empty((nodes, k.NODE), np.int32),
        mark=np.empty(nodes, np.int64),
        sums=np.empty((nodes, levels * (1 + roles))),
        proof=np.empty((nodes, roles)),
        link=np.empty((edges, k.LINK), np.int32),
        stat=np.empty((edges, 2 + 2 * roles)),
        sight=np.empty((edges, 2)),
        code=np.empty(edges, np.int64),
        next_chunk=np.empty(graphs * size.chunks, np.int32),
        pool=np.empty(graphs * size.moves, np.int32),
        table=np.full(graphs * slots, -1, np.int32),
        role_starts=circuit.role_starts.astype(np.int64),
        best_goal=highest,
        cut_goal=middle,
        chance=np.array([role == CHANCE_ROLE for role in machine.roles]),
        journal=np.zeros((journal, 1 + roles)),
    )
    for number, each in enumerate(settings):
        set_rule(graph, number, each, finite)
    return graph


def take_memory(graph: k.Graph, seconds: float) -> None:
    """Have the system put memory behind the arrays, from their beginnings on, for so long at most.

    It does so when a page is first written to. Where a virtual machine has to ask for it, that takes two seconds a
    gigabyte: as much as a fifth of the first search.
    """
    deadline = time.monotonic() + seconds
    for part in range(_PARTS):
        for array in graph:
            raw = array.reshape(-1).view(np.uint8)
            raw[len(raw) * part // _PARTS : len(raw) * (part + 1) // _PARTS : _PAGE] += 0
        if time.monotonic() > deadline:
            break


def set_rule(graph: k.Graph, number: int, settings: SearchSettings, finite: int | None = None) -> None:
    """Write settings into a graph. `finite`: the levels of finite depth that nodes have room for."""
    finite = settings.finite if finite is None else finite

    def level(depth: float) -> float:
        return finite + 1 if depth == math.inf else depth

    rule = graph.rule[number]
    rule[k.C] = settings.c
    rule[k.MEAN_LEVEL] = level(settings.d1 - 1)
    rule[k.PARENT_LEVEL] = level(settings.d2)
    rule[k.COUNT_LEVEL] = level(settings.d3 - 1)
    rule[k.FINITE], rule[k.INFINITE] = settings.finite, finite + 1 if settings.infinite else 0
    rule[k.TABLE], rule[k.ALL], rule[k.SOLVER] = settings.transpositions, settings.update == "all", settings.solver


def as_words(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Positions, bool [n, bases], as the words that a graph keeps, uint64 [n, words]."""
    packed = np.packbits(bits, axis=1, bitorder="little")
    words = max(1, -(-bits.shape[1] // 64))
    out = np.zeros((len(bits), 8 * words), np.uint8)
    out[:, : packed.shape[1]] = packed
    return out.view(np.uint64)


def from_words(words: NDArray[np.uint64], bases: int) -> NDArray[np.bool_]:
    """The position that a graph keeps as words, bool [bases]."""
    return np.unpackbits(words.view(np.uint8), count=bases, bitorder="little").view(np.bool_)


def phase_of(machine: Compiled, bits: NDArray[np.bool_]) -> int:
    """The phase that a position (bool [bases]) is in."""
    known = machine.engine.phases.known
    fits = ((known == UNKNOWN) | (known == bits[None, :])).all(axis=1)
    if not fits.any():
        raise RulesError("the position is none that the rules can reach")
    return int(np.argmax(fits))


def carry_over(graph: k.Graph, phases: Phases) -> None:
    """Make graphs fit for another circuit of the same rules: what it knows of the steps may come in another rhythm."""
    fixed, value = as_words(phases.known != UNKNOWN), as_words(phases.known == 1)
    for number in range(len(graph.head)):
        if not rephase(graph, number, fixed, value):
            raise RulesError("a position of the search is none that the rules can reach")


def plant(graph: k.Graph, number: int, words: NDArray[np.uint64], phase: int, simulations: int) -> None:
    """Empty a graph and give it a root, from which it wants so many simulations."""
    forget_all(graph, number)
    graph.head[number, k.ROOT] = new_node(graph, number, words, phase)
    graph.head[number, k.WANTED] = simulations


def near(graph: k.Graph, root: int, words: NDArray[np.uint64]) -> int:
    """The node of a position at most `NEAR` steps below a node, or -1: for trees, which have no table of positions."""
    level = [root]
    for _ in range(NEAR + 1):
        for node in level:
            if (graph.position[node] == words).all():
                return node
        ends = [int(graph.link[e, k.DEST]) for node in level for e in edges_of(graph, node)]
        level = list(dict.fromkeys(node for node in ends if node >= 0))
    return -1


def _goal_bounds(machine: Compiled) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The highest goal of each role, and what a playout without an end counts: nothing for one role, else the middle."""
    circuit, roles = machine.circuit, len(machine.roles)
    highest, middle = np.zeros(roles), np.zeros(roles)
    for role in range(roles):
        values = circuit.goal_values[circuit.goal_roles == role]
        if len(values):
            highest[role] = values.max()
            middle[role] = (values.max() + values.min()) / 2 if roles > 1 else 0
    return highest, middle


def edges_of(graph: k.Graph, node: int) -> Iterator[int]:
    """The edges that leave a node, in the order of their creation."""
    e = int(graph.node[node, k.CHUNK]) * k.CHUNK_EDGES
    for _ in range(int(graph.node[node, k.EDGES])):
        yield e
        e = int(graph.next_chunk[e // k.CHUNK_EDGES]) * k.CHUNK_EDGES if e % k.CHUNK_EDGES == k.CHUNK_EDGES - 1 else e + 1


def inputs_of(graph: k.Graph, edge: int) -> tuple[int, ...]:
    """The input that each role plays on an edge."""
    chosen = np.zeros(graph.proof.shape[1], np.int64)
    joint_move(graph, int(graph.link[edge, k.ORIGIN]), int(graph.code[edge]), chosen)
    return tuple(chosen.tolist())
