"""Strongly connected components and reachability, against their definitions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gdl.graphs import components, reachable

graphs = st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=4), max_size=8)


@given(graphs)
def test_components_are_nodes_that_reach_each_other_each_after_what_it_leads_to(graph: dict[int, list[int]]) -> None:
    found = list(components(range(8), lambda n: graph.get(n, ())))
    reach = {n: reachable([n], lambda n: graph.get(n, ())) for n in range(8)}
    assert sorted(n for component in found for n in component) == list(range(8))
    number = {n: i for i, component in enumerate(found) for n in component}
    for a in range(8):
        for b in reach[a]:
            assert number[b] <= number[a]
            assert (number[a] == number[b]) == (a in reach[b])


def test_a_path_of_100_000_nodes_is_no_problem() -> None:
    assert sum(1 for _ in components([0], lambda n: [n + 1] if n < 99_999 else [])) == 100_000
    assert len(reachable([0], lambda n: [n + 1] if n < 99_999 else [])) == 100_000


def test_reachable_includes_its_roots() -> None:
    assert reachable("ab", {"a": "c", "b": "", "c": "a", "d": "a"}.__getitem__) == set("abc")
