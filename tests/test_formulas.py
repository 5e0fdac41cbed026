"""Equations 9 to 14 on graphs small enough to do by hand."""

import math

import pytest

from ggp.search.formulas import Edge, Node, Values
from tests.search_checks import INF


def edge(origin: Node, end: Node | None, first: tuple[int, float], total: tuple[int, float]) -> Edge:
    """first: n′ and μ′; total: n and μ."""
    found = Edge(origin, (), [total[0] * total[1]], [first[0] * first[1]], end, total[0], first[0])
    origin.edges.append(found)
    if end is not None:
        end.parents.append(found)
    return found


def test_an_edge_without_children() -> None:
    e = edge(Node("a"), Node("b"), (3, 0.5), (3, 0.5))
    values = Values()
    for d in (0, 1, 2, INF):
        assert values.mean(e, 0, d) == 0.5
        assert values.count(e, d) == 3


def test_a_diamond() -> None:
    """a → b → d and a → c → d → e, f: what is below d was mostly found through c."""
    a, b, c, d = map(Node, "abcd")
    ab, ac = edge(a, b, (1, 1.0), (3, 0.5)), edge(a, c, (1, 0.0), (6, 0.25))
    bd, cd = edge(b, d, (1, 0.0), (2, 0.25)), edge(c, d, (0, 0.0), (5, 0.3))
    de, df = edge(d, Node("e"), (4, 0.2), (4, 0.2)), edge(d, Node("f"), (2, 0.4), (2, 0.4))
    values = Values()
    assert values.mean(ab, 0, 0) == 0.5
    assert values.mean(ab, 0, 1) == pytest.approx((1 * 1.0 + 2 * 0.25) / 3)
    below_d = (0.2 * 4 + 0.4 * 2 + 0 * 1) / 7
    assert values.mean(bd, 0, 1) == pytest.approx(below_d)
    assert values.mean(ab, 0, 2) == pytest.approx((1.0 + below_d * 2) / 3)
    assert values.mean(ab, 0, INF) == pytest.approx(values.mean(ab, 0, 2))
    assert [values.count(ab, n) for n in (0, 1, 2, 3, INF)] == [3, 1 + 2, 1 + 1 + 6, 8, 8]
    assert [values.count(ac, n) for n in (0, 1, 2, 3, INF)] == [6, 1 + 5, 1 + 0 + 6, 7, 7]
    assert [values.total(a, n) for n in (0, 1, 2, INF)] == [9, 9, 15, 15]
    assert values.count(cd, 1) == 6
    assert values.mean(cd, 0, 1) == pytest.approx((0.2 * 4 + 0.4 * 2) / 6)
    assert values.total(d, 0) == de.n + df.n


@pytest.mark.parametrize("length", range(1, 6))
def test_figure_2(length: int) -> None:
    """At a, little is known of b and c; others have found out more below them, at any depth."""

    def chain(below: float) -> tuple[Node, list[Edge]]:
        """A line of forced moves; a hundred payoffs, not one of them by way of a, lie below its end."""
        nodes = [Node(f"{below}/{i}") for i in range(length)]
        ends = [*nodes[1:], Node("last")]
        lines = [
            edge(x, y, (0, 0), (2, 0.5)) if y.position != "last" else edge(x, y, (100, below), (100, below))
            for x, y in zip(nodes, ends, strict=True)
        ]
        return nodes[0], lines

    a = Node("a")
    (b, _), (c, _) = chain(0.8), chain(0.2)
    ab, ac = edge(a, b, (0, 0), (2, 0.4)), edge(a, c, (0, 0), (2, 0.6))
    values = Values()
    preferred = {d: "b" if values.mean(ab, 0, d) > values.mean(ac, 0, d) else "c" for d in (0, *range(1, 8), INF)}
    assert preferred[0] == "c"
    assert all(preferred[d] == "b" for d in (*range(length, 8), INF))
    assert all(values.mean(ab, 0, d) == values.mean(ac, 0, d) == 0.5 for d in range(1, length))
    assert math.isclose(values.mean(ab, 0, INF), 0.8)


def test_a_cycle_ends() -> None:
    """Where positions repeat there is no such value; still an answer must come."""
    a, b = Node("a"), Node("b")
    ab, _ = edge(a, b, (1, 0.5), (3, 0.5)), edge(b, a, (1, 1.0), (2, 0.75))
    assert math.isfinite(Values().mean(ab, 0, INF))
    assert math.isfinite(Values().count(ab, INF))
    assert Values().count(ab, 2) == 1 + 1 + 3
