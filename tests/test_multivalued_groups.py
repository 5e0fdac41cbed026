"""One-hot groups as variables: each leaf in one of them at most, and the larger groups first."""

from __future__ import annotations

from ggp.circuits.multivalued.groups import Groups, OneHot
from ggp.circuits.solver import Care, Group


def test_leaves_have_their_places() -> None:
    groups = Groups()
    assert groups.add([9, 4, 6], exact=False) == 0
    assert groups.add_moves([11, 12]) == 1
    assert groups.add_count(3) == 2
    assert groups.all == [OneHot([4, 6, 9], 7, False), OneHot([11, 12], 3, True), OneHot([], 7, True)]
    assert groups.place == {4: (0, 1), 6: (0, 2), 9: (0, 4), 11: (1, 1), 12: (1, 2)}
    assert groups.moves == {1}
    assert groups.leaves(((0, 0b101), (1, 0b10))) == (4, 9, 12)


def test_a_base_is_in_the_larger_of_two_groups_and_the_rest_of_one_that_is_not_exact_is_used() -> None:
    groups = Groups()
    proved = (Group((3, 4), True), Group((0, 1, 2, 3), True), Group((3, 5, 6), False), Group((6, 7), False))
    groups.add_bases(Care(proved, never=(2,)))
    assert groups.all == [OneHot([1, 2, 4], 7, True), OneHot([6, 7], 3, False)]
