"""Looking inside a search graph: the same view of the kernels' arrays and of the reference's objects, and its drawing."""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol

from gdl.terms import Term, kif
from ggp.machines.machine import goal
from ggp.search.formulas import Edge, Node, Values
from ggp.search.graph import is_proven, is_terminal
from ggp.search.kernels.values import edge_mean
from ggp.search.reference import ReferenceSearch
from ggp.search.search import Search
from ggp.search.tree import Tree


@dataclass(frozen=True)
class Branch:
    """An edge that was visited."""

    joint: tuple[Term, ...]
    visits: int
    means: tuple[float, ...]
    """Adapted mean goal of each role."""
    end: Hashable | None
    """The node it leads to; None if that has been forgotten."""


class View(Protocol):
    """What a graph shows of itself. Nodes are whatever can be a key."""

    roles: tuple[str, ...]

    @property
    def root(self) -> Hashable:
        """Where the search began."""
        ...

    def branches(self, node: Hashable) -> list[Branch]:
        """The edges that leave a node, in the order in which they were first played."""
        ...

    def exact(self, node: Hashable) -> tuple[float, ...] | None:
        """The goals of a node where they are proven."""
        ...

    def terminal(self, node: Hashable) -> bool:
        """Whether the game is known to end there."""
        ...


class TreeView:
    """The graph of one thread of a search on lanes."""

    def __init__(self, search: Search, tree: Tree | None = None) -> None:
        """`tree`: by default the one that has done most."""
        self._machine = search.machine
        self._tree = tree or max(search.trees, key=lambda t: (t.solved, t.stats().simulations))
        self.roles = search.machine.roles

    @property
    def root(self) -> Hashable:
        """Where the search began."""
        return self._tree.root

    def branches(self, node: Hashable) -> list[Branch]:
        """The edges that leave a node, in the order in which they were first played."""
        assert isinstance(node, int)
        graph, inputs = self._tree.graph, self._machine.inputs
        level = int(graph.rule[0].mean_level)
        found = []
        for edge in self._tree.edges(node):
            means = tuple(edge_mean(graph, edge.number, role, level) for role in range(len(self.roles)))
            joint = tuple(inputs[i] for i in edge.inputs)
            found.append(Branch(joint, edge.visits, means, edge.end if edge.end >= 0 else None))
        return found

    def exact(self, node: Hashable) -> tuple[float, ...] | None:
        """The goals of a node where they are proven."""
        assert isinstance(node, int)
        graph = self._tree.graph
        if self.terminal(node) or (graph.rule[0].solver and is_proven(graph, node)):
            return tuple(graph.proof[node].tolist())
        return None

    def terminal(self, node: Hashable) -> bool:
        """Whether the game is known to end there."""
        assert isinstance(node, int)
        return is_terminal(self._tree.graph, node)


class ReferenceView:
    """The graph of a search on a machine."""

    def __init__(self, search: ReferenceSearch) -> None:
        self._search = search
        self._values = Values()
        self.roles = tuple(search.machine.roles)

    @property
    def root(self) -> Hashable:
        """Where the search began."""
        return self._search.root

    def branches(self, node: Hashable) -> list[Branch]:
        """The edges that leave a node, in the order in which they were first played."""
        assert isinstance(node, Node)
        return [Branch(e.joint, e.n, self._means(e), e.end) for e in node.edges if e.n]

    def _means(self, e: Edge) -> tuple[float, ...]:
        depth = self._search.settings.d1
        return tuple(self._values.mean(e, role, depth) for role in range(len(self.roles)))

    def exact(self, node: Hashable) -> tuple[float, ...] | None:
        """The goals of an end; the reference proves no more."""
        assert isinstance(node, Node)
        if node.situation is None or not node.situation.terminal:
            return None
        return tuple(float(goal(values)) for values in node.situation.goals)

    def terminal(self, node: Hashable) -> bool:
        """Whether the game is known to end there."""
        assert isinstance(node, Node)
        return node.situation is not None and node.situation.terminal


@dataclass(frozen=True)
class Spot:
    """A node of the graph's top."""

    visits: int
    """Of all edges that leave it."""
    most: int
    """Of the most visited one."""
    ways: Sequence[tuple[int, Branch]]
    """The edges that lead to nodes of the top, each with the place of its end among them."""
    rest: int
    """How many edges lead elsewhere."""
    exact: tuple[float, ...] | None
    terminal: bool


def top(view: View, limit: int) -> list[Spot]:
    """The most visited nodes with all edges between them; the root is the first."""
    numbers = {node: i for i, node in enumerate(most_visited(view, limit))}
    spots = []
    for node in numbers:
        branches = view.branches(node)
        ways = [(numbers[b.end], b) for b in branches if b.end in numbers]
        visits = [b.visits for b in branches]
        rest = len(branches) - len(ways)
        spots.append(Spot(sum(visits), max(visits, default=1), ways, rest, view.exact(node), view.terminal(node)))
    return spots


def most_visited(view: View, limit: int) -> list[Hashable]:
    """Up to `limit` nodes: the root, and again and again the end of the most visited edge that leaves them."""
    ticket = count()
    waiting: list[tuple[int, int, Hashable]] = [(0, next(ticket), view.root)]
    chosen: dict[Hashable, None] = {}
    while waiting and len(chosen) < limit:
        _, _, node = heapq.heappop(waiting)
        if node in chosen:
            continue
        chosen[node] = None
        for branch in view.branches(node):
            if branch.end is not None and branch.end not in chosen:
                heapq.heappush(waiting, (-branch.visits, next(ticket), branch.end))
    return list(chosen)


def dot(view: View, limit: int, title: str) -> str:
    """The most visited nodes, with all edges between them, as text for Graphviz."""
    lines = [
        "digraph search {",
        f"  label={_quoted(title)} labelloc=t rankdir=TB",
        '  node [shape=box style=rounded fontname="sans-serif" fontsize=10]',
        '  edge [fontname="sans-serif" fontsize=9]',
    ]
    edges = []
    for number, spot in enumerate(top(view, limit)):
        lines.append(f"  n{number} [{_node(spot)}]")
        for end, branch in spot.ways:
            width = 0.5 + 2.5 * branch.visits / spot.most
            edges.append(f"  n{number} -> n{end} [label={_edge(branch)} penwidth={width:.2f}]")
    return "\n".join([*lines, *edges, "}"]) + "\n"


def _node(spot: Spot) -> str:
    rows = [f"{spot.visits:,}" if spot.visits else ""]
    if spot.exact is not None:
        rows.append(("end " if spot.terminal else "proven ") + numbers_text(spot.exact))
    if spot.rest:
        rows.append(f"+{spot.rest} edge" + ("s" if spot.rest > 1 else ""))
    shape = " peripheries=2" if spot.exact is not None else ""
    return f"label={_quoted(chr(10).join(row for row in rows if row))}{shape}"


def _edge(branch: Branch) -> str:
    """The moves, the visits and the means of an edge."""
    return _quoted(f"{joint_text(branch.joint)}\n{branch.visits:,}: {numbers_text(branch.means)}")


def joint_text(joint: Sequence[Term]) -> str:
    """A joint move as one text."""
    return " ".join(map(kif, joint))


def numbers_text(values: Sequence[float]) -> str:
    """Goals of all roles as one text."""
    return " ".join(f"{value:.1f}".removesuffix(".0") for value in values)


def _quoted(text: str) -> str:
    """A text between quotes, as Graphviz wants it."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"'
