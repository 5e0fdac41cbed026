"""Nets as rows of many-input gates: who reads a gate, and what is dissolved into its user."""

from __future__ import annotations

from ggp.circuits.graph import Graph, Net
from ggp.circuits.manyinput import flat, roots_of, rows_of, uses


def rows(net: Net, deep: int = 0) -> dict[int, list[int]]:
    """The rows as a dictionary."""
    gates, first, items, place = rows_of(flat(net), uses(flat(net)), deep)
    assert [place[gate] for gate in gates] == list(range(len(gates)))
    return {int(gate): items[first[i] : first[i + 1]].tolist() for i, gate in enumerate(gates)}


def test_uses_and_rows() -> None:
    graph = Graph(3)
    inner = graph.land(2, 4)
    outer = graph.land(inner, 6)
    net = Net(graph, 3, 0, [outer], [], 0, [], [])
    count = uses(flat(net))
    assert count[inner >> 1] == count[outer >> 1] == 1
    assert rows(net) == {outer >> 1: [2, 4, 6]}
    net.next.append(inner)  # now somebody else reads it as well
    assert uses(flat(net))[inner >> 1] == 2
    assert rows(net) == {outer >> 1: [6, inner], inner >> 1: [2, 4]}
    assert rows(net, deep=3)[outer >> 1] == [2, 4, 6]


def test_what_no_output_needs_is_not_used() -> None:
    graph = Graph(2)
    dead = graph.land(2, 4)
    net = Net(graph, 2, 0, [3, 5], [], 0, [], [])
    assert uses(flat(net))[dead >> 1] == 0
    assert rows(net) == {}


def test_what_a_feedback_gate_repeats_is_a_root() -> None:
    graph = Graph(2)
    loop = graph.placeholder()
    graph.feedback[loop >> 1] = graph.lor(2, graph.land(4, loop))
    graph.groups.append([loop >> 1])
    net = Net(graph, 2, 0, [loop], [], 0, [], [])
    old = flat(net)
    repeated = graph.feedback[loop >> 1] >> 1
    assert roots_of(old, uses(old)).tolist() == sorted([0, loop >> 1, repeated])
    assert repeated in rows(net)
