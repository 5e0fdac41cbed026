"""Arrays of records: the same fields for numpy, for kernels and for Python."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from ggp.search.kernels.layout import EdgeRecord, Head, NodeRecord, Sight, Slot
from ggp.search.kernels.records import Bool, Float, Int32, Record, Records, zeros
from ggp.search.kernels.weighing import Rule


class Stone(Record):
    colour: Int32
    weight: Float
    is_wet: Bool


def _soak(stones: Records[Stone], at: int, weight: float) -> int:
    stone = stones[at]
    stone.weight += weight
    stone.is_wet = True
    stones[at + 1] = stone
    return stone.colour


soak: Any = numba.njit(_soak)


def test_kernels_numpy_and_python_see_the_same_fields() -> None:
    stones = zeros(Stone, 3)
    stones[1].colour = 7
    stones["weight"] = 2.5
    assert soak(stones, 1, 1.5) == 7
    assert [int(stones[i].colour) for i in range(3)] == stones["colour"].tolist() == [0, 7, 7]
    assert [float(stones[i].weight) for i in range(3)] == [2.5, 4, 4]
    assert stones["is_wet"].tolist() == [False, True, True]


def test_fields_lie_as_they_are_written_one_after_the_other() -> None:
    kind = Stone.kind
    assert kind.names == ("colour", "weight", "is_wet")
    assert kind.isalignedstruct and kind.itemsize == 24


def test_a_kind_has_one_type() -> None:
    """Else each call of a kernel would compare the types of its arrays field by field."""
    arrays = np.asarray(zeros(Stone, 2)), np.empty(4, Stone.kind), np.zeros(48, np.uint8).view(Stone.kind)
    assert all(array.dtype is Stone.kind for array in arrays)


def test_what_descents_read_is_small() -> None:
    sizes = {kind: kind.kind.itemsize for kind in (Head, NodeRecord, EdgeRecord, Sight, Slot)}
    assert sizes == {Head: 192, NodeRecord: 48, EdgeRecord: 32, Sight: 16, Slot: 32}
    assert Rule.kind.itemsize <= 128, "two lines of the cache"
