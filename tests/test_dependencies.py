"""Strata, recursion, and what depends on true and on does."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl import load, parse
from gdl.dependencies import Dependencies
from tests.helpers import rulesheets, some

RULES = """
(<= (path ?x ?y) (edge ?x ?y))
(<= (path ?x ?z) (path ?x ?y) (edge ?y ?z))
(<= (far ?x ?y) (node ?x) (node ?y) (not (path ?x ?y)))
(<= (even ?x) (succ ?y ?x) (odd ?y))
(<= (odd ?x) (succ ?y ?x) (even ?y))
(<= lonely (far ?x ?y) (or (true (seen ?x)) (not moved)))
(<= moved (does ?r ?m))
(<= p (not q)) (<= q p)
(edge 1 2) (node 1)
"""


@pytest.fixture
def dependencies() -> Dependencies:
    return Dependencies.of(parse(RULES).rules)


def test_recursion_and_components(dependencies: Dependencies) -> None:
    assert dependencies.recursive == {("path", 2), ("even", 1), ("odd", 1), ("p", 0), ("q", 0)}
    assert dependencies.component_of["even", 1] == dependencies.component_of["odd", 1]
    order = [member for component in dependencies.components for member in component]
    assert order.index(("path", 2)) < order.index(("far", 2)) < order.index(("lonely", 0))
    assert ("true", 1) not in order


def test_strata_rise_at_negation(dependencies: Dependencies) -> None:
    strata = dependencies.strata
    assert [strata[name] for name in [("edge", 2), ("path", 2), ("far", 2), ("lonely", 0)]] == [0, 0, 1, 1]
    assert dependencies.negative_cycles == (dependencies.component_of["p", 0],)


def test_what_depends_on_the_state_and_on_moves(dependencies: Dependencies) -> None:
    assert dependencies.on_state == {("lonely", 0)}
    assert dependencies.on_moves == {("moved", 0), ("lonely", 0)}


def test_the_picture_is_graphviz_with_dashed_edges_for_negation(dependencies: Dependencies) -> None:
    lines = dependencies.dot().splitlines()
    assert lines[0] == "digraph dependencies {"
    assert lines[-1] == "}"
    assert '  "far/2" -> "path/2" [style=dashed];' in lines
    assert '  "path/2" -> "edge/2";' in lines


def test_the_picture_quotes_names() -> None:
    assert '"a\\"b\\\\/1"' in Dependencies.of(parse('(a"b\\ c)').rules).dot()


@pytest.mark.parametrize("path", some(rulesheets()))
def test_strata_respect_every_rule_outside_cycles(path: Path) -> None:
    dependencies = load(path).dependencies
    circular = {member for component in dependencies.negative_cycles for member in component}
    assert dependencies.strata
    for head, used in dependencies.negative.items():
        for relation in used & dependencies.strata.keys():
            assert dependencies.strata[head] > dependencies.strata[relation] or head in circular
