"""Implicit minimax: beside the means of payoffs, the best that learned values of positions promise further down.

Every node keeps two values for each role: its own, and that of the best node that is known below it if every role plays
for its own value. Selections mix the second with the mean of payoffs. So what a position is worth in material and places
counts at once, and only where it cannot be lost by the next moves (Lanctot, Winands, Pepels, Sturtevant 2014).
"""

from __future__ import annotations

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.edges import first_edge, following
from ggp.search.kernels.layout import Graph, Scratch, State
from ggp.search.kernels.values import promise, refresh_edge

_MOST = 1000
"""Nodes that one new value changes, at most: where positions repeat, changes could go round."""


@borrowing
def raise_promise(g: Graph, k: int, y: int, w: Scratch) -> None:
    """What y promises has changed: bring up to date what those above it do."""
    size, left = 1, _MOST
    w.order[0] = y
    while size and left:
        size -= 1
        left -= 1
        y = w.order[size]
        e = g.node[y].first_in
        while e >= 0:
            x = g.edge[e].origin
            refresh_edge(g, k, e)
            if not g.node[x].state & State.PROVEN and take_over(g, k, x, y) and size < len(w.order):
                w.order[size] = x
                size += 1
            e = g.edge[e].next_in


@borrowing
def take_over(g: Graph, k: int, x: int, y: int) -> bool:
    """Whether what x promises changes now that what y does has changed, to which an edge of x leads."""
    node, roles = g.node[x], g.proof.shape[1]
    r = node.decider
    if r < 0:
        return False
    if promise(g, k, y, r) > g.promise[x, roles + r]:
        node.principal = y
    elif node.principal == y or node.principal < 0:
        node.principal = _best(g, k, x, r)
    else:
        return False
    changed = False
    for q in range(roles):
        value = g.promise[x, q] if node.principal < 0 else promise(g, k, node.principal, q)
        changed = changed or value != g.promise[x, roles + q]
        g.promise[x, roles + q] = value
    return changed


@inlined
def _best(g: Graph, k: int, x: int, r: int) -> int:
    """The node after x that promises most to role r; -1: x itself, as long as there are moves that were not tried."""
    best, chosen = -1.0, -1
    if g.node[x].edges < g.node[x].count:
        best = g.promise[x, r]
    e = first_edge(g, x)
    for i in range(g.node[x].edges):
        if i:
            e = following(g, e)
        y = g.edge[e].dest
        if y >= 0 and promise(g, k, y, r) > best:
            best, chosen = promise(g, k, y, r), y
    return chosen
