"""Making room in a graph: the nodes that were visited least are forgotten.

It takes about a second for a gigabyte, so it goes in short steps: between two of them one may look at the clock, and
leave the rest for later. Until all is done, the graph must be left alone, or emptied.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ggp.search.kernels.compacting import (
    cut_edges,
    enter_nodes,
    move_chunks,
    move_nodes,
    move_pool,
    number_chunks,
    number_nodes,
)
from ggp.search.kernels.layout import Graph, Scratch
from ggp.search.kernels.marking import reach
from ggp.search.kernels.sums import sum_level
from ggp.search.kernels.values import refresh_nodes

T = TypeVar("T")
Steps = Generator[None, None, None]
_STEP = 1 << 14
"""Nodes, or chunks, of one step: a few milliseconds."""
_BINS = 4 * 64
_SWEEPS = 64
"""Of sums of infinite depth, at most: the ends of edges mostly have higher numbers than their origins, but not all."""


def recycle(graph: Graph, number: int, root: int, scratch: Scratch) -> Steps:
    """Forget the least visited nodes, as few as leave half of the memory free."""
    loads = yield from mark(graph, number, root, 1, scratch)
    head = graph.head[number]
    room = np.array([head.node_cap, head.chunk_cap, head.pool_cap]) // 2
    above = np.cumsum(loads[::-1], axis=0)[::-1]
    fits = (above <= room).all(axis=1)
    lowest = int(np.argmax(fits)) if fits.any() else _BINS - 1
    if lowest:
        yield from mark(graph, number, root, 2 ** (lowest / 4), scratch)
    yield from compact(graph, number, scratch)


def mark(
    graph: Graph, number: int, root: int, least: float, scratch: Scratch
) -> Generator[None, None, NDArray[np.int64]]:  # fmt: skip
    """Mark the nodes worth keeping: those reached from the root by way of nodes with at least so many visits.

    Returns how many nodes, chunks and entries of the pool they need, by their visits, in quarters of an octave.
    """
    head = graph.head[number]
    loads = np.zeros((_BINS, 3), np.int64)
    head.stamp += 1
    graph.mark[root] = head.stamp
    scratch.order[0] = root
    at, size = 0, 1
    while at < size:
        at, size = reach(graph, number, least, at, size, _STEP, loads, scratch)
        yield
    loads[-1, 0] += 1  # the root
    return loads


def compact(graph: Graph, number: int, scratch: Scratch) -> Steps:
    """Forget the nodes without the latest mark, and close the gaps. Nothing may be under way."""
    head = graph.head[number]
    nodes, chunks, pool = int(head.nodes), int(head.chunks), int(head.pool)
    kept = kept_chunks = at = free = 0
    for lo, hi in _steps(nodes):
        kept = number_nodes(graph, number, lo, hi, kept, scratch)
        yield
    for lo, hi in _steps(chunks):
        kept_chunks = number_chunks(graph, number, lo, hi, kept_chunks, scratch)
        yield
    root = scratch.order[head.root - head.node_lo]
    while at < pool:
        at, free = move_pool(graph, number, at, free, 8 * _STEP, scratch)
        yield
    for lo, hi in _steps(nodes):
        cut_edges(graph, number, lo, hi, scratch)
        yield
    for lo, hi in _steps(nodes):
        move_nodes(graph, number, lo, hi, scratch)
        yield
    for lo, hi in _steps(chunks):
        move_chunks(graph, number, lo, hi, scratch)
        yield
    head.root, head.nodes, head.chunks, head.pool = root, kept, kept_chunks, free
    table = int(head.table_lo)
    for lo, hi in _steps(int(head.table_mask) + 1, 16 * _STEP):
        graph.table[table + lo : table + hi] = -1
        yield
    for lo, hi in _steps(kept):
        enter_nodes(graph, number, lo, hi)
        yield
    yield from rebuild(graph, number)
    head.full = False


def rebuild(graph: Graph, number: int) -> Steps:
    """All sums above level 0, and what selections read, from the edges."""
    kept = int(graph.head[number].nodes)
    finite, infinite = int(graph.rule[number].finite), int(graph.rule[number].infinite)
    for level in [*range(1, finite + 1), *([infinite] if infinite else [])]:
        for _ in range(1 if level <= finite else _SWEEPS):
            moved = 0.0
            for lo, hi in reversed(list(_steps(kept))):
                moved = max(moved, sum_level(graph, number, level, lo, hi))
                yield
            if moved == 0:
                break
    for lo, hi in _steps(kept):
        refresh_nodes(graph, number, lo, hi)
        yield


def _steps(count: int, step: int = _STEP) -> Iterator[tuple[int, int]]:
    return ((lo, min(lo + step, count)) for lo in range(0, count, step))


def finish(steps: Generator[None, None, T]) -> T:
    """Do all that is left, at once; what it returns."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
