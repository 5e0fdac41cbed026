"""Masks of gates and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ggp.circuits.masks import bits_of, mask_of


@given(st.sets(st.integers(0, 5000)))
def test_a_mask_has_the_bits_that_it_is_made_of(gates: set[int]) -> None:
    mask = mask_of(gates)
    assert mask == sum(1 << gate for gate in gates)
    assert bits_of(mask) == sorted(gates)


def test_repetitions_count_once() -> None:
    assert mask_of([3, 3, 0]) == 9
