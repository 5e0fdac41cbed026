"""A uniformly random legal move per lane, as gates.

The legal bits are the leaves of a tree; bit-sliced adders count legals up the tree; random bits times the
count, the high half of it, is a rank below the count; the rank descends by compare-and-subtract. At each
level one comparison serves all nodes, because a lane is active in only one of them. The last level takes
three leaves at a time, which needs no subtraction: about five three-input tables per legal bit in all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ggp.banks.network import FALSE, TRUE, Literal, Network

SPARE_BITS = 12
"""Random bits beyond the width of the count. The relative bias of a rank is below 2**-12: over a million
choices it adds 0.06 to a chi-square statistic at the very most, whatever its degrees of freedom."""


@dataclass(eq=False)
class _Node:
    """A part of the legal bits: how many are set, at most how many can be, and where they are."""

    count: list[Literal]
    most: int
    leaves: list[int]  # positions in the list of legal bits; for the last level
    left: _Node | None = None
    right: _Node | None = None


def choose(net: Network, legal: list[Literal], draw: Callable[[], Literal]) -> tuple[list[Literal], Literal]:
    """One literal per legal bit, exactly one of them true in a lane with a legal move; and whether it has
    one.
    """
    picks = [FALSE] * len(legal)
    where = [k for k, x in enumerate(legal) if x != FALSE]
    if len(where) <= 1:
        for k in where:
            picks[k] = legal[k]
        return picks, legal[where[0]] if where else FALSE
    bits = [legal[k] for k in where]
    levels = _count(net, bits)
    root = levels[-1][0]
    some = TRUE if TRUE in bits else net.any(root.count)
    rank = _rank(net, root.count, draw)
    active = {id(root): some}
    for level in reversed(levels[1:]):
        rank = _descend(net, level, active, rank)
    for group in levels[0]:
        taken = _last(net, [bits[i] for i in group.leaves], active[id(group)], rank)
        for i, x in zip(group.leaves, taken, strict=True):
            picks[where[i]] = x
    return picks, some


def _count(net: Network, bits: list[Literal]) -> list[list[_Node]]:
    """Levels of nodes from groups of three up to the root; an odd node stands in two levels."""
    groups = []
    for lo in range(0, len(bits), 3):
        three = bits[lo : lo + 3]
        x, y, z = three + [FALSE] * (3 - len(three))
        count = [net.xor(net.xor(x, y), z), net.majority(x, y, z)]
        groups.append(_Node(count[: len(three).bit_length()], len(three), list(range(lo, lo + len(three)))))
    levels = [groups]
    while len(levels[-1]) > 1:
        below, above = levels[-1], []
        for i in range(0, len(below) - 1, 2):
            a, b = below[i], below[i + 1]
            most = a.most + b.most
            above.append(_Node(net.sum(a.count, b.count)[: most.bit_length()], most, [], a, b))
        if len(below) % 2:
            above.append(below[-1])
        levels.append(above)
    return levels


def _rank(net: Network, count: list[Literal], draw: Callable[[], Literal]) -> list[Literal]:
    """floor(count * U) for a random fraction U, least significant random bit first.

    The low random bits meet only the high bits of the count: what is left out would only change a carry whose
    weight is that of the bias.
    """
    width = len(count)
    rank = [FALSE] * width
    for i in range(width + SPARE_BITS):
        luck = draw()
        term = [net.land(x, luck) if j >= width - 1 - i else FALSE for j, x in enumerate(count)]
        rank = net.sum(rank, term)[1:]
    return rank


def _descend(net: Network, level: list[_Node], active: dict[int, Literal], rank: list[Literal]) -> list[Literal]:
    """Split the active node of this level: fills `active` for its children, returns the rank within the
    child.
    """
    pairs: list[_Node] = []
    others: list[_Node] = []
    for node in level:
        (others if node.left is None or id(node.left) in active else pairs).append(node)
    width = max(len(node.left.count) for node in pairs if node.left)
    left = [FALSE] * width
    for node in pairs:
        assert node.left is not None
        for j, x in enumerate(node.left.count):
            left[j] = net.lor(left[j], net.land(active[id(node)], x))
    less, below = net.difference(rank, left)
    for node in pairs:
        assert node.left is not None and node.right is not None
        active[id(node.left)] = net.land(active[id(node)], below)
        active[id(node.right)] = net.land(active[id(node)], below ^ 1)
    remaining = {id(c): c for node in pairs for c in (node.left, node.right) if c}
    remaining.update({id(node): node for node in others})
    most = max(node.most for node in remaining.values())
    return [net.mux(below, r, d) for r, d in zip(rank, less, strict=True)][: (most - 1).bit_length()]


def _last(net: Network, bits: list[Literal], active: Literal, rank: list[Literal]) -> list[Literal]:
    """Pick among up to three leaves: the first if the rank is 0, the second if the rank counts the first, or
    else.
    """
    low, high = ([*rank, FALSE, FALSE])[:2]
    if len(bits) == 1:
        return [active]
    first = net.land(active, net.land(bits[0], net.land(low ^ 1, high ^ 1)))
    if len(bits) == 2:
        return [first, net.land(active, first ^ 1)]
    second = net.land(net.land(active, bits[1]), net.land(net.xor(low, bits[0]) ^ 1, high ^ 1))
    return [first, second, net.land(active, net.land(first ^ 1, second ^ 1))]
