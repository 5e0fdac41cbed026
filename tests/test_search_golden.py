"""Searches grow the graphs that were recorded."""

import pytest

from tests.golden.graphs import SEARCH, SEARCHED, graph_path, record_graph


@pytest.mark.parametrize("name", SEARCHED)
def test_the_golden_graph(name: str) -> None:
    """If the change is meant: python -m tests.golden --write."""
    assert record_graph(name) == graph_path(name).read_text(encoding="utf-8")


def test_each_golden_graph_has_its_game() -> None:
    assert sorted(SEARCH.glob("*")) == sorted(map(graph_path, SEARCHED))
