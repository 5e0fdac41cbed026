"""What is said of curves of errors."""

from __future__ import annotations

from ggp.lab.error_curves import checkpoints, claim, flat, means_of, ratios_of, shown


def test_checkpoints_are_about_ten_to_a_decade() -> None:
    assert checkpoints(100) == [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 63, 79, 100]
    assert checkpoints(1) == [1]
    assert checkpoints(101)[-2:] == [100, 101]


def test_ratios_are_told_where_anybody_errs() -> None:
    better = [[0.5, 0.1, 0.0], [0.5, 0.0, 0.0], [0.4, 0.0, 0.0]]
    worse = [[0.5, 0.4, 0.0], [0.5, 0.5, 0.0], [0.6, 0.4, 0.0]]
    ratios = ratios_of(better, worse)
    assert ratios[2] is None and [e.value for e in means_of(better)][:1] == [1.4 / 3]
    assert flat(ratios)[-3:] == [None, None, None] and shown([1, 2, 3]) == [0, 2]
    assert "clearly so at 1 of 2 checkpoints, clearly not at 0" in claim("it is better", ratios, [1, 2, 3], below=True)
    assert claim("it is better", [None], [1], below=True) == "- it is better: nobody errs."
