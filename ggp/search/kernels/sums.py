"""The sums that nodes keep of their edges.

A node keeps, over the edges f that leave it, level 0: n(f) and μ(f)·n(f); level j: n_j(f) and μ_j(f)·n(f); and a last
level for infinite depth. From the level below the end of an edge e comes all that its selection needs:
μ_d(e) = (μ′n′ + S_{d-1}) / (n′ + N) and n_d(e) = n′ + N_{d-1}; the origin's p_d(e) is N_d. Level 0 costs nothing to keep;
level j changes at the nodes of the descent and at their ancestors up to j edges above. (The paper says: at the ancestors
of the leaf. But a node of the descent may have other parents, and their values change as well.)
"""

from __future__ import annotations

from ggp.core.kernels import borrowing
from ggp.search.kernels.edges import first_edge, following
from ggp.search.kernels.layout import Graph, Scratch, Slots
from ggp.search.kernels.values import refresh_above

_MOST = 1e300  # where positions repeat, counts of infinite depth would grow without end


@borrowing
def recompute(g: Graph, x: int, target: int, below: int) -> None:
    """The sums of level `target` at x, from those of level `below` at the ends of its edges."""
    roles = g.proof.shape[1]
    to, src = target * (1 + roles), below * (1 + roles)
    g.sums[x, to : to + 1 + roles] = 0.0
    e = first_edge(g, x)
    for i in range(g.node[x].edges):
        if i:
            e = following(g, e)
        n = g.edge[e].n
        if n == 0:  # its first payoff is still on its way, or was given up
            continue
        y = g.edge[e].dest
        first = g.edge[e].first_n
        g.sums[x, to] += first + (g.sums[y, src] if y >= 0 else 0.0)
        under = first + (g.sums[y, 0] if y >= 0 else 0.0)
        if under > 0:
            for r in range(roles):
                total = g.payoff[e, roles + r]
                if y >= 0:
                    total += g.sums[y, src + 1 + r]
                g.sums[x, to + 1 + r] += total / under * n
    g.sums[x, to] = min(g.sums[x, to], _MOST)


@borrowing
def sum_level(g: Graph, k: int, level: int, lo: int, hi: int) -> float:
    """The sums of a level at some nodes, the last first. How much a number of visits changed, at most."""
    first, column = g.head[k].node_lo, level * (1 + g.proof.shape[1])
    below = level - 1 if level <= g.rule[k].finite else level
    moved = 0.0
    for x in range(first + hi - 1, first + lo - 1, -1):
        before = g.sums[x, column]
        if g.node[x].edges:
            recompute(g, x, level, below)
        moved = max(moved, abs(g.sums[x, column] - before))
    return moved


@borrowing
def raise_levels(g: Graph, s: Slots, i: int, w: Scratch) -> None:
    """Bring the finite levels of sums up to date after an update: the descent's nodes, and ancestors ever higher."""
    k = s.slot[i].graph
    count = s.slot[i].length
    for j in range(count):
        w.order[j] = s.node[i, j]
    total = count
    for level in range(1, g.rule[k].finite + 1):
        g.head[k].stamp += 1
        stamp = g.head[k].stamp
        for j in range(total):
            g.mark[w.order[j]] = stamp
        before = total
        for j in range(before):
            e = g.node[w.order[j]].first_in
            while e >= 0:
                x = g.edge[e].origin
                if g.mark[x] != stamp:
                    g.mark[x] = stamp
                    w.order[total] = x
                    total += 1
                e = g.edge[e].next_in
        for j in range(total):
            recompute(g, w.order[j], level, level - 1)
    for j in range(count, total):
        refresh_above(g, k, w.order[j])


@borrowing
def raise_infinity(g: Graph, s: Slots, i: int, w: Scratch) -> None:
    """Bring the sums of infinite depth up to date: all ancestors, each after what lies below it."""
    k = s.slot[i].graph
    top = g.rule[k].infinite
    g.head[k].stamp += 1
    stamp = g.head[k].stamp
    for start in range(s.slot[i].length - 1, -1, -1):
        first = s.node[i, start]
        if g.mark[first] == stamp:
            continue
        # depth first along in-edges; a node goes to the end of the order when all its ancestors are there
        count, size = 0, 1
        w.stack[0], w.stack[1] = first, g.node[first].first_in
        g.mark[first] = stamp
        while size:
            e = w.stack[2 * size - 1]
            if e < 0:
                w.order[count] = w.stack[2 * size - 2]
                count += 1
                size -= 1
                continue
            w.stack[2 * size - 1] = g.edge[e].next_in
            x = g.edge[e].origin
            if g.mark[x] != stamp:
                g.mark[x] = stamp
                w.stack[2 * size], w.stack[2 * size + 1] = x, g.node[x].first_in
                size += 1
        for j in range(count - 1, -1, -1):
            recompute(g, w.order[j], top, top)
            refresh_above(g, k, w.order[j])
