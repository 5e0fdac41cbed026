"""The order of labels along a side of a board."""

from __future__ import annotations

import pytest

from ggp.boards.axes import as_squares, chains, in_order
from ggp.boards.rules import Kind, Row


@pytest.mark.parametrize(
    ("labels", "ordered"),
    [
        ("10 2 1", "1 2 10"),
        ("c10 c9 c1", "c1 c9 c10"),
        ("row_2 row_1", "row_1 row_2"),
        ("c a b", "a b c"),
        ("last first then", "first then last"),  # a relation puts them in order
        ("then last", "then last"),
        ("north east", None),
        ("a b", None),  # two letters may be anything
        ("1 b", None),
    ],
)
def test_labels_with_an_order(labels: str, ordered: str | None) -> None:
    known = [("first", "then", "last")]
    found = in_order(labels.split(), known)
    assert found == (None if ordered is None else tuple(ordered.split()))


def test_relations_that_put_names_in_a_row() -> None:
    static: dict[Kind, list[Row]] = {
        ("succ", 2): [("a", "b"), ("b", "c")],
        ("ring", 2): [("a", "b"), ("b", "a")],
        ("forks", 2): [("a", "b"), ("a", "c")],
        ("two_rows", 2): [("a", "b"), ("c", "d")],
        ("between", 3): [("a", "b", "c")],
    }
    assert chains(static) == [("a", "b", "c")]


def test_names_of_squares_are_column_and_row() -> None:
    found = as_squares(["a1", "a2", "b1", "b2", "c1", "c_10"])
    assert found is not None
    assert (found["a1"], found["c_10"]) == (("a", "1"), ("c", "10"))
    assert as_squares(["a1", "a2", "a3", "a4", "a5", "a6"]) is None  # one column is a list
    assert as_squares(["a1", "b1", "c1", "a2", "b2", "here"]) is None
