"""In which order the atoms of a loop are defined, sweep after sweep, until nothing changes.

An atom that is defined after those it depends on hears of their news in the same sweep: so a chain of stones is followed
from the edge of the board, and few sweeps are needed. But then a sweep is one long chain itself, each gate waits for
the one before, and a processor that could do several at a time does one. So atoms are taken by how far they are from
where a loop begins to be true, a few distances at a time; and among these first some that do not depend on one another,
then others (a greedy colouring). In the order of the rules hex 5×5, go 6×6 and havannah ran at 0.6 to 0.7 of the speed,
nogo 7×7 at less than half.
"""

from __future__ import annotations

from ggp.circuits.graph import Graph

_TOGETHER = 2
"""Distances that are taken together."""
_STEPS = 300_000
"""Gates that are looked at, at most: in a loop with more of them the atoms stay in the order in which they come."""


def sweep_order(graph: Graph, heads: list[int], inside: set[int]) -> list[int]:
    """The feedback gates of a loop in the order in which they should be defined. `inside`: all gates of the loop."""
    reads = _reads(graph, heads, inside)
    if not reads:
        return heads
    distance = _distances(reads, _sources(graph, heads, inside))
    far = len(heads)
    nearest = sorted(heads, key=lambda head: distance.get(head, far))
    colour = _colours(nearest, reads)
    return sorted(nearest, key=lambda head: (distance.get(head, far) // _TOGETHER, colour[head]))


def _reads(graph: Graph, heads: list[int], inside: set[int]) -> dict[int, set[int]]:
    """The feedback gates that the definition of each depends on; nothing where that takes too long to find."""
    found: dict[int, set[int]] = {}
    steps = 0
    for head in heads:
        seen: set[int] = set()
        stack = [graph.feedback[head] >> 1]
        while stack:
            gate = stack.pop()
            if gate not in seen and gate in inside:
                seen.add(gate)
                if gate not in graph.feedback:
                    stack += [graph.left[gate] >> 1, graph.right[gate] >> 1]
        found[head] = {gate for gate in seen if gate in graph.feedback}
        steps += len(seen)
        if steps > _STEPS:
            return {}
    return found


def _sources(graph: Graph, heads: list[int], inside: set[int]) -> list[int]:
    """Those that may hold although no other of the loop does."""
    false: set[int] = {0}  # literals that are false while all of the loop is
    for gate in sorted(inside):
        if gate in graph.feedback or graph.left[gate] in false or graph.right[gate] in false:
            false.add(2 * gate)
        elif graph.left[gate] ^ 1 in false and graph.right[gate] ^ 1 in false:
            false.add(2 * gate + 1)
    return [head for head in heads if graph.feedback[head] not in false]


def _distances(reads: dict[int, set[int]], sources: list[int]) -> dict[int, int]:
    """How many definitions lie between a source and each that can be reached."""
    readers: dict[int, list[int]] = {head: [] for head in reads}
    for head, others in reads.items():
        for other in others:
            readers[other].append(head)
    found, level = dict.fromkeys(sources, 0), sources
    while level:
        level = [x for x in dict.fromkeys(reader for head in level for reader in readers[head]) if x not in found]
        found.update(dict.fromkeys(level, max(found.values()) + 1))
    return found


def _colours(heads: list[int], reads: dict[int, set[int]]) -> dict[int, int]:
    """Numbers of which no two that depend on one another have the same, small ones first."""
    beside = {head: set(reads[head]) for head in heads}
    for head in heads:
        for other in reads[head]:
            beside[other].add(head)
    found: dict[int, int] = {}
    for head in heads:
        taken = {found[other] for other in beside[head] if other in found}
        found[head] = next(number for number in range(len(heads) + 1) if number not in taken)
    return found
