"""Colours of roles."""

from __future__ import annotations

from ggp.boards.colours import named_style, styles


def test_roles_have_the_colour_that_they_are_called() -> None:
    found = styles(("red", "blueplayer", "north"))
    assert (found["red"], found["blueplayer"]) == ("bold red", "bold blue")
    assert len(set(found.values())) == 3


def test_nobody_lacks_a_colour() -> None:
    roles = [f"player{n}" for n in range(12)]
    assert set(styles(roles)) == set(roles)


def test_words_that_are_colours() -> None:
    assert named_style("greenish") == "bold green"
    assert named_style("rook") is None
