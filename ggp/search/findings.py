"""What a search has found that is worth keeping: the positions that it often came by, as records of a base.

Only positions where a single role has a choice: where several choose at once, to play one move always is no good play.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.circuits.packing import from_words
from ggp.knowledge.names import Codes
from ggp.knowledge.records import Records, kind
from ggp.search.kernels.knowing import best_found
from ggp.search.kernels.layout import State
from ggp.search.search import Search
from ggp.search.tree import Tree

LEAST = 100
"""Visits of a position that is kept."""
_AGAIN = 1.25
"""How many times as many visits a position needs to be told again."""


class Findings:
    """What is new in a search each time that one asks. It must not be running then."""

    def __init__(self, search: Search, codes: Codes, least: int = LEAST) -> None:
        self._search, self._codes, self._least = search, codes, least
        self._told = [_Told(tree) for tree in search.trees]

    def take(self) -> Records:
        """Records of all positions that were not told yet, or of which much more is known by now."""
        return np.concatenate([self._of(tree, told) for tree, told in zip(self._search.trees, self._told, strict=True)])

    def _of(self, tree: Tree, told: _Told) -> Records:
        graph, head = tree.graph, tree.graph.head[0]
        count, roles = int(head.nodes), graph.proof.shape[1]
        if tree.is_recycling:
            return np.zeros(0, kind(roles))
        told.follow(tree)
        node, visits = graph.node[:count], graph.sums[:count, 0]
        is_open = (node["decider"] >= 0) & (node["count"] > 1) & (node["state"] & State.TERMINAL == 0)
        proven = node["state"] & State.PROVEN > 0
        before = told.visits[:count]
        new = (visits >= _AGAIN * before) | (proven & ~told.proven[:count])
        enough = visits >= self._least
        enough[tree.root] = True  # what was asked is told, whenever more is known of it
        new[tree.root] |= visits[tree.root] > before[tree.root]
        nodes = np.flatnonzero(is_open & enough & new)
        told.visits[nodes], told.proven[nodes] = visits[nodes], proven[nodes]
        return self._records(tree, nodes, proven[nodes])

    def _records(self, tree: Tree, nodes: NDArray[np.int64], proven: NDArray[np.bool_]) -> Records:
        graph = tree.graph
        roles = graph.proof.shape[1]
        inputs, tried, goals = np.zeros(len(nodes), np.int64), np.zeros(len(nodes)), np.zeros((len(nodes), roles))
        best_found(graph, 0, nodes, inputs, tried, goals)
        known = inputs >= 0
        nodes, inputs, tried, goals, proven = nodes[known], inputs[known], tried[known], goals[known], proven[known]
        records = np.zeros(len(nodes), kind(roles))
        bits = from_words(graph.position[nodes], self._search.machine.circuit.bases)
        deciders = graph.node[nodes]["decider"]
        for role in range(roles):
            own = np.flatnonzero(deciders == role)
            records["key"][own] = self._codes.keys(bits[own], role)
        records["move"] = [self._codes.move(number) for number in inputs.tolist()]
        records["visits"], records["tried"] = graph.sums[nodes, 0], tried
        records["proven"], records["length"] = proven, np.where(proven, graph.node[nodes]["length"], 0)
        records["goals"] = np.where(proven[:, None], graph.proof[nodes], goals)
        return records


class _Told:
    """What was told of the nodes of a graph."""

    def __init__(self, tree: Tree) -> None:
        self.visits = np.zeros(len(tree.graph.node), np.float32)
        self.proven = np.zeros(len(tree.graph.node), np.bool_)
        self._nodes, self._recycled = 0, tree.recycled

    def follow(self, tree: Tree) -> None:
        """Forget all where the nodes of the graph have new numbers."""
        nodes = int(tree.graph.head[0].nodes)
        if tree.recycled != self._recycled or nodes < self._nodes:
            self.visits[:], self.proven[:] = 0, False
        self._nodes, self._recycled = nodes, tree.recycled
