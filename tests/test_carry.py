"""Families of sums that share what a move carries: the factored form holds for every single move."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from ggp.circuits.multivalued.carry import Family, families
from ggp.circuits.multivalued.cubes import Cube

Terms = Mapping[int, dict[Cube, int]]


def rest(number: int) -> Cube:
    return Cube(frozenset([number]), ())


def pieces(cells: int, kinds: int, moves: set[tuple[int, int]]) -> Terms:
    """Head (kind, target): a piece of the kind at s, and the move from s to the target."""
    numbered = {move: 1 << number for number, move in enumerate(sorted(moves))}
    return {
        kind * cells + t: {rest(kind * cells + s): numbered[s, t] for s in range(cells) if (s, t) in numbered}
        for kind in range(kinds)
        for t in range(cells)
    }


def check(terms: Terms, found: list[Family]) -> None:
    """Each factored head equals its sum of products, whichever one move is done and whichever rests hold."""
    for family in found:
        unions = family.unions
        rests = list(unions)
        moves = 0
        for union in unions.values():
            moves |= union
        for head, own in family.heads.items():
            assert own == terms[head]
            to_head = 0
            for mask in own.values():
                to_head |= mask
            for number in range(moves.bit_length()):
                move = 1 << number
                for r in rests:  # sums are linear in the rests: one that holds at a time will do
                    assert bool(own.get(r, 0) & move) == bool(to_head & move and unions[r] & move)


def test_pieces_that_move_are_one_family_for_each_kind() -> None:
    moves = {(s, t) for s in range(6) for t in range(6) if s != t}
    terms = pieces(6, 2, moves)
    found = families(terms)
    assert sorted(sorted(family.heads) for family in found) == [list(range(6)), list(range(6, 12))]
    check(terms, found)
    assert all(family.gain == 30 - 6 - 6 for family in found)


@pytest.mark.parametrize("seed", range(80))
def test_what_is_factored_holds(seed: int) -> None:
    generator = random.Random(seed)
    cells = generator.randint(2, 6)
    moves = {(s, t) for s in range(cells) for t in range(cells) if generator.random() < 0.7}
    terms = {head: dict(own) for head, own in pieces(cells, 2, moves).items()}
    for own in terms.values():  # some heads are spoiled: a term more, or another move
        if own and generator.random() < 0.3:
            own[generator.choice([rest(99), next(iter(own))])] = 1 << generator.randrange(max(1, len(moves)))
    found = families(terms)
    check(terms, found)
    heads = [head for family in found for head in family.heads]
    assert len(heads) == len(set(heads))


def test_a_head_with_another_move_of_the_same_piece_does_not_fit() -> None:
    alone = Family.of(1, {rest(1): 0b01, rest(2): 0b10}, 0)
    assert alone.united(Family.of(2, {rest(1): 0b10}, 1), 2) is None
    assert alone.united(Family.of(2, {rest(1): 0b100}, 1), 2) is not None
