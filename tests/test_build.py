"""The plain translations of ground programs: the literal one, and the one that factors the bodies of a head."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from ggp.circuits.build import build_factored, build_naive, naive_sum
from ggp.circuits.graph import FALSE, TRUE, Graph
from ggp.core.errors import CycleError
from tests.factoring import factored_sum
from tests.small_programs import disagreements, program_of, values

NAMES = ["sliding", "tic_tac_toe", "hex_5x5", "monty_hall", *map(str, range(30))]


@pytest.mark.parametrize("name", NAMES)
def test_both_translations_say_what_the_rules_say(name: str) -> None:
    assert list(disagreements(name, build_naive(program_of(name)))) == []
    assert list(disagreements(name, build_factored(program_of(name)))) == []


@pytest.mark.parametrize("define", [naive_sum, factored_sum])
@pytest.mark.parametrize("seed", range(30))
def test_a_sum_of_products_is_their_disjunction(define: Callable[[Graph, list[list[int]]], int], seed: int) -> None:
    generator = random.Random(seed)
    graph = Graph(5)
    literals = [2 * gate + sign for gate in range(1, 6) for sign in (0, 1)]
    products = [generator.sample(literals, generator.randint(1, 4)) for _ in range(generator.randint(1, 7))]
    made = define(graph, products)
    leaves = [sum(1 << row for row in range(32) if row >> i & 1) for i in range(5)]
    found = values(graph, leaves, 32)
    for row in range(32):
        wanted = any(all((row >> ((x >> 1) - 1) & 1) != (x & 1) for x in product) for product in products)
        assert bool((found[made >> 1] >> row & 1) ^ (made & 1)) == wanted


@pytest.mark.parametrize("define", [naive_sum, factored_sum])
def test_the_empty_sum_and_the_empty_product(define: Callable[[Graph, list[list[int]]], int]) -> None:
    assert define(Graph(2), []) == FALSE
    assert define(Graph(2), [[2, 4], []]) == TRUE


def test_factoring_needs_fewer_gates() -> None:
    products = [[2, 2 * k] for k in range(2, 8)]
    plain, factored = Graph(7), Graph(7)
    naive_sum(plain, products)
    factored_sum(factored, products)
    assert len(factored) < len(plain)


def test_a_negation_of_itself_has_no_circuit() -> None:
    program = program_of("tic_tac_toe")
    odd = replace(program, rules=(*program.rules, (program.terminal, (-program.terminal,))))
    for build in (build_naive, build_factored):
        with pytest.raises(CycleError):
            build(odd)
